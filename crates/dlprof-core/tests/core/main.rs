//! Tests of the library through its front door.

mod cache;
mod cells;
mod finder;
mod frameworks;
mod graphs;
mod kept;
mod kept_damage;
mod kept_index;
mod mutations;
mod opened;
mod parts_of_gpus;
mod profiles;
mod readers;
mod rocpd;
mod script;
mod selections;
mod tables;
mod truth;
mod work;
