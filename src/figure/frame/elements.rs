//! Elements that plotters lacks: dashed lines, and marks of the series that shapes belong to.

use std::convert::Infallible;

use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingErrorKind};

use crate::figure::backend::{Backend, Stroke, UNITS};

/// Converts CSS pixels to backend units. Values that are not finite are drawn at the origin, distant ones at the limit
/// of the range.
pub(super) fn unit(pixels: f64) -> i32 {
    if pixels.is_finite() { (pixels.clamp(-1e4, 1e4) * UNITS).round() as i32 } else { 0 }
}

/// A line through points with a dash, which plotters' own elements draw as many short lines.
pub(super) struct Polyline {
    pub(super) points: Vec<BackendCoord>,
    pub(super) stroke: Stroke,
}

impl<'a> PointCollection<'a, BackendCoord> for &'a Polyline {
    type Point = &'a BackendCoord;
    type IntoIter = &'a [BackendCoord];

    fn point_iter(self) -> &'a [BackendCoord] {
        &self.points
    }
}

impl<'b> Drawable<Backend<'b>> for Polyline {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        points: I,
        backend: &mut Backend<'b>,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let points: Vec<BackendCoord> = points.collect();
        backend.line(&points, self.stroke, unit(self.stroke.width).unsigned_abs());
        Ok(())
    }
}

/// Sets the series of the shapes that follow. It draws nothing.
pub(super) struct InSeries(pub(super) Option<u8>);

impl<'a> PointCollection<'a, BackendCoord> for &'a InSeries {
    type Point = &'a BackendCoord;
    type IntoIter = &'a [BackendCoord];

    fn point_iter(self) -> &'a [BackendCoord] {
        &[]
    }
}

impl<'b> Drawable<Backend<'b>> for InSeries {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        _: I,
        backend: &mut Backend<'b>,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        backend.series = self.0;
        Ok(())
    }
}
