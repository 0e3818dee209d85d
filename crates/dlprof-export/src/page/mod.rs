//! The viewer: pages, and the data that they show. One front end, two sources: [`write()`] makes one file that holds everything,
//! and the local server answers the same questions with the values of this module.

mod assets;
mod block;
mod counters;
mod definitions;
mod document;
mod flame;
mod job_file;
mod ranges;
mod report_file;
mod sides;
mod table_json;
mod time_range;
mod window;
mod words;

pub use assets::assets;
pub use counters::{Command as NcuCommandWords, Counters, RooflineChoice};
pub use definitions::{TableDefinition, Terms};
pub use flame::{FlameKey, FlameNode, flame};
pub use job_file::{JobBlocks, write_job};
pub use ranges::RangeSums;
pub use report_file::{PageComparison, write, write_comparison};
pub use sides::SidesCompared;
pub use time_range::TimeRangeSums;
pub use window::Window;
pub use words::Words;
