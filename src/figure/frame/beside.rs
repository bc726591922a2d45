//! Curves of pinned questions, from the values that their answers carry.

use super::canvas::Canvas;
use super::legend::{Key, Legend};
use super::lines::PINNED;
use super::plot::{Plot, Scale};
use super::positive;
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::{Cell, Comparable, MOST_PINNED, Pinned, Row, Table};

/// Curves of pinned questions, each with its markers and stroke.
pub(in crate::figure) struct Beside<'a>(Vec<(&'a Pinned<Vec<Comparable>>, Marker, Stroke)>);

const DASHES: [Dash; MOST_PINNED] = [Dash::Short, Dash::Dotted];

impl<'a> Beside<'a> {
    /// The curves of pinned questions; those without a point are left out.
    pub(in crate::figure) fn of(pinned: &'a [Pinned<Vec<Comparable>>]) -> Self {
        let looks = PINNED.into_iter().zip(DASHES);
        let drawn = pinned.iter().filter(|pinned| points(&pinned.of).next().is_some()).zip(looks);
        let stroke = |dash| Stroke::solid(Ink::Text, 1.5).dashed(dash);
        Self(drawn.map(|(pinned, (marker, dash))| (pinned, marker, stroke(dash))).collect())
    }

    /// All points, which the axes have to reach.
    pub(in crate::figure) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().flat_map(|(pinned, ..)| points(&pinned.of).map(|(_, at)| at))
    }

    /// Names the curves.
    pub(in crate::figure) fn name(&self, legend: &mut Legend) {
        for (pinned, marker, _) in &self.0 {
            legend.push(Key::Point(*marker, Ink::Text), pinned.label());
        }
    }

    /// Draws the curves, whose points open the questions of their plans or fleets.
    pub(in crate::figure) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        plot: &Plot,
        scales: (&Scale<'_>, &Scale<'_>),
    ) {
        for (pinned, marker, stroke) in &self.0 {
            plot.curve(canvas, points(&pinned.of).map(|(_, at)| at), *stroke);
            for (of, at) in points(&pinned.of) {
                let Some(place) = plot.place(at.0, at.1) else { continue };
                canvas.marker(place, *marker, Ink::Paper, 5.0);
                canvas.marker(place, *marker, Ink::Text, 3.75);
                let opens = (of.of.clone(), of.link.clone());
                plot.open_on_line(canvas, &pinned.label(), at, scales, opens);
            }
        }
    }
}

/// Values with positive coordinates, which logarithmic axes can show.
fn points(of: &[Comparable]) -> impl Iterator<Item = (&Comparable, (f64, f64))> {
    let placed = of.iter().filter_map(|one| Some((one, (one.at?.value, one.value.value))));
    placed.filter(|(_, (x, y))| positive(*x) && positive(*y))
}

impl Pinned<Vec<Comparable>> {
    /// A table, followed by a row for each value of pinned questions.
    pub(in crate::figure) fn rows(
        table: Table,
        pinned: &[Self],
        row: impl Fn(&Comparable) -> Vec<Cell>,
    ) -> Table {
        let rows = |of: &[Comparable]| Table {
            rows: of.iter().map(|one| Row::from(row(one))).collect(),
            ..Table::default()
        };
        table.beside(pinned.iter().map(|pinned| (pinned.label(), rows(&pinned.of))))
    }
}
