//! Features of the question's own system, each at its best plan on the equations of arXiv 2410.00273.

use super::features::back;
use crate::catalog::Accelerator;
use crate::figure::{self, Cell, Column, Size, Table};
use crate::published::subramanian::{Changed, Feature, Job, Machine, Map, Planned};
use crate::scenario::{Choice, Scenario, View, link};
use crate::units::{Amount, Bytes, format};
use crate::view::{Answer, Card, News, Question, Work};

/// The maps of one question.
#[derive(Debug)]
pub(super) struct Sweeps {
    scenario: Scenario,
    base: Machine,
    maps: Vec<Map>,
}

impl Sweeps {
    /// Maps of which nothing is computed yet.
    pub(super) fn new(scenario: &Scenario, base: Machine, job: &Job) -> Self {
        let maps = Feature::ALL.into_iter().map(|feature| Map::fine(feature, job.clone())).collect();
        Self { scenario: scenario.clone(), base, maps }
    }

    /// Returns true if these are the maps of a question.
    pub(super) fn of(&self, scenario: &Scenario) -> bool {
        self.scenario == *scenario
    }

    /// Computes a part; each whole map is shown.
    pub(super) fn step(&mut self, question: &Question) -> Work {
        let count = |maps: &[Map]| {
            let parts = maps.iter().map(Map::parts);
            parts.fold((0, 0), |(all, done), (of, computed)| (all + of as u32, done + computed as u32))
        };
        let Some(map) = self.maps.iter_mut().find(|map| !map.done()) else {
            return Work::Done(News::Whole(self.answer(question.size)));
        };
        map.advance(&self.base);
        let whole = map.done();
        let (all, done) = count(&self.maps);
        if done >= all {
            return Work::Done(News::Whole(self.answer(question.size)));
        }
        if whole {
            Work::Partial(done, all, News::Whole(self.answer(question.size)))
        } else {
            Work::Progress(done, all)
        }
    }

    fn answer(&self, size: Size) -> Answer {
        let maps = || self.maps.iter().filter(|map| map.done());
        let figures = maps().map(|map| {
            let plan = |row, column| {
                let planned = map.planned(row, column)?;
                let changed = map.feature.changed(map.rows[row], map.columns[column]);
                Some((planned.plan.name(), self.opened(&changed, planned)))
            };
            let figure = figure::sweep(map, size, &plan);
            figure::Figure { table: self.table(map), ..figure }.into()
        });
        Answer {
            cards: maps().map(card).collect(),
            parts: [back(&self.scenario).into()].into_iter().chain(figures).collect(),
            ..Answer::default()
        }
    }

    /// Every point with its best plan.
    fn table(&self, map: &Map) -> Table {
        let [first, second] = match map.feature {
            Feature::Dram => [Column::of("DRAM capacity", "GB"), Column::of("DRAM bandwidth", "GB/s")],
            Feature::Rate => [Column::of("DRAM capacity", "GB"), Column::of("Matrix rate", "TFLOP/s")],
            Feature::Domain => [Column::new("GPUs per domain"), Column::new("GPUs")],
        };
        let mut table = Table::under([
            first,
            second,
            Column::of("Training", "days"),
            Column::new("Best plan"),
            Column::of("Step", "s"),
            Column::of("Memory", "GB"),
        ]);
        for (row, low) in map.rows.iter().enumerate() {
            for (column, high) in map.columns.iter().enumerate() {
                let value = |value: f64| Cell::number(value, format::digits(value));
                let planned = map.planned(row, column);
                let known = |cell: Option<Cell>| cell.unwrap_or_else(Cell::none);
                let changed = map.feature.changed(*low, *high);
                table.push([
                    value(*low),
                    value(*high),
                    known(map.at(row, column).map(value)),
                    known(planned.map(|planned| {
                        Cell::text(planned.plan.name()).opening(self.opened(&changed, planned))
                    })),
                    known(planned.map(|planned| Cell::amount(Amount::time(planned.step.time)))),
                    known(planned.map(|planned| value(planned.step.memory.total().get() * 1e-9))),
                ]);
            }
        }
        table
    }

    /// The Training question of a point, as a link.
    fn opened(&self, changed: &Changed, planned: &Planned) -> String {
        let mut scenario =
            Scenario { view: View::Training, parallelism: planned.plan.as_plan(), ..self.scenario.clone() };
        let system = &mut scenario.system;
        system.gpus = changed.gpus.unwrap_or(system.gpus);
        system.scale_up_domain = changed.domain.or(system.scale_up_domain);
        let gib = changed.capacity_gb.map(|gb| Bytes::new(gb * 1e9).to_gib());
        system.dram_gib = gib.or(system.dram_gib);
        system.dram_gb_s = changed.dram_gb_s.or(system.dram_gb_s);
        if let (Some((matrix, vector)), Ok(mut device)) =
            (changed.rates_tflops, self.scenario.system.accelerator())
        {
            let Accelerator { matrix_tflops, vector16_tflops, .. } = &mut device;
            (matrix_tflops.bf16, matrix_tflops.fp16) = (Some(matrix), Some(matrix));
            *vector16_tflops = Some(vector);
            system.accelerator = Choice::Explicit(Box::new(device));
        }
        link::encode(&scenario)
    }
}

/// Card of the gain of the job from a feature.
fn card(map: &Map) -> Card {
    let (id, what) = match map.feature {
        Feature::Dram => ("sweep-dram", "DRAM"),
        Feature::Rate => ("sweep-rate", "arithmetic"),
        Feature::Domain => ("sweep-domain", "GPUs and domain"),
    };
    super::features::gain(id, format!("{}: {what}", map.job.name), map)
}
