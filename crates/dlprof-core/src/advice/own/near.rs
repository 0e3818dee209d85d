//! The name that a misspelt one was meant to be.

/// The most similar of some names; `None` if no name is similar.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Names with a smaller similarity are not meant.
    const LIKE: f64 = 0.8;
    let scored = known.into_iter().map(|known| (strsim::jaro_winkler(known, name), known));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= LIKE).then_some(best.1)
}
