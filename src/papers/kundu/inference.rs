//! Latencies of Llama-2 requests on 1 to 8 A100 or H100.

use super::assumptions::{BEYOND, LINEAGE};
use super::questions::{calibrated, latency, request, score};
use crate::catalog;
use crate::papers::{
    Begin, Chart, Data, Entry, Found, Line, Lines, Look, Origin, Point, Printed, Quantity, Source,
};
use crate::published::runs::{LATENCIES, QUOTED, WIDTHS};
use crate::scenario::link;
use crate::units::{Seconds, format};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "inference-validation",
    inferred: &[
        LINEAGE,
        BEYOND,
        "The latencies were taken from citations of the paper; that they are NVIDIA's measurements is of medium confidence",
    ],
    begin: Begin::Once(found),
}];

/// A request: its configuration, and its measured and predicted latencies, s.
struct Request {
    point: Point,
    calibrated: Option<f64>,
}

fn of(model: &str, device: &str, gpus: u32, measured: Option<f64>) -> Request {
    let question = request(model, device, gpus);
    let known = measured.is_some();
    let ours = latency(&question).filter(|_| known);
    let calibrated = latency(&calibrated(&question)).filter(|_| known);
    let what = calibrated
        .map_or_else(String::new, |seconds| format!("calibrated: {}", format::time(Seconds::new(seconds))));
    let link = known.then(|| link::encode(&question));
    Request {
        point: Point { x: f64::from(gpus), ours, published: measured.map(Printed::from), what, link },
        calibrated,
    }
}

fn found() -> Found {
    let rows = LATENCIES.map(|(model, device, seconds)| {
        let requests = WIDTHS.into_iter().zip(seconds);
        let requests = requests.map(|(gpus, measured)| of(model, device, gpus, measured));
        (model, device, requests.collect::<Vec<_>>())
    });
    let all = || rows.iter().flat_map(|(_, _, requests)| requests);
    let against = |value: &dyn Fn(&Request) -> Option<f64>| {
        let pairs = all().filter_map(|request| Some((value(request), request.point.published?.value)));
        format::mean_error(score(pairs).mean)
    };
    let finding = format!(
        "Mean error over {} requests: {} under kundu-2024, {} with calibrated constants.",
        all().filter(|request| request.point.published.is_some()).count(),
        against(&|request| request.point.ours),
        against(&|request| request.calibrated),
    );
    let line = |(place, (model, device, requests)): (usize, &(&str, &str, Vec<Request>))| {
        let model = catalog::architecture(model).map_or(*model, |known| known.name.as_str());
        let name = format!("{model}, {}", if device.starts_with("a100") { "A100" } else { "H100" });
        let look = Look { colour: (place / 2) as u8, dash: (place % 2) as u8 };
        Line { name, look, points: requests.iter().map(|request| request.point.clone()).collect() }
    };
    let chart = Chart {
        id: "validated-requests".into(),
        title: "Latency of Llama-2 requests against GPUs".to_owned(),
        finding,
        source: Source { origin: Origin::Measured, place: QUOTED },
        data: Data::Lines(Lines {
            x: Quantity { name: "GPUs", unit: "", logarithmic: true },
            y: Quantity { name: "Latency of a request", unit: "s", logarithmic: true },
            lines: rows.iter().enumerate().map(line).collect(),
            limits: Vec::new(),
            posts: Vec::new(),
        }),
        assumptions: vec![
            "The host launches every kernel (no CUDA graphs), as engines of 2023 did".to_owned(),
            "Tensor parallelism over all GPUs of a server".to_owned(),
        ],
    };
    Found { charts: vec![chart], ..Found::default() }
}
