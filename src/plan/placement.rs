//! Placement of parallel groups in scale-up domains.

use serde::{Deserialize, Serialize};

use super::Plan;
use super::axis::ParallelAxis;
use super::law::Law;
use crate::system::{Group, Network};

/// Number of members of each group that share a scale-up domain (arXiv 2410.00273, in its search space).
///
/// Groups without a value share the remaining room of the domain, in the order tensor, context, data, pipeline, which is
/// the default order of a job's ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Placement {
    /// Members of a tensor-parallel group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor: Option<u32>,
    /// Members of a context-parallel group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// Replicas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<u32>,
    /// Pipeline stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<u32>,
}

impl Placement {
    /// Returns true if the placement is the default: ranks in the order tensor, context, data, pipeline.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    const fn given(&self) -> [Option<u32>; 4] {
        [self.tensor, self.context, self.data, self.pipeline]
    }

    /// Members of each group that share a domain.
    fn inside(&self, degrees: [u32; 4], domain: u32) -> [u32; 4] {
        let given = self.given();
        let mut room = domain / product(given.map(|part| part.unwrap_or(1))).max(1);
        let mut inside = [1; 4];
        for ((slot, degree), part) in inside.iter_mut().zip(degrees).zip(given) {
            *slot = part.unwrap_or_else(|| {
                let fits = (1..=degree.min(room)).rev().find(|part| degree.is_multiple_of(*part));
                let part = fits.unwrap_or(1);
                room /= part;
                part
            });
        }
        inside
    }
}

impl Plan {
    /// Sizes of the groups along each axis.
    fn degrees(&self, gpus: u32) -> [u32; 4] {
        let data = gpus.checked_div(self.replica()).unwrap_or_default();
        [self.tensor, self.context, data, self.pipeline]
    }

    /// The group that spans the axes from `first` to `last`, and where its members lie.
    pub fn group(&self, first: ParallelAxis, last: ParallelAxis, gpus: u32, network: &Network) -> Group {
        let degrees = self.degrees(gpus);
        let (first, last) = (first as usize, last as usize);
        let size = product(&degrees[first..=last]);
        if self.placement.is_usual() {
            return network.strided(size, product(&degrees[..first]));
        }
        let inside = self.placement.inside(degrees, network.domain);
        // Domains lie in the order in which ranks would.
        let outside = |axes: std::ops::Range<usize>| {
            axes.fold(1_u32, |all, axis| all.saturating_mul(degrees[axis] / inside[axis].max(1)))
        };
        network.placed(size, product(&inside[first..=last]), outside(0..first))
    }

    /// The laws of placement in domains of this many GPUs.
    pub fn check_placement(&self, gpus: u32, domain: u32) -> Result<(), Law> {
        let given = self.placement.given();
        for ((axis, degree), part) in ParallelAxis::ALL.into_iter().zip(self.degrees(gpus)).zip(given) {
            if let Some(part) = part.filter(|part| !degree.is_multiple_of(*part)) {
                return Err(Law::PlacementDividesGroup { axis, degree, part });
            }
        }
        let members = product(given.map(|part| part.unwrap_or(1)));
        match ParallelAxis::ALL.into_iter().zip(given).find(|(_, part)| part.is_some()) {
            Some((axis, _)) if members > domain => Err(Law::PlacementWithinDomain { axis, domain, members }),
            _ => Ok(()),
        }
    }
}

fn product(factors: impl AsRef<[u32]>) -> u32 {
    factors.as_ref().iter().fold(1, |all, factor| all.saturating_mul(*factor))
}
