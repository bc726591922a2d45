//! A measurement: the scenario fields that a file gives, and the measured values.

use super::{Format, Kind, LeftOut, Reading, Spent, Statistic};
use crate::catalog::{self, Accelerator};
use crate::estimate::Course;
use crate::scenario::fields::{self, Field};
use crate::scenario::{Facts, Given, Phases, Scenario, View, names};
use crate::units::Bytes;

/// One point of a benchmark, or one run of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The software that wrote it.
    pub format: Format,
    /// The view that predicts its quantities: Training or Inference.
    pub view: View,
    /// Scenario fields that the file gives, each once.
    pub facts: Facts,
    /// Measured values, each kind and statistic once.
    pub readings: Vec<Reading>,
    /// Time by activity, from a profile: each activity at most once, in the order of [`Activity`](crate::estimate::Activity).
    pub spent: Vec<Spent>,
    /// Hidden communication (overlapped by compute kernels), s. It is not part of [`Self::spent`].
    pub hidden: Option<f64>,
    /// Time of a training step by phase, from a log.
    pub phases: Phases,
    /// Utilisation over one training step, from a profile.
    pub course: Option<Course>,
    /// Number of steps, requests or kernels that the readings summarise, if the file tells it.
    pub used: Option<u32>,
    /// Rows that the readings leave out, and why.
    pub left_out: Vec<LeftOut>,
    /// Cautions for the comparison, as sentences without a full stop.
    pub remarks: Vec<String>,
}

/// Fields that a prediction of the training step needs.
const TRAINED: [&str; 10] = [
    "model",
    "system.accelerator",
    "system.gpus",
    "parallelism.tensor",
    "parallelism.pipeline",
    "parallelism.microbatch",
    "recipe.batch",
    "recipe.sequence",
    "recipe.precision",
    "recipe.framework",
];

/// Fields that a prediction of the served load needs, besides one of [`Facts::LOAD`].
const SERVED: [&str; 8] = [
    "model",
    "system.accelerator",
    "inference.tensor",
    "inference.workers",
    "inference.precision",
    "inference.input",
    "inference.output",
    "inference.engine",
];

/// Start of the remark on a model that the catalogue lacks.
pub(super) const LACKS_MODEL: &str = "It names the model";

impl Measurement {
    pub(super) fn new(format: Format) -> Self {
        let mut measurement = Self {
            format,
            view: format.view(),
            spent: Vec::new(),
            hidden: None,
            phases: Phases::default(),
            course: None,
            facts: Facts::default(),
            readings: Vec::new(),
            used: None,
            left_out: Vec::new(),
            remarks: Vec::new(),
        };
        if let Some(software) = format.software() {
            let path = match format.view() {
                View::Training => "recipe.framework",
                _ => "inference.engine",
            };
            measurement.text(path, software);
        }
        measurement
    }

    /// Sets a scenario field to a finite number; a field that is given twice keeps its last value.
    pub(super) fn number(&mut self, path: &'static str, value: impl Into<Option<f64>>) {
        self.facts.number(path, value);
    }

    /// Sets a scenario field to a whole number below 2^32; ignores other numbers.
    pub(super) fn whole(&mut self, path: &'static str, value: impl Into<Option<f64>>) {
        self.facts.whole(path, value);
    }

    /// Sets a scenario field to the name of a variant or of a catalogue entry.
    pub(super) fn text(&mut self, path: &'static str, name: &str) {
        self.facts.text(path, name);
    }

    /// Sets the model if the catalogue has it; otherwise remarks that it is missing.
    pub(super) fn model(&mut self, name: &str) {
        match names::model(name) {
            Some(id) => self.text("model", id),
            None if name.is_empty() => {}
            None => self.remark(format!(
                "{LACKS_MODEL} {}, which the catalogue lacks: choose it, or open its config.json",
                names::shown(name)
            )),
        }
    }

    /// Sets the device if the catalogue has it; otherwise remarks that it is missing.
    pub(super) fn device(&mut self, name: &str) {
        self.device_as("system.accelerator", name);
    }

    /// Sets the device of a field, like [`Self::device`].
    pub(super) fn device_as(&mut self, path: &'static str, name: &str) {
        match names::device(name) {
            Some(id) => self.text(path, id),
            None if name.is_empty() => {}
            None => self.remark(format!(
                "It names the device {}, which the catalogue lacks: choose one",
                names::shown(name)
            )),
        }
    }

    /// Of devices that differ in their memory alone, such as `a100-sxm-40gb` and `a100-sxm-80gb`, sets the one that is nearest
    /// to a capacity in bytes.
    pub(super) fn variant(&mut self, memory: Option<f64>) {
        let named = match self.fact_of("system.accelerator") {
            Some(Given::Text(id)) => id.clone(),
            _ => return,
        };
        let Some(memory) = memory.filter(|memory| *memory > 0.0) else { return };
        let off =
            |device: &Accelerator| libm::log(device.dram.capacity_gib / Bytes::new(memory).to_gib()).abs();
        let listed = catalog::catalog().accelerators.iter();
        let alike = listed.filter(|device| without_size(&device.id) == without_size(&named));
        if let Some(nearest) = alike.min_by(|a, b| off(a).total_cmp(&off(b))) {
            self.text("system.accelerator", &nearest.id);
        }
    }

    /// Sets the number format of weights and matrix operands.
    pub(super) fn precision(&mut self, name: &str) {
        let path = match self.view {
            View::Training => "recipe.precision",
            _ => "inference.precision",
        };
        match names::precision(name) {
            Some(word) => self.text(path, word),
            None if name.is_empty() => {}
            None => self
                .remark(format!("It names the number format {}, which the model lacks", names::shown(name))),
        }
    }

    /// Records a measured value, in the base unit of its kind; ignores values that are not finite and positive, with a caution
    /// if one is negative.
    pub(super) fn reading(&mut self, kind: Kind, statistic: Statistic, value: impl Into<Option<f64>>) {
        let value = value.into();
        if value.is_some_and(|value| value < 0.0) {
            self.remark(format!("Its {} of {} is negative and left out", statistic.name(), kind.label()));
        }
        if let Some(value) = value.filter(|value| value.is_finite() && *value > 0.0) {
            self.readings.retain(|known| (known.kind, known.statistic) != (kind, statistic));
            self.readings.push(Reading { kind, statistic, value });
        }
    }

    /// Cautions that a draft proposed tokens, of which this many were accepted per step if the file says so.
    pub(super) fn drafted(&mut self, length: Option<f64>) {
        let accepted = length.map_or_else(
            || "was on".to_owned(),
            |length| format!("accepts {} tokens per step", libm::round(length * 100.0) / 100.0),
        );
        self.remark(format!("Speculative decoding {accepted}: set the draft model that was used"));
    }

    /// Adds a caution, once.
    pub(super) fn remark(&mut self, remark: impl Into<String>) {
        let remark = remark.into();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Records rows that the readings leave out.
    pub(super) fn leave_out(&mut self, rows: usize, why: &'static str) {
        if rows > 0 {
            self.left_out.push(LeftOut { rows: u32::try_from(rows).unwrap_or(u32::MAX), why });
        }
    }

    /// The value of a field that the file gives.
    pub fn fact_of(&self, path: &str) -> Option<&Given> {
        self.facts.get(path)
    }

    /// The number of a field that the file gives.
    pub fn number_of(&self, path: &str) -> Option<f64> {
        self.facts.number_of(path)
    }

    /// The reading of a kind to compare with the prediction: the mean, else the median, else that of the whole run.
    pub fn best(&self, kind: Kind) -> Option<Reading> {
        [Statistic::Mean, Statistic::Median, Statistic::Whole].into_iter().find_map(|statistic| {
            self.readings
                .iter()
                .find(|reading| (reading.kind, reading.statistic) == (kind, statistic))
                .copied()
        })
    }

    /// The value of a kind and statistic, in the base unit of the kind.
    pub fn value(&self, kind: Kind, statistic: Statistic) -> Option<f64> {
        let of = |reading: &&Reading| (reading.kind, reading.statistic) == (kind, statistic);
        self.readings.iter().find(of).map(|reading| reading.value)
    }

    /// Document paths that a prediction needs and the file does not give.
    pub fn silent(&self) -> Vec<&'static str> {
        let absent = |path: &&&str| self.fact_of(path).is_none();
        if self.view == View::Training {
            return TRAINED.iter().filter(absent).copied().collect();
        }
        let mut silent: Vec<&str> = SERVED.iter().filter(absent).copied().collect();
        if Facts::LOAD.iter().all(|path| self.fact_of(path).is_none()) {
            silent.push("inference.concurrency");
        }
        silent
    }

    /// Names of the settings that a prediction needs and the file does not give.
    pub fn missing(&self) -> Vec<String> {
        let name = |path: &str| fields::field(path).map_or_else(|| path.to_owned(), Field::name);
        self.silent().into_iter().map(name).collect()
    }

    /// The scenario with the fields that the file gives in place of its own. Degrees of tensor,
    /// pipeline and context parallelism that the file leaves out are 1 if the product of all does not divide the GPUs.
    pub fn applied_to(&self, scenario: &Scenario) -> Scenario {
        let mut scenario = Scenario { view: self.view, ..scenario.clone() };
        self.facts.apply(&mut scenario);
        let plan = &mut scenario.parallelism;
        if !scenario.system.gpus.is_multiple_of(plan.replica().max(1)) {
            let stated = |path| self.fact_of(path).is_some();
            if !stated("parallelism.tensor") {
                (plan.tensor, plan.sequence_parallel) = (1, false);
            }
            if !stated("parallelism.pipeline") {
                (plan.pipeline, plan.interleave) = (1, 1);
            }
            if !stated("parallelism.context") {
                plan.context = 1;
            }
        }
        scenario
    }
}

/// A device's id without its capacity: `a100-sxm` of `a100-sxm-80gb`.
fn without_size(id: &str) -> &str {
    let size = |end: &str| end.strip_suffix("gb").is_some_and(|digits| digits.parse::<u32>().is_ok());
    id.rsplit_once('-').filter(|(_, end)| size(end)).map_or(id, |(name, _)| name)
}
