//! Quantities as text: three significant digits and the prefix that keeps them readable.

mod digits;

use super::{Bandwidth, Bytes, FlopRate, Flops, Seconds};
use digits::HUGE;

pub use digits::{
    PRINTED, decimal, decimals, digits, dimensions, grouped, magnitude, number, printed, rounded, short,
    shortest, significant,
};

/// A factor, e.g. `7.55×`.
pub fn times(factor: f64) -> String {
    format!("{}×", digits(factor))
}

/// The first of these units that a value has one of, or the last.
fn unit_of<'a>(value: f64, steps: &[(f64, &'a str)]) -> (f64, &'a str) {
    steps
        .iter()
        .find(|(size, _)| value.abs() >= *size * 0.9995)
        .or(steps.last())
        .copied()
        .unwrap_or((1.0, ""))
}

fn scaled(value: f64, steps: &[(f64, &str)]) -> String {
    let (size, unit) = unit_of(value, steps);
    format!("{} {unit}", digits(value / size))
}

/// The unit of a duration, in seconds, and its symbol.
fn time_unit(time: Seconds) -> (f64, &'static str) {
    // Minutes, hours and days begin at two of them, because `90 s` is more precise than `1.5 min`.
    const LONG: [(f64, &str); 4] =
        [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3_600.0, "h"), (60.0, "min")];
    let long = LONG.iter().find(|(size, _)| time.get().abs() >= 2.0 * size).copied();
    long.unwrap_or_else(|| unit_of(time.get(), &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]))
}

/// Shortest time that is shown, s; a shorter one is `0 s`.
const SHORTEST: f64 = 5e-13;

/// `13.8 s`, `41.2 ms`, `3.4 days`, `1.2 years`.
pub fn time(time: Seconds) -> String {
    if time.get().abs() < SHORTEST {
        return "0 s".to_owned();
    }
    let (size, unit) = time_unit(time);
    format!("{} {unit}", digits(time.get() / size))
}

/// A time to two significant digits, for predictions with a wide range, e.g. `34 days`.
pub fn time_short(time: Seconds) -> String {
    let (size, unit) = time_unit(time);
    format!("{} {unit}", short(time.get() / size))
}

/// A time to the four significant digits that papers print, e.g. `29.29 days`, `9.240 days`.
pub fn time_printed(time: Seconds) -> String {
    let (size, unit) = time_unit(time);
    format!("{} {unit}", printed(time.get() / size))
}

/// A range to two significant digits, in the unit of its upper end: `29 to 41 days`.
pub fn time_range(low: Seconds, high: Seconds) -> String {
    between(low, high, time_unit(high), short)
}

/// A range to three significant digits, in the unit that its time is shown in: `84.6 to 178 s` of `114 s`.
pub fn time_range_precise(time: Seconds, low: Seconds, high: Seconds) -> String {
    between(low, high, time_unit(time), digits)
}

/// A time with its range, all in the unit of the time: `34 days (29 to 41 days)`.
pub fn time_within(time: Seconds, low: Seconds, high: Seconds) -> String {
    format!("{} ({})", time_short(time), between(low, high, time_unit(time), short))
}

/// Both ends of a range in one unit, with these digits.
fn between(low: Seconds, high: Seconds, (size, unit): (f64, &str), number: fn(f64) -> String) -> String {
    format!("{} to {} {unit}", number(low.get() / size), number(high.get() / size))
}

/// Least error that is shown as a number, as a fraction. Smaller ones are below the rounding of published values.
pub const EXACT: f64 = 5e-6;

/// A mean error in percent. One below [`EXACT`] is `less than 0.001 %`.
pub fn mean_error(fraction: f64) -> String {
    if fraction < EXACT { "less than 0.001 %".to_owned() } else { percent(fraction) }
}

const BINARY: [(f64, &str); 5] = [
    (1_099_511_627_776.0, "TiB"),
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1024.0, "KiB"),
    (1.0, "B"),
];

/// Binary prefixes, as memory is sold: `80.0 GiB`.
pub fn memory(bytes: Bytes) -> String {
    scaled(bytes.get(), &BINARY)
}

/// A range of memory, in the unit of its upper end: `33.9 to 41.2 GiB`.
pub fn memory_range(low: Bytes, high: Bytes) -> String {
    let (size, unit) = unit_of(high.get(), &BINARY);
    format!("{} to {} {unit}", digits(low.get() / size), digits(high.get() / size))
}

/// Decimal prefixes, as traffic is counted: `3.4 GB`.
pub fn traffic(bytes: Bytes) -> String {
    scaled(bytes.get(), &[(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")])
}

/// `3.35 TB/s`.
pub fn bandwidth(rate: Bandwidth) -> String {
    scaled(rate.get(), &[(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1.0, "B/s")])
}

/// `989 TFLOP/s`.
pub fn flop_rate(rate: FlopRate) -> String {
    scaled(
        rate.get(),
        &[(1e18, "EFLOP/s"), (1e15, "PFLOP/s"), (1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1.0, "FLOP/s")],
    )
}

/// `12.6 PFLOP`.
pub fn flops(flops: Flops) -> String {
    scaled(
        flops.get(),
        &[
            (1e24, "YFLOP"),
            (1e21, "ZFLOP"),
            (1e18, "EFLOP"),
            (1e15, "PFLOP"),
            (1e12, "TFLOP"),
            (1e9, "GFLOP"),
            (1e6, "MFLOP"),
            (1.0, "FLOP"),
        ],
    )
}

/// US dollars: `$0.589`, `$2.95`, `$35.88`, `$3,200`, `$156k`, `$1.56M`. Between one dollar and a hundred, amounts are rounded to
/// cents; all others have three significant digits.
pub fn usd(usd: f64) -> String {
    // Prices of thousands are written out.
    const LARGE: [(f64, f64, &str); 3] = [(0.9995e9, 1e9, "B"), (0.9995e6, 1e6, "M"), (9_999.5, 1e3, "k")];
    let sign = if usd < 0.0 { "−" } else { "" };
    let magnitude = usd.abs();
    let large = LARGE.into_iter().find(|(from, _, _)| (*from..HUGE).contains(&magnitude));
    match large {
        Some((_, size, prefix)) => format!("{sign}${}{prefix}", digits(magnitude / size)),
        None if (9.995..99.995).contains(&magnitude) => format!("{sign}${magnitude:.2}"),
        None if magnitude >= 0.9995 || magnitude == 0.0 => format!("{sign}${}", digits(magnitude)),
        None => {
            let (mut decimals, mut shown) = (3, magnitude);
            while shown < 0.0995 && decimals < 9 {
                shown *= 10.0;
                decimals += 1;
            }
            format!("{sign}${magnitude:.decimals$}")
        }
    }
}

/// Power: `1,106 W`, `28.4 kW`, `1.30 MW`. Kilowatts begin at ten of them.
pub fn watts(power: f64) -> String {
    if power.abs() < 1e4 {
        format!("{} W", grouped(power))
    } else {
        scaled(power, &[(1e6, "MW"), (1e3, "kW")])
    }
}

/// Energy of runs: `1.23 kWh`, `58.6 MWh`.
pub fn kilowatt_hours(energy: f64) -> String {
    scaled(energy, &[(1e6, "GWh"), (1e3, "MWh"), (1.0, "kWh"), (1e-3, "Wh")])
}

/// Energy of single tokens: `350 mJ`.
pub fn joules(energy: f64) -> String {
    scaled(energy, &[(1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ")])
}

/// Mass: `350 g`, `27.8 t`.
pub fn kilograms(mass: f64) -> String {
    scaled(mass, &[(1e6, "kt"), (1e3, "t"), (1.0, "kg"), (1e-3, "g")])
}

/// `51.4 %` for 0.514.
pub fn percent(fraction: f64) -> String {
    format!("{} %", digits(fraction * 100.0))
}

/// `+3.4 %`: a difference with its sign, unless no digit of it would be seen.
pub fn signed_percent(fraction: f64) -> String {
    if fraction.abs() < EXACT {
        return percent(0.0);
    }
    let sign = if fraction > 0.0 && fraction.is_finite() { "+" } else { "" };
    format!("{sign}{}", percent(fraction))
}

/// A plain count: `70.6 B`, `1.00 T`, `12`.
pub fn count(value: f64) -> String {
    if value.abs() < 999.5 && value.fract() == 0.0 {
        return grouped(value);
    }
    scaled(value, &[(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"), (1.0, "")]).trim_end().to_owned()
}

/// A number of tokens: `1 token`, `15.0 T tokens`.
pub fn tokens(number: f64) -> String {
    let number = count(number);
    format!("{number} {}", if number == "1" { "token" } else { "tokens" })
}

/// A number of things, given in the plural: `1 GPU`, `1,024 GPUs`.
pub fn counted(number: u32, things: &str) -> String {
    let things = if number == 1 { singular(things) } else { things };
    format!("{} {things}", grouped(f64::from(number)))
}

/// The singular of an English plural; symbols of units stay as they are.
pub fn singular(things: &str) -> &str {
    let is_word =
        things.chars().count() > 2 && things.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == ' ');
    match things.strip_suffix("ches").map(str::len) {
        Some(stem) if is_word => &things[..stem + 2],
        None if is_word => things.strip_suffix('s').unwrap_or(things),
        _ => things,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([counted(1, "GPUs"), counted(2048, "GPUs")], ["1 GPU", "2,048 GPUs"]);
        let singulars = ["microbatches", "GPU-hours", "ms", "µs", "tokens/s", "%"].map(singular);
        assert_eq!(singulars, ["microbatch", "GPU-hour", "ms", "µs", "tokens/s", "%"]);
        assert_eq!(counted(1, "concurrent requests"), "1 concurrent request");
    }

    #[test]
    fn amounts_and_differences_have_three_digits_too() {
        assert_eq!([usd(1.2345e300), usd(2e12)], ["$1.23e300", "$2,000B"]);
        assert_eq!([usd(-3.5), usd(-1.5e6)], ["−$3.50", "−$1.50M"]);
        assert_eq!([usd(12.0), usd(11.56), usd(35.88), usd(99.97)], ["$12.00", "$11.56", "$35.88", "$99.97"]);
        assert_eq!(
            [usd(99.996), usd(0.74), usd(0.5501), usd(0.5894)],
            ["$100", "$0.740", "$0.550", "$0.589"]
        );
        assert_eq!([usd(0.05), usd(0.0123)], ["$0.0500", "$0.0123"]);
        assert_eq!(signed_percent(-0.1604), "−16.0 %");
        assert_eq!(signed_percent(f64::NAN), "– %");
    }

    #[test]
    fn the_prefix_keeps_numbers_readable() {
        assert_eq!(time(Seconds::new(0.0412)), "41.2 ms");
        assert_eq!(time(Seconds::new(90.0)), "90.0 s");
        assert_eq!(time_short(Seconds::new(86_400.0 * 34.31)), "34 days");
        assert_eq!(time_short(Seconds::new(0.009_06)), "9.1 ms");
        assert_eq!(time_short(Seconds::new(0.009)), "9 ms");
        assert_eq!(time_short(Seconds::new(0.1264)), "130 ms");
        let days = |days: f64| Seconds::new(86_400.0 * days);
        assert_eq!(time_range(days(29.4), days(41.2)), "29 to 41 days");
        assert_eq!(time_range(days(0.5), days(2.5)), "0.5 to 2.5 days");
        let ends = (Seconds::new(84.6), Seconds::new(178.2));
        assert_eq!(time_range_precise(Seconds::new(114.0), ends.0, ends.1), "84.6 to 178 s");
        assert_eq!(time_range_precise(Seconds::new(150.0), ends.0, ends.1), "1.41 to 2.97 min");
        assert_eq!(time_within(days(490.0), days(371.0), days(767.0)), "490 days (370 to 770 days)");
        assert_eq!(time(Seconds::new(86_400.0 * 3.4)), "3.40 days");
        assert_eq!(memory(Bytes::from_gib(80.0)), "80.0 GiB");
        assert_eq!(bandwidth(Bandwidth::from_gb(3350.0)), "3.35 TB/s");
        assert_eq!(flop_rate(FlopRate::from_tera(989.4)), "989 TFLOP/s");
        assert_eq!(traffic(Bytes::from_gib(80.0)), "85.9 GB");
        assert_eq!(signed_percent(0.0345), "+3.45 %");
        assert_eq!(signed_percent(-1e-6), "0 %");
        assert_eq!([count(70_553_706_496.0), count(1.0), count(1e12)], ["70.6 B", "1", "1.00 T"]);
        assert_eq!([tokens(1.0), tokens(15e12)], ["1 token", "15.0 T tokens"]);
    }
}
