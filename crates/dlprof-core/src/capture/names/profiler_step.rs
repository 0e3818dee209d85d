//! The steps of torch.profiler: `ProfilerStep#3`.

/// The number of a step, as its annotation has it.
#[must_use]
pub(crate) fn profiler_step(text: &str) -> Option<&str> {
    let number = text.strip_prefix("ProfilerStep")?.trim_start().strip_prefix('#')?.trim_start();
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::profiler_step;

    #[test]
    fn steps_have_numbers() {
        for (text, number) in [
            ("ProfilerStep#3", Some("3")),
            ("ProfilerStep # 12", Some("12")),
            ("ProfilerStep#", None),
            ("ProfilerStep#x", None),
            ("ProfilerStep", None),
            ("step#3", None),
        ] {
            assert_eq!(profiler_step(text), number, "{text}");
        }
    }
}
