//! Projectors between an encoder and a language model: patches or positions of audio become tokens of the model's hidden width.

use serde::{Deserialize, Serialize};

use super::{Cut, Matrix};

/// The matrices between an encoder of width w, g of whose elements form one token (w · merge² of an image, w · merge of
/// audio), and a model of width h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Projector {
    /// A norm, g × g and g × h, with the encoder's biases (Qwen2-VL, arXiv 2409.12191; MoonViT, arXiv 2504.07491).
    Merger {
        /// Further projectors whose tokens are added to early layers of the model (DeepStack; Qwen3-VL, arXiv 2511.21631):
        /// each norms g elements instead of w.
        #[serde(default)]
        deepstack: u32,
    },
    /// A norm, g × w, w × h and h × h, without biases (Mistral Small 3.1; transformers, `modeling_mistral3.py`).
    Narrowed,
    /// g × h, h × h and h × h, with biases (MiniMax M3: what its parameter count leaves for the projector).
    Deep,
    /// A norm, g × h and h × h, with biases (InternVL, arXiv 2404.16821; transformers, `modeling_internvl.py`).
    Normed,
    /// w × h and h × h, with biases (LLaVA 1.5, arXiv 2310.03744; Pixtral, arXiv 2410.07073).
    Paired,
    /// g × h with a bias, h × h, a layer norm and a gated block of this inner width (GLM-4.1V, arXiv 2507.01006; transformers,
    /// `modeling_glm4v.py`).
    Gated {
        /// Inner width.
        inner: u32,
    },
    /// A pixel shuffle, g × inner, inner × inner and inner × h, without biases (Llama 4; transformers, `modeling_llama4.py`).
    Shuffled {
        /// Inner width.
        inner: u32,
    },
    /// A mean over each token's patches, a norm and w × h, without biases (Gemma 3, arXiv 2503.19786; Gemma 4).
    Pooled,
    /// w × h with a bias, after a mean over each token's positions (Qwen2-Audio, arXiv 2407.10759; Qwen2.5-Omni, arXiv
    /// 2503.20215).
    Linear,
    /// Two matrices, w × w and w × h, with biases (Qwen3-Omni; transformers, `modeling_qwen3_omni_moe.py`).
    Perceptron,
    /// g × h and h × h, without biases (Voxtral, arXiv 2507.13264).
    Stacked,
    /// w × inner with a bias, inner × h without (Gemma 4; transformers, `modeling_gemma4.py`).
    Through {
        /// Inner width.
        inner: u32,
    },
}

impl Projector {
    /// Copies with matrices of their own.
    pub const fn copies(&self) -> u32 {
        match *self {
            Self::Merger { deepstack } => deepstack.saturating_add(1),
            _ => 1,
        }
    }

    /// Inner width, if it is neither the encoder's nor the model's.
    pub const fn inner(&self) -> Option<u32> {
        match *self {
            Self::Shuffled { inner } | Self::Through { inner } | Self::Gated { inner } => Some(inner),
            _ => None,
        }
    }

    /// The matrices of one copy, in order, by which each token is multiplied, under this label. A tensor group cuts columns and
    /// rows in turn.
    pub fn matrices(
        &self,
        name: &'static str,
        width: u64,
        merged: u64,
        hidden: u64,
    ) -> impl Iterator<Item = Matrix> + use<> {
        let inner = self.inner().map_or(0, u64::from);
        let (sizes, count) = match self {
            Self::Merger { .. } => ([merged, merged, hidden, 0], 2),
            Self::Narrowed => ([merged, width, hidden, hidden], 3),
            Self::Normed | Self::Stacked => ([merged, hidden, hidden, 0], 2),
            Self::Paired => ([width, hidden, hidden, 0], 2),
            Self::Gated { .. } => ([merged, hidden, hidden, 2 * inner], 3),
            Self::Deep => ([merged, hidden, hidden, hidden], 3),
            Self::Shuffled { .. } => ([merged, inner, inner, hidden], 3),
            Self::Pooled | Self::Linear => ([width, hidden, 0, 0], 1),
            Self::Perceptron => ([width, width, hidden, 0], 2),

            Self::Through { .. } => ([width, inner, hidden, 0], 2),
        };
        // The product of gate and input is half as wide as both matrices together.
        let last = matches!(self, Self::Gated { .. }).then(|| Matrix::new(name, inner, hidden, Cut::Rows));
        let chain = (0..count).map(move |place| {
            let cut = if place % 2 == 0 { Cut::Columns(1 << 6) } else { Cut::Rows };
            Matrix::new(name, sizes[place], sizes[place + 1], cut)
        });
        chain.chain(last)
    }

    /// Elements of norms and biases of all copies; `norm` is the number of vectors of a norm, `bias` whether the encoder has
    /// biases.
    pub fn vectors(&self, width: u64, merged: u64, hidden: u64, (norm, bias): (u64, bool)) -> u64 {
        match *self {
            Self::Merger { deepstack } => {
                let copies = u64::from(deepstack);
                let biases = if bias { (1 + copies) * (merged + hidden) } else { 0 };
                norm * (width + copies * merged) + biases
            }
            Self::Deep | Self::Gated { .. } => 3 * hidden,
            Self::Normed => 2 * (merged + hidden),
            Self::Paired => 2 * hidden,
            Self::Narrowed | Self::Pooled => width,
            Self::Linear => hidden,
            Self::Perceptron => width + hidden,
            Self::Through { inner } => inner.into(),
            Self::Shuffled { .. } | Self::Stacked => 0,
        }
    }
}
