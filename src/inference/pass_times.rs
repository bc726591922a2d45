//! The times of one pass through the model, and the terms that they are shown as.

use crate::estimate::Term;
use crate::estimate::tally::{Share, Tally};
use crate::units::Seconds;

/// The times of one pass through the model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PassTimes {
    /// The layers.
    pub(super) layers: Tally,
    /// Small kernels of layers of routed experts that the engine does not fuse.
    pub(super) unfused: Seconds,
    /// The embedding and the output head.
    pub(super) ends: Seconds,
    /// Activations sent between pipeline stages.
    pub(super) sends: Seconds,
    /// The draft of speculative decoding.
    pub(crate) draft: Seconds,
    /// The vision encoder.
    pub(super) vision: Seconds,
    /// The audio encoder.
    pub(super) audio: Seconds,
    /// The host's work of a step that the GPU waits for.
    pub(crate) host: Seconds,
    /// Keys and values that a prefill worker sends to one that decodes.
    pub(super) transfer: Seconds,
    /// Cached keys and values that are loaded from host memory and SSDs.
    pub(super) reload: Seconds,
    /// Layers that run on the CPU.
    pub(super) cpu: Seconds,
    /// Copies of weights from host memory.
    pub(super) copies: Seconds,
    /// Layers that run on a second GPU.
    pub(super) second: Seconds,
    /// Time in which the attention GPUs wait for those of the experts.
    pub(super) experts_wait: Seconds,
}

impl PassTimes {
    /// These times with the KV-cache transfer to a decode worker added.
    pub(crate) fn and_transfer(self, transfer: Seconds) -> Self {
        Self { transfer, ..self }
    }

    /// These times with the loading of cached keys and values added.
    pub(crate) fn and_reload(self, reload: Seconds) -> Self {
        Self { reload, ..self }
    }

    /// Time of the whole pass.
    pub(crate) fn total(&self) -> Seconds {
        let on_gpu = self.layers.total() + self.ends + self.sends + self.draft + self.host + self.transfer;
        let on_gpu = on_gpu + self.reload;
        on_gpu
            + self.unfused
            + self.cpu
            + self.copies
            + self.second
            + self.experts_wait
            + self.vision
            + self.audio
    }
}

/// The term of cached keys and values that are loaded.
pub(crate) const fn reload(time: Seconds) -> Term {
    let why = "Cached keys and values on their way from host memory and SSDs";
    Term { id: "reload", label: "KV reload", time, why }
}

/// The terms of one pass.
pub(crate) fn terms(times: &PassTimes) -> Vec<Term> {
    let term = |id, label, time, why| Term { id, label, time, why };
    let layers = |share| times.layers.get(share);
    vec![
        term("matmul", "Matrix multiplies", layers(Share::Matmul), "Projections and feed-forward blocks"),
        term(
            "attention",
            "Attention",
            layers(Share::Attention),
            "Queries against all cached keys and values",
        ),
        term("elementwise", "Elementwise", layers(Share::Elementwise), "Norms, activations and residuals"),
        term(
            "unfused",
            "Unfused kernels",
            times.unfused,
            "Routing, norms and format conversions in layers of experts, each in a kernel of its own",
        ),
        term(
            "tensor_parallel",
            "Tensor-parallel communication",
            layers(Share::TensorParallel),
            "All-reduces over the tensor group",
        ),
        term(
            "expert_parallel",
            "Expert-parallel communication",
            layers(Share::ExpertParallel),
            "Exchange of tokens with experts. Between domains halves of a batch hide it, if reading the weights twice takes less",
        ),
        term(
            "context_parallel",
            "Context-parallel communication",
            layers(Share::ContextParallel),
            "Exposed exchange of keys and values in the group that shares a prompt",
        ),
        term("vision", "Vision encoder", times.vision, "Images of the prompt, once each, before prefill"),
        term("audio", "Audio encoder", times.audio, "Audio of the prompt, once, before prefill"),
        term("pipeline", "Pipeline sends", times.sends, "Activations from stage to stage"),
        term("ends", "Embedding and output head", times.ends, "For the last position of each sequence"),
        term(
            "cpu",
            "Layers on the CPU",
            times.cpu,
            "Weights and KV cache in host memory, read at its bandwidth",
        ),
        term(
            "copies",
            "Copies from host memory",
            times.copies,
            "Weights of layers in host memory, copied to the GPU in steps of many tokens",
        ),
        term(
            "second_gpu",
            "Layers on the second GPU",
            times.second,
            "The second GPU runs them after the first has run its own, at its own compute rates and bandwidth",
        ),
        term(
            "experts_wait",
            "Waiting for expert GPUs",
            times.experts_wait,
            "Attention GPUs idle: every microbatch is at the expert GPUs or on its way",
        ),
        term(
            "draft",
            "Draft",
            times.draft,
            "Prefill by the draft, and proposing tokens that the model then verifies together",
        ),
        term("transfer", "KV transfer", times.transfer, "Transfer of keys and values to the decode worker"),
        reload(times.reload),
        term("host", "Host", times.host, "Scheduling, inputs and sampling that no kernel hides"),
    ]
}
