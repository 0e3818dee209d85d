//! Whether savings of findings overlap, so that they do not add up.

use super::detect::rule_of;
use super::rule::TimeOf;

/// Whether two savings may come from the same time, of findings that state one, given by their ids. Those of a user's rule may come
/// from any.
#[must_use]
pub fn savings_overlap<'a>(ids: impl IntoIterator<Item = &'a str>) -> bool {
    let mut seen: Vec<TimeOf> = Vec::new();
    let mut number = 0;
    for id in ids {
        number += 1;
        let times = rule_of(id).map_or(&[][..], |rule| rule.saves_from);
        if number > 1 && (times.is_empty() || seen.is_empty() || times.iter().any(|time| seen.contains(time)))
        {
            return true;
        }
        seen.extend(times);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::savings_overlap;

    #[test]
    fn savings_overlap_only_where_they_come_from_the_same_time() {
        let disjoint = ["cpu_work_between", "fp64_math", "exposed_copies", "unexplained_idle"];
        assert!(!savings_overlap(disjoint), "idle time, kernels, copies");
        assert!(!savings_overlap(["fp32_matrix"]), "one alone");
        assert!(savings_overlap(["fp32_matrix", "cpu_work_between", "tail_heavy"]), "kernels, twice");
        assert!(savings_overlap(["launch_bound", "sync_in_step"]), "idle time in short gaps, twice");
        assert!(savings_overlap(["fp32_matrix", "a_rule_of_a_user"]), "nobody knows");
        assert!(savings_overlap(["a_rule_of_a_user", "fp32_matrix"]), "nobody knows");
    }
}
