//! Sweeps of DRAM bandwidth under several choices of one setting.

use super::sweep::DramSweep;
use crate::catalog::{self, Architecture};
use crate::inference::{InferenceJob, InferenceLoad};
use crate::order;
use crate::system::Precision;

/// The setting in which the curves of a family differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varied {
    /// GPUs of a tensor group.
    Gpus,
    /// Requests in a batch.
    Batch,
    /// Format of weights and operands.
    Format,
    /// The model.
    Model,
}

impl Varied {
    /// All families of curves.
    pub const ALL: [Self; 4] = [Self::Gpus, Self::Batch, Self::Format, Self::Model];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpus => "number of GPUs",
            Self::Batch => "batch",
            Self::Format => "format",
            Self::Model => "model",
        }
    }
}

/// The sweep of one choice of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyCurve {
    /// Name of the choice.
    pub name: String,
    /// The load with this choice.
    pub load: InferenceLoad,
    /// The catalogue id of the model; `None` where it is the question's own.
    pub model: Option<String>,
    /// Latencies at each bandwidth.
    pub sweep: DramSweep,
}

/// One sweep for each choice of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct DramFamily {
    /// The setting.
    pub varied: Varied,
    /// The name of the question's own choice.
    pub asked: String,
    /// The curve of each choice that runs.
    pub curves: Vec<FamilyCurve>,
    /// Choices that do not run, and why.
    pub left_out: Vec<(String, String)>,
}

/// Tensor groups of the curves, as in arXiv 2407.14645.
const GPUS: [u32; 4] = [1, 2, 4, 8];
/// Batches of the curves.
const BATCHES: [u32; 4] = [1, 4, 16, 64];
/// Formats of the curves: those with matrix units, and weights of 4 bits that are widened.
const FORMATS: [Precision; 4] = [Precision::Bf16, Precision::Fp8, Precision::Fp4, Precision::Int4];
/// Models of the curves, as in arXiv 2407.14645.
const MODELS: [&str; 3] = ["llama-2-7b", "llama-2-13b", "llama-2-70b"];

impl<'a> InferenceJob<'a> {
    /// Sweeps DRAM bandwidth for each choice of a setting, the question's own among them.
    pub fn dram_family(&self, varied: Varied, (low, high): (f64, f64), points: usize) -> DramFamily {
        let mut family =
            DramFamily { varied, asked: self.choice(varied), curves: Vec::new(), left_out: Vec::new() };
        for (load, architecture) in self.choices(varied) {
            let job = InferenceJob { load: &load, architecture, ..*self };
            match job.runs() {
                Ok(()) => family.curves.push(FamilyCurve {
                    name: job.choice(varied),
                    load,
                    model: (architecture.name != self.architecture.name).then(|| architecture.id.clone()),
                    sweep: job.dram_sweep(low, high, points),
                }),
                Err(why) => family.left_out.push((job.choice(varied), why)),
            }
        }
        family
    }

    /// The name of this job's choice of a setting.
    fn choice(&self, varied: Varied) -> String {
        let load = self.load;
        match varied {
            Varied::Gpus if load.tensor == 1 => "1 GPU".to_owned(),
            Varied::Gpus => format!("{} GPUs", load.tensor),
            Varied::Batch => format!("batch {}", load.batch),
            Varied::Format => load.precision.name().to_owned(),
            Varied::Model => self.architecture.name.clone(),
        }
    }

    /// The load and the model of each choice of a setting.
    fn choices(&self, varied: Varied) -> Vec<(InferenceLoad, &'a Architecture)> {
        let plain = *self.load;
        let with = |mut numbers: Vec<u32>, own: u32| {
            numbers.push(own);
            order::sort(&mut numbers, Ord::cmp);
            numbers.dedup();
            numbers
        };
        let loads: Vec<InferenceLoad> = match varied {
            Varied::Model => return self.models().into_iter().map(|model| (plain, model)).collect(),
            Varied::Gpus => with(GPUS.to_vec(), plain.tensor)
                .into_iter()
                .map(|tensor| InferenceLoad { tensor, ..plain })
                .collect(),
            Varied::Batch => with(BATCHES.to_vec(), plain.batch)
                .into_iter()
                .map(|batch| InferenceLoad { batch, ..plain })
                .collect(),
            Varied::Format => {
                let own = Some(plain.precision).filter(|format| !FORMATS.contains(format));
                let widened = |format: Precision| format == Precision::Int4;
                let device = &self.system.device;
                let formats = FORMATS.into_iter().filter(|format| {
                    widened(*format) || device.peak(*format).is_some() || *format == plain.precision
                });
                own.into_iter().chain(formats).map(|precision| InferenceLoad { precision, ..plain }).collect()
            }
        };
        loads.into_iter().map(|load| (load, self.architecture)).collect()
    }

    /// The question's model and [`MODELS`], smallest first.
    fn models(&self) -> Vec<&'a Architecture> {
        let mut models: Vec<&'a Architecture> = vec![self.architecture];
        for model in MODELS.into_iter().filter_map(catalog::architecture) {
            if model.name != self.architecture.name {
                models.push(model);
            }
        }
        order::sort(&mut models, |a, b| a.parameters().total.cmp(&b.parameters().total));
        models
    }

    /// Checks that the load obeys the laws and fits into memory; the error is the reason.
    fn runs(&self) -> Result<(), String> {
        self.load.check(self.architecture).map_err(|fault| format!("breaks a law: {}", fault.message))?;
        self.load.check_network(self.system).map_err(|fault| format!("breaks a law: {}", fault.message))?;
        if let Some(draft) = self.draft {
            draft
                .check(self.load, self.architecture)
                .map_err(|fault| format!("breaks a law: {}", fault.message))?;
        }
        let batch = self.load.batch;
        let offloaded = self.offloaded_memory(batch).filter(|offloaded| !offloaded.fits());
        let memory = offloaded.unwrap_or_else(|| self.memory(batch));
        memory.shortage().map_or(Ok(()), Err)
    }
}
