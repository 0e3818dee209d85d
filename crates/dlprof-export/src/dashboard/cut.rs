//! Names that are too long for their room.

use super::paper::Paper;
use crate::text::{take_columns, width};
use std::collections::BTreeMap;

impl Paper {
    /// A name of at most `columns`. It loses its middle; the last part of a path, or what stands in `<…>` after a name, stays
    /// whole where that fits.
    pub(super) fn cut(self, name: &str, columns: usize) -> String {
        self.cut_in(name, columns, Cut::BeforeLastPart)
    }

    /// Words of at most `columns`, of which both ends matter.
    pub(super) fn cut_in_the_middle(self, words: &str, columns: usize) -> String {
        self.cut_in(words, columns, Cut::AtHalf)
    }

    fn cut_in(self, name: &str, columns: usize, way: Cut) -> String {
        let name = self.text(name);
        if width(&name) <= columns {
            return name;
        }
        let ellipsis = self.ellipsis();
        let room = columns.saturating_sub(width(ellipsis));
        let last_part = name.rfind(" <").or_else(|| name.rfind('/')).map_or(0, |at| width(&name[at..]));
        let head = match way {
            Cut::BeforeLastPart if last_part > 0 && last_part + 3 <= room => room - last_part,
            Cut::AtStart => room.min(3),
            Cut::BeforeLastPart | Cut::AtThird => room / 3,
            Cut::AtHalf => room / 2,
            Cut::AtTwoThirds => room * 2 / 3,
            Cut::AtEnd => room,
        };
        let head = take_columns(name.chars(), head);
        let tail = take_columns(name.chars().rev(), room - width(&head));
        format!("{head}{ellipsis}{}", tail.chars().rev().collect::<String>())
    }

    /// Names of at most `columns`; cut so that different names look different, where there is a way.
    pub(super) fn cut_apart(self, names: &[&str], columns: usize) -> Vec<String> {
        let cut = |way| names.iter().map(|name| self.cut_in(name, columns, way)).collect::<Vec<String>>();
        let mut best: Option<(usize, Vec<String>)> = None;
        for way in Cut::ALL {
            let shown = cut(way);
            let clashes = clashes(names, &shown);
            if best.as_ref().is_none_or(|(least, _)| clashes < *least) {
                best = Some((clashes, shown));
            }
            if clashes == 0 {
                break;
            }
        }
        let (clashes, mut shown) = best.unwrap_or_default();
        if clashes > 0 {
            self.show_differences(names, &mut shown, columns);
        }
        shown
    }

    /// Where names look alike that differ, shows their start and the part from which on they differ. Some may differ later than
    /// others, so this is done a few times.
    fn show_differences(self, names: &[&str], shown: &mut [String], columns: usize) {
        const TIMES: usize = 3;
        for _ in 0..TIMES {
            let mut alike: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            shown.iter().enumerate().for_each(|(at, shown)| alike.entry(shown).or_default().push(at));
            let differ = |places: &Vec<usize>| places.iter().any(|&at| names[at] != names[places[0]]);
            let groups: Vec<Vec<usize>> = alike.into_values().filter(differ).collect();
            if groups.is_empty() {
                return;
            }
            for places in groups {
                let common = places.iter().map(|&at| common_start(names[places[0]], names[at]));
                // A name that begins another one differs where it ends.
                let common = common.filter(|&letters| letters < names[places[0]].chars().count()).min();
                for &at in &places {
                    shown[at] = self.cut_before(names[at], common.unwrap_or(0), columns);
                }
            }
        }
    }

    /// A name of at most `columns`: its start, and what follows from shortly before a letter on.
    fn cut_before(self, name: &str, letter: usize, columns: usize) -> String {
        const BEFORE: usize = 8;
        let name = self.text(name);
        let ellipsis = self.ellipsis();
        let room = columns.saturating_sub(2 * width(ellipsis));
        let head = take_columns(name.chars(), room / 4);
        let from = letter.saturating_sub(BEFORE).max(head.chars().count());
        let rest = name.chars().skip(from);
        let (room, all) = (room - width(&head), rest.clone().collect::<String>());
        if width(&all) <= room + width(ellipsis) {
            return format!("{head}{ellipsis}{all}");
        }
        format!("{head}{ellipsis}{}{ellipsis}", take_columns(rest, room))
    }
}

/// How many letters two names have in common before the first that differs.
fn common_start(one: &str, other: &str) -> usize {
    if one == other {
        return usize::MAX;
    }
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

/// Where a name loses letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    BeforeLastPart,
    AtStart,
    AtThird,
    AtHalf,
    AtTwoThirds,
    AtEnd,
}

impl Cut {
    /// All ways, the best one first.
    const ALL: [Self; 6] =
        [Self::BeforeLastPart, Self::AtStart, Self::AtThird, Self::AtHalf, Self::AtTwoThirds, Self::AtEnd];
}

/// How many names look like another one, though they are not.
fn clashes(names: &[&str], shown: &[String]) -> usize {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let mut clashes = 0;
    for (name, shown) in names.iter().zip(shown) {
        clashes += usize::from(seen.entry(shown).or_insert(name) != name);
    }
    clashes
}

#[cfg(test)]
mod tests {
    use super::super::letters::Letters;
    use super::*;
    use proptest::prelude::*;

    const PAPER: Paper = Paper { columns: 100, letters: Letters::Unicode };
    const ASCII: Paper = Paper { columns: 100, letters: Letters::Ascii };

    #[test]
    fn names_keep_what_tells_them_apart() {
        assert_eq!(PAPER.cut("short", 10), "short");
        assert_eq!(
            PAPER.cut("/forward/scaled dot product/computing softmax", 26),
            "/forwar…/computing softmax"
        );
        assert_eq!(
            ASCII.cut("/forward/scaled dot product/computing softmax", 26),
            "/forwa../computing softmax"
        );
        assert_eq!(PAPER.cut("ampere_sgemm_128x32_sliced1x4_nn", 20), "ampere…_sliced1x4_nn");
        let alike = ["kernel_first_of_them_all_here", "kernel_other_of_them_all_here"];
        let shown = PAPER.cut_apart(&alike, 20);
        assert_ne!(shown[0], shown[1]);
        // They differ in the middle, and two of them after that.
        let tiles = [
            "64x256x8_stage3_aligna4_execute",
            "128x128x8_stage3_aligna4_execute",
            "64x256x8_stage3_aligna4_split_k",
        ];
        let tiles =
            tiles.map(|tile| format!("sm80_xmma_gemm_f32f32_f32f32_tilesize{tile}_kernel__5x_cublas"));
        let names: Vec<&str> = tiles.iter().map(String::as_str).chain(["reduce_kernel"]).collect();
        for paper in [PAPER, ASCII] {
            let shown = paper.cut_apart(&names, 34);
            assert_eq!(clashes(&names, &shown), 0, "{shown:?}");
            assert!(shown.iter().all(|name| width(name) <= 34), "{shown:?}");
            assert!(shown[1].starts_with("sm80_xm") && shown[1].contains("128x128x8"), "{shown:?}");
            assert_eq!(shown[3], "reduce_kernel");
        }
    }

    proptest! {
        #[test]
        fn cut_names_fit(name in "[a-z/模é_]{0,60}", columns in 3_usize..50) {
            prop_assert!(width(&PAPER.cut(&name, columns)) <= columns);
            prop_assert!(width(&ASCII.cut(&name, columns)) <= columns);
        }
    }
}
