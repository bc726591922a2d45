//! Operators under the roofline of compute and DRAM.

mod chart;
mod operator;

use super::limits;
use crate::estimate::OperatorRow;
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::lines::PINNED;
use crate::figure::frame::{Size, blank, brief, positive};
use crate::figure::{Cell, Figure, MOST_PINNED, Pinned, Table};
use crate::system::Bound;
use crate::units::{Bandwidth, FlopRate, format};
use chart::{Beside, Chart};
use operator::operators;

/// Operators of a question and the peaks of its device.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// Operators.
    pub rows: Vec<OperatorRow>,
    /// Peak matrix rate.
    pub peak: FlopRate,
    /// DRAM bandwidth.
    pub dram: Bandwidth,
}

/// Operators by arithmetic intensity and the rate that they reach, under a device's peaks; beside them the operators of pinned
/// questions, with the peaks of their devices if they are others.
pub fn roofline(of: &Roofline, pinned: &[Pinned<Roofline>], size: Size) -> Figure {
    let Roofline { rows, peak, dram } = of;
    let (peak, dram) = (*peak, *dram);
    let points = operators(rows);
    let finding = finding(rows, peak, dram);
    let drawing = if points.is_empty() || !positive(peak.get()) || !positive(dram.get()) {
        blank(size, &finding)
    } else {
        let others = pinned.iter().zip(PINNED).zip(DASHES);
        let others = others.filter_map(|((pinned, marker), dash)| beside(pinned, of, marker, dash));
        Chart::of(points, peak, dram, others.collect(), size).drawing(&finding)
    };
    Figure {
        id: "roofline".into(),
        title: "Operators under the roofline".to_owned(),
        finding,
        table: Pinned::tables(of, pinned, |of| table(&of.rows)),
        assumptions: vec![
            "Intensity counts DRAM traffic; rates include the launch and every other wait of an operator"
                .to_owned(),
            "Forward and backward runs of one operator are one point, prefill and decode are two".to_owned(),
            "Communication has no arithmetic and is in the table only".to_owned(),
        ],
        ..drawing.into()
    }
}

/// States what limits the operators: of prefill and of decode apart, because they run at different times.
fn finding(rows: &[OperatorRow], peak: FlopRate, dram: Bandwidth) -> String {
    let Some((bound, share)) = limits::most(&rows.iter()) else {
        return "The operators take no time.".to_owned();
    };
    let of_phase = |phase| {
        let (bound, share) = limits::most(&rows.iter().filter(move |row| row.phase == phase))?;
        Some((format::percent(share), limits::named(bound)))
    };
    let limited = match (of_phase("prefill"), of_phase("decode")) {
        (Some((prefill, first)), Some((decode, later))) => format!(
            "Prefill: {prefill} of the operators' time is limited by {first}; decode: {decode} is limited by {later}"
        ),
        _ => {
            format!(
                "{} of the operators' time is limited by {}",
                format::percent(share),
                limits::named(bound)
            )
        }
    };
    let ridge = format::digits(peak.get() / dram.get());
    format!("{limited}; compute limits only operators above {ridge} FLOP per byte.")
}

fn table(rows: &[OperatorRow]) -> Table {
    let mut table = Table::new([
        ("Operator", None),
        ("Phase", None),
        ("Shape", None),
        ("Count", None),
        ("Time each", Some("s")),
        ("Intensity", Some("FLOP/B")),
        ("Rate", Some("FLOP/s")),
        ("Limited by", None),
    ]);
    for row in rows {
        let (intensity, rate) = (row.cost.intensity(), row.cost.flops / row.cost.time);
        let network = row.cost.bound == Bound::Network;
        let only = |cell| if network { Cell::none() } else { cell };
        table.push([
            Cell::text(row.name),
            Cell::text(row.phase),
            Cell::text(&row.shape),
            Cell::number(row.count, brief(&format::digits(row.count))),
            Cell::number(row.cost.time.get(), format::time(row.cost.time)),
            only(Cell::number(intensity, format::digits(intensity))),
            only(Cell::number(rate.get(), format::flop_rate(rate))),
            Cell::text(row.cost.bound.name()),
        ]);
    }
    table
}

/// Dash patterns of the roofs of pinned questions.
const DASHES: [Dash; MOST_PINNED] = [Dash::Long, Dash::Short];

/// A pinned question beside the figure's own; `None` if the pinned question has nothing to draw.
fn beside(pinned: &Pinned<Roofline>, own: &Roofline, marker: Marker, dash: Dash) -> Option<Beside> {
    let Roofline { rows, peak, dram } = &pinned.of;
    let (peaks, points) = ([peak.get(), dram.get()], operators(rows));
    let drawable = peaks.into_iter().all(positive) && !points.is_empty();
    let own = [own.peak.get(), own.dram.get()];
    let other = peaks.iter().zip(&own).any(|(peak, own)| peak.total_cmp(own).is_ne());
    let roof = other.then_some((peaks, Stroke::solid(Ink::Text, 1.5).dashed(dash)));
    drawable.then(|| Beside { label: pinned.label(), points, marker, roof })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Cost;
    use crate::units::Seconds;

    fn row(phase: &'static str, bound: Bound, seconds: f64) -> OperatorRow {
        let cost = Cost { time: Seconds::new(seconds), bound, ..Cost::default() };
        OperatorRow { name: "Multiply", phase, shape: String::new(), count: 2.0, cost }
    }

    fn said(rows: &[OperatorRow]) -> String {
        finding(rows, FlopRate::from_tera(300.0), Bandwidth::from_gb(1000.0))
    }

    #[test]
    fn prefill_and_decode_are_not_added() {
        let prefill = [row("prefill", Bound::Compute, 9.0), row("prefill", Bound::Network, 1.0)];
        let decode = [row("decode", Bound::Dram, 0.06), row("decode", Bound::Launch, 0.02)];
        assert_eq!(
            said(&[prefill.clone(), decode.clone()].concat()),
            "Prefill: 90.0 % of the operators' time is limited by compute; decode: 75.0 % is limited by DRAM bandwidth; \
             compute limits only operators above 300 FLOP per byte."
        );
        assert!(said(&decode).starts_with("75.0 % of the operators' time is limited by DRAM bandwidth; "));
        assert!(
            said(&[row("forward", Bound::L2, 1.0)])
                .starts_with("100 % of the operators' time is limited by L2")
        );
        assert_eq!(said(&[]), "The operators take no time.");
    }
}
