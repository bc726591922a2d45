//! Objective and limits of a search.

use serde::{Deserialize, Serialize};

use super::Methods;

/// The quantity that a search minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Time per step.
    #[default]
    Time,
    /// Money per step.
    Cost,
    /// Energy per step.
    Energy,
    /// Memory of the fullest GPU.
    Memory,
}

impl Objective {
    /// All objectives.
    pub const ALL: [Self; 4] = [Self::Time, Self::Cost, Self::Energy, Self::Memory];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "Step time",
            Self::Cost => "Cost",
            Self::Energy => "Energy",
            Self::Memory => "Memory",
        }
    }
}

/// The subject of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Plans of the job.
    #[default]
    Plans,
    /// Features of the system, each at its best plan, as arXiv 2410.00273 varies them.
    Features,
}

impl Subject {
    /// All kinds of search.
    pub const ALL: [Self; 2] = [Self::Plans, Self::Features];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plans => "Plans of this job",
            Self::Features => "Features of systems",
        }
    }
}

/// Objective and limits of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// The subject of a search.
    pub of: Subject,
    /// The quantity that a search minimises.
    pub by: Objective,
    /// Share of the device's memory that a plan may fill.
    pub memory: f64,
    /// The largest tensor-parallel degree that is tried.
    pub tensor: u32,
    /// The fewest GPUs of the strong-scaling curve; by default an eighth of the system's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest: Option<u32>,
    /// The most GPUs of the strong-scaling curve; by default eight times the system's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Strategies of arXiv 2410.00273 in the search space.
    pub strategy: Methods,
    /// Names of [`AXES`](super::AXES), separated by spaces, that keep the plan's values; all others are free. `none`
    /// frees all.
    pub fixed: String,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            of: Subject::default(),
            by: Objective::default(),
            memory: 1.0,
            tensor: 1024,
            fewest: None,
            most: None,
            strategy: Methods::default(),
            // Properties of the software instead of choices, and axes that multiply the space but are seldom best.
            fixed: "context_kind tensor_kind tensor_overlap recompute_layers data_overlap offload".to_owned(),
        }
    }
}

impl Scope {
    /// Returns true if an axis stays as the plan has it.
    pub fn fixes(&self, axis: &str) -> bool {
        self.fixed.split(' ').any(|name| name == axis)
    }

    /// Numbers of GPUs of the strong-scaling curve: the system's, halved and doubled within the limits.
    pub fn counts(&self, gpus: u32) -> Vec<u32> {
        const REACH: u32 = 8;
        self.within(gpus, gpus.div_ceil(REACH), gpus.saturating_mul(REACH))
    }

    /// Numbers of GPUs to search under arXiv 2410.00273's rules; from 4 to 16,384 by default.
    pub fn published_counts(&self, gpus: u32) -> Vec<u32> {
        self.within(gpus, 4, 16_384)
    }

    fn within(&self, gpus: u32, fewest: u32, most: u32) -> Vec<u32> {
        let fewest = self.fewest.unwrap_or(fewest).max(1);
        let most = self.most.unwrap_or(most);
        let halves = std::iter::successors(Some(gpus), |gpus| (gpus % 2 == 0).then_some(gpus / 2));
        let doubles = std::iter::successors(gpus.checked_mul(2), |gpus| gpus.checked_mul(2));
        let mut counts: Vec<u32> = halves.take_while(|count| *count >= fewest).collect();
        counts.reverse();
        counts.extend(doubles.take_while(|count| *count <= most));
        counts.retain(|count| (fewest..=most).contains(count));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_halves_and_doubles_within_the_limits() {
        let scope = Scope::default();
        assert_eq!(scope.counts(512), [64, 128, 256, 512, 1024, 2048, 4096]);
        assert_eq!(scope.counts(12), [3, 6, 12, 24, 48, 96]);
        assert_eq!(Scope { fewest: Some(600), ..scope.clone() }.counts(512), [1024, 2048, 4096]);
        assert_eq!(Scope { most: Some(256), ..scope }.counts(512), [64, 128, 256]);
    }

    #[test]
    fn axes_are_fixed_and_freed() {
        let scope = Scope::default();
        assert!(scope.fixes("data_overlap") && !scope.fixes("tensor") && scope.unknown().is_none());
        let fixed = scope.toggled("tensor");
        assert!(fixed.fixes("tensor"));
        assert_eq!(fixed.toggled("tensor"), scope);
        assert_eq!(Scope { fixed: "tensors".to_owned(), ..scope.clone() }.unknown(), Some("tensors"));
        let free = scope.fixed.split(' ').fold(scope.clone(), |scope, axis| scope.toggled(axis));
        assert_eq!((free.fixed.as_str(), free.unknown()), ("none", None));
        assert_eq!(free.toggled("data_overlap").fixed, "data_overlap");
    }
}
