//! Figures of speed-ups' causes, of process nodes and of what binds.

use crate::figure_cases::{HOSTILE_NAME, SIZES, check, check_colours, drawn_safely, rows};
use foretoken::catalog::technology::{Node, Stack};
use foretoken::catalog::{self, technology};
use foretoken::estimate::Shares;
use foretoken::figure::{self, Figure, Size};
use foretoken::generations::frontier::{NodeCurve, by_memory};
use foretoken::generations::waterfall::{Cause, End, Factor};
use foretoken::generations::{Task, Waterfall};
use foretoken::inference::{EngineOverheads, InferenceJob, InferenceLoad};
use foretoken::plan::Plan;
use foretoken::system::{AssumptionSet, System};
use foretoken::technology::{Budget, Components};
use foretoken::units::{Area, Energy, Power, Seconds};

fn end(name: &str, step: f64) -> End {
    End {
        name: name.to_owned(),
        plan: Plan::default(),
        step: Seconds::new(step),
        tokens_per_second_per_gpu: 1.0 / step,
    }
}

fn waterfall() -> Waterfall {
    let numbers = [2.7, 1.6, 1.2, 1.0, 1.25, 1.4, 1.15, 1.75, 2.0, 0.9];
    let factors = Cause::ALL.into_iter().zip(numbers).map(|(cause, factor)| Factor {
        cause,
        factor,
        least: factor.min(1.0),
        most: factor * f64::max(factor, 1.0),
    });
    let speedup = numbers.iter().product();
    Waterfall { from: end("A100", 4.5), to: end("B200", 4.5 / speedup), speedup, factors: factors.collect() }
}

/// How its machines run the job.
const ENDS: [&str; 2] = ["as asked", "in FP4, batch × 2,"];

/// Decoding on three nodes with two memories, as the model has it.
fn lines() -> Vec<NodeCurve> {
    let known = technology();
    lines_over(&known.nodes[2..5], &known.stacks[2..4])
}

fn lines_over(nodes: &[Node], stacks: &[Stack]) -> Vec<NodeCurve> {
    let device = catalog::accelerator("b200").expect("a known device");
    let system = System::new(device, AssumptionSet::Ideal);
    let architecture = catalog::architecture("llama-2-70b").expect("a known model");
    let served = InferenceLoad { batch: 16, ..InferenceLoad::default() };
    let task = Task::Decode(InferenceJob {
        architecture,
        system: &system,
        load: &served,
        overheads: EngineOverheads::NONE,
        draft: None,
    });
    let components = Components::named("n7", "blackwell", "hbm3e", "ndr").expect("known pieces");
    let budget = Budget::single(Area::new(826.0), Power::new(700.0));
    by_memory(&components, nodes, stacks, &budget, &task, AssumptionSet::Ideal)
}

fn shares() -> Vec<(String, Shares)> {
    lines().iter().flat_map(NodeCurve::bindings).collect()
}

fn all(size: Size) -> Vec<Figure> {
    vec![
        figure::waterfall(&waterfall(), ENDS, size),
        figure::node_speedup("Decode", &lines(), &[], size),
        figure::node_energy("Decode", &lines(), size),
        figure::binding_map("Decode", &lines(), size),
        figure::binding_shares("Decode", &shares(), size),
    ]
}

#[test]
fn drawings_are_well_formed_and_labelled() {
    for size in SIZES {
        for figure in all(size) {
            check(&figure.svg);
            check(&figure.standalone_svg());
            assert!(figure.svg.contains(r#" role="img" aria-label=""#), "{}", figure.id);
            check_colours(&figure);
            assert!(!figure.svg.contains("No values to show"), "{}", figure.id);
            assert!(figure.finding.ends_with('.') && figure.finding.contains(|c: char| c.is_ascii_digit()));
            assert!(figure.svg.len() < 60_000, "{} has {} bytes", figure.id, figure.svg.len());
        }
    }
}

#[test]
fn waterfall_says_and_tabulates() {
    let figure = figure::waterfall(&waterfall(), ENDS, Size::Wide);
    insta::assert_snapshot!(figure.finding, @"B200 in FP4, batch × 2, trains 32.9× as fast as A100 as asked; the largest factors are matrix rate, same format (2.70×) and parallelism chosen anew (2.00×).");
    insta::assert_snapshot!(rows(&figure.table), @"
    Matrix rate, same format | 2.70× | 1.00× | 7.29×
    Narrower format | 1.60× | 1.00× | 2.56×
    DRAM bandwidth | 1.20× | 1.00× | 1.44×
    DRAM capacity | 1.00× | 1.00× | 1.00×
    Scale-up bandwidth | 1.25× | 1.00× | 1.56×
    Scale-up domain | 1.40× | 1.00× | 1.96×
    Scale-out bandwidth | 1.15× | 1.00× | 1.32×
    Batch and GPUs | 1.75× | 1.00× | 3.06×
    Parallelism chosen anew | 2.00× | 1.00× | 4.00×
    Rest of the device | 0.900× | 0.900× | 0.900×
    Product | 32.9× |  |
    ");
}

#[test]
fn lines_and_shares_have_a_row_per_machine() {
    let points = lines().iter().map(|line| line.points.len()).sum::<usize>();
    for figure in all(Size::Wide).into_iter().skip(1) {
        assert_eq!(figure.table.rows.len(), points, "{}", figure.id);
        assert!(!rows(&figure.table).contains("NaN"), "{}", figure.id);
    }
    let figure = figure::binding_shares("Decode", &shares(), Size::Wide);
    assert_eq!(figure.table.rows[0].cells.len(), 9);
}

#[test]
fn a_gain_names_the_nodes_that_it_is_between() {
    let finding = |lines: &[NodeCurve]| figure::node_speedup("Decode", lines, &[], Size::Wide).finding;
    let lines = lines();
    let nodes: Vec<&str> = lines[0].points.iter().flatten().map(|point| point.node.as_str()).collect();
    let (first, next, last) = (nodes[0], nodes[1], nodes[2]);
    let whole = format!(" from {first} to {last} with ");
    assert_eq!(finding(&lines).matches(" from ").count(), 1, "{}", finding(&lines));
    assert!(finding(&lines).contains(&whole), "{}", finding(&lines));
    // A memory into which the task fits only from the second node on.
    let mut later = lines.clone();
    later[1].points[0] = None;
    let said = finding(&later);
    assert!(said.contains(&whole) && said.contains(&format!(" from {next} to {last} with ")), "{said}");
    // Lines that gain as much.
    let alike = [lines[0].clone(), NodeCurve { name: "HBM9".to_owned(), ..lines[0].clone() }];
    assert!(finding(&alike).contains(", and as much with "), "{}", finding(&alike));
}

fn hostile(value: f64, size: Size) -> Vec<Figure> {
    let mut causes = waterfall();
    HOSTILE_NAME.clone_into(&mut causes.to.name);
    causes.factors[0].factor = value;
    causes.factors[1].least = value;
    let whole = Waterfall { speedup: value, ..waterfall() };
    let mut lines = lines();
    HOSTILE_NAME.clone_into(&mut lines[0].name);
    lines[1].points[1] = None;
    if let Some(point) = &mut lines[0].points[0] {
        point.time = Seconds::new(value);
        point.energy_per_token = Energy::new(value);
        HOSTILE_NAME.clone_into(&mut point.node);
    }
    let machines = vec![(HOSTILE_NAME.to_owned(), Shares::default()), shares()[0].clone()];
    vec![
        figure::waterfall(&causes, ENDS, size),
        figure::waterfall(&whole, ENDS, size),
        figure::node_speedup(HOSTILE_NAME, &lines, &[], size),
        figure::node_energy(HOSTILE_NAME, &lines, size),
        figure::binding_map(HOSTILE_NAME, &lines, size),
        figure::binding_shares(HOSTILE_NAME, &machines, size),
    ]
}

#[test]
fn hostile_numbers_and_names_are_drawn_safely() {
    drawn_safely(hostile);
}

#[test]
fn nothing_to_draw_is_said() {
    let nothing = Waterfall { factors: Vec::new(), ..waterfall() };
    let empty = vec![NodeCurve { name: "HBM3".to_owned(), points: vec![None, None] }];
    for size in SIZES {
        for figure in [
            figure::waterfall(&nothing, ENDS, size),
            figure::node_speedup("Decode", &[], &[], size),
            figure::node_energy("Decode", &empty, size),
            figure::binding_map("Decode", &empty, size),
            figure::binding_map("Decode", &[], size),
            figure::binding_shares("Decode", &[], size),
        ] {
            check(&figure.svg);
            assert!(figure.svg.contains("No values to show"), "{}", figure.id);
        }
    }
}

#[test]
fn many_lines_and_rows_stay_drawable() {
    let many: Vec<NodeCurve> = (0..40).map(|_| lines_of(60)).collect();
    let machines: Vec<(String, Shares)> = (0..100).flat_map(|_| shares().into_iter().take(1)).collect();
    for size in SIZES {
        check(&figure::node_speedup("Decode", &many, &[], size).svg);
        check(&figure::binding_map("Decode", &many, size).svg);
        check(&figure::binding_shares("Decode", &machines, size).svg);
    }
}

fn lines_of(points: usize) -> NodeCurve {
    static ONE: std::sync::OnceLock<NodeCurve> = std::sync::OnceLock::new();
    let line = ONE.get_or_init(|| lines().swap_remove(0));
    NodeCurve { name: line.name.clone(), points: line.points.iter().cycle().take(points).cloned().collect() }
}

#[test]
#[ignore = "writes files to look at"]
fn gallery() -> std::io::Result<()> {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    std::fs::create_dir_all(&directory)?;
    let lines = lines_over(&technology().nodes, &technology().stacks);
    for size in SIZES {
        let figures = all(size).into_iter().chain([
            figure::binding_map("Decode", &lines, size),
            figure::node_speedup("Decode", &lines, &[], size),
            figure::binding_shares("Decode", &lines[3].bindings(), size),
        ]);
        for (place, figure) in figures.enumerate() {
            let name = format!("{}-{place}-{size:?}.svg", figure.id);
            std::fs::write(directory.join(name), figure.standalone_svg())?;
        }
    }
    Ok(())
}
