//! The feed-forward block: a dense MLP, or experts with the collectives that bring tokens to them.

use super::dispatch::{ExpertDispatch, ExpertExchange};
use super::kernels::{Cut, stream};
use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, Shard};
use crate::catalog::layers::{Layer, Moe};
use crate::system::{
    AllReduce, Arrival, Collective, Exchange, Experts, Group, Load, Matmul, Operation, Precision, Work,
};
use crate::units::Bytes;

/// Name of the fused kernel of experts.
const EXPERTS: &str = "Experts";

/// Names of the grouped multiplies of experts.
const EXPERT_PROJECTIONS: [&str; 2] = ["Expert up-projection", "Expert down-projection"];

/// Names of the kernels that order tokens by expert and sum the results.
const EXPERT_ROUTING: [&str; 3] = ["Expert dispatch", "Expert sort", "Expert combine"];

/// Returns true for the name of a multiply of routed experts.
pub fn multiplies_experts(name: &str) -> bool {
    name == EXPERTS || EXPERT_PROJECTIONS.contains(&name)
}

/// Returns true for the name of a kernel that orders tokens by expert or sums their results. A fused kernel includes these.
pub fn routes_tokens(name: &str) -> bool {
    EXPERT_ROUTING.contains(&name)
}

/// Operations per element of an activation function (8 for GeLU, as the authors' code of arXiv 2410.00273 counts).
const ACTIVATION_FLOPS: f64 = 8.0;

impl Shard<'_> {
    /// Operators of a dense feed-forward block of inner width `ffn`.
    pub(super) fn mlp(&self, ffn: f64, visit: &mut dyn FnMut(Operator)) {
        let gates = if self.architecture.gated { 2.0 } else { 1.0 };
        let hidden = f64::from(self.architecture.hidden);
        let local = ffn / self.tensor();
        self.matmul("MLP up-projection", gates * local, hidden, Cut::Columns, visit);
        let activate = &mut |operator: Operator| visit(operator.expanding());
        stream("MLP activation", self.tokens() * local, gates + 1.0, ACTIVATION_FLOPS, 1.5, activate);
        self.matmul("MLP down-projection", hidden, local, Cut::Rows, visit);
    }

    /// Operators of a mixture of experts: router, exchange of tokens, routed and shared experts.
    pub(super) fn experts(&self, moe: &Moe, visit: &mut dyn FnMut(Operator)) {
        let gates = if self.architecture.gated { 2.0 } else { 1.0 };
        let hidden = f64::from(self.architecture.hidden);
        let experts = f64::from(moe.experts);
        let parts = f64::from(self.expert_parts);
        let replicas = f64::from(self.replicas);
        let sharers = f64::from(self.mesh.expert_tensor.size);
        let local = f64::from(moe.ffn) * parts / (sharers * replicas);
        let width = f64::from(moe.width(self.architecture.hidden));
        let candidates = experts + f64::from(moe.idle_experts);
        self.multiply("Router", (candidates, hidden), Cut::Columns, self.dense.for_attention(), visit);
        if moe.latent > 0 {
            self.matmul("Latent down-projection", width, hidden, Cut::Columns, visit);
        }
        if self.fused {
            let tokens = self.tokens() * replicas;
            let work = Work::Experts(Experts {
                tokens,
                hidden: width,
                width: local,
                gates,
                top_k: moe.working(),
                experts,
                local: libm::ceil(experts / parts),
                load: if self.exchanges(moe) { Load::Rebalanced } else { Load::Skewed },
                arrival: self.arrival(moe, tokens),
                precision: self.precision,
            });
            visit(Operator { name: EXPERTS, work, role: Role::Plain });
        } else {
            self.grouped_experts(moe, local, gates, visit);
        }
        if moe.latent > 0 {
            self.matmul("Latent up-projection", hidden, width, Cut::Columns, visit);
        }
        if moe.shared_ffn > 0 {
            self.mlp(f64::from(moe.shared_ffn), visit);
        }
    }

    /// Experts as grouped multiplies between kernels that sort and sum the tokens, as training issues them; with
    /// expert parallelism tokens travel to the GPUs of their experts and back.
    pub(super) fn grouped_experts(&self, moe: &Moe, local: f64, gates: f64, visit: &mut dyn FnMut(Operator)) {
        let hidden = f64::from(moe.width(self.architecture.hidden));
        let chosen = moe.working();
        // Copies of tokens that this GPU sends; its expert-tensor group receives the same number.
        let sent = self.tokens() * chosen * f64::from(self.mesh.expert_tensor.size) / self.tensor();
        let experts = f64::from(moe.experts);
        // Experts that at least one token of a uniformly routed batch reaches.
        let everywhere = self.tokens() * f64::from(self.mesh.expert.size);
        let reached = 1.0 - libm::pow(1.0 - chosen / experts, everywhere);
        let active = reached * experts / f64::from(self.mesh.expert.size);
        stream(EXPERT_ROUTING[0], sent * hidden, 2.0, 0.0, 1.0, visit);
        self.travel(Way::There, moe, sent, visit);
        let mut grouped = |name, n, k| {
            let matmul = Matmul {
                m: sent / active,
                n,
                k,
                count: active,
                precision: self.precision,
                output: ACTIVATION,
            };
            visit(Operator { name, work: Work::Matmul(matmul), role: Role::Plain });
        };
        grouped(EXPERT_PROJECTIONS[0], gates * local, hidden);
        grouped(EXPERT_PROJECTIONS[1], hidden, local);
        let activate = &mut |operator: Operator| visit(operator.expanding());
        stream("Expert activation", sent * local, gates + 1.0, ACTIVATION_FLOPS, 1.5, activate);
        self.travel(Way::Back, moe, sent, visit);
        stream(EXPERT_ROUTING[2], sent * hidden, 2.0, 2.0, 1.0, visit);
    }

    /// Tokens to or from the GPUs of their experts; what arrives is sorted by expert once more.
    fn travel(&self, way: Way, moe: &Moe, copies: f64, visit: &mut dyn FnMut(Operator)) {
        let group = self.mesh.expert;
        if group.size <= 1 {
            return;
        }
        let elements = copies * f64::from(moe.width(self.architecture.hidden));
        let top_k = moe.working();
        let (name, work) = match (self.mesh.dispatch, way) {
            (ExpertDispatch::AllToAll, _) => {
                let collective = Collective {
                    operation: Operation::AllToAll,
                    bytes: Bytes::new(elements * ACTIVATION),
                    group,
                    algorithm: AllReduce::Library,
                };
                let name = if way == Way::There { "Expert all-to-all" } else { "Expert all-to-all back" };
                (name, Work::Collective(collective))
            }
            (ExpertDispatch::DeepEp, _) => {
                let bytes = Bytes::new(elements / top_k * self.travelling(way));
                let name =
                    if way == Way::There { "Expert dispatch (DeepEP)" } else { "Expert combine (DeepEP)" };
                (name, Work::Exchange(Exchange { bytes, copies: top_k, bulk: true, group }))
            }
        };
        visit(Operator { name, work, role: Role::Plain });
        stream(EXPERT_ROUTING[1], elements, 2.0, 0.0, 1.0, visit);
    }

    /// Bytes of an element on its way through a one-sided kernel: experts that multiply narrow operands get narrow tokens,
    /// with a 32-bit scale for every 128 elements; results come back in 16 bits.
    fn travelling(&self, way: Way) -> f64 {
        let narrow = self.precision.operand() < Bytes::new(ACTIVATION);
        if narrow && way == Way::There { 1.0 + 4.0 / 128.0 } else { ACTIVATION }
    }

    /// Returns true if tokens are sent only to the GPUs of their experts instead of to all: wide expert parallelism,
    /// between domains or over more GPUs than the experts of a token, and any where the engine sends them.
    fn exchanges(&self, moe: &Moe) -> bool {
        let spread = self.expert_parts == self.meeting.size && self.replicas > 1;
        let many = self.meeting.domains() > 1 || self.meeting.size > moe.top_k;
        spread && (many || self.exchange == ExpertExchange::Sent)
    }

    /// How the `tokens` of all replicas come to this GPU's experts. With uniform routing, a share 1 - (1 - 1/n)^k of the tokens has at
    /// least one of its k experts on each of n GPUs.
    fn arrival(&self, moe: &Moe, tokens: f64) -> Arrival {
        let blocks = self.precision == Precision::Fp8Block;
        if !self.exchanges(moe) {
            Arrival::Gathered
        } else if self.exchange == ExpertExchange::Fused || !blocks {
            Arrival::Sent
        } else if self.queries > 1.0 {
            let elsewhere = libm::pow(1.0 - 1.0 / f64::from(self.expert_parts), moe.working());
            Arrival::Contiguous { tokens: tokens * (1.0 - elsewhere) }
        } else {
            Arrival::Masked
        }
    }

    /// Exchanges of a layer whose feed-forward block is on GPUs of its own: tokens go there and come back over one-sided
    /// kernels built for latency. `tokens` are those of one GPU on the side that sends or receives more per GPU; `group` is all
    /// GPUs of both sides. A dense block has one copy of each token.
    pub fn cross(&self, layer: &Layer, tokens: f64, group: Group, visit: &mut dyn FnMut(Operator)) {
        let hidden = self.architecture.hidden;
        let (width, copies) = layer.experts().map_or((hidden, 1.0), |moe| (moe.width(hidden), moe.working()));
        for (name, way) in [("Expert dispatch", Way::There), ("Expert combine", Way::Back)] {
            let bytes = Bytes::new(tokens * f64::from(width) * self.travelling(way));
            let work = Work::Exchange(Exchange { bytes, copies, bulk: false, group });
            visit(Operator { name, work, role: Role::Plain });
        }
    }

    /// Tokens of all replicas come to the experts, or the experts' sums go back: whole tokens to everyone, or each
    /// token to its experts alone.
    pub(super) fn meet(&self, way: Way, moe: &Moe, visit: &mut dyn FnMut(Operator)) {
        if self.replicas == 1 {
            return;
        }
        let elements = self.tokens() * f64::from(moe.width(self.architecture.hidden));
        let (name, work) = if self.exchanges(moe) {
            // Each member of a tensor group sends its part of the tokens.
            let bytes = Bytes::new(elements * self.travelling(way) / self.tensor());
            let (copies, bulk) = (moe.working(), self.queries > 1.0);
            let name = match way {
                Way::There => "Expert dispatch",
                Way::Back => "Expert combine",
            };
            (name, Work::Exchange(Exchange { bytes, copies, bulk, group: self.meeting }))
        } else {
            let copies = f64::from(self.replicas).min(moe.working());
            let bytes = Bytes::new(elements * copies * ACTIVATION);
            let (name, operation) = match way {
                Way::There => ("Expert all-gather", Operation::AllGather),
                Way::Back => ("Expert reduce-scatter", Operation::ReduceScatter),
            };
            let group = self.meeting;
            (name, Work::Collective(Collective { operation, bytes, group, algorithm: AllReduce::Library }))
        };
        visit(Operator { name, work, role: Role::Plain });
    }
}

/// Direction in which tokens travel between their GPUs and their experts'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// To the experts.
    There,
    /// Back from them.
    Back,
}
