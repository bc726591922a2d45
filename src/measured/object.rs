//! Reads numbers, texts and units of JSON objects.

use super::{Fault, Format, Kind, Measurement, Statistic};
use crate::json::Json;

/// The number of a key.
pub(super) fn number(object: &Json<'_>, key: &str) -> Option<f64> {
    object.get(key)?.as_number()
}

/// The number of a key, also if it is written as text, such as `"512"`.
pub(super) fn loose(object: &Json<'_>, key: &str) -> Option<f64> {
    let value = object.get(key)?;
    value
        .as_number()
        .or_else(|| value.as_text()?.trim().parse().ok().filter(|number: &f64| number.is_finite()))
}

/// The text of a key; empty if there is none.
pub(super) fn text<'a>(object: &'a Json<'_>, key: &str) -> &'a str {
    object.get(key).and_then(Json::as_text).unwrap_or("")
}

/// Returns true for a key that is `true`, or `"True"` as Python writes it.
pub(super) fn truth(object: &Json<'_>, key: &str) -> bool {
    matches!(object.get(key), Some(Json::Bool(true))) || text(object, key).eq_ignore_ascii_case("true")
}

/// Records the readings `{mean,median,p99}_{name}`, multiplied by `scale` to the base unit of the kind.
pub(super) fn statistics(
    measurement: &mut Measurement,
    object: &Json<'_>,
    name: &str,
    kind: Kind,
    scale: f64,
) {
    for (prefix, statistic) in
        [("mean", Statistic::Mean), ("median", Statistic::Median), ("p99", Statistic::P99)]
    {
        let value = number(object, &format!("{prefix}_{name}"));
        measurement.reading(kind, statistic, value.map(|value| value * scale));
    }
}

/// Factor from a unit to the base unit of a kind, or a fault if the kind cannot have that unit.
pub(super) fn scale(format: Format, field: &str, unit: &str, kind: Kind) -> Result<f64, Fault> {
    const TIMES: [(&str, f64); 6] =
        [("ms", 1e-3), ("s", 1.0), ("sec", 1.0), ("seconds", 1.0), ("us", 1e-6), ("ns", 1e-9)];
    const RATES: [&str; 9] = [
        "tokens/sec",
        "tokens/s",
        "requests/sec",
        "requests/s",
        "req/s",
        "per sec",
        "tokens/sec/user",
        "tokens",
        "count",
    ];
    let plain = unit.trim();
    let found = match kind {
        Kind::Ttft | Kind::Tpot | Kind::Itl | Kind::Latency | Kind::PerToken | Kind::Step => {
            TIMES.iter().find(|(name, _)| *name == plain).map(|(_, scale)| *scale)
        }
        _ => RATES.contains(&plain).then_some(1.0),
    };
    found.ok_or_else(|| Fault::Unit {
        what: format.name(),
        field: field.to_owned(),
        unit: crate::scenario::names::shown(unit),
        known: match kind {
            Kind::Ttft | Kind::Tpot | Kind::Itl | Kind::Latency | Kind::PerToken | Kind::Step => {
                "ns, us, ms and s"
            }
            _ => "tokens, requests and counts per second",
        },
    })
}
