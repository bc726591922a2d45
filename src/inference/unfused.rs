//! Small kernels of layers of routed experts: routing, norms of queries and keys, conversions to the format of the multiplies.
//!
//! No published table of kernels covers them. Served Qwen3, Qwen3.5, MiniMax-M2.5 and GLM-5 take 30 to 50 µs a layer more than the
//! kernels of the tables, whatever the number of requests and the GPU (H200 to B300). Served DeepSeek-V3, DeepSeek-R1, Kimi-K2.5 and
//! gpt-oss take no such time, since engines fuse these kernels for them: routing to groups of experts is one kernel, the all-reduce adds
//! the residual and normalises, shared experts run beside routed ones, and the kernels of MXFP4 weights route the tokens.

use super::job::InferenceJob;
use crate::catalog::layers::{Layer, Mixer, Seen};
use crate::system::Precision;

impl InferenceJob<'_> {
    /// Number of layers of routed experts whose small kernels engines do not fuse.
    pub(super) fn unfused_layers(&self) -> f64 {
        if self.load.precision == Precision::Mxfp4 {
            return 0.0;
        }
        let layers = self.architecture.layer_kinds().filter(is_unfused);
        f64::from(layers.map(|layer| layer.count).sum::<u32>())
    }
}

/// Returns true for layers with routed experts whose attention is not DeepSeek-V2's latent attention over all keys.
fn is_unfused(layer: &Layer) -> bool {
    let fused = matches!(layer.mixer, Mixer::Latent(latent) if latent.seen == Seen::All);
    layer.experts().is_some() && !fused
}

#[cfg(test)]
mod tests {
    use crate::inference::InferenceLoad;
    use crate::scenario::{Choice, Scenario, View};
    use crate::system::Precision;

    /// Layers of a model with unfused kernels, in a format.
    fn layers(model: &str, precision: Precision) -> f64 {
        let inference = InferenceLoad { precision, ..InferenceLoad::default() };
        let model = Choice::Named(model.to_owned());
        let scenario = Scenario { view: View::Inference, model, inference, ..Scenario::default() };
        let [layers] = scenario.with_inference(|job| [job.unfused_layers()]).expect("a question");
        layers
    }

    #[test]
    fn layers_of_experts_count_beside_other_attention_than_deepseeks() {
        assert!((layers("qwen3-235b-a22b", Precision::Bf16) - 94.0).abs() < 1e-9);
        // Three of 78 layers are dense; all select the keys that they attend to.
        assert!((layers("glm-5", Precision::Fp8Block) - 75.0).abs() < 1e-9);
        assert!(layers("deepseek-v3", Precision::Fp8Block).abs() < 1e-9);
        assert!(layers("llama-3.1-70b", Precision::Fp8).abs() < 1e-9);
        assert!(layers("gpt-oss-120b", Precision::Mxfp4).abs() < 1e-9);
    }
}
