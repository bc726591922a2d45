//! Number formats of a deployment.

use crate::inference::InferenceLoad;
use crate::system::Precision;

/// Number formats of a deployment's weights and of its KV cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberFormats {
    /// Format of the weights.
    pub weights: Precision,
    /// Format of cached keys and values.
    pub cache: Precision,
}

impl NumberFormats {
    /// The formats of a load.
    pub const fn of(load: &InferenceLoad) -> Self {
        Self { weights: load.precision, cache: load.kv_precision }
    }

    /// A load in these formats.
    #[must_use]
    pub const fn on(self, load: &InferenceLoad) -> InferenceLoad {
        InferenceLoad { precision: self.weights, kv_precision: self.cache, ..*load }
    }
}
