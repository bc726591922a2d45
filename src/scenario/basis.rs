//! What an answer's constants rest on, in sentences for its footer.

use super::{Scenario, View};
use crate::catalog::{self, Accelerator};
use crate::inference::Engine;
use crate::system::calibration::calibration_for;
use crate::system::{AssumptionSet, Backend, Instructions};

impl Scenario {
    /// What the constants rest on: whose kernels were measured, by engine, and whether the device ships.
    pub fn basis(&self) -> String {
        if self.view == View::Papers {
            return "Each result has the equations and constants of its paper".to_owned();
        }
        let Ok(accelerator) = self.system.device() else { return String::new() };
        let constants = match self.assumptions {
            AssumptionSet::Ideal => "No overheads: nothing can be faster".to_owned(),
            AssumptionSet::Subramanian2024 => {
                "The equations and constants of arXiv 2410.00273's authors".to_owned()
            }
            AssumptionSet::Kundu2024 => {
                "What is public of the constants behind arXiv 2407.14645 (DeepFlow), none fitted: the share of DRAM bandwidth and where \
                 trees take over are inferred"
                    .to_owned()
            }
            AssumptionSet::Calibrated => self.calibrated(accelerator),
        };
        let announced = accelerator.announced.then(|| {
            format!(
                "{} is announced and not yet shipping: its rates are the vendor's or estimates",
                accelerator.name
            )
        });
        joined([announced, Some(constants)])
    }

    /// The sources of calibrated constants: of an engine's own kernels, of all others, of a calibration profile.
    fn calibrated(&self, accelerator: &Accelerator) -> String {
        let all = self.view == View::Sizing && !self.sizing.one_device || self.view == View::Generations;
        if all {
            let each = "Efficiencies of each device are fitted to kernels measured on it, or are those of the nearest measured device";
            return joined([Some(each.to_owned()), self.profile_sentence()]);
        }
        let engine = self.inference.engine;
        let own = if self.view == View::Inference { multiplies(engine, accelerator) } else { None };
        let Some(calibration) = calibration_for(accelerator) else { return String::new() };
        let measured = &calibration.device;
        let name = catalog::accelerator(measured).map_or(measured, |entry| &entry.name);
        let device = &accelerator.name;
        let kernels = match (*measured == accelerator.id, own.is_some()) {
            (true, false) => format!("Efficiencies are fitted to kernels measured on {name}"),
            (true, true) => format!("Other efficiencies are fitted to kernels measured on {name}"),
            (false, false) => {
                format!("No kernels of {device} were measured: its efficiencies are those of {name}")
            }
            (false, true) => {
                format!(
                    "Other kernels (attention, norms) of {device} were not measured: their efficiencies are those of {name}"
                )
            }
        };
        let format = self.inference.precision;
        let unmeasured = (self.view == View::Inference && format.has_unmeasured_kernels()).then(|| {
            format!(
                "The speed of weights in {} was not compared with measurements: their time is that of reading them and of a 16-bit multiply",
                format.name()
            )
        });
        joined([own, unmeasured, Some(kernels), self.profile_sentence()])
    }
}

/// The source of the constants with which an engine's own kernels multiply by weights; `None` for engines that multiply with
/// the device's library.
fn multiplies(engine: Engine, accelerator: &Accelerator) -> Option<String> {
    engine.overheads().multiplies.dequantising?;
    let backend = Backend::of(accelerator);
    let interface = match backend {
        Backend::Cuda => "CUDA",
        Backend::Hip | Backend::HipWide => "HIP",
        Backend::Metal => "Metal",
        Backend::Vulkan => "Vulkan",
        Backend::Xeon => "Xeon",
        Backend::Other => "CUDA, because none were fitted for this device",
    };
    let fitted = match (engine.product(), Instructions::of(accelerator)) {
        (Engine::Mlx, Instructions::Vector) => {
            "MLX's, fitted to published runs on an M3 Ultra with 60 cores, with the share of DRAM bandwidth that llama.cpp reaches"
                .to_owned()
        }
        (Engine::Mlx, _) => {
            "llama.cpp's, because MLX's own were fitted only on a device without matrix units".to_owned()
        }
        _ if engine == Engine::Llamafile => {
            format!("llamafile's on {interface}, fitted to published speeds of LocalScore")
        }
        _ if backend == Backend::Xeon => {
            "llama.cpp's on Xeon, fitted to one published run on one socket of a Xeon 6980P".to_owned()
        }
        _ => format!("llama.cpp's on {interface}, fitted to published speeds of llama-bench"),
    };
    Some(format!("Multiplies by weights have constants of {fitted}"))
}

/// Sentences as one text.
fn joined<const N: usize>(sentences: [Option<String>; N]) -> String {
    let sentences: Vec<String> = sentences.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    sentences.join(". ")
}

#[cfg(test)]
mod tests {
    use crate::scenario::link;

    fn basis(link: &str) -> String {
        link::decode(link).scenario.basis()
    }

    #[test]
    fn an_engine_with_kernels_of_its_own_names_their_source() {
        let mlx = basis("v=1&view=inference&gpu=apple-m3-max-40c&serve.engine=mlx");
        assert!(mlx.starts_with("Multiplies by weights have constants of MLX's"), "{mlx}");
        assert!(mlx.ends_with("their efficiencies are those of H100 SXM 80 GB"), "{mlx}");
        let units = basis("v=1&view=inference&gpu=apple-m5-max-40c&serve.engine=mlx");
        assert!(units.contains("llama.cpp's, because MLX's own"), "{units}");
        let metal = basis("v=1&view=inference&gpu=apple-m3-max-40c&serve.engine=llamacpp");
        assert!(metal.contains("llama.cpp's on Metal, fitted to published speeds"), "{metal}");
        let cuda = basis("v=1&view=inference&gpu=h100-sxm&serve.engine=llamacpp");
        assert!(
            cuda.contains("Other efficiencies are fitted to kernels measured on H100 SXM 80 GB"),
            "{cuda}"
        );
        let library = basis("v=1&view=inference&gpu=apple-m3-max-40c&serve.engine=none");
        assert!(library.starts_with("No kernels of"), "{library}");
    }

    #[test]
    fn a_format_without_measured_kernels_is_named() {
        let asked =
            |format: &str| basis(&format!("v=1&view=inference&gpu=rtx-4090&serve.precision={format}"));
        for format in ["nf4", "nf4_double", "exl_4bpw"] {
            assert!(
                asked(format).contains("was not compared with measurements"),
                "{format}: {}",
                asked(format)
            );
        }
        for format in ["awq", "bf16", "q4_k_m"] {
            assert!(
                !asked(format).contains("was not compared with measurements"),
                "{format}: {}",
                asked(format)
            );
        }
    }

    #[test]
    fn an_announced_device_is_said_to_be_one() {
        let text = basis("v=1&view=inference&gpu=rubin-cpx");
        assert!(text.starts_with("Rubin CPX is announced and not yet shipping"), "{text}");
        assert!(!basis("v=1&view=inference&gpu=b200").contains("announced"));
    }
}
