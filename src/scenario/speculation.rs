//! Draft of speculative decoding.

use serde::{Deserialize, Serialize};

use super::Problem;
use super::resolve::{models, unlisted};
use crate::catalog;
use crate::inference::Draft;

/// Id of the absence of a draft.
pub const NONE: &str = "none";

/// Draft of speculative decoding that is predicted as a model instead of by a fixed cost per token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Speculation {
    /// The draft: a model of the catalogue, or `none` if `inference.draft_cost` gives the cost of a proposed token.
    pub model: String,
    /// True if the GPUs of a tensor group share the draft; otherwise one of them has it whole.
    pub shared: bool,
}

impl Default for Speculation {
    fn default() -> Self {
        Self { model: NONE.to_owned(), shared: false }
    }
}

impl Speculation {
    /// The draft that is named.
    pub(super) fn draft(&self) -> Result<Option<Draft>, Problem> {
        if self.model == NONE {
            return Ok(None);
        }
        let architecture = catalog::architecture(&self.model)
            .ok_or_else(|| Problem::new("speculation.model", unlisted(&self.model, models())))?;
        Ok(Some(Draft { architecture, shared: self.shared }))
    }
}
