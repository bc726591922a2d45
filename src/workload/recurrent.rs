//! Mixers whose memory is a state of constant size, on one GPU.

use super::kernels::{Cut, stream};
use super::operator::{Operator, Role};
use super::shard::{ACTIVATION, Shard};
use crate::catalog::layers::{self, Kept, Law, Matrix, Mixer};
use crate::system::{AllReduce, Collective, Operation, Scan, Work};
use crate::units::{Bytes, Flops};

/// Bytes of an element of a recurrent state: 32 bits (`mamba_ssm_dtype` of Nemotron-H's and Qwen3.5's configurations).
pub(crate) const STATE: f64 = 4.0;

impl Shard<'_> {
    /// Share of a mixer's heads on one GPU: members of a tensor group have equal numbers.
    fn share(&self, law: &dyn Law) -> f64 {
        let heads = f64::from(law.heads().max(1));
        libm::ceil(heads / self.tensor()) / heads
    }

    /// All operators of a recurrent mixer: projections, a short convolution, the recurrence, the output's projection.
    pub(super) fn recur(&self, mixer: &Mixer, visit: &mut dyn FnMut(Operator)) {
        let hidden = u64::from(self.architecture.hidden);
        let Some((law, recurrence)) = mixer.law().and_then(|law| Some((law, law.recurrence(hidden)?))) else {
            return;
        };
        let share = self.share(law);
        let mut output: Option<Matrix> = None;
        law.matrices(hidden, &mut |matrix| {
            // The last matrix projects the output, after the recurrence.
            if let Some(matrix) = output.replace(matrix) {
                self.input_projection(&matrix, visit);
            }
        });
        let (channels, taps) = recurrence.convolved;
        if channels > 0.0 {
            let elements = self.tokens() * channels * share;
            stream("Short convolution", elements, 2.0, 2.0 * taps, 2.0, visit);
        }
        self.pass_states(recurrence.state * share, visit);
        let decode = self.queries <= 1.0;
        let chunks = if decode || recurrence.chunk <= 1.0 { 1.0 } else { self.queries / recurrence.chunk };
        let per_token = if decode { recurrence.step } else { recurrence.scanned };
        let tokens = self.tokens();
        let work = Work::Scan(Scan {
            bytes: Bytes::new(tokens * recurrence.streamed * share * ACTIVATION),
            // Every chunk's state is written and read.
            states: Bytes::new(2.0 * self.batch * chunks.max(1.0) * recurrence.state * share * STATE),
            products: Flops::new(if decode { 0.0 } else { tokens * recurrence.products * share }),
            elementwise: Flops::new(tokens * per_token * share),
            kernel: recurrence.kernel,
            library: self.scans,
            heads: self.batch * recurrence.heads * share,
            decode,
            backward: false,
        });
        visit(Operator { name: "Recurrence", work, role: Role::Core });
        if let Some(matrix) = output {
            let (rows, columns) = matrix.part(self.tensor());
            self.matmul(matrix.name, columns, rows, Cut::Rows, visit);
        }
    }

    /// A projection before the recurrence; what sums over channels that the group divides is added up.
    fn input_projection(&self, matrix: &Matrix, visit: &mut dyn FnMut(Operator)) {
        let (rows, columns) = matrix.part(self.tensor());
        let summed = matrix.cut == layers::Cut::Rows;
        self.matmul(matrix.name, columns, rows, if summed { Cut::Rows } else { Cut::Columns }, visit);
        if summed && self.group.size > 1 && self.mesh.panels == 0 {
            let collective = Collective {
                operation: Operation::AllReduce,
                bytes: Bytes::new(self.tokens() * columns * ACTIVATION),
                group: self.group,
                algorithm: self.all_reduce,
            };
            visit(Operator {
                name: "State all-reduce",
                work: Work::Collective(collective),
                role: Role::Plain,
            });
        }
    }

    /// Gathers recurrent states. With context parallelism, every part of a sequence needs the state at its beginning,
    /// so the states of all parts are gathered (LASP-2, arXiv 2502.07563; fla-org/flash-linear-attention@bc3b101,
    /// ops/cp).
    fn pass_states(&self, state: f64, visit: &mut dyn FnMut(Operator)) {
        let group = self.mesh.context;
        if group.size <= 1 || state <= 0.0 {
            return;
        }
        let bytes = Bytes::new(self.batch * f64::from(group.size) * state * STATE);
        let collective =
            Collective { operation: Operation::AllGather, bytes, group, algorithm: AllReduce::Library };
        visit(Operator {
            name: "Context-parallel states",
            work: Work::Collective(collective),
            role: Role::Core,
        });
    }

    /// Elements that a recurrent mixer keeps for its backward pass: the inputs of its convolution and its recurrence.
    /// The states of chunks are recomputed (fla-org/flash-linear-attention@bc3b101).
    pub(super) fn saved_recurrent(&self, mixer: &Mixer) -> f64 {
        let law = mixer.law();
        let recurrence = law.and_then(|law| law.recurrence(u64::from(self.architecture.hidden)));
        let share = law.map_or(1.0, |law| self.share(law));
        recurrence.map_or(0.0, |recurrence| (recurrence.streamed + recurrence.convolved.0) * share)
    }

    /// Memory that one sequence of `length` tokens keeps on this GPU in one layer, with keys and values of `element`
    /// bytes: keys and values of this GPU's heads, a latent that all GPUs share, or a part of the states.
    pub fn kept(&self, mixer: &Mixer, length: f64, element: Bytes) -> Bytes {
        let kept = mixer.kept(self.architecture.hidden);
        let tokens = kept.tokens(length);
        let Kept { per_token, index_bytes, state, recent, .. } = kept;
        let (width, share) = match mixer {
            Mixer::Attention(heads) => {
                let own = self.shared(heads.own_kv_heads());
                (own * (f64::from(heads.head_dim) + f64::from(heads.value())), 1.0)
            }
            Mixer::Latent(_) | Mixer::Compressed(_) | Mixer::None => (per_token, 1.0),
            recurrent => (per_token, recurrent.law().map_or(1.0, |law| self.share(law))),
        };
        let bytes = tokens * index_bytes + share * (state * STATE + recent * ACTIVATION);
        element * (width * tokens) + Bytes::new(bytes)
    }
}
