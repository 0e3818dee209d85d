//! Captures drawn in code, and the real ones.

mod columns;
mod corpus;
mod drawing;
mod loading;
mod made_up_kernels;
mod made_up_ranges;
mod planted;
mod properties;
mod rules;
mod scenes;
