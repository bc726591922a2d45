//! The parallelism plan of a training job.

use super::field::{Field, field};
use super::group::Group;
use super::options;
use super::views::TRAINED;

pub(super) const FIELDS: &[Field] = &[
    plain(
        field!("tp", parallelism.tensor)
            .whole(
                "Tensor",
                "GPUs that share each layer's matrices: less memory on each, more communication in every layer",
                1.0,
                1024.0,
            )
            .unit("GPUs"),
    ),
    advanced(field!("tp_kind", parallelism.tensor_kind).select(
        "Tensor layout",
        "Whether a tensor group cuts matrices in one direction or, together with the context group, in two",
        options::tensor_kinds,
    )),
    advanced(
        field!("panels", parallelism.panels)
            .whole(
                "Panels",
                "Panels of a multiply in a two-dimensional group (SUMMA): more of them overlap better and start more kernels",
                1.0,
                65_536.0,
            )
            .otherwise(|_| Some("fewest".to_owned())),
    ),
    plain(
        field!("pp", parallelism.pipeline)
            .whole(
                "Pipeline",
                "Stages into which the layers are divided: less memory on each GPU, a larger bubble",
                1.0,
                1024.0,
            )
            .unit("stages"),
    ),
    advanced(field!("schedule", parallelism.schedule).select(
        "Schedule",
        "The order of microbatches in each stage, which gives the bubble and the activations that a stage keeps",
        options::schedules,
    )),
    advanced(
        field!("interleave", parallelism.interleave)
            .whole(
                "Interleave",
                "Model chunks per stage: more of them shrink the bubble and send more between stages",
                1.0,
                64.0,
            )
            .unit("chunks")
            .by(1.0),
    ),
    advanced(field!("sp", parallelism.sequence_parallel).switch(
        "Sequence parallelism",
        "Whether the tensor group shards norms and dropouts along the sequence: less memory, the same traffic",
    )),
    advanced(field!("zero", parallelism.zero).select(
        "Sharding (ZeRO)",
        "State that data-parallel replicas shard instead of each keeping a copy: less memory; sharded weights add traffic",
        options::zero,
    )),
    plain(
        field!("mb", parallelism.microbatch)
            .whole(
                "Microbatch",
                "Sequences that pass the pipeline together: more of them run matrices faster, take more memory and \
                 leave a larger bubble",
                1.0,
                65_536.0,
            )
            .unit("seqs"),
    ),
    plain(field!("recompute", parallelism.recompute).select(
        "Recompute",
        "The activations that the backward pass computes again rather than keeps: time for memory. A fused attention kernel \
         (FlashAttention) computes its core again inside its own backward pass in any case: with it “Attention core” changes \
         nothing, and HFU, which counts no work inside kernels, equals MFU",
        options::recompute,
    )),
    advanced(
        field!("recompute_layers", parallelism.recompute_layers)
            .whole(
                "Recomputed layers",
                "Layers of each stage that full recomputation covers, if not all",
                0.0,
                1024.0,
            )
            .unit("per stage")
            .by(1.0)
            .otherwise(|_| Some("all".to_owned())),
    ),
    advanced(
        field!("offload.activations", parallelism.offload.activations)
            .switch("Activations on the host", "Whether the host keeps activations between the passes"),
    ),
    advanced(
        field!("offload.weights", parallelism.offload.weights)
            .switch("Weights on the host", "Whether the host keeps weights, which each layer fetches"),
    ),
    advanced(field!("offload.optimizer", parallelism.offload.optimizer).switch(
        "Optimizer on the host",
        "Whether the host keeps the optimizer's state, which crosses the host link in each step",
    )),
    advanced(
        field!("cp", parallelism.context)
            .whole(
                "Context",
                "GPUs that share each sequence, each with a part of the queries; keys and values pass between them",
                1.0,
                1024.0,
            )
            .unit("GPUs"),
    ),
    advanced(field!("cp_kind", parallelism.context_kind).select(
        "Context exchange",
        "How GPUs that share a sequence get each other's keys and values",
        options::context_kinds,
    )),
    advanced(
        field!("ep", parallelism.expert)
            .whole(
                "Expert",
                "GPUs over which a mixture's experts are spread; tokens travel to their experts and back",
                1.0,
                1024.0,
            )
            .unit("GPUs"),
    ),
    advanced(
        field!("etp", parallelism.expert_tensor)
            .whole("Expert tensor", "GPUs that share each expert's matrices, if not as many as tensor", 1.0, 1024.0)
            .unit("GPUs")
            .otherwise(|_| Some("as tensor".to_owned())),
    ),
    advanced(field!("ep_kind", parallelism.expert_dispatch).select(
        "Expert dispatch",
        "How tokens reach the GPUs of their experts: a copy for each expert, or once for each server",
        options::expert_dispatches,
    )),
    advanced(
        field!("shard_group", parallelism.shard_group)
            .whole(
                "Shard group",
                "Replicas that shard gradients and weights among themselves, if not all; groups then sum gradients",
                1.0,
                65_536.0,
            )
            .unit("replicas")
            .otherwise(|_| Some("all".to_owned())),
    ),
    advanced(field!("tp_overlap", parallelism.tensor_overlap).switch(
        "Tensor overlap",
        "Whether tensor-parallel communication overlaps the matrix multiplies beside it",
    )),
    advanced(field!("ep_overlap", parallelism.expert_overlap).switch(
        "Expert overlap",
        "Whether expert-parallel all-to-alls overlap the passes of another microbatch (1F1B; with several stages, interleaved)",
    )),
    advanced(field!("dp_overlap", parallelism.data_overlap).switch(
        "Data overlap",
        "Whether the reduction of gradients and the gathering of weights overlap the passes beside them",
    )),
    placed(field!("place.tp", parallelism.placement.tensor).whole(
        "Tensor in a domain",
        "Members of a tensor group in one scale-up domain, instead of what the order of ranks gives",
        1.0,
        1024.0,
    )),
    placed(field!("place.cp", parallelism.placement.context).whole(
        "Context in a domain",
        "Members of a context group in one scale-up domain, instead of what the order of ranks gives",
        1.0,
        1024.0,
    )),
    placed(field!("place.dp", parallelism.placement.data).whole(
        "Replicas in a domain",
        "Members of a group of replicas in one scale-up domain, instead of what the order of ranks gives",
        1.0,
        65_536.0,
    )),
    placed(field!("place.pp", parallelism.placement.pipeline).whole(
        "Stages in a domain",
        "Members of a pipeline in one scale-up domain, instead of what the order of ranks gives",
        1.0,
        1024.0,
    )),
];

const fn plain(field: Field) -> Field {
    field.on(Group::Parallelism, TRAINED)
}

const fn advanced(field: Field) -> Field {
    plain(field).advanced()
}

const fn placed(field: Field) -> Field {
    advanced(field.unit("GPUs").otherwise(|_| Some("by rank".to_owned())))
}
