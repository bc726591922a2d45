//! How fast untrusted input is read: links, documents, `config.json`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use foretoken::scenario::huggingface::architecture;
use foretoken::scenario::preset::presets;
use foretoken::scenario::{Scenario, link};

const CONFIG: &str = include_str!("../tests/fixtures/configs/llama-3.1-8b.json");

fn read(criterion: &mut Criterion) {
    let links: Vec<&str> = presets().iter().map(|preset| preset.link).collect();
    let wrong = "v=1&tensor=4&gpus=many&sequense=8192&constants.matmul.bf16.efficiency=1&a=1&b=2&c=3&zero=1";
    let spelled = "v=1&gpu=h100-sxm&gpu.dram.capacity_gib=144&gpu.dram.bandwidth_gb_s=4800";
    for (name, link) in [("link", links[0]), ("wrong link", wrong), ("spelled-out link", spelled)] {
        criterion.bench_function(name, |bencher| bencher.iter(|| link::decode(black_box(link))));
    }
    let document = Scenario::default().to_json();
    for (name, text) in [("document", document.as_str()), ("wrong document", r#"{"system": {"gpuss": 8}}"#)] {
        criterion.bench_function(name, |bencher| bencher.iter(|| Scenario::from_json(black_box(text))));
    }
    criterion.bench_function("config.json", |bencher| {
        bencher.iter(|| architecture(black_box(CONFIG)));
    });
}

criterion_group!(benches, read);
criterion_main!(benches);
