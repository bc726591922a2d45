//! AIPerf and genai-perf: the summary as JSON or CSV, and AIPerf's record of every request (JSONL).

use super::lines::{after, leading};
use super::object::{number, scale, text};
use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::csv::Records;
use crate::json::Json;
use crate::order::{median, quantile};

const WHAT: &str = Format::Aiperf.name();

/// Metrics by their JSON names. CSV has the same names with capitals and spaces.
const METRICS: [(&str, Kind); 8] = [
    ("time_to_first_token", Kind::Ttft),
    // (latency − TTFT) / (output − 1), which other clients call TPOT.
    ("inter_token_latency", Kind::Tpot),
    ("inter_chunk_latency", Kind::Itl),
    ("request_latency", Kind::Latency),
    ("output_token_throughput", Kind::Output),
    ("total_token_throughput", Kind::Total),
    ("request_throughput", Kind::Requests),
    ("request_concurrency", Kind::Concurrency),
];

/// Statistics by their JSON keys, which are also the CSV columns.
const STATISTICS: [(&str, Statistic); 3] =
    [("avg", Statistic::Mean), ("p50", Statistic::Median), ("p99", Statistic::P99)];

/// Returns true if a JSON document is the summary: its metrics have units.
pub(super) fn is(summary: &Json<'_>) -> bool {
    ["request_latency", "request_throughput"]
        .iter()
        .any(|key| summary.get(key).is_some_and(|metric| metric.get("unit").is_some()))
}

/// Returns true if a JSON row is AIPerf's record of one request.
pub(super) fn is_record(row: &Json<'_>) -> bool {
    row.get("metadata").is_some() && row.get("metrics").is_some() && row.get("benchmarks").is_none()
}

/// Records one value of a metric in the base unit of its kind; ignores unknown metrics.
fn metric(
    found: &mut Measurement,
    (name, unit): (&str, &str),
    statistic: Statistic,
    value: Option<f64>,
) -> Result<(), Fault> {
    if let Some((_, kind)) = METRICS.iter().find(|(known, _)| *known == name) {
        let factor = scale(Format::Aiperf, name, unit, *kind)?;
        let whole = !matches!(kind, Kind::Ttft | Kind::Tpot | Kind::Itl | Kind::Latency);
        let statistic = if whole && statistic == Statistic::Mean { Statistic::Whole } else { statistic };
        found.reading(*kind, statistic, value.map(|value| value * factor));
    } else if statistic == Statistic::Mean {
        match name {
            "input_sequence_length" => found.whole("inference.input", value.map(libm::round)),
            "output_sequence_length" => found.whole("inference.output", value.map(libm::round)),
            "request_count" => found.used = value.map(|count| count as u32),
            _ => {}
        }
    }
    Ok(())
}

/// Reads the JSON summary.
pub(super) fn read(summary: &Json<'_>) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Aiperf);
    let Json::Object(metrics) = summary else { return Ok(found) };
    for (name, values) in metrics {
        for (key, statistic) in STATISTICS {
            metric(&mut found, (name, text(values, "unit")), statistic, number(values, key))?;
        }
    }
    let null = Json::Null;
    let config = summary.get("input_config").unwrap_or(&null);
    let endpoint = config.get("endpoint").unwrap_or(config);
    let models = endpoint.list("model_names").first().and_then(Json::as_text);
    found.model(models.unwrap_or(text(config, "model")));
    let generator = config.get("loadgen").unwrap_or(config);
    found.whole("inference.concurrency", number(generator, "concurrency"));
    found.number("inference.rate", number(generator, "request_rate"));
    Ok(found)
}

/// Reads the CSV summary: a table `Metric,avg,…`, an empty line, a table `Metric,Value`.
pub(super) fn csv(table: &str) -> Result<Measurement, Fault> {
    tables(Records::of(table))
}

/// Returns true if a text has the summary that the console shows, in a frame of box-drawing characters.
pub(super) fn is_console(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with('┃') && (line.contains(" Metric ") || line.contains(" Statistic ")))
}

/// Reads the summary that the console shows. The next row continues a name that is too long for its column.
pub(super) fn console(text: &str) -> Result<Measurement, Fault> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| line.starts_with(['┃', '│'])) {
        let cells = line.trim_matches(['┃', '│']).split(['┃', '│']).map(|cell| cell.trim().to_owned());
        let cells: Vec<String> = cells.collect();
        match (rows.last_mut().and_then(|row| row.first_mut()), cells.first()) {
            (Some(name), Some(rest)) if cells.iter().skip(1).all(String::is_empty) => {
                name.push(' ');
                name.push_str(rest);
            }
            _ => rows.push(cells),
        }
    }
    let mut found = tables(rows)?;
    // The command that made the table often stands before it.
    for line in text.lines() {
        found.whole("inference.concurrency", after(line, "--concurrency "));
        found.number("inference.rate", after(line, "--request-rate "));
        if let Some(name) = line.split_once("--model ").and_then(|(_, rest)| rest.split_whitespace().next()) {
            found.model(name);
        }
    }
    Ok(found)
}

/// Reads rows of tables, each with a header. Numbers that a narrow console has cut off (`11.…`) are left out.
fn tables(rows: impl IntoIterator<Item = Vec<String>>) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Aiperf);
    let mut header: Vec<String> = Vec::new();
    for record in rows {
        let Some(first) = record.first() else { continue };
        if first == "Metric" || first == "Statistic" {
            header = record;
            continue;
        }
        let (name, unit) = first.rsplit_once(" (").unwrap_or((first, ""));
        let name = name.trim().to_lowercase().replace(' ', "_");
        let unit = unit.trim_end_matches(')');
        for (column, value) in header.iter().zip(&record).skip(1) {
            let statistic = STATISTICS.iter().find(|(key, _)| key == column).map(|(_, statistic)| *statistic);
            let statistic = statistic.or((column == "Value").then_some(Statistic::Mean));
            if let Some(statistic) = statistic.filter(|_| !value.contains('…')) {
                metric(&mut found, (&name, unit), statistic, leading(value))?;
            }
        }
    }
    if found.readings.is_empty() {
        return Err(Fault::Empty { what: WHAT, wanted: "known metric" });
    }
    Ok(found)
}

/// Reads the records of all requests; leaves out those of the warm-up and those that failed or were cancelled.
pub(super) fn records(rows: &[Json<'_>]) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Aiperf);
    let (mut failed, mut warm) = (0, 0);
    let mut counted: Vec<&Json<'_>> = Vec::new();
    let null = Json::Null;
    for row in rows {
        let metadata = row.get("metadata").unwrap_or(&null);
        let cancelled = metadata.get("was_cancelled").and_then(Json::as_bool).unwrap_or(false);
        if cancelled || !matches!(row.get("error"), None | Some(Json::Null)) {
            failed += 1;
        } else if text(metadata, "benchmark_phase") == "warmup" {
            warm += 1;
        } else {
            counted.push(row);
        }
    }
    found.leave_out(failed, "that failed or were cancelled");
    found.leave_out(warm, "of the warm-up phase");
    if counted.is_empty() {
        return Err(Fault::Empty { what: WHAT, wanted: "successful request" });
    }
    found.used = Some(counted.len() as u32);
    for (name, kind) in METRICS {
        let mut values = Vec::new();
        for row in &counted {
            let value = row.get("metrics").and_then(|metrics| metrics.get(name)).unwrap_or(&null);
            if let Some(number) = number(value, "value") {
                values.push(number * scale(Format::Aiperf, name, text(value, "unit"), kind)?);
            }
        }
        summed(&mut found, kind, &mut values);
    }
    for (name, path) in
        [("input_sequence_length", "inference.input"), ("output_sequence_length", "inference.output")]
    {
        let lengths = counted.iter().filter_map(|row| number(row.get("metrics")?.get(name)?, "value"));
        let lengths: Vec<f64> = lengths.collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        found.whole(path, Some(mean).filter(|mean| mean.is_finite()).map(libm::round));
    }
    Ok(found)
}

/// Records the mean, the median and, of 100 values or more, the 99th percentile.
fn summed(found: &mut Measurement, kind: Kind, values: &mut [f64]) {
    if values.is_empty() {
        return;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let middle = median(values);
    found.reading(kind, Statistic::Mean, mean);
    found.reading(kind, Statistic::Median, middle);
    if values.len() >= 100 {
        found.reading(kind, Statistic::P99, quantile(values, 0.99));
    }
}
