//! The operators that all plans are made of, against those of arXiv 2410.00273's own model for the same shapes.

use std::collections::BTreeMap;

use foretoken::plan::TensorKind;
use foretoken::published::subramanian::{Degrees, Machine, Plan, Strategy, Transformer};
use foretoken::scenario::{Choice, Scenario};
use foretoken::system::{Operation, Work};
use foretoken::training::TrainingJob;
use foretoken::units::{Bandwidth, FlopRate, Seconds};
use foretoken::workload::{ContextKind, Operator};

/// Work of an operator in one direction on one GPU: FLOPs, DRAM bytes, link bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Done {
    flops: f64,
    bytes: f64,
    sent: f64,
}

impl Done {
    fn add(&mut self, other: Self) {
        self.flops += other.flops;
        self.bytes += other.bytes;
        self.sent += other.sent;
    }
}

/// Both directions by operator, and the communication of norms and attention.
type Table = BTreeMap<&'static str, [Done; 2]>;

const NAMES: [(&str, &str); 4] = [
    ("MLP up-projection", "fc1"),
    ("MLP down-projection", "fc2"),
    ("QKV projection", "qkv"),
    ("Attention output", "vproj"),
];

/// Kernel launch time of the paper's model, s, and its fraction of the peak rate.
const LAUNCH: f64 = 20e-6;
const EFFICIENCY: f64 = 0.8;

/// A machine on which nothing but one resource takes time, one unit of it per second.
fn theirs(name: &str, plan: &Plan) -> Table {
    let model = Transformer::named(name).expect("one of their models");
    let mut real = Machine::named("B200").expect("one of their machines");
    real.domain = 1024;
    for link in [&mut real.links.fast, &mut real.links.slow] {
        (link.bandwidth, link.efficiency, link.latency) = (Bandwidth::new(1.0), 1.0, Seconds::ZERO);
    }
    let endless = 1e30;
    let compute = Machine { matrix: FlopRate::new(1e9), dram: Bandwidth::new(endless), ..real };
    let dram = Machine { matrix: FlopRate::new(endless), dram: Bandwidth::new(1e3), ..real };
    let mut table = Table::new();
    compute.operators(&model, plan, &mut |operator| {
        let flops = |pass: Seconds| (pass.get() - LAUNCH) * 1e9 * EFFICIENCY;
        let entry = table.entry(operator.name).or_default();
        entry[0].flops += flops(operator.forward.compute);
        entry[1].flops += flops(operator.backward.compute);
    });
    dram.operators(&model, plan, &mut |operator| {
        let entry = table.entry(operator.name).or_default();
        for (done, pass) in entry.iter_mut().zip([operator.forward, operator.backward]) {
            done.bytes += (pass.compute + pass.memory).get() * 1e3;
        }
    });
    // One byte per second over links, so that nothing hides.
    let links = Machine { matrix: FlopRate::new(endless), dram: Bandwidth::new(endless), ..real };
    links.operators(&model, plan, &mut |operator| {
        let entry = table.entry(operator.name).or_default();
        let multiplies = NAMES.iter().any(|(_, name)| *name == operator.name);
        for (done, pass) in entry.iter_mut().zip([operator.forward, operator.backward]) {
            let shown = match plan.strategy {
                // The first panel's broadcasts show twice in the authors' sum.
                Strategy::Summa { panels } if multiplies => f64::from(panels) / f64::from(panels + 1),
                _ => 1.0,
            };
            done.sent += pass.communication.get() * shown;
        }
    });
    table
}

fn ours(scenario: &Scenario) -> Table {
    let look = |job: &TrainingJob<'_>| {
        let mut table = Table::new();
        let mut owner = "";
        job.shard().forward(&job.architecture.uniform(false, false, 1), &mut |operator| {
            if let Some((_, name)) = NAMES.iter().find(|(name, _)| *name == operator.name) {
                owner = name;
            }
            let name = match operator.work {
                Work::Collective(collective) if operator.is_core() => {
                    assert_eq!(collective.operation, Operation::AllGather);
                    "fusedla"
                }
                Work::Collective(collective) if collective.operation == Operation::AllReduce => "norm",
                Work::Collective(_) => "ring",
                Work::Matmul(_) | Work::Panels(_) | Work::Broadcasts(_) => owner,
                _ => return,
            };
            let entry = table.entry(name).or_default();
            entry[0].add(done(&operator));
            operator.backward(false, &mut |gradient| entry[1].add(done(&gradient)));
        });
        table
    };
    scenario.with_training(look).unwrap()
}

fn done(operator: &Operator) -> Done {
    let mut done = Done::default();
    match operator.work {
        Work::Matmul(matmul) => (done.flops, done.bytes) = (matmul.flops().get(), matmul.bytes().get()),
        Work::Panels(panels) => (done.flops, done.bytes) = (panels.flops().get(), panels.bytes().get()),
        Work::Broadcasts(panels) => {
            done.sent = panels.moves.iter().map(|moved| moved.traffic().get()).sum();
        }
        Work::Collective(collective) => done.sent = collective.traffic().get(),
        _ => {}
    }
    done
}

/// The same model, sequence and parallelism as a scenario and as a plan of the paper.
fn pair(ids: (&str, &str), strategy: Strategy, (first, second): (u32, u32)) -> (Table, Table, f64) {
    let (theirs_id, ours_id) = ids;
    let model = Transformer::named(theirs_id).expect("one of their models");
    let whole = Degrees { first, second, data: 1, pipeline: 1 };
    let plan = Plan { strategy, degrees: whole, inside: whole, microbatch: 1 };
    let mut scenario = Scenario { model: Choice::Named(ours_id.to_owned()), ..Scenario::default() };
    (scenario.system.gpus, scenario.recipe.batch) = (first * second, 1);
    scenario.recipe.sequence = model.sequence;
    let cut = &mut scenario.parallelism;
    (cut.tensor, cut.context, cut.pipeline) = (first, second, 1);
    cut.context_kind = ContextKind::Gather;
    if let Strategy::Summa { panels } = strategy {
        (cut.tensor_kind, cut.panels) = (TensorKind::Grid, Some(panels));
    }
    (theirs(theirs_id, &plan), ours(&scenario), f64::from(model.width))
}

const MODELS: [(&str, &str); 2] = [("gpt3_1T", "megatron-1t"), ("vit_era5", "vit-era5-64k")];
const STRATEGIES: [(Strategy, (u32, u32)); 5] = [
    (Strategy::OneD, (8, 1)),
    (Strategy::Context, (4, 2)),
    (Strategy::Context, (2, 8)),
    (Strategy::Summa { panels: 8 }, (4, 2)),
    (Strategy::Summa { panels: 16 }, (8, 4)),
];

fn near(ours: f64, theirs: f64, rounding: f64, what: &str) {
    let close = (ours - theirs).abs() <= rounding * theirs.abs().max(1.0);
    assert!(close, "{what}: {ours:e}, theirs {theirs:e}");
}

#[test]
fn multiplies_do_the_same() {
    for ids in MODELS {
        for (strategy, grid) in STRATEGIES {
            let (theirs, ours, width) = pair(ids, strategy, grid);
            let panelled = matches!(strategy, Strategy::Summa { .. });
            for (_, name) in NAMES {
                let what = format!("{} {strategy:?} {name}", ids.0);
                let (theirs, ours) = (&theirs[name], &ours[name]);
                for (direction, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                    // The paper's model counts 2k - 1 operations for a sum of k products; the shortest sum has 256.
                    near(ours.flops, theirs.flops, 1.0 / 256.0, &format!("{what} flops {direction}"));
                    if panelled {
                        near(ours.sent, theirs.sent, 1e-9, &format!("{what} sent {direction}"));
                    }
                }
                near(ours[0].bytes, theirs[0].bytes, 1e-9, &format!("{what} bytes"));
                // Gradients of weights are summed over microbatches in 32 bits, read and written; theirs are
                // written in 16.
                let widths = match name {
                    "fc1" | "fc2" => 4.0,
                    "qkv" => 3.0,
                    _ => 1.0,
                };
                let wider = 6.0 * widths * width * width / f64::from(grid.0);
                near(ours[1].bytes - wider, theirs[1].bytes, 1e-6, &format!("{what} gradient bytes"));
            }
        }
    }
}

#[test]
fn collectives_move_the_same() {
    for ids in MODELS {
        for (strategy, grid) in STRATEGIES {
            let (theirs, ours, _) = pair(ids, strategy, grid);
            let panelled = matches!(strategy, Strategy::Summa { .. });
            for direction in [0, 1] {
                let what = format!("{} {strategy:?} {direction}", ids.0);
                let sent =
                    |table: &Table, name: &str| table.get(name).map_or(0.0, |both| both[direction].sent);
                near(
                    sent(&ours, "fusedla"),
                    sent(&theirs, "fusedla"),
                    1e-9,
                    &format!("{what} keys and values"),
                );
                let others = theirs.iter().filter(|(name, _)| **name != "fusedla");
                let others = others.filter(|(name, _)| !panelled || name.starts_with("ln"));
                let all: f64 = others.map(|(_, both)| both[direction].sent).sum();
                match (panelled, direction) {
                    (false, _) => near(sent(&ours, "ring"), all, 1e-9, &format!("{what} tensor group")),
                    // An all-reduce sends what a gather does twice, which theirs leaves out inside a domain.
                    (true, 0) => near(sent(&ours, "norm") / 2.0, all, 1e-9, &format!("{what} norms")),
                    // Theirs adds the gradients of scale and shift, which other GPUs hold.
                    (true, _) => assert!(sent(&ours, "norm") / 2.0 <= all, "{what} norms"),
                }
            }
        }
    }
}
