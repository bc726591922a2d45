//! Draft of speculative decoding.

use serde::{Deserialize, Serialize};

use super::Problem;
use super::listed::{models, unlisted};
use crate::catalog;
use crate::inference::{Draft, DraftModel};

/// Id of the absence of a draft, or of a second GPU.
pub const NONE: &str = "none";

/// Draft of speculative decoding that is predicted by its shapes instead of by a fixed cost per token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Speculation {
    /// The draft: a model of the catalogue, `mtp` for the model's own prediction modules, or `none` if
    /// `inference.draft_cost` gives the cost of a proposed token.
    pub model: String,
    /// True if the draft is sharded over the tensor-parallel group; otherwise one GPU holds it. Prediction modules are
    /// sharded as the model.
    pub shared: bool,
}

impl Default for Speculation {
    fn default() -> Self {
        Self { model: NONE.to_owned(), shared: false }
    }
}

impl Speculation {
    /// Id of the model's own prediction modules as the draft.
    pub const MODULES: &'static str = "mtp";

    /// The draft that is named.
    pub(super) fn draft(&self) -> Result<Option<Draft>, Problem> {
        match self.model.as_str() {
            NONE => return Ok(None),
            Self::MODULES => return Ok(Some(Draft::Modules)),
            _ => {}
        }
        let architecture = catalog::architecture(&self.model)
            .ok_or_else(|| Problem::new("speculation.model", unlisted(&self.model, models())))?;
        Ok(Some(Draft::Model(DraftModel { architecture, shared: self.shared })))
    }
}
