//! Whole answers as JSON: the same as the page's, for every view.

use foretoken::scenario::{View, link};
use foretoken::service::Service;
use foretoken::view::json::Answers;
use foretoken::view::{Answer, Part};
use serde_json::Value;

use crate::service::{all, answered, request};

#[path = "../../examples/documents/mod.rs"]
mod documents;

const ROWS: &str = "id,source,origin,device,model,family,precision,tier,quantity,measured,used_in_fit,link,peer,\
                    peer_predicted,predicted\nk1,lab,lab,b200,lab,kernel,FP8,A,latency_us,10,false,,,,11\n";

fn answers() -> Answers {
    Answers::reading(|name| if name == "validation.csv" { Ok(ROWS.to_owned()) } else { Err(name.to_owned()) })
}

/// A question of each view that takes little time.
fn question(view: View) -> &'static str {
    match view {
        View::Training => {
            "v=1&view=training&model=megatron-22b&gpu=a100-sxm-80gb&gpus=8&tp=8&pp=1&batch=4&seq=2048"
        }
        View::Inference => "v=1&view=inference&model=llama-3.1-8b&serve.tp=1",
        View::Sizing => "v=1&view=sizing&model=llama-3.1-8b&serve.tpot=30",
        View::Search => {
            "v=1&view=search&model=llama-3.1-8b&gpus=16&batch=64&seq=4096&search.gpus_min=16&search.gpus_max=16\
             &search.fixed=tensor_kind+context_kind+recompute_layers+offload"
        }
        View::Generations => "v=1&view=generations&model=gpt-3-13b&gpus=64&tp=8&pp=1&batch=256&seq=2048",
        View::Technology => "v=1&view=technology&tech.task=decode",
        View::Papers => "v=1&view=papers",
        View::Validation => "v=1&view=validation&errors.of=kernel",
    }
}

fn page(link: &str) -> Answer {
    let mut service = Service::default();
    service.ask(request(1, link));
    answered(&all(&mut service, ROWS)).clone()
}

fn texts<'a>(rows: &'a Value, key: &str) -> Vec<&'a str> {
    rows.as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap()).collect()
}

/// A link leads to a question or to an address elsewhere: the other is left out.
#[test]
fn links_lead_somewhere() {
    let gallery = answers().json(&link::decode("v=1&view=papers").scenario.to_json()).to_string();
    assert!(gallery.contains("https://arxiv.org/abs/2407.14645") && !gallery.contains("\"link\":\"\""));
}

#[test]
fn every_view_answers_with_what_the_page_shows() {
    let mut answers = answers();
    for view in View::ALL {
        let link = question(view);
        let scenario = link::decode(link).scenario;
        let value = answers.json(&scenario.to_json());
        assert_eq!(value.get("error"), None, "{}", value["error"]);
        let page = page(link);
        let answer = &value["answer"];
        let shown: Vec<String> = page.cards.iter().map(|card| card.shown()).collect();
        assert_eq!(texts(&answer["cards"], "text"), shown, "{link}");
        assert!(!shown.is_empty(), "{link}");
        let parts: Vec<&str> = page.parts.iter().map(Part::id).collect();
        assert_eq!(texts(&answer["parts"], "id"), parts, "{link}");
        for (part, given) in page.parts.iter().zip(answer["parts"].as_array().unwrap()) {
            let Some(table) = part.table() else { continue };
            let rows = given["rows"].as_array().unwrap();
            assert_eq!(rows.len(), table.rows.len(), "{}", part.id());
            for (row, given) in table.rows.iter().zip(rows) {
                let cells: Vec<Option<f64>> = row.cells.iter().map(|cell| cell.value).collect();
                let values: Vec<Option<f64>> =
                    given.as_array().unwrap().iter().map(|cell| cell["value"].as_f64()).collect();
                assert_eq!(values, cells, "{}", part.id());
                assert_eq!(given.as_array().unwrap().len(), table.columns.len(), "{}", part.id());
            }
        }
        assert!(!value.to_string().contains("<svg"), "{link}");
    }
}

#[test]
fn an_estimate_keeps_its_place_and_its_card_is_a_number() {
    let link = question(View::Training);
    let scenario = link::decode(link).scenario;
    let value = answers().json(&scenario.to_json());
    let step = scenario.training().unwrap().step.get();
    assert_eq!(value["training"]["step"].as_f64(), Some(step));
    let card = &value["answer"]["cards"][0];
    assert_eq!((card["id"].as_str(), card["value"].as_f64()), (Some("step"), Some(step)));
    assert_eq!(card["unit"], "seconds");
    let range = &card["range"];
    assert!(
        range["low"]["value"].as_f64().unwrap() < step && step < range["high"]["value"].as_f64().unwrap()
    );
    assert!(range["link"].as_str().unwrap().contains("view=validation"), "{range}");
}

#[test]
fn an_array_of_scenarios_is_compared_with_its_first() {
    let value = answers().json(
        "[{\"parallelism\": {\"tensor\": 8, \"recompute\": \"full\"}}, {\"parallelism\": {\"tensor\": 4, \"recompute\": \"full\"}}]",
    );
    let comparison = &value["comparison"];
    assert_eq!(comparison["settings"][0]["values"], serde_json::json!(["8", "4"]));
    let step = &comparison["numbers"][0];
    assert_eq!(step["label"], "Step time");
    let of = |index: usize| step["values"][index]["value"].as_f64().unwrap();
    assert_eq!(step["values"][1]["ratio"].as_f64(), Some(of(1) / of(0)));
    let links = answers().json("#v=1&tp=8&recompute=full~v=1&tp=4&recompute=full");
    assert_eq!(links["comparison"]["numbers"], comparison["numbers"]);
    for broken in ["[", "[]", "[3]", "[{\"modle\": 1}]", "#v=1~modle=1", "#v=1~v=1&tp=0.5"] {
        let value = answers().json(broken);
        assert!(value["error"].as_str().is_some_and(|error| !error.is_empty()), "{broken}: {value}");
        assert!(answers().estimate(broken)["error"].is_string(), "{broken}");
    }
}

#[test]
fn a_device_takes_no_negative_power() {
    let value = answers().json("#v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&gpu.server_w=-1");
    assert_eq!(value["problems"][0]["field"], "system.accelerator.server_w", "{value}");
    assert_eq!(value["problems"][0]["message"], "must be between 0.1 and 100,000 W");
    let said = |changes: &str| {
        let value = answers().json(&format!("#v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&{changes}"));
        value["problems"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(said("gpu.matrix_tflops.bf16=0"), "must be between 0.001 and 1,000,000 TFLOP/s");
    assert_eq!(said("gpu.dram.bandwidth_gb_s=0"), "must be between 1 and 1,000,000 GB/s");
    assert_eq!(said("gpu.scale_up.domain=0"), "must be between 1 and 65,536 GPUs");
}

#[test]
fn what_cannot_be_answered_says_why() {
    for (document, part) in [
        ("{\"view\": \"search\", \"search\": {\"fixed\": \"tensors\"}}", "search.fixed"),
        ("{\"view\": \"training\", \"parallelism\": {\"tensor\": 7}}", "parallelism.tensor"),
        ("{\"view\": \"inference\", \"model\": \"deepseek-v3\"}", "inference.tensor"),
        ("{\"view\": \"technology\", \"technology\": {\"node\": \"n6\"}}", "technology.node"),
    ] {
        let value = answers().json(document);
        assert_eq!(value["problems"][0]["field"], part, "{value}");
    }
    let mut without = Answers::reading(|name| Err(format!("{name} is not here")));
    let value = without.json("{\"view\": \"validation\"}");
    assert!(value["error"].as_str().unwrap().contains("validation.csv is not here"), "{value}");
}

#[test]
fn a_link_gives_its_answer_with_drawings_or_what_is_wrong_with_it() {
    let answer = answers().answer("v=1&model=llama-3.1-8b&gpus=64&part=memory").unwrap();
    let drawn = answer.figures().find(|figure| figure.id == "memory").unwrap().standalone_svg();
    assert!(drawn.starts_with("<svg") || drawn.starts_with("<?xml"), "{}", &drawn[..80]);
    let value = answers().of_link("v=1&model=llama-3.1-8b&gpus=64").unwrap();
    assert_eq!(value["answer"]["lead"].as_str(), Some(answer.lead.as_str()));
    assert_eq!(answers().answer("v=1&modle=x").unwrap_err()[0].field, "modle");
}

/// One question is drawn, with the curves of pinned ones as on the page.
#[test]
fn a_drawing_is_of_one_question() {
    let one = "v=1&view=inference&model=llama-3.1-8b&serve.tp=1&serve.batch=8";
    let other = "v=1&view=inference&model=llama-3.1-8b&serve.tp=4&serve.batch=8";
    let refused = answers().answer(&format!("{one}~{other}")).unwrap_err();
    assert_eq!((refused.len(), refused[0].field.as_str()), (1, "link"));
    assert!(refused[0].message.contains("`predict`") && refused[0].message.contains("`pin=true`"));
    assert!(answers().of_link(&format!("{one}~{other}")).is_err());
    let drawn = |link: &str| {
        let answer = answers().answer(link).unwrap();
        answer.figures().find(|figure| figure.id == "load").unwrap().svg.contains("pinned: tensor 4 GPUs")
    };
    assert!(drawn(&format!("{one}~{other}&pin=true")) && !drawn(one));
}

#[test]
fn what_does_not_fit_is_an_error_with_an_answer() {
    let value = answers().of_link("v=1&view=inference&model=gpt-3-175b&serve.tp=1").unwrap();
    assert_eq!(value["problems"][0]["field"], "inference.tensor");
    assert!(value["answer"]["lead"].as_str().unwrap().starts_with("Does not fit on"), "{value:#}");
    assert!(!value["answer"]["offers"][0]["links"].as_array().unwrap().is_empty());
}

/// Both memories are drawn where layers are in host memory, also if they do not fit there.
#[test]
fn both_memories_are_in_the_answer() {
    let asked = "v=1&view=inference&model=gpt-oss-120b&gpu=rtx-4090&serve.tp=1&serve.in=512&serve.out=128&serve.batch=1&serve.kv=fp16\
                 &serve.precision=mxfp4&serve.engine=llamacpp";
    for (rest, drawn) in
        [("&serve.ncmoe=36", true), ("&serve.ncmoe=36&host_gib=32", true), ("&gpu=h200-sxm", false)]
    {
        let asked = if drawn { format!("{asked}{rest}") } else { asked.replace("&gpu=rtx-4090", rest) };
        let value = answers().of_link(&asked).unwrap();
        assert_eq!(value.to_string().contains("\"memories\""), drawn, "{rest}");
    }
}

#[test]
fn host_memory_is_offered_where_the_gpu_is_too_small() {
    let asked =
        "v=1&view=inference&gpu=rtx-4090&serve.tp=1&serve.in=512&serve.out=128&serve.batch=1&serve.kv=fp16";
    for (model, engine, expected) in [
        (
            "model=gpt-oss-120b&serve.precision=mxfp4",
            "llamacpp",
            "llama.cpp in MXFP4 weights with --n-cpu-moe ",
        ),
        ("model=llama-3.1-70b&serve.precision=q4_k_m", "llamacpp", "llama.cpp in Q4_K_M (GGUF) with -ngl "),
        ("model=llama-3.1-70b", "vllm", "llama.cpp in Q4_K_M (GGUF) with -ngl "),
    ] {
        let value = answers().of_link(&format!("{asked}&{model}&serve.engine={engine}")).unwrap();
        let links = value["answer"]["offers"][0]["links"].as_array().unwrap().clone();
        let found = links.iter().find(|link| link["text"].as_str().unwrap().starts_with(expected));
        let Some(found) = found else { panic!("{links:#?}") };
        let answer = answers().answer(found["link"].as_str().unwrap()).unwrap();
        assert!(answer.problems.is_empty() && answer.lead.contains(" of host memory: "), "{}", answer.lead);
        assert!(answer.cards.iter().any(|card| card.id == "host-memory"));
    }
    let datacentre = answers().of_link("v=1&view=inference&model=gpt-3-175b&serve.tp=1").unwrap();
    assert!(!datacentre["answer"]["offers"].to_string().contains("llama.cpp"));
}

#[test]
fn the_limit_of_a_unified_memory_is_said() {
    let asked = "v=1&view=inference&model=llama-3.1-70b&gpu=apple-m4-max-40c&serve.tp=1&serve.batch=1&serve.engine=llamacpp";
    let lead =
        |precision: &str| answers().answer(&format!("{asked}&serve.precision={precision}")).unwrap().lead;
    assert!(!lead("q8_0").contains("macOS"), "{}", lead("q8_0"));
    let large = answers().answer(&format!("{asked}&serve.precision=q8_0&dram_gib=88")).unwrap().lead;
    assert!(large.contains("macOS lets the GPU use about 66"), "{large}");
}

/// A link of the page, whole or after its `#`, is answered as its document is.
#[test]
fn links_are_answered_as_documents_are() {
    let fragment = "v=1&gpus=64&model=llama-3.1-8b&tp=2&pp=1";
    let document = foretoken::scenario::link::decode(fragment).scenario.to_json();
    let answers = answers();
    let expected = answers.estimate(&document);
    assert!(expected["training"]["step"].as_f64().is_some_and(|step| step > 0.0), "{expected}");
    for link in [fragment.to_owned(), format!(" https://example.org/foretoken/#{fragment} ")] {
        assert_eq!(answers.estimate(&link), expected, "{link}");
    }
    assert!(answers.estimate("v=1&gpus=zero")["problems"][0]["message"].is_string());
}

/// The last of two values of a key counts, as docs/link.md says, and the answer says so.
#[test]
fn a_repeated_key_is_answered_with_a_warning() {
    let once = "v=1&model=llama-3.1-8b&gpus=128&tp=2&pp=1";
    let twice = "v=1&model=llama-3.1-8b&gpus=64&gpus=128&tp=2&pp=1";
    let mut answers = answers();
    let expected = answers.estimate(once);
    assert!(expected["training"].is_object() && expected["warnings"].is_null(), "{expected}");
    let said = serde_json::json!(["system.gpus: `gpus` is there more than once: the last one counts"]);
    let estimate = answers.estimate(twice);
    assert_eq!((&estimate["training"], &estimate["warnings"]), (&expected["training"], &said));
    assert_eq!(answers.of_link(twice).unwrap()["warnings"], said);
    assert!(answers.answer(twice).is_ok());
    assert_eq!(answers.json(&format!("{twice}~{once}"))["warnings"], said);
}

#[test]
fn documents_may_take_several_lines() {
    let saved = link::decode("v=1&gpus=64&tp=2").scenario.to_json();
    let saved = saved.trim_end();
    assert!(saved.lines().count() > 1, "{saved}");
    let input = format!(
        "v=1&gpus=8\n{saved}\n{{\"view\": \"inference\"}}\n[\n  {{}},\n  {{}}\n]\n{{\"cut\": [\n{{}}\n\nx"
    );
    let found: Result<Vec<String>, _> = documents::documents(input.as_bytes()).collect();
    let found = found.expect("lines");
    assert_eq!(
        found,
        ["v=1&gpus=8", saved, "{\"view\": \"inference\"}", "[\n  {},\n  {}\n]", "{\"cut\": [", "{}", "", "x"]
    );
}
