//! Formats of weights that engines read on a device: sizing proposes no others, and the answer says so where one is asked for.

use foretoken::catalog::accelerator;
use foretoken::inference::Engine;
use foretoken::launch::{Command, Tool};
use foretoken::scenario::link;
use foretoken::sizing::{Search, Shortfall};
use foretoken::system::Precision;
use foretoken::view::{Answer, Part};

use crate::service::{answered, replies};

fn searched(rest: &str) -> Search {
    let link = format!(
        "v=1&view=sizing&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&size.one=true{rest}"
    );
    let decoded = link::decode(&link);
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    let mut search = decoded.scenario.sizing().expect("a question");
    search.run();
    search
}

/// What the engines document (`src/inference/weight_formats.rs`).
#[test]
fn engines_read_formats_where_they_have_kernels() {
    use Engine as E;
    use Precision as P;
    for (engine, format, on, not_on) in [
        (
            E::Vllm,
            P::Mxfp4,
            &["a100-sxm-80gb", "h100-sxm", "mi300x", "tpu-v6e", "arc-pro-b60"][..],
            &["t4", "mi210", "epyc-9575f"][..],
        ),
        (
            E::Vllm,
            P::Fp8,
            &["t4", "a100-sxm-80gb", "l40s", "mi300x"],
            &["mi210", "rx-7900-xtx", "arc-pro-b60", "xeon-6980p-2s"],
        ),
        (E::Vllm, P::Fp4, &["a100-sxm-80gb", "b200", "mi300x"], &["arc-pro-b60", "ascend-910b"]),
        (E::Vllm, P::Awq, &["t4", "h100-sxm", "mi300x", "xeon-6980p-2s"], &["grace-cpu", "trainium2"]),
        (E::Vllm, P::Int8, &["t4", "h100-sxm"], &["b200", "rtx-5090"]),
        (E::Vllm, P::Q4KM, &["t4", "mi300x"], &["arc-pro-b60", "xeon-6980p-2s"]),
        (E::Sglang, P::Mxfp4, &["a100-sxm-80gb", "b200", "mi300x"], &["t4", "rx-9070", "arc-pro-b60"]),
        (E::Sglang, P::Fp8Block, &["a100-sxm-80gb", "h100-sxm", "xeon-6980p-2s"], &["t4", "mi210"]),
        (E::Sglang, P::Fp4, &["b200", "mi300x"], &["h100-sxm", "a100-sxm-80gb"]),
        (E::Trtllm, P::Fp8, &["l40s", "h100-sxm", "b200"], &["a100-sxm-80gb"]),
        (E::Trtllm, P::Fp8Block, &["h100-sxm", "b200"], &["l40s", "rtx-5090"]),
        (E::Trtllm, P::Mxfp4, &["h200-sxm", "b200"], &["a100-sxm-80gb", "l40s"]),
        (E::Trtllm, P::Awq, &["a100-sxm-80gb", "h100-sxm"], &["b200"]),
        (E::Trtllm, P::Fp4, &["b200", "rtx-5090"], &["h100-sxm"]),
        // llama.cpp unpacks blocks of 32 on every GPU.
        (E::Llamacpp, P::Mxfp4, &["v100-sxm2", "t4", "mi210", "apple-m3-max-40c"], &[]),
        (E::None, P::Mxfp4, &["v100-sxm2"], &[]),
        (E::Typical, P::Fp8, &["a100-sxm-80gb"], &["v100-sxm2", "mi210"]),
        (E::Typical, P::Exl4, &["rtx-3090"], &[]),
    ] {
        for (devices, expected) in [(on, true), (not_on, false)] {
            for id in devices {
                let device = accelerator(id).expect(id);
                assert_eq!(engine.loads_on(format, device), expected, "{engine:?} {format:?} {id}");
            }
        }
    }
    for (engine, on, not_on) in [
        (
            E::Vllm,
            &["t4", "mi210", "rx-7900-xtx", "grace-cpu"][..],
            &["v100-sxm2", "p40", "mi100", "mi50-32gb"][..],
        ),
        (
            E::Sglang,
            &["t4", "xeon-6787p", "tpu-v6e"],
            &["v100-sxm2", "epyc-9575f", "grace-cpu", "gaudi-3", "trainium2"],
        ),
        (E::Trtllm, &["a100-sxm-80gb", "l4", "gb10"], &["v100-sxm2", "t4", "grace-cpu"]),
        (E::Tensorrt05, &["v100-sxm2", "t4"], &["p40"]),
        (E::Llamacpp, &["v100-sxm2", "p40", "mi50-32gb"], &["tpu-v5e"]),
    ] {
        for (devices, expected) in [(on, true), (not_on, false)] {
            for id in devices {
                assert_eq!(engine.runs_on(accelerator(id).expect(id)), expected, "{engine:?} {id}");
            }
        }
    }
}

/// Sizing gives the reason why it proposes no fleet on a device where the engine has no kernels for the weights' format.
#[test]
fn fleets_have_formats_that_their_engine_reads() {
    let shortfall = |rest: &str| searched(rest).misses().first().map(|miss| miss.shortfall);
    let gpt_oss = "&model=gpt-oss-20b&serve.precision=mxfp4";
    assert_eq!(shortfall(&format!("{gpt_oss}&gpu=t4&serve.engine=vllm")), Some(Shortfall::Format));
    assert_ne!(shortfall(&format!("{gpt_oss}&gpu=t4&serve.engine=llamacpp")), Some(Shortfall::Format));
    // Narrower formats that it does not read are left out.
    let formats = |gpu: &str| -> Vec<Precision> {
        let search =
            searched(&format!("&model=llama-3.1-8b&serve.engine=trtllm&size.quantized=true&gpu={gpu}"));
        search.fleets().iter().map(|fleet| fleet.load.precision).collect()
    };
    assert!(formats("h100-sxm").contains(&Precision::Awq) && !formats("b200").contains(&Precision::Awq));

    let shown = |rest: &str| -> Answer { answered(&replies(&format!("v=1{rest}"))).clone() };
    let answer = shown(&format!("&view=sizing&size.one=true&gpu=t4&serve.engine=vllm{gpt_oss}"));
    let Some(Part::Table(missed)) = answer.part("missed") else { panic!("no table") };
    assert_eq!(missed.table.rows[0].cells[1].text, "format: no kernels for MXFP4 weights");
    // Without a device that is too slow, nothing is said about times or levels.
    assert!(
        answer.lead.starts_with("No device carries") && !answer.lead.contains("levels"),
        "{}",
        answer.lead
    );
    assert_eq!(missed.title, "Devices without a fleet");
    assert!(
        missed.finding.starts_with("No deployment carries the load on 1 device. Replicas"),
        "{}",
        missed.finding
    );
    assert!(missed.table.columns[2..].iter().all(|column| column.file_only));
}

/// A question that asks for such a format has a notice, and no command.
#[test]
fn a_format_without_kernels_on_the_device_is_said() {
    let link = "v=1&view=inference&model=gpt-oss-20b&serve.precision=mxfp4&serve.engine=vllm&gpu=";
    let notice = |gpu: &str| {
        let said = replies(&format!("{link}{gpu}"));
        let mut parts = answered(&said).parts.iter();
        parts.find_map(|part| match part {
            Part::Notice(notice) if notice.id == "no-format" => Some(notice.text.clone()),
            _ => None,
        })
    };
    let text = notice("quadro-rtx-8000").expect("a notice");
    assert!(text.starts_with("vLLM does not read weights in MXFP4 on Quadro RTX 8000"), "{text}");
    assert_eq!(notice("a100-sxm-80gb"), None);
    let asked = link::decode(&format!("{link}quadro-rtx-8000")).scenario;
    let command = Command::of(&asked, Tool::Vllm);
    assert!(
        command.text.starts_with("# No command: vLLM does not read weights in MXFP4 on "),
        "{}",
        command.text
    );
}
