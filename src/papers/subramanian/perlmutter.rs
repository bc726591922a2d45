//! The best plan of GPT3-175B on 512 A100 of Perlmutter, where the paper measured it.

use super::authors_code::CODE;
use super::plan::{self, Job};
use crate::papers::{Bar, Bars, Chart, Data, Printed, Quantity, Question, Share};
use crate::published::subramanian::{
    Attention, Device, Explorer, Method, Plan, Setup, Space, Step, Transformer,
};

/// Batch, sequences per step, and the step time that the authors' code finds, s. The paper's batch was not available;
/// for these batches the code's optimum is the paper's.
const BATCHES: [(u32, &str); 3] = [(1024, "22.47"), (1536, "32.34"), (2048, "42.21")];
const GPUS: u32 = 512;
const SETUP: Setup = Setup { device: Device::A100, domain: 4 };
/// Memory per GPU under that plan by the authors' code, GB.
const MEMORY: &str = "46.4";
/// The paper's optimum: TP, PP, DP, microbatch.
const OPTIMUM: [u32; 4] = [4, 16, 8, 1];

/// The fastest plan for a batch.
fn best(batch: u32) -> Option<(Plan, Step)> {
    let mut explorer = Explorer::new(SETUP.machine(), Transformer::named("gpt3")?);
    explorer.best(&Space::of(Method::OneD, GPUS, batch)).fastest
}

const fn job(batch: u32) -> Job {
    Job { model: "gpt-3-175b", sequence: 2048, batch, tokens: 3e11, attention: Attention::Fused }
}

/// Link to the first batch's question, with its collectives.
pub(super) fn question() -> Option<Question> {
    let batch = BATCHES[0].0;
    let (cut, _) = best(batch)?;
    let text = "GPT-3 175B on 512 A100 of Perlmutter: collectives by operator".to_owned();
    Some(Question { text, link: format!("{}&part=operators", plan::question(job(batch), SETUP, &cut)?) })
}

fn chart(
    (id, title): (&'static str, &str),
    (name, unit): (&'static str, &'static str),
    share: impl Fn(&Step, &'static str) -> Share,
) -> Chart {
    let row = |(batch, printed): (u32, &'static str)| {
        let name = format!("batch of {batch}");
        let Some((cut, step)) = best(batch) else { return Bar { name, ..Bar::default() } };
        let degrees = cut.degrees;
        let ours = [degrees.first, degrees.pipeline, degrees.data, cut.microbatch];
        let published =
            if ours == OPTIMUM { "as published" } else { "published: TP 4, PP 16, DP 8, microbatch 1" };
        Bar {
            name,
            whole: share(&step, printed),
            parts: Vec::new(),
            what: format!("{}; {published}", plan::name(&cut)),
            link: plan::question(job(batch), SETUP, &cut),
        }
    };
    Chart {
        id: id.into(),
        title: title.to_owned(),
        finding: String::new(),
        source: CODE,
        data: Data::Bars(Bars {
            quantity: Quantity { name, unit, logarithmic: false },
            parts: vec!["by the paper's model"],
            rows: BATCHES.map(row).into(),
        }),
        assumptions: vec!["The fastest 1D plan on 512 A100 in domains of 4, fused attention".to_owned()],
    }
}

pub(super) fn steps() -> Chart {
    let title = "Best plan of GPT3-175B on 512 A100 of Perlmutter: step time";
    let share = |step: &Step, printed| Share::beside(step.time.get(), Printed::read(printed));
    chart(("perlmutter-steps", title), ("Step time", "s"), share)
}

pub(super) fn memory() -> Chart {
    let title = "Best plan of GPT3-175B on 512 A100 of Perlmutter: memory per GPU";
    let share = |step: &Step, _| Share::beside(step.memory.total().get() * 1e-9, Printed::read(MEMORY));
    chart(("perlmutter-memory", title), ("Memory", "GB"), share)
}
