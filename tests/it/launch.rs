//! Launch commands: written, read back, and as people have them.

use foretoken::launch::{Command, Tool, read};
use foretoken::measured::{Opened, open};
use foretoken::scenario::{Scenario, View, link};

/// Deployments that each tool can express, as links without the lengths of requests.
const DEPLOYMENTS: &[(Tool, &str)] = &[
    (
        Tool::Vllm,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.workers=2&serve.concurrency=64&serve.engine=vllm",
    ),
    (
        Tool::Vllm,
        "model=llama-3.1-8b&serve.tp=1&serve.precision=fp8&serve.kv=fp8&serve.rate=8&serve.engine=vllm",
    ),
    (
        Tool::Vllm,
        "model=deepseek-v3&gpu=h200-sxm&serve.tp=1&serve.dp=16&serve.ep=16&serve.precision=fp8block&serve.workers=2&serve.concurrency=512&serve.engine=vllm",
    ),
    (
        Tool::Vllm,
        "model=qwen3-32b&serve.tp=2&serve.pp=2&serve.precision=int4&serve.launch=stream&serve.draft=3&serve.batch=16&serve.engine=vllm",
    ),
    (
        Tool::Vllm,
        "model=llama-3.1-70b&serve.tp=8&serve.prefill.workers=2&serve.prefill.tp=4&serve.workers=1&serve.rate=20&serve.requests=500&serve.engine=vllm",
    ),
    (
        Tool::Vllm,
        "model=llama-3.1-405b&gpu=h100-sxm&serve.tp=8&serve.pp=2&serve.workers=3&serve.rate=4&serve.engine=vllm",
    ),
    (
        Tool::Sglang,
        "model=llama-3.1-405b&gpu=h100-sxm&serve.tp=8&serve.pp=4&serve.workers=2&serve.rate=4&serve.engine=sglang",
    ),
    (
        Tool::Sglang,
        "model=deepseek-v3&gpu=h100-sxm&serve.tp=1&serve.dp=32&serve.ep=32&serve.precision=fp8block&serve.concurrency=256&serve.engine=sglang",
    ),
    (
        Tool::Vllm,
        "model=deepseek-v3&gpu=b200&serve.tp=8&serve.precision=fp8block&serve.draft=1&serve.draft_model=mtp&serve.batch=16&serve.engine=vllm",
    ),
    (
        Tool::Sglang,
        "model=deepseek-v3&gpu=b200&serve.tp=1&serve.dp=8&serve.ep=8&serve.precision=fp8block&serve.concurrency=256&serve.engine=sglang",
    ),
    (
        Tool::Sglang,
        "model=llama-3.1-70b&serve.tp=4&serve.workers=3&serve.kv=fp8&serve.concurrency=32&serve.rounds=5&serve.engine=sglang",
    ),
    (
        Tool::Sglang,
        "model=gpt-oss-120b&serve.tp=2&serve.precision=mxfp4&serve.draft=4&serve.concurrency=32&serve.engine=sglang056",
    ),
    (
        Tool::Trtllm,
        "model=deepseek-v3&gpu=gb200-nvl72&serve.tp=1&serve.dp=8&serve.ep=8&serve.precision=fp4&serve.kv=fp8&serve.draft=2&serve.concurrency=128&serve.engine=trtllm",
    ),
    (
        Tool::Trtllm,
        "model=llama-3.1-70b&serve.tp=4&serve.precision=fp8&serve.launch=stream&serve.prefill.workers=3&serve.prefill.tp=2&serve.concurrency=64&serve.engine=trtllm",
    ),
    (
        Tool::Vllm,
        "model=llama-3.1-70b&serve.tp=4&serve.concurrency=64&serve.max_seqs=128&serve.max_tokens=4096&serve.memory=0.85&serve.engine=vllm",
    ),
    (
        Tool::Sglang,
        "model=deepseek-v3&gpu=b200&serve.tp=1&serve.dp=8&serve.ep=8&serve.precision=fp8block&serve.concurrency=256&serve.max_seqs=48&serve.max_tokens=2048&serve.admission=30&serve.mixed=true&serve.memory=0.8&serve.engine=sglang",
    ),
    (
        Tool::Trtllm,
        "model=llama-3.1-70b&serve.tp=4&serve.precision=fp8&serve.kv=fp8&serve.concurrency=64&serve.max_seqs=256&serve.max_tokens=16384&serve.memory=0.7&serve.engine=trtllm",
    ),
    (
        Tool::Llamacpp,
        "model=llama-3.1-8b&gpu=rtx-4090&serve.tp=1&serve.precision=q4_k_m&serve.kv=q8_0&serve.concurrency=4&serve.max_seqs=8&serve.max_tokens=1024&serve.engine=llamacpp",
    ),
    (
        Tool::Llamacpp,
        "model=llama-3.1-8b&gpu=rtx-4090&serve.tp=1&serve.precision=q4_k_m&serve.kv=q8_0&serve.batch=1&serve.engine=llamacpp",
    ),
    (
        Tool::Llamacpp,
        "model=llama-3.1-70b&gpu=rtx-4090&serve.tp=1&serve.pp=2&serve.precision=q5_k_m&serve.kv=fp16&serve.batch=1&serve.engine=llamacpp",
    ),
    (
        Tool::Llamacpp,
        "model=llama-3.1-70b&gpu=rtx-4090&serve.tp=1&serve.precision=q4_k_m&serve.kv=fp16&serve.ngl=40&serve.engine=llamacpp",
    ),
    (
        Tool::Llamacpp,
        "model=llama-3.1-8b&gpu=rtx-4090&serve.tp=1&serve.precision=q4_k_m&serve.kv=fp16&serve.ngl=0&serve.engine=llamacpp",
    ),
    (
        Tool::Llamacpp,
        "model=gpt-oss-120b&gpu=rtx-4090&serve.tp=1&serve.precision=mxfp4&serve.kv=fp16&serve.ncmoe=28&serve.engine=llamacpp",
    ),
    (
        Tool::Llamacpp,
        "model=gpt-oss-120b&gpu=rtx-4090&serve.tp=1&serve.precision=mxfp4&serve.kv=fp16&serve.ncmoe=36&serve.engine=llamacpp",
    ),
    (
        Tool::Llamacpp,
        "model=llama-3.1-8b&gpu=rtx-3090&second=rtx-3060&serve.tp=1&serve.precision=q4_k_m&serve.kv=fp16&serve.second_layers=10&serve.engine=llamacpp",
    ),
    (
        Tool::Mlx,
        "model=llama-3.1-8b&gpu=apple-m3-max-40c&serve.tp=1&serve.precision=mlx4&serve.concurrency=4&serve.max_seqs=8&serve.max_tokens=1024&serve.engine=mlx",
    ),
    (
        Tool::Mlx,
        "model=llama-3.1-70b&gpu=apple-m3-ultra-80c&serve.tp=2&serve.precision=mlx6&serve.batch=1&serve.engine=mlx",
    ),
    (
        Tool::Mlx,
        "model=llama-3.1-70b&gpu=apple-m3-ultra-80c&serve.tp=1&serve.pp=2&serve.precision=bf16&serve.batch=1&serve.engine=mlx",
    ),
    // Workers that need more GPUs together than a server has.
    (
        Tool::Vllm,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.workers=7&serve.concurrency=64&serve.engine=vllm",
    ),
    (
        Tool::Sglang,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.workers=7&serve.concurrency=64&serve.engine=sglang",
    ),
    // A prefix cache in host memory. SGLang takes whole gigabytes: 1,000 GB are 931 GiB and a part.
    (
        Tool::Vllm,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.rate=4&serve.cache.host=128&serve.engine=vllm",
    ),
    (
        Tool::Trtllm,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.kv=fp8&serve.rate=4&serve.cache.host=96&serve.engine=trtllm",
    ),
    (
        Tool::Sglang,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.rate=4&serve.cache.host=931.3225746154785&serve.engine=sglang",
    ),
    // Pools of which one is copied and the other is not.
    (
        Tool::Vllm,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=2&serve.workers=2&serve.prefill.tp=8&serve.prefill.workers=3&serve.rate=4&serve.engine=vllm",
    ),
    (
        Tool::Sglang,
        "model=llama-3.1-70b&gpu=h100-sxm&serve.tp=2&serve.workers=1&serve.prefill.tp=4&serve.prefill.workers=5&serve.rate=4&serve.engine=sglang",
    ),
    (
        Tool::Trtllm,
        "model=deepseek-v3&gpu=b200&serve.tp=8&serve.workers=1&serve.prefill.tp=1&serve.prefill.dp=8&serve.prefill.ep=8&serve.prefill.workers=2&serve.precision=fp4&serve.kv=fp8&serve.concurrency=64&serve.engine=trtllm",
    ),
];

/// Training plans that each tool can express, as links.
const PLANS: &[(Tool, &str)] = &[
    (
        Tool::Megatron,
        "model=llama-3.1-70b&gpus=512&tp=8&pp=4&interleave=5&batch=1024&seq=8192&framework=megatron",
    ),
    (
        Tool::Megatron,
        "model=llama-3.1-70b&gpus=512&tp=8&pp=4&interleave=8&batch=1024&seq=8192&framework=megatron",
    ),
    (Tool::Megatron, "model=llama-3.1-405b&gpus=1024&tp=8&pp=16&batch=1024&seq=8192&framework=megatron"),
    (
        Tool::Megatron,
        "model=megatron-175b&gpus=64&tp=8&pp=8&batch=64&recompute=full&sp=false&zero=0&dp_overlap=false&precision=fp16&framework=megatron",
    ),
    (
        Tool::Megatron,
        "model=llama-3.1-8b&gpus=64&tp=2&pp=1&cp=4&cp_kind=gather&zero=3&batch=256&seq=32768&recompute=none&precision=fp8&framework=megatron",
    ),
    (
        Tool::Megatron,
        "model=mixtral-8x7b&gpus=64&tp=2&pp=2&ep=8&ep_kind=deep_ep&batch=512&offload.optimizer=true&gradients=bf16&framework=megatron",
    ),
    (
        Tool::Megatron,
        "model=mixtral-8x7b&gpus=64&tp=2&pp=2&ep=8&batch=512&recompute=outputs&framework=megatron",
    ),
    (
        Tool::Megatron,
        "model=mixtral-8x22b&gpus=256&tp=2&pp=4&interleave=7&ep=8&batch=1024&recompute=none&ep_overlap=true&framework=megatron",
    ),
    (
        Tool::Bridge,
        "model=llama-3.1-70b&gpus=64&tp=4&pp=4&batch=128&seq=8192&recompute=none&precision=mxfp8&tp_overlap=true&framework=nemo",
    ),
    (
        Tool::Trl,
        "model=llama-3.1-8b&gpu=rtx-4090&gpus=1&tp=1&pp=1&sp=false&mb=2&recompute=full&batch=16&seq=2048&gradients=bf16&optimizer=adam8&frozen=true&base=nf4_double&tokens=1e8&framework=transformers",
    ),
    (
        Tool::Trl,
        "model=qwen3-32b&gpu=h100-sxm&gpus=16&tp=1&pp=1&sp=false&zero=3&mb=1&recompute=none&batch=64&seq=4096&frozen=true&rank=64&targets=attention&offload.activations=true&tokens=1e8&framework=transformers",
    ),
    (
        Tool::Megatron,
        "model=llama-3.1-70b&gpu=gb200-nvl72&gpus=64&tp=4&pp=2&batch=256&seq=8192&zero=1&framework=megatron",
    ),
    (
        Tool::Torchtitan,
        "model=llama-3.1-8b&gpus=8&tp=1&pp=1&zero=3&batch=16&seq=8192&recompute=full&framework=typical",
    ),
    (
        Tool::Torchtitan,
        "model=llama-3.1-8b&gpus=64&tp=2&pp=1&zero=3&batch=128&seq=8192&mb=2&recompute=operators&framework=typical",
    ),
    (
        Tool::Torchtitan,
        "model=llama-3.1-8b&gpus=64&tp=1&pp=1&zero=3&shard_group=8&batch=128&seq=8192&recompute=full&framework=typical",
    ),
];

/// The questions of the round trips, each with its tool.
pub(crate) fn questions() -> Vec<(Tool, Scenario)> {
    let deployment = |(tool, asked): &(Tool, &str)| {
        (*tool, question(&format!("v=1&view=inference&serve.in=3000&serve.out=500&{asked}")))
    };
    let plan = |(tool, asked): &(Tool, &str)| (*tool, question(&format!("v=1&view=training&{asked}")));
    DEPLOYMENTS.iter().map(deployment).chain(PLANS.iter().map(plan)).collect()
}

fn question(text: &str) -> Scenario {
    link::decode(text).scenario
}

/// Meaning of a command for `tool` to a reader who has only its text and the device.
fn read_back(asked: &Scenario, tool: Tool) -> Scenario {
    let command = Command::of(asked, tool);
    let empty = Scenario { system: asked.system.clone(), ..Scenario::default() };
    let launched = read(&empty, &command.text).unwrap_or_else(|| panic!("{}", command.text));
    assert_eq!(launched.tool, tool, "{}", command.text);
    assert!(
        launched.remarks.iter().all(|remark| !remark.contains("are unknown")),
        "{:?}\n{}",
        launched.remarks,
        command.text
    );
    launched.applied_to(&empty)
}

/// Differences between two questions of one view, as link keys.
fn differences(asked: &Scenario, found: &Scenario) -> Vec<String> {
    let (asked, found) = (link::encode(asked), link::encode(found));
    let parts = |text: &str| text.split('&').map(str::to_owned).collect::<Vec<_>>();
    let (asked, found) = (parts(&asked), parts(&found));
    asked.iter().filter(|part| !found.contains(part)).cloned().collect()
}

#[test]
fn deployments_survive_a_round_trip() {
    for (tool, asked) in DEPLOYMENTS {
        let asked = question(&format!("v=1&view=inference&serve.in=3000&serve.out=500&{asked}"));
        let found = read_back(&asked, *tool);
        let found = Scenario {
            inference: foretoken::inference::InferenceLoad {
                engine: asked.inference.engine,
                ..found.inference
            },
            ..found
        };
        let text = Command::of(&asked, *tool).text;
        assert_eq!(differences(&asked, &found), Vec::<String>::new(), "{text}");
        // llama.cpp's slots are the concurrent requests, and a limit besides.
        let more = differences(&found, &asked).into_iter().filter(|key| !key.starts_with("serve.max_seqs="));
        assert_eq!(more.collect::<Vec<String>>(), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn training_plans_survive_a_round_trip() {
    for (tool, asked) in PLANS {
        let asked = question(&format!("v=1&view=training&{asked}"));
        let mut found = read_back(&asked, *tool);
        // The configuration files of both name the model and what their flags do not.
        if matches!(tool, Tool::Bridge | Tool::Torchtitan) {
            assert_eq!(found.system.gpus, asked.system.gpus, "{}", Command::of(&asked, *tool).text);
            let (plan, recipe) = (found.parallelism, found.recipe);
            found = asked.clone();
            (found.parallelism, found.recipe) = (plan, recipe);
            found.recipe.gradients = asked.recipe.gradients;
            found.recipe.dropout = asked.recipe.dropout;
            if *tool == Tool::Torchtitan {
                found.recipe.precision = asked.recipe.precision;
                found.parallelism.sequence_parallel = asked.parallelism.sequence_parallel;
            }
        }
        // Steps are whole, and learning rates belong to them: a reader leaves the budget of tokens to the question.
        if *tool == Tool::Trl {
            found.recipe.tokens = asked.recipe.tokens;
        }
        let left: Vec<String> = differences(&asked, &found);
        assert_eq!(left, Vec::<String>::new(), "{}", Command::of(&asked, *tool).text);
    }
}

/// Commands as documentation and forums have them.
#[test]
fn pasted_commands_become_questions() {
    for (command, tool, keys) in [
        (
            "docker run --gpus all --ipc=host vllm/vllm-openai:v0.11.0 --model meta-llama/Llama-3.1-70B-Instruct \\\n  -tp 4 --max-model-len 8192 --gpu-memory-utilization 0.9",
            Tool::Vllm,
            "model=llama-3.1-70b&serve.tp=4&serve.memory=0.9&serve.engine=vllm",
        ),
        (
            "VLLM_USE_V1=1 vllm serve Qwen/Qwen3-32B-FP8 --tensor_parallel_size=2 --kv-cache-dtype fp8_e4m3 --port 8000 &",
            Tool::Vllm,
            "model=qwen3-32b&serve.tp=2&serve.precision=fp8&serve.kv=fp8",
        ),
        (
            "python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 16 --dp 16 --enable-dp-attention --ep 16 --trust-remote-code --nnodes 2 --node-rank 0",
            Tool::Sglang,
            "model=deepseek-v3&serve.tp=1&serve.dp=16&serve.ep=16&serve.precision=fp8block",
        ),
        (
            "python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 16 --dp 16 --enable-dp-attention --moe-a2a-backend deepep --speculative-algorithm EAGLE",
            Tool::Sglang,
            "model=deepseek-v3&serve.tp=1&serve.dp=16&serve.ep=16&serve.precision=fp8block&serve.draft=3",
        ),
        (
            "vllm serve deepseek-ai/DeepSeek-V3.1 --enable-expert-parallel -tp 8 --speculative-config.method mtp --speculative-config.num_speculative_tokens 1 --max-num-batched-tokens 8k",
            Tool::Vllm,
            "model=deepseek-v3&serve.tp=8&serve.ep=8&serve.precision=fp8block&serve.draft=1&serve.max_tokens=8000",
        ),
        (
            "trtllm-serve deepseek-ai/DeepSeek-V3 --tensor_parallel_size 8 --moe_expert_parallel_size 8 --pipeline_parallel_size 1",
            Tool::Trtllm,
            "model=deepseek-v3&serve.tp=8&serve.ep=8&serve.pp=1",
        ),
        (
            "GPT_MODEL_ARGS=(\n    --num-layers 32\n    --bf16\n)\nPARALLEL=(--tensor-model-parallel-size 4 --sequence-parallel)\ntorchrun --nproc_per_node 8 pretrain_gpt.py ${GPT_MODEL_ARGS[@]} \"${PARALLEL[@]}\"",
            Tool::Megatron,
            "gpus=8&tp=4&sp=true&precision=bf16",
        ),
        (
            "NGPU=8 MODULE=llama3 CONFIG=llama3_8b ./run_train.sh --parallelism.tensor_parallel_degree 2 activation-checkpoint:full",
            Tool::Torchtitan,
            "gpus=8&tp=2&recompute=full",
        ),
        (
            "trtllm-serve nvidia/Llama-3.1-70B-Instruct-FP8 --tp_size 4 --max_batch_size 512",
            Tool::Trtllm,
            "model=llama-3.1-70b&serve.tp=4&serve.precision=fp8&serve.max_seqs=512",
        ),
        (
            "./build/bin/llama-server -m ~/models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf -ngl 99 -c 8192 -fa on",
            Tool::Llamacpp,
            "model=llama-3.1-8b&serve.tp=1&serve.precision=q4_k_m",
        ),
        (
            "llama-server -m Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf --n-gpu-layers 20",
            Tool::Llamacpp,
            "model=llama-3.1-8b&serve.tp=1&serve.precision=q4_k_m&serve.ngl=20",
        ),
        (
            "mlx_lm.generate --model mlx-community/Meta-Llama-3.1-8B-Instruct-4bit --prompt 'A poem' -m 256 --temp 0.7",
            Tool::Mlx,
            "model=llama-3.1-8b&serve.tp=1&serve.precision=mlx4&serve.out=256&serve.engine=mlx",
        ),
        (
            "mlx.launch --hosts studio.local,mini.local python -m mlx_lm server --model mlx-community/Llama-3.1-70B-Instruct-8bit --pipeline",
            Tool::Mlx,
            "model=llama-3.1-70b&serve.tp=1&serve.pp=2&serve.precision=mlx8&serve.engine=mlx",
        ),
        (
            "llama-server -m gpt-oss-120b-mxfp4.gguf --cpu-moe -ngl 99",
            Tool::Llamacpp,
            "model=gpt-oss-120b&serve.tp=1&serve.precision=mxfp4&serve.ncmoe=36",
        ),
    ] {
        let launched = read(&Scenario::default(), command).expect(command);
        assert_eq!(launched.tool, tool);
        let found = launched.applied_to(&Scenario::default());
        let view = if keys.starts_with("gpus") { View::Training } else { View::Inference };
        assert_eq!(found.view, view);
        let view = if view == View::Training { "training" } else { "inference" };
        let expected = question(&format!("v=1&view={view}&{keys}"));
        assert_eq!(differences(&expected, &found), Vec::<String>::new(), "{command}");
    }
}

#[test]
fn what_is_not_understood_is_said() {
    let text = "vllm serve a/model-of-nobody -tp 2 --enable-dbo --block-size 16 --cpu-offload-gb 8 --frobnicate 3 --kv-cache-dtype fp6";
    let Ok(Opened::Points(points)) = open(&Scenario::default(), text) else { panic!("a command") };
    let [point] = &points[..] else { panic!("one point") };
    let remarks = point.report.remarks.join("; ");
    for said in ["model-of-nobody", "--enable-dbo", "--cpu-offload-gb", "--frobnicate", "fp6"] {
        assert!(remarks.contains(said), "{said}: {remarks}");
    }
    assert!(point.report.summary.contains("vLLM"), "{}", point.report.summary);
    assert_eq!(point.scenario.inference.tensor, 2);
    assert!(read(&Scenario::default(), "rm -rf /").is_none());
    assert!(read(&Scenario::default(), "").is_none());
}

/// A command without limits sets the engine's own, also if the question had others.
#[test]
fn limits_that_a_command_lacks_are_those_of_the_engine() {
    let asked = question("v=1&view=inference&serve.max_seqs=16&serve.max_tokens=512&serve.memory=0.5");
    for command in [
        "vllm serve meta-llama/Llama-3.1-8B",
        "python -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B --chunked-prefill-size -1",
        "trtllm-serve meta-llama/Llama-3.1-8B",
    ] {
        let load = read(&asked, command).expect(command).applied_to(&asked).inference;
        assert_eq!(
            (load.max_sequences, load.token_budget, load.memory_share),
            (None, None, None),
            "{command}"
        );
    }
    let yaml = "cat > serve.yaml <<'EOF'\nmax_batch_size: 64\nkv_cache_config:\n  free_gpu_memory_fraction: 0.6\nEOF\n\
                trtllm-serve meta-llama/Llama-3.1-8B --max_batch_size 512 --max_num_tokens 4096 --config serve.yaml";
    let load = read(&asked, yaml).expect("a command").applied_to(&asked).inference;
    let limits = (load.max_sequences, load.token_budget, load.memory_share);
    assert_eq!(limits, (Some(64), Some(4096), Some(0.6)));
}

/// The command of a worker that spans several servers sets the rank of each, or a note states what the tool needs.
#[test]
fn workers_of_several_servers_have_ranks_or_a_note() {
    let wide = question(
        "v=1&view=inference&model=deepseek-v3&gpu=h100-sxm&serve.tp=1&serve.dp=16&serve.ep=16&serve.precision=fp8block",
    );
    let deep = question("v=1&view=inference&model=llama-3.1-405b&gpu=h100-sxm&serve.tp=8&serve.pp=2");
    for (asked, tool, parts) in [
        (
            &wide,
            Tool::Vllm,
            ["--data-parallel-size-local 8", "start it on 2 servers (16 GPUs): ranks 0 to 1"],
        ),
        (&deep, Tool::Vllm, ["--nnodes 2", "--master-addr \"$HEAD\""]),
        (&deep, Tool::Sglang, ["--node-rank \"$RANK\"", "--dist-init-addr \"$HEAD:5000\""]),
    ] {
        let text = Command::of(asked, tool).text;
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    for tool in [Tool::Trtllm, Tool::Llamacpp] {
        let notes = Command::of(&deep, tool).notes.join("; ");
        assert!(notes.contains("2 machines"), "{notes}");
    }
    let one = question("v=1&view=inference&model=llama-3.1-70b&gpu=h100-sxm&serve.tp=8");
    assert!(Tool::of(&one).into_iter().all(|tool| !Command::of(&one, tool).text.contains("RANK")));
}

#[test]
fn what_a_tool_cannot_do_is_noted() {
    let asked = question("v=1&view=inference&model=llama-3.1-8b&serve.tp=2&serve.cp=2&serve.kv=int4");
    let notes = Command::of(&asked, Tool::Sglang).notes.join("; ");
    assert!(notes.contains("has no flag for"), "{notes}");
}

/// No other tool reads MLX's formats.
#[test]
fn mlx_alone_runs_its_formats() {
    let question = link::decode("v=1&view=inference&model=llama-3.1-8b&gpu=apple-m4-max-40c&gpus=1&serve.tp=1&serve.precision=mlx4&serve.engine=mlx").scenario;
    assert_eq!(Tool::of(&question), [Tool::Mlx]);
}

#[test]
fn commands_start_what_was_asked() {
    let of = |link: &str, tool: Tool| {
        let decoded = link::decode(link);
        assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
        Command::of(&decoded.scenario, tool)
    };
    // Seven workers of four GPUs need more than one server of eight.
    let seven =
        "v=1&view=inference&model=llama-3.1-70b&gpu=h100-sxm&serve.tp=4&serve.workers=7&serve.concurrency=64";
    for tool in [Tool::Vllm, Tool::Sglang] {
        let text = of(seven, tool).text;
        assert!(text.contains("REPLICAS=7") && !text.contains("--data-parallel-size"), "{text}");
        assert!(!text.contains("--dp-size"), "{text}");
        let two = of(&seven.replace("workers=7", "workers=2"), tool).text;
        assert!(
            !two.contains("REPLICAS") && (two.contains("-parallel-size 2") || two.contains("--dp-size 2")),
            "{two}"
        );
    }
    // The client sends requests of the lengths that are predicted.
    assert!(of(seven, Tool::Sglang).text.contains("--random-range-ratio 1"));
    assert!(of(seven, Tool::Vllm).text.contains("--ignore-eos"));
    let apart = format!("{seven}&serve.prefill.workers=2&serve.prefill.tp=4");
    for (tool, router) in
        [(Tool::Vllm, "llm-d"), (Tool::Sglang, "launch_router"), (Tool::Trtllm, "disaggregated")]
    {
        let command = of(&apart, tool);
        assert!(
            command.text.contains("--port 8100") && command.text.contains("--port 8200"),
            "{}",
            command.text
        );
        assert!(command.notes.iter().any(|note| note.contains(router)), "{:?}", command.notes);
    }
    let amd = link::decode(&seven.replace("h100-sxm", "mi355x")).scenario;
    assert!(!Tool::of(&amd).contains(&Tool::Trtllm) && Tool::of(&amd).contains(&Tool::Vllm));
}
