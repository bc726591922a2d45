//! The authors' whole study in one result: two models, three strategies, nine systems, 4 to 16,384 GPUs.

use super::authors_code::CODE;
use super::days;
use crate::papers::{
    Bar, Bars, Begin, Chart, Computing, Data, Entry, Found, Line, Look, Point, Printed, Quantity, Question,
    Share,
};
use crate::published::exhibit_named;
use crate::published::subramanian::{Counts, Device, Method, Run, Setup, Study, StudyPoint};
use crate::scenario::{PaperChoice, Scenario, View, link};
use crate::units::format;

pub(super) static ENTRIES: [Entry; 1] =
    [Entry { id: "study", inferred: days::ASSUMED, begin: Begin::Steps(|| Box::new(Whole(Study::whole()))) }];

/// Number of plans in the study by the authors' code: those that fit into memory, and all.
const PLANS: [f64; 2] = [2_443_160.0, 9_183_444.0];

/// Training runs, with the model's name in ids of figures and results.
const MODELS: [(Run, &str); 2] = [(Run::LLM, "gpt3"), (Run::VIT, "vit")];

const FASTEST: &str = "Each point is the fastest of all plans that fit into memory";

#[derive(Debug)]
struct Whole(Study);

impl Computing for Whole {
    fn progress(&self) -> (u32, u32) {
        self.0.progress()
    }

    fn advance(&mut self) {
        self.0.advance();
    }

    fn found(&self) -> Found {
        let fastest = MODELS.map(|(run, model)| self.fastest(format!("study-{model}"), run));
        let mut found = Found { charts: fastest.into(), ..Found::default() };
        found.charts.push(self.plans());
        for (run, model) in MODELS {
            for device in Device::ALL {
                let device_id = device.name().to_lowercase();
                found.charts.push(self.device(format!("study-{model}-{device_id}"), run, device));
                found.questions.extend(to(&format!("days-{model}-{device_id}")));
            }
        }
        found
    }
}

impl Whole {
    /// Chart of the fastest strategy of each system.
    fn fastest(&self, id: String, run: Run) -> Chart {
        let line = |(place, setup): (usize, Setup)| Line {
            name: setup.name(),
            look: look(place / Setup::DOMAINS.len(), place % Setup::DOMAINS.len()),
            points: Study::COUNTS.map(|gpus| self.best(run, setup, gpus)).into(),
        };
        let lines: Vec<Line> = Setup::ALL.into_iter().enumerate().map(line).collect();
        let shortest = lines
            .iter()
            .filter_map(|line| Some((line, line.points.last()?)))
            .filter_map(|(line, point)| Some((line.name.as_str(), point.x, point.ours?)))
            .min_by(|a, b| a.2.total_cmp(&b.2));
        let finding = shortest.map_or_else(String::new, |(system, gpus, days)| {
            format!(
                "On {} GPUs, {system} trains {} fastest: {} days.",
                format::grouped(gpus),
                run.name,
                format::digits(days)
            )
        });
        let title = format!("Days to train {} on nine systems, fastest strategy", run.name);
        Chart { finding, assumptions: vec![FASTEST.to_owned()], ..days::chart(id, title, lines) }
    }

    /// The fastest strategy of one system at one number of GPUs, beside the published value of the same strategy.
    fn best(&self, run: Run, setup: Setup, gpus: u32) -> Point {
        let fits = Method::ALL.into_iter().filter_map(|method| {
            let of = days::value(&self.0, &StudyPoint { run, method, setup, gpus });
            Some((of.ours?, method, of))
        });
        match fits.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, method, of)) => Point { what: format!("{}, {}", method.name(), of.what), ..of },
            None => Point { x: f64::from(gpus), ..Point::default() },
        }
    }

    /// Chart of all strategies and domain sizes of one device.
    fn device(&self, id: String, run: Run, device: Device) -> Chart {
        let mut lines = Vec::new();
        for method in Method::ALL {
            for (place, domain) in Setup::DOMAINS.into_iter().enumerate() {
                let setup = Setup { device, domain };
                lines.push(days::line(&self.0, (run, setup, method), look(method as usize, place)));
            }
        }
        let fits = lines.iter().flat_map(|line| &line.points).filter(|point| point.ours.is_some()).count();
        let all = lines.len() * Study::COUNTS.len();
        let title = format!("Days to train {} on {}", run.name, device.name());
        Chart {
            finding: format!("A plan fits at {fits} of {all} points."),
            assumptions: vec![FASTEST.to_owned()],
            ..days::chart(id, title, lines)
        }
    }

    /// Chart of the number of plans searched, and of those that fit into memory.
    fn plans(&self) -> Chart {
        let counted = |run: Option<Run>, method: Option<Method>| {
            let of = self.0.found().filter(|(point, _)| {
                run.is_none_or(|run| run == point.run) && method.is_none_or(|method| method == point.method)
            });
            of.map(|(_, best)| best.counts).fold((0, 0), |(fit, all), Counts { candidates, feasible }| {
                (fit + feasible, all + candidates)
            })
        };
        let bar = |name: String, (fit, all): (u64, u64), published: Option<[f64; 2]>| {
            let [fit, all] = [fit as f64, all as f64];
            let printed = |value: f64| Printed::new(value, 0);
            Bar {
                name,
                whole: Share::beside(all, published.map(|[_, all]| printed(all))),
                parts: vec![
                    Share::beside(fit, published.map(|[fit, _]| printed(fit))),
                    Share::beside(all - fit, published.map(|[fit, all]| printed(all - fit))),
                ],
                ..Bar::default()
            }
        };
        let mut rows = vec![bar("All".to_owned(), counted(None, None), Some(PLANS))];
        for run in Study::RUNS {
            for method in Method::ALL {
                let name = format!("{}, {}", run.name, method.name());
                rows.push(bar(name, counted(Some(run), Some(method)), None));
            }
        }
        let (fit, all) = counted(None, None);
        let (fit, all) = (format::grouped(fit as f64), format::grouped(all as f64));
        Chart {
            id: "study-plans".into(),
            title: "Plans of the whole study".to_owned(),
            finding: format!("{all} plans were searched; {fit} of them fit into memory."),
            source: CODE,
            data: Data::Bars(Bars {
                quantity: Quantity { name: "Plans", unit: "", logarithmic: false },
                parts: vec!["fit into memory", "do not fit"],
                rows,
            }),
            assumptions: vec![
                "A plan is a choice of parallelism degrees, microbatch, placement in scale-up domains and SUMMA panels"
                    .to_owned(),
            ],
        }
    }
}

fn look(colour: usize, dash: usize) -> Look {
    Look { colour: colour as u8, dash: dash as u8 }
}

/// Link to the result of one model on one device.
fn to(page: &str) -> Option<Question> {
    let papers = PaperChoice { result: page.to_owned() };
    let there = Scenario { view: View::Papers, papers, ..Scenario::default() };
    Some(Question { text: exhibit_named(page)?.name.to_owned(), link: link::encode(&there) })
}
