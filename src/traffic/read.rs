//! Readers of request traces.

use super::{Format, Request, Trace};
use crate::csv::Records;
use crate::json::Json;
use crate::order;

/// Column names of CSV traces: arrival time, prompt tokens, generated tokens.
const COLUMNS: [(Format, [&str; 3]); 2] = [
    (Format::Azure, ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]),
    (Format::BurstGpt, ["Timestamp", "Request tokens", "Response tokens"]),
];

/// Reads a trace. `None` if the text is not a trace, or has no request with both a prompt and an answer.
pub fn read(text: &str) -> Option<Trace> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let (format, mut requests) = if text.starts_with('{') { mooncake(text)? } else { columns(text)? };
    let all = requests.len();
    let whole = |length: f64| (1.0..1e12).contains(&length);
    requests.retain(|request| whole(request.input) && whole(request.output) && request.arrival.is_finite());
    let failed = u32::try_from(all - requests.len()).unwrap_or(u32::MAX);
    order::sort(&mut requests, |a, b| a.arrival.total_cmp(&b.arrival));
    (!requests.is_empty()).then_some(Trace { format, requests, failed })
}

/// Reads Mooncake's JSON lines: `timestamp` in ms, `input_length` and `output_length` in tokens, `hash_ids`. Invalid
/// lines, such as a truncated last one, are skipped.
fn mooncake(text: &str) -> Option<(Format, Vec<Request>)> {
    let first = Json::parse(text.lines().next()?.trim()).ok()?;
    first.get("input_length")?;
    let request = |line: &str| {
        let line = Json::parse(line.trim()).ok()?;
        let number = |key: &str| line.get(key).and_then(Json::as_number);
        let blocks = line.list("hash_ids").iter().filter_map(Json::as_number).map(|id| id as u64).collect();
        Some(Request {
            arrival: number("timestamp").unwrap_or(0.0) * 1e-3,
            input: number("input_length")?,
            output: number("output_length")?,
            blocks,
        })
    };
    Some((Format::Mooncake, text.lines().filter_map(request).collect()))
}

/// Reads comma-separated values with a header row.
fn columns(text: &str) -> Option<(Format, Vec<Request>)> {
    let mut records = Records::of(text);
    let heading = records.next()?;
    let place = |name: &str| heading.iter().position(|column| column.trim() == name);
    let (format, places) = COLUMNS.iter().find_map(|(format, names)| {
        let [arrival, input, output] = names.map(place);
        Some((*format, [arrival?, input?, output?]))
    })?;
    let request = |record: Vec<String>| {
        let [arrival, input, output] = places.map(|place| record.get(place).map_or("", String::as_str));
        Some(Request {
            arrival: seconds(arrival)?,
            input: input.parse().ok()?,
            output: output.parse().ok()?,
            blocks: Vec::new(),
        })
    };
    Some((format, records.filter_map(request).collect()))
}

/// Parses seconds, or a date and time such as `2023-11-16 18:40:46.1532920`, as seconds from a fixed origin.
fn seconds(text: &str) -> Option<f64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return seconds.is_finite().then_some(seconds);
    }
    let (date, time) = text.split_once([' ', 'T'])?;
    let mut date = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    // The time zone can be dropped: it is the same in all rows, and only differences matter.
    let time = time.trim_end_matches('Z').split(['+', '-']).next()?;
    let mut clock = time.split(':').map(|part| part.parse::<f64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if !(0..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 0000-03-01 in the Gregorian calendar. Years begin in March, so that a leap day is the last day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day;
    Some(days as f64 * 86_400.0 + hour * 3600.0 + minute * 60.0 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_seconds() {
        let between = |from: &str, to: &str| seconds(to).zip(seconds(from)).map(|(to, from)| to - from);
        assert_eq!(between("2023-11-16 18:40:46", "2023-11-16 18:40:48"), Some(2.0));
        assert_eq!(between("2024-02-28 23:59:59", "2024-03-01 00:00:00"), Some(86_401.0));
        assert_eq!(between("2023-12-31 23:59:59", "2024-01-01 00:00:01"), Some(2.0));
        assert_eq!(seconds("45"), Some(45.0));
        assert_eq!(seconds("soon"), None);
        assert_eq!(seconds("2023-13-01 00:00:00"), None);
    }
}
