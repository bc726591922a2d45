//! The rows of the Validation view's file, with their predictions.
//!
//! Each row has the link of its question, so that the page can predict it again under changed assumptions. Rows of
//! single kernels and mean rates over several runs have no link; the file contains their predictions.

mod read;

use super::Quantity;
use std::collections::BTreeMap;

use super::case::{COMPUTED, Question, Tier};
use super::predicted::Replaced;
use super::source::source_name;
use crate::catalog;
use crate::scenario::{Scenario, Topic, Trait};
use crate::system::AssumptionSet;
use crate::system::calibration::calibration_for;

pub use read::{read, read_of};

/// One measured quantity of a published row.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Id of the row in the collection of measurements.
    pub id: String,
    /// Publication: title, place, revision.
    pub origin: String,
    /// Model as published; for a kernel, its kind.
    pub model: String,
    /// Completeness of the description.
    pub tier: Tier,
    /// The measured quantity.
    pub quantity: Quantity,
    /// Published value, in the quantity's unit.
    pub measured: f64,
    /// True if a constant was fitted on this row.
    pub used_in_fit: bool,
    /// The question as a link; empty for a kernel and for a mean over several runs.
    pub link: String,
    /// Name and prediction of another estimator, if known.
    pub peer: Option<(String, f64)>,
    /// Values of the traits by which rows are grouped, in the order of [`Trait::ALL`].
    traits: [String; Trait::ALL.len()],
    question: Ask,
}

/// The source of a point's prediction.
#[derive(Clone, Debug, PartialEq)]
enum Ask {
    /// A scenario, which the model predicts.
    Scenario(Box<Scenario>),
    /// A prediction from the file, for single kernels and means over several runs.
    Given(f64),
}

/// Prediction of a [`Point`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Predicted value, in the unit of the point's quantity.
    own: f64,
    /// For a rate, the equivalent time; otherwise equal to `own`.
    time: f64,
}

/// Assumptions and constants under which points are predicted.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Terms {
    assumptions: AssumptionSet,
    constants: BTreeMap<String, f64>,
    /// Measured device to which the replaced constants belong. They apply to every device that uses its constants.
    of: Option<&'static str>,
}

impl Terms {
    /// The assumptions and replaced constants of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let of = if scenario.constants.is_empty() { None } else { measured(scenario) };
        Self { assumptions: scenario.assumptions, constants: scenario.constants.clone(), of }
    }
}

/// The measured device whose constants a scenario's device uses.
fn measured(scenario: &Scenario) -> Option<&'static str> {
    let device = scenario.system.accelerator().ok()?;
    Some(calibration_for(&device)?.device.as_str())
}

/// A prediction with its measurement, in the unit of a [`Topic`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Predicted value.
    pub predicted: f64,
    /// Published value. Under a topic of times, a rate is converted to the equivalent time.
    pub measured: f64,
}

impl Pair {
    /// Relative error: predicted / measured − 1.
    pub fn error(self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

/// Name of the value of a trait. Files and links have the ids of sources and of the catalogue's devices.
pub fn trait_name(by: Trait, value: &str) -> &str {
    match by {
        Trait::Source => source_name(value),
        Trait::Device => catalog::accelerator(value).map_or(value, |device| &device.name),
        _ => value,
    }
}

impl Ask {
    /// Device generation and bits of matrix operands, the traits by which error bands group rows.
    fn hardware(&self, device: &str) -> (String, String) {
        let generation = |id: &str| catalog::accelerator(id).map(|device| device.architecture.clone());
        let Self::Scenario(scenario) = self else {
            return (generation(device).unwrap_or_default(), String::new());
        };
        let accelerator = scenario.system.accelerator();
        let bits = scenario.precision().operand_bits();
        (accelerator.map(|device| device.architecture).unwrap_or_default(), bits.to_string())
    }
}

impl Point {
    /// Value of a trait of the row.
    pub fn of(&self, by: Trait) -> &str {
        let position = Trait::ALL.iter().position(|other| *other == by).unwrap_or_default();
        &self.traits[position]
    }

    /// Name of a trait's value, as people write it.
    pub fn name(&self, by: Trait) -> &str {
        trait_name(by, self.of(by))
    }

    /// Name of the source, and where in it the row is.
    pub fn citation(&self) -> String {
        format!("{}: {}", self.name(Trait::Source), self.origin)
    }

    /// The link of the row's question with the published value as its measurement; empty if the row has no question.
    pub fn opened(&self) -> String {
        let gpus = self.scenario().map_or(1.0, |scenario| f64::from(scenario.system.gpus));
        let (key, value) = match self.quantity {
            Quantity::IterTime => ("step", self.measured),
            Quantity::TokensPerSecondPerGpu => ("tokens", self.measured),
            Quantity::TokensPerSecond => ("tokens", self.measured / gpus),
            Quantity::Ttft => ("ttft", self.measured),
            Quantity::Tpot => ("tpot", self.measured),
            Quantity::RequestLatency => ("latency", self.measured),
            Quantity::OutputTokensPerSecond => ("output", self.measured),
            _ => return self.link.clone(),
        };
        // The output of another program is no measurement.
        if self.link.is_empty() || self.is_computed() {
            return self.link.clone();
        }
        format!("{}&measured.{key}={value}", self.link)
    }

    /// Returns true if the row is the output of another program instead of a measurement.
    pub fn is_computed(&self) -> bool {
        self.of(Trait::Source) == COMPUTED
    }

    /// The question of the row; `None` for a kernel and for a mean over several runs.
    pub fn scenario(&self) -> Option<&Scenario> {
        match &self.question {
            Ask::Scenario(scenario) => Some(scenario),
            Ask::Given(_) => None,
        }
    }

    /// Returns true if the row's quantity belongs to a topic.
    pub fn is_about(&self, topic: Topic) -> bool {
        let time = match &self.question {
            Ask::Scenario(_) => self.quantity.as_time(),
            // A mean rate over several runs is no time of one of them.
            Ask::Given(_) => self.quantity,
        };
        match topic {
            Topic::Throughput => self.quantity.is_rate(),
            Topic::Kernel => self.quantity == Quantity::Latency,
            Topic::Step => time == Quantity::IterTime,
            Topic::Memory => self.quantity == Quantity::PeakMemory,
            Topic::Ttft => time == Quantity::Ttft,
            Topic::Tpot => self.quantity == Quantity::Tpot,
            Topic::Request => time == Quantity::RequestLatency,
        }
    }

    /// Predicts the row under the given assumptions and constants; `None` if the model cannot predict it.
    pub fn predict(&self, terms: &Terms) -> Option<Prediction> {
        let scenario = match &self.question {
            Ask::Given(value) => return Some(Prediction { own: *value, time: *value }),
            Ask::Scenario(scenario) => {
                let mut scenario = scenario.as_ref().clone();
                scenario.assumptions = terms.assumptions;
                if terms.of.is_some() && terms.of == measured(&scenario) {
                    scenario.constants.clone_from(&terms.constants);
                }
                scenario
            }
        };
        let answer = Question::Scenario(Box::new(scenario)).answer(&Replaced::default());
        let answer = answer.ok()?;
        Some(Prediction { own: self.quantity.of(&answer)?, time: self.quantity.as_time().of(&answer)? })
    }

    /// The prediction with the measured value, in the unit of a topic to which the row belongs.
    pub fn pair(&self, prediction: Prediction, topic: Topic) -> Pair {
        let Prediction { own, time } = prediction;
        if topic == Topic::Throughput || !self.quantity.is_rate() {
            Pair { predicted: own, measured: self.measured }
        } else {
            Pair { predicted: time, measured: time * (own / self.measured) }
        }
    }

    /// The other estimator's prediction with the measured value.
    pub fn peer_pair(&self) -> Option<Pair> {
        self.peer.as_ref().map(|(_, predicted)| Pair { predicted: *predicted, measured: self.measured })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    const HEADER: &str = "id,source,origin,device,model,family,precision,tier,quantity,measured,used_in_fit,\
                          link,peer,peer_predicted,predicted\n";

    pub(super) fn one(row: &str) -> Result<Point, String> {
        read(&format!("{HEADER}{row}\n")).map(|mut points| points.remove(0))
    }

    #[test]
    fn a_row_asks_the_model() {
        let point = one(
            "r1,lab,\"A paper, 2024\",h100-sxm,Llama 3.1 70B,dense,BF16,A,iter_time_s,20,false,v=1,Peer,18,",
        )
        .expect("a row");
        assert_eq!((point.of(Trait::Generation), point.of(Trait::Bits)), ("Hopper", "16"));
        assert!(point.is_about(Topic::Step) && !point.is_about(Topic::Throughput));
        let prediction = point.predict(&Terms::default()).expect("a prediction");
        let step = Scenario::default().training().expect("a step").step.get();
        assert_eq!(point.pair(prediction, Topic::Step), Pair { predicted: step, measured: 20.0 });
        let ideal = Terms { assumptions: AssumptionSet::Ideal, ..Terms::default() };
        assert!(point.predict(&ideal).expect("a bound").own < step);
        assert!((point.peer_pair().expect("a peer").error() + 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_row_opens_with_its_measurement() {
        let row = |quantity: &str| {
            one(&format!("r1,lab,x,h100-sxm,m,dense,BF16,A,{quantity},20,false,v=1,,,")).expect("a row")
        };
        assert_eq!(row("iter_time_s").opened(), "v=1&measured.step=20");
        assert_eq!(row("peak_mem_gib").opened(), "v=1");
        let opened = link::decode(&row("tokens_per_s").opened());
        let gpus = f64::from(Scenario::default().system.gpus);
        assert!(opened.problems.is_empty() && opened.scenario.measured.tokens_per_gpu == Some(20.0 / gpus));
    }

    #[test]
    fn edited_constants_count_for_devices_that_use_them() {
        let edited = link::decode("v=1&constants.matmul.bf16.compute_efficiency=0.4").scenario;
        let predict = |gpu: &str| {
            let row = format!("r,l,x,{gpu},m,dense,BF16,A,iter_time_s,20,false,v=1&gpu={gpu},,,");
            let point = one(&row).expect("a row");
            [Terms::default(), Terms::of(&edited)]
                .map(|terms| point.predict(&terms).expect("a prediction").own)
        };
        let [plain, slower] = predict("h100-sxm");
        assert!(slower > plain);
        let [plain, same] = predict("b200");
        assert_eq!(plain.to_bits(), same.to_bits());
    }

    #[test]
    fn a_rate_is_a_time_too() {
        let point = one("r1,lab,x,h100-sxm,m,dense,BF16,A,tokens_per_s,100000,false,v=1,,,").expect("a row");
        let prediction = point.predict(&Terms::default()).expect("a prediction");
        let (rate, time) = (point.pair(prediction, Topic::Throughput), point.pair(prediction, Topic::Step));
        assert!(((1.0 + rate.error()) * (1.0 + time.error()) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_kernel_brings_its_prediction() {
        let point = one("k1,lab,x,b200,gemm,kernel,FP8,A,latency_us,10,true,,,,11").expect("a row");
        assert_eq!((point.of(Trait::Generation), point.used_in_fit), ("Blackwell", true));
        let pair = point.pair(point.predict(&Terms::default()).expect("given"), Topic::Kernel);
        assert!((pair.error() - 0.1).abs() < 1e-12);
    }
}
