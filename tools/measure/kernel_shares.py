"""Measures the time of each kind of kernel in training steps of `one_gpu.py`, by PyTorch's profiler.

    python3 tools/measure/kernel_shares.py rows.jsonl
"""

import collections
import gc
import json
import sys

import torch
from one_gpu import training
from torch.profiler import ProfilerActivity, profile

# Arguments of `training`.
RUNS = [
    ("Llama-3.2-1B", "full", 4, 2048, False, False),
    ("Qwen3-0.6B", "full", 8, 2048, False, False),
    ("Qwen3-0.6B", "full", 1, 16384, False, False),
    ("Llama-3.2-3B", "lora", 4, 2048, False, False),
    ("Llama-3.1-8B", "lora", 4, 2048, True, False),
    ("Llama-3.1-8B", "lora", 4, 2048, True, True),
    ("Llama-3.1-8B", "full", 4, 2048, True, True),
]

KINDS = {
    "attention": ("flash", "fmha", "sdpa"),
    "matmul": ("gemm", "nvjet", "cutlass"),
    "optimizer": ("multi_tensor", "adam"),
    "loss": ("softmax", "nll"),
    "copies": ("memcpy", "memset"),
}


def kind(name):
    """Kind of a kernel by its name."""
    found = (kind for kind, parts in KINDS.items() if any(part in name.lower() for part in parts))
    return next(found, "elementwise")


def measure(run):
    step = training(*run)
    for _ in range(4):
        step()
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        step()
    times, kernels = collections.Counter(), collections.Counter()
    for event in profiled.key_averages():
        times[kind(event.key)] += event.device_time_total / 1000
        kernels[kind(event.key)] += event.count
    return {f"{kind}_ms": round(time, 2) for kind, time in times.items()} | {"kernels": sum(kernels.values())}


def main(path):
    with open(path, "w") as out:
        for run in RUNS:
            names = ("model", "method", "batch_per_gpu", "seq", "recompute", "compile")
            row = {"gpu": torch.cuda.get_device_name()} | dict(zip(names, run)) | measure(run)
            out.write(json.dumps(row) + "\n")
            gc.collect()
            torch.cuda.empty_cache()
            torch._dynamo.reset()


if __name__ == "__main__":
    main(sys.argv[1])
