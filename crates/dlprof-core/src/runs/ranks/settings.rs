//! Thresholds of what is said of a job.

use crate::base::time::Ns;
use serde::{Deserialize, Deserializer, de::Error};

/// Thresholds of what is said of a job.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankThresholds {
    /// A rank that lags by less is not named: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub min_lag_percent: f64,
    /// A lag must be this many times its noise.
    #[serde(deserialize_with = "fraction")]
    pub z: f64,
    /// It must lag in this share of the iterations.
    #[serde(deserialize_with = "fraction")]
    pub share: f64,
    /// The share from which on it is certain.
    #[serde(deserialize_with = "fraction")]
    pub high_share: f64,
    /// Noise is at least this: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub noise_percent: f64,
    /// A class of time is the cause if it is this share of the lag.
    #[serde(deserialize_with = "fraction")]
    pub cause_share: f64,
    /// From this similarity on two ranks do the same work.
    #[serde(deserialize_with = "fraction")]
    pub same_work: f64,
    /// A communicator is slow if its transfers take this many times those of others like it.
    #[serde(deserialize_with = "fraction")]
    pub slow_link_ratio: f64,
    /// The same, where there is only one other.
    #[serde(deserialize_with = "fraction")]
    pub slow_link_ratio_of_two: f64,
    /// And if that costs so much: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub slow_link_percent: f64,
    /// A peak of one iteration is at least this: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub peak_percent: f64,
    /// One rank is to blame for peaks if it has this share of them.
    #[serde(deserialize_with = "fraction")]
    pub blame_share: f64,
    /// Uneven steps are named if they cost so much: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub uneven_percent: f64,
    /// A stage has more to do if it takes so much longer: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub stage_percent: f64,
    /// A node is slow if this share of its ranks lags.
    #[serde(deserialize_with = "fraction")]
    pub node_share: f64,
    /// And at most this share of all others.
    #[serde(deserialize_with = "fraction")]
    pub other_nodes_share: f64,
    /// Waiting for another stage is named from this on: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub bubbles_percent: f64,
    /// Exposed exchange is named from this on: percent of a step.
    #[serde(deserialize_with = "fraction")]
    pub transfer_percent: f64,
    /// Share of the collectives of a rank that match no others, from which on it is named.
    #[serde(deserialize_with = "fraction")]
    pub unmatched_share: f64,
    /// Channels whose ends differ more belong to different communicators.
    #[serde(deserialize_with = "length")]
    pub match_ns: Ns,
    /// Of two collectives on a stream, the second was queued after the first if it began so soon. No setting, because digests are
    /// made with it.
    #[serde(skip)]
    pub queued_ns: Ns,
    /// A collective opens a gate if it ends so close to its end. No setting either.
    #[serde(skip)]
    pub turnaround_ns: Ns,
    /// How much earlier than others a member leaves a collective.
    #[serde(deserialize_with = "length")]
    pub clock_bias_ns: Ns,
    /// How far UTC of hosts may be off.
    #[serde(deserialize_with = "length")]
    pub utc_error_ns: Ns,
    /// Captures that are further apart are of different runs, unless they share a communicator.
    #[serde(deserialize_with = "length")]
    pub apart_ns: Ns,
}

impl Default for RankThresholds {
    fn default() -> Self {
        Self {
            min_lag_percent: 2.0,
            z: 3.0,
            share: 0.6,
            high_share: 0.8,
            noise_percent: 0.2,
            cause_share: 0.5,
            same_work: 0.7,
            slow_link_ratio: 1.2,
            slow_link_ratio_of_two: 1.5,
            slow_link_percent: 1.0,
            peak_percent: 5.0,
            blame_share: 0.5,
            uneven_percent: 4.0,
            stage_percent: 5.0,
            node_share: 0.75,
            other_nodes_share: 0.25,
            bubbles_percent: 10.0,
            transfer_percent: 10.0,
            unmatched_share: 0.05,
            match_ns: 25_000,
            queued_ns: 5_000,
            turnaround_ns: 10_000,
            clock_bias_ns: 15_000,
            utc_error_ns: 10_000_000,
            apart_ns: 60_000_000_000,
        }
    }
}

fn fraction<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(D::Error::custom(NOT_BELOW_0)) }
}

fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ns, D::Error> {
    /// Centuries; what is added to it does not leave 64 bits.
    const LONGEST: Ns = Ns::MAX / 4;
    let value = Ns::deserialize(deserializer)?;
    if value >= 0 { Ok(value.min(LONGEST)) } else { Err(D::Error::custom(NOT_BELOW_0)) }
}

const NOT_BELOW_0: &str = "expected a number that is not below 0";
