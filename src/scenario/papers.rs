//! Selection of the table or figure that the Papers view shows.

use serde::{Deserialize, Serialize};

use super::{Problem, Scenario, View};
use crate::catalog::{nearest, suggestion};
use crate::published::{EXHIBITS, Exhibit, exhibit_named};

/// Name of the list of all results.
pub const GALLERY: &str = "all";

/// Selection of the Papers view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PaperChoice {
    /// The machine name of a table or figure, or [`GALLERY`].
    pub result: String,
}

impl Default for PaperChoice {
    fn default() -> Self {
        Self { result: GALLERY.to_owned() }
    }
}

impl Scenario {
    /// The question in another view. The selected result of a paper is reset, so the Papers view begins with its list.
    #[must_use]
    pub fn seen_in(&self, view: View) -> Self {
        Self { view, papers: PaperChoice::default(), ..self.clone() }
    }

    /// The chosen table or figure; `None` for the list.
    pub fn exhibit(&self) -> Result<Option<&'static Exhibit>, Vec<Problem>> {
        let id = self.papers.result.as_str();
        if id == GALLERY {
            return Ok(None);
        }
        let known = || EXHIBITS.iter().map(|exhibit| exhibit.id).chain([GALLERY]);
        exhibit_named(id).map(Some).ok_or_else(|| {
            let near = suggestion(nearest(id, known()));
            vec![Problem::new("papers.result", format!("there is no result `{id}`{near}"))]
        })
    }
}
