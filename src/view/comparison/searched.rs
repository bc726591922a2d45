//! Figures that compare questions whose views search. They are made from the values that the answers' own figures carry, so
//! that nothing is searched twice.

use super::figures::{best, sides};
use super::{Asked, Searched, asked, at_most};
use crate::figure::{
    Against, Comparable, Compared, CurveAxis, CurvePoint, Figure, ItemValue, Size, compared_curves,
    compared_nodes, compared_speedups,
};
use crate::scenario::{Problem, Scenario, View};
use crate::sizing::SizingObjective;
use crate::units::{Amount, Bytes, Seconds, Unit, format};
use crate::view::differences::differences;

/// Figures of the questions of Sizing, Search, Generations and Technology, of each view with all its questions. `search` gives
/// their answers.
///
/// Sweeps of system features have no common figure, because they do not depend on the question. Neither have the speed-ups of
/// serving, because they would be as many figures as there are measures.
pub fn searched(questions: &[Scenario], search: &dyn Fn(&Scenario) -> Searched, size: Size) -> Vec<Figure> {
    let questions = at_most(questions);
    let asked = asked(questions, &differences(questions)).into_iter().zip(questions).collect();
    let answers = Answers { asked, search };
    let figures = [
        answers.costs("compared-fleets", Against::Speed, size),
        answers.costs("compared-run-costs", Against::Days, size),
        answers.scaling(size),
        answers.plans(size),
        answers.items(View::Generations, "speedup", compared_speedups, size),
        answers.items(View::Technology, "node-speedup", compared_nodes, size),
    ];
    figures.into_iter().flatten().collect()
}

/// The compared questions, and the way to their answers.
struct Answers<'a> {
    asked: Vec<(Asked, &'a Scenario)>,
    search: &'a dyn Fn(&Scenario) -> Searched,
}

impl Answers<'_> {
    /// The values of this figure of each answer; without answers that lack them.
    fn values<T>(
        &self,
        view: View,
        figure: &str,
        draw: &mut dyn FnMut(&Scenario, &[Comparable]) -> Vec<T>,
    ) -> Vec<Compared<Vec<T>>> {
        sides(&self.asked, view, |question| {
            let answer = (self.search)(question)?;
            let figure = answer.figures().find(|known| known.id == figure);
            let carried = figure.map_or(&[][..], |figure| &figure.compared);
            let values = if carried.is_empty() { Vec::new() } else { draw(question, carried) };
            if values.is_empty() { Err(Vec::<Problem>::new()) } else { Ok(values) }
        })
    }

    /// Pareto fronts of fleets, or of training runs. Costs of different quantities do not share an axis.
    fn costs(&self, id: &'static str, against: Against, size: Size) -> Option<Figure> {
        let (mut objective, mut left_out) = (None, "");
        let sides = self.values(View::Sizing, against.id(), &mut |question, front| {
            let by = question.sizing.by;
            if *objective.get_or_insert(by) == by {
                return curve(front, |fleet| format!("{}, {}", fleet.of, fleet.value));
            }
            left_out = "; questions with another objective are left out";
            Vec::new()
        });
        let finding = best(&sides, |a, b| a.1 < b.1).map_or_else(String::new, |(name, point)| {
            format!("The lowest cost is that of {name}: {}.", point.what)
        });
        let assumption = format!(
            "Each question's Pareto front: nothing else that it found is both cheaper and faster{left_out}"
        );
        let axes = (
            CurveAxis { title: against.axis(), unit: Unit::None },
            CurveAxis {
                title: against.measure(objective?),
                unit: if objective? == SizingObjective::Cost { Unit::Usd } else { Unit::None },
            },
        );
        Some(compared_curves((id, against.title()), axes, &sides, (finding, &assumption), size))
    }

    /// Step time of the best plans against the number of GPUs.
    fn scaling(&self, size: Size) -> Option<Figure> {
        let assumption = "Each number of GPUs has its best plan, at the question's global batch";
        let heading = ("compared-scaling", "Step time of the best plan against GPUs");
        let axis = CurveAxis { title: "GPUs", unit: Unit::Count };
        self.steps(("scaling", heading), axis, assumption, size)
    }

    /// Step time against memory of the plans on each search's Pareto front.
    fn plans(&self, size: Size) -> Option<Figure> {
        let assumption = "Each question's Pareto front: no other plan is both faster and smaller";
        let heading = ("compared-plans", "Step time against memory of the best plans");
        let axis = CurveAxis { title: "Memory of the fullest GPU (GiB)", unit: Unit::None };
        self.steps(("plans", heading), axis, assumption, size)
    }

    /// Curves of step time over what such a figure of a search has on its horizontal axis.
    fn steps(
        &self,
        (figure, heading): (&str, (&'static str, &str)),
        axis: CurveAxis<'_>,
        assumption: &str,
        size: Size,
    ) -> Option<Figure> {
        let sides =
            self.values(View::Search, figure, &mut |_, points| curve(points, |point| point.of.clone()));
        let finding = best(&sides, |a, b| a.1 < b.1).map(|(name, point)| {
            let step = format::time(Seconds::new(point.at.1));
            let gpus = match axis.unit {
                Unit::Count => format!(" on {}", format::counted(point.at.0 as u32, "GPUs")),
                _ => String::new(),
            };
            format!("The shortest step is {step}, of {name} with {}{gpus}.", point.what)
        });
        let axes = (axis, CurveAxis { title: "Step time", unit: Unit::Seconds });
        Some(compared_curves(heading, axes, &sides, (finding?, assumption), size))
    }

    /// Values by accelerator or by node.
    fn items(
        &self,
        view: View,
        figure: &str,
        chart: fn(&[Compared<Vec<ItemValue>>], Size) -> Figure,
        size: Size,
    ) -> Option<Figure> {
        let item =
            |of: &Comparable| ItemValue { item: of.of.clone(), value: of.value.value, link: of.link.clone() };
        let sides = self.values(view, figure, &mut |_, values| values.iter().map(item).collect());
        (!sides.is_empty()).then(|| chart(&sides, size))
    }
}

/// The curve of some points with what their read-outs say of each.
fn curve(points: &[Comparable], what: impl Fn(&Comparable) -> String) -> Vec<CurvePoint> {
    let drawn = points.iter().filter_map(|point| {
        let at = (coordinate(point.at?), coordinate(point.value));
        Some(CurvePoint { at, what: what(point), link: point.link.clone() })
    });
    drawn.collect()
}

/// Coordinate of an amount: axes of memory are in GiB, others in the base unit.
fn coordinate(amount: Amount) -> f64 {
    match amount.unit {
        Unit::Memory => Bytes::new(amount.value).to_gib(),
        _ => amount.value,
    }
}
