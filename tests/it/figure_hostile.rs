//! Figures of numbers and names that nobody means well with.

use crate::figure_cases::*;
use foretoken::estimate::{Binding, Footprint, OperatorRow};
use foretoken::figure::{self, Dot, Figure, Pinned, Size};
use foretoken::generations::Generation;
use foretoken::inference::Place;
use foretoken::serving::capacity::LoadAxis;
use foretoken::serving::sweep::{CapacitySweep, DramSweep, LinkSweep, RequestPart, Takeover};
use foretoken::serving::{LoadCurve, LoadPoint, Service};
use foretoken::system::{Bound, Precision};
use foretoken::training::TrainingEstimate;
use foretoken::units::{Bandwidth, Bytes, FlopRate, Seconds};

/// More pinned questions than a chart has lines for, with the figure's own data.
fn pins<T: Clone>(of: &T) -> Vec<Pinned<T>> {
    vec![Pinned { name: HOSTILE_NAME.to_owned(), of: of.clone() }; 3]
}

/// A link of hostile text.
fn named(_: f64) -> String {
    HOSTILE_NAME.to_owned()
}

fn capacities(value: f64, points: &[LoadPoint]) -> CapacitySweep {
    let points = points.iter().map(|point| (value, *point)).collect();
    CapacitySweep { points, device_gib: value, asked: value }
}

/// Every figure with its numbers, names or rows replaced by hostile ones.
fn hostile(value: f64, size: Size) -> Vec<Figure> {
    let mut training = training();
    training.step = Seconds::new(value);
    training.mfu = value;
    training.terms[0].time = Seconds::new(value);
    training.terms.push(term(HOSTILE_NAME, value));
    let mut memory = footprint();
    memory.weights = Bytes::new(value);
    let capacity = Footprint { capacity: Bytes::new(value), ..footprint() };
    let mut generations = generations();
    generations[1] = generation(HOSTILE_NAME, 2000, Some(value), Some((value, Precision::Bf16, 1)));
    generations[2].why_not = Some(HOSTILE_NAME.to_owned());
    generations[2].same_speedup = None;
    let mut sweep = sweep();
    sweep.bandwidth_tb_s[3] = value;
    sweep.latency[5] = value;
    sweep.ttft.truncate(7);
    sweep.compute_floor = value;
    sweep.device_tb_s = value;
    let takeover = |at, time| Takeover { of: RequestPart::Decode, at, time, binding: Binding::L2 };
    sweep.takeovers = vec![takeover(value, 1.0), takeover(1.0, value)];
    let points = |value: f64| {
        let time = Seconds::new(value);
        let service =
            Service { ttft: time, tpot: Seconds::new(1.0), tokens_per_second: value, running: value };
        [1.0, 2.0, value].map(|load| LoadPoint { load, service })
    };
    let links = LinkSweep {
        gb_s: vec![1.0, value, 3.0],
        ttft: vec![value, 1.0],
        tpot: vec![1.0],
        latency: vec![1.0, 2.0, value],
        device_gb_s: value,
        device_latency: 1.0,
        takeovers: sweep.takeovers.clone(),
    };
    let capacities = capacities(value, &points(value));
    let load = LoadCurve {
        axis: LoadAxis::Rate,
        points: [points(value), points(1.0)].concat(),
        saturation: value,
        largest: Some(points(value)[2]),
        ttft_limit: Some(Seconds::new(value)),
        tpot_limit: None,
    };
    let mut rows = operators();
    rows.push(operator(HOSTILE_NAME, "forward", (value, 1.0, 1.0), Bound::Compute));
    rows.push(operator("x", HOSTILE_NAME, (1.0, value, value), Bound::L2));
    let mut dots = dots();
    dots[2].measured = value;
    dots[3].predicted = value;
    dots.push(Dot { name: HOSTILE_NAME, group: HOSTILE_NAME, ..dots[1].clone() });
    let mut served = inference();
    served.ttft = Seconds::new(value);
    served.terms_prefill[0].time = Seconds::new(value);
    served.terms_decode[0].time = Seconds::new(value);
    let (peak, dram) = peaks();
    let roof = |peak, dram| roofline(rows.clone(), peak, dram);
    vec![
        figure::step_breakdown(&training, &pins(&training), size),
        figure::memory(&memory, &pins(&capacity), size),
        figure::memory(&capacity, &pins(&memory), size),
        figure::memories(&memory, (Place::Host, capacity), size),
        figure::memories(&capacity, (Place::SecondGpu, memory), size),
        figure::speedup(&generations, &|_, _| String::new(), size),
        figure::dram_latency(
            &sweep,
            &[(HOSTILE_NAME, value), (HOSTILE_NAME, 3.0)],
            &pins(&sweep),
            &named,
            size,
        ),
        figure::link_latency(
            &links,
            &[(HOSTILE_NAME, value), (HOSTILE_NAME, 3.0)],
            &pins(&links),
            &named,
            size,
        ),
        figure::capacity(
            &capacities,
            &[(HOSTILE_NAME, value)],
            &pins(&capacities),
            &|_, _| HOSTILE_NAME.to_owned(),
            size,
        ),
        figure::load(&load, &pins(&load), &named, size),
        figure::roofline(&roof(peak, dram), &pins(&roof(FlopRate::new(value), dram)), size),
        figure::roofline(&roof(FlopRate::new(value), dram), &[], size),
        figure::roofline(&roof(peak, Bandwidth::new(value)), &pins(&roof(peak, dram)), size),
        figure::prefill_breakdown(&inference(), &pins(&served), size),
        figure::decode_breakdown(&served, &pins(&inference()), size),
        figure::scatter(&dots, MEASURE, size),
        figure::histogram(&dots, size),
        figure::course(&course(value, value), &course(0.2, 0.5), size),
        figure::course(&course(0.2, 0.5), &course(value, 0.5), size),
        figure::profile(&profile(value), HOSTILE_NAME, vec![HOSTILE_NAME.to_owned()], size),
        figure::profile(&figure::Profile { shares: false, ..profile(value) }, "", Vec::new(), size),
    ]
}

#[test]
fn hostile_numbers_and_names_are_drawn_safely() {
    drawn_safely(hostile);
}

#[test]
fn a_hostile_title_stays_text_in_a_file() {
    let title = HOSTILE_NAME.to_owned();
    let finding = HOSTILE_NAME.to_owned();
    let svg = Figure { title, finding, ..figure::memory(&footprint(), &[], Size::Wide) }.standalone_svg();
    check(&svg);
    assert!(svg.contains("&lt;script&gt;"));
}

#[test]
fn nothing_to_draw_is_said() {
    let (peak, dram) = peaks();
    let empty = DramSweep {
        bandwidth_tb_s: Vec::new(),
        ttft: Vec::new(),
        tpot: Vec::new(),
        latency: Vec::new(),
        ..sweep()
    };
    for size in SIZES {
        for figure in [
            figure::step_breakdown(&TrainingEstimate { terms: Vec::new(), ..training() }, &[], size),
            figure::memory(&Footprint::default(), &[], size),
            figure::memories(&Footprint::default(), (Place::Host, Footprint::default()), size),
            figure::speedup(&[], &|_, _| String::new(), size),
            figure::dram_latency(&empty, &TECHNOLOGIES, &pins(&empty), &named, size),
            figure::roofline(&roofline(Vec::new(), peak, dram), &[], size),
            figure::scatter(&[], MEASURE, size),
            figure::histogram(&[], size),
            figure::profile(&figure::Profile::default(), "Nothing", Vec::new(), size),
        ] {
            check(&figure.svg);
            assert!(figure.svg.contains("No values to show"), "{}", figure.id);
        }
    }
}

#[test]
fn many_rows_and_labels_stay_drawable() {
    let many: Vec<Generation> = (0..200).map(|_| generations()[3].clone()).collect();
    let technologies: Vec<(&str, f64)> = (0..200).map(|_| ("A technology", 3.0)).collect();
    let rows: Vec<OperatorRow> = (0..50).flat_map(|_| operators()).collect();
    let (peak, dram) = peaks();
    for size in SIZES {
        check(&figure::speedup(&many, &|_, _| String::new(), size).svg);
        check(&figure::dram_latency(&sweep(), &technologies, &[], &named, size).svg);
        check(&figure::roofline(&roofline(rows.clone(), peak, dram), &[], size).svg);
        let dots: Vec<Dot<'_>> = (0..500).flat_map(|_| dots()).collect();
        check(&figure::scatter(&dots, MEASURE, size).svg);
        check(&figure::histogram(&dots, size).svg);
    }
}
