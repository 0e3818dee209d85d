//! What CPU threads did and why GPUs wait: the tables of an export, and the figures made of them.

mod corpus;
mod host_tables;
mod kept;
