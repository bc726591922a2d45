//! Roles of colours, dashes, hatches and markers, which distinguish series in light mode, dark mode and print.

use plotters::style::{Color, RGBColor};
use plotters_backend::BackendColor;

/// The role of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Ink {
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

/// Dash pattern of a line, so that lines differ not only in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Dash {
    /// Unbroken.
    Solid,
    /// Long strokes.
    Long,
    /// Short strokes.
    Short,
    /// Dots.
    Dotted,
}

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

    /// The colour in the light theme; `style/figure.css` has the same.
    const fn light(self) -> u32 {
        match self {
            Self::Text => 0x1b_1f24,
            Self::Muted => 0x57_606a,
            Self::Grid => 0xd0_d7de,
            Self::Paper => 0xff_ffff,
            Self::Series(1) => 0x00_72b2,
            Self::Series(2) => 0xd5_5e00,
            Self::Series(3) => 0x00_946b,
            Self::Series(4) => 0x8e_2a7b,
            Self::Series(5) => 0x6c_4e29,
            Self::Series(6) => 0x1b_1464,
            Self::Series(7) => 0x70_757d,
            Self::Series(_) => 0x5c_0a22,
        }
    }

    /// All roles.
    const ALL: [Self; 12] = [
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

    /// The role that this colour of the light theme has.
    pub(super) fn of(color: RGBColor) -> Option<Self> {
        Self::ALL.into_iter().find(|ink| RGBColor::from(*ink) == color)
    }
}

impl From<Ink> for RGBColor {
    fn from(ink: Ink) -> Self {
        let [_, red, green, blue] = ink.light().to_be_bytes();
        Self(red, green, blue)
    }
}

impl From<Ink> for BackendColor {
    fn from(ink: Ink) -> Self {
        ink.to_backend_color()
    }
}

/// Styles of the shapes that plotters draws.
impl Color for Ink {
    fn to_backend_color(&self) -> BackendColor {
        RGBColor::from(*self).to_backend_color()
    }
}

impl Dash {
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
pub(in crate::figure) struct Stroke {
    pub(in crate::figure) ink: Ink,
    pub(in crate::figure) width: f64,
    pub(in crate::figure) dash: Dash,
}

impl Stroke {
    /// An unbroken line.
    pub(in crate::figure) const fn solid(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: Dash::Solid }
    }

    /// The stroke with a dash pattern.
    pub(in crate::figure) const fn dashed(self, dash: Dash) -> Self {
        Self { dash, ..self }
    }
}

/// The pattern laid over a filled area, so that areas differ in more than colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Hatch {
    /// No hatch.
    Plain,
    /// Lines that rise to the right.
    Rising,
    /// Lines that fall to the right.
    Falling,
    /// Rising and falling lines.
    Crossed,
    /// Upright lines.
    Upright,
    /// Level lines.
    Level,
}

/// The shape of a point, so that points differ in more than colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Marker {
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
    fn every_role_has_a_colour_of_its_own() {
        for ink in Ink::ALL {
            assert_eq!(Ink::of(ink.into()), Some(ink));
        }
        assert_eq!(Ink::of(RGBColor(1, 2, 3)), None);
    }
}
