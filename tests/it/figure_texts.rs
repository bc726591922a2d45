//! Texts of figures: none covers another, and none leaves the drawing.
//!
//! The page draws each figure for one of three widths, and enlarges the drawing between them: at 320 and 400 px the narrow
//! one, at 700 px the medium one, at 1,100 px the wide one. Themes change colours alone.

use std::collections::BTreeSet;

use foretoken::figure::{Figure, text_width};

use crate::figure_answers::{Drawn, drawn};

/// Pixels by which boxes may touch: coordinates are whole eighths.
const TOLERANCE: f64 = 0.25;

/// A text of a drawing and its box: left, top, right, bottom.
struct Text {
    shown: String,
    area: [f64; 4],
}

fn texts(figure: &Figure) -> Vec<Text> {
    let text = |element: &str| {
        let (tag, rest) = element.split_once('>').expect("a tag");
        let attribute = |name: &str| {
            let (_, value) = tag.split_once(&format!(" {name}=\""))?;
            value.split('"').next()
        };
        let number = |name: &str| attribute(name).and_then(|value| value.parse::<f64>().ok()).expect(name);
        let shown = rest.split('<').next().unwrap_or_default();
        let escaped = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
        let shown = escaped.iter().fold(shown.to_owned(), |text, (from, to)| text.replace(from, to));
        let (x, y, size) = (number("x"), number("y"), number("font-size"));
        // All texts of figures are centred on their line.
        assert_eq!(attribute("dy"), Some("0.5ex"), "{tag}");
        let width = text_width(&shown, size, attribute("font-weight") == Some("bold"));
        let left = match attribute("text-anchor") {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        Text { shown, area: [left, y - size / 2.0, left + width, y + size / 2.0] }
    };
    figure.svg.split("<text").skip(1).map(text).collect()
}

/// Texts of a figure of which one covers the other.
pub(crate) fn covering(figure: &Figure) -> Vec<String> {
    let cover = |a: &[f64; 4], b: &[f64; 4]| {
        let depths = [a[2] - b[0], b[2] - a[0], a[3] - b[1], b[3] - a[1]];
        depths.into_iter().all(|depth| depth > TOLERANCE)
    };
    let texts = texts(figure);
    let pairs = texts
        .iter()
        .enumerate()
        .flat_map(|(index, text)| texts[..index].iter().map(move |other| (other, text)));
    let covering = pairs.filter(|(other, text)| cover(&text.area, &other.area));
    covering.map(|(other, text)| format!("“{}” and “{}”", other.shown, text.shown)).collect()
}

/// Texts of a figure that leave the drawing.
pub(crate) fn leaving(figure: &Figure) -> Vec<String> {
    let leaving = texts(figure).into_iter().filter(|text| {
        let [left, top, right, bottom] = text.area;
        let beyond = [-left, -top, right - figure.width, bottom - figure.height];
        beyond.into_iter().any(|beyond| beyond > TOLERANCE)
    });
    leaving.map(|Text { shown, area }| format!("“{shown}” at {area:?}")).collect()
}

/// What a law finds in the figures of every kind.
fn found(law: fn(&Figure) -> Vec<String>) -> BTreeSet<String> {
    let of = |Drawn { question, figure }: &Drawn| {
        let named = |what| format!("{} at {} px: {what} ({question})", figure.id, figure.width);
        law(figure).into_iter().map(named).collect::<Vec<_>>()
    };
    drawn().iter().flat_map(of).collect()
}

#[test]
fn no_text_covers_another() {
    let found = found(covering);
    assert!(found.is_empty(), "{} texts cover others: {found:#?}", found.len());
}

#[test]
fn no_text_leaves_its_drawing() {
    let found = found(leaving);
    assert!(found.is_empty(), "{} texts leave their drawings: {found:#?}", found.len());
}
