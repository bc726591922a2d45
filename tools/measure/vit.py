"""Measures training steps of a few layers of a long-sequence vision transformer on one GPU, weights and inputs random.

Each line written is a row of `tests/measured/kernels/vit.jsonl`. Needs a GPU and PyTorch:

    python3 tools/measure/vit.py rows.jsonl

The layers are those of arXiv 2410.00273's ViT: layer norm, attention without a mask (PyTorch's), GELU, biases everywhere. A step is
forward, loss, backward and AdamW (fused; parameters, gradients and moments BF16) on one image. The patch embedding and the head are
left out. The time is the median of the steps after three, each measured to the end of the device's work.
"""

import gc
import json
import statistics
import sys
import time

import pynvml
import torch
from readings import Readings
from torch import nn
from torch.nn.functional import gelu, scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

# (layers, hidden, heads, feed-forward, patches, recompute, compile)
RUNS = [
    (2, 6144, 32, 24576, 32400, False, False),
    (2, 6144, 32, 24576, 32400, False, True),
    (4, 6144, 32, 24576, 32400, True, False),
    (4, 6144, 32, 24576, 32400, False, True),
    (1, 12288, 64, 49152, 64800, False, True),
    (2, 12288, 64, 49152, 64800, True, True),
    (8, 1024, 16, 4096, 65536, False, True),
    (8, 1024, 16, 4096, 16384, False, False),
    (8, 1024, 16, 4096, 4096, False, True),
    (4, 4096, 32, 16384, 16384, False, True),
    (4, 4096, 32, 16384, 16384, True, False),
    (2, 8192, 64, 32768, 32768, False, True),
]


class Layer(nn.Module):
    def __init__(self, hidden, heads, feed_forward):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(2))
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, feed_forward), nn.Linear(feed_forward, hidden)

    def forward(self, x):
        batch, patches, hidden = x.shape
        qkv = self.qkv(self.norms[0](x)).view(batch, patches, 3, self.heads, hidden // self.heads)
        query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
        attended = scaled_dot_product_attention(query, key, value)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, patches, hidden))
        return x + self.down(gelu(self.up(self.norms[1](x))))


def measure(layers, hidden, heads, feed_forward, patches, recompute, compiled):
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        net = nn.ModuleList(Layer(hidden, heads, feed_forward) for _ in range(layers))
        image = torch.randn(1, patches, hidden)
    if compiled:
        for layer in net:
            layer.compile()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-5, fused=True)

    def step():
        begin = time.perf_counter()
        x = image
        for layer in net:
            x = checkpoint(layer, x, use_reentrant=False) if recompute else layer(x)
        x.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        return time.perf_counter() - begin

    for _ in range(3):
        last = step()
    torch.cuda.reset_peak_memory_stats()
    with Readings() as readings:
        times = [step() for _ in range(max(5, min(40, int(4 / last))))]
    median = statistics.median(times)
    return {
        "step_s": round(median, 5), "spread": round((max(times) - min(times)) / median, 4), "steps": len(times),
        "peak_mem_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2), "power_w": round(readings.means()[0], 1),
    }


def main(path):
    pynvml.nvmlInit()
    with open(path, "w") as out:
        for run in RUNS:
            names = ("layers", "hidden", "heads", "ffn", "patches", "recompute", "compile")
            row = {"gpu": torch.cuda.get_device_name(), **dict(zip(names, run))}
            try:
                row |= measure(*run)
            except torch.OutOfMemoryError:
                row["oom"] = True
            finally:
                gc.collect()
                torch.cuda.empty_cache()
                torch._dynamo.reset()
            row["source"] = f"torch {torch.__version__}"
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
