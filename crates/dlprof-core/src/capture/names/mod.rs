//! What names say: of kernels, of ranges, of API functions and of calls of the operating system, with the user's settings.

mod api_class;
mod binary;
mod collective_kind;
mod host_loop;
mod kernel_names;
mod profiler_step;
mod settings;
mod step_mark;
mod texts;

pub(crate) use api_class::without_version;
pub use api_class::{ApiClass, ApiFunction};
pub(crate) use binary::{Binary, creates_library};
pub use collective_kind::CollectiveKind;
pub(crate) use host_loop::LoopPart;
pub use kernel_names::{Exchange, Precision};
pub(crate) use kernel_names::{NamedKind, kernel_name_says};
pub(crate) use profiler_step::profiler_step;
pub(crate) use settings::SHORT_KERNEL_NS;
pub use settings::{ActivitySettings, NamePattern, Thresholds};
pub use step_mark::{MarkForm, Phase, StepMark};
pub(crate) use texts::{ByName, is_nccl_text, is_of_optimizer};
pub(crate) use texts::{OsCallKind, checks_algorithms, range_in_words};
pub(crate) use texts::{
    is_communication_domain, is_communicator_setup, is_cpu_collective, is_data_loading, is_enclosing,
    is_one_time,
};
