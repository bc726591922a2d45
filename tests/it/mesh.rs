//! Groups of GPUs: where their members lie, how sequences and matrices are cut over them, and what that moves.

use foretoken::plan::{ParallelAxis, Placement, TensorKind};
use foretoken::scenario::{Choice, Scenario};
use foretoken::system::{AllReduce, AssumptionSet, Collective, Operation, Precision, System, Work};
use foretoken::training::{Framework, TrainingEstimate, TrainingJob};
use foretoken::units::{Bytes, Flops, Seconds};
use foretoken::workload::ContextKind;
use proptest::prelude::*;
use proptest::sample::select;

/// GPT-3 on 64 H100 with long sequences, cut over 4 × 4 GPUs, in domains of 8.
fn base() -> Scenario {
    let mut scenario = Scenario { model: Choice::Named("gpt-3-175b".to_owned()), ..Scenario::default() };
    scenario.system.gpus = 64;
    // Memory is not what these laws are about.
    scenario.system.dram_gib = Some(1e5);
    (scenario.recipe.sequence, scenario.recipe.batch) = (16_384, 16);
    let plan = &mut scenario.parallelism;
    (plan.tensor, plan.context, plan.pipeline) = (4, 4, 2);
    scenario
}

fn ask(change: impl FnOnce(&mut Scenario)) -> TrainingEstimate {
    let mut scenario = base();
    change(&mut scenario);
    scenario.with_training(|job| job.estimate()).unwrap()
}

fn term(estimate: &TrainingEstimate, id: &str) -> Seconds {
    estimate.terms.iter().find(|term| term.id == id).map_or(Seconds::ZERO, |term| term.time)
}

fn refusal(change: impl FnOnce(&mut Scenario)) -> String {
    let mut scenario = base();
    change(&mut scenario);
    scenario.with_training(|job| job.step()).unwrap_err().remove(0).field
}

/// Work of one GPU for one microbatch in one layer, forward.
#[derive(Default)]
struct Done {
    flops: Flops,
    sent: Bytes,
    broadcast: Bytes,
}

fn done(scenario: &Scenario) -> Done {
    let look = |job: &TrainingJob<'_>| {
        let mut done = Done::default();
        job.shard().forward(
            &job.architecture.uniform(false, false, 1),
            &mut |operator| match operator.work {
                Work::Matmul(matmul) => done.flops += matmul.flops(),
                Work::Panels(panels) => done.flops += panels.flops(),
                Work::Broadcasts(panels) => {
                    done.broadcast += panels.moves[0].traffic() + panels.moves[1].traffic();
                }
                Work::Collective(collective) if operator.is_core() => done.sent += collective.traffic(),
                _ => {}
            },
        );
        done
    };
    scenario.with_training(look).unwrap()
}

#[test]
fn a_domain_holds_what_it_is_told_to_hold() {
    let inside = |placement: Placement| {
        let mut scenario = base();
        scenario.parallelism.placement = placement;
        let look = |job: &TrainingJob<'_>| {
            [ParallelAxis::Tensor, ParallelAxis::Context, ParallelAxis::Data, ParallelAxis::Pipeline]
                .map(|axis| job.plan.group(axis, axis, job.gpus, &job.system.network).inside)
        };
        scenario.with_training(look).unwrap()
    };
    assert_eq!(inside(Placement::default()), [4, 2, 1, 1]);
    assert_eq!(inside(Placement { context: Some(4), ..Placement::default() }), [2, 4, 1, 1]);
    assert_eq!(inside(Placement { pipeline: Some(2), ..Placement::default() }), [4, 1, 1, 2]);
    assert_eq!(inside(Placement { tensor: Some(1), data: Some(2), ..Placement::default() }), [1, 4, 2, 1]);
    let all = Placement { tensor: Some(2), context: Some(2), data: Some(1), pipeline: Some(1) };
    assert_eq!(inside(all), [2, 2, 1, 1]);
}

#[test]
fn what_the_usual_order_does_can_be_said() {
    let usual = ask(|_| {});
    let said = ask(|scenario| {
        scenario.parallelism.placement =
            Placement { tensor: Some(4), context: Some(2), data: Some(1), pipeline: Some(1) };
    });
    assert_eq!(usual.step, said.step);
}

#[test]
fn who_leaves_the_domain_pays() {
    let placed = |tensor, pipeline| {
        ask(|scenario| {
            scenario.parallelism.placement =
                Placement { tensor: Some(tensor), pipeline: Some(pipeline), ..Placement::default() };
        })
    };
    let (tensor, stages) = (placed(4, 1), placed(4, 2));
    assert!(term(&stages, "pipeline") < term(&tensor, "pipeline") * 0.5);
    assert!(term(&stages, "tensor_parallel") <= term(&tensor, "tensor_parallel"));
    let spread = placed(1, 2);
    assert!(term(&spread, "tensor_parallel") > term(&stages, "tensor_parallel") * 3.0);
}

#[test]
fn placement_has_laws() {
    let field = |placement| refusal(|scenario| scenario.parallelism.placement = placement);
    let usual = Placement::default();
    assert_eq!(field(Placement { tensor: Some(3), ..usual }), "parallelism.placement.tensor");
    assert_eq!(field(Placement { pipeline: Some(4), ..usual }), "parallelism.placement.pipeline");
    assert_eq!(
        field(Placement { context: Some(4), tensor: Some(4), ..usual }),
        "parallelism.placement.tensor"
    );
    assert_eq!(field(Placement { data: Some(0), ..usual }), "parallelism.placement.data");
}

#[test]
fn rings_and_gathers_move_the_same_and_heads_less() {
    let of = |kind| {
        let mut scenario = base();
        scenario.parallelism.context_kind = kind;
        done(&scenario).sent
    };
    let (gather, ring, heads) = (of(ContextKind::Gather), of(ContextKind::Ring), of(ContextKind::Ulysses));
    assert_eq!(gather, ring);
    assert_eq!(gather, of(ContextKind::Overlapped));
    // Keys and values of all 16,384 tokens, 24 heads of 128 per GPU, but for the quarter that is there.
    assert_eq!(gather, Bytes::new(2.0 * 2.0 * 16_384.0 * 24.0 * 128.0 * 0.75));
    // Queries, keys, values and output of a quarter of them.
    assert_eq!(heads, Bytes::new(4.0 * 2.0 * 4096.0 * 24.0 * 128.0 * 0.75));
}

#[test]
fn what_attention_hides_is_not_exposed() {
    let of = |kind| {
        ask(|scenario| {
            scenario.recipe.sequence = 131_072;
            scenario.parallelism.context_kind = kind;
        })
    };
    let context = |estimate: &TrainingEstimate| term(estimate, "context_parallel");
    let [overlapped, gather, ring, heads] = ContextKind::ALL.map(of);
    assert!(context(&overlapped) < context(&gather));
    assert!(context(&ring) < context(&gather));
    assert!(context(&heads) > Seconds::ZERO && context(&heads) < context(&gather));
    // Gathered keys and values are there whole while a layer runs; a ring keeps two parts on their way.
    assert!(gather.memory.activations > ring.memory.activations);
    assert!(ring.memory.activations > overlapped.memory.activations);
    let whole = gather.memory.activations - overlapped.memory.activations;
    let parts = ring.memory.activations - overlapped.memory.activations;
    assert!((whole / parts - 4.0).abs() < 1e-6);
}

#[test]
fn heads_are_exchanged_whole() {
    let field = refusal(|scenario| {
        scenario.parallelism.context_kind = ContextKind::Ulysses;
        scenario.system.gpus = 128;
        (scenario.parallelism.tensor, scenario.parallelism.context) = (8, 8);
    });
    // Twelve heads for eight GPUs.
    assert_eq!(field, "parallelism.context");
}

#[test]
fn a_grid_of_one_is_a_line_of_one() {
    // A line issues one operator more.
    let of = |kind| {
        ask(|scenario| {
            scenario.recipe.framework = Framework::None;
            scenario.system.gpus = 4;
            let plan = &mut scenario.parallelism;
            (plan.tensor, plan.context, plan.tensor_kind) = (1, 1, kind);
        })
    };
    let (line, grid) = (of(TensorKind::Line), of(TensorKind::Grid));
    assert_eq!((line.step, line.memory), (grid.step, grid.memory));
}

#[test]
fn a_grid_cuts_weights_both_ways() {
    let of = |kind| ask(|scenario| scenario.parallelism.tensor_kind = kind);
    let (line, grid) = (of(TensorKind::Line), of(TensorKind::Grid));
    let ratio = grid.memory.weights / line.memory.weights;
    assert!((0.25..0.26).contains(&ratio), "{ratio}");
    assert!((grid.memory.activations / line.memory.activations - 1.0).abs() < 1e-9);
}

#[test]
fn a_grid_has_laws() {
    let field = |change: fn(&mut Scenario)| {
        refusal(|scenario| {
            scenario.parallelism.tensor_kind = TensorKind::Grid;
            change(scenario);
        })
    };
    assert_eq!(field(|scenario| scenario.parallelism.panels = Some(6)), "parallelism.panels");
    assert_eq!(field(|scenario| scenario.parallelism.panels = Some(20)), "parallelism.panels");
    assert_eq!(field(|scenario| scenario.parallelism.tensor_overlap = true), "parallelism.tensor_overlap");
    assert_eq!(
        field(|scenario| scenario.model = Choice::Named("mixtral-8x7b".to_owned())),
        "parallelism.tensor_kind"
    );
}

#[test]
fn an_oversubscribed_fabric_slows_what_crosses_it() {
    let time = |operation, pod, oversubscription| {
        let look = |job: &TrainingJob<'_>| {
            let mut system = job.system.clone();
            (system.network.pod, system.network.oversubscription) = (pod, oversubscription);
            let group = system.network.strided(64, 1);
            let bytes = Bytes::new(1e10);
            let collective = Collective { operation, bytes, group, algorithm: AllReduce::Library };
            system.cost(&Work::Collective(collective)).time
        };
        base().with_training(look).unwrap()
    };
    for operation in [Operation::AllToAll, Operation::AllGather, Operation::AllReduce] {
        // Everything in one pod, or nothing oversubscribed: no difference.
        assert_eq!(time(operation, 64, 4.0), time(operation, 8, 1.0));
        // One domain per pod: every link waits for its share.
        let ratio = time(operation, 8, 4.0) / time(operation, 8, 1.0);
        assert!((2.0..4.1).contains(&ratio), "{operation:?} {ratio}");
    }
    // A ring leaves a pod once, whereas most of an all-to-all does.
    assert_eq!(time(Operation::AllGather, 32, 4.0), time(Operation::AllGather, 32, 1.0));
    assert!(time(Operation::AllToAll, 32, 4.0) > time(Operation::AllToAll, 32, 1.0) * 1.8);
}

#[test]
fn switches_that_add_up_halve_what_is_sent() {
    let time = |assumptions, in_network, operation, bytes, size| {
        let mut scenario = Scenario { assumptions, ..base() };
        scenario.system.in_network = in_network;
        let look = |job: &TrainingJob<'_>| {
            let group = job.system.network.strided(size, 1);
            let bytes = Bytes::new(bytes);
            let collective = Collective { operation, bytes, group, algorithm: AllReduce::Library };
            job.system.cost(&Work::Collective(collective)).time
        };
        scenario.with_training(look).unwrap()
    };
    let ideal = |in_network, operation, size| time(AssumptionSet::Ideal, in_network, operation, 1e9, size);
    // A ring of 8 sends 14/8 of the data each way, a switch needs 9/8; between 8 domains the data and not twice it.
    let ratio = ideal(false, Operation::AllReduce, 8) / ideal(true, Operation::AllReduce, 8);
    assert!((ratio - 14.0 / 9.0).abs() < 1e-9, "{ratio}");
    let ratio = ideal(false, Operation::AllReduce, 64) / ideal(true, Operation::AllReduce, 64);
    assert!((ratio - 2.0 * 63.0 / 64.0).abs() < 1e-9, "{ratio}");
    assert_eq!(ideal(false, Operation::AllGather, 64), ideal(true, Operation::AllGather, 64));
    // The library takes what is faster; inside a domain it was measured as it is.
    let real = |in_network, bytes, size| {
        time(AssumptionSet::Calibrated, in_network, Operation::AllReduce, bytes, size)
    };
    for bytes in [1e3, 1e5, 1e7, 1e9] {
        assert!(real(true, bytes, 512) <= real(false, bytes, 512));
        assert_eq!(real(true, bytes, 8), real(false, bytes, 8));
    }
    assert!(real(true, 1e9, 512) < real(false, 1e9, 512) * 0.8);
}

#[test]
fn adapters_are_bandwidth() {
    let step = |adapters, scale_out_gb_s| {
        ask(|scenario| {
            (scenario.system.adapters, scenario.system.scale_out_gb_s) = (adapters, Some(scale_out_gb_s));
        })
        .step
    };
    assert_eq!(step(2.0, 50.0), step(1.0, 100.0));
    assert_eq!(step(0.5, 50.0), step(1.0, 25.0));
    assert!(step(2.0, 50.0) < step(1.0, 50.0));
}

#[test]
fn a_fabric_is_part_of_the_question() {
    let step = |change: fn(&mut Scenario)| ask(change).step;
    let usual = step(|_| {});
    let narrow = |scenario: &mut Scenario| scenario.system.oversubscription = 4.0;
    let wide = |scenario: &mut Scenario| {
        (scenario.system.oversubscription, scenario.system.pod) = (4.0, Some(1024));
    };
    assert!(step(narrow) > usual);
    assert_eq!(step(wide), usual);
    assert_eq!(refusal(|scenario| scenario.system.oversubscription = 0.5), "system.oversubscription");
    assert_eq!(refusal(|scenario| scenario.system.adapters = 0.0), "system.adapters");
}

fn plans() -> impl Strategy<Value = Scenario> {
    let kinds = (select(TensorKind::ALL.to_vec()), select(ContextKind::ALL.to_vec()));
    let degrees = (0u32..4, 0u32..3, 0u32..3, 0u32..3);
    (kinds, degrees, any::<bool>(), 1u32..3).prop_map(
        |((tensor_kind, context_kind), degrees, placed, parts)| {
            let mut scenario = base();
            let (tensor, context, pipeline, data) = degrees;
            let plan = &mut scenario.parallelism;
            (plan.tensor, plan.context, plan.pipeline) = (1 << tensor, 1 << context, 1 << pipeline);
            (plan.tensor_kind, plan.context_kind) = (tensor_kind, context_kind);
            if tensor_kind == TensorKind::Grid {
                plan.panels = Some(parts * plan.tensor.max(plan.context));
            }
            if placed {
                plan.placement.tensor = Some(1);
            }
            scenario.system.gpus = plan.replica() << data;
            scenario
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_cut_changes_what_is_multiplied(scenario in plans()) {
        let mut whole = scenario.clone();
        let plan = &mut whole.parallelism;
        let (parts, kind) = (plan.tensor * plan.context, plan.tensor_kind);
        whole.system.gpus /= parts;
        (plan.tensor, plan.context) = (1, 1);
        (plan.tensor_kind, plan.panels, plan.placement) = (TensorKind::Line, None, Placement::default());
        let ratio = done(&scenario).flops * f64::from(parts) / done(&whole).flops;
        prop_assert!((ratio - 1.0).abs() < 1e-9, "{kind:?} {ratio}");
    }

    #[test]
    fn faster_links_are_never_slower(scenario in plans(), factor in 1.01f64..8.0) {
        let faster = |change: fn(&mut System, f64)| {
            scenario.with_training(|job| {
                let mut system = job.system.clone();
                change(&mut system, factor);
                (job.step(), TrainingJob { system: &system, ..*job }.step())
            }).unwrap()
        };
        for (before, after) in [
            faster(|system, factor| system.network.scale_up = system.network.scale_up * factor),
            faster(|system, factor| system.network.scale_out = system.network.scale_out * factor),
            faster(|system, factor| {
                system.device.matrix = system.device.matrix.map(|rate| rate.map(|rate| rate * factor));
            }),
            faster(|system, factor| system.device.dram = system.device.dram * factor),
        ] {
            prop_assert!(after <= before * 1.000_001, "{before:?} became {after:?}");
        }
        let (one, more) = faster(|system, factor| system.network.oversubscription = factor);
        prop_assert!(one <= more);
    }

    #[test]
    fn terms_add_up(scenario in plans()) {
        let estimate = scenario.with_training(|job| job.estimate()).unwrap();
        let sum: Seconds = estimate.terms.iter().map(|term| term.time).sum();
        prop_assert!((sum / estimate.step - 1.0).abs() < 1e-12);
    }

    #[test]
    fn more_panels_send_as_much(scenario in plans(), times in 1u32..5) {
        let mut scenario = scenario;
        let plan = &mut scenario.parallelism;
        plan.tensor_kind = TensorKind::Grid;
        plan.panels = Some(plan.tensor.max(plan.context));
        let few = done(&scenario);
        scenario.parallelism.panels = scenario.parallelism.panels.map(|panels| panels << times);
        let many = done(&scenario);
        prop_assert!((few.broadcast - many.broadcast).get().abs() < 1.0);
        prop_assert!((many.flops / few.flops - 1.0).abs() < 1e-12);
    }
}

#[test]
fn narrow_formats_need_their_units() {
    let with = |precision, device: &str| {
        let mut scenario = base();
        scenario.system.accelerator = Choice::Named(device.to_owned());
        scenario.recipe.precision = precision;
        scenario.with_training(|job| job.estimate())
    };
    for (precision, device) in [(Precision::Mxfp8, "h100-sxm"), (Precision::Mxfp6, "mi300x")] {
        let problem = with(precision, device).unwrap_err().remove(0);
        assert_eq!(problem.field, "recipe.precision");
        assert!(problem.message.contains("BF16") && problem.message.contains("FP8"), "{problem}");
    }
    // MXFP6 has the rate of MXFP8 on NVIDIA's devices, with fewer bytes, and twice its rate on AMD's.
    let step = |precision, device| term(&with(precision, device).unwrap(), "matmul");
    let (wide, eight) = (step(Precision::Bf16, "b200"), step(Precision::Mxfp8, "b200"));
    assert!(eight < wide * 0.8);
    assert!(step(Precision::Mxfp6, "b200") <= eight);
    assert!(step(Precision::Mxfp6, "mi355x") < step(Precision::Mxfp8, "mi355x"));
    // Operators that stay in 16 bits are unchanged.
    let head = |precision| term(&with(precision, "b200").unwrap(), "attention");
    assert_eq!(head(Precision::Bf16), head(Precision::Mxfp6));
}
