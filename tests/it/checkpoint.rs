//! Models from headers of checkpoints: shape, number format, and number of parameters in the tensors.

use foretoken::scenario::checkpoint::{architecture, is_checkpoint};

/// A GGUF header under construction.
#[derive(Default)]
struct Gguf {
    metadata: Vec<u8>,
    entries: u64,
    tensors: Vec<u8>,
    count: u64,
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

impl Gguf {
    fn entry(&mut self, key: &str, kind: u32, value: &[u8]) -> &mut Self {
        self.metadata.extend([text(key), kind.to_le_bytes().to_vec(), value.to_vec()].concat());
        self.entries += 1;
        self
    }

    fn number(&mut self, key: &str, value: u32) -> &mut Self {
        self.entry(key, 4, &value.to_le_bytes())
    }

    fn words(&mut self, key: &str, words: &[&str]) -> &mut Self {
        let list: Vec<u8> = words.iter().flat_map(|word| text(word)).collect();
        let head = [&8_u32.to_le_bytes()[..], &(words.len() as u64).to_le_bytes()[..]].concat();
        self.entry(key, 9, &[head, list].concat())
    }

    fn tensor(&mut self, name: &str, shape: &[u64], kind: u32) -> &mut Self {
        self.tensors.extend(text(name));
        self.tensors.extend((shape.len() as u32).to_le_bytes());
        self.tensors.extend(shape.iter().rev().flat_map(|length| length.to_le_bytes()));
        self.tensors.extend(kind.to_le_bytes());
        self.tensors.extend(0_u64.to_le_bytes());
        self.count += 1;
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let numbers =
            [&3_u32.to_le_bytes()[..], &self.count.to_le_bytes()[..], &self.entries.to_le_bytes()[..]];
        [b"GGUF", &numbers.concat()[..], &self.metadata, &self.tensors].concat()
    }
}

const F32: u32 = 0;
const Q4_K: u32 = 12;
const Q6_K: u32 = 14;
const Q3_K: u32 = 11;
const IQ2_XS: u32 = 17;
const IQ4_XS: u32 = 23;

/// Header of Llama-3.1-8B as written by llama.cpp, with `Q6_K` in the head and in half of the value and down-projections.
fn llama(wide: u32, narrow: u32) -> Gguf {
    let mut file = Gguf::default();
    file.entry("general.architecture", 8, &text("llama")).entry(
        "general.name",
        8,
        &text("Meta Llama 3.1 8B"),
    );
    file.number("llama.block_count", 32)
        .number("llama.embedding_length", 4096)
        .number("llama.context_length", 131_072);
    file.number("llama.feed_forward_length", 14_336).number("llama.attention.head_count", 32);
    file.number("llama.attention.head_count_kv", 8).number("llama.rope.dimension_count", 128);
    file.number("llama.vocab_size", 128_256).number("llama.attention.key_length", 128);
    file.number("llama.attention.value_length", 128).number("general.file_type", 15);
    file.words("tokenizer.ggml.tokens", &["<s>", "a", "b"]);
    file.tensor("token_embd.weight", &[128_256, 4096], narrow).tensor(
        "output.weight",
        &[128_256, 4096],
        wide,
    );
    file.tensor("output_norm.weight", &[4096], F32).tensor("rope_freqs.weight", &[64], F32);
    for layer in 0..32 {
        let mixed = if layer % 2 == 0 { wide } else { narrow };
        for (name, shape, kind) in [
            ("attn_q", [4096, 4096], narrow),
            ("attn_k", [1024, 4096], narrow),
            ("attn_v", [1024, 4096], mixed),
            ("attn_output", [4096, 4096], narrow),
            ("ffn_gate", [14_336, 4096], narrow),
            ("ffn_up", [14_336, 4096], narrow),
            ("ffn_down", [4096, 14_336], mixed),
        ] {
            file.tensor(&format!("blk.{layer}.{name}.weight"), &shape, kind);
        }
        file.tensor(&format!("blk.{layer}.attn_norm.weight"), &[4096], F32);
        file.tensor(&format!("blk.{layer}.ffn_norm.weight"), &[4096], F32);
    }
    file
}

#[test]
fn a_gguf_header_is_its_model() {
    let bytes = llama(Q6_K, Q4_K).bytes();
    assert!(is_checkpoint(&bytes));
    let model = architecture(&bytes).expect("a whole header").expect("a model");
    assert_eq!(model.parameters().total, 8_030_261_248);
    assert_eq!((model.name.as_str(), model.weights.as_deref()), ("Meta Llama 3.1 8B", Some("q4_k_m")));
    assert_eq!((model.heads, model.kv_heads, model.head_dim, model.tied), (32, 8, 128, false));
    assert_eq!(model.warnings, Vec::<String>::new());
}

/// llama.cpp counts prediction modules among the blocks. A file is compared with the model and its modules, or without them.
#[test]
fn blocks_that_predict_are_no_layers() {
    let mut file = llama(Q6_K, Q4_K);
    file.number("llama.block_count", 33).number("llama.nextn_predict_layers", 1);
    let warnings =
        |file: &Gguf| architecture(&file.bytes()).expect("a whole header").expect("a model").warnings;
    assert_eq!(warnings(&file), Vec::<String>::new());
    // A projection of 2 × 4096², and the 218,112,000 elements of a layer; a module's norms are below the tolerance.
    file.tensor("blk.32.nextn.eh_proj.weight", &[8192, 4096], Q4_K);
    file.tensor("blk.32.rest.weight", &[4096, 53_250], Q4_K);
    assert_eq!(warnings(&file), Vec::<String>::new());
    file.tensor("blk.32.puzzle.weight", &[4096, 53_250], Q4_K);
    assert!(warnings(&file).join("; ").contains("billion elements"));
    let model = architecture(&file.bytes()).expect("a whole header").expect("a model");
    assert_eq!((model.layers, model.prediction.map(|prediction| prediction.modules)), (32, Some(1)));
}

#[test]
fn what_the_header_has_beside_is_named() {
    let mut file = llama(IQ2_XS, IQ2_XS);
    file.number("llama.puzzling_blocks", 3);
    file.tensor("blk.0.puzzle.weight", &[4096, 16_384], IQ2_XS);
    let model = architecture(&file.bytes()).expect("a whole header").expect("a model");
    let told = model.warnings.join("; ");
    for part in ["`puzzling_blocks`", "IQ2_XS with 2.31 bits", "8.0974 billion elements", "+0.836 %"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(model.weights.as_deref(), Some("iq2_xxs"));
    let mut part = llama(Q6_K, Q4_K);
    part.number("split.count", 3);
    let model = architecture(&part.bytes()).expect("a whole header").expect("a model");
    assert!(model.warnings.join("; ").contains("one of 3"), "{:?}", model.warnings);
}

#[test]
fn a_cut_header_wants_more_and_a_wrong_one_is_refused() {
    let bytes = llama(Q6_K, Q4_K).bytes();
    for length in [4, 30, 200, bytes.len() - 1] {
        assert_eq!(architecture(&bytes[..length]), None, "{length}");
    }
    let mut wrong = bytes.clone();
    wrong[4] = 1;
    let problem = architecture(&wrong).expect("an answer").expect_err("version 1");
    assert!(problem.to_string().contains("version 1"), "{problem}");
    let mut file = Gguf::default();
    file.entry("general.architecture", 8, &text("mamba2")).number("mamba2.ssm.state_size", 128);
    let problem = architecture(&file.bytes()).expect("an answer").expect_err("a state space");
    assert!(problem.to_string().contains("config.json"), "{problem}");
    // Lengths beyond those of any real file.
    for place in 0..bytes.len().min(400) {
        let mut hostile = bytes.clone();
        hostile[place] = 0xff;
        drop(architecture(&hostile));
    }
}

fn safetensors(layers: u64, tensors: &[(&str, [u64; 2])]) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".to_owned(), serde_json::json!({"format": "pt"}));
    let mut put = |name: String, shape: &[u64]| {
        header.insert(name, serde_json::json!({"dtype": "BF16", "shape": shape, "data_offsets": [0, 0]}));
    };
    for layer in 0..layers {
        for (name, shape) in tensors {
            put(format!("model.layers.{layer}.{name}.weight"), shape);
        }
        put(format!("model.layers.{layer}.input_layernorm.weight"), &[2048]);
        put(format!("model.layers.{layer}.post_attention_layernorm.weight"), &[2048]);
    }
    put("model.embed_tokens.weight".to_owned(), &[128_256, 2048]);
    put("model.norm.weight".to_owned(), &[2048]);
    let text = serde_json::Value::Object(header).to_string();
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

/// HuggingFaceTB/SmolLM3-3B has one tied matrix and heads of 128.
#[test]
fn a_safetensors_header_is_its_model() {
    let tensors = [
        ("self_attn.q_proj", [2048, 2048]),
        ("self_attn.k_proj", [512, 2048]),
        ("self_attn.v_proj", [512, 2048]),
        ("self_attn.o_proj", [2048, 2048]),
        ("mlp.gate_proj", [11_008, 2048]),
        ("mlp.up_proj", [11_008, 2048]),
        ("mlp.down_proj", [2048, 11_008]),
    ];
    let bytes = safetensors(36, &tensors);
    assert!(is_checkpoint(&bytes));
    let model = architecture(&bytes).expect("a whole header").expect("a model");
    assert_eq!(model.parameters().total, 3_075_098_624);
    assert_eq!((model.heads, model.kv_heads, model.tied), (16, 4, true));
    assert_eq!(model.weights.as_deref(), Some("bf16"));
    assert_eq!(architecture(&bytes[..bytes.len() - 1]), None);
    let hybrid = safetensors(2, &[("mixer.in_proj", [4096, 2048])]);
    let problem = architecture(&hybrid).expect("an answer").expect_err("no Llama");
    assert!(problem.to_string().contains("config.json"), "{problem}");
}

/// Files of one block format, and mixes of several.
#[test]
fn mixes_have_the_name_of_their_file() {
    for (more, rest, format) in
        [(Q6_K, Q4_K, "q4_k_m"), (IQ4_XS, IQ4_XS, "iq4_xs"), (Q3_K, Q3_K, "q3_k_s"), (Q4_K, Q3_K, "q3_k_m")]
    {
        let model = architecture(&llama(more, rest).bytes()).expect("a whole header").expect("a model");
        assert_eq!(model.weights.as_deref(), Some(format));
    }
}
