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
    ],
}];
