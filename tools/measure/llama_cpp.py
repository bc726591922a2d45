"""Measures llama.cpp on one GPU: prompts, generation, several sequences at once, and a server under load.

    python3 tools/measure/llama_cpp.py BINARIES rows.jsonl MODEL.gguf... [--seconds N]

BINARIES holds `llama-bench`, `llama-batched-bench` and `llama-server`. Model files may be those of `random_gguf.py`,
named MODEL-FORMAT.gguf. Each line written is one measurement:

- `llama-bench`: prompts of `prompt` tokens, or `generated` tokens, behind `depth` cached ones; tokens/s, mean of `-r 3`.
- `llama-batched-bench`: `sequences` prompts of `prompt` tokens, then `generated` tokens of each; seconds of both parts.
- `llama-server`: `in_flight` clients, each of which sends its next request once the last one is answered; times to the
  first token and between tokens in ms, as clients see them. The first requests of all clients are left out. The server keeps
  no states of ended requests in host memory (`--cache-ram 0`): by default it copies each before the slot's next request.
"""

import argparse
import asyncio
import json
import pathlib
import random
import statistics
import subprocess
import time

import aiohttp

PORT = 8099


class Rows:
    """The rows' file, with what is common to a model's rows."""

    def __init__(self, path, tool):
        self.file, self.common = open(path, "a", encoding="utf-8"), {"tool": tool}

    def model(self, path):
        name, quant = path.stem.rsplit("-", 1)
        self.common |= {"model": name, "quant": quant}

    def add(self, **row):
        line = json.dumps(self.common | row)
        print(line, flush=True)
        self.file.write(line + "\n")
        self.file.flush()


def lines(command):
    """The JSON lines that a program prints."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not found:
        print("failed:", *command, done.stderr[-1500:], flush=True)
    return found


def bench(binaries, model, rows):
    """Prompts and generation of one sequence."""
    base = [binaries / "llama-bench", "-m", model, "-ngl", 99, "-o", "jsonl", "-r", 3]
    sets = [
        ["-fa", "1", "-p", "128,512,2048,8192", "-n", "128", "-d", "0"],
        ["-fa", "1", "-p", "2048", "-n", "64", "-d", "8192,32768"],
        ["-fa", "1", "-ub", "2048", "-p", "2048,8192", "-n", "0"],
        ["-fa", "0", "-p", "512,2048", "-n", "64", "-d", "0,8192"],
    ]
    for flags in sets:
        for made in lines(base + flags):
            rows.common["build"] = made.get("build_commit")
            rows.add(
                test="llama-bench", prompt=made["n_prompt"], generated=made["n_gen"], depth=made["n_depth"], slice=made["n_ubatch"],
                flash_attention=made["flash_attn"], tokens_per_s=round(made["avg_ts"], 2), deviation=round(made["stddev_ts"], 2),
            )


def batched(binaries, model, rows):
    """Several sequences at once."""
    command = [
        binaries / "llama-batched-bench", "-m", model, "-ngl", 99, "-fa", "on", "-b", 2048, "-ub", 512, "-c", 80000,
        "-npp", "512,2048", "-ntg", 64, "-npl", "1,2,4,8,16,32", "--output-format", "jsonl",
    ]
    for made in lines(command):
        rows.add(
            test="llama-batched-bench", prompt=made["pp"], generated=made["tg"], sequences=made["pl"], slice=made["n_ubatch"],
            prompts_s=made["t_pp"], generation_s=made["t_tg"],
        )


async def request(session, prompt, output, vocabulary):
    """Times of one request: to the first token, between tokens, in all, in s."""
    body = {
        "prompt": [random.randrange(1000, vocabulary) for _ in range(prompt)],
        "n_predict": output, "ignore_eos": True, "stream": True, "cache_prompt": False,
    }
    begin, first, last, tokens = time.perf_counter(), None, None, 0
    async with session.post(f"http://127.0.0.1:{PORT}/completion", json=body) as answer:
        async for line in answer.content:
            if line.startswith(b"data:"):
                made = json.loads(line[5:])
                if "stop" not in made:
                    raise RuntimeError(made)
                tokens = made["tokens_predicted"]
                if not made["stop"]:
                    last = time.perf_counter()
                    first = first or last
    return first - begin, (last - first) / (tokens - 1), last - begin, tokens


async def load(clients, prompts, outputs, seconds, vocabulary):
    """Runs a closed loop for `seconds` after each client's first request."""
    measured, begin = [], None
    first = asyncio.Event()
    warm = 0

    async def client(session, seed):
        nonlocal warm, begin
        draw = random.Random(seed)
        while True:
            prompt, output = draw.randint(*prompts), draw.randint(*outputs)
            result = await request(session, prompt, output, vocabulary)
            now = time.perf_counter()
            if begin is None:
                warm += 1
                if warm >= clients:
                    begin = now
                    first.set()
                continue
            measured.append((prompt, *result))
            if now - begin > seconds:
                return

    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=600), read_bufsize=1 << 20) as session:
        tasks = [asyncio.create_task(client(session, seed)) for seed in range(clients)]
        await first.wait()
        await asyncio.sleep(seconds)
        done = len(measured), sum(row[4] for row in measured), time.perf_counter() - begin
        await asyncio.gather(*tasks)
    return measured, done


def quantiles(values):
    """Mean and percentiles in ms."""
    values = sorted(value * 1000 for value in values)
    at = lambda share: values[min(len(values) - 1, round(share * (len(values) - 1)))]
    return {"mean": round(statistics.fmean(values), 3), "p50": round(at(0.5), 3), "p90": round(at(0.9), 3), "p99": round(at(0.99), 3)}


def ready(process):
    """Waits until the server answers."""
    import urllib.request

    for _ in range(240):
        if process.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=2) as answer:
                if answer.status == 200:
                    return True
        except OSError:
            pass
        time.sleep(0.5)
    return False


def serve(binaries, model, rows, seconds, vocabulary):
    """A server under closed loops of growing size."""
    for slots, prompts, outputs in [
        (1, (1024, 1024), (128, 128)),
        (4, (1024, 1024), (128, 128)),
        (16, (1024, 1024), (128, 128)),
        (32, (1024, 1024), (128, 128)),
        (16, (128, 1920), (16, 240)),
        (16, (4096, 4096), (128, 128)),
    ]:
        context = slots * (prompts[1] + outputs[1] + 16)
        command = [
            binaries / "llama-server", "-m", model, "-ngl", 99, "-fa", "on", "-np", slots, "-c", context, "-b", 2048, "-ub", 512,
            "--port", PORT, "--no-webui", "--cache-ram", 0,
        ]
        log = pathlib.Path("/tmp/llama-server.log")
        with log.open("w", encoding="utf-8") as out:
            process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=subprocess.STDOUT)
        try:
            if not ready(process):
                print("failed:", *command, log.read_text(encoding="utf-8", errors="replace")[-2000:], flush=True)
                return
            measured, (requests, tokens, taken) = asyncio.run(load(slots, prompts, outputs, seconds, vocabulary))
            rows.add(
                test="llama-server", in_flight=slots, prompt=list(prompts), generated=list(outputs), slice=512, requests=len(measured),
                tokens_per_s=round(tokens / taken, 2), requests_per_s=round(requests / taken, 4), ttft_ms=quantiles([row[1] for row in measured]),
                tpot_ms=quantiles([row[2] for row in measured]), end_to_end_ms=quantiles([row[3] for row in measured]),
            )
        except (aiohttp.ClientError, RuntimeError, TypeError) as error:
            print("failed:", slots, repr(error), log.read_text(encoding="utf-8", errors="replace")[-1500:], flush=True)
        finally:
            process.terminate()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("rows")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--tests", default="bench,batched,serve")
    given = parser.parse_args()
    rows = Rows(given.rows, "llama.cpp")
    for model in given.models:
        rows.model(model)
        if "bench" in given.tests.split(","):
            bench(given.binaries, model, rows)
        if "batched" in given.tests.split(","):
            batched(given.binaries, model, rows)
        if "serve" in given.tests.split(","):
            serve(given.binaries, model, rows, given.seconds, 120000)


if __name__ == "__main__":
    main()
