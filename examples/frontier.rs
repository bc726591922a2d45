//! What better nodes, memories and links buy: GPT 7B on 1,024 GPUs, and serving of Llama 2 70B.
//!
//! `cargo run --release --example frontier`

use std::io::{self, Write};

use foretoken::catalog::{self, technology};
use foretoken::generations::Task;
use foretoken::generations::frontier::{NodeCurve, by_fabric, by_memory};
use foretoken::inference::{EngineOverheads, InferenceJob, InferenceLoad};
use foretoken::plan::Plan;
use foretoken::system::{AssumptionSet, System};
use foretoken::technology::{Budget, Components};
use foretoken::training::{FrameworkOverheads, TrainingJob, TrainingRecipe};
use foretoken::units::{Area, Power};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let known = technology();
    let model = |id| catalog::architecture(id).ok_or_else(|| io::Error::other("unknown model"));
    let device = catalog::accelerator("b200").ok_or_else(|| io::Error::other("unknown device"))?;
    let system = System::new(device, AssumptionSet::Calibrated);
    let plan = Plan { tensor: 4, pipeline: 1, ..Plan::default() };
    let recipe = TrainingRecipe { batch: 1024, sequence: 2048, ..TrainingRecipe::default() };
    let training = TrainingJob {
        architecture: model("gpt-3-6.7b")?,
        system: &system,
        plan: &plan,
        recipe: &recipe,
        gpus: 1024,
        overheads: FrameworkOverheads::NONE,
    };
    let served = InferenceLoad { input: 2048, output: 256, batch: 16, tensor: 8, ..InferenceLoad::default() };
    let serving = InferenceJob {
        architecture: model("llama-2-70b")?,
        system: &system,
        load: &served,
        overheads: EngineOverheads::NONE,
        draft: None,
    };
    let components = Components::named("n7", "blackwell", "hbm3e", "ndr")
        .ok_or_else(|| io::Error::other("unknown pieces"))?;
    let budget = Budget::single(Area::new(826.0), Power::new(700.0));
    for task in [Task::Training(training), Task::Prefill(serving), Task::Decode(serving)] {
        let set = AssumptionSet::Calibrated;
        writeln!(out, "{}: by memory, then by links\n", task.name())?;
        print(&mut out, &by_memory(&components, &known.nodes, &known.stacks, &budget, &task, set))?;
        print(&mut out, &by_fabric(&components, &known.nodes, &known.fabrics, &budget, &task, set))?;
    }
    Ok(())
}

fn print(out: &mut impl Write, lines: &[NodeCurve]) -> io::Result<()> {
    for line in lines {
        write!(out, "{:6}", line.name)?;
        for point in &line.points {
            match point {
                Some(point) => write!(
                    out,
                    " {:5}: {:8.3} ms {:8} {:.2} mJ;",
                    point.node,
                    point.time.get() * 1e3,
                    point.binding.largest().name(),
                    point.energy_per_token.get() * 1e3
                )?,
                None => write!(out, " does not fit;")?,
            }
        }
        writeln!(out)?;
    }
    writeln!(out)
}
