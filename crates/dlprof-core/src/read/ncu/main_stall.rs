//! What warps waited for longest, over several launches.

/// The longest stalls of launches while they are added up. Of each launch only its own longest is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stalls {
    found: Vec<Stall>,
    /// Weight of the launches whose share is known.
    weight: f64,
}

#[derive(Debug, Clone)]
struct Stall {
    name: String,
    weight: f64,
    /// Its share in percent, times weight.
    share: f64,
}

impl Stalls {
    /// Adds launches that have a stall as their longest.
    pub(crate) fn push(&mut self, name: &str, percent: Option<f64>, weight: f64) {
        let share = percent.unwrap_or(0.0) * weight;
        self.weight += if percent.is_some() { weight } else { 0.0 };
        match self.found.iter_mut().find(|stall| stall.name == name) {
            Some(stall) => {
                stall.weight += weight;
                stall.share += share;
            }
            None => self.found.push(Stall { name: name.to_owned(), weight, share }),
        }
    }

    /// The stall with the largest share in all launches, and this share: where another one was longer, it counts as 0.
    pub(crate) fn top(&self) -> Option<(&str, Option<f64>)> {
        let order = |a: &&Stall, b: &&Stall| {
            a.share.total_cmp(&b.share).then(a.weight.total_cmp(&b.weight)).then_with(|| b.name.cmp(&a.name))
        };
        let top = self.found.iter().max_by(order)?;
        Some((&top.name, (self.weight > 0.0).then(|| top.share / self.weight)))
    }
}

#[cfg(test)]
mod tests {
    use super::Stalls;

    fn top(launches: &[(&str, Option<f64>, f64)]) -> Option<(String, Option<f64>)> {
        let mut stalls = Stalls::default();
        launches.iter().for_each(|(name, percent, weight)| stalls.push(name, *percent, *weight));
        stalls.top().map(|(name, percent)| (name.to_owned(), percent))
    }

    #[test]
    fn the_share_belongs_to_the_stall_that_is_named() {
        // Long scoreboard is on top for most of the time, but the barrier takes most of the waiting.
        assert_eq!(
            top(&[("long_scoreboard", Some(10.0), 60.0), ("barrier", Some(95.0), 40.0)]),
            Some(("barrier".into(), Some(38.0)))
        );
        assert_eq!(
            top(&[("wait", Some(20.0), 1.0), ("wait", Some(50.0), 2.0)]),
            Some(("wait".into(), Some(40.0)))
        );
    }

    #[test]
    fn a_stall_without_a_share_has_its_name() {
        assert_eq!(top(&[("wait", None, 1.0), ("barrier", None, 2.0)]), Some(("barrier".into(), None)));
        assert_eq!(top(&[]), None);
    }
}
