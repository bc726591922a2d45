//! Figures that compare questions whose views search. They are made from the tables of the answers' own figures, so that
//! nothing is searched twice.

use super::figures::{best, sides};
use super::{Asked, Searched, asked, at_most};
use crate::figure::{
    Against, Compared, CurveAxis, CurvePoint, Figure, ItemValue, Size, Table, best_speedups, compared_curves,
    compared_nodes, compared_speedups, cost_front, node_times, plans_front, scaling_curve,
};
use crate::scenario::{Problem, Scenario, View};
use crate::units::{Seconds, Unit, format};
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
        answers.items(View::Generations, "speedup", |_, table| best_speedups(table), compared_speedups, size),
        answers.items(View::Technology, "node-speedup", node_line, compared_nodes, size),
    ];
    figures.into_iter().flatten().collect()
}

/// The compared questions, and the way to their answers.
struct Answers<'a> {
    asked: Vec<(Asked, &'a Scenario)>,
    search: &'a dyn Fn(&Scenario) -> Searched,
}

impl Answers<'_> {
    /// The values that are read from this figure of each answer; without answers that lack them.
    fn read<T>(
        &self,
        view: View,
        figure: &str,
        read: &mut dyn FnMut(&Scenario, &Table) -> Vec<T>,
    ) -> Vec<Compared<Vec<T>>> {
        sides(&self.asked, view, |question| {
            let answer = (self.search)(question)?;
            let table = answer.part(figure).and_then(|part| part.table());
            let values = table.map_or_else(Vec::new, |table| read(question, table));
            if values.is_empty() { Err(Vec::<Problem>::new()) } else { Ok(values) }
        })
    }

    /// Pareto fronts of fleets, or of training runs. Costs of different quantities do not share an axis.
    fn costs(&self, id: &'static str, against: Against, size: Size) -> Option<Figure> {
        let (mut measure, mut left_out) = (None, "");
        let sides = self.read(View::Sizing, against.id(), &mut |_, table| {
            let Some((of, front)) = cost_front(table, against).filter(|(_, front)| !front.is_empty()) else {
                return Vec::new();
            };
            if *measure.get_or_insert_with(|| of.clone()) == of {
                return front;
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
            CurveAxis { title: &measure?, unit: Unit::None },
        );
        Some(compared_curves((id, against.title()), axes, &sides, (finding, &assumption), size))
    }

    /// Step time of the best plans against the number of GPUs.
    fn scaling(&self, size: Size) -> Option<Figure> {
        let assumption = "Each number of GPUs has its best plan, at the question's global batch";
        let heading = ("compared-scaling", "Step time of the best plan against GPUs");
        let axis = CurveAxis { title: "GPUs", unit: Unit::Count };
        self.steps(("scaling", heading), (axis, scaling_curve), assumption, size)
    }

    /// Step time against memory of the plans on each search's Pareto front.
    fn plans(&self, size: Size) -> Option<Figure> {
        let assumption = "Each question's Pareto front: no other plan is both faster and smaller";
        let heading = ("compared-plans", "Step time against memory of the best plans");
        let axis = CurveAxis { title: "Memory of the fullest GPU (GiB)", unit: Unit::None };
        self.steps(("plans", heading), (axis, plans_front), assumption, size)
    }

    /// Curves of step time over what such a figure of a search has on its horizontal axis.
    fn steps(
        &self,
        (figure, heading): (&str, (&'static str, &str)),
        (axis, curve): (CurveAxis<'_>, fn(&Table) -> Vec<CurvePoint>),
        assumption: &str,
        size: Size,
    ) -> Option<Figure> {
        let sides = self.read(View::Search, figure, &mut |_, table| curve(table));
        let finding = best(&sides, |a, b| a.1 < b.1).map(|(name, point)| {
            let step = format::time(Seconds::new(point.at.1));
            format!("The shortest step is {step}, of {name} with {}.", point.what)
        });
        let axes = (axis, CurveAxis { title: "Step time", unit: Unit::Seconds });
        Some(compared_curves(heading, axes, &sides, (finding?, assumption), size))
    }

    /// Values by accelerator or by node.
    fn items(
        &self,
        view: View,
        figure: &str,
        mut read: fn(&Scenario, &Table) -> Vec<ItemValue>,
        chart: fn(&[Compared<Vec<ItemValue>>], Size) -> Figure,
        size: Size,
    ) -> Option<Figure> {
        let sides = self.read(view, figure, &mut read);
        (!sides.is_empty()).then(|| chart(&sides, size))
    }
}

/// The line of the question's own memory.
fn node_line(question: &Scenario, table: &Table) -> Vec<ItemValue> {
    let technologies = question.technologies().ok();
    let stack = technologies.as_ref().and_then(|known| known.stack(&question.technology.memory));
    stack.map_or_else(Vec::new, |stack| node_times(table, &stack.name()))
}
