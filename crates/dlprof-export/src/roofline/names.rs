//! Names of points for pictures and lists: short, and different for kernels of one function.

use super::RooflineOf;
use crate::display::plain;
use dlprof_core::{Roofline, base_name};
use std::collections::BTreeMap;

/// Characters that tell kernels of one function apart.
const PIECE: usize = 11;
/// How many of these at most stand before the first difference.
const BEFORE: usize = 5;

/// Short names by name.
pub(super) struct ShortNames<'a> {
    short: BTreeMap<&'a str, String>,
}

impl<'a> ShortNames<'a> {
    /// Those of all points of a roofline.
    pub(super) fn new(roofline: &'a Roofline, of: RooflineOf) -> Self {
        let points = roofline.points.iter().map(|point| point.name.as_str());
        let names = points.chain(roofline.strip.iter().map(|point| point.name.as_str()));
        let mut short: BTreeMap<&str, String> = names.map(|name| (name, of.short(name))).collect();
        if of == RooflineOf::Kernels {
            let mut by_function: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for &name in short.keys() {
                by_function.entry(base_name(name)).or_default().push(name);
            }
            for (function, names) in by_function.into_iter().filter(|(_, names)| names.len() > 1) {
                for (name, piece) in pieces(function, &names) {
                    short.insert(name, plain(&format!("{function}\u{2026}{piece}")));
                }
            }
        }
        Self { short }
    }

    pub(super) fn of(&self, name: &str) -> &str {
        self.short.get(name).map_or("", String::as_str)
    }
}

/// What tells names of one function apart: of those that differ from their neighbours in the same way, where they differ themselves.
fn pieces<'a>(function: &str, names: &[&'a str]) -> BTreeMap<&'a str, String> {
    let mut pieces: BTreeMap<&str, String> = differences(function, names).into_iter().collect();
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (&name, piece) in &pieces {
        alike.entry(piece.clone()).or_default().push(name);
    }
    for names in alike.into_values().filter(|names| names.len() > 1) {
        pieces.extend(differences(function, &names));
    }
    pieces
}

/// Of names of one function, what is different from the next ones in order, after the function's own name.
fn differences<'a>(function: &str, names: &[&'a str]) -> Vec<(&'a str, String)> {
    let behind = |name: &'a str| name.find(function).map_or(name, |at| &name[at + function.len()..]);
    let mut sorted: Vec<(&'a str, &'a str)> = names.iter().map(|&name| (behind(name), name)).collect();
    sorted.sort_unstable();
    let common = |one: &str, other: &str| {
        one.char_indices()
            .zip(other.chars())
            .find(|((_, a), b)| a != b)
            .map_or(one.len().min(other.len()), |((at, _), _)| at)
    };
    let with_neighbours = |at: usize| {
        let before = at.checked_sub(1).map_or(0, |before| common(sorted[at].0, sorted[before].0));
        let after = sorted.get(at + 1).map_or(0, |after| common(sorted[at].0, after.0));
        before.max(after)
    };
    let piece = |at: usize| {
        let (text, name) = sorted[at];
        let same = &text[..with_neighbours(at)];
        let word = same.rfind(['<', ',', ' ', ':', '*']).map_or(0, |at| at + 1);
        let near = same.char_indices().rev().take(BEFORE).last().map_or(0, |(at, _)| at);
        let piece: String = text[word.max(near)..].chars().take(PIECE).collect();
        (name, piece.trim_end_matches([',', ' ']).to_owned())
    };
    (0..sorted.len()).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_one_function_are_told_apart() {
        let names = [
            "void at::f<4, at::Add<float>>(int)",
            "void at::f<4, at::Mul<float>>(int)",
            "void at::f<8, at::Add<float>>(int)",
            "void at::f<8, at::AVeryLongNameOfAFunctorWithoutEnd1>(int)",
            "void at::f<8, at::AVeryLongNameOfAFunctorWithoutEnd2>(int)",
            "f",
        ];
        let mut pieces: Vec<String> = pieces("f", &names).into_values().collect();
        assert!(pieces.contains(&"4, at::Add<".to_owned()), "{pieces:?}");
        pieces.sort();
        pieces.dedup();
        assert_eq!(pieces.len(), names.len(), "{pieces:?}");
    }
}
