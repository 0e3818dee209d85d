//! The letters that a terminal has.

/// The letters that a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Letters {
    /// All of them.
    #[default]
    Unicode,
    /// ASCII alone; other letters of names become `?`.
    Ascii,
}

/// The ASCII letters for one that is not.
pub(super) fn ascii_of(letter: char) -> Option<&'static str> {
    Some(match letter {
        '±' => "+/-",
        '→' => "->",
        '×' => "x",
        'µ' | 'μ' => "u",
        '…' => "..",
        '−' | '–' | '—' => "-",
        '·' => "|",
        '≥' => ">=",
        '≤' => "<=",
        '■' => "X",
        '▲' => "!",
        '○' => "o",
        '█' => "#",
        '░' => ":",
        '≈' => "~",
        '\u{a0}' => " ",
        '’' | '‘' => "'",
        '“' | '”' => "\"",
        _ => return None,
    })
}
