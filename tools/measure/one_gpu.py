"""Measures training steps on one GPU with Transformers and PEFT, weights random, tokens random.

Each line written is a row of `tests/measured/finetune.jsonl`. Needs a GPU, PyTorch, Transformers and PEFT:

    python3 tools/measure/one_gpu.py rows.jsonl [full|lora]

A step is forward, loss, backward and AdamW (fused; parameters, gradients and moments BF16), on packed sequences with
PyTorch's causal attention. Adapters are FP32 under autocast to BF16, as Transformers' Trainer runs them with
`bf16=True`. `compile` compiles each layer. The time is the median of the steps after three, each measured to the end of
the device's work; the power is the mean of the device's own readings over those steps.
"""

import gc
import json
import statistics
import sys
import time

import pynvml
import torch
import transformers
from peft import LoraConfig, get_peft_model
from readings import Readings
from transformers import LlamaConfig, Qwen2Config, Qwen3Config

SHAPES = {
    # name: (configuration, layers, hidden, feed-forward, heads, key-value heads, head size, vocabulary, tied)
    "Qwen3-0.6B": (Qwen3Config, 28, 1024, 3072, 16, 8, 128, 151936, True),
    "Qwen3-1.7B": (Qwen3Config, 28, 2048, 6144, 16, 8, 128, 151936, True),
    "Qwen3-4B": (Qwen3Config, 36, 2560, 9728, 32, 8, 128, 151936, True),
    "Qwen3-8B": (Qwen3Config, 36, 4096, 12288, 32, 8, 128, 151936, False),
    "Qwen3-14B": (Qwen3Config, 40, 5120, 17408, 40, 8, 128, 151936, False),
    "Qwen3-32B": (Qwen3Config, 64, 5120, 25600, 64, 8, 128, 151936, False),
    "Llama-3.2-1B": (LlamaConfig, 16, 2048, 8192, 32, 8, 64, 128256, True),
    "Llama-3.2-3B": (LlamaConfig, 28, 3072, 8192, 24, 8, 128, 128256, True),
    "Llama-3.1-8B": (LlamaConfig, 32, 4096, 14336, 32, 8, 128, 128256, False),
    # Measured later, so that no constant was fitted to any of them. Phi-3 has its projections apart here.
    "SmolLM2 1.7B": (LlamaConfig, 24, 2048, 8192, 32, 32, 64, 49152, True),
    "Phi-3-mini-4k": (LlamaConfig, 32, 3072, 8192, 32, 32, 96, 32064, False),
    "Mistral-7B-v0.3": (LlamaConfig, 32, 4096, 14336, 32, 8, 128, 32768, False),
    "Llama-2-13B": (LlamaConfig, 40, 5120, 13824, 40, 40, 128, 32000, False),
    "Qwen2.5-1.5B": (Qwen2Config, 28, 1536, 8960, 12, 2, 128, 151936, True),
    "Qwen2.5-3B": (Qwen2Config, 36, 2048, 11008, 16, 2, 128, 151936, True),
    "Qwen2.5-7B": (Qwen2Config, 28, 3584, 18944, 28, 4, 128, 152064, False),
}

# (model, method, batch, sequence, recompute, compile)
RUNS = [
    ("Qwen3-0.6B", "full", 1, 1024, False, False),
    ("Qwen3-0.6B", "full", 8, 2048, False, False),
    ("Qwen3-0.6B", "full", 8, 2048, False, True),
    ("Qwen3-0.6B", "full", 1, 16384, False, False),
    ("Llama-3.2-1B", "full", 1, 2048, False, False),
    ("Llama-3.2-1B", "full", 4, 2048, False, False),
    ("Llama-3.2-1B", "full", 4, 2048, False, True),
    ("Llama-3.2-1B", "full", 4, 2048, True, False),
    ("Llama-3.2-1B", "full", 16, 1024, True, False),
    ("Llama-3.2-1B", "full", 2, 8192, True, False),
    ("Llama-3.2-1B", "lora", 8, 2048, False, False),
    ("Qwen3-1.7B", "full", 4, 4096, True, False),
    ("Qwen3-1.7B", "full", 4, 2048, False, True),
    ("Llama-3.2-3B", "full", 4, 2048, False, False),
    ("Llama-3.2-3B", "full", 4, 2048, True, False),
    ("Llama-3.2-3B", "full", 1, 8192, True, True),
    ("Llama-3.2-3B", "lora", 4, 2048, False, False),
    ("Qwen3-4B", "full", 2, 4096, True, False),
    ("Qwen3-4B", "lora", 4, 2048, True, False),
    ("Llama-3.1-8B", "lora", 1, 2048, False, False),
    ("Llama-3.1-8B", "lora", 4, 2048, True, False),
    ("Llama-3.1-8B", "lora", 4, 2048, True, True),
    ("Llama-3.1-8B", "lora", 1, 16384, True, False),
    ("Llama-3.1-8B", "full", 1, 2048, True, False),
    ("Llama-3.1-8B", "full", 4, 2048, True, False),
    ("Llama-3.1-8B", "full", 4, 2048, True, True),
    ("Qwen3-8B", "full", 2, 4096, True, False),
    ("Qwen3-8B", "lora", 2, 4096, True, False),
    ("Qwen3-14B", "lora", 4, 2048, True, False),
    ("Qwen3-14B", "lora", 1, 8192, True, True),
    ("Qwen3-32B", "lora", 1, 2048, True, False),
    ("Qwen3-32B", "lora", 4, 2048, True, False),
    ("SmolLM2 1.7B", "full", 4, 2048, False, False),
    ("Qwen2.5-1.5B", "full", 8, 1024, False, False),
    ("Mistral-7B-v0.3", "lora", 2, 4096, True, False),
    ("Phi-3-mini-4k", "full", 2, 2048, True, False),
    ("Qwen2.5-3B", "full", 2, 4096, True, False),
    ("Llama-2-13B", "lora", 1, 4096, True, False),
    ("Qwen2.5-1.5B", "full", 1, 16384, True, False),
    ("SmolLM2 1.7B", "full", 8, 1024, False, True),
    ("Mistral-7B-v0.3", "lora", 8, 512, False, False),
    ("Qwen2.5-7B", "lora", 4, 2048, True, False),
    ("Qwen2.5-3B", "lora", 4, 1024, False, False),
    ("Phi-3-mini-4k", "lora", 1, 8192, True, False),
    ("SmolLM2 1.7B", "full", 2, 8192, True, False),
    ("Mistral-7B-v0.3", "lora", 1, 16384, True, False),
    ("Qwen2.5-1.5B", "full", 4, 4096, False, True),
    ("Llama-2-13B", "lora", 4, 1024, False, False),
    ("Qwen2.5-3B", "full", 8, 1024, True, True),
    ("Qwen2.5-7B", "lora", 1, 4096, False, False),
]


def model(name, method, recompute, compiled):
    kind, layers, hidden, feed_forward, heads, kv_heads, head, vocabulary, tied = SHAPES[name]
    config = kind(
        num_hidden_layers=layers, hidden_size=hidden, intermediate_size=feed_forward, num_attention_heads=heads,
        num_key_value_heads=kv_heads, head_dim=head, vocab_size=vocabulary, tie_word_embeddings=tied,
        max_position_embeddings=32768, use_cache=False,
    )
    config._attn_implementation = "sdpa"
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        net = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    if method == "lora":
        net = get_peft_model(net, LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"))
    if recompute:
        net.gradient_checkpointing_enable({"use_reentrant": False})
        net.enable_input_require_grads()
    if compiled:
        base = net.base_model.model.model if method == "lora" else net.model
        for layer in base.layers:
            layer.compile()
    net.train()
    return net, vocabulary


def training(name, method, batch, sequence, recompute, compiled):
    """A function that runs one training step, to the end of the device's work."""
    net, vocabulary = model(name, method, recompute, compiled)
    parameters = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-5, fused=True)
    tokens = torch.randint(0, vocabulary, (batch, sequence), device="cuda")

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=method == "lora"):
            loss = net(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()

    return step


def measure(name, method, batch, sequence, recompute, compiled):
    train = training(name, method, batch, sequence, recompute, compiled)

    def step():
        begin = time.perf_counter()
        train()
        return time.perf_counter() - begin

    for _ in range(3):
        last = step()
    torch.cuda.reset_peak_memory_stats()
    count = max(5, min(40, int(4 / last)))
    with Readings() as readings:
        times = [step() for _ in range(count)]
    median = statistics.median(times)
    spread = (max(times) - min(times)) / median
    return {
        "batch_per_gpu": batch, "grad_accum": 1, "seq": sequence, "packed": True, "compile": compiled,
        "recompute": "full" if recompute else "none", "lora_rank": 16 if method == "lora" else None,
        "step_s": round(median, 5), "spread": round(spread, 4), "steps": count,
        "tokens_per_s": round(batch * sequence / median, 1),
        "peak_mem_per_gpu_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2),
        "power_w": round(readings.means()[0], 1),
    }


def main(path, only=("full", "lora")):
    pynvml.nvmlInit()
    gpu = torch.cuda.get_device_name()
    software = f"torch {torch.__version__}, transformers {transformers.__version__}"
    with open(path, "w") as out:
        for run in (run for run in RUNS if run[1] in only):
            name, method = run[:2]
            row = {"kind": "finetune", "framework": "Transformers", "model": name, "method": method, "gpu": gpu, "gpus": 1}
            try:
                row |= measure(*run)
            except torch.OutOfMemoryError:
                row |= {"batch_per_gpu": run[2], "seq": run[3], "recompute": "full" if run[4] else "none", "compile": run[5], "oom": True}
            except Exception as fault:  # The other runs are still worth having.
                print("failed", run, repr(fault)[:300], flush=True)
                continue
            finally:
                gc.collect()
                torch.cuda.empty_cache()
                torch._dynamo.reset()
            row["source"] = software
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
