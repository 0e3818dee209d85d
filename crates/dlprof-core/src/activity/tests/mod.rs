//! Tests that draw small captures.

mod causes;
mod figures;
mod scene;
mod slow;
mod slow_idle;
