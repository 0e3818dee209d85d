//! Groups: ops that share a prefix of their names.
//!
//! ```text
//! op names     a/b/x   a/b/y   a/z   w
//! groups       _CompleteModel_ ──► a/ ──► a/b/         every group lies in one that comes before it
//! ```

use crate::base::ids::{GroupId, OpId};
use crate::base::op_path::prefixes;
use rustc_hash::FxHashMap;

/// Name of the group of all ops, loose ones included.
pub const COMPLETE_MODEL: &str = "_CompleteModel_";

/// The groups of an op: the prefixes of its name that end in `/`, as deep as they count, and the group of all ops.
pub(crate) fn groups_of(op_name: &str) -> impl Iterator<Item = &str> {
    prefixes(op_name).chain([COMPLETE_MODEL])
}

/// The position of the group of all ops.
const ALL: usize = 0;

/// All groups of a capture.
pub(crate) struct Groups<'a> {
    /// By group: its name, which is the beginning of the name of one of its ops.
    names: Vec<&'a str>,
    /// By group: the one it lies in; that of all ops lies in itself.
    parent: Vec<GroupId>,
    /// By op: its innermost group.
    of_op: Vec<GroupId>,
}

impl<'a> Groups<'a> {
    /// The groups of ops with these names.
    pub(crate) fn new(op_names: impl Iterator<Item = &'a str>) -> Self {
        let mut groups =
            Self { names: vec![COMPLETE_MODEL], parent: vec![GroupId::new(ALL)], of_op: Vec::new() };
        // By the group around it and the part that it adds, because its whole name is as long as it is deep.
        let mut known: FxHashMap<(GroupId, &str), GroupId> = FxHashMap::default();
        for op_name in op_names {
            let mut innermost = GroupId::new(ALL);
            let mut from = 0;
            for name in prefixes(op_name) {
                let around = innermost;
                innermost = *known.entry((around, &name[from..])).or_insert_with(|| {
                    groups.names.push(name);
                    groups.parent.push(around);
                    GroupId::new(groups.names.len() - 1)
                });
                from = name.len();
            }
            groups.of_op.push(innermost);
        }
        groups
    }
}

impl Groups<'_> {
    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The innermost group of an op.
    pub(crate) fn of_op(&self, op: OpId) -> GroupId {
        self.of_op[op.index()]
    }

    /// The group that a group lies in, whose id is smaller; none for that of all ops.
    pub(crate) fn parent(&self, group: GroupId) -> Option<GroupId> {
        (group.index() != ALL).then(|| self.parent[group.index()])
    }

    /// The name of each group.
    pub(crate) fn names(&self) -> &[&str] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_lies_in_one_before_it() {
        let groups = Groups::new(["a/b/x", "a/b/y", "w", "/c/z", "a/z"].into_iter());
        assert_eq!(groups.names, [COMPLETE_MODEL, "a/", "a/b/", "/", "/c/"]);
        for (op, name) in ["a/b/x", "a/b/y", "w", "/c/z", "a/z"].into_iter().enumerate() {
            let mut chain = Vec::new();
            let mut at = Some(groups.of_op(OpId::new(op)));
            while let Some(group) = at {
                chain.push(groups.names[group.index()]);
                at = groups.parent(group);
                assert!(at.is_none_or(|parent| parent < group));
            }
            chain.sort_unstable();
            let mut expected: Vec<&str> = groups_of(name).collect();
            expected.sort_unstable();
            assert_eq!(chain, expected);
        }
    }
}
