//! The figures of several launches as those of one.

use super::launch_figures::{FlopSource, NcuBound, NcuFigures, TensorPrecision};
use super::main_stall::Stalls;

/// Does the same for every figure that is a plain number.
macro_rules! each_number {
    ($for_each:ident) => {
        $for_each!(
            duration_ns sm_hz sm_cycles sm_active_cycles dram_read_bytes dram_write_bytes dram_bytes l2_bytes l1_bytes
            fp32_flop fp64_flop fp16_flop flop sm_percent memory_percent dram_percent l2_percent l1_percent
            achieved_occupancy_percent theoretical_occupancy_percent waves issue_active_percent tensor_active_percent
            tensor_elapsed_percent sectors_ld sectors_st sectors_per_request_ld sectors_per_request_st sector_use_percent_ld
            sector_use_percent_st dram_roof_bytes_per_s fp32_roof_flop_per_s fp64_roof_flop_per_s fp16_roof_flop_per_s
        )
    };
}

impl NcuFigures {
    /// The mean of launches, each with its weight. What only some of them have is the mean of these.
    #[must_use]
    pub fn mean(launches: &[(&Self, f64)]) -> Self {
        if let [(only, _)] = launches {
            return (*only).clone();
        }
        let mut mean = Self::default();
        let of = |value: fn(&Self) -> Option<f64>| {
            let known = launches.iter().filter_map(|(figures, weight)| Some((value(figures)?, *weight)));
            let (sum, weights) = known
                .fold((0.0, 0.0), |(sum, all), (value, weight)| (value.mul_add(weight, sum), all + weight));
            (weights > 0.0).then(|| sum / weights)
        };
        macro_rules! take_mean {
            ($($figure:ident)*) => {$(mean.$figure = of(|figures| figures.$figure);)*};
        }
        each_number!(take_mean);
        let source = |value: fn(&Self) -> Option<FlopSource>| {
            launches.iter().filter_map(|(figures, _)| value(figures)).reduce(FlopSource::with)
        };
        mean.fp32_flop_source = source(|figures| figures.fp32_flop_source);
        mean.fp64_flop_source = source(|figures| figures.fp64_flop_source);
        mean.fp16_flop_source = source(|figures| figures.fp16_flop_source);
        mean.tensor_flop_source = source(|figures| figures.tensor_flop_source);
        mean.tensor_flop = mean_by_precision(launches);
        let answers = || launches.iter().filter_map(|(figures, _)| figures.tensor_cores);
        mean.tensor_cores = answers().reduce(|one, other| one || other);
        let decides =
            |figures: &Self| figures.tensor_cores.is_some() && figures.tensor_cores == mean.tensor_cores;
        let decisive = launches.iter().find(|(figures, _)| decides(figures));
        mean.tensor_cores_evidence = decisive.and_then(|(figures, _)| figures.tensor_cores_evidence);
        for (figures, _) in launches {
            for lacking in &figures.flop_lacks {
                if !mean.flop_lacks.contains(lacking) {
                    mean.flop_lacks.push(lacking.clone());
                }
            }
            for (precision, roof) in &figures.tensor_roofs_flop_per_s {
                let roofs = &mut mean.tensor_roofs_flop_per_s;
                match roofs.iter_mut().find(|(known, _)| known == precision) {
                    Some((_, known)) => *known = known.max(*roof),
                    None => roofs.push((*precision, *roof)),
                }
            }
        }
        let mut stalls = Stalls::default();
        for (figures, weight) in launches {
            if let Some(stall) = &figures.top_stall {
                stalls.push(stall, figures.top_stall_percent, *weight);
            }
        }
        if let Some((stall, percent)) = stalls.top() {
            (mean.top_stall, mean.top_stall_percent) = (Some(stall.to_owned()), percent);
        }
        mean.bound = NcuBound::of(mean.sm_percent, mean.memory_percent, mean.waves);
        mean
    }

    /// Adds what these figures lack and others have.
    pub fn complete(&mut self, other: &Self) {
        if self.flop.is_none() && other.flop.is_some() {
            self.fp32_flop = None;
            self.fp64_flop = None;
            self.fp16_flop = None;
            self.tensor_flop = other.tensor_flop.clone();
            self.tensor_flop_source = other.tensor_flop_source;
            self.fp32_flop_source = other.fp32_flop_source;
            self.fp64_flop_source = other.fp64_flop_source;
            self.fp16_flop_source = other.fp16_flop_source;
            self.flop_lacks.clone_from(&other.flop_lacks);
        }
        macro_rules! take_missing {
            ($($figure:ident)*) => {$(self.$figure = self.$figure.or(other.$figure);)*};
        }
        each_number!(take_missing);
        if self.tensor_cores.is_none() {
            self.tensor_cores = other.tensor_cores;
            self.tensor_cores_evidence = other.tensor_cores_evidence;
        }
        if self.top_stall.is_none() {
            self.top_stall.clone_from(&other.top_stall);
            self.top_stall_percent = other.top_stall_percent;
        }
        if self.tensor_roofs_flop_per_s.is_empty() {
            self.tensor_roofs_flop_per_s.clone_from(&other.tensor_roofs_flop_per_s);
        }
        self.bound = self.bound.or_else(|| NcuBound::of(self.sm_percent, self.memory_percent, self.waves));
    }

    /// What holds for the code whatever its size: percentages and the use of Tensor Cores.
    #[must_use]
    pub(crate) fn without_counts(&self) -> Self {
        Self {
            duration_ns: None,
            sm_cycles: None,
            sm_active_cycles: None,
            dram_read_bytes: None,
            dram_write_bytes: None,
            dram_bytes: None,
            l2_bytes: None,
            l1_bytes: None,
            fp32_flop: None,
            fp64_flop: None,
            fp16_flop: None,
            tensor_flop: None,
            flop: None,
            flop_lacks: Vec::new(),
            waves: None,
            sectors_ld: None,
            sectors_st: None,
            ..self.clone()
        }
    }

    /// The use of Tensor Cores alone, which also counters of another GPU tell.
    #[must_use]
    pub(crate) fn tensor_use_alone(&self) -> Self {
        Self {
            tensor_cores: self.tensor_cores,
            tensor_cores_evidence: self.tensor_cores_evidence,
            ..Self::default()
        }
    }
}

/// FLOP on Tensor Cores by precision, in the mean of the launches that know them.
fn mean_by_precision(launches: &[(&NcuFigures, f64)]) -> Option<Vec<(TensorPrecision, f64)>> {
    let mut sums: Vec<(TensorPrecision, f64)> = Vec::new();
    let mut weights = 0.0;
    for (figures, weight) in launches {
        let Some(parts) = &figures.tensor_flop else { continue };
        weights += weight;
        for (precision, flop) in parts {
            match sums.iter_mut().find(|(known, _)| known == precision) {
                Some((_, sum)) => *sum += flop * weight,
                None => sums.push((*precision, flop * weight)),
            }
        }
    }
    sums.sort_by_key(|(precision, _)| *precision);
    (weights > 0.0).then(|| sums.into_iter().map(|(precision, sum)| (precision, sum / weights)).collect())
}

/// How far figures of launches that are taken as one lie apart: (largest − smallest) ÷ mean in percent, of FLOP and of bytes the
/// larger one; where neither is known, of time and of the use of SMs and memory the largest.
#[must_use]
pub(crate) fn spread_percent(launches: &[(&NcuFigures, f64)]) -> Option<f64> {
    let of = |value: fn(&NcuFigures) -> Option<f64>| {
        let known: Vec<f64> = launches.iter().filter_map(|(figures, _)| value(figures)).collect();
        let least = known.iter().copied().reduce(f64::min)?;
        let most = known.iter().copied().reduce(f64::max)?;
        let count: f64 = known.iter().map(|_| 1.0).sum();
        let mean = known.iter().sum::<f64>() / count;
        Some(if mean > 0.0 { (most - least) / mean * 100.0 } else { 0.0 })
    };
    let largest = |spreads: &[Option<f64>]| spreads.iter().copied().flatten().reduce(f64::max);
    largest(&[of(|figures| figures.flop), of(|figures| figures.dram_bytes)]).or_else(|| {
        largest(&[
            of(|figures| figures.duration_ns),
            of(|figures| figures.sm_percent),
            of(|figures| figures.memory_percent),
        ])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_of_those_that_know() {
        let one = NcuFigures { flop: Some(10.0), dram_bytes: Some(4.0), ..NcuFigures::default() };
        let other = NcuFigures { flop: Some(40.0), sm_percent: Some(7.0), ..NcuFigures::default() };
        let mean = NcuFigures::mean(&[(&one, 2.0), (&other, 1.0)]);
        assert_eq!((mean.flop, mean.dram_bytes, mean.sm_percent), (Some(20.0), Some(4.0), Some(7.0)));
        assert_eq!(spread_percent(&[(&one, 1.0), (&other, 1.0)]), Some(120.0));
        assert_eq!(NcuFigures::mean(&[]), NcuFigures::default());
    }

    #[test]
    fn without_counts_launches_lie_apart_by_time_and_use() {
        let with = |duration_ns, sm_percent| NcuFigures { duration_ns, sm_percent, ..NcuFigures::default() };
        let spread = |one: &NcuFigures, other: &NcuFigures| spread_percent(&[(one, 1.0), (other, 1.0)]);
        let (one, other) = (with(Some(100.0), Some(10.0)), with(Some(100.0), Some(90.0)));
        assert_eq!(spread(&one, &other), Some(160.0));
        assert_eq!(spread(&one, &with(Some(300.0), Some(10.0))), Some(100.0));
        let counted = |figures: &NcuFigures| NcuFigures { flop: Some(5.0), ..figures.clone() };
        assert_eq!(spread(&counted(&one), &counted(&other)), Some(0.0));
        assert_eq!(spread(&with(None, None), &with(None, None)), None);
    }

    #[test]
    fn tensor_cores_are_used_if_one_launch_used_them() {
        let with = |answer| NcuFigures { tensor_cores: answer, ..NcuFigures::default() };
        let (yes, no, open) = (with(Some(true)), with(Some(false)), with(None));
        let mean = |all: &[&NcuFigures]| {
            NcuFigures::mean(&all.iter().map(|one| (*one, 1.0)).collect::<Vec<_>>()).tensor_cores
        };
        assert_eq!(mean(&[&no, &yes]), Some(true));
        assert_eq!(mean(&[&open, &no]), Some(false));
        assert_eq!(mean(&[&open, &open]), None);
    }
}
