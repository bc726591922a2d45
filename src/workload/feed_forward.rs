//! The feed-forward block: a dense MLP, or experts with the collectives that bring tokens to them.

use super::kernels::{Cut, stream};
use super::operator::Operator;
use super::shard::{ACTIVATION, Shard};
use crate::catalog::architecture::Moe;
use crate::system::{AllReduce, Collective, Experts, Load, Matmul, Operation, Work};
use crate::units::Bytes;

/// Operations per element of an activation function.
const ACTIVATION_FLOPS: f64 = 8.0;

impl Shard<'_> {
    pub(super) fn mlp(&self, ffn: f64, visit: &mut dyn FnMut(Operator)) {
        let gates = if self.architecture.gated { 2.0 } else { 1.0 };
        let hidden = f64::from(self.architecture.hidden);
        let local = ffn / self.tensor();
        self.matmul("MLP up-projection", gates * local, hidden, Cut::Columns, visit);
        stream("MLP activation", self.tokens() * local, gates + 1.0, ACTIVATION_FLOPS, 1.5, visit);
        self.matmul("MLP down-projection", hidden, local, Cut::Rows, visit);
    }

    pub(super) fn experts(&self, moe: &Moe, visit: &mut dyn FnMut(Operator)) {
        let gates = if self.architecture.gated { 2.0 } else { 1.0 };
        let hidden = f64::from(self.architecture.hidden);
        let experts = f64::from(moe.experts);
        let parts = f64::from(self.expert_parts);
        let replicas = f64::from(self.replicas);
        let sharers = f64::from(self.mesh.expert_tensor.size);
        let local = f64::from(moe.ffn) * parts / (sharers * replicas);
        self.matmul("Router", experts, hidden, Cut::Columns, visit);
        if self.fused {
            let work = Work::Experts(Experts {
                tokens: self.tokens() * replicas,
                hidden,
                width: local,
                gates,
                top_k: f64::from(moe.top_k),
                experts,
                local: libm::ceil(experts / parts),
                load: Load::Skewed,
                precision: self.precision,
            });
            visit(Operator { name: "Experts", work, core: false });
        } else {
            self.grouped_experts(moe, local, gates, visit);
        }
        if moe.shared_ffn > 0 {
            self.mlp(f64::from(moe.shared_ffn), visit);
        }
    }

    /// Experts as grouped multiplies between kernels that sort and sum the tokens, as training issues them; with
    /// expert parallelism tokens travel to the GPUs of their experts and back.
    pub(super) fn grouped_experts(&self, moe: &Moe, local: f64, gates: f64, visit: &mut dyn FnMut(Operator)) {
        let hidden = f64::from(self.architecture.hidden);
        // Copies of tokens that this GPU sends out, and as many come to its expert-tensor group.
        let sent =
            self.tokens() * f64::from(moe.top_k) * f64::from(self.mesh.expert_tensor.size) / self.tensor();
        let experts = f64::from(moe.experts);
        // Experts that at least one token of a uniformly routed batch reaches.
        let everywhere = self.tokens() * f64::from(self.mesh.expert.size);
        let reached = 1.0 - libm::pow(1.0 - f64::from(moe.top_k) / experts, everywhere);
        let active = reached * experts / f64::from(self.mesh.expert.size);
        stream("Expert dispatch", sent * hidden, 2.0, 0.0, 1.0, visit);
        self.travel("Expert all-to-all", sent, visit);
        let mut grouped = |name, n, k| {
            let matmul = Matmul {
                m: sent / active,
                n,
                k,
                count: active,
                precision: self.precision,
                output: ACTIVATION,
            };
            visit(Operator { name, work: Work::Matmul(matmul), core: false });
        };
        grouped("Expert up-projection", gates * local, hidden);
        grouped("Expert down-projection", hidden, local);
        stream("Expert activation", sent * local, gates + 1.0, ACTIVATION_FLOPS, 1.5, visit);
        self.travel("Expert all-to-all back", sent, visit);
        stream("Expert combine", sent * hidden, 2.0, 2.0, 1.0, visit);
    }

    /// Tokens to or from the GPUs of their experts; what arrives is sorted by expert once more.
    pub(super) fn travel(&self, name: &'static str, tokens: f64, visit: &mut dyn FnMut(Operator)) {
        let group = self.mesh.expert;
        if group.size <= 1 {
            return;
        }
        let elements = tokens * f64::from(self.architecture.hidden);
        let bytes = Bytes::new(elements * ACTIVATION);
        let work = Work::Collective(Collective {
            operation: Operation::AllToAll,
            bytes,
            group,
            algorithm: AllReduce::Library,
        });
        visit(Operator { name, work, core: false });
        stream("Expert sort", elements, 2.0, 0.0, 1.0, visit);
    }

    /// Tokens of all replicas come to the experts, or the experts' sums go back: whole tokens to everyone, or each
    /// token to its experts alone where that is less.
    pub(super) fn meet(
        &self,
        name: &'static str,
        operation: Operation,
        moe: &Moe,
        visit: &mut dyn FnMut(Operator),
    ) {
        if self.replicas == 1 {
            return;
        }
        let copies = f64::from(self.replicas).min(f64::from(moe.top_k));
        let bytes = self.tokens() * copies * f64::from(self.architecture.hidden) * ACTIVATION;
        let (bytes, group) = (Bytes::new(bytes), self.meeting);
        let work = Work::Collective(Collective { operation, bytes, group, algorithm: AllReduce::Library });
        visit(Operator { name, work, core: false });
    }
}
