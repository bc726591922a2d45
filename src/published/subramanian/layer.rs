//! The fourteen operators of one layer, for one microbatch on one GPU, as the authors' code counts them.

use super::collective::{CollectiveKind, Placed};
use super::{EFFICIENCY, ELEMENT, LAUNCH, Machine, Plan, Strategy, Transformer};
use crate::units::{Bytes, FlopRate, Flops, Seconds};

/// Forward or backward pass of an operator or a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pass {
    /// Arithmetic and kernel launch.
    pub compute: Seconds,
    /// DRAM time in excess of `compute`.
    pub memory: Seconds,
    /// Exposed communication.
    pub communication: Seconds,
}

impl Pass {
    /// Total time.
    pub fn time(&self) -> Seconds {
        self.compute + self.memory + self.communication
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.compute += other.compute;
        self.memory += other.memory;
        self.communication += other.communication;
    }
}

/// One operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operator {
    /// Name in the authors' code.
    pub name: &'static str,
    /// Forward pass.
    pub forward: Pass,
    /// Backward pass.
    pub backward: Pass,
    /// Activations saved for the backward pass.
    pub activation: Bytes,
    /// Weights on this GPU.
    pub weights: Bytes,
}

/// Totals of one layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layer {
    /// Forward pass of all operators.
    pub forward: Pass,
    /// Backward pass of all operators.
    pub backward: Pass,
    /// Activations saved per microbatch.
    pub activations: Bytes,
    /// Weights on this GPU.
    pub weights: Bytes,
    /// Size of the message to the next pipeline stage.
    pub message: Bytes,
}

/// Work of a pass: FLOPs, and bytes of DRAM traffic.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) flops: f64,
    pub(super) bytes: f64,
}

/// A layer sharded by a plan: what one GPU holds and computes. Divisions drop remainders.
pub(super) struct Cut<'a> {
    pub(super) machine: &'a Machine,
    pub(super) model: &'a Transformer,
    pub(super) plan: &'a Plan,
    /// Tokens of one microbatch on this GPU in the matrix multiplies, where the sequence is sharded over `second` only.
    pub(super) tokens: u64,
    pub(super) batch: u64,
    pub(super) first: Placed,
    pub(super) second: Placed,
}

impl Machine {
    /// Sums over a layer's operators.
    pub fn layer(&self, model: &Transformer, plan: &Plan) -> Layer {
        let mut layer = Layer::default();
        self.operators(model, plan, &mut |operator| {
            layer.forward.add(&operator.forward);
            layer.backward.add(&operator.backward);
            layer.activations += operator.activation;
            layer.weights += operator.weights;
            if operator.name == "ln1" {
                layer.message = operator.activation;
            }
        });
        layer
    }

    /// Calls `visit` with every operator of a layer, in the authors' order.
    pub fn operators(&self, model: &Transformer, plan: &Plan, visit: &mut impl FnMut(Operator)) {
        let (degrees, inside) = (plan.degrees, plan.inside);
        let batch = u64::from(plan.microbatch);
        let cut = Cut {
            machine: self,
            model,
            plan,
            tokens: batch * (u64::from(model.sequence) / u64::from(degrees.second)),
            batch,
            first: Placed { size: degrees.first, inside: inside.first },
            second: Placed { size: degrees.second, inside: inside.second },
        };
        cut.visit(visit);
    }
}

pub(super) fn f(value: u64) -> f64 {
    value as f64
}

pub(super) const E: f64 = ELEMENT as f64;

impl Cut<'_> {
    fn visit(&self, visit: &mut impl FnMut(Operator)) {
        let first = u64::from(self.plan.degrees.first);
        let (width, ffn) = (u64::from(self.model.width), u64::from(self.model.ffn));
        let gather = Bytes::new(f(self.tokens * width) * E);
        let ring = |kind| self.machine.collective(kind, gather, self.first);
        // SUMMA has broadcasts inside its multiplies instead of the other strategies' all-gathers and reduce-scatters.
        let (scatter, gathered) = if self.summa().is_some() {
            (Seconds::ZERO, Seconds::ZERO)
        } else {
            (ring(CollectiveKind::ReduceScatter), ring(CollectiveKind::AllGather))
        };
        let (rows, columns) = self.normed();
        let local = ffn / first;
        visit(self.multiply("fc1", width, ffn, local, (Seconds::ZERO, scatter)));
        visit(self.bias("fc1-bias", self.tokens, local));
        visit(self.activation(self.tokens * local));
        visit(self.dropout("dpr1", self.tokens * local));
        visit(self.multiply_back("fc2", ffn, width, (scatter, Seconds::ZERO)));
        let (bias_rows, bias_columns) = match self.plan.strategy {
            Strategy::OneD => (self.tokens, width),
            Strategy::Context => (rows, width),
            Strategy::Summa { .. } => (self.tokens, width / first),
        };
        visit(self.bias("fc2-bias", bias_rows, bias_columns));
        let dropped = if self.summa().is_some() { self.tokens * (width / first) } else { rows * width };
        visit(self.dropout("dpr2", dropped));
        visit(self.norm("ln1", rows, columns, (gathered, scatter)));
        visit(self.multiply("qkv", width, 3 * width, 3 * width / first, (Seconds::ZERO, scatter)));
        self.attend(visit);
        visit(self.multiply_back("vproj", width, width, (scatter, Seconds::ZERO)));
        let bias_columns = if self.plan.strategy == Strategy::OneD { width } else { width / first };
        visit(self.bias("vproj-bias", self.tokens, bias_columns));
        visit(self.dropout("dpr_v", dropped));
        visit(self.norm("ln2", rows, columns, (gathered, scatter)));
    }

    pub(super) fn summa(&self) -> Option<u32> {
        match self.plan.strategy {
            Strategy::Summa { panels } => Some(panels),
            _ => None,
        }
    }

    /// Rows and columns of a norm's input.
    fn normed(&self) -> (u64, u64) {
        let first = u64::from(self.plan.degrees.first);
        let (sequence, width) = (u64::from(self.model.sequence), u64::from(self.model.width));
        if self.summa().is_some() {
            let wide = if self.model.norm_fault { sequence } else { width };
            (self.tokens, wide / first)
        } else {
            (self.batch * (sequence / u64::from(self.plan.degrees.second) / first), width)
        }
    }

    pub(super) fn time(&self, load: Load, rate: FlopRate, communication: Seconds) -> Pass {
        let compute = LAUNCH + Flops::new(load.flops) / (rate * EFFICIENCY);
        let dram = Bytes::new(load.bytes) / self.machine.dram;
        Pass { compute, memory: (dram - compute).max(Seconds::ZERO), communication }
    }

    pub(super) fn vector(
        &self,
        name: &'static str,
        forward: Load,
        backward: Load,
        saved: f64,
        weights: f64,
    ) -> Operator {
        Operator {
            name,
            forward: self.time(forward, self.machine.vector, Seconds::ZERO),
            backward: self.time(backward, self.machine.vector, Seconds::ZERO),
            activation: Bytes::new(saved),
            weights: Bytes::new(weights),
        }
    }

    fn bias(&self, name: &'static str, rows: u64, columns: u64) -> Operator {
        let (rows, columns) = (f(rows), f(columns));
        let load = Load { flops: rows * columns, bytes: (rows * columns + columns) * E };
        self.vector(name, load, load, 0.0, columns * E)
    }

    fn activation(&self, elements: u64) -> Operator {
        let n = f(elements);
        let forward = Load { flops: 8.0 * n, bytes: 2.0 * n * E };
        let backward = Load { flops: 13.0 * n, bytes: 3.0 * n * E };
        self.vector("act1", forward, backward, n * E, 0.0)
    }

    /// Dropout, with a mask of one byte per element.
    pub(super) fn dropout(&self, name: &'static str, elements: u64) -> Operator {
        let n = f(elements);
        let load = Load { flops: n, bytes: 2.0 * n * E + n };
        self.vector(name, load, load, n, 0.0)
    }

    fn norm(
        &self,
        name: &'static str,
        rows: u64,
        columns: u64,
        communication: (Seconds, Seconds),
    ) -> Operator {
        let (t, n) = (f(rows), f(columns));
        let forward = Load { flops: 9.0 * t * n, bytes: (2.0 * t * n + 2.0 * t + 2.0 * n) * E };
        let backward = Load { flops: 8.0 * t * n + 4.0 * t * (n - 1.0), bytes: (5.0 * t * n + 2.0 * n) * E };
        let mut operator = self.vector(name, forward, backward, t * n * E, 2.0 * n * E);
        (operator.forward.communication, operator.backward.communication) = communication;
        if self.summa().is_some() {
            let first = u64::from(self.plan.degrees.first);
            let width = f(u64::from(self.model.width) / first);
            let sum = |elements: f64| {
                self.machine.collective(CollectiveKind::AllReduce, Bytes::new(elements * E), self.first)
            };
            operator.forward.communication = sum(2.0 * t);
            operator.backward.communication = sum(2.0 * width + 2.0 * t);
        }
        operator
    }
}
