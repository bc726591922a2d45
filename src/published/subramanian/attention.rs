//! Attention of one layer: one fused kernel, or four separate ones, which the authors' drivers do not use.

use super::collective::CollectiveKind;
use super::layer::{Cut, E, Load, Operator, f};
use super::{Attention, Strategy};
use crate::units::{Bytes, Seconds};

impl Cut<'_> {
    /// The operators between the QKV and output projections. Strategies that shard the sequence support only the fused
    /// kernel.
    pub(super) fn attend(&self, visit: &mut impl FnMut(Operator)) {
        if self.model.attention == Attention::Recomputed && self.plan.strategy == Strategy::OneD {
            self.unfused(visit);
        } else {
            visit(self.fused());
        }
    }

    /// Separate kernels for logits, softmax, dropout and the product with the values. The first three are recomputed in
    /// the backward pass and save no outputs, as in the authors' `sa_1d` with `attention_recompute`.
    fn unfused(&self, visit: &mut impl FnMut(Operator)) {
        let keys = u64::from(self.model.sequence);
        let heads = self.batch * u64::from(self.model.heads / self.plan.degrees.first);
        let dim = u64::from(self.model.width / self.model.heads);
        let (square, rows, side) = (heads * keys * keys, f(heads * keys), f(heads * keys * dim));
        let (l, q, p) = (f(keys), f(dim), f(square));
        let scores = p * (2.0 * q - 1.0);
        let gathers = side * (2.0 * l - 1.0);
        let logits = self.products(
            "logits",
            [scores, 2.0 * gathers],
            [2.0 * side + p, 4.0 * side + 2.0 * p],
            2.0 * side,
        );
        let softmax = self.vector(
            "softmax",
            Load { flops: 2.0 * p + rows * (l - 1.0), bytes: 2.0 * p * E },
            Load { flops: 3.0 * p + rows * (l - 1.0), bytes: 3.0 * p * E },
            0.0,
            0.0,
        );
        let dropout = Operator { activation: Bytes::ZERO, ..self.dropout("dpr_at", square) };
        for mut operator in [logits, softmax, dropout] {
            operator.backward.add(&operator.forward);
            visit(operator);
        }
        let attend = [gathers, scores + gathers];
        visit(self.products("attend", attend, [p + 2.0 * side, 4.0 * side + 2.0 * p], side));
    }

    /// A matrix product without weights. `flops` and `elements` (DRAM traffic) are for the forward and the backward
    /// pass; `kept` is the number of elements saved for the backward pass.
    fn products(&self, name: &'static str, flops: [f64; 2], elements: [f64; 2], kept: f64) -> Operator {
        let pass = |place: usize| {
            let load = Load { flops: flops[place], bytes: elements[place] * E };
            self.time(load, self.machine.matrix, Seconds::ZERO)
        };
        let (forward, backward) = (pass(0), pass(1));
        Operator { name, forward, backward, activation: Bytes::new(kept * E), weights: Bytes::ZERO }
    }

    /// Fused attention without a causal mask. Softmax runs at the vector rate and does not overlap with the products.
    fn fused(&self) -> Operator {
        let degrees = self.plan.degrees;
        let keys = u64::from(self.model.sequence);
        let heads = u64::from(self.model.heads / degrees.first);
        let dim = u64::from(self.model.width / self.model.heads);
        let queries = keys / u64::from(degrees.second);
        let p = f(self.batch * heads * queries);
        let cached = f(self.batch * heads * keys * dim);
        let (l, q, lq) = (f(keys), f(dim), f(queries));
        let ratio = self.machine.matrix / self.machine.vector;
        let softmax = ratio * (2.0 * p * l + p * (l - 1.0) + p * l);
        let scores = p * l * (2.0 * q - 1.0);
        let values = p * q * (2.0 * l - 1.0);
        let saved = (4.0 * p * q + 2.0 * p) * E;
        let forward = Load { flops: scores + values + softmax, bytes: (2.0 * p * q + 2.0 * cached + p) * E };
        let gradient = cached * (2.0 * lq - 1.0);
        let backward = Load {
            flops: values + gradient + softmax + ratio * p * l + scores + gradient + scores + softmax,
            bytes: (2.0 * cached + 2.0 * p * q) * E + saved,
        };
        let gathered = Bytes::new(2.0 * cached * E);
        let ring = |kind| self.machine.collective(kind, gathered, self.second);
        Operator {
            name: "fusedla",
            forward: self.time(forward, self.machine.matrix, ring(CollectiveKind::AllGather)),
            backward: self.time(
                backward,
                self.machine.matrix,
                ring(CollectiveKind::AllGather) + ring(CollectiveKind::ReduceScatter),
            ),
            activation: Bytes::new(saved),
            weights: Bytes::ZERO,
        }
    }
}
