//! Laws of the effect of better process nodes, memories and links: monotone, saturating, conserving.

use foretoken::catalog::technology::{Fabric, Stack};
use foretoken::catalog::{self, Technology, technology};
use foretoken::estimate::Binding;
use foretoken::generations::Task;
use foretoken::generations::frontier::{NodeCurve, NodePoint, best, by_fabric, by_memory, saturation};
use foretoken::generations::machines::bindings;
use foretoken::inference::{EngineOverheads, InferenceJob, InferenceLoad};
use foretoken::plan::Plan;
use foretoken::system::{AssumptionSet, System};
use foretoken::technology::{Budget, Components};
use foretoken::training::{FrameworkOverheads, TrainingJob, TrainingRecipe};
use foretoken::units::{Area, Power};

const SET: AssumptionSet = AssumptionSet::Calibrated;

fn known() -> &'static Technology {
    technology()
}

fn components(node: &str, memory: &str, fabric: &str) -> Components<'static> {
    Components::named(node, "blackwell", memory, fabric).expect("known pieces")
}

fn budget() -> Budget {
    Budget::single(Area::new(826.0), Power::new(700.0))
}

/// GPT-3 6.7B on 1,024 GPUs, and Llama 2 70B served by 8.
fn with_tasks(check: impl Fn(&[Task<'_>; 3])) {
    let device = catalog::accelerator("b200").expect("a known device");
    let system = System::new(device, SET);
    let plan = Plan { tensor: 4, pipeline: 1, ..Plan::default() };
    let recipe = TrainingRecipe { batch: 1024, sequence: 2048, ..TrainingRecipe::default() };
    let small = catalog::architecture("gpt-3-6.7b").expect("a known model");
    let training = TrainingJob {
        architecture: small,
        system: &system,
        plan: &plan,
        recipe: &recipe,
        gpus: 1024,
        overheads: FrameworkOverheads::NONE,
    };
    let served = InferenceLoad { input: 2048, output: 256, batch: 16, ..InferenceLoad::default() };
    let large = catalog::architecture("llama-2-70b").expect("a known model");
    let serving = InferenceJob {
        architecture: large,
        system: &system,
        load: &served,
        overheads: EngineOverheads::NONE,
        draft: None,
    };
    check(&[Task::Training(training), Task::Prefill(serving), Task::Decode(serving)]);
}

fn times(line: &NodeCurve) -> Vec<f64> {
    line.points.iter().flatten().map(|point| point.time.get()).collect()
}

/// More but slower multiprocessors round to whole waves and blocks differently.
const ROUNDING: f64 = 1.002;

#[test]
fn a_better_node_is_never_slower_and_takes_less_energy() {
    with_tasks(|tasks| {
        for task in tasks {
            let lines = by_memory(
                &components("n7", "hbm3e", "ndr"),
                &known().nodes,
                &known().stacks,
                &budget(),
                task,
                SET,
            );
            for line in &lines {
                assert_eq!(line.points.iter().flatten().count(), known().nodes.len(), "{}", line.name);
                for pair in times(line).windows(2) {
                    assert!(pair[1] <= pair[0] * ROUNDING, "{} {}: {pair:?}", task.name(), line.name);
                }
                let energies = line.points.iter().flatten().map(|point| point.energy_per_token.get());
                let energies: Vec<f64> = energies.collect();
                for pair in energies.windows(2) {
                    assert!(pair[1] < pair[0] * 1.02, "{} {}: {pair:?}", task.name(), line.name);
                }
            }
        }
    });
}

/// All else is equal: a faster memory with a wider interface takes area that an old node lacks.
#[test]
fn more_bandwidth_is_never_slower() {
    with_tasks(|tasks| {
        for (task, node) in tasks.iter().zip(["n7", "n5", "a14"]) {
            let components = components(node, "hbm2e", "ndr");
            let time =
                |components: &Components<'_>| best(components, &budget(), task, SET).map(|point| point.time);
            let before = time(&components).expect("it fits");
            let mut stack: Stack = components.stack.clone();
            stack.gb_s.value *= 1.5;
            stack.pj_per_bit.value /= 1.5;
            assert!(
                time(&Components { stack: &stack, ..components }).is_some_and(|time| time <= before),
                "{node}"
            );
            let mut fabric: Fabric = components.fabric.clone();
            fabric.pj_per_bit.value /= 1.5;
            assert!(
                time(&Components { fabric: &fabric, ..components }).is_some_and(|time| time <= before),
                "{node}"
            );
        }
    });
}

#[test]
fn shares_of_what_binds_sum_to_one() {
    with_tasks(|tasks| {
        for task in tasks {
            for (node, memory, fabric) in [("n7", "hbm2e", "hdr"), ("n3", "hbm3e", "xdr")] {
                let point = best(&components(node, memory, fabric), &budget(), task, SET).expect("it fits");
                let sum: f64 = point.binding.parts().map(|(_, share)| share).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{}: {sum}", task.name());
                assert!(point.binding.parts().all(|(_, share)| (0.0..=1.0 + 1e-9).contains(&share)));
            }
        }
    });
}

fn gain(line: &NodeCurve, from: &str, to: &str) -> f64 {
    let place = |id| known().nodes.iter().position(|node| node.id == id).expect("a known node");
    let time =
        |id| line.points[place(id)].as_ref().map(|point: &NodePoint| point.time.get()).expect("a point");
    time(from) / time(to)
}

/// arXiv 2407.14645: the speed-up saturates around N5 to N3 unless memory and network scale along.
#[test]
fn training_saturates_unless_the_network_scales_along() {
    with_tasks(|[training, ..]| {
        let (nodes, start) = (&known().nodes, components("n7", "hbm3e", "ndr"));
        let lines = by_fabric(&start, nodes, &known().fabrics, &budget(), training, SET);
        let [hdr, ndr, _, gdr] = &lines[..] else { panic!("four kinds of links") };
        // Four further nodes after N5 bring less with NDR than N5 alone did, with HDR next to nothing.
        assert!(gain(ndr, "n5", "a10") < gain(ndr, "n7", "n5"), "{}", gain(ndr, "n5", "a10"));
        assert!(gain(hdr, "n5", "a10") < 1.15, "{}", gain(hdr, "n5", "a10"));
        // Links that scale with the node bring about twice the gain of HDR.
        let (scaled, stuck) = (gain(gdr, "n5", "a10") - 1.0, gain(hdr, "n5", "a10") - 1.0);
        assert!(scaled > 1.7 * stuck, "{scaled} against {stuck}");
        let saturates = |line| saturation(line, 0.11).map(|place| nodes[place].id.as_str());
        assert!(matches!(saturates(ndr), Some("n5" | "n3")), "{:?}", saturates(ndr));
        let place = |line| saturation(line, 0.11).unwrap_or(usize::MAX);
        assert!(place(gdr) >= place(ndr), "{:?}", saturates(gdr));
        // The binding resource moves from the units to the links: at N7 both take equally long.
        let binds =
            |line: &NodeCurve, place: usize| line.points[place].as_ref().map(|point| point.binding.largest());
        assert_eq!(binds(ndr, 1), Some(Binding::Compute));
        for (place, node) in nodes.iter().enumerate().take(8).skip(3) {
            assert_eq!(binds(ndr, place), Some(Binding::ScaleOut), "{}", node.id);
        }
    });
}

/// Decoding reads every weight for every token: no logic helps, memory does.
#[test]
fn decoding_saturates_unless_the_memory_scales_along() {
    with_tasks(|[_, prefill, decode]| {
        let (nodes, stacks) = (&known().nodes, &known().stacks);
        let start = components("n7", "hbm3e", "ndr");
        let lines = by_memory(&start, nodes, stacks, &budget(), decode, SET);
        let [old, .., new] = &lines[..] else { panic!("several memories") };
        assert!(gain(old, "n7", "a10") < 1.05, "{}", gain(old, "n7", "a10"));
        assert_eq!(old.points[7].as_ref().map(|point| point.binding.largest()), Some(Binding::Dram));
        let memory = times(old)[4] / times(new)[4];
        assert!(memory > 2.0, "{memory}");
        // Prefill is bound by the units: what logic brings is felt.
        let lines = by_memory(&start, nodes, &stacks[3..4], &budget(), prefill, SET);
        assert!(gain(&lines[0], "n7", "a10") > 3.0, "{}", gain(&lines[0], "n7", "a10"));
    });
}

/// Each generation computes faster than its links and memory grew: what binds moves on.
#[test]
fn bottlenecks_evolve_over_generations() {
    let devices = ["a100-sxm-80gb", "h100-sxm", "b200"].map(|id| catalog::accelerator(id).expect("a device"));
    with_tasks(|[training, prefill, decode]| {
        let of = |task, binding| -> Vec<f64> {
            let rows = bindings(task, SET, &devices);
            assert_eq!(rows.len(), 3);
            rows.iter().map(|(_, shares)| shares.get(binding)).collect()
        };
        let compute = of(training, Binding::Compute);
        assert!(compute[0] > compute[1] && compute[1] > compute[2], "{compute:?}");
        let links = of(training, Binding::ScaleOut);
        assert!(links[2] > links[0], "{links:?}");
        assert!(of(decode, Binding::Dram).iter().all(|share| *share > 0.4));
        assert!(of(prefill, Binding::Compute)[0] > 0.6);
    });
}
