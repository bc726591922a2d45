//! Labels next to the points that they name, none over another.

use std::cmp::Ordering;

use super::canvas::Canvas;
use super::typography::Type;
use crate::figure::backend::{Ink, Stroke};
use crate::order::largest_first;

/// Text style of labels.
pub(in crate::figure) const LABELS: Type = Type::small(Ink::Text);

/// An upright rectangle: left, top, right, bottom.
pub(super) type Area = [f64; 4];

/// A point's marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::figure) struct Mark {
    pub(in crate::figure) at: (f64, f64),
    pub(in crate::figure) radius: f64,
}

/// Occupied areas of a drawing.
#[derive(Clone, Debug)]
pub(in crate::figure) struct Labels {
    pub(super) bounds: Area,
    pub(super) taken: Vec<Area>,
    /// Areas along lines. A label that finds no better place may cross them, because texts have a halo.
    lines: Vec<Area>,
    marks: Vec<Mark>,
}

/// Candidate directions of a label from its point, in order of preference.
const DIRECTIONS: [(f64, f64); 12] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.7, 0.7),
    (-0.7, 0.7),
    (0.7, -0.7),
    (-0.7, -0.7),
    (0.0, 1.0),
    (0.0, -1.0),
    (0.35, 0.94),
    (-0.35, 0.94),
    (0.35, -0.94),
    (-0.35, -0.94),
];
/// Candidate distances of a label from its marker. At the first distance it needs no connecting line.
const DISTANCES: [f64; 8] = [3.0, 16.0, 26.0, 36.0, 48.0, 62.0, 80.0, 100.0];
/// Half the height of a label.
pub(super) const HALF: f64 = 7.5;
/// Minimum distance of a label from other markers, so that it is not mistaken for theirs.
const AIR: f64 = 4.0;
/// Minimum distance from other markers of a label that is adjacent to its own.
const DOUBT: f64 = 10.0;
/// Markers this close to one another crowd.
const CROWD: f64 = 60.0;
/// Penalty, in units of distance, per position in the order of directions.
const INWARD: f64 = 6.0;

pub(super) fn touch(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Area covered by a line, in small steps.
fn along(from: (f64, f64), to: (f64, f64)) -> impl Iterator<Item = Area> {
    const STEPS: u32 = 80;
    (0..=STEPS).map(move |step| {
        let share = f64::from(step) / f64::from(STEPS);
        let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
        [x - 2.0, y - 2.0, x + 2.0, y + 2.0]
    })
}

impl Mark {
    fn around(&self, air: f64) -> Area {
        let ((x, y), radius) = (self.at, self.radius + air);
        [x - radius, y - radius, x + radius, y + radius]
    }

    /// The point this far from the marker's edge.
    fn beyond(&self, (dx, dy): (f64, f64), distance: f64) -> (f64, f64) {
        let reach = self.radius + distance;
        (self.at.0 + dx * reach, self.at.1 + dy * reach)
    }
}

impl Labels {
    /// Empty occupancy; labels stay within the bounds.
    pub(in crate::figure) const fn within(bounds: Area) -> Self {
        Self { bounds, taken: Vec::new(), lines: Vec::new(), marks: Vec::new() }
    }

    /// Reserves an area, so that no label covers it.
    pub(in crate::figure) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Reserves a line, so that no label covers it.
    pub(in crate::figure) fn take_line(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.lines.extend(along(from, to));
    }

    /// Reserves a line through points, so that no label covers it.
    pub(in crate::figure) fn take_path(&mut self, points: &[(f64, f64)]) {
        for pair in points.windows(2) {
            self.take_line(pair[0], pair[1]);
        }
    }

    /// Reserves a marker, so that no label covers it.
    pub(in crate::figure) fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// Writes the labels of markers, the most important first, near their markers. Labels without free space are left
    /// out.
    pub(in crate::figure) fn write(&mut self, canvas: &mut Canvas<'_>, names: &[(&str, Mark)]) {
        // The first is the one that a reader looks for.
        for group in [names.get(..1), names.get(1..)].into_iter().flatten() {
            let mut left: Vec<&(&str, Mark)> = group.iter().collect();
            for link in [Link::None, Link::Clear, Link::Crossing, Link::Doubtful] {
                left.retain(|(name, mark)| match self.place(name, *mark, link) {
                    Some(place) => {
                        self.put(canvas, name, &place);
                        false
                    }
                    None => true,
                });
            }
        }
    }

    fn put(&mut self, canvas: &mut Canvas<'_>, name: &str, &Place { area, leader }: &Place) {
        if let Some((from, to)) = leader {
            canvas.line(from, to, Stroke::solid(Ink::Muted, 0.75));
            self.take_line(from, to);
        }
        canvas.text((area[0], f64::midpoint(area[1], area[3])), name, LABELS);
        self.take(area);
    }

    fn place(&self, name: &str, mark: Mark, link: Link) -> Option<Place> {
        let width = LABELS.width(name);
        let candidate = |(direction, distance): ((f64, f64), f64)| {
            let (from, to) = (mark.beyond(direction, 1.0), mark.beyond(direction, distance));
            let left = match direction.0.total_cmp(&0.0) {
                Ordering::Greater => to.0,
                Ordering::Equal => to.0 - width / 2.0,
                Ordering::Less => to.0 - width,
            };
            let middle = to.1 + HALF * direction.1;
            let area = [left, middle - HALF, left + width, middle + HALF];
            let leader = (distance > DISTANCES[0]).then_some((from, to));
            let adjacent = matches!(link, Link::None | Link::Doubtful);
            if leader.is_some() == adjacent {
                return None;
            }
            // As near to another marker, it could be that one's label.
            let others = || self.marks.iter().filter(|other| **other != mark);
            if link == Link::None && others().any(|other| touch(&area, &other.around(DOUBT))) {
                return None;
            }
            let open = |line| self.is_open(line, mark, link == Link::Crossing);
            let free = self.is_free(&area, Some(mark)) && leader.is_none_or(open);
            free.then_some(Place { area, leader })
        };
        self.candidates(mark).into_iter().find_map(candidate)
    }

    /// Directions and distances, the best first: near ones, and those that lead out of the crowd that a marker
    /// is in, so that the lines to its labels fan out.
    fn candidates(&self, mark: Mark) -> Vec<((f64, f64), f64)> {
        let mut out = (0.0, 0.0);
        for other in &self.marks {
            let (dx, dy) = (mark.at.0 - other.at.0, mark.at.1 - other.at.1);
            if dx.abs().max(dy.abs()) < CROWD {
                out = (out.0 + dx, out.1 + dy);
            }
        }
        let outward = |(dx, dy): (f64, f64)| dx * out.0 + dy * out.1;
        let directions = largest_first(&DIRECTIONS, |direction| outward(*direction));
        let rank = |(place, direction)| {
            DISTANCES.map(|distance| (distance + f64::from(place) * INWARD, (direction, distance)))
        };
        let ranked: Vec<_> = (0_u8..).zip(directions).flat_map(rank).collect();
        largest_first(&ranked, |(distance, _)| -distance)
            .into_iter()
            .map(|(_, candidate)| candidate)
            .collect()
    }

    /// Returns true if an area lies within the bounds and covers nothing; the label of `own` may be nearer to it.
    pub(super) fn is_free(&self, area: &Area, own: Option<Mark>) -> bool {
        self.has_no_text(area, own) && !self.lines.iter().any(|other| touch(area, other))
    }

    /// Returns true if an area lies within the bounds and covers neither text nor marks. It may cover lines.
    pub(in crate::figure) fn has_no_text(&self, area: &Area, own: Option<Mark>) -> bool {
        let [left, top, right, bottom] = self.bounds;
        let inside = area[0] > left && area[1] > top && area[2] < right && area[3] < bottom;
        inside
            && !self.taken.iter().any(|other| touch(area, other))
            && !self
                .marks
                .iter()
                .any(|other| touch(area, &other.around(if Some(*other) == own { 0.0 } else { AIR })))
    }

    fn is_open(&self, (from, to): ((f64, f64), (f64, f64)), own: Mark, cross: bool) -> bool {
        along(from, to).all(|step| {
            let crosses = |other: &Mark| *other != own && touch(&step, &other.around(0.0));
            let covers = |areas: &[Area]| areas.iter().any(|other| touch(&step, other));
            !covers(&self.taken) && !covers(&self.lines) && (cross || !self.marks.iter().any(crosses))
        })
    }
}

/// Connection between a label and its marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// No line; the label is adjacent to its marker.
    None,
    /// A line that crosses nothing.
    Clear,
    /// A line that crosses other markers, if no other position is free.
    Crossing,
    /// No line; the label is adjacent to its marker and near another one.
    Doubtful,
}

/// Position of a label, and the line to its marker if it needs one.
struct Place {
    area: Area,
    leader: Option<((f64, f64), (f64, f64))>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;
    use crate::figure::frame::canvas::draw;

    #[test]
    fn labels_of_one_crowd_do_not_overlap() {
        let mut labels = Labels::within([0.0, 0.0, 400.0, 300.0]);
        let marks = [(200.0, 150.0), (206.0, 152.0), (195.0, 155.0)].map(|at| Mark { at, radius: 5.0 });
        for mark in marks {
            labels.mark(mark);
        }
        let svg = Figure::from(draw((400.0, 300.0), "", |canvas| {
            labels.write(canvas, &marks.map(|mark| ("A label", mark)));
        }))
        .svg;
        assert_eq!(svg.matches("A label").count(), 3);
        let texts: Vec<&Area> = labels.taken.iter().filter(|area| area[2] - area[0] > 10.0).collect();
        assert_eq!(texts.len(), 3);
        for (index, text) in texts.iter().enumerate() {
            assert!(texts[..index].iter().all(|other| !touch(text, other)));
        }
    }

    #[test]
    fn a_label_as_near_to_another_marker_has_a_line() {
        let mut labels = Labels::within([0.0, 0.0, 400.0, 300.0]);
        let [own, _, _] = [200.0, 169.0, 231.0].map(|x| {
            let mark = Mark { at: (x, 150.0), radius: 5.0 };
            labels.mark(mark);
            mark
        });
        assert!(labels.place("A label", own, Link::None).is_none());
        assert!(labels.place("A label", own, Link::Clear).is_some_and(|place| place.leader.is_some()));
        assert!(labels.place("A label", own, Link::Doubtful).is_some_and(|place| place.leader.is_none()));
    }

    #[test]
    fn a_label_without_room_is_left_out() {
        let mut labels = Labels::within([0.0, 0.0, 20.0, 20.0]);
        let mark = Mark { at: (10.0, 10.0), radius: 5.0 };
        labels.mark(mark);
        let drawing = draw((20.0, 20.0), "", |canvas| labels.write(canvas, &[("A label", mark)]));
        let svg = Figure::from(drawing).svg;
        assert!(!svg.contains("A label"));
    }
}
