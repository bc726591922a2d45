//! The model of arXiv 2410.00273 against what its authors' code gives, to within rounding.

// A golden file without its fields should fail loudly.
#![allow(clippy::expect_used, clippy::panic)]

use foretoken::estimate::subramanian::{
    Degrees, Feature, Kind, Machine, Map, Placed, Run, Space, Strategy, Transformer,
};
use foretoken::units::{Bandwidth, Bytes, FlopRate, Seconds};
use foretoken::validation::published::{self, Document};
use foretoken::validation::{Case, Question};
use serde_json::Value;

const CASES: &str = include_str!("golden/subramanian_cases.json");
const SEARCHES: &str = include_str!("golden/subramanian_search.json");
const SWEEPS: &str = include_str!("golden/subramanian_sweeps.json");

/// Their floating-point sums run in another order.
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
            "allgather" => Kind::AllGather,
            "reducescatter" => Kind::ReduceScatter,
            "allreduce" => Kind::AllReduce,
            "broadcast" => Kind::Broadcast,
            "reduce" => Kind::Reduce,
            "p2p" => Kind::Send,
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
fn searches_try_the_same_plans_and_find_the_same_best() {
    let golden = json(SEARCHES);
    let rows = golden["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 352);
    for row in rows {
        let strategy = match row["strategy"].as_str().expect("a strategy") {
            "1d" => Strategy::OneD,
            "2d" => Strategy::Summa { panels: 1 },
            _ => Strategy::Context,
        };
        let text = |name: &str| row[name].as_str().expect("a name");
        let machine = Machine {
            domain: count(&row["nvs"]),
            ..Machine::named(text("system")).expect("one of their machines")
        };
        let model = Transformer::named(text("model")).expect("one of their models");
        let space = Space { strategy, gpus: count(&row["n_gpus"]), batch: count(&row["global_batch_size"]) };
        let best = machine.search(&model, &space);
        let what = format!("{} {} {} {}", text("model"), text("strategy"), text("system"), row["n_gpus"]);
        assert_eq!(best.candidates, row["candidates"].as_u64().expect("a count"), "{what}: candidates");
        assert_eq!(best.feasible, row["feasible"].as_u64().expect("a count"), "{what}: feasible");
        if let Some((_, step)) = best.fastest {
            same(step.time.get(), &row["best_t"], &what);
        }
    }
}

#[test]
fn sweeps_of_system_features_have_their_shape() {
    let golden = json(SWEEPS);
    // Every eighth point or so of either axis: the whole map takes minutes without optimisation.
    let some = |value: &Value, step: usize| -> Vec<f64> {
        value.as_array().expect("a list").iter().step_by(step).map(number).collect()
    };
    let base = Machine::named("B200").expect("a machine");
    for (name, run) in [("gpt3_1T", Run::LLM), ("vit_era5", Run::VIT)] {
        for (feature, sweep, columns, steps) in
            [(Feature::Dram, "hbm", "bw", (8, 9)), (Feature::Rate, "flops", "tf", (3, 7))]
        {
            let sweep = &golden[format!("{name}_{sweep}")];
            let mut map = Map::new(feature, run);
            (map.rows, map.columns) = (some(&sweep["cap"], steps.0), some(&sweep[columns], steps.1));
            while !map.done() {
                map.advance(&base);
            }
            for row in 0..map.rows.len() {
                for column in 0..map.columns.len() {
                    let what = format!("{name} {feature:?} {} {}", map.rows[row], map.columns[column]);
                    let theirs = &sweep["days"][row * steps.0][column * steps.1];
                    same(map.at(row, column).expect("a plan that fits"), theirs, &what);
                }
            }
        }
    }
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
    assert_eq!(days[2], days[3]);
}

#[test]
fn the_fault_can_be_switched_off() {
    // Reference: GPT3-1T on 16,384 B200 in domains of 8, best SUMMA plan 4.404 days as published, 4.541 without.
    let machine = Machine { domain: 8, ..Machine::named("B200").expect("a machine") };
    let mut model = Transformer::named("gpt3_1T").expect("a model");
    let space = Space { strategy: Strategy::Summa { panels: 1 }, gpus: 16384, batch: 4096 };
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
