//! How training is cut over GPUs, in detail.

use super::options;
use super::row::{Group, Part, TRAINED, select, switch, whole};

pub(super) static PARTS: &[Part] = &[Part {
    group: Group::Parallelism,
    views: TRAINED,
    advanced: true,
    rows: &[
        whole(
            "parallelism.interleave",
            "Interleave",
            "chunks",
            "Model chunks per stage. More of them shrink the bubble and send more between \
            stages; 1 is the plain schedule",
        )
        .by(1.0),
        select(
            "parallelism.schedule",
            "Schedule",
            "In which order stages work on microbatches: it decides the bubble and how many activations a \
             stage keeps",
            options::schedules,
        ),
        whole(
            "parallelism.recompute_layers",
            "Recomputed layers",
            "per stage",
            "How many layers of each stage are recomputed where every layer is, if not all of them",
        )
        .by(1.0)
        .otherwise(|_| Some("all".to_owned())),
        select(
            "parallelism.zero",
            "Sharded",
            "What replicas share out rather than each keep whole: less memory, and from weights \
            on more traffic",
            options::zero,
        ),
        switch(
            "parallelism.sequence_parallel",
            "Sequence parallelism",
            "Shards norms and dropouts along the sequence over the tensor group: less memory \
            for the same traffic",
        ),
        whole(
            "parallelism.context",
            "Context",
            "GPUs",
            "GPUs that share each sequence: each computes a part of the queries, and keys and \
            values pass around a ring",
        ),
        whole(
            "parallelism.expert",
            "Expert",
            "GPUs",
            "GPUs over which the experts of a mixture are spread; tokens travel to their \
            experts and back",
        ),
        whole(
            "parallelism.expert_tensor",
            "Expert tensor",
            "GPUs",
            "GPUs that share the matrices of each expert, if not as many as share the others",
        )
        .otherwise(|_| Some("as tensor".to_owned())),
        whole(
            "parallelism.shard_group",
            "Shard group",
            "GPUs",
            "Replicas that share out gradients and weights among themselves; groups then sum \
            their gradients. Empty: all",
        )
        .otherwise(|_| Some("all".to_owned())),
        switch(
            "parallelism.tensor_overlap",
            "Tensor overlap",
            "Tensor-parallel communication goes on while the multiplies beside it run, on the \
            parts that have arrived",
        ),
        switch(
            "parallelism.data_overlap",
            "Data overlap",
            "Gradients are reduced and weights gathered while the passes beside them run",
        ),
        select(
            "parallelism.tensor_kind",
            "Tensor layout",
            "Whether a tensor group cuts matrices in one direction or, together with the context group, in two",
            options::tensor_kinds,
        ),
        whole(
            "parallelism.panels",
            "Panels",
            "",
            "Panels in which a two-dimensional group multiplies: more of them overlap better and start more kernels",
        )
        .otherwise(|_| Some("fewest".to_owned())),
        select(
            "parallelism.context_kind",
            "Context exchange",
            "How GPUs that share a sequence get at each other's keys and values",
            options::context_kinds,
        ),
        switch("parallelism.offload.activations", "Activations on the host", "The host keeps activations between the passes"),
        switch("parallelism.offload.weights", "Weights on the host", "The host keeps weights; each layer fetches its own"),
        switch(
            "parallelism.offload.optimizer",
            "Optimizer on the host",
            "The host keeps the optimizer's state, which its link brings for each step",
        ),
        whole(
            "parallelism.placement.tensor",
            "Tensor in a domain",
            "GPUs",
            "How many members of a tensor group share a scale-up domain, instead of what the order of ranks gives",
        )
        .otherwise(|_| Some("by rank".to_owned())),
        whole(
            "parallelism.placement.context",
            "Context in a domain",
            "GPUs",
            "How many members of a context group share a scale-up domain, instead of what the order of ranks gives",
        )
        .otherwise(|_| Some("by rank".to_owned())),
        whole(
            "parallelism.placement.data",
            "Replicas in a domain",
            "GPUs",
            "How many members of a group of replicas share a scale-up domain, instead of what the order of ranks gives",
        )
        .otherwise(|_| Some("by rank".to_owned())),
        whole(
            "parallelism.placement.pipeline",
            "Stages in a domain",
            "GPUs",
            "How many members of a pipeline share a scale-up domain, instead of what the order of ranks gives",
        )
        .otherwise(|_| Some("by rank".to_owned())),
    ],
}];
