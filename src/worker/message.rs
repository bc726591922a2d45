//! What the page and its worker say to each other.
//!
//! A message travels as a list of texts: its number, its name, and what it holds, in the order of its fields.
//! Reading those takes a tenth of the code that reading JSON into types does, and the page loads that code first.

use crate::answer::Format;
use crate::scenario::Problem;

/// From the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Counts questions; replies bear the number of theirs.
    pub id: u32,
    /// What is wanted.
    pub ask: Ask,
}

/// What the page wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The answer to the question of a link, in its view.
    Answer {
        /// The question, as the address has it, without `#`.
        link: String,
        /// Whether figures have to be narrow.
        narrow: bool,
    },
    /// What stands below an answer that the page has already.
    More {
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
    /// A file of something in the answer to a question: the last one, or one that the page answered itself.
    File {
        /// The question, as the address has it, without `#`.
        link: String,
        /// Whether figures are narrow.
        narrow: bool,
        /// The figure's or table's machine name.
        of: String,
        /// Which kind of file.
        format: Format,
    },
    /// Nothing any more: the last question is void.
    Stop,
}

/// From the worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The number of the request.
    pub id: u32,
    /// The reply.
    pub said: Said,
}

/// What the worker says.
#[derive(Clone, Debug, PartialEq)]
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
    /// What is known of the answer so far, as markup.
    Partial {
        /// Steps done.
        done: u32,
        /// Steps in all.
        of: u32,
        /// Cards of numbers.
        headline: String,
        /// Figures and tables.
        figures: String,
    },
    /// The answer, as markup.
    Answer {
        /// Cards of numbers.
        headline: String,
        /// Figures and tables.
        figures: String,
    },
    /// What is wrong with the question.
    Refusal {
        /// The problems, each with its field.
        problems: Vec<Problem>,
    },
    /// What stands below an answer that the page has already.
    More {
        /// The question.
        link: String,
        /// Figures and tables; none where there are no more.
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

fn number(text: &str) -> Option<u32> {
    text.parse().ok()
}

impl Request {
    /// As it travels.
    pub fn into_texts(self) -> Vec<String> {
        let id = self.id.to_string();
        match self.ask {
            Ask::Answer { link, narrow } => vec![id, "answer".to_owned(), link, narrow.to_string()],
            Ask::More { link, narrow } => vec![id, "more".to_owned(), link, narrow.to_string()],
            Ask::Constants { link } => vec![id, "constants".to_owned(), link],
            Ask::File { link, narrow, of, format } => {
                vec![id, "file".to_owned(), link, narrow.to_string(), of, format.name().to_owned()]
            }
            Ask::Stop => vec![id, "stop".to_owned()],
        }
    }

    /// The request that travels so.
    pub fn of_texts(texts: Vec<String>) -> Option<Self> {
        let mut texts = texts.into_iter();
        let mut next = || texts.next();
        let (id, name) = (number(&next()?)?, next()?);
        let ask = match name.as_str() {
            "answer" => Ask::Answer { link: next()?, narrow: next()? == "true" },
            "more" => Ask::More { link: next()?, narrow: next()? == "true" },
            "constants" => Ask::Constants { link: next()? },
            "file" => Ask::File {
                link: next()?,
                narrow: next()? == "true",
                of: next()?,
                format: Format::named(&next()?)?,
            },
            "stop" => Ask::Stop,
            _ => return None,
        };
        Some(Self { id, ask })
    }
}

impl Reply {
    /// As it travels.
    pub fn into_texts(self) -> Vec<String> {
        let id = self.id.to_string();
        match self.said {
            Said::Ready => vec![id, "ready".to_owned()],
            Said::Progress { done, of } => {
                vec![id, "progress".to_owned(), done.to_string(), of.to_string()]
            }
            Said::Partial { done, of, headline, figures } => {
                vec![id, "partial".to_owned(), done.to_string(), of.to_string(), headline, figures]
            }
            Said::Answer { headline, figures } => vec![id, "answer".to_owned(), headline, figures],
            Said::Refusal { problems } => {
                let parts = problems.into_iter().flat_map(|problem| [problem.field, problem.message]);
                [id, "refusal".to_owned()].into_iter().chain(parts).collect()
            }
            Said::More { link, figures } => vec![id, "more".to_owned(), link, figures],
            Said::Constants { form } => vec![id, "constants".to_owned(), form],
            Said::File { of, format, text } => {
                vec![id, "file".to_owned(), of, format.name().to_owned(), text]
            }
            Said::Fault { message } => vec![id, "fault".to_owned(), message],
        }
    }

    /// The reply that travels so.
    pub fn of_texts(texts: Vec<String>) -> Option<Self> {
        let mut texts = texts.into_iter();
        let mut next = || texts.next();
        let (id, name) = (number(&next()?)?, next()?);
        let said = match name.as_str() {
            "ready" => Said::Ready,
            "progress" => Said::Progress { done: number(&next()?)?, of: number(&next()?)? },
            "partial" => Said::Partial {
                done: number(&next()?)?,
                of: number(&next()?)?,
                headline: next()?,
                figures: next()?,
            },
            "answer" => Said::Answer { headline: next()?, figures: next()? },
            "refusal" => {
                let problem = || Some(Problem { field: next()?, message: next()? });
                Said::Refusal { problems: std::iter::from_fn(problem).collect() }
            }
            "more" => Said::More { link: next()?, figures: next()? },
            "constants" => Said::Constants { form: next()? },
            "file" => Said::File { of: next()?, format: Format::named(&next()?)?, text: next()? },
            "fault" => Said::Fault { message: next()? },
            _ => return None,
        };
        Some(Self { id, said })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent() {
        let text = || "text".to_owned();
        for ask in [
            Ask::Answer { link: text(), narrow: true },
            Ask::More { link: text(), narrow: true },
            Ask::Constants { link: text() },
            Ask::File { link: text(), narrow: false, of: text(), format: Format::Png },
            Ask::Stop,
        ] {
            let request = Request { id: 7, ask };
            assert_eq!(Request::of_texts(request.clone().into_texts()), Some(request));
        }
        for said in [
            Said::Ready,
            Said::Progress { done: 1, of: 2 },
            Said::Partial { done: 1, of: 2, headline: text(), figures: text() },
            Said::Answer { headline: text(), figures: String::new() },
            Said::Refusal { problems: vec![Problem::new("field", "message"), Problem::new("", "message")] },
            Said::More { link: text(), figures: text() },
            Said::Constants { form: text() },
            Said::File { of: text(), format: Format::Csv, text: text() },
            Said::Fault { message: text() },
        ] {
            let reply = Reply { id: 7, said };
            assert_eq!(Reply::of_texts(reply.clone().into_texts()), Some(reply));
        }
    }

    #[test]
    fn anything_else_is_no_message() {
        for texts in
            [&[][..], &["x", "stop"], &["1"], &["1", "shout"], &["1", "file", "v=1", "true", "memory", "exe"]]
        {
            let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
            assert_eq!(Request::of_texts(texts.clone()), None);
            assert_eq!(Reply::of_texts(texts), None);
        }
    }
}
