//! How a served model is placed on GPUs and in host memory.

use super::catalog_options;
use super::field::{Field, field};
use super::inference::advanced;
use crate::sizing::MOST_REPLICAS;

pub(super) const FIELDS: &[Field] = &[
    advanced(
        field!("serve.cp", inference.context)
            .whole(
                "Context",
                "Tensor groups that share every prompt (context parallelism), each with requests of its own to decode",
                1.0,
                64.0,
            )
            .unit("groups"),
    ),
    advanced(field!("serve.uniform", inference.uniform).switch(
        "Equal outputs",
        "Whether all requests have the same output length, so that those of a closed loop begin and end together",
    )),
    advanced(
        field!("serve.ngl", inference.gpu_layers)
            .whole(
                "Layers on GPU",
                "Layers that llama.cpp puts on the GPU (-ngl): the output head and the last layers; the CPU decodes the others",
                0.0,
                4096.0,
            )
            .unit("layers")
            .by(1.0)
            .otherwise(|_| Some("all".to_owned())),
    ),
    advanced(
        field!("serve.ncmoe", inference.cpu_experts)
            .whole(
                "Experts on CPU",
                "Leading layers whose routed experts llama.cpp keeps in host memory (--n-cpu-moe), where the CPU decodes them",
                0.0,
                4096.0,
            )
            .unit("layers")
            .by(1.0),
    ),
    advanced(
        field!("serve.second_layers", inference.second_layers)
            .whole(
                "Layers on second GPU",
                "Number of layers that llama.cpp puts on the second GPU (-ts), from the last one, with the output head",
                0.0,
                4096.0,
            )
            .unit("layers")
            .by(1.0)
            .otherwise(|_| Some("by memory".to_owned())),
    ),
    advanced(
        field!("serve.pp", inference.pipeline)
            .whole(
                "Pipeline",
                "Stages into which the layers are divided: more memory for each layer, the same latency",
                1.0,
                1024.0,
            )
            .unit("stages"),
    ),
    advanced(field!("serve.dp", inference.data).whole(
        "Attention replicas",
        "Replicas of the attention blocks in a worker, each with its own requests and cache; they share all experts",
        1.0,
        1024.0,
    )),
    advanced(field!("serve.ep", inference.expert).whole(
        "Expert",
        "Groups of GPUs of a worker over which a layer's experts are distributed; each group shards its experts",
        1.0,
        8192.0,
    )),
    advanced(
        field!("serve.expert.gpus", inference.expert_gpus)
            .whole(
                "Expert GPUs",
                "GPUs of a decode worker that hold its feed-forward blocks alone, beside those of attention; 0 where GPUs hold both",
                0.0,
                1024.0,
            )
            .unit("GPUs")
            .by(1.0),
    ),
    advanced(field!("serve.workers", inference.workers).whole(
        "Workers",
        "Copies of the model among which requests are divided",
        1.0,
        MOST_REPLICAS,
    )),
    advanced(
        field!("serve.prefill.workers", inference.prefill_workers)
            .whole(
                "Prefill workers",
                "Workers that only prefill and send keys and values on; 0 where every worker does both",
                0.0,
                MOST_REPLICAS,
            )
            .by(1.0),
    ),
    advanced(field!("serve.prefill.gpu", system.prefill).select(
        "Prefill GPU",
        "The device of workers that only prefill, whose memory, rates, links and price are then their own",
        catalog_options::prefill_gpus,
    )),
    advanced(
        field!("serve.prefill.tp", inference.prefill_tensor)
            .whole("Prefill tensor", "GPUs that share each layer's matrices on a prefill worker", 1.0, 1024.0)
            .unit("GPUs"),
    ),
    advanced(field!("serve.prefill.dp", inference.prefill_data).whole(
        "Prefill replicas",
        "Attention replicas on a prefill worker",
        1.0,
        1024.0,
    )),
    advanced(field!("serve.prefill.ep", inference.prefill_expert).whole(
        "Prefill expert",
        "Groups of GPUs of a prefill worker over which a layer's experts are distributed",
        1.0,
        8192.0,
    )),
];
