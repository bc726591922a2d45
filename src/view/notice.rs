//! Short texts between the parts of an answer, and links to questions.

use serde::{Deserialize, Serialize};

use crate::scenario::{Problem, Scenario, link};

/// A short text between parts, with links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Machine name, e.g. `filters`.
    pub id: String,
    /// Accessible name of the links, or the text itself.
    pub text: String,
    /// Links of the notice.
    pub links: Vec<Link>,
}

impl Notice {
    /// A text with links.
    pub fn new(id: &str, text: impl Into<String>, links: Vec<Link>) -> Self {
        Self { id: id.to_owned(), text: text.into(), links }
    }

    /// Why a part of an answer is missing.
    pub fn refused(id: &str, problems: &[Problem]) -> Self {
        let sentences: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        Self::new(id, sentences.join("; "), Vec::new())
    }
}

/// A link to another question, or to an address elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Visible text.
    pub text: String,
    /// Effect of the link, for screen readers, if the text alone does not state it.
    pub hint: String,
    /// The question, as a link without `#`.
    pub link: String,
    /// Address outside the page; empty for links to questions.
    pub address: String,
}

impl Link {
    /// A link to a question.
    pub fn to(text: impl Into<String>, question: &Scenario) -> Self {
        Self::at(text, link::encode(question))
    }

    /// A link to a question that is encoded already.
    pub fn at(text: impl Into<String>, link: String) -> Self {
        Self { text: text.into(), link, ..Self::default() }
    }

    /// The link with its effect for screen readers.
    #[must_use]
    pub fn hinted(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }
}
