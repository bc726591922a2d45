//! Lines of our values with published ones as marks.

use super::quantity::{tick, title};
use crate::figure::backend::{Dash, Ink, Marker, Stroke};
use crate::figure::frame::axis::Axis;
use crate::figure::frame::canvas::{Canvas, Drawing, draw};
use crate::figure::frame::labels::Labels;
use crate::figure::frame::legend::{Key, Legend};
use crate::figure::frame::plot::{MARGIN, Plot, Scale};
use crate::figure::frame::rules::Rules;
use crate::figure::frame::{Size, blank};
use crate::papers::{Line, Lines, Look, Origin, Quantity};

/// The drawing of lines.
pub(super) fn drawing(lines: &Lines, origin: Origin, finding: &str, size: Size) -> Drawing {
    let drawable = || lines.lines.iter().filter(|line| places(line, lines).next().is_some());
    if drawable().next().is_none() {
        return blank(size, finding);
    }
    let mut legend = Legend::default();
    for line in drawable() {
        legend.push(Key::Line(stroke(line.look)), line.name.as_str());
    }
    legend.number_keys();
    let published = |line: &Line| line.points.iter().any(|point| point.published.is_some());
    if drawable().any(published) {
        legend.push(Key::Point(Marker::Circle, Ink::Text), origin.name());
    }
    let room = size.width() - 24.0;
    let legends = legend.height(room);
    let height = size.height() + legends;
    let values = || lines.lines.iter().flat_map(|line| places(line, lines));
    let limits = lines.limits.iter().map(|limit| limit.at);
    let plot = Plot {
        x: axis(lines.x, values().map(|(x, _)| x), (0.03, 0.03)),
        y: axis(lines.y, values().map(|(_, y)| y).chain(limits), (0.06, 0.1)),
        left: Plot::margin(size),
        right: size.width() - MARGIN,
        top: 24.0,
        bottom: height - 48.0 - legends,
    };
    draw((size.width(), height), finding, |canvas| {
        let (across, up) = (title(lines.x), title(lines.y));
        let scales = (&Scale::new(&across, &tick), &Scale::new(&up, &tick));
        plot.axes(canvas, scales.0, scales.1);
        let mut labels = Labels::within([plot.left + 2.0, plot.top, plot.right, plot.bottom]);
        let limits = lines.limits.iter().map(|limit| (&*limit.name, limit.at));
        let posts = lines.posts.iter().map(|post| (&*post.name, post.at));
        let rules = Rules::draw(canvas, &plot, &mut labels, limits, posts);
        for (place, line) in drawable().enumerate() {
            // A point without a value of ours breaks the line.
            let points = line.points.iter().map(|point| (point.x, point.ours.unwrap_or(f64::NAN)));
            canvas.within(legend.number(place), |canvas| plot.curve(canvas, points, stroke(line.look)));
            labels.take_path(&places(line, lines).filter_map(|(x, y)| plot.place(x, y)).collect::<Vec<_>>());
            for point in &line.points {
                let opens = (point.what.clone(), point.link.clone().unwrap_or_default());
                plot.open_on_line(
                    canvas,
                    &line.name,
                    (point.x, point.ours.unwrap_or(f64::NAN)),
                    scales,
                    opens,
                );
            }
            let mut published =
                line.points.iter().filter_map(|point| Some((point.x, point.published?.value)));
            plot.read(canvas, &format!("{}, published", line.name), &mut published, scales);
        }
        for (place, line) in drawable().enumerate() {
            canvas.within(legend.number(place), |canvas| marks(canvas, &plot, line));
        }
        rules.write(canvas, &plot, &mut labels);
        legend.draw(canvas, (12.0, plot.bottom + 46.0), room);
    })
}

/// All values of a line that its axes can show.
fn places<'a>(line: &'a Line, lines: &Lines) -> impl Iterator<Item = (f64, f64)> + use<'a> {
    let (x, y) = (lines.x, lines.y);
    let shown = |quantity: Quantity, value: f64| {
        value.is_finite() && (value > 0.0 || (!quantity.logarithmic && value >= 0.0))
    };
    let points = line.points.iter().flat_map(|point| {
        [point.ours, point.published.map(|published| published.value)]
            .into_iter()
            .flatten()
            .map(move |value| (point.x, value))
    });
    points.filter(move |(at, value)| shown(x, *at) && shown(y, *value))
}

fn axis(quantity: Quantity, values: impl Iterator<Item = f64>, (below, above): (f64, f64)) -> Axis {
    if quantity.logarithmic {
        Axis::around(values).padded(below, above)
    } else {
        Axis::from_zero(values).padded(0.0, above)
    }
}

/// Stroke of a line. Lines of one colour or one dash belong together; at most eight colours can be distinguished.
fn stroke(look: Look) -> Stroke {
    const DASHES: [Dash; 4] = [Dash::Solid, Dash::Long, Dash::Short, Dash::Dotted];
    let ink = Ink::Series(look.colour % 7 + 1);
    Stroke::solid(ink, 2.25).dashed(DASHES[usize::from(look.dash) % DASHES.len()])
}

/// Published values: filled in the line's colour, edged by the background, so that they show on the line.
fn marks(canvas: &mut Canvas<'_>, plot: &Plot, line: &Line) {
    for point in &line.points {
        let place = point.published.and_then(|published| plot.place(point.x, published.value));
        if let Some(at) = place {
            canvas.marker(at, Marker::Circle, Ink::Paper, 5.0);
            canvas.marker(at, Marker::Circle, stroke(line.look).ink, 3.75);
        }
    }
}
