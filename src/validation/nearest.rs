//! Finds the published rows nearest to a question.
//!
//! The distance between two questions is a weighted sum of their differences; a model with twice the parameters is at
//! distance 1. The weights are chosen, not fitted: they rank rows as a reader in search of a similar run would.

use super::Family;
use super::points::Point;
use crate::order;
use crate::scenario::{Scenario, View};

/// Distance per doubling of the model's parameters.
const PARAMETERS: f64 = 1.0;
/// Distance between a dense model and a mixture of experts.
const FAMILY: f64 = 2.0;
/// Distance between two devices of the same generation.
const DEVICE: f64 = 1.0;
/// Distance between devices of different generations.
const GENERATION: f64 = 2.0;
/// Distance between two versions of the same software.
const VERSION: f64 = 0.5;
/// Distance between different software.
const SOFTWARE: f64 = 1.0;
/// Distance between different widths of matrix operands.
const BITS: f64 = 1.0;
/// Distance per doubling of the number of GPUs.
const GPUS: f64 = 0.5;
/// Distance per doubling of the tokens (sequence, or prompt and output), and per doubling of the load (batch,
/// concurrent requests or request rate).
const LOAD: f64 = 0.25;

/// The properties of a question that the distance compares.
#[derive(Clone, Debug)]
struct Features {
    parameters: f64,
    family: Family,
    device: String,
    generation: String,
    software: &'static str,
    version: &'static str,
    bits: u32,
    gpus: f64,
    tokens: f64,
    load: f64,
}

impl Features {
    fn of(scenario: &Scenario) -> Option<Self> {
        let model = scenario.architecture().ok()?;
        let device = scenario.system.accelerator().ok()?;
        let (load, recipe) = (&scenario.inference, &scenario.recipe);
        let serving = scenario.view == View::Inference;
        let (tokens, together) = if serving {
            let batch = if load.concurrency > 0 { load.concurrency } else { load.batch };
            // At a request rate, the number of concurrent requests is an output of the model, so the rate is compared.
            let together = if load.rate > 0.0 { load.rate } else { f64::from(batch) };
            (f64::from(load.input) + f64::from(load.output), together)
        } else {
            (f64::from(recipe.sequence), f64::from(recipe.batch))
        };
        Some(Self {
            parameters: model.parameters().total as f64,
            family: Family::of(model),
            device: device.id,
            generation: device.architecture,
            software: scenario.software(),
            version: if serving { load.engine.name() } else { recipe.framework.name() },
            bits: scenario.precision().operand_bits(),
            gpus: f64::from(scenario.gpus()),
            tokens,
            load: together,
        })
    }

    fn distance(&self, other: &Self) -> f64 {
        let differs = |differs: bool, weight: f64| if differs { weight } else { 0.0 };
        let device = if self.generation == other.generation {
            differs(self.device != other.device, DEVICE)
        } else {
            GENERATION
        };
        let software = if self.software == other.software {
            differs(self.version != other.version, VERSION)
        } else {
            SOFTWARE
        };
        PARAMETERS * doublings(self.parameters, other.parameters)
            + differs(self.family != other.family, FAMILY)
            + device
            + software
            + differs(self.bits != other.bits, BITS)
            + GPUS * doublings(self.gpus, other.gpus)
            + LOAD * (doublings(self.tokens, other.tokens) + doublings(self.load, other.load))
    }
}

/// Number of doublings between two numbers, |log2(a / b)|; numbers below 1 count as 1.
fn doublings(a: f64, b: f64) -> f64 {
    libm::log2(a.max(1.0) / b.max(1.0)).abs()
}

/// A published row and its distance from a question.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// The row.
    pub point: &'a Point,
    /// Distance of the row from the question.
    pub distance: f64,
}

/// The `count` measured rows nearest to a question, nearest first, among those for which `of` returns true. Rows at equal
/// distance keep the order of the file.
pub fn nearest<'a>(
    question: &Scenario,
    of: impl Fn(&Point) -> bool,
    points: &'a [Point],
    count: usize,
) -> Vec<Near<'a>> {
    let Some(asked) = Features::of(question) else { return Vec::new() };
    let near = |point: &'a Point| {
        let scenario = point.scenario().filter(|_| !point.is_computed() && of(point))?;
        Some(Near { point, distance: asked.distance(&Features::of(scenario)?) })
    };
    let mut all: Vec<Near<'a>> = points.iter().filter_map(near).collect();
    order::sort(&mut all, |a, b| a.distance.total_cmp(&b.distance));
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    fn distance(a: &str, b: &str) -> f64 {
        let of = |text: &str| Features::of(&link::decode(&format!("v=1&{text}")).scenario).expect("features");
        of(a).distance(&of(b))
    }

    #[test]
    fn each_difference_counts_by_its_weight() {
        let asked = "model=llama-3.1-8b&gpu=h100-sxm&gpus=8&tp=8&pp=1";
        let with = |rest: &str| distance(asked, &format!("{asked}&{rest}"));
        assert!(distance(asked, asked).abs() < 1e-12);
        assert!((with("gpus=32") - 2.0 * GPUS).abs() < 1e-12);
        assert!((with("gpu=h200-sxm") - DEVICE).abs() < 1e-12);
        assert!((with("gpu=a100-sxm-80gb") - GENERATION).abs() < 1e-12);
        assert!((with("framework=nemo") - SOFTWARE).abs() < 1e-12);
        assert!((with("precision=fp8") - BITS).abs() < 1e-12);
        assert!((with("seq=16384") - LOAD * doublings(16384.0, 8192.0)).abs() < 1e-12);
        let serving = "view=inference&serve.engine=tensorrt&serve.tp=1&gpus=1";
        let other = "view=inference&serve.engine=trtllm&serve.tp=1&gpus=1";
        assert!((distance(serving, other) - VERSION).abs() < 1e-12);
    }
}
