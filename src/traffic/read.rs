//! Readers of request traces.

use super::datasets::{self, Dataset};
use super::{Fault, Format, Request, Trace, sessions};
use crate::csv::Records;
use crate::order;

/// Column names of CSV traces: arrival time, prompt tokens, generated tokens.
const COLUMNS: [(Format, [&str; 3]); 2] = [
    (Format::Azure, ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]),
    (Format::BurstGpt, ["Timestamp", "Request tokens", "Response tokens"]),
];

/// Tokens of a block of the prefix cache in Mooncake's traces.
const MOONCAKE_BLOCK: f64 = 512.0;

/// Tokens of a block of traces without hashes, whose shared prefixes follow from sessions. Engines have blocks of 16 to 64 tokens.
const BLOCK: f64 = 64.0;

/// Reads a trace of at least one request with both a prompt and an answer.
///
/// # Errors
///
/// The reason why the text is no trace.
pub fn read(text: &str) -> Result<Trace, Fault> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with(['{', '[']) {
        let (format, requests) = columns(text).ok_or(Fault::Unknown)?;
        return whole(Trace { timed: true, ..Trace::of(format, requests, MOONCAKE_BLOCK) });
    }
    let Dataset { format, turns, estimated, skipped } = datasets::read(text)?;
    let hashed = turns.iter().any(|turn| !turn.blocks.is_empty());
    let block = if hashed { MOONCAKE_BLOCK } else { BLOCK };
    let (timed, requests) = sessions::requests(turns, block)?;
    let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
    whole(Trace { skipped, timed, estimated, ..Trace::of(format, requests, block) })
}

/// The trace with only the requests that have a prompt and an answer, in order of arrival.
fn whole(mut trace: Trace) -> Result<Trace, Fault> {
    let requests = &mut trace.requests;
    let all = requests.len();
    let whole = |length: f64| (1.0..1e12).contains(&length);
    requests.retain(|request| whole(request.input) && whole(request.output) && request.time().is_finite());
    trace.failed = u32::try_from(all - requests.len()).unwrap_or(u32::MAX);
    order::sort(requests, |a, b| a.time().total_cmp(&b.time()));
    if requests.is_empty() { Err(Fault::Empty { format: trace.format }) } else { Ok(trace) }
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
            ..Request::default()
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
