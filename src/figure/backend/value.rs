//! Attribute values of drawings: lengths, corners and colours.

use std::fmt::Write as _;

use plotters::style::RGBColor;

use crate::markup::Value;

/// Units of the backend per CSS pixel. Plotters' coordinates are whole numbers; an eighth of a pixel keeps curves
/// smooth and has an exact, short decimal form.
pub(in crate::figure) const UNITS: f64 = 8.0;

/// A length in units of the backend, written in CSS pixels.
impl Value for i32 {
    fn write(&self, text: &mut String) {
        (f64::from(*self) / UNITS).write(text);
    }
}

/// Corners in units of the backend, written in CSS pixels.
impl Value for &[(i32, i32)] {
    fn write(&self, text: &mut String) {
        for (index, (x, y)) in self.iter().enumerate() {
            if index > 0 {
                text.push(' ');
            }
            x.write(text);
            text.push(',');
            y.write(text);
        }
    }
}

impl Value for RGBColor {
    fn write(&self, text: &mut String) {
        let Self(red, green, blue) = self;
        // Writing to a string cannot fail.
        let _ = write!(text, "#{red:02x}{green:02x}{blue:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::Element;

    #[test]
    fn values_are_written_in_css_pixels() {
        let mut text = String::new();
        let mut root = Element::new(&mut text, "svg");
        root.attribute("width", 10.5);
        root.child("line").attribute("x1", 4).attribute("stroke", RGBColor(0, 114, 178));
        root.child("polyline").attribute("points", &[(4, 8), (0, -1)][..]);
        drop(root);
        assert_eq!(
            text,
            concat!(
                r##"<svg width="10.5"><line x1="0.5" stroke="#0072b2"/>"##,
                r#"<polyline points="0.5,1 0,-0.125"/></svg>"#
            )
        );
    }
}
