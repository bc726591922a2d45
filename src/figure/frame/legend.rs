//! Legends: keys and their meanings, in lines below a drawing.

use super::canvas::Canvas;
use super::typography::Type;
use crate::figure::Series;
use crate::figure::backend::{Hatch, Ink, Marker, Stroke};

/// Symbol of a key.
#[derive(Clone, Copy, Debug)]
pub(in crate::figure) enum Key {
    /// A line.
    Line(Stroke),
    /// A filled area.
    Area(Ink, Hatch),
    /// An empty area.
    Outline(Stroke),
    /// A point.
    Point(Marker, Ink),
}

/// Keys and their meanings.
#[derive(Clone, Debug, Default)]
pub(in crate::figure) struct Legend {
    keys: Vec<(Key, String)>,
    numbered: bool,
}

/// First number of series that share colours. Smaller numbers are those of the colours.
const FIRST: usize = 9;
/// Last number for which `style/figure.css` has a rule.
const LAST: usize = 20;

/// Height of a line: entries are controls on the page, which must be 24 pixels high (WCAG 2.2, criterion 2.5.8).
const LINE: f64 = 24.0;
/// Height of a second line, for a meaning that is wider than the drawing.
const NEXT: f64 = 15.0;
const SAMPLE: f64 = 26.0;
const GAP: f64 = 6.0;
const STYLE: Type = Type::small(Ink::Text);

impl Legend {
    /// Adds a key.
    pub(in crate::figure) fn push(&mut self, key: Key, meaning: impl Into<String>) {
        self.keys.push((key, meaning.into()));
    }

    /// Meanings of the keys, in order.
    pub(in crate::figure) fn meanings(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|(_, meaning)| meaning.as_str())
    }

    /// Numbers the keys if two of them have the same colour. The shapes of each must then be drawn [within](Canvas::within)
    /// its number.
    pub(in crate::figure) fn number_keys(&mut self) {
        let colours: Vec<u8> = self.colours().collect();
        self.numbered = (1..colours.len()).any(|at| colours[..at].contains(&colours[at]));
    }

    /// Number of the series of the key at a place, if keys are numbered.
    pub(in crate::figure) fn number(&self, place: usize) -> Option<u8> {
        let number = u8::try_from(FIRST + place).ok()?;
        (self.numbered && usize::from(number) <= LAST).then_some(number)
    }

    fn colours(&self) -> impl Iterator<Item = u8> {
        self.keys.iter().filter_map(|(key, _)| key.colour())
    }

    /// Height of the legend in this width.
    pub(in crate::figure) fn height(&self, width: f64) -> f64 {
        self.placed(width).last().map_or(0.0, |entry| entry.corner.1 + entry.height())
    }

    /// Draws the keys from the upper left corner. If several series are named, each entry is one of the drawing's series.
    pub(in crate::figure) fn draw(&self, canvas: &mut Canvas<'_>, (left, top): (f64, f64), width: f64) {
        let several = self.colours().any(|colour| Some(colour) != self.colours().next());
        for (place, entry) in self.placed(width).into_iter().enumerate() {
            let Entry { corner: (x, y), key, meaning, lines } = &entry;
            let (x, y) = (left + x, top + y);
            let colour = key.colour();
            let own = colour.and_then(|_| self.number(place));
            canvas.within(own, |canvas| key.draw(canvas, (x, y + LINE / 2.0)));
            for (line, text) in lines.iter().enumerate() {
                canvas.text((x + SAMPLE + GAP, y + LINE / 2.0 + NEXT * line as f64), text, STYLE);
            }
            if let (true, Some(colour)) = (several || own.is_some(), colour) {
                let widest = lines.iter().map(|line| STYLE.width(line)).fold(0.0, f64::max);
                let extent = (SAMPLE + GAP + widest, entry.height());
                canvas.series(Series {
                    number: own.unwrap_or(colour),
                    name: (*meaning).to_owned(),
                    at: (x, y),
                    extent,
                });
            }
        }
    }

    /// Each key with its place: next to the one before while there is room, else below it.
    fn placed(&self, width: f64) -> Vec<Entry<'_>> {
        let (mut x, mut y) = (0.0, 0.0);
        let mut placed: Vec<Entry<'_>> = Vec::with_capacity(self.keys.len());
        for (key, meaning) in &self.keys {
            let need = SAMPLE + GAP + STYLE.width(meaning);
            if x > 0.0 && x + need > width {
                // An entry of two lines is alone, so that the one before is as high as its row.
                (x, y) = (0.0, y + placed.last().map_or(0.0, Entry::height));
            }
            let lines = STYLE.two_lines(meaning, width - SAMPLE - GAP);
            placed.push(Entry { corner: (x, y), key: *key, meaning, lines });
            x += need + 2.0 * GAP;
        }
        placed
    }
}

/// A key with its place and the lines of its meaning.
struct Entry<'a> {
    /// Upper left corner.
    corner: (f64, f64),
    key: Key,
    meaning: &'a str,
    lines: Vec<String>,
}

impl Entry<'_> {
    fn height(&self) -> f64 {
        LINE + NEXT * self.lines.len().saturating_sub(1) as f64
    }
}

impl Key {
    /// Number of the colour, if it is that of a series.
    const fn colour(self) -> Option<u8> {
        match self {
            Self::Line(Stroke { ink, .. })
            | Self::Area(ink, _)
            | Self::Outline(Stroke { ink, .. })
            | Self::Point(_, ink) => match ink {
                Ink::Series(colour @ ..=8) => Some(colour),
                Ink::Series(_) => Some(8),
                _ => None,
            },
        }
    }

    /// Draws the sample, centred on `y`.
    pub(in crate::figure) fn draw(self, canvas: &mut Canvas<'_>, (x, y): (f64, f64)) {
        let corner = (x, y - 6.5);
        match self {
            Self::Line(stroke) => canvas.line((x, y), (x + SAMPLE, y), stroke),
            Self::Area(ink, hatch) => canvas.rectangle(corner, (SAMPLE, 13.0), ink, hatch),
            Self::Outline(stroke) => canvas.outline(corner, (SAMPLE, 13.0), stroke),
            Self::Point(marker, ink) => canvas.marker((x + SAMPLE / 2.0, y), marker, ink, 5.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_flow_onto_new_lines() {
        let mut legend = Legend::default();
        assert!(legend.height(100.0).abs() < 1e-9);
        for _ in 0..3 {
            legend.push(Key::Area(Ink::Series(1), Hatch::Plain), "twelve chars");
        }
        assert!((legend.height(1000.0) - LINE).abs() < 1e-9);
        assert!((legend.height(130.0) - 3.0 * LINE).abs() < 1e-9);
    }

    #[test]
    fn a_meaning_that_is_wider_than_the_drawing_has_two_lines() {
        let mut legend = Legend::default();
        legend
            .push(Key::Area(Ink::Series(1), Hatch::Plain), "Output tokens per second, pinned: Llama-3.1-8B");
        legend.push(Key::Area(Ink::Series(2), Hatch::Plain), "Requests");
        let placed = legend.placed(296.0);
        assert_eq!(placed[0].lines.join(" "), "Output tokens per second, pinned: Llama-3.1-8B");
        assert_eq!(placed[0].lines.len(), 2);
        assert!((placed[1].corner.1 - LINE - NEXT).abs() < 1e-9);
        assert!((legend.height(296.0) - 2.0 * LINE - NEXT).abs() < 1e-9);
    }
}
