//! The summary of MLPerf Inference (`mlperf_log_summary.txt`), whose times are in nanoseconds.

use super::lines::leading;
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Labels in lower case, with factor to the base unit, kind and statistic.
const READINGS: [(&str, f64, Kind, Statistic); 14] = [
    ("samples per second", 1.0, Kind::Requests, Statistic::Whole),
    ("completed samples per second", 1.0, Kind::Requests, Statistic::Whole),
    ("tokens per second", 1.0, Kind::Output, Statistic::Whole),
    ("tokens per second (inferred)", 1.0, Kind::Output, Statistic::Whole),
    ("completed tokens per second", 1.0, Kind::Output, Statistic::Whole),
    ("mean latency (ns)", 1e-9, Kind::Latency, Statistic::Mean),
    ("50.00 percentile latency (ns)", 1e-9, Kind::Latency, Statistic::Median),
    ("99.00 percentile latency (ns)", 1e-9, Kind::Latency, Statistic::P99),
    ("mean first token latency (ns)", 1e-9, Kind::Ttft, Statistic::Mean),
    ("50.00 percentile first token latency (ns)", 1e-9, Kind::Ttft, Statistic::Median),
    ("99.00 percentile first token latency (ns)", 1e-9, Kind::Ttft, Statistic::P99),
    ("mean time to output token (ns)", 1e-9, Kind::Tpot, Statistic::Mean),
    ("50.00 percentile time to output token (ns)", 1e-9, Kind::Tpot, Statistic::Median),
    ("99.00 percentile time to output token (ns)", 1e-9, Kind::Tpot, Statistic::P99),
];

/// Reads a summary.
pub(super) fn read(summary: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Mlperf);
    for line in summary.lines() {
        let Some((label, value)) = line.split_once(':') else { continue };
        let (label, value) = (label.trim().to_lowercase(), value.trim());
        if let Some((_, factor, kind, statistic)) = READINGS.iter().find(|(name, ..)| *name == label) {
            found.reading(*kind, *statistic, leading(value).map(|value| value * factor));
        }
        match &*label {
            "sut name" => found.model(value.trim_end_matches(" SUT")),
            "scenario" if value == "Offline" => {
                found.remark(
                    "MLPerf Offline sends all samples at the start: latencies include the wait in the queue",
                );
            }
            "scheduled samples per second" => found.number("inference.rate", leading(value)),
            "result is" if value != "VALID" => found.remark("MLPerf marks this run as not valid"),
            "tokens per second (inferred)" => {
                found.remark(
                    "MLPerf inferred the output tokens from the number of samples: they were not counted",
                );
            }
            _ => {}
        }
    }
    if found.readings.is_empty() {
        return Err(Fault::Empty { what: Format::Mlperf.name(), wanted: "rate or latency" });
    }
    Ok(found)
}
