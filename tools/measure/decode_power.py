"""Measures the power of one GPU while it reads weights, as it does when it generates tokens.

    python3 tools/measure/decode_power.py rows.jsonl

For each batch the BF16 weights of 16 layers of Llama-3.1-8B are multiplied one after the other, replayed as a CUDA
graph, for four seconds; then a square multiply, a copy, and nothing, for comparison.
"""

import json
import sys
import time

import pynvml
import torch
from readings import Readings


def power(work, seconds=4.0):
    """Power in W, SM clock in MHz, and time of one call in s, of `work` repeated for `seconds`."""
    with Readings() as readings:
        begin, calls = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            for _ in range(4):
                work()
            torch.cuda.synchronize()
            calls += 4
        taken = (time.perf_counter() - begin) / calls
    return *readings.means(), taken


def graph(work):
    """`work` as a replayed graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        work()
    return captured.replay


def main(path):
    pynvml.nvmlInit()
    gpu = torch.cuda.get_device_name()
    shapes = [(4096, 6144), (4096, 4096), (4096, 28672), (14336, 4096)]
    weights = [torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(16) for shape in shapes]
    weight_bytes = sum(weight.nbytes for weight in weights)
    rows = []

    def note(what, batch, work, **amounts):
        watts, clock, taken = power(work)
        rates = {name: round(amount / taken / 1e12, 3) for name, amount in amounts.items()}
        row = {"gpu": gpu, "what": what, "batch": batch, "power_w": round(watts, 1), "clock_mhz": round(clock), "time_s": taken} | rates
        rows.append(row)
        print(json.dumps(row), flush=True)

    note("idle", 0, lambda: time.sleep(0.1))
    for batch in (1, 4, 16, 64, 128, 256, 512, 1024, 4096):
        inputs = {k: torch.randn(batch, k, device="cuda", dtype=torch.bfloat16) for k in (4096, 14336)}
        work = graph(lambda: [inputs[weight.shape[0]] @ weight for weight in weights])
        note("weights", batch, work, tb_s=weight_bytes, tflops=batch * weight_bytes)
    left, right = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    note("square 8192", 8192, lambda: left @ right, tflops=2 * 8192**3)
    source = torch.randn(2**31, device="cuda", dtype=torch.bfloat16)
    target = torch.empty_like(source)
    note("copy", 0, lambda: target.copy_(source), tb_s=2 * source.nbytes)
    with open(path, "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main(sys.argv[1])
