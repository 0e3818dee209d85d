//! Help texts that list the values of an option.

use clap::ValueEnum;
use clap::builder::PossibleValue;

/// A long help text that ends with a list of values.
pub(crate) fn with_values<T: ValueEnum>(text: &str) -> String {
    let values = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let line = |value: PossibleValue| {
        format!("\n- {}: {}", value.get_name(), value.get_help().map(ToString::to_string).unwrap_or_default())
    };
    format!("{text}\n\nValues:{}", values.map(line).collect::<String>())
}
