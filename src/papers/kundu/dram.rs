//! Latency of a Llama-2-13B request against DRAM bandwidth, on 1, 2, 4 and 8 GPUs.

use super::assumptions::{BEYOND, LINEAGE};
use super::questions::request;
use crate::catalog::{self, catalog};
use crate::papers::{
    Begin, Chart, Data, Entry, Found, Limit, Line, Lines, Look, Origin, Point, Printed, Quantity, Question,
    Source,
};
use crate::published::runs::{LATENCIES, QUOTED, WIDTHS};
use crate::scenario::answers::SWEEP_TB_S;
use crate::scenario::link;
use crate::serving::family::{DramFamily, FamilyCurve, Varied};
use crate::serving::sweep::DramSweep;
use crate::units::{Seconds, format};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "dram-technology",
    inferred: &[
        LINEAGE,
        BEYOND,
        "Numeric values of the paper's curves were not available: only the latencies at the A100's own bandwidth are \
         published values here",
        "The position of each memory type is the bandwidth of a typical device with it",
    ],
    begin: Begin::Once(found),
}];

const MODEL: &str = "llama-2-13b";
const DEVICE: &str = "a100-sxm-80gb";

fn found() -> Found {
    let question = request(MODEL, DEVICE, 1);
    let family = question.dram_family(Varied::Gpus).unwrap_or(DramFamily {
        varied: Varied::Gpus,
        asked: String::new(),
        curves: Vec::new(),
        left_out: Vec::new(),
    });
    let measured = LATENCIES.iter().find(|row| (row.0, row.1) == (MODEL, DEVICE)).map(|row| row.2);
    let lines: Vec<Line> = family
        .curves
        .iter()
        .zip(WIDTHS)
        .zip((0_u8..).zip(measured.unwrap_or_default()))
        .map(|((curve, gpus), (place, measured))| line(&curve.name, &curve.sweep, gpus, place, measured))
        .collect();
    let mut limits = family.curves.iter().filter(|curve| curve.sweep.network_floor > 0.0).map(|curve| {
        let FamilyCurve { name, sweep, .. } = curve;
        let seconds = format::time(Seconds::new(sweep.network_floor));
        Limit { name: format!("network floor of {name}: {seconds}"), at: sweep.network_floor }
    });
    let posts = catalog().memories.iter();
    let posts = posts.map(|memory| Limit { name: memory.name.clone(), at: memory.system_tb_s });
    let chart = Chart {
        id: "dram-memories".into(),
        title: "Latency of a Llama-2-13B request against DRAM bandwidth and GPUs".to_owned(),
        finding: finding(&family),
        source: Source { origin: Origin::Measured, place: QUOTED },
        data: Data::Lines(Lines {
            x: Quantity { name: "DRAM bandwidth of each GPU", unit: "TB/s", logarithmic: true },
            y: Quantity { name: "Latency of a request", unit: "s", logarithmic: true },
            lines,
            limits: limits.next_back().into_iter().collect(),
            posts: posts.collect(),
        }),
        assumptions: vec![
            "A100 with only the DRAM bandwidth varied; L2, network and arithmetic are unchanged".to_owned(),
        ],
    };
    let opened =
        Question { text: "This question in the Inference view".to_owned(), link: link::encode(&question) };
    Found { charts: vec![chart], questions: vec![opened], ..Found::default() }
}

/// One curve, with a point at the device's own bandwidth.
fn line(name: &str, sweep: &DramSweep, gpus: u32, place: u8, measured: Option<f64>) -> Line {
    let points = sweep.bandwidth_tb_s.iter().zip(&sweep.latency);
    let sampled = |(x, seconds): (&f64, &f64)| {
        let mut question = request(MODEL, DEVICE, gpus);
        question.system.dram_gb_s = Some(x * 1e3);
        Point { x: *x, ours: Some(*seconds), link: Some(link::encode(&question)), ..Point::default() }
    };
    let mut points: Vec<Point> = points.map(sampled).collect();
    let own = points.partition_point(|point| point.x < sweep.device_tb_s);
    let device = Point {
        x: sweep.device_tb_s,
        ours: Some(sweep.device_latency),
        published: measured.map(Printed::from),
        what: catalog::accelerator(DEVICE).map_or_else(String::new, |device| device.name.clone()),
        link: Some(link::encode(&request(MODEL, DEVICE, gpus))),
    };
    points.insert(own, device);
    Line { name: name.to_owned(), look: Look { colour: place, dash: place }, points }
}

/// Finding: the gain from faster memory on the smallest and largest number of GPUs.
fn finding(family: &DramFamily) -> String {
    let said = |FamilyCurve { name, sweep, .. }: &FamilyCurve| {
        let end = sweep.latency.last().copied()?;
        Some(format!(
            "on {name} from {} to {}",
            format::time(Seconds::new(sweep.device_latency)),
            format::time(Seconds::new(end))
        ))
    };
    let (Some(first), Some(last)) = (family.curves.first(), family.curves.last()) else {
        return "The model does not fit on any of these numbers of GPUs.".to_owned();
    };
    let ends: Vec<String> = [first, last].into_iter().filter_map(said).collect();
    format!(
        "From the A100's {} TB/s to {} TB/s, the latency falls {}. Of the latency, {} on {} is communication, which faster \
         memory does not shorten.",
        format::digits(first.sweep.device_tb_s),
        format::digits(SWEEP_TB_S.1),
        ends.join("; "),
        format::time(Seconds::new(last.sweep.network_floor)),
        last.name,
    )
}
