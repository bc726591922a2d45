//! Size, role, weight and anchor of a text, and how much of it fits into a width.

use crate::figure::backend::{self, Ink};

/// Anchor of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Align {
    Left,
    Centre,
    Right,
}

/// Size, role, weight and anchor of a text; always centred on its line.
#[derive(Clone, Copy, Debug)]
pub(in crate::figure) struct Type {
    pub(in crate::figure) size: f64,
    pub(in crate::figure) ink: Ink,
    pub(in crate::figure) bold: bool,
    pub(in crate::figure) align: Align,
}

impl Type {
    /// Text at the smallest legible size, from its left end.
    pub(in crate::figure) const fn small(ink: Ink) -> Self {
        Self { size: 12.0, ink, bold: false, align: Align::Left }
    }

    /// Labels of bars and values, from the left end.
    pub(in crate::figure) const fn label() -> Self {
        Self { size: 13.0, ink: Ink::Text, bold: false, align: Align::Left }
    }

    /// The text style with another anchor.
    pub(in crate::figure) const fn align(self, align: Align) -> Self {
        Self { align, ..self }
    }

    /// The text style, in bold if `bold` is true.
    pub(in crate::figure) const fn bold_if(self, bold: bool) -> Self {
        Self { bold, ..self }
    }

    /// An upper estimate of the width of a text in this type.
    pub(in crate::figure) fn width(self, text: &str) -> f64 {
        backend::width(text, self.size, self.bold)
    }

    /// The text, shortened with an ellipsis if it is wider than `width`.
    pub(in crate::figure) fn fit(self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let mut kept = String::new();
        for character in text.chars() {
            kept.push(character);
            if self.width(&kept) + self.width("…") > width {
                kept.pop();
                break;
            }
        }
        format!("{}…", kept.trim_end())
    }

    /// The text on one line if it fits into `width`, otherwise on two, the second one shortened if it has to be.
    pub(in crate::figure) fn two_lines(self, text: &str, width: f64) -> Vec<String> {
        if self.width(text) <= width {
            return vec![text.to_owned()];
        }
        let mut halves = text.rmatch_indices(' ').map(|(at, _)| text.split_at(at));
        match halves.find(|(first, _)| self.width(first) <= width) {
            Some((first, second)) => vec![first.to_owned(), self.fit(second.trim_start(), width)],
            None => vec![self.fit(text, width)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut() {
        let style = Type::label();
        assert_eq!(style.fit("short", 100.0), "short");
        let cut = style.fit("a very long label indeed", 80.0);
        assert!(cut.ends_with('…') && style.width(&cut) <= 80.0, "{cut}");
        assert_eq!(style.fit("abc", 0.0), "…");
        assert_eq!(style.two_lines("abc", 80.0), ["abc"]);
        assert_eq!(style.two_lines("one two three", style.width("one two")), ["one two", "three"]);
        assert_eq!(style.two_lines("alonelongword", 30.0).len(), 1);
    }
}
