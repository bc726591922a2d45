//! What the page and its worker say to each other.

use serde::{Deserialize, Serialize};

/// From the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Counts requests; replies bear the number of theirs.
    pub id: u32,
    /// What is wanted.
    pub ask: Ask,
}

/// What the page wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// The answer to the question of a link, in its view.
    Answer {
        /// The question, as the address has it, without `#`.
        link: String,
        /// Whether figures have to be narrow.
        narrow: bool,
    },
    /// The fitted constants of the device that a link names, as a form.
    Constants {
        /// The question, as the address has it, without `#`.
        link: String,
    },
    /// A file of something in the last answer.
    File {
        /// The figure's or table's machine name.
        of: String,
        /// Which kind of file.
        format: Format,
    },
    /// Nothing any more: the last request is void.
    Stop,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A drawing.
    Svg,
    /// A drawing, to be made into pixels by who has a canvas.
    Png,
    /// Data.
    Csv,
}

/// From the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The number of the request.
    pub id: u32,
    /// The reply.
    pub said: Said,
}

/// What the worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// That it hears now.
    Ready,
    /// How far the answer is.
    Progress {
        /// Steps done.
        done: u32,
        /// Steps in all.
        of: u32,
    },
    /// The answer, as markup.
    Answer {
        /// Cards of numbers.
        headline: String,
        /// Figures and tables.
        figures: String,
    },
    /// The form of constants, as markup.
    Constants {
        /// Fields and what they mean.
        form: String,
    },
    /// A file.
    File {
        /// The machine name of what is in it.
        of: String,
        /// Which kind.
        format: Format,
        /// What is in it; for pixels the drawing.
        text: String,
    },
    /// Why there is no answer, in a sentence.
    Fault {
        /// The sentence, without a full stop.
        message: String,
    },
}
