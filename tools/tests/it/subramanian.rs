//! The model of arXiv 2410.00273 against what its authors' code gives, to within rounding.

use foretoken::catalog;
use foretoken::figure::Size;
use foretoken::plan::{Placement, TensorKind};
use foretoken::published::subramanian::{
    CollectiveKind, Counts, Degrees, Device, Feature, Machine, Map, Method, Placed, Plan, Run, Setup, Space,
    Strategy, Study, StudyPoint, Transformer,
};
use foretoken::scenario::{Choice, Problem, Scenario, View, link};
use foretoken::search::{Methods, Objective, Subject};
use foretoken::service::{Ask, Reply, Request, Said, Service, Step};
use foretoken::system::{AssumptionSet, Precision};
use foretoken::training::Gradients;
use foretoken::units::{Bandwidth, Bytes, FlopRate, Seconds};
use foretoken::validation::{Case, Question};
use foretoken::view::News;
use foretoken::workload::ContextKind;
use foretoken_tools::published::{self, Document};
use serde_json::Value;

const CASES: &str = include_str!("../../../tests/golden/subramanian_cases.json");
const SEARCHES: &str = include_str!("../../../tests/golden/subramanian_search.json");
const SWEEPS: &str = include_str!("../../../tests/golden/subramanian_sweeps.json");

/// Tolerance for sums in a different order.
const ROUNDING: f64 = 1e-9;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("a golden file")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn same(ours: f64, theirs: &Value, what: &str) {
    let theirs = number(theirs);
    let close = (ours - theirs).abs() <= ROUNDING * theirs.abs().max(1e-12);
    assert!(close, "{what}: {ours:e}, theirs {theirs:e}");
}

fn cases(text: &str) -> Vec<Case> {
    match published::read(text).expect("a golden file") {
        Document::Cases(cases) => cases,
        Document::Peers(_) => panic!("predictions instead of cases"),
    }
}

#[test]
fn plans_have_their_times_memory_and_operators() {
    let golden = json(CASES);
    let rows = golden["cases"].as_array().expect("cases");
    let cases = cases(CASES);
    assert_eq!((rows.len(), cases.len()), (56, 56));
    let mut operators = 0;
    for (row, case) in rows.iter().zip(&cases) {
        let Ok(Question::Subramanian { machine, model, plan, batch }) = &case.question else {
            panic!("{}: {:?}", case.id, case.question)
        };
        let step = machine.step(model, plan, *batch);
        let gb = |bytes: Bytes| bytes.get() * 1e-9;
        let ours = [
            ("t", step.time.get()),
            ("t_comp", step.compute.get()),
            ("t_mem", step.dram.get()),
            ("t_tp_comm", step.tensor.get()),
            ("t_dp_comm", step.data.get()),
            ("t_pp_comm", step.pipeline.get()),
            ("t_bubble", step.bubble.get()),
            ("mem", gb(step.memory.total())),
            ("wts_mem", gb(step.memory.weights)),
            ("wts_grad_mem", gb(step.memory.gradients)),
            ("wts_optimizer_states_mem", gb(step.memory.optimizer)),
            ("acts_mem", gb(step.memory.activations)),
        ];
        for (name, value) in ours {
            same(value, &row["outputs"][name], &format!("{} {name}", case.id));
        }
        let Some(table) = row["operators"].as_array() else { continue };
        let mut theirs = table.iter();
        machine.operators(model, plan, &mut |operator| {
            let row = theirs.next().expect("as many operators");
            assert_eq!(row["name"], operator.name);
            let passes = [("fwd", operator.forward), ("bwd", operator.backward)];
            for (suffix, pass) in passes {
                let what = format!("{} {} {suffix}", case.id, operator.name);
                same(pass.compute.get(), &row[format!("t_{suffix}_comp")], &what);
                same(pass.communication.get(), &row[format!("t_{suffix}_comm")], &what);
                same(pass.time().get(), &row[format!("t_{suffix}")], &what);
            }
            same(gb(operator.activation), &row["activation_buffer"], operator.name);
            same(gb(operator.weights), &row["weights_mem"], operator.name);
            operators += 1;
        });
        assert!(theirs.next().is_none(), "{}: operators are missing", case.id);
    }
    assert!(operators >= 14 * 17, "{operators} operators");
}

#[test]
fn collectives_take_their_times() {
    let golden = json(CASES);
    let rows = golden["collectives"].as_array().expect("collectives");
    assert_eq!(rows.len(), 408);
    for row in rows {
        let kind = match row["kind"].as_str().expect("a kind") {
            "allgather" => CollectiveKind::AllGather,
            "reducescatter" => CollectiveKind::ReduceScatter,
            "allreduce" => CollectiveKind::AllReduce,
            "broadcast" => CollectiveKind::Broadcast,
            "reduce" => CollectiveKind::Reduce,
            "p2p" => CollectiveKind::Send,
            other => panic!("{other}"),
        };
        let name = row["system"].as_str().expect("a system");
        let machine = named(&golden, name);
        let group = Placed { size: count(&row["n"]), inside: count(&row["group_in_domain"]) };
        let time = machine.collective(kind, Bytes::new(number(&row["volume_GB"]) * 1e9), group);
        same(time.get(), &row["t_s"], &row.to_string());
    }
}

fn count(value: &Value) -> u32 {
    value.as_u64().and_then(|value| u32::try_from(value).ok()).expect("a count")
}

/// A machine by the file's own table.
fn named(golden: &Value, name: &str) -> Machine {
    let system = &golden["systems"][name];
    let mut machine = Machine::named("B200").expect("a machine");
    machine.matrix = FlopRate::from_tera(number(&system["matrix_flops_fp16"]));
    machine.links.adapters = number(&system["nic_factor"]);
    for (link, prefix) in [(&mut machine.links.fast, "nvlink"), (&mut machine.links.slow, "ib")] {
        link.bandwidth = Bandwidth::from_gb(number(&system[format!("{prefix}_bandwidth")]));
        link.efficiency = number(&system[format!("{prefix}_eff")]);
        link.latency = Seconds::new(number(&system[format!("{prefix}_latency")]));
    }
    machine
}

#[test]
fn the_study_tries_the_same_plans_and_finds_the_same_best() {
    let golden = json(SEARCHES);
    let rows = golden["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 352);
    let mut study = Study::whole();
    study.run();
    assert_eq!(study.progress(), (702, 702));
    for row in rows {
        let text = |name: &str| row[name].as_str().expect("a name");
        let run = if text("model") == "gpt3_1T" { Run::LLM } else { Run::VIT };
        let method = Method::named(text("strategy")).expect("one of their strategies");
        let mut devices = Device::ALL.into_iter();
        let device = devices.find(|device| device.name() == text("system")).expect("one of their devices");
        let setup = Setup { device, domain: count(&row["nvs"]) };
        let point = StudyPoint { run, method, setup, gpus: count(&row["n_gpus"]) };
        let best = study.at(&point).expect("a point of the study");
        let what = format!("{} {} {} {}", text("model"), text("strategy"), setup.name(), row["n_gpus"]);
        let Counts { candidates, feasible } = best.counts;
        assert_eq!(candidates, row["candidates"].as_u64().expect("a count"), "{what}: candidates");
        assert_eq!(feasible, row["feasible"].as_u64().expect("a count"), "{what}: feasible");
        assert_eq!(feasible > 0, best.fastest.is_some(), "{what}");
        let Some((plan, step)) = best.fastest else { continue };
        same(step.time.get(), &row["best_t"], &what);
        same(study.days(&point).expect("days"), &row["training_days"], &what);
        same(setup.machine().step(&run.model, &plan, Run::BATCH).time.get(), &row["best_t"], &what);
    }
    // The authors' whole space: two models, three strategies, nine systems, 13 numbers of GPUs.
    let sum = |count: fn(&Counts) -> u64| study.found().map(|(_, best)| count(&best.counts)).sum::<u64>();
    assert_eq!(sum(|counts| counts.candidates), 9_183_444);
    assert_eq!(sum(|counts| counts.feasible), 2_443_160);
    assert_eq!(study.found().filter(|(_, best)| best.fastest.is_some()).count(), 360);
}

/// All 2,232 points of their sweeps of B200, from the question of a link; corners open with the same time.
#[test]
fn sweeps_of_system_features_are_theirs() {
    let golden = json(SWEEPS);
    let mut points = 0;
    for (name, run, strategy) in
        [("gpt3_1T", Run::LLM, Methods::OneD), ("vit_era5", Run::VIT, Methods::Context)]
    {
        let mut scenario = question(&run, Setup { device: Device::B200, domain: 8 }, 8192);
        scenario.search.strategy = strategy;
        let (base, job) = scenario.published_job().expect("a question within the paper");
        for (feature, sweep, columns) in [(Feature::Dram, "hbm", "bw"), (Feature::Rate, "flops", "tf")] {
            let sweep = &golden[format!("{name}_{sweep}")];
            let mut map = Map::fine(feature, job.clone());
            while !map.done() {
                map.advance(&base);
            }
            for (ours, theirs) in [(&map.rows, &sweep["cap"]), (&map.columns, &sweep[columns])] {
                let theirs = theirs.as_array().expect("a list");
                assert_eq!(ours.len(), theirs.len());
                ours.iter().zip(theirs).for_each(|(ours, theirs)| same(*ours, theirs, name));
            }
            for row in 0..map.rows.len() {
                for column in 0..map.columns.len() {
                    let what = format!("{name} {feature:?} {} {}", map.rows[row], map.columns[column]);
                    same(map.at(row, column).expect("a plan that fits"), &sweep["days"][row][column], &what);
                    points += 1;
                }
            }
        }
    }
    assert_eq!(points, 2232);
}

/// Every plan of the sweeps opens in the Training view with the time of its point.
#[test]
fn the_page_sweeps_the_chosen_system() {
    let setup = Setup { device: Device::H200, domain: 4 };
    let mut scenario = question(&Run::VIT, setup, 2048);
    scenario.search.of = Subject::Features;
    let mut service = Service::default();
    let ask = Ask::Answer { link: link::encode(&scenario), size: Size::Narrow, workers: 1 };
    service.ask(Request { id: 1, ask });
    let answer = loop {
        match service.step() {
            Step::Tell(Reply { said: Said::Answer(News::Whole(answer)), .. }) => break answer,
            Step::Tell(Reply { said: Said::Progress { .. } | Said::Partial { .. }, .. }) => {}
            other => panic!("{other:?}"),
        }
    };
    let ids: Vec<&str> = answer.figures().map(|figure| figure.id.as_ref()).collect();
    assert_eq!(ids, ["sweep-dram", "sweep-rate", "sweep-domain"]);
    let mut opened = 0;
    for figure in answer.figures() {
        // Some points: all take minutes without optimisation.
        for row in figure.table.rows.iter().step_by(7) {
            let Some(question) = &row.cells[3].link else {
                assert_eq!(row.cells[2].value, None, "{:?}", row.cells);
                continue;
            };
            let estimate = link::decode(question).scenario.training();
            let estimate = estimate.unwrap_or_else(|problems| panic!("{question}: {problems:?}"));
            assert_eq!(Some(estimate.step.get()), row.cells[4].value, "{question}");
            opened += 1;
        }
    }
    assert!(opened > 100, "{opened}");
}

#[test]
fn larger_domains_train_faster() {
    let base = Machine::named("B200").expect("a machine");
    let mut map = Map::new(Feature::Domain, Run::LLM);
    map.columns = vec![2048.0];
    while !map.done() {
        map.advance(&base);
    }
    let days: Vec<f64> = (0..4).map(|row| map.at(row, 0).expect("a plan that fits")).collect();
    assert!(days[0] >= days[1] && days[1] >= days[2], "{days:?}");
    // 64 GPUs of a domain of 72 are used.
    assert_eq!(days[2].to_bits(), days[3].to_bits());
}

#[test]
fn the_fault_can_be_switched_off() {
    // Reference: GPT3-1T on 16,384 B200 in domains of 8, best SUMMA plan 4.404 days as published, 4.541 without.
    let machine = Machine { domain: 8, ..Machine::named("B200").expect("a machine") };
    let mut model = Transformer::named("gpt3_1T").expect("a model");
    let space = Space::of(Method::Summa, 16384, 4096);
    let days = |model: &Transformer| {
        let (plan, step) = machine.search(model, &space).fastest.expect("a plan that fits");
        let Degrees { first, second, .. } = plan.degrees;
        assert!(first * second > 1);
        step.time.get() * 488_281_250.0 / 4096.0 / 86400.0
    };
    assert!((days(&model) - 4.404).abs() < 1e-3);
    model.norm_fault = false;
    assert!((days(&model) - 4.541).abs() < 1e-3);
}

/// One of their cases as somebody would ask it on the page.
fn asked(machine: &Machine, model: &Transformer, plan: &Plan, batch: u32) -> Scenario {
    let Degrees { first, second, data, pipeline } = plan.degrees;
    let mut scenario = Scenario { assumptions: AssumptionSet::Subramanian2024, ..Scenario::default() };
    let mut architecture = catalog::architecture("megatron-1t").expect("a model").clone();
    (architecture.layers, architecture.hidden, architecture.ffn) = (model.depth, model.width, model.ffn);
    (architecture.heads, architecture.kv_heads) = (model.heads, model.heads);
    architecture.head_dim = model.width / model.heads;
    scenario.model = Choice::Explicit(Box::new(architecture));
    let mut device = catalog::accelerator("b200").expect("a device").clone();
    device.matrix_tflops.bf16 = Some(machine.matrix.get() * 1e-12);
    // The set takes twice the 32-bit rate.
    device.vector_tflops = machine.vector.get() * 0.5e-12;
    device.dram.bandwidth_gb_s = machine.dram.get() * 1e-9;
    // Memory is compared class by class below; half of their cases do not fit.
    device.dram.capacity_gib = 1e5;
    (device.scale_up.gb_s, device.scale_up.domain) =
        (machine.links.fast.bandwidth.get() * 1e-9, machine.domain);
    device.scale_out.gb_s = machine.links.slow.bandwidth.get() * 1e-9;
    scenario.system.accelerator = Choice::Explicit(Box::new(device));
    scenario.system.gpus = first * second * data * pipeline;
    scenario.system.adapters = machine.links.adapters;
    scenario.constants = [
        ("links.scale-up.efficiency", machine.links.fast.efficiency),
        ("links.scale-up.step", machine.links.fast.latency.get()),
        ("links.scale-out.efficiency", machine.links.slow.efficiency),
        ("links.scale-out.hop", machine.links.slow.latency.get()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into();
    let recipe = &mut scenario.recipe;
    (recipe.batch, recipe.sequence, recipe.dropout) = (batch, model.sequence, true);
    recipe.gradients = Gradients::Bf16;
    let cut = &mut scenario.parallelism;
    (cut.tensor, cut.context, cut.pipeline, cut.microbatch) = (first, second, pipeline, plan.microbatch);
    (cut.tensor_kind, cut.panels) = match plan.strategy {
        Strategy::Summa { panels } => (TensorKind::Grid, Some(panels)),
        _ => (TensorKind::Line, None),
    };
    if plan.strategy != Strategy::OneD {
        cut.context_kind = ContextKind::Gather;
    }
    let Degrees { first, second, data, pipeline } = plan.inside;
    cut.placement =
        Placement { tensor: Some(first), context: Some(second), data: Some(data), pipeline: Some(pipeline) };
    scenario
}

#[test]
fn the_assumption_set_is_their_model() {
    let golden = json(CASES);
    let rows = golden["cases"].as_array().expect("cases");
    let all = cases(CASES);
    let mut equal = 0;
    let mut refused = Vec::new();
    for (row, case) in rows.iter().zip(&all) {
        let Ok(Question::Subramanian { machine, model, plan, batch }) = &case.question else {
            panic!("{}: {:?}", case.id, case.question)
        };
        match asked(machine, model, plan, *batch).training() {
            Ok(estimate) => {
                same(estimate.step.get(), &row["outputs"]["t"], &case.id);
                let gb = |bytes: Bytes| bytes.get() * 1e-9;
                same(gb(estimate.memory.total()), &row["outputs"]["mem"], &case.id);
                let sum: Seconds = estimate.terms.iter().map(|term| term.time).sum();
                assert!((sum / estimate.step - 1.0).abs() < 1e-12, "{}", case.id);
                assert_eq!(estimate.operators.len(), 28);
                equal += 1;
            }
            Err(problems) => refused.push((case.id.as_str(), problems)),
        }
    }
    assert_eq!((equal, refused), (56, Vec::new()));
}

/// Days of the shipped results for domains of 4, 8 and 64 of each strategy: 1D, SUMMA, sequence-parallel; 0 where
/// nothing fits. The column before has the number of GPUs.
const DAYS: [(Run, Device, u32, [[f64; 3]; 3]); 13] = [
    (Run::LLM, Device::A100, 4096, [[97.96, 86.88, 85.47], [89.02, 80.82, 79.96], [91.33, 83.77, 79.99]]),
    (Run::LLM, Device::A100, 16384, [[33.01, 28.16, 25.53], [30.19, 27.11, 23.53], [29.29, 26.67, 22.33]]),
    (Run::LLM, Device::H200, 4096, [[30.95, 30.15, 29.22], [28.65, 27.77, 27.23], [30.20, 28.12, 27.47]]),
    (Run::LLM, Device::H200, 16384, [[11.81, 10.27, 9.50], [11.62, 9.35, 8.24], [10.92, 9.56, 8.23]]),
    (Run::LLM, Device::B200, 512, [[78.49, 78.35, 78.58], [76.57, 76.43, 76.40], [78.02, 77.84, 78.07]]),
    (Run::LLM, Device::B200, 4096, [[12.88, 12.47, 12.21], [11.86, 11.79, 11.45], [12.50, 11.96, 11.63]]),
    (Run::LLM, Device::B200, 16384, [[5.24, 4.46, 3.99], [4.83, 4.40, 4.00], [4.79, 4.09, 3.69]]),
    (Run::VIT, Device::A100, 4096, [[0.0; 3], [44.28, 32.01, 23.39], [33.81, 29.81, 24.81]]),
    (Run::VIT, Device::A100, 16384, [[0.0; 3], [11.07, 8.00, 5.85], [9.13, 8.05, 6.70]]),
    (Run::VIT, Device::H200, 16384, [[0.0; 3], [4.12, 2.93, 2.16], [3.15, 2.77, 2.13]]),
    (Run::VIT, Device::B200, 512, [[0.0; 3], [52.34, 34.04, 26.70], [35.79, 30.76, 26.00]]),
    (Run::VIT, Device::B200, 4096, [[0.0; 3], [6.54, 4.26, 3.34], [4.66, 3.97, 3.34]]),
    (Run::VIT, Device::B200, 16384, [[0.0; 3], [1.64, 1.06, 0.84], [1.29, 1.08, 0.89]]),
];

/// The question of a run on a system, as a link has it.
fn question(run: &Run, setup: Setup, gpus: u32) -> Scenario {
    let (id, device, sequence) = (run.id, setup.id(), run.model.sequence);
    let tokens = run.samples * f64::from(sequence);
    link::decode(&format!(
        "v=1&view=search&assumptions=subramanian-2024&model={id}&gpu={device}&gpus={gpus}&batch={}&seq={sequence}\
         &dropout=true&gradients=bf16&tokens={tokens:e}",
        Run::BATCH
    ))
    .scenario
}

/// The Search view tries the study's plans and finds its days, and its best plans open with the same time.
#[test]
fn the_page_searches_the_whole_space() {
    let mut study = Study::whole();
    study.run();
    for run in Study::RUNS {
        for setup in Setup::ALL {
            let scenario = question(&run, setup, 16384);
            let mut search = scenario.published_search().expect("a question within the paper");
            let job = search.question().job(&search.question().plan, 16384);
            assert_eq!(job.as_subramanian(), Ok((setup.machine(), run.model)), "{}", setup.name());
            search.run();
            assert_eq!(search.searched().len(), Study::COUNTS.len() * Method::ALL.len());
            for searched in search.searched() {
                let point = StudyPoint { run, method: searched.method, setup, gpus: searched.gpus };
                let best = study.at(&point).expect("a point");
                let what = format!("{} {} {:?} {}", run.name, setup.name(), searched.method, searched.gpus);
                assert_eq!(searched.counts, best.counts, "{what}");
                let ours = searched.best().map(|found| (found.step, found.published));
                assert_eq!(ours, best.fastest.map(|(plan, step)| (step.time, Some(plan))), "{what}");
                let Some(found) = searched.best() else { continue };
                let mut opened = scenario.clone();
                (opened.view, opened.parallelism) = (View::Training, found.plan);
                opened.system.gpus = found.gpus;
                let opened = link::decode(&link::encode(&opened)).scenario;
                let estimate = opened.training().unwrap_or_else(|problems| panic!("{what}: {problems:?}"));
                assert_eq!(estimate.step.get().to_bits(), found.step.get().to_bits(), "{what}");
                let days = study.days(&point).expect("days");
                assert!((estimate.run.get() / 86400.0 / days - 1.0).abs() < 1e-12, "{what}");
            }
        }
    }
    for (run, device, gpus, days) in DAYS {
        for (method, days) in Method::ALL.into_iter().zip(days) {
            for (domain, days) in Setup::DOMAINS.into_iter().zip(days) {
                let point = StudyPoint { run, method, setup: Setup { device, domain }, gpus };
                let ours = study.days(&point).unwrap_or_default();
                let what =
                    format!("{} {} NVS {domain}, {gpus} GPUs, {}", run.name, device.name(), method.name());
                assert_eq!(format!("{ours:.2}"), format!("{days:.2}"), "{what}");
            }
        }
    }
}

#[test]
fn a_search_outside_the_paper_is_refused_by_field() {
    let fields = |change: fn(&mut Scenario)| -> Vec<String> {
        let mut scenario = question(&Run::LLM, Setup::ALL[7], 512);
        change(&mut scenario);
        let problems = scenario.problems();
        assert_eq!(problems.is_empty(), scenario.published_search().is_ok());
        problems.into_iter().map(|problem| problem.field).collect()
    };
    assert_eq!(fields(|scenario| scenario.parallelism.zero = 3), Vec::<String>::new());
    assert_eq!(fields(|scenario| scenario.recipe.dropout = false), ["recipe.dropout"]);
    assert_eq!(fields(|scenario| scenario.recipe.precision = Precision::Fp8), ["recipe.precision"]);
    assert_eq!(fields(|scenario| scenario.model = Choice::Named("llama-3.1-70b".to_owned())), ["model"]);
    assert_eq!(fields(|scenario| scenario.search.by = Objective::Cost), ["search.by"]);
    let mut one = question(&Run::LLM, Setup::ALL[7], 16384);
    one.search.strategy = Methods::Context;
    let mut search = one.published_search().expect("a question within the paper");
    search.run();
    assert!(search.searched().iter().all(|searched| searched.method == Method::Context));
    assert_eq!(search.outcomes()[0].plans, 22_696);
    assert_eq!(
        search.outcomes()[0].best().map(|best| best.name()).as_deref(),
        Some("2D TP 2 × 4, PP 64, DP 32, microbatch 1, in NVS: TP 2 × 4")
    );
}

#[test]
fn what_their_model_lacks_is_named() {
    let all = cases(CASES);
    let Ok(Question::Subramanian { machine, model, plan, batch }) = &all[0].question else {
        panic!("{:?}", all[0].question)
    };
    let fields = |change: fn(&mut Scenario)| -> Vec<String> {
        let mut scenario = asked(machine, model, plan, *batch);
        change(&mut scenario);
        let problems: Vec<Problem> = scenario.training().expect_err("outside their model");
        problems.into_iter().map(|problem| problem.field).collect()
    };
    assert_eq!(fields(|scenario| scenario.parallelism.zero = 3), ["parallelism.zero"]);
    assert_eq!(fields(|scenario| scenario.recipe.dropout = false), ["recipe.dropout"]);
    assert_eq!(fields(|scenario| scenario.recipe.precision = Precision::Fp8), ["recipe.precision"]);
    let gated = |scenario: &mut Scenario| {
        if let Choice::Explicit(model) = &mut scenario.model {
            model.gated = true;
        }
    };
    assert_eq!(fields(gated), ["model"]);
    let serving = asked(machine, model, plan, *batch);
    assert_eq!(serving.inference().expect_err("no serving")[0].field, "assumptions");
}
