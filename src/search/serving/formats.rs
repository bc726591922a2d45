//! Number formats of the deployments that are tried.

use super::problem::DeploymentProblem;
use crate::search::NumberFormats;
use crate::system::Precision;

/// Format of weights that are quantized after training.
const CONVERTED: Precision = Precision::Awq;

/// Format of a quantized KV cache.
const CACHED: Precision = Precision::Fp8;

impl DeploymentProblem {
    /// The question's format and, with [`Self::narrower`], the narrower ones that the device multiplies. For a model that is
    /// published in fewer than 8 bits, the published format replaces these. Devices without BF16 take FP16. With
    /// [`Self::quantized`], other models also take the integers of 4 bits to which they are converted after training. Without those
    /// that the engine does not read ([`Self::unread`]).
    pub(crate) fn formats(&self) -> Vec<Precision> {
        let multiplies = |format: Precision| self.system.device.peak(format).is_some();
        let asked = match self.load.precision {
            Precision::Bf16 if !multiplies(Precision::Bf16) && multiplies(Precision::Fp16) => Precision::Fp16,
            asked => asked,
        };
        let eight = if self.architecture.moe.is_some() { Precision::Fp8Block } else { Precision::Fp8 };
        let published = self.native.element() < eight.element();
        let others = if published { [Some(self.native), None] } else { [Some(eight), Some(Precision::Fp4)] };
        let narrower = others
            .into_iter()
            .flatten()
            .filter(|_| self.narrower)
            .filter(|format| (published || multiplies(*format)) && format.element() < asked.element());
        let converted = Some(CONVERTED)
            .filter(|format| self.converts() && !published && format.element() < asked.element());
        let all = std::iter::once(asked).chain(narrower).chain(converted);
        all.filter(|format| !self.unread.contains(format)).collect()
    }

    /// The format of the question's KV cache and, with [`Self::quantized`], FP8 if that is narrower and the device multiplies it.
    fn caches(&self) -> impl Iterator<Item = Precision> {
        let asked = self.load.kv_precision;
        let multiplies = self.system.device.peak(CACHED).is_some();
        let narrower = self.converts() && multiplies && CACHED.element() < asked.element();
        std::iter::once(asked).chain(narrower.then_some(CACHED))
    }

    const fn converts(&self) -> bool {
        self.quantized && self.load.engine.quantizes()
    }

    /// Every format of weights with every format of the KV cache; the question's caches first.
    pub(crate) fn number_formats(&self) -> Vec<NumberFormats> {
        let weights = self.formats();
        let of = |cache| weights.iter().map(move |weights| NumberFormats { weights: *weights, cache });
        self.caches().flat_map(of).collect()
    }
}
