//! The authors' space of plans, as their code enumerates it.

use super::{Degrees, Method, Strategy, Transformer};

/// A space of plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Tensor-parallel strategy.
    pub method: Method,
    /// Number of GPUs.
    pub gpus: u32,
    /// Global batch: sequences per step.
    pub batch: u32,
    /// Maximum size of the first tensor-parallel group.
    pub widest: u32,
}

/// Minimum width of a local matrix.
const NARROWEST: u32 = 128;
/// Minimum width of a panel.
const PANEL: u32 = 512;

/// Degrees for one tensor-parallel grid, with all placements of the groups in domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) degrees: Degrees,
    /// Members of each group inside a domain, one entry per placement.
    pub(super) placements: Vec<Degrees>,
}

pub(super) fn divisors(number: u32) -> impl Iterator<Item = u32> {
    (1..=number).filter(move |divisor| number.is_multiple_of(*divisor))
}

impl Space {
    /// The authors' full space of plans for one method.
    pub const fn of(method: Method, gpus: u32, batch: u32) -> Self {
        Self { method, gpus, batch, widest: u32::MAX }
    }

    /// Sizes of the two tensor-parallel groups.
    pub(super) fn grids(&self, model: &Transformer) -> Vec<(u32, u32)> {
        let fits = |tensor: &u32| {
            self.gpus.is_multiple_of(*tensor)
                && model.heads.is_multiple_of(*tensor)
                && model.width.is_multiple_of(*tensor)
                && model.ffn.is_multiple_of(*tensor)
                && *tensor <= self.widest
        };
        if self.method == Method::OneD {
            let wide = |tensor: &u32| 3 * model.width / tensor >= NARROWEST;
            return divisors(self.gpus).filter(fits).filter(wide).map(|tensor| (tensor, 1)).collect();
        }
        let mut grids = Vec::new();
        for tensor in divisors(self.gpus) {
            let divides = |first: &u32| tensor.is_multiple_of(*first);
            for first in (1..=tensor.min(model.heads)).filter(divides).filter(fits) {
                let second = tensor / first;
                let wide = model.width / first >= NARROWEST && model.sequence / second >= NARROWEST;
                let whole = self.method == Method::Context
                    || model.width.is_multiple_of(second) && model.ffn.is_multiple_of(second);
                if wide && whole {
                    grids.push((first, second));
                }
            }
        }
        grids
    }

    /// Microbatch sizes, sequences, that a grid allows.
    pub(super) fn microbatches(&self, model: &Transformer, grid: (u32, u32)) -> impl Iterator<Item = u32> {
        let (first, second) = grid;
        let unit = if self.method == Method::Summa { second } else { first * second };
        let sequence = u64::from(model.sequence);
        divisors(self.batch)
            .filter(move |microbatch| (u64::from(*microbatch) * sequence).is_multiple_of(u64::from(unit)))
    }

    /// Strategies of a grid. For SUMMA, the number of panels doubles from the larger side of the grid.
    pub(super) fn strategies(&self, model: &Transformer, grid: (u32, u32)) -> Vec<Strategy> {
        match self.method {
            Method::OneD => vec![Strategy::OneD],
            Method::Context => vec![Strategy::Context],
            Method::Summa => {
                let mut panels = grid.0.max(grid.1);
                let mut found = vec![Strategy::Summa { panels }];
                while model.width / (2 * panels) >= PANEL {
                    panels *= 2;
                    found.push(Strategy::Summa { panels });
                }
                found
            }
        }
    }

    /// Pipeline and data-parallel degrees of a grid, with their placements in domains of `domain` GPUs.
    pub(super) fn splits(&self, model: &Transformer, grid: (u32, u32), domain: u32) -> Vec<Split> {
        let (first, second) = grid;
        let parts: Vec<u32> = divisors(domain).collect();
        let each = self.gpus / (first * second);
        let fits = |pipeline: &u32| {
            model.depth.is_multiple_of(*pipeline)
                && each.is_multiple_of(*pipeline)
                && self.batch.is_multiple_of(each / pipeline)
        };
        let stages = divisors(model.depth).take_while(|pipeline| *pipeline <= each).filter(fits);
        stages
            .map(|pipeline| {
                let degrees = Degrees { first, second, data: each / pipeline, pipeline };
                Split { degrees, placements: self.placements(degrees, domain, &parts) }
            })
            .collect()
    }

    /// All ways to fill a domain with members of the groups. A job no larger than a domain has one placement: all
    /// inside.
    fn placements(&self, degrees: Degrees, domain: u32, parts: &[u32]) -> Vec<Degrees> {
        if self.gpus <= domain {
            return vec![degrees];
        }
        let dividing = |room: u32, degree: u32| {
            let fits = move |part: &u32| room.is_multiple_of(*part) && degree.is_multiple_of(*part);
            parts.iter().copied().take_while(move |part| *part <= room).filter(fits)
        };
        let mut found = Vec::new();
        for first in dividing(domain, degrees.first) {
            let room = domain / first;
            for second in dividing(room, degrees.second) {
                let room = room / second;
                for data in dividing(room, degrees.data) {
                    let pipeline = room / data;
                    if degrees.pipeline.is_multiple_of(pipeline) {
                        found.push(Degrees { first, second, data, pipeline });
                    }
                }
            }
        }
        found
    }
}
