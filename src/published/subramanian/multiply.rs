//! Matrix multiplies of one layer: sharded over one dimension, or over two with SUMMA.

use super::collective::CollectiveKind;
use super::layer::{Cut, E, Load, Operator, f};
use crate::units::{Bytes, Seconds};

impl Cut<'_> {
    /// A column-parallel matrix multiply.
    pub(super) fn multiply(
        &self,
        name: &'static str,
        k: u64,
        whole: u64,
        n: u64,
        communication: (Seconds, Seconds),
    ) -> Operator {
        match self.summa() {
            Some(panels) => self.panels(name, k, whole, panels),
            None => self.matmul(name, k, n, communication),
        }
    }

    /// A row-parallel matrix multiply.
    pub(super) fn multiply_back(
        &self,
        name: &'static str,
        k: u64,
        n: u64,
        communication: (Seconds, Seconds),
    ) -> Operator {
        match self.summa() {
            Some(panels) => self.panels(name, k, n, panels),
            None => self.matmul(name, k / u64::from(self.plan.degrees.first), n, communication),
        }
    }

    fn matmul(&self, name: &'static str, k: u64, n: u64, communication: (Seconds, Seconds)) -> Operator {
        let (t, k, n) = (f(self.tokens), f(k), f(n));
        let forward = Load { flops: t * n * (2.0 * k - 1.0), bytes: (t * k + t * n + k * n) * E };
        let backward = Load {
            flops: t * k * (2.0 * n - 1.0) + k * n * (2.0 * t - 1.0),
            bytes: (2.0 * k * n + 2.0 * t * k + 2.0 * t * n) * E,
        };
        Operator {
            name,
            forward: self.time(forward, self.machine.matrix, communication.0),
            backward: self.time(backward, self.machine.matrix, communication.1),
            activation: Bytes::new(t * k * E),
            weights: Bytes::new(k * n * E),
        }
    }

    /// A SUMMA multiply: panels of both operands are broadcast while earlier panels are multiplied.
    fn panels(&self, name: &'static str, k: u64, whole: u64, panels: u32) -> Operator {
        let (columns, rows) = (u64::from(self.plan.degrees.first), u64::from(self.plan.degrees.second));
        let (t, n) = (f(self.tokens), f(whole / columns));
        let (held, kept) = (f(k / columns), f(k / rows));
        let k = f(k);
        let nb = f64::from(panels);
        let forward = Load { flops: 2.0 * t * n * k, bytes: (t * k + k * n + nb * t * n) * E };
        let backward = Load {
            flops: t * k * (2.0 * n - 1.0) + k * n * (2.0 * t - 1.0),
            bytes: 2.0 * (k * n + nb * t * n + t * k) * E,
        };
        let part =
            |kind, volume: f64, group| self.machine.collective(kind, Bytes::new(volume * E / nb), group);
        let (a, b) = (t * k, k * n);
        let broadcasts =
            part(CollectiveKind::Broadcast, a, self.first) + part(CollectiveKind::Broadcast, b, self.second);
        let reductions =
            part(CollectiveKind::Reduce, a, self.first) + part(CollectiveKind::Reduce, b, self.second);
        let pass = |load, panel: Seconds| {
            let mut pass = self.time(load, self.machine.matrix, Seconds::ZERO);
            // The first panel's broadcast is exposed.
            pass.communication = panel + (panel * nb - pass.time()).max(Seconds::ZERO);
            pass
        };
        Operator {
            name,
            forward: pass(forward, broadcasts),
            backward: pass(backward, broadcasts + reductions),
            activation: Bytes::new(t * held * E),
            weights: Bytes::new(kept * n * E),
        }
    }
}
