//! One request at a time, in short steps.

use super::constants;
use super::message::{Ask, Format, Reply, Request, Said};
use super::validation::Validation;
use crate::figure::{Figure, Table, escape};
use crate::scenario::{Scenario, View, link};

/// What answers requests. It keeps what it has read and computed for the next ones.
#[derive(Debug, Default)]
pub struct Desk {
    /// The question that is being answered.
    request: Option<Request>,
    /// What was asked for in between and is ready.
    outbox: Vec<Reply>,
    validation: Validation,
    files: Files,
}

/// What follows a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// There is nothing to do until the next request.
    Idle,
    /// Something to tell the page; there may be more to do.
    Tell(Reply),
    /// This file, which lies beside the program, is needed first: see [`Desk::supply`].
    Fetch(&'static str),
}

/// What is left to do before there is an answer.
pub(super) enum Work {
    /// A file has to be read.
    Fetch(&'static str),
    /// This many of so many steps are done.
    Progress(u32, u32),
    /// The answer.
    Done { headline: String, figures: String, files: Files },
}

/// What the last answer shows, for who wants to keep it.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) figures: Vec<Figure>,
    pub(super) tables: Vec<(&'static str, Table)>,
}

impl Files {
    fn text(&self, of: &str, format: Format) -> Option<String> {
        let figure = self.figures.iter().find(|figure| figure.id == of);
        let table = || self.tables.iter().find(|(id, _)| *id == of).map(|(_, table)| table);
        match format {
            Format::Svg | Format::Png => figure.map(Figure::standalone_svg),
            Format::Csv => figure.map(|figure| &figure.table).or_else(table).map(Table::to_csv),
        }
    }
}

impl Desk {
    /// Takes a request: a question in place of the one before, anything else beside it.
    pub fn ask(&mut self, request: Request) {
        let id = request.id;
        match request.ask {
            Ask::Answer { .. } => self.request = Some(request),
            Ask::Stop => self.request = None,
            Ask::Constants { link } => {
                let said = match constants::form(&link::decode(&link).scenario) {
                    Ok(form) => Said::Constants { form },
                    Err(message) => Said::Constants { form: escape(&message) },
                };
                self.outbox.push(Reply { id, said });
            }
            Ask::File { of, format } => {
                let said = match self.files.text(&of, format) {
                    Some(text) => Said::File { of, format, text },
                    None => Said::Fault { message: format!("There is nothing called {of} to save") },
                };
                self.outbox.push(Reply { id, said });
            }
        }
    }

    /// Brings a file that was needed, or says why there is none.
    pub fn supply(&mut self, file: Result<&str, String>) {
        self.validation.read(file);
    }

    /// Does a little of what there is to do.
    pub fn step(&mut self) -> Step {
        if !self.outbox.is_empty() {
            return Step::Tell(self.outbox.remove(0));
        }
        let Some(Request { id, ask: Ask::Answer { link, narrow } }) = &self.request else {
            return Step::Idle;
        };
        let (id, narrow) = (*id, *narrow);
        let scenario = link::decode(link).scenario;
        let said = match self.work(&scenario, narrow) {
            Ok(Work::Fetch(file)) => return Step::Fetch(file),
            Ok(Work::Progress(done, of)) => {
                return Step::Tell(Reply { id, said: Said::Progress { done, of } });
            }
            Ok(Work::Done { headline, figures, files }) => {
                self.files = files;
                Said::Answer { headline, figures }
            }
            Err(message) => Said::Fault { message },
        };
        self.request = None;
        Step::Tell(Reply { id, said })
    }

    fn work(&mut self, scenario: &Scenario, narrow: bool) -> Result<Work, String> {
        match scenario.view {
            View::Validation => self.validation.work(scenario, narrow),
            View::Training | View::Inference | View::Generations => {
                Err("The page answers this view itself".to_owned())
            }
        }
    }
}
