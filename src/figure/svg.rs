//! From plotters' SVG to the page's: classes instead of colours, a label instead of fixed sizes.
//!
//! A class can be styled under a content security policy without inline styles; a colour attribute cannot
//! refer to a custom property.

use std::fmt::Write as _;

use super::ink::{Dash, Ink};

/// Backend units per CSS pixel. plotters rounds every coordinate to a whole unit: without finer units,
/// curves would wobble.
pub(super) const UNITS: f64 = 8.0;

/// Text as XML: markup escaped, characters that XML forbids dropped.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other if allowed(other) => escaped.push(other),
            _ => {}
        }
    }
    escaped
}

/// Whether XML allows this character in one line of text.
pub(super) fn allowed(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// Rewrites what plotters drew: the opening tag, every number and every sentinel colour.
///
/// plotters escapes text and attribute values, so that `<`, `>` and `"` are always markup.
pub(super) fn restyle(raw: &str, (width, height): (f64, f64), label: &str) -> String {
    let mut svg = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((text, after)) = rest.split_once('<') {
        svg.push_str(text.trim_matches('\n'));
        let Some((tag, after)) = after.split_once('>') else { break };
        if tag.starts_with("svg ") {
            open(&mut svg, width, height, label);
        } else {
            retag(&mut svg, tag);
        }
        rest = after;
    }
    svg
}

fn open(svg: &mut String, width: f64, height: f64, label: &str) {
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox="0 0 {width} {height}" role="img" aria-label="{}">"#,
        escape(label)
    );
}

fn retag(svg: &mut String, tag: &str) {
    let mut parts = tag.split('"');
    let mut classes = String::new();
    svg.push('<');
    // Before each quoted value stands ` name=`; before the first also the element's name.
    while let Some(before) = parts.next() {
        let Some(value) = parts.next() else {
            close(svg, before, &classes);
            break;
        };
        let (head, name) = before.rsplit_once(' ').unwrap_or(("", before));
        svg.push_str(head);
        if head == "text" {
            classes.push_str("fig-text ");
        }
        let name = name.trim_end_matches('=');
        match name {
            "fill" | "stroke" => match Ink::of_sentinel(value) {
                Some((ink, dash)) => paint(svg, &mut classes, name, ink, dash),
                None if name == "fill" => svg.push_str(r#" fill="none""#),
                None => {}
            },
            // Everything is opaque.
            "opacity" => {}
            _ => {
                let _ = write!(svg, r#" {name}="{}""#, rescale(name, value));
            }
        }
    }
}

fn paint(svg: &mut String, classes: &mut String, name: &str, ink: Ink, dash: Dash) {
    let _ = write!(classes, "fig-{name}-{} ", ink.name());
    if let Some(array) = dash.array() {
        let _ = write!(svg, r#" stroke-dasharray="{array}""#);
    }
}

fn close(svg: &mut String, end: &str, classes: &str) {
    if !classes.is_empty() {
        let _ = write!(svg, r#" class="{}""#, classes.trim_end());
    }
    svg.push_str(end);
    svg.push('>');
}

/// An attribute's numbers in CSS pixels.
fn rescale(name: &str, value: &str) -> String {
    match name {
        "x" | "y" | "x1" | "y1" | "x2" | "y2" | "cx" | "cy" | "r" | "width" | "height" | "stroke-width" => {
            pixels(value)
        }
        "font-size" => value.parse().map_or_else(
            |_| value.to_owned(),
            |size: f64| {
                // Through plotters' own factor, the size is a whole number of units but for rounding.
                format!("{}", (size / UNITS * 10.0).round() / 10.0)
            },
        ),
        "points" => {
            let pairs = value.split_whitespace().filter_map(|pair| pair.split_once(','));
            let scaled: Vec<String> = pairs.map(|(x, y)| format!("{},{}", pixels(x), pixels(y))).collect();
            scaled.join(" ")
        }
        _ => value.to_owned(),
    }
}

fn pixels(value: &str) -> String {
    value.parse().map_or_else(|_| value.to_owned(), |units: f64| format!("{}", units / UNITS))
}

/// The figure as a file of its own: light colours baked in, its title on top.
pub(super) fn standalone(svg: &str, title: &str) -> String {
    const TITLE_HEIGHT: f64 = 36.0;
    let mut baked = svg.to_owned();
    for ink in Ink::ALL {
        let (name, colour) = (ink.name(), ink.light());
        for property in ["fill", "stroke"] {
            let class = format!(r#" class="fig-{property}-{name}""#);
            baked = baked.replace(&class, &format!(r#" {property}="{colour}""#));
        }
        let class = format!(r#" class="fig-text fig-fill-{name}""#);
        let halo = Ink::Paper.light();
        let text = format!(r#" fill="{colour}" stroke="{halo}" stroke-width="3" paint-order="stroke""#);
        baked = baked.replace(&class, &text);
    }
    let Some((width, height)) = dimensions(&baked) else { return baked };
    let taller = height + TITLE_HEIGHT;
    let frame = format!(r#"width="{width}" height="{taller}" viewBox="0 -{TITLE_HEIGHT} {width} {taller}""#);
    baked = baked.replacen(&format!(r#"class="fig" viewBox="0 0 {width} {height}""#), &frame, 1);
    let Some(end) = baked.find('>') else { return baked };
    let heading = format!(
        concat!(
            r#"<title>{title}</title><rect x="0" y="-{top}" width="{width}" height="{taller}" fill="{paper}"/>"#,
            r#"<text x="16" y="-10" font-family="sans-serif" font-size="16" font-weight="bold" fill="{ink}">{title}</text>"#,
        ),
        title = escape(title),
        top = TITLE_HEIGHT,
        width = width,
        taller = taller,
        paper = Ink::Paper.light(),
        ink = Ink::Text.light(),
    );
    baked.insert_str(end + 1, &heading);
    baked
}

/// Width and height, from the view box.
fn dimensions(svg: &str) -> Option<(f64, f64)> {
    let (_, after) = svg.split_once(r#"viewBox="0 0 "#)?;
    let (width, height) = after.split_once('"')?.0.split_once(' ')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a b=\"c\">&'\u{0}\u{7}\n"), "&lt;a b=&quot;c&quot;&gt;&amp;&apos;");
    }

    #[test]
    fn colours_become_classes_and_units_pixels() {
        let raw = concat!(
            "<svg width=\"80\" height=\"80\">\n",
            "<line opacity=\"1\" stroke=\"#0001A5\" stroke-width=\"16\" x1=\"4\" y1=\"8\" x2=\"0\" y2=\"0\"/>\n",
            "<text x=\"8\" fill=\"#0100A5\">\na &lt; b\n</text>\n</svg>\n",
        );
        assert_eq!(
            restyle(raw, (10.0, 10.0), "\"x\""),
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox="0 0 10 10" role="img" "#,
                r#"aria-label="&quot;x&quot;">"#,
                r#"<line stroke-dasharray="9 4" stroke-width="2" x1="0.5" y1="1" x2="0" y2="0" "#,
                r#"class="fig-stroke-ink"/><text x="1" class="fig-text fig-fill-muted">a &lt; b</text></svg>"#,
            )
        );
    }

    #[test]
    fn broken_markup_ends_the_drawing_but_not_the_program() {
        assert_eq!(restyle("<svg <<< \"", (1.0, 1.0), ""), "");
        assert_eq!(standalone("", "x"), "");
    }
}
