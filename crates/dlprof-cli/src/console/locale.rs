//! Which letters the terminal shows.

use dlprof_export::Letters;

/// ASCII, unless the locale says UTF-8: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set decides.
pub(crate) fn letters() -> Letters {
    letters_of(|name| std::env::var(name).ok())
}

fn letters_of(variable: impl Fn(&str) -> Option<String>) -> Letters {
    if cfg!(windows) {
        return Letters::Unicode;
    }
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    if locale.contains("utf-8") || locale.contains("utf8") { Letters::Unicode } else { Letters::Ascii }
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let letters = |set: &[(&str, &str)]| {
            letters_of(|name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(letters(&[]), Letters::Ascii);
        assert_eq!(letters(&[("LANG", "de_DE.UTF-8")]), Letters::Unicode);
        assert_eq!(letters(&[("LANG", "C.utf8")]), Letters::Unicode);
        assert_eq!(letters(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]), Letters::Ascii);
        assert_eq!(
            letters(&[("LC_ALL", ""), ("LC_CTYPE", "POSIX"), ("LANG", "de_DE.UTF-8")]),
            Letters::Ascii
        );
    }
}
