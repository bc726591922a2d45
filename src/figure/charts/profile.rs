//! Bar chart of a measured profile and its predictions: one group of bars per term.

use crate::figure::backend::{Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::rows::Rows;
use crate::figure::frame::ticks::Grid;
use crate::figure::frame::typography::Type;
use crate::figure::frame::{Size, blank, brief, positive, within};
use crate::figure::{Cell, Column, Figure, Table};
use crate::units::{Seconds, format};

/// A term with a value for each source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileTerm {
    /// Label of the term.
    pub name: &'static str,
    /// Values in the order of [`Profile::sources`], in seconds or as fractions of 1; `None` if the source has no such
    /// term.
    pub values: Vec<Option<f64>>,
}

/// Terms of a profile and of its predictions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Names of the sources, the measured one first. At most three are drawn.
    pub sources: Vec<&'static str>,
    /// Terms in display order.
    pub terms: Vec<ProfileTerm>,
    /// True if values are fractions of the total time instead of seconds.
    pub shares: bool,
}

impl Profile {
    /// Formats a value as a percentage or a time.
    pub fn shown(&self, value: f64) -> String {
        if self.shares { format::percent(value) } else { format::time(Seconds::new(value)) }
    }

    /// Table cell of a value; empty for `None`.
    pub fn cell(&self, value: Option<f64>) -> Cell {
        let scale = if self.shares { 100.0 } else { 1.0 };
        value.map_or_else(Cell::none, |value| Cell::number(value * scale, self.shown(value)))
    }

    /// Unit of the table's columns.
    pub const fn unit(&self) -> &'static str {
        if self.shares { "%" } else { "s" }
    }

    fn table(&self) -> Table {
        let sources = self.sources.iter().map(|source| Column::of(*source, self.unit()));
        let mut table = Table::under([Column::new("Term")].into_iter().chain(sources).collect::<Vec<_>>());
        for term in &self.terms {
            let value = |place: usize| self.cell(term.values.get(place).copied().flatten());
            let cells = [Cell::text(term.name)].into_iter().chain((0..self.sources.len()).map(value));
            table.rows.push(crate::figure::Row { cells: cells.collect(), ..crate::figure::Row::default() });
        }
        table
    }
}

/// Figure of the measured and predicted time of each term.
pub fn profile(profile: &Profile, finding: &str, assumptions: Vec<String>, size: Size) -> Figure {
    let drawing =
        Chart::of(profile, size).map_or_else(|| blank(size, finding), |chart| chart.drawing(finding));
    Figure {
        id: "profile-terms".into(),
        title: "Profile and prediction".to_owned(),
        finding: finding.to_owned(),
        table: profile.table(),
        assumptions,
        ..drawing.into()
    }
}

const TOP: f64 = 8.0;
const THICKNESS: f64 = 14.0;
const STYLES: [(Ink, Hatch); 3] =
    [(Ink::Series(2), Hatch::Rising), (Ink::Series(1), Hatch::Plain), (Ink::Series(3), Hatch::Level)];

struct Chart<'a> {
    profile: &'a Profile,
    terms: Vec<&'a ProfileTerm>,
    bars: usize,
    rows: Rows,
}

impl<'a> Chart<'a> {
    /// The chart of the terms with a positive value; `None` if there is no such term.
    fn of(profile: &'a Profile, size: Size) -> Option<Self> {
        let drawn = |term: &&ProfileTerm| term.values.iter().flatten().any(|value| positive(*value));
        let terms: Vec<&ProfileTerm> = profile.terms.iter().filter(drawn).take(Self::MOST).collect();
        let values = terms.iter().flat_map(|term| term.values.iter().flatten().copied());
        let largest = values.filter(|value| positive(*value)).reduce(f64::max)?;
        let bars = profile.sources.len().clamp(1, STYLES.len());
        let group = THICKNESS * bars as f64;
        // The axis ends short of the edge, which leaves room for the value beside the longest bar.
        let (pitch, left, right) = match size {
            Size::Wide => (group + 10.0, 252.0, 700.0),
            Size::Medium | Size::Narrow => (group + 28.0, 12.0, size.width() - 84.0),
        };
        let axis = Axis::from_zero([largest]);
        Some(Self {
            profile,
            bars,
            rows: Rows { size, count: terms.len(), top: TOP, pitch, axis, left, right },
            terms,
        })
    }

    /// Maximum number of terms that are drawn; the table lists all.
    const MOST: usize = 20;

    fn drawing(&self, finding: &str) -> Drawing {
        let mut legend = Legend::default();
        for (source, (ink, hatch)) in self.profile.sources.iter().zip(STYLES) {
            legend.push(Key::Area(ink, hatch), *source);
        }
        let row = |canvas: &mut Canvas<'_>, index: usize, top| self.row(canvas, top, self.terms[index]);
        self.rows.drawing(finding, &legend, |canvas| self.axis(canvas), row)
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        let rows = &self.rows;
        let grid = if self.profile.shares { Grid::Decimal } else { Grid::Time };
        rows.ticks(canvas, (grid, 75.0), &|value| brief(&self.profile.shown(value)));
        canvas.line((rows.left, TOP), (rows.left, rows.bottom()), Stroke::solid(Ink::Muted, 1.0));
        rows.title(
            canvas,
            rows.middle(),
            if self.profile.shares { "Share of the time" } else { "Time per step" },
        );
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, term: &ProfileTerm) {
        self.rows.name(canvas, top, term.name, Type::label());
        let group = THICKNESS * self.bars as f64;
        let first = match self.rows.size {
            Size::Wide => top + (self.rows.pitch - group) / 2.0,
            Size::Medium | Size::Narrow => top + 20.0,
        };
        for (place, look) in STYLES.into_iter().enumerate().take(self.bars) {
            let Some(value) = term.values.get(place).copied().flatten().filter(|value| value.is_finite())
            else {
                continue;
            };
            let middle = first + THICKNESS * (place as f64 + 0.5);
            let end = self.rows.x(value.max(0.0)).max(self.rows.left + 1.5);
            let size = (end - self.rows.left, THICKNESS - 2.0);
            let source = self.profile.sources.get(place).copied().unwrap_or_default();
            let read = format!("{}, {}: {}", term.name, within(source), self.profile.shown(value));
            canvas.bar((self.rows.left, middle - size.1 / 2.0), size, look, read);
            canvas.text((end + 6.0, middle), &self.profile.shown(value), Type::small(Ink::Text));
        }
    }
}
