//! Compute- and memory-bound matrix multiplies of a Llama-2-13B prefill of 200 tokens on A100 and H100.

use super::assumptions::{BEYOND, LINEAGE};
use super::questions::{SET, request};
use crate::catalog;
use crate::papers::{
    Bar, Bars, Begin, Chart, Data, Entry, Found, Limit, Line, Lines, Look, Origin, Point, Printed, Quantity,
    Question, Share, Source,
};
use crate::scenario::link;
use crate::system::{Cost, Matmul, Precision, System, Work};
use crate::units::{Seconds, format};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "operator-bounds",
    inferred: &[
        LINEAGE,
        BEYOND,
        "Numeric values of the paper's bars were not available. As in the paper, attention is two matrix multiplies per \
         head here; elsewhere this model treats attention as one fused kernel",
    ],
    begin: Begin::Once(found),
}];

const MODEL: &str = "llama-2-13b";
const TOKENS: f64 = 200.0;
const DEVICES: [(&str, &str); 2] = [("A100", "a100-sxm-80gb"), ("H100", "h100-sxm")];

/// Source of charts without published values.
const NONE: Source = Source { origin: Origin::Predicted, place: "arXiv 2407.14645" };

/// The matrix multiplies of a layer: name, number of them, and shape.
fn multiplies() -> Vec<(&'static str, f64, Matmul)> {
    let Some(model) = catalog::architecture(MODEL) else { return Vec::new() };
    let [hidden, ffn, heads, width] = [model.hidden, model.ffn, model.heads, model.head_dim].map(f64::from);
    let of = |n, k, count| Matmul { m: TOKENS, n, k, count, precision: Precision::Fp16, output: 2.0 };
    vec![
        ("Q, K, V and output projections", 4.0, of(hidden, hidden, 1.0)),
        ("gate and up projections", 2.0, of(ffn, hidden, 1.0)),
        ("down projection", 1.0, of(hidden, ffn, 1.0)),
        ("QKᵀ", 1.0, of(TOKENS, width, heads)),
        ("AV", 1.0, of(width, TOKENS, heads)),
    ]
}

/// A device's nominal matrix rate, TFLOP/s, and DRAM bandwidth, TB/s.
fn roof(system: &System) -> (f64, f64) {
    (system.device.rate(Precision::Fp16).get() * 1e-12, system.device.dram.get() * 1e-12)
}

fn systems() -> Vec<(&'static str, System)> {
    let system = |(name, id)| Some((name, System::new(catalog::accelerator(id)?, SET)));
    DEVICES.into_iter().filter_map(system).collect()
}

fn found() -> Found {
    let systems = systems();
    let questions = DEVICES.map(|(name, id)| Question {
        text: format!("All operators of the request on {name}"),
        link: operators(id),
    });
    let charts = vec![roofline(&systems), intensities(), times(&systems)];
    Found { charts, questions: questions.into(), ..Found::default() }
}

/// Link to the operators of the request on a device.
fn operators(device: &str) -> String {
    link::encode_at(&request(MODEL, device, 1), "operators")
}

/// Arithmetic intensity of each multiply, and ridge point of each device, derived by hand from shapes and nominal
/// rates.
fn intensities() -> Chart {
    const WORKED: [(usize, &str, &str); 3] = [
        (0, "185.5", "projections of attention"),
        (1, "189.8", "gate, up and down projections"),
        (3, "56.1", "QKᵀ and AV"),
    ];
    const RIDGES: [&str; 2] = ["153", "295"];
    let multiplies = multiplies();
    let of = |(place, printed, name): (usize, &str, &str)| {
        let known =
            multiplies.get(place).map(|(.., multiply)| multiply.flops().get() / multiply.bytes().get());
        Bar {
            name: name.to_owned(),
            whole: Share { ours: known, published: Printed::read(printed) },
            what: "1 request of 200 tokens, 16 bits".to_owned(),
            link: Some(operators(DEVICES[0].1)),
            ..Bar::default()
        }
    };
    let systems = systems();
    let ridges = systems.iter().zip(DEVICES).zip(RIDGES).map(|(((name, system), (_, id)), printed)| {
        let (rate, dram) = roof(system);
        Bar {
            name: format!("ridge of {name}"),
            whole: Share { ours: Some(rate / dram), published: Printed::read(printed) },
            what: "nominal rates".to_owned(),
            link: Some(operators(id)),
            ..Bar::default()
        }
    });
    Chart {
        id: "operator-intensity".into(),
        title: "Arithmetic intensity of a Llama-2-13B prefill of 200 tokens".to_owned(),
        finding: String::new(),
        source: Source {
            origin: Origin::Derived,
            place: "from the model's shapes; according to citations, the paper finds all multiplies memory-bound on H100, and \
                    only those of attention on A100",
        },
        data: Data::Bars(Bars {
            quantity: Quantity { name: "Arithmetic intensity", unit: "FLOP/B", logarithmic: false },
            parts: vec!["intensity"],
            rows: WORKED.into_iter().map(of).chain(ridges).collect(),
        }),
        assumptions: vec![
            "Values derived by hand are not results of the paper and are excluded from mean errors"
                .to_owned(),
        ],
    }
}

fn roofline(systems: &[(&str, System)]) -> Chart {
    let multiplies = multiplies();
    let mut lines = Vec::new();
    for (((name, system), (_, id)), colour) in systems.iter().zip(DEVICES).zip(0..) {
        let (rate, dram) = roof(system);
        let ridge = rate / dram;
        let corner = |x: f64| Point { x, ours: Some((x * dram).min(rate)), ..Point::default() };
        let points = [20.0, ridge, 1000.0].map(corner);
        let roofline = format!("roofline of {name}, ridge {} FLOP/B", format::digits(ridge));
        lines.push(Line { name: roofline, look: Look { colour, dash: 0 }, points: points.into() });
        let mut points: Vec<Point> = multiplies
            .iter()
            .map(|(what, _, multiply)| {
                let cost = system.cost(&Work::Matmul(*multiply));
                let rate = cost.flops.get() / cost.time.get() * 1e-12;
                let what = format!("{what}: {}", bound(&cost));
                Point {
                    x: cost.intensity(),
                    ours: Some(rate),
                    published: None,
                    what,
                    link: Some(operators(id)),
                }
            })
            .collect();
        crate::order::sort(&mut points, |a, b| a.x.total_cmp(&b.x));
        let reached = format!("achieved on {name} under kundu-2024");
        lines.push(Line { name: reached, look: Look { colour, dash: 3 }, points });
    }
    let mut posts: Vec<Limit> = Vec::new();
    for (what, _, multiply) in &multiplies {
        let at = multiply.flops().get() / multiply.bytes().get();
        match posts.iter_mut().find(|post| (post.at - at).abs() < 1e-6) {
            Some(post) => post.name = format!("{}, {what}", post.name),
            None => posts.push(Limit { name: (*what).to_owned(), at }),
        }
    }
    crate::order::sort(&mut posts, |a, b| a.at.total_cmp(&b.at));
    Chart {
        id: "operator-roofline".into(),
        title: "Multiplies of a Llama-2-13B prefill of 200 tokens under the rooflines of A100 and H100"
            .to_owned(),
        finding: finding(systems, &multiplies),
        source: NONE,
        data: Data::Lines(Lines {
            x: Quantity { name: "FLOP per byte of DRAM traffic", unit: "FLOP/B", logarithmic: true },
            y: Quantity { name: "Matrix rate", unit: "TFLOP/s", logarithmic: true },
            lines,
            limits: Vec::new(),
            posts,
        }),
        assumptions: vec![
            "Rooflines use nominal 16-bit rates; each operand is read once and each result written once"
                .to_owned(),
        ],
    }
}

/// The resource, arithmetic or DRAM, that limits a matrix multiply, disregarding its launch.
fn bound(cost: &Cost) -> &'static str {
    if cost.compute >= cost.dram { "limited by arithmetic" } else { "limited by DRAM" }
}

fn finding(systems: &[(&str, System)], multiplies: &[(&str, f64, Matmul)]) -> String {
    let said = systems.iter().map(|(name, system)| {
        let limited = |by: &str| {
            let within = multiplies
                .iter()
                .filter(|(_, _, multiply)| bound(&system.cost(&Work::Matmul(*multiply))) == by);
            within.map(|(what, _, _)| *what).collect::<Vec<&str>>()
        };
        let (arithmetic, dram) = (limited("limited by arithmetic"), limited("limited by DRAM"));
        let list = |names: Vec<&str>| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        let (rate, bandwidth) = roof(system);
        format!(
            "On {name}, whose ridge is at {} FLOP/B, arithmetic limits {}; DRAM limits {}.",
            format::digits(rate / bandwidth),
            list(arithmetic),
            list(dram)
        )
    });
    said.collect::<Vec<String>>().join(" ")
}

fn times(systems: &[(&str, System)]) -> Chart {
    let mut rows = Vec::new();
    for ((name, system), (_, id)) in systems.iter().zip(DEVICES) {
        for (what, runs, multiply) in multiplies() {
            let cost = system.cost(&Work::Matmul(multiply));
            let micro = |time: Seconds| Share::ours(time.get() * runs * 1e6);
            let launch = if cost.launch < cost.time { cost.launch } else { cost.time };
            let busy = cost.time - launch;
            let parts = if cost.compute >= cost.dram {
                vec![micro(busy), micro(Seconds::ZERO), micro(launch)]
            } else {
                vec![micro(Seconds::ZERO), micro(busy), micro(launch)]
            };
            let intensity = format::digits(cost.intensity());
            rows.push(Bar {
                name: format!("{name}: {what}"),
                whole: micro(cost.time),
                parts,
                what: format!(
                    "{} of {}, {intensity} FLOP/B",
                    format::grouped(runs),
                    format::dimensions(&[multiply.m, multiply.n, multiply.k])
                ),
                link: Some(operators(id)),
            });
        }
    }
    Chart {
        id: "operator-times".into(),
        title: "Time of a layer's matrix multiplies in prefill, by limit".to_owned(),
        finding: "Each time is the longer of arithmetic and DRAM, plus the kernel launch.".to_owned(),
        source: NONE,
        data: Data::Bars(Bars {
            quantity: Quantity { name: "Time of one layer", unit: "µs", logarithmic: false },
            parts: vec!["limited by arithmetic", "limited by DRAM", "launch"],
            rows,
        }),
        assumptions: vec!["One GPU, one request of 200 tokens, under kundu-2024".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intensities_and_ridges_are_those_worked_out_by_hand() {
        let intensity = |place: usize| {
            let (_, _, multiply) = multiplies()[place];
            multiply.flops().get() / multiply.bytes().get()
        };
        for (place, expected) in [(0, 185.5), (1, 189.8), (2, 189.8), (3, 56.1), (4, 56.1)] {
            assert!((intensity(place) - expected).abs() < 0.05, "{place}: {}", intensity(place));
        }
        let ridges = systems()
            .into_iter()
            .map(|(_, system)| roof(&system))
            .map(|(rate, dram)| (rate / dram).round() as u32);
        assert_eq!(ridges.collect::<Vec<u32>>(), [153, 295]);
    }
}
