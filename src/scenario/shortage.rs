//! Problems of scenarios that do not fit into memory, with advice.

use super::Problem;
use crate::estimate::Footprint;
use crate::serving::InferenceEstimate;
use crate::units::format;

/// The problem that a memory is too small; `field` is the one that the visitor is most likely to change.
fn shortage(field: &'static str, need: &str, place: &str, memory: &Footprint, advice: &str) -> Problem {
    let [needed, there] = [memory.total(), memory.capacity].map(format::memory);
    Problem::new(field, format!("{need} {needed} {place} ({there} available): {advice}"))
}

/// A GPU in training has too little memory.
pub(super) fn of_training(memory: &Footprint) -> Problem {
    let advice = "increase tensor or pipeline, recompute more, or reduce the microbatch";
    shortage("parallelism.pipeline", "needs", "per GPU", memory, advice)
}

/// A prefill worker has too little memory.
pub(super) fn of_prefill_worker(memory: &Footprint) -> Problem {
    let advice = "increase its tensor parallelism or use a smaller format";
    shortage("inference.prefill_tensor", "a prefill worker needs", "per GPU", memory, advice)
}

/// The host has too little memory for the layers on the CPU.
pub(super) fn of_host(memory: &Footprint) -> Problem {
    let advice = "put more layers on the GPU or use a smaller format";
    shortage("system.host_gib", "needs", "of host memory", memory, advice)
}

/// The second GPU has too little memory for its layers.
pub(super) fn of_second(memory: &Footprint) -> Problem {
    let advice = "put more layers on the first GPU or use a smaller format";
    shortage("system.second", "needs", "on the second GPU", memory, advice)
}

/// An expert GPU has too little memory for its experts.
pub(super) fn of_expert_gpus(memory: &Footprint) -> Problem {
    let advice = "add expert GPUs or use a smaller format";
    shortage("inference.expert_gpus", "needs", "on each expert GPU", memory, advice)
}

/// A GPU has too little memory for the weights or the requests of a served load.
pub(super) fn of_serving(estimate: &InferenceEstimate) -> Problem {
    let memory = &estimate.memory;
    let field = if estimate.largest_batch == 0 { "inference.tensor" } else { "inference.batch" };
    let advice = match estimate.largest_batch {
        0 if memory.weights + memory.reserve <= memory.capacity => {
            "the weights fit, but not the activations and the KV cache of one request: increase tensor parallelism, or \
             use shorter requests or a smaller format"
                .to_owned()
        }
        0 => "the weights alone do not fit: increase tensor parallelism or use a smaller format".to_owned(),
        1 => "at most 1 request fits".to_owned(),
        largest => format!("at most {largest} requests fit"),
    };
    shortage(field, "needs", "per GPU", memory, &advice)
}
