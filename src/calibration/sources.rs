//! Distribution of corrections over published sources, each of which is treated as one machine. It tells how common a
//! correction of a given size is.

use super::{Correction, Level, TimeKind};
use crate::csv::Records;
use crate::order::quantile;
use crate::scenario::Scenario;

/// Most probable corrections of published sources, written by `make profiles`. Columns: level, quantity, software,
/// source, rows, and one factor per correction. A factor is empty if the source's rows do not determine it.
const TABLE: &str = include_str!("factors.csv");

/// Number of columns before the factors.
const NAMED: usize = 5;

/// Minimum number of sources in a group.
const FEWEST: usize = 3;

/// One correction's factors over the published sources of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Sources {
    /// Software of the sources; empty for sources of any software.
    pub software: String,
    /// Level of the predictions: with ([`Level::Home`]) or without the constants fitted on each source's own software
    /// and device.
    pub level: Level,
    /// Most probable factors in ascending order, one for each source whose rows determine it.
    pub factors: Vec<f64>,
}

impl Sources {
    /// The sources to which a scenario's correction is compared: those of its software that measured the quantity. If
    /// they are fewer than three, or if no constants were fitted on the scenario's software and device, the sources of
    /// all software; `None` if these are fewer than three as well.
    pub fn of(scenario: &Scenario, kind: TimeKind, correction: Correction) -> Option<Self> {
        let level = Level::of(scenario);
        let own = (level == Level::Home).then(|| scenario.software());
        let groups = own.into_iter().chain([""]);
        groups.map(|software| Self::read(level, kind, software, correction)).find(Self::are_enough)
    }

    fn are_enough(&self) -> bool {
        self.factors.len() >= FEWEST
    }

    fn read(level: Level, kind: TimeKind, software: &str, correction: Correction) -> Self {
        let column = NAMED + correction as usize;
        let mut factors: Vec<f64> = Records::of(TABLE)
            .filter(|record| match &record[..] {
                [at, quantity, of, ..] => {
                    at == level.id() && quantity == kind.id() && (software.is_empty() || of == software)
                }
                _ => false,
            })
            .filter_map(|record| record.get(column)?.parse().ok())
            .collect();
        factors.sort_by(f64::total_cmp);
        Self { software: software.to_owned(), level, factors }
    }

    /// 10th and 90th percentile of the factors.
    pub fn middle(&self) -> (f64, f64) {
        (quantile(&self.factors, 0.1), quantile(&self.factors, 0.9))
    }

    /// Number of sources whose factor is at least as far from 1 as `factor`, on the same side.
    pub fn beyond(&self, factor: f64) -> usize {
        let beyond = |known: &&f64| if factor < 1.0 { **known <= factor } else { **known >= factor };
        self.factors.iter().filter(beyond).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    #[test]
    fn every_factor_of_the_table_is_a_positive_number() {
        let mut records = Records::of(TABLE);
        let header = records.next().expect("a header");
        let names: Vec<&str> = Correction::ALL.map(Correction::id).to_vec();
        assert_eq!(header[NAMED..], names);
        let mut known = 0;
        for record in records {
            assert_eq!(record.len(), NAMED + Correction::ALL.len(), "{record:?}");
            for field in record[NAMED..].iter().filter(|field| !field.is_empty()) {
                let factor: f64 = field.parse().expect("a number");
                assert!((0.05..=20.0).contains(&factor), "{record:?}");
                known += 1;
            }
        }
        assert!(known > 50, "{known}");
    }

    #[test]
    fn sources_are_of_the_software_or_of_all() {
        let of = |text: &str, kind| Sources::of(&link::decode(text).scenario, kind, Correction::Kernels);
        let own = of("v=1&view=inference&serve.engine=vllm&gpu=h100-sxm", TimeKind::Tpot).expect("sources");
        assert_eq!((own.software.as_str(), own.level), ("vLLM", Level::Home));
        let (low, high) = own.middle();
        assert!(low <= high && own.beyond(1e-3) == 0 && own.beyond(1e3) == 0);
        let all =
            of("v=1&view=inference&serve.engine=typical&gpu=h100-sxm", TimeKind::Tpot).expect("sources");
        assert_eq!((all.software.as_str(), all.level), ("", Level::Abroad));
        assert!(all.factors.len() > own.factors.len());
    }
}
