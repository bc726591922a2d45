"""Writes model files of llama.cpp with the shapes and formats of published models and random weights.

    python3 tools/measure/random_gguf.py DIRECTORY NAME... [--vocab DIRECTORY]

Speed and memory depend on shapes and formats alone. Scales are set so that weights have a standard deviation near 0.02,
as trained ones have: a device that multiplies zeros draws less power and clocks higher. The file's tokenizer is one of
llama.cpp's own vocabularies (`models/ggml-vocab-*.gguf`) where `--vocab` has it, else none, with which llama-bench runs
and llama-server does not. Needs the `gguf` package.
"""

import argparse
import pathlib

import gguf
import numpy

F32, F16 = gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16
Q4, Q5, Q6 = gguf.GGMLQuantizationType.Q4_K, gguf.GGMLQuantizationType.Q5_K, gguf.GGMLQuantizationType.Q6_K
Q8, MXFP4 = gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.MXFP4

# architecture, layers, hidden, feed-forward, heads, key-value heads, head size, vocabulary, experts, chosen, tokenizer
SHAPES = {
    "Llama-3.1-8B": ("llama", 32, 4096, 14336, 32, 8, 128, 128256, 0, 0, "llama-bpe"),
    "Llama-3.3-70B": ("llama", 80, 8192, 28672, 64, 8, 128, 128256, 0, 0, "llama-bpe"),
    "Qwen3-30B-A3B": ("qwen3moe", 48, 2048, 768, 32, 4, 128, 151936, 128, 8, "qwen2"),
    "gpt-oss-20b": ("gpt-oss", 24, 2880, 2880, 64, 8, 64, 201088, 32, 4, None),
}

# Bytes of a block at which its scales stand as 16-bit numbers, and their values.
SCALES = {
    Q8: {0: 2.7e-4},
    Q4: {0: 1.4e-4, 2: 1.05e-3},
    Q5: {0: 7e-5, 2: 1.05e-3},
    Q6: {208: 1.5e-5},
}


def more_bits(layer, layers):
    """True where `Q4_K_M` keeps a layer's values and down projections at 6 bits (llama.cpp, `src/llama-quant.cpp`)."""
    return layer < layers // 8 or layer >= 7 * layers // 8 or (layer - layers // 8) % 3 == 2


class Pool:
    """Random blocks of each format, repeated over a tensor."""

    def __init__(self):
        self.random = numpy.random.default_rng(1)
        self.blocks = {}

    def of(self, kind):
        if kind not in self.blocks:
            size = 1 << 19
            if kind in (F16, F32):
                made = (self.random.standard_normal(1 << 24) * 0.02).astype(numpy.float16 if kind == F16 else numpy.float32)
                self.blocks[kind] = made.view(numpy.uint8)
                return self.blocks[kind]
            _, width = gguf.GGML_QUANT_SIZES[kind]
            made = self.random.integers(0, 256, (size, width), dtype=numpy.uint8)
            for place, value in SCALES.get(kind, {}).items():
                made[:, place : place + 2] = numpy.frombuffer(numpy.float16(value).tobytes(), numpy.uint8)
            if kind == MXFP4:
                made[:, 0] = 120
            self.blocks[kind] = made.reshape(-1)
        return self.blocks[kind]

    def tensor(self, kind, shape):
        """Bytes of a tensor; `shape` has the innermost dimension last."""
        values, width = gguf.GGML_QUANT_SIZES[kind]
        rows = numpy.prod(shape[:-1], dtype=numpy.int64)
        made = numpy.resize(self.of(kind), int(rows) * shape[-1] // values * width)
        return made.reshape(*shape[:-1], -1)


def tensors(name, quant):
    """Name, format and shape of every tensor of a model."""
    arch, layers, hidden, ffn, heads, groups, head, vocabulary, experts, _, _ = SHAPES[name]
    base = {"F16": F16, "Q8_0": Q8, "Q4_K_M": Q4, "MXFP4": Q8}[quant]
    mixed = quant == "Q4_K_M"
    yield "token_embd.weight", base, (vocabulary, hidden)
    yield "output_norm.weight", F32, (hidden,)
    yield "output.weight", Q6 if mixed else base, (vocabulary, hidden)
    for layer in range(layers):
        at = f"blk.{layer}."
        finer = Q6 if mixed and more_bits(layer, layers) else base
        values = Q5 if name == "Llama-3.3-70B" and finer == Q4 else finer
        yield at + "attn_norm.weight", F32, (hidden,)
        yield at + "attn_q.weight", base, (heads * head, hidden)
        yield at + "attn_k.weight", base, (groups * head, hidden)
        yield at + "attn_v.weight", values, (groups * head, hidden)
        yield at + "attn_output.weight", base, (hidden, heads * head)
        if arch == "qwen3moe":
            yield at + "attn_q_norm.weight", F32, (head,)
            yield at + "attn_k_norm.weight", F32, (head,)
        if arch == "gpt-oss":
            yield at + "post_attention_norm.weight", F32, (hidden,)
            yield at + "attn_sinks.weight", F32, (heads,)
            for part, width in (("q", heads * head), ("k", groups * head), ("v", groups * head), ("output", hidden)):
                yield at + f"attn_{part}.bias", F32, (width,)
            yield at + "ffn_gate_inp.bias", F32, (experts,)
            for part, width in (("gate", ffn), ("up", ffn), ("down", hidden)):
                yield at + f"ffn_{part}_exps.bias", F32, (experts, width)
        else:
            yield at + "ffn_norm.weight", F32, (hidden,)
        if experts:
            kind = MXFP4 if quant == "MXFP4" else base
            yield at + "ffn_gate_inp.weight", F32, (experts, hidden)
            yield at + "ffn_gate_exps.weight", kind, (experts, ffn, hidden)
            yield at + "ffn_up_exps.weight", kind, (experts, ffn, hidden)
            yield at + "ffn_down_exps.weight", finer if kind == base else kind, (experts, hidden, ffn)
        else:
            yield at + "ffn_gate.weight", base, (ffn, hidden)
            yield at + "ffn_up.weight", base, (ffn, hidden)
            yield at + "ffn_down.weight", finer, (hidden, ffn)


def tokenizer(writer, vocab, vocabulary):
    """Copies a vocabulary into the file, or says that it has none."""
    if vocab is None:
        writer.add_tokenizer_model("no_vocab")
        writer.add_vocab_size(vocabulary)
        return
    for field in gguf.GGUFReader(vocab).fields.values():
        if field.name.startswith("tokenizer."):
            kind = field.types[0]
            writer.add_key_value(field.name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)


def write(path, name, quant, vocabs=None):
    """Writes one file. `quant` is F16, Q8_0, Q4_K_M or MXFP4."""
    arch, layers, hidden, ffn, heads, groups, head, vocabulary, experts, chosen, words = SHAPES[name]
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name(name)
    writer.add_block_count(layers)
    writer.add_context_length(131072)
    writer.add_embedding_length(hidden)
    writer.add_feed_forward_length(ffn)
    writer.add_head_count(heads)
    writer.add_head_count_kv(groups)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(head)
    writer.add_rope_freq_base(500000.0)
    if experts:
        writer.add_expert_count(experts)
        writer.add_expert_used_count(chosen)
        writer.add_expert_feed_forward_length(ffn)
    if arch == "gpt-oss":
        writer.add_sliding_window(128)
    tokenizer(writer, vocabs and words and vocabs / f"ggml-vocab-{words}.gguf", vocabulary)
    pool, listed = Pool(), list(tensors(name, quant))
    for tensor, kind, shape in listed:
        values, width = gguf.GGML_QUANT_SIZES[kind]
        plain = kind in (F16, F32)
        dtype = numpy.dtype({F16: numpy.float16, F32: numpy.float32}.get(kind, numpy.uint8))
        stored = shape if plain else (*shape[:-1], shape[-1] // values * width)
        writer.add_tensor_info(tensor, stored, dtype, int(numpy.prod(stored, dtype=numpy.int64)) * dtype.itemsize, None if plain else kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for tensor, kind, shape in listed:
        writer.write_tensor_data(numpy.ones(shape, numpy.float32) if tensor.endswith("norm.weight") else pool.tensor(kind, shape))
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="+", metavar="NAME:FORMAT")
    parser.add_argument("--vocab", type=pathlib.Path)
    given = parser.parse_args()
    for each in given.names:
        name, quant = each.split(":")
        write(given.directory / f"{name}-{quant}.gguf", name, quant, given.vocab)
        print(each, flush=True)


if __name__ == "__main__":
    main()
