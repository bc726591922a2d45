//! The paper's model of collectives against NCCL measurements on Perlmutter.

use super::perlmutter;
use crate::papers::{
    Begin, Chart, Computing, Data, Dot, Dots, Entry, Found, Line, Lines, Look, Origin, Point, Quantity,
    Source,
};
use crate::published::subramanian::{CollectiveKind, Device, Machine, Placed, Setup};
use crate::units::{Bytes, format};

pub(super) static ENTRIES: [Entry; 1] = [Entry {
    id: "nccl",
    inferred: &[
        "Constants of the authors' A100: per GPU, 300 GB/s of NVLink and 25 GB/s of InfiniBand, each at an efficiency of \
         0.7, with 2.5 and 5 µs per hop",
        "Times are for out-of-place buffers; sizes are those of the whole buffer",
        "This page has no view of a single collective: the link opens a training step on the same GPUs, with its \
         collectives among the operators",
    ],
    begin: Begin::Steps(|| Box::new(Collectives::default())),
}];

/// Name of the file of measured rows, served beside the program.
const FILE: &str = "nccl_perlmutter.csv";
const MIB: f64 = 1_048_576.0;
/// Classes of buffer size: name and upper bound, MiB.
const CLASSES: [(&str, f64); 3] =
    [("below 4 MiB", 4.0), ("4 to 256 MiB", 256.0), ("256 MiB and more", f64::INFINITY)];
const KINDS: [(&str, &str, CollectiveKind); 3] = [
    ("allgather", "all-gather", CollectiveKind::AllGather),
    ("reducescatter", "reduce-scatter", CollectiveKind::ReduceScatter),
    ("allreduce", "all-reduce", CollectiveKind::AllReduce),
];

/// A measured collective.
#[derive(Debug)]
struct Row {
    kind: usize,
    bytes: f64,
    nodes: u32,
    each: u32,
    measured: f64,
    predicted: f64,
}

#[derive(Debug, Default)]
struct Collectives {
    rows: Option<Vec<Row>>,
    done: bool,
}

/// Reads the measured rows and predicts each with the paper's model.
fn read(text: &str) -> Result<Vec<Row>, String> {
    let machine = Setup { device: Device::A100, domain: 4 }.machine();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| {
        columns
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| format!("{FILE} has no column `{name}`"))
    };
    let (size, time, op) = (column("size")?, column("time-o")?, column("op")?);
    let (nodes, each) = (column("num_nodes")?, column("gpus_per_node")?);
    let row = |(place, line): (usize, &str)| {
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
        let number =
            |at: usize| cell(at).parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
        let kind = KINDS.iter().position(|(id, ..)| *id == cell(op));
        let read =
            || Some((kind?, number(size)?, number(nodes)? as u32, number(each)? as u32, number(time)?));
        let (kind, bytes, nodes, each, micros) =
            read().ok_or_else(|| format!("line {} of {FILE} cannot be read", place + 2))?;
        let predicted = predict(&machine, KINDS[kind].2, bytes, nodes, each);
        Ok(Row { kind, bytes, nodes, each, measured: micros * 1e-6, predicted })
    };
    lines.filter(|line| !line.is_empty()).enumerate().map(row).collect()
}

fn predict(machine: &Machine, kind: CollectiveKind, bytes: f64, nodes: u32, each: u32) -> f64 {
    let group = Placed { size: nodes.saturating_mul(each), inside: each };
    machine.collective(kind, Bytes::new(bytes), group).get()
}

fn class(bytes: f64) -> usize {
    CLASSES.iter().position(|(_, end)| bytes < end * MIB).unwrap_or(CLASSES.len() - 1)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}

/// Predicted against measured times of all rows, grouped by size.
fn times(rows: &[Row]) -> Chart {
    let dot = |row: &Row| Dot {
        name: format!(
            "{} of {}, {} with {}",
            KINDS[row.kind].1,
            format::memory(Bytes::new(row.bytes)),
            format::counted(row.nodes, "nodes"),
            format::counted(row.each, "GPUs")
        ),
        group: CLASSES[class(row.bytes)].0.to_owned(),
        ours: row.predicted,
        published: row.measured,
    };
    let said = |(place, (name, _)): (usize, &(&str, f64))| {
        let ratios = rows.iter().filter(|row| class(row.bytes) == place);
        let ratios: Vec<f64> = ratios.map(|row| row.predicted / row.measured).collect();
        let errors = ratios.iter().map(|ratio| (ratio - 1.0).abs()).sum::<f64>() / ratios.len() as f64;
        Some(format!("{name} {} and {}", format::digits(median(ratios)?), format::percent(errors)))
    };
    let said: Vec<String> = CLASSES.iter().enumerate().filter_map(said).collect();
    Chart {
        id: "nccl-times".into(),
        title: "Collectives of NCCL on up to 256 nodes of A100".to_owned(),
        finding: format!("Median of predicted / measured time, and mean error: {}.", said.join("; ")),
        source: MEASURED,
        data: Data::Dots(Dots {
            quantity: Quantity { name: "Time", unit: "s", logarithmic: true },
            dots: rows.iter().map(dot).collect(),
        }),
        assumptions: Vec::new(),
    }
}

const MEASURED: Source = Source {
    origin: Origin::Measured,
    place: "NCCL tests on Perlmutter in transformer-perf-estimates by ShashankSubramanian, commit 54278b0",
};

/// Median of predicted / measured time against buffer size, one line per collective.
fn ratios(rows: &[Row]) -> Chart {
    let line = |kind: usize| {
        let mut sizes: Vec<f64> = rows.iter().filter(|row| row.kind == kind).map(|row| row.bytes).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let point = |size: &f64| {
            let same = rows.iter().filter(|row| row.kind == kind && row.bytes.to_bits() == size.to_bits());
            let middle = median(same.map(|row| row.predicted / row.measured).collect());
            Point { x: size / MIB, ours: middle, ..Point::default() }
        };
        Line {
            name: KINDS[kind].1.to_owned(),
            look: Look { colour: kind as u8, dash: kind as u8 },
            points: sizes.iter().map(point).collect(),
        }
    };
    let large = |kind: usize| {
        let of = rows.iter().filter(|row| row.kind == kind && class(row.bytes) == CLASSES.len() - 1);
        let middle = median(of.map(|row| row.predicted / row.measured).collect())?;
        Some(format!("{} for {}", format::digits(middle), KINDS[kind].1))
    };
    let large: Vec<String> = (0..KINDS.len()).filter_map(large).collect();
    Chart {
        id: "nccl-ratio".into(),
        title: "Predicted / measured time against buffer size".to_owned(),
        finding: format!("From 256 MiB on, the median of predicted / measured time is {}.", large.join(", ")),
        source: MEASURED,
        data: Data::Lines(Lines {
            x: Quantity { name: "Buffer", unit: "MiB", logarithmic: true },
            y: Quantity { name: "Predicted / measured, median", unit: "", logarithmic: false },
            lines: (0..KINDS.len()).map(line).collect(),
            limits: vec![crate::papers::Limit { name: "exact".to_owned(), at: 1.0 }],
            posts: Vec::new(),
        }),
        assumptions: vec!["Medians are over all numbers of nodes and of GPUs per node".to_owned()],
    }
}

impl Computing for Collectives {
    fn needs(&self) -> Option<&'static str> {
        self.rows.is_none().then_some(FILE)
    }

    fn supply(&mut self, text: &str) -> Result<(), String> {
        self.rows = Some(read(text)?);
        Ok(())
    }

    fn progress(&self) -> (u32, u32) {
        (u32::from(self.done), 1)
    }

    fn advance(&mut self) {
        self.done = true;
    }

    fn found(&self) -> Found {
        let rows = self.rows.as_deref().unwrap_or_default();
        let questions = perlmutter::question().into_iter().collect();
        Found { charts: vec![times(rows), ratios(rows)], questions, ..Found::default() }
    }
}
