//! Launch commands that start what was asked, or say why there is none.

use foretoken::launch::{Command, Tool, read};
use foretoken::scenario::{Scenario, link};

fn question(link: &str) -> Scenario {
    let decoded = link::decode(link);
    assert!(decoded.problems.is_empty(), "{link}: {:?}", decoded.problems);
    decoded.scenario
}

/// The command of a tool for an Inference question; `rest` are the keys after the model and the lengths.
fn serving(rest: &str, tool: Tool) -> Command {
    Command::of(&question(&format!("v=1&view=inference&serve.in=3000&serve.out=500&{rest}")), tool)
}

/// The command of a tool for a Training question.
fn training(rest: &str, tool: Tool) -> Command {
    Command::of(&question(&format!("v=1&view=training&{rest}")), tool)
}

fn has(command: &Command, parts: &[&str]) {
    for part in parts {
        assert!(command.text.contains(part), "{part}\n{}", command.text);
    }
}

fn notes(command: &Command, part: &str) {
    assert!(command.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", command.notes);
}

const QLORA: &str = "model=llama-3.1-8b&gpu=rtx-4090&gpus=1&tp=1&pp=1&sp=false&mb=2&recompute=full&batch=16&seq=2048&gradients=bf16&optimizer=adam8&frozen=true&base=nf4_double&tokens=1e8";

/// The launchers of pre-training print no command for adapters, which they would not train.
#[test]
fn adapters_have_the_command_of_a_tool_that_trains_adapters() {
    let asked = question(&format!("v=1&view=training&{QLORA}"));
    assert_eq!(Tool::of(&asked), [Tool::Trl]);
    let command = Command::of(&asked, Tool::Trl);
    has(
        &command,
        &[
            "trl sft",
            "--use_peft",
            "--lora_r 16",
            "--lora_target_modules all-linear",
            "--load_in_4bit",
            "--use_bnb_nested_quant",
            "--optim adamw_8bit",
            "--per_device_train_batch_size 2",
            "--gradient_accumulation_steps 8",
            "--max_length 2048",
            "--max_steps 3052",
        ],
    );
    notes(&command, "Megatron-LM, Megatron-Bridge and torchtitan are left out");
    assert!(command.notes.iter().all(|note| !note.contains("has no flag")), "{:?}", command.notes);
    for tool in [Tool::Megatron, Tool::Bridge, Tool::Torchtitan] {
        let other = Command::of(&asked, tool);
        assert!(
            other.text.starts_with("# No command: ") && other.text.lines().count() == 1,
            "{}",
            other.text
        );
        assert_eq!(read(&Scenario::default(), &other.text), None);
    }
    let whole = question("v=1&view=training&model=llama-3.1-8b&gpus=8&tp=1&pp=1");
    assert!(!Tool::of(&whole).contains(&Tool::Trl));
}

/// What `trl sft` does not set is listed.
#[test]
fn what_the_command_of_adapters_does_not_set_is_noted() {
    let other = QLORA.replace("gpus=1&tp=1", "gpus=2&tp=2").replace("base=nf4_double", "base=fp8");
    let command = training(&format!("{other}&loss_chunks=8"), Tool::Trl);
    for part in ["Tensor", "Loss chunks", "Frozen weights", "Gradients"] {
        notes(&command, part);
    }
    let momentum = training("model=llama-3.1-8b&gpus=8&tp=1&pp=1&optimizer=adam16", Tool::Megatron);
    notes(&momentum, "has no flag for Job: Optimizer");
}

/// Adapters as people train them.
#[test]
fn pasted_commands_of_trl_become_questions() {
    let text = "accelerate launch --num_processes 4 trl/scripts/sft.py --model_name_or_path meta-llama/Llama-3.1-8B --use_peft \
                --lora-r 32 --load_in_4bit --per_device_train_batch_size 4 --gradient_accumulation_steps 2 --max_length 4096 \
                --lora_target_modules q_proj v_proj";
    let found = read(&Scenario::default(), text).expect("a command");
    assert_eq!(found.tool, Tool::Trl);
    let found = found.applied_to(&Scenario::default());
    assert!(found.recipe.frozen);
    assert_eq!((found.recipe.rank, found.recipe.batch, found.parallelism.microbatch), (32, 32, 4));
    assert_eq!((found.system.gpus, found.parallelism.tensor, found.recipe.sequence), (4, 1, 4096));
}

/// A command of several nodes starts the processes of one node and names the node where all meet.
#[test]
fn several_nodes_meet() {
    let link = "model=llama-3.1-70b&gpu=h100-sxm&gpus=512&tp=8&pp=4&batch=1024&seq=8192";
    for tool in [Tool::Megatron, Tool::Bridge, Tool::Torchtitan] {
        let command = training(link, tool);
        has(
            &command,
            &[
                "HEAD=HOST",
                "on each of the 64 nodes",
                "--nproc_per_node 8 --nnodes 64 --rdzv_backend c10d --rdzv_endpoint \"$HEAD:29500\"",
            ],
        );
        assert!(!command.text.contains("NGPU"), "{}", command.text);
        let one = training("model=llama-3.1-8b&gpu=h100-sxm&gpus=8&tp=8&pp=1", tool).text;
        assert!(
            !one.contains("HEAD") && (one.contains("NGPU=8") || one.contains("--nproc_per_node 8 ")),
            "{one}"
        );
    }
    // A rack of 72 GPUs has nodes of four.
    has(
        &training("model=llama-3.1-70b&gpu=gb200-nvl72&gpus=72&tp=4&pp=2&batch=1152", Tool::Megatron),
        &["--nproc_per_node 4 --nnodes 18"],
    );
    let adapters =
        QLORA.replace("gpus=1&", "gpus=16&").replace("rtx-4090", "h100-sxm").replace("batch=16", "batch=32");
    has(
        &training(&adapters, Tool::Trl),
        &[
            "--num_processes 16",
            "--num_machines 2",
            "--machine_rank \"$RANK\"",
            "--main_process_ip \"$HEAD\"",
        ],
    );
}

/// Megatron-LM has the shape of the model, where it can be described.
#[test]
fn the_shape_of_the_model_is_stated() {
    let llama = training("model=llama-3.1-70b&gpus=64&tp=8&pp=2", Tool::Megatron);
    has(
        &llama,
        &[
            "--swiglu",
            "--normalization RMSNorm",
            "--disable-bias-linear",
            "--untie-embeddings-and-output-weights",
            "--position-embedding-type rope",
            "--group-query-attention",
            "--num-query-groups 8",
        ],
    );
    notes(&llama, "--rotary-base");
    assert!(llama.notes.iter().all(|note| !note.contains("remaining")), "{:?}", llama.notes);
    let gpt = training("model=megatron-175b&gpus=64&tp=8&pp=8&batch=64", Tool::Megatron);
    for absent in ["--swiglu", "RMSNorm", "--disable-bias", "--untie", "rope", "--group-query"] {
        assert!(!gpt.text.contains(absent), "{}", gpt.text);
    }
    let latent = training("model=deepseek-v3&gpus=256&tp=1&pp=8&ep=32&batch=2048", Tool::Megatron);
    has(
        &latent,
        &[
            "--multi-latent-attention",
            "--kv-lora-rank 512",
            "--moe-layer-freq '([0]*3+[1]*58)'",
            "--moe-ffn-hidden-size 2048",
            "--moe-shared-expert-intermediate-size 2048",
        ],
    );
    notes(&latent, "remaining");
}

/// What a tool would refuse to start has no command.
#[test]
fn rules_of_tools_are_kept() {
    for (question, tool, why) in [
        (
            "view=training&model=mixtral-8x7b&gpus=64&tp=2&pp=2&ep=8&batch=512&sp=false",
            Tool::Megatron,
            "sequence parallel",
        ),
        (
            "view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.max_seqs=512&serve.max_tokens=256",
            Tool::Vllm,
            "as many tokens as requests",
        ),
        (
            "view=inference&model=llama-3.1-70b&gpu=h200-sxm&serve.tp=4&serve.pp=2&serve.mixed=true&serve.engine=sglang",
            Tool::Sglang,
            "without pipeline parallelism",
        ),
    ] {
        let asked = link::decode(&format!("v=1&{question}")).scenario;
        let command = Command::of(&asked, tool);
        assert!(command.text.starts_with("# No command") && command.text.contains(why), "{}", command.text);
    }
    let hopper = training("model=llama-3.1-70b&gpu=h100-sxm&gpus=64&tp=8&pp=2&batch=128", Tool::Megatron);
    assert!(hopper.text.starts_with("export CUDA_DEVICE_MAX_CONNECTIONS=1\n"), "{}", hopper.text);
    let titan =
        training("model=llama-3.1-8b&gpus=64&tp=1&pp=4&zero=0&batch=64&recompute=full", Tool::Torchtitan);
    has(&titan, &["--parallelism.num_pp_microbatches 4", "--training.disable_cuda_graphs"]);
    assert!(titan.text.trim_end().ends_with("activation-checkpoint:full"), "{}", titan.text);
}

/// Chunks that cannot have equally many layers need a layout: the first chunk of the embedding and the last one, with the loss,
/// have fewer.
#[test]
fn uneven_chunks_are_laid_out() {
    let layout = |question: &str| training(question, Tool::Megatron).text;
    has_layout(&layout("model=llama-3.1-405b&gpus=1024&tp=8&pp=16&batch=1024"), "'E{7}|({8}|)*14{7}L'");
    has_layout(
        &layout("model=llama-3.1-70b&gpus=512&tp=8&pp=4&interleave=8&batch=1024"),
        "'E{2}|{2}|({3}|)*2({2}|)*2({3}|)*2({2}|)*2({3}|)*2({2}|)*2({3}|)*4({2}|)*2({3}|)*2({2}|)*2({3}|)*2({2}|)*2({3}|)*2{2}|{2}L'",
    );
    for even in
        ["model=llama-3.1-70b&gpus=512&tp=8&pp=4&interleave=5&batch=1024", "model=llama-3.1-8b&gpus=8&pp=1"]
    {
        assert!(!layout(even).contains("layout"), "{even}");
    }
}

/// `{n}` stands for n layers.
fn has_layout(command: &str, layout: &str) {
    let mut written = layout.to_owned();
    for count in 1..10 {
        written = written.replace(&format!("{{{count}}}"), &"t".repeat(count));
    }
    assert!(
        command.contains(&format!("--pipeline-model-parallel-layout {written}")),
        "{written} in {command}"
    );
    assert!(!command.contains("virtual"), "{command}");
}

/// The recipe of NeMo is a variable that the command uses.
#[test]
fn variables_of_a_command_are_used() {
    let bridge = training("model=llama-3.1-70b&gpus=64&tp=8&pp=2", Tool::Bridge);
    has(&bridge, &["RECIPE=llama-3.1-70b  # set to", "--recipe \"$RECIPE\""]);
    assert!(!bridge.text.contains("MODEL="), "{}", bridge.text);
}

/// The client reaches the server, has a tokenizer, and measures more than a warm-up.
#[test]
fn clients_fit_their_servers() {
    let link = "model=llama-3.1-8b&gpu=rtx-4090&serve.tp=1&serve.precision=q4_k_m&serve.kv=q8_0";
    let one = serving(&format!("{link}&serve.batch=1"), Tool::Llamacpp);
    has(&one, &["llama-server", "llama-bench -m \"$MODEL\"", "-p 3000", "-n 500", "-ctk q8_0", "-ctv q8_0"]);
    assert!(!one.text.contains("vllm bench"), "{}", one.text);
    let four = serving(&format!("{link}&serve.concurrency=4"), Tool::Llamacpp);
    has(
        &four,
        &[
            "--port 8080",
            "--base-url http://127.0.0.1:8080",
            "TOKENIZER=llama-3.1-8b  # set to the Hugging Face name",
            "--tokenizer \"$TOKENIZER\"",
            "--max-concurrency 4",
            "--num-prompts 80",
        ],
    );
    let apple = "model=llama-3.1-8b&gpu=apple-m3-max-40c&serve.tp=1&serve.precision=mlx4&serve.batch=1";
    has(
        &serving(apple, Tool::Mlx),
        &["--base-url http://127.0.0.1:8080", "BATCH=1 ", "--max-concurrency \"$BATCH\"", "--num-prompts 10"],
    );
    // vLLM and TensorRT-LLM listen where the client looks, and SGLang where its own does.
    for tool in [Tool::Vllm, Tool::Sglang, Tool::Trtllm] {
        let sixteen = serving("model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1&serve.batch=16", tool);
        has(&sixteen, &["BATCH=16 ", "--num-prompts 80"]);
        assert!(!sixteen.text.contains("--base-url"), "{}", sixteen.text);
        let read =
            read(&Scenario::default(), &sixteen.text).expect("a command").applied_to(&Scenario::default());
        assert_eq!((read.inference.batch, read.inference.concurrency), (16, 0));
    }
    // Without the variable, the same flags are clients that send one request after the other.
    let clients = "vllm serve meta-llama/Llama-3.1-8B\nvllm bench serve --model m --max-concurrency 16 --num-prompts 80";
    let read = read(&Scenario::default(), clients).expect("commands").applied_to(&Scenario::default());
    assert_eq!((read.inference.concurrency, read.inference.rounds), (16, 5));
}

/// vLLM and SGLang stop at experts whose part on a GPU is not a whole number of FP8 blocks.
#[test]
fn experts_cut_through_a_block_have_no_command() {
    let link = "model=qwen3-235b-a22b&gpu=h100-sxm&serve.precision=fp8block&serve.concurrency=16";
    for tool in [Tool::Vllm, Tool::Sglang] {
        let command = serving(&format!("{link}&serve.tp=8"), tool);
        has(&command, &["# No command: ", "width 1536", "over 8 GPUs, 192 each"]);
        assert!(!command.text.contains("--model"), "{}", command.text);
        notes(&command, "(serve.ep) to 8");
        notes(&command, "vllm-project/vllm#17569");
        // 384 are three blocks; whole experts are twelve.
        for way in ["serve.tp=4", "serve.tp=8&serve.ep=8"] {
            let command = serving(&format!("{link}&{way}"), tool);
            assert!(!command.text.contains("No command"), "{way}: {}", command.text);
        }
        let half = serving(&format!("{link}&serve.tp=4&serve.prefill.workers=2&serve.prefill.tp=8"), tool);
        notes(&half, "(serve.prefill.ep) to 8");
        let plain =
            serving(&link.replace("fp8block", "fp8").replace("concurrency", "tp=8&serve.concurrency"), tool);
        assert!(!plain.text.contains("No command"), "{}", plain.text);
    }
}

/// An engine has a command on devices that it runs on.
#[test]
fn engines_have_commands_for_their_devices() {
    let on = |device: &str, engine: &str, precision: &str| {
        question(&format!(
            "v=1&view=inference&model=llama-3.1-8b&gpu={device}&gpus=1&serve.tp=1&serve.engine={engine}&serve.precision={precision}"
        ))
    };
    for (device, engine, tool) in [
        ("h100-sxm", "mlx", Tool::Mlx),
        ("apple-m3-max-40c", "vllm", Tool::Vllm),
        ("apple-m3-max-40c", "sglang", Tool::Sglang),
        ("apple-m3-max-40c", "trtllm", Tool::Trtllm),
        ("mi355x", "trtllm", Tool::Trtllm),
    ] {
        let asked = on(device, engine, "bf16");
        assert_eq!(Tool::of(&asked).first(), Some(&tool));
        let command = Command::of(&asked, tool);
        assert!(
            command.text.starts_with("# No command: ") && command.text.lines().count() == 1,
            "{}",
            command.text
        );
    }
    // Tools that the question does not name are left out, and the device's own is offered.
    assert_eq!(Tool::of(&on("apple-m3-max-40c", "vllm", "bf16")), [Tool::Vllm, Tool::Mlx]);
    let fp8 = Command::of(&on("apple-m3-max-40c", "mlx", "fp8"), Tool::Mlx);
    notes(&fp8, "MLX has no flag for");
    notes(&fp8, "FP8");
    let own = Command::of(&on("apple-m3-max-40c", "mlx", "mlx4"), Tool::Mlx);
    assert!(own.notes.iter().all(|note| !note.contains("has no flag")), "{:?}", own.notes);
}

/// By default vLLM does not start if the KV cache cannot hold a request of the model's context length, and TensorRT-LLM rejects
/// prompts longer than `max_num_tokens`.
#[test]
fn servers_start_and_take_long_prompts() {
    has(&serving("model=llama-3.1-8b&gpu=l4&serve.precision=fp8", Tool::Vllm), &["--max-model-len auto"]);
    let chunked = "enable_chunked_prefill: true";
    let trtllm =
        |rest: &str| serving(&format!("model=llama-3.1-8b&serve.engine=trtllm{rest}"), Tool::Trtllm).text;
    assert!(!trtllm("").contains(chunked));
    for rest in ["&serve.max_tokens=2048", "&size.lengths=azure-conversation"] {
        assert!(trtllm(rest).contains(chunked), "{rest}: {}", trtllm(rest));
    }
}
