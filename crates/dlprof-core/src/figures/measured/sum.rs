//! Launches that were measured, added up.

use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;
use crate::capture::counters::{Measured, NcuLevel};
use crate::figures::gpu::Peaks;
use crate::read::ncu::{FlopSource, NcuBound, NcuFigures, Stalls, TensorPrecision};

/// What launches have in common that were added up. What is unknown is none.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the names say it, with the unit")]
pub struct MeasuredFigures {
    /// The least sure level among them.
    pub level: Option<NcuLevel>,
    /// Share of the time with counts: of FLOP and of bytes the smaller one, where both are known of any launch.
    pub counted_percent: f64,
    /// Of the launches whose FLOP are known.
    pub flop: Option<f64>,
    /// Share of these in the time.
    pub flop_percent: f64,
    pub flop_source: Option<FlopSource>,
    /// Of the launches whose bytes are known.
    pub dram_bytes: Option<f64>,
    /// Share of these in the time.
    pub bytes_percent: f64,
    /// Of the launches whose FLOP and bytes are both known, as is `roof_percent`.
    pub intensity: Option<f64>,
    pub tflop_per_s: Option<f64>,
    pub gb_per_s: Option<f64>,
    pub dram_percent: Option<f64>,
    pub sm_percent: Option<f64>,
    pub memory_percent: Option<f64>,
    pub bound: Option<NcuBound>,
    pub roof_percent: Option<f64>,
    pub achieved_occupancy_percent: Option<f64>,
    pub theoretical_occupancy_percent: Option<f64>,
    pub waves: Option<f64>,
    pub issue_active_percent: Option<f64>,
    pub tensor_active_percent: Option<f64>,
    /// Whether any launch ran on Tensor Cores, as it was measured.
    pub tensor_cores: Option<bool>,
    pub sectors_per_request_ld: Option<f64>,
    pub sectors_per_request_st: Option<f64>,
    pub sector_use_percent_ld: Option<f64>,
    pub sector_use_percent_st: Option<f64>,
    /// Of loads and stores together, each with its sectors.
    pub sector_use_percent: Option<f64>,
    pub top_stall: Option<String>,
    /// Its share in all launches: at least so much, for of each launch only its own longest stall is known.
    pub top_stall_percent: Option<f64>,
    pub spread_percent: Option<f64>,
}

/// What a GPU can do, for the shares of roofs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roofs {
    pub(crate) bytes_per_s: Option<f64>,
    pub(crate) fp32: Option<f64>,
    pub(crate) fp64: Option<f64>,
    pub(crate) fp16: Option<f64>,
    pub(crate) tensor: Vec<(TensorPrecision, f64)>,
}

impl Roofs {
    /// From the peaks of a GPU. Vector units compute two halves at the rate of one FP32 number.
    pub(crate) fn of_peaks(peaks: &Peaks) -> Self {
        let tera = |peak: Option<f64>| peak.map(|peak| peak * 1e12);
        let tensor = [
            (TensorPrecision::Bf16, peaks.bf16),
            (TensorPrecision::Fp16, peaks.fp16),
            (TensorPrecision::Tf32, peaks.tf32),
            (TensorPrecision::Fp64, peaks.fp64_matrix),
            (TensorPrecision::Fp8, peaks.fp8),
            (TensorPrecision::Int8, peaks.int8),
        ];
        let tensor = tensor.into_iter().filter_map(|(precision, peak)| Some((precision, tera(peak)?)));
        Self {
            bytes_per_s: peaks.gb_per_s.map(|peak| peak * 1e9),
            fp32: tera(peaks.fp32),
            fp64: tera(peaks.fp64),
            fp16: tera(peaks.fp32).map(|peak| 2.0 * peak),
            tensor: tensor.collect(),
        }
    }

    /// From a launch itself, at the clocks of `ncu`.
    pub(crate) fn of_launch(figures: &NcuFigures) -> Self {
        Self {
            bytes_per_s: figures.dram_roof_bytes_per_s,
            fp32: figures.fp32_roof_flop_per_s,
            fp64: figures.fp64_roof_flop_per_s,
            fp16: figures.fp16_roof_flop_per_s,
            tensor: figures.tensor_roofs_flop_per_s.clone(),
        }
    }

    /// Takes the larger of each.
    pub(crate) fn widen(&mut self, other: &Self) {
        let larger =
            |one: Option<f64>, other: Option<f64>| [one, other].into_iter().flatten().reduce(f64::max);
        self.bytes_per_s = larger(self.bytes_per_s, other.bytes_per_s);
        self.fp32 = larger(self.fp32, other.fp32);
        self.fp64 = larger(self.fp64, other.fp64);
        self.fp16 = larger(self.fp16, other.fp16);
        for (precision, roof) in &other.tensor {
            match self.tensor.iter_mut().find(|(known, _)| known == precision) {
                Some((_, known)) => *known = known.max(*roof),
                None => self.tensor.push((*precision, *roof)),
            }
        }
    }

    pub(crate) fn tensor(&self, precision: TensorPrecision) -> Option<f64> {
        self.tensor.iter().find(|(known, _)| *known == precision).map(|(_, roof)| *roof)
    }
}

/// Figures that are means by weight.
const MEANS: [fn(&NcuFigures) -> Option<f64>; 12] = [
    |figures| figures.dram_percent,
    |figures| figures.sm_percent,
    |figures| figures.memory_percent,
    |figures| figures.achieved_occupancy_percent,
    |figures| figures.theoretical_occupancy_percent,
    |figures| figures.waves,
    |figures| figures.issue_active_percent,
    |figures| figures.tensor_active_percent,
    |figures| figures.sectors_per_request_ld,
    |figures| figures.sectors_per_request_st,
    |figures| figures.sector_use_percent_ld,
    |figures| figures.sector_use_percent_st,
];

/// Launches that are added at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launches {
    pub(crate) calls: u64,
    /// Their time; none where a log lacks it.
    pub(crate) ns: Option<Ns>,
    /// What they weigh in means.
    pub(crate) weight: f64,
}

impl Launches {
    /// One launch of a capture, which weighs as much as it runs.
    pub(crate) fn of_capture(ns: Ns) -> Self {
        Self { calls: 1, ns: Some(ns), weight: to_f64(ns) }
    }
}

/// An amount, added up over the launches of which it is known.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    sum: Option<f64>,
    weight: f64,
    /// Of those whose time is known, and that time.
    timed: f64,
    ns: f64,
}

impl Amount {
    fn push(&mut self, of_each: f64, launches: Launches) {
        let count = count_to_f64(launches.calls);
        self.sum = Some(of_each.mul_add(count, self.sum.unwrap_or(0.0)));
        self.weight += launches.weight;
        if let Some(ns) = launches.ns {
            self.timed = of_each.mul_add(count, self.timed);
            self.ns += to_f64(ns);
        }
    }

    fn per_s(&self) -> Option<f64> {
        (self.ns > 0.0).then(|| self.timed / (self.ns * 1e-9))
    }

    fn percent_of(&self, weight: f64) -> f64 {
        if weight > 0.0 { 100.0 * self.weight / weight } else { 0.0 }
    }
}

/// Launches of which FLOP and bytes are known.
#[derive(Debug, Clone, Default)]
struct Both {
    flop: Amount,
    bytes: Amount,
    /// FLOP on vector pipes of FP32, FP64 and FP16, of those whose time is known.
    vector: [f64; 3],
    tensor: Vec<(TensorPrecision, f64)>,
}

impl Both {
    fn push(&mut self, (flop, bytes): (f64, f64), figures: &NcuFigures, launches: Launches) {
        self.flop.push(flop, launches);
        self.bytes.push(bytes, launches);
        if launches.ns.is_none() {
            return;
        }
        let count = count_to_f64(launches.calls);
        let vector = [figures.fp32_flop, figures.fp64_flop, figures.fp16_flop];
        for (sum, flop) in self.vector.iter_mut().zip(vector) {
            *sum = flop.unwrap_or(0.0).mul_add(count, *sum);
        }
        for (precision, flop) in figures.tensor_flop.iter().flatten() {
            match self.tensor.iter_mut().find(|(known, _)| known == precision) {
                Some((_, sum)) => *sum += flop * count,
                None => self.tensor.push((*precision, flop * count)),
            }
        }
    }

    fn intensity(&self) -> Option<f64> {
        self.bytes.sum.filter(|bytes| *bytes > 0.0).and_then(|bytes| Some(self.flop.sum? / bytes))
    }

    /// FLOP over time and roof of every precision, and bytes over time and bandwidth, the larger one. Unknown if a roof is.
    fn roof_percent(&self, roofs: &Roofs) -> Option<f64> {
        let by_bytes = self.bytes.per_s()? / roofs.bytes_per_s?;
        let vector =
            self.vector.iter().zip([roofs.fp32, roofs.fp64, roofs.fp16]).map(|(flop, roof)| (*flop, roof));
        let tensor = self.tensor.iter().map(|(precision, flop)| (*flop, roofs.tensor(*precision)));
        let mut by_flop = 0.0;
        for (flop, roof) in vector.chain(tensor).filter(|(flop, _)| *flop > 0.0) {
            by_flop += flop / (self.flop.ns * 1e-9 * roof?);
        }
        Some(100.0 * f64::max(by_bytes, by_flop))
    }
}

/// Launches while they are added up.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeasuredSum {
    pub(crate) calls: u64,
    pub(crate) ns: Ns,
    weight: f64,
    level: Option<NcuLevel>,
    flop: Amount,
    flop_source: Option<FlopSource>,
    bytes: Amount,
    both: Both,
    means: [(f64, f64); MEANS.len()],
    /// Sectors that moved, and those of them that threads used.
    sectors: [f64; 2],
    stalls: Stalls,
    tensor_cores: Option<bool>,
    spread_percent: Option<f64>,
}

impl MeasuredSum {
    /// Adds launches that were measured, or were not.
    pub(crate) fn push(&mut self, launches: Launches, measured: Option<&Measured>) {
        // Numbers of logs may be anything.
        self.calls = self.calls.saturating_add(launches.calls);
        self.ns = self.ns.saturating_add(launches.ns.unwrap_or(0));
        self.weight += launches.weight;
        let level = measured.map_or(NcuLevel::None, |measured| measured.level);
        self.level = Some(self.level.map_or(level, |known| known.max(level)));
        let Some(measured) = measured else { return };
        let figures = &measured.figures;
        if let Some(is_used) = figures.tensor_cores {
            self.tensor_cores = Some(self.tensor_cores.unwrap_or(false) || is_used);
        }
        for (mean, value) in self.means.iter_mut().zip(MEANS) {
            if let Some(value) = value(figures) {
                mean.0 = value.mul_add(launches.weight, mean.0);
                mean.1 += launches.weight;
            }
        }
        if let Some(stall) = &figures.top_stall {
            self.stalls.push(stall, figures.top_stall_percent, launches.weight);
        }
        if !measured.level.has_counts() {
            return;
        }
        self.spread_percent =
            [self.spread_percent, measured.spread_percent].into_iter().flatten().reduce(f64::max);
        if let Some(of_each) = figures.sectors() {
            for (sum, sectors) in self.sectors.iter_mut().zip(of_each) {
                *sum = sectors.mul_add(count_to_f64(launches.calls), *sum);
            }
        }
        if let Some(bytes) = figures.dram_bytes {
            self.bytes.push(bytes, launches);
        }
        if let Some(flop) = figures.flop {
            self.flop.push(flop, launches);
            if let Some(source) = figures.flop_source() {
                self.flop_source = Some(self.flop_source.map_or(source, |known| known.with(source)));
            }
        }
        if let Some(both) = figures.flop.zip(figures.dram_bytes) {
            self.both.push(both, figures, launches);
        }
    }

    /// What follows.
    pub(crate) fn figures(&self, roofs: &Roofs) -> MeasuredFigures {
        let mean = |place: usize| {
            let (sum, weight) = self.means[place];
            (weight > 0.0).then(|| sum / weight)
        };
        let percent = |amount: &Amount| amount.percent_of(self.weight);
        let counted = [self.flop, self.bytes]
            .iter()
            .filter(|amount| amount.sum.is_some())
            .map(percent)
            .reduce(f64::min);
        let [moved, used] = self.sectors;
        let (sm_percent, memory_percent, waves) = (mean(1), mean(2), mean(5));
        let stall = self.stalls.top();
        MeasuredFigures {
            level: self.level,
            counted_percent: counted.unwrap_or(0.0),
            flop: self.flop.sum,
            flop_percent: percent(&self.flop),
            flop_source: self.flop_source,
            dram_bytes: self.bytes.sum,
            bytes_percent: percent(&self.bytes),
            intensity: self.both.intensity(),
            tflop_per_s: self.flop.per_s().map(|rate| rate * 1e-12),
            gb_per_s: self.bytes.per_s().map(|rate| rate * 1e-9),
            dram_percent: mean(0),
            sm_percent,
            memory_percent,
            bound: NcuBound::of(sm_percent, memory_percent, waves),
            roof_percent: self.both.roof_percent(roofs),
            achieved_occupancy_percent: mean(3),
            theoretical_occupancy_percent: mean(4),
            waves,
            issue_active_percent: mean(6),
            tensor_active_percent: mean(7),
            tensor_cores: self.tensor_cores,
            sectors_per_request_ld: mean(8),
            sectors_per_request_st: mean(9),
            sector_use_percent_ld: mean(10),
            sector_use_percent_st: mean(11),
            sector_use_percent: (moved > 0.0).then(|| 100.0 * used / moved),
            top_stall: stall.map(|(name, _)| name.to_owned()),
            top_stall_percent: stall.and_then(|(_, percent)| percent),
            spread_percent: self.spread_percent,
        }
    }
}
