//! Tests that draw small captures.

mod causes;
mod figures;
mod parts;
mod scene;
mod slow;
mod slow_idle;
