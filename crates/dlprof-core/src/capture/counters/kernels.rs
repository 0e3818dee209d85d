//! The kernels of a capture as the join asks for them: by normal name and size, in the order in which they were launched.

use super::names::{base_of, is_bare, name_in_log, normal_name, without_numbers, without_ranges};
use crate::base::ids::{OpCallId, StrId, WorkId};
use crate::capture::CaptureContents;
use crate::read::facts::GraphOrigin;
use crate::read::ncu::NcuLaunch;
use rustc_hash::FxHashMap;

/// A normal or a base name.
pub(super) type NameId = u32;

/// Names, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    ids: FxHashMap<String, NameId>,
}

impl Names {
    pub(super) fn id(&mut self, name: &str) -> NameId {
        let next = NameId::try_from(self.ids.len()).unwrap_or(NameId::MAX);
        match self.ids.get(name) {
            Some(id) => *id,
            None => *self.ids.entry(name.to_owned()).or_insert(next),
        }
    }
}

/// Grid and block, or how many blocks and threads, where a log has only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Size {
    Sides([u64; 3], [u64; 3]),
    Totals(Option<u64>, Option<u64>),
}

/// A kernel that was launched.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    pub(super) work: WorkId,
    pub(super) normal: NameId,
    pub(super) base: NameId,
    pub(super) grid: [u64; 3],
    pub(super) block: [u64; 3],
    pub(super) device: i64,
    pub(super) ns: u64,
}

impl Kernel {
    pub(super) fn size(&self, has_sides: bool) -> Size {
        let product = |sides: [u64; 3]| sides.iter().try_fold(1_u64, |all, side| all.checked_mul(*side));
        match has_sides {
            true => Size::Sides(self.grid, self.block),
            false => Size::Totals(product(self.grid), product(self.block)),
        }
    }
}

/// All kernels but whole launches of graphs, in order of launch.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) list: Vec<Kernel>,
    pub(super) names: Names,
    /// By text of the capture: its normal and its base name.
    pub(super) by_text: FxHashMap<StrId, (NameId, NameId)>,
    /// By mangled name: the text of the capture.
    by_mangled: FxHashMap<String, StrId>,
}

impl Kernels {
    pub(super) fn of(capture: &CaptureContents) -> Self {
        let mut names = Names::default();
        let mut by_text: FxHashMap<StrId, (NameId, NameId)> = FxHashMap::default();
        let mut list = Vec::new();
        for kernel in 0..capture.kernels.len() {
            let work = WorkId::new(kernel);
            let text = capture.kernels.long_name[work];
            let (normal, base) = *by_text.entry(text).or_insert_with(|| {
                let name = capture.strings.get(text);
                let normal = normal_name(if name.starts_with("_Z") { name_in_log(name, &[]) } else { name });
                (names.id(&normal), names.id(base_of(&normal)))
            });
            if capture.kernels.graph[work] == GraphOrigin::WholeGraph {
                continue;
            }
            let config = capture.launch_config(work);
            let sides = |sides: [i64; 3]| sides.map(|side| u64::try_from(side).unwrap_or(0));
            let span = capture.work.span[work];
            list.push(Kernel {
                work,
                normal,
                base,
                grid: sides(config.grid),
                block: sides(config.block),
                device: capture.devices[capture.work.device[work].index()].device_id,
                ns: u64::try_from(span.length()).unwrap_or(0),
            });
        }
        let order = |kernel: &Kernel| {
            let start = capture.work.span[kernel.work].start;
            let api = capture.launches.api[kernel.work].some();
            (api.map_or(start, |api| capture.api_calls.span[api].start), start, kernel.work)
        };
        list.sort_by_cached_key(order);
        let mangled = capture.mangled_names.iter();
        let by_mangled =
            mangled.map(|&(long, mangled)| (capture.strings.get(mangled).to_owned(), long)).collect();
        Self { list, names, by_text, by_mangled }
    }

    /// The names of a launch of a log.
    pub(super) fn names_of(&mut self, launch: &NcuLaunch) -> NamesOfLaunch {
        let name = name_in_log(&launch.kernel_name, &launch.ranges);
        let text = self.by_mangled.get(without_ranges(&launch.kernel_name, &launch.ranges));
        if let Some(&(normal, base)) = text.and_then(|text| self.by_text.get(text)) {
            return NamesOfLaunch { base, normal, is_bare: false };
        }
        let normal = normal_name(name);
        NamesOfLaunch {
            base: self.names.id(base_of(&normal)),
            normal: self.names.id(&normal),
            is_bare: is_bare(name),
        }
    }
}

/// The names of a launch of a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamesOfLaunch {
    pub(super) normal: NameId,
    pub(super) base: NameId,
    pub(super) is_bare: bool,
}

/// The op calls of kernels, as parts of their names without numbers.
pub(super) struct OpParts {
    owners: FxHashMap<WorkId, StrId>,
    parts: FxHashMap<StrId, Vec<String>>,
}

impl OpParts {
    pub(super) fn of(capture: &CaptureContents) -> Self {
        let mut owners = FxHashMap::default();
        let mut parts: FxHashMap<StrId, Vec<String>> = FxHashMap::default();
        for call in 0..capture.op_calls.len() {
            let name = capture.label_of(OpCallId::new(call)).name;
            for work in capture.work_by_call.get(call) {
                owners.insert(*work, name);
                parts
                    .entry(name)
                    .or_insert_with(|| capture.names.get(name).split('/').map(without_numbers).collect());
            }
        }
        Self { owners, parts }
    }

    /// The parts of the name of a kernel's op, outermost first.
    pub(super) fn of_kernel(&self, kernel: &Kernel) -> &[String] {
        let parts = self.owners.get(&kernel.work).and_then(|name| self.parts.get(name));
        parts.map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use crate::base::ids::WorkId;
    use crate::capture::counters::NcuLevel;
    use crate::tests::drawn::Drawn;

    /// Both kernels have one base name and one size; the mangled name tells them apart.
    #[test]
    fn a_mangled_name_is_that_of_one_kernel() {
        let mut drawn = Drawn::new();
        drawn.mangled("void f<int>(int *)", "_Z1fIiEvPT_").mangled("void f<float>(float *)", "_Z1fIfEvPT_");
        drawn.launch(0..1, "void f<int>(int *)", 10..20).launch(2..3, "void f<float>(float *)", 20..30);
        let log = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"dram__bytes_read.sum\"\n\
                   \"\",\"\",\"\",\"\",\"\",\"byte\"\n\
                   \"0\",\"_Z1fIfEvPT_\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"0\",\"5\"\n";
        let capture = drawn.capture_counted(log);
        let counters = capture.counters.as_ref().expect("counters");
        let levels = [0, 1].map(|kernel| counters.level(WorkId::new(kernel)));
        assert_eq!(levels, [NcuLevel::None, NcuLevel::Launch]);
    }
}
