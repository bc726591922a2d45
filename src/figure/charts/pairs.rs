//! Two bars a machine, relative to the first: the same job, and its own best.

use crate::figure::backend::{Dash, Hatch, Ink, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing};
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::rows::Rows;
use crate::figure::frame::typography::{Align, Type};
use crate::figure::frame::{Size, blank, positive, within};
use crate::units::format::times;

/// The bars of one machine.
pub(super) struct Pair {
    pub(super) name: String,
    /// Speed-ups of the same job and of the machine's own best; `None` if it does not run.
    pub(super) speedups: [Option<f64>; 2],
    /// Why the same job does not run.
    pub(super) why_not: Option<String>,
    /// Configuration of the best, or the reason why there is none: in full, and short.
    pub(super) best: [String; 2],
    /// Links, without `#`, of the questions that the bars open; empty where a bar opens none.
    pub(super) links: [String; 2],
}

/// The bars of machines, relative to the first. `axis` names the relative quantity.
pub(super) fn drawing(pairs: &[Pair], same: &'static str, axis: &str, finding: &str, size: Size) -> Drawing {
    let values: Vec<f64> = pairs.iter().flat_map(shown).flatten().collect();
    match Chart::of(pairs, &values, [same, "At its own best"], axis, size) {
        Some(chart) => chart.drawing(finding),
        None => blank(size, finding),
    }
}

/// The speed-ups that can be drawn.
fn shown(pair: &Pair) -> [Option<f64>; 2] {
    pair.speedups.map(|speedup| speedup.filter(|value| positive(*value)))
}

/// Beyond this factor between the largest and the least, short bars would vanish on a linear axis.
const LOGARITHMIC_FROM: f64 = 60.0;
/// Pixels between a bar and the note beside it.
const NOTE_GAP: f64 = 6.0;
/// Pixels around the note beside a bar: two more than the gap, so that no rounding of the longest bar's end shortens its note.
const NOTE_MARGIN: f64 = NOTE_GAP + 2.0;
const TOP: f64 = 26.0;
const THICKNESS: f64 = 15.0;
const STYLES: [(Ink, Hatch); 2] = [(Ink::Series(1), Hatch::Plain), (Ink::Series(2), Hatch::Rising)];

/// The line at 1.
const REFERENCE: Stroke = Stroke::solid(Ink::Text, 1.5).dashed(Dash::Short);

struct Chart<'a> {
    pairs: &'a [Pair],
    axis: &'a str,
    rows: Rows,
    /// Value at which bars start: 0, or 1 on a logarithmic axis.
    base: f64,
    meanings: [&'static str; 2],
    legend: Legend,
}

impl<'a> Chart<'a> {
    fn of(
        pairs: &'a [Pair],
        values: &[f64],
        meanings: [&'static str; 2],
        title: &'a str,
        size: Size,
    ) -> Option<Self> {
        let largest = values.iter().copied().reduce(f64::max)?;
        let least = values.iter().copied().reduce(f64::min)?;
        let logarithmic = largest / least > LOGARITHMIC_FROM;
        let axis = if logarithmic {
            Axis::around([least, largest, 1.0]).padded(0.02, 0.0)
        } else {
            Axis::from_zero([largest, 1.0])
        };
        let mut legend = Legend::default();
        for ((ink, hatch), meaning) in STYLES.into_iter().zip(meanings) {
            legend.push(Key::Area(ink, hatch), meaning);
        }
        // Behind the longest bar there is room for the longest note.
        let notes = pairs.iter().flat_map(|pair| {
            let noted = shown(pair).into_iter().enumerate().filter(|(_, speedup)| speedup.is_some());
            noted.map(|(index, speedup)| note(pair, index, speedup, size))
        });
        let widest = notes.map(|note| Type::small(Ink::Text).width(&note)).fold(0.0, f64::max);
        let (pitch, left, right) = match size {
            Size::Wide => {
                (2.0 * THICKNESS + 12.0, 172.0, (size.width() - widest - NOTE_MARGIN).clamp(412.0, 692.0))
            }
            Size::Medium | Size::Narrow => (2.0 * THICKNESS + 32.0, 12.0, size.width() - 110.0),
        };
        let rows = Rows { size, count: pairs.len(), top: TOP, pitch, axis, left, right };
        Some(Self { pairs, axis: title, rows, base: if logarithmic { 1.0 } else { 0.0 }, meanings, legend })
    }

    fn drawing(&self, finding: &str) -> Drawing {
        let row = |canvas: &mut Canvas<'_>, index: usize, top| self.row(canvas, top, &self.pairs[index]);
        self.rows.drawing(finding, &self.legend, |canvas| self.axis(canvas), row)
    }

    fn axis(&self, canvas: &mut Canvas<'_>) {
        let rows = &self.rows;
        rows.factors(canvas);
        let scale = if self.base > 0.0 { ", logarithmic" } else { "" };
        let middle = if rows.size == Size::Wide { rows.middle() } else { rows.size.width() / 2.0 };
        let title = format!("{}, relative{scale}", self.axis);
        let is_long = Type::small(Ink::Muted).width(&title) > rows.size.width() - 16.0;
        let title = if is_long { title.replacen(" per second", "/s", 1) } else { title };
        rows.title(canvas, middle, &title);
        let one = self.rows.x(1.0);
        canvas.line((one, TOP - 6.0), (one, TOP), REFERENCE);
        let name = self.pairs.first().map_or("", |reference| reference.name.as_str());
        let style = Type::small(Ink::Text);
        let text = style.fit(&format!("{name} = 1"), self.rows.size.width() - one - 8.0);
        canvas.text((one - 4.0, TOP - 15.0), &text, style);
    }

    fn row(&self, canvas: &mut Canvas<'_>, top: f64, pair: &Pair) {
        let first = match self.rows.size {
            Size::Wide => {
                let style = Type::label().align(Align::Right);
                let name = style.fit(&pair.name, self.rows.left - 16.0);
                canvas.text((self.rows.left - 8.0, top + self.rows.pitch / 2.0), &name, style);
                top + 6.0
            }
            Size::Medium | Size::Narrow => {
                let style = Type::label();
                let name = style.fit(&pair.name, self.rows.size.width() - self.rows.left);
                canvas.text((self.rows.left, top + 13.0), &name, style);
                top + 23.0
            }
        };
        let start = self.rows.x(self.base);
        // If names are above the bars, a continuous line would cross them.
        let one = self.rows.x(1.0);
        let beyond = if self.rows.size == Size::Wide { 6.0 } else { 3.0 };
        for (index, speedup) in shown(pair).into_iter().enumerate() {
            let middle = first + THICKNESS * (index as f64 + 0.5);
            let text_from = speedup.map_or(start, |value| start.max(self.rows.x(value))) + NOTE_GAP;
            let style = Type::small(if speedup.is_some() { Ink::Text } else { Ink::Muted });
            let text =
                style.fit(&note(pair, index, speedup, self.rows.size), self.rows.size.width() - text_from);
            // The line at 1 leaves out the note of a bar.
            let noted = (text_from..text_from + style.width(&text)).contains(&one);
            let inner = if noted { -0.5 } else { 0.5 } * THICKNESS;
            let ends = [(0.5 * THICKNESS + beyond, inner), (inner, 0.5 * THICKNESS + beyond)][index];
            canvas.line((one, middle - ends.0), (one, middle + ends.1), REFERENCE);
            if let Some(value) = speedup {
                let end = self.rows.x(value);
                let size = ((end - start).abs().max(1.5), THICKNESS - 1.5);
                let read = self.read(pair, index, value);
                canvas.opening_bar(
                    (start.min(end), middle - size.1 / 2.0),
                    size,
                    STYLES[index],
                    (read, &pair.links[index]),
                );
            }
            canvas.text((text_from, middle), &text, style);
        }
    }

    /// Read-out of a bar: the machine, the meaning of the bar, its value and what makes it the best.
    fn read(&self, pair: &Pair, index: usize, value: f64) -> String {
        let best = &pair.best[0];
        let best = if index == 1 && !best.is_empty() { format!(" with {best}") } else { String::new() };
        format!("{}, {}: {}{best}", pair.name, within(self.meanings[index]), times(value))
    }
}

/// Text beside a bar, or in place of a missing bar.
fn note(pair: &Pair, index: usize, speedup: Option<f64>, size: Size) -> String {
    let Some(value) = speedup else {
        return match (&pair.why_not, index) {
            (Some(reason), 0) => reason.clone(),
            (_, 1) if !pair.best[0].is_empty() => pair.best[0].clone(),
            _ => "does not run".to_owned(),
        };
    };
    let [full, short] = &pair.best;
    let best = if size == Size::Wide { full } else { short };
    if index == 1 { format!("{} {best}", times(value)) } else { times(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;

    /// A number among the attributes of a tag.
    fn value(tag: &str, name: &str) -> f64 {
        let (_, rest) = tag.split_once(&format!(" {name}=\"")).expect(name);
        rest.split('"').next().and_then(|text| text.parse().ok()).expect(name)
    }

    #[test]
    fn the_line_at_one_crosses_no_note() {
        let pair = |name: &str, speedups: [f64; 2]| Pair {
            name: name.to_owned(),
            speedups: speedups.map(Some),
            why_not: None,
            best: ["FP8".to_owned(), "FP8".to_owned()],
            links: Default::default(),
        };
        let pairs = [pair("A", [1.0, 1.0]), pair("B", [0.678, 6.5])];
        let svg = Figure::from(drawing(&pairs, "Same", "Speed", "", Size::Wide)).svg;
        let (before, _) = svg.split_once(">0.678×<").expect("the note");
        let y = value(&before[before.rfind("<text").expect("a text")..], "y");
        let dashed = svg.split("<line").filter_map(|rest| rest.split('>').next());
        let dashed = dashed.filter(|tag| tag.contains("stroke-dasharray"));
        let lines: Vec<_> = dashed.map(|tag| ["y1", "y2"].map(|name| value(tag, name))).collect();
        assert!(lines.len() >= 4, "{lines:?}");
        assert!(lines.iter().all(|[from, to]| !(*from..*to).contains(&(y - 4.0))), "{y}: {lines:?}");
    }

    #[test]
    fn the_note_beside_the_longest_bar_is_whole() {
        for tenths in 10..600_u16 {
            let speedups = [Some(1.0), Some(f64::from(tenths) / 10.0)];
            let best = ["FP4, TP 1, 128 at once".to_owned(), "FP4".to_owned()];
            let links = Default::default();
            let pairs = [Pair { name: "A".to_owned(), speedups, why_not: None, best, links }];
            let svg = Figure::from(drawing(&pairs, "Same", "Speed", "", Size::Wide)).svg;
            assert!(svg.contains("128 at once") && !svg.contains('…'), "{tenths}");
        }
    }
}
