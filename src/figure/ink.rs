//! What shapes are drawn with: roles instead of colours, so that one drawing serves light, dark and print.

use plotters::style::RGBColor;

/// The role of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// Text and axes.
    Text,
    /// Secondary text and marks.
    Muted,
    /// Grid lines.
    Grid,
    /// The background.
    Paper,
    /// One of eight series, counted from 1.
    Series(u8),
}

/// How a line is broken, so that lines differ in more than colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dash {
    /// Unbroken.
    Solid,
    /// Long strokes.
    Long,
    /// Short strokes.
    Short,
    /// Dots.
    Dotted,
}

/// The blue channel of every sentinel.
const MARK: u8 = 0xA5;

impl Ink {
    /// The name in the class, as in `fig-fill-ink`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Text => "ink",
            Self::Muted => "muted",
            Self::Grid => "grid",
            Self::Paper => "paper",
            Self::Series(1) => "1",
            Self::Series(2) => "2",
            Self::Series(3) => "3",
            Self::Series(4) => "4",
            Self::Series(5) => "5",
            Self::Series(6) => "6",
            Self::Series(7) => "7",
            Self::Series(_) => "8",
        }
    }

    /// The colour in the light theme, for files that leave the page; `style/figure.css` has the same.
    pub(super) const fn light(self) -> &'static str {
        match self {
            Self::Text => "#1b1f24",
            Self::Muted => "#57606a",
            Self::Grid => "#d0d7de",
            Self::Paper => "#ffffff",
            Self::Series(1) => "#0072b2",
            Self::Series(2) => "#d55e00",
            Self::Series(3) => "#00946b",
            Self::Series(4) => "#8e2a7b",
            Self::Series(5) => "#6c4e29",
            Self::Series(6) => "#1b1464",
            Self::Series(7) => "#70757d",
            Self::Series(_) => "#5c0a22",
        }
    }

    /// All roles.
    pub(super) const ALL: [Self; 12] = [
        Self::Text,
        Self::Muted,
        Self::Grid,
        Self::Paper,
        Self::Series(1),
        Self::Series(2),
        Self::Series(3),
        Self::Series(4),
        Self::Series(5),
        Self::Series(6),
        Self::Series(7),
        Self::Series(8),
    ];

    /// The colour that stands for this role and dash until [`super::svg::restyle`] replaces it.
    pub(super) fn sentinel(self, dash: Dash) -> RGBColor {
        let index = Self::ALL.iter().position(|other| *other == self).unwrap_or(Self::ALL.len() - 1);
        RGBColor(index as u8, dash as u8, MARK)
    }

    /// The role and dash that a sentinel, written as `#RRGGBB`, stands for.
    pub(super) fn of_sentinel(colour: &str) -> Option<(Self, Dash)> {
        let channel = |from| u8::from_str_radix(colour.get(from..from + 2)?, 16).ok();
        if !colour.starts_with('#') || channel(5)? != MARK {
            return None;
        }
        let ink = Self::ALL.get(usize::from(channel(1)?))?;
        let dash = Dash::ALL.get(usize::from(channel(3)?))?;
        Some((*ink, *dash))
    }
}

impl Dash {
    const ALL: [Self; 4] = [Self::Solid, Self::Long, Self::Short, Self::Dotted];

    /// The value of `stroke-dasharray`, unless unbroken.
    pub(super) const fn array(self) -> Option<&'static str> {
        match self {
            Self::Solid => None,
            Self::Long => Some("9 4"),
            Self::Short => Some("4 3"),
            Self::Dotted => Some("1.5 3"),
        }
    }
}

/// A line's role, width in CSS pixels and dash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) ink: Ink,
    pub(super) width: f64,
    pub(super) dash: Dash,
}

impl Stroke {
    /// An unbroken line.
    pub(super) const fn solid(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: Dash::Solid }
    }

    /// The same line, broken.
    pub(super) const fn dashed(self, dash: Dash) -> Self {
        Self { dash, ..self }
    }
}

/// The pattern laid over a filled area, so that areas differ in more than colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hatch {
    /// None.
    Plain,
    /// Lines that rise to the right.
    Rising,
    /// Lines that fall to the right.
    Falling,
    /// Both.
    Crossed,
    /// Upright lines.
    Upright,
    /// Level lines.
    Level,
}

/// The shape of a point, so that points differ in more than colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentinels_are_told_apart() {
        for ink in Ink::ALL {
            for dash in Dash::ALL {
                let RGBColor(r, g, b) = ink.sentinel(dash);
                assert_eq!(Ink::of_sentinel(&format!("#{r:02X}{g:02X}{b:02X}")), Some((ink, dash)));
            }
        }
        for other in ["none", "#FFFFFF", "#", "#é00A5", "", "#0000A"] {
            assert_eq!(Ink::of_sentinel(other), None);
        }
    }
}
