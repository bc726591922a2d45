//! The question with a part of the model in host memory, as llama.cpp does it where the GPU is too small.

use super::Scenario;
use crate::inference::{Engine, InferenceLoad};
use crate::system::Precision;
use crate::units::Bytes;

/// Capacities of host memory that are offered where the question's own is too small, GiB: two or four modules of a desktop.
const MODULES_GIB: [f64; 4] = [96.0, 128.0, 192.0, 256.0];

impl Scenario {
    /// This question in llama.cpp on one GPU, with as few layers or experts in host memory as fit on the GPU; in more host
    /// memory if the question's own is too small. `None` if that does not help either.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general over its job's lifetime"
    )]
    pub fn offloaded(&self) -> Option<Self> {
        let mut there = self.clone();
        there.inference = self.in_llamacpp()?;
        there.inference = there.with_inference(|job| job.offloaded()).ok()??;
        if there.inference().is_ok() {
            return Some(there);
        }
        let needed = there.served().ok()?.host_memory?.total();
        let holds = |gib: &&f64| **gib > self.system.host_gib && Bytes::from_gib(**gib) >= needed;
        there.system.host_gib = *MODULES_GIB.iter().find(holds)?;
        there.inference().is_ok().then_some(there)
    }

    /// The question's requests in llama.cpp; `None` on several GPUs, or on a device whose host's link is not known.
    pub fn in_llamacpp(&self) -> Option<InferenceLoad> {
        let load = self.inference;
        let device = self.machine().ok()?.device;
        if load.gpus() > 1 || device.host.is_none() || device.unified {
            return None;
        }
        if load.engine.product() == Engine::Llamacpp {
            return Some(load.resident());
        }
        let stored = |precision| matches!(precision, Precision::Bf16 | Precision::Fp16 | Precision::Mxfp4);
        let precision = match load.precision {
            known if known.is_gguf() || stored(known) => known,
            eight if eight.element() >= Precision::Fp8.element() => Precision::Q8_0,
            _ => Precision::Q4KM,
        };
        let kv_precision = match load.kv_precision {
            known if known.is_gguf() || stored(known) => known,
            _ => Precision::Q8_0,
        };
        Some(InferenceLoad { engine: Engine::Llamacpp, precision, kv_precision, ..load.resident() })
    }

    /// The share of a unified memory that the operating system lets the GPU use by default, if it limits it: macOS two
    /// thirds of up to 32 GiB, three quarters of more (`recommendedMaxWorkingSetSize`: 10.67 of 16 GiB, exo-explore/exo#1672;
    /// 48 of 64 GiB, ggml-org/llama.cpp#1870). Later versions allow more: 107.5 of 128 GiB under macOS 26
    /// (antirez/ds4#893).
    pub fn default_share(&self) -> Option<f64> {
        let device = self.system.accelerator().ok()?;
        let limited = device.vendor == "Apple" && device.dram.is_host();
        limited.then(|| if device.dram.capacity_gib <= 32.0 { 2.0 / 3.0 } else { 0.75 })
    }
}
