//! The Papers view: a list of both papers' tables and figures, or one of them with its published values.

mod entry;
mod gallery;
mod result;

use super::{News, Question, Work, Working};
use crate::papers::{self, Begin, Computing, Entry, Found};

pub(super) use entry::ENTRY;

/// The view at work: everything that is computed so far, which no question changes.
#[derive(Debug, Default)]
pub(crate) struct Papers {
    computed: Vec<(&'static str, Found)>,
    /// Results in steps that have begun.
    begun: Vec<(&'static str, Box<dyn Computing>)>,
    /// The result whose file is awaited.
    awaits: Option<&'static str>,
    /// Problem of that file.
    fault: Option<String>,
}

impl Working for Papers {
    fn step(&mut self, question: &Question) -> Work {
        let exhibit = match question.scenario.exhibit() {
            Ok(Some(exhibit)) => exhibit,
            Ok(None) => return self.gallery(question),
            Err(problems) => return Work::Refused(problems),
        };
        if let Some(fault) = self.fault.take() {
            return Work::Fault(fault);
        }
        let Some(entry) = papers::entry(exhibit.id) else {
            return Work::Fault(format!("`{}` has no computation", exhibit.id));
        };
        match self.advance(entry) {
            Ok(found) => Work::Done(News::Whole(result::answer(exhibit, entry, found, question.size))),
            Err(work) => *work,
        }
    }

    fn supply(&mut self, file: Result<&str, String>) {
        let Some(id) = self.awaits.take() else { return };
        let begun = self.begun.iter_mut().find(|(known, _)| *known == id);
        let outcome = match (file, begun) {
            (Ok(text), Some((_, computing))) => computing.supply(text),
            (Ok(_), None) => Ok(()),
            (Err(why), _) => Err(why),
        };
        self.fault = outcome.err().map(|why| format!("The published values could not be read: {why}"));
    }
}

impl Papers {
    /// A result, or what one more step of it gave.
    fn advance(&mut self, entry: &Entry) -> Result<&Found, Box<Work>> {
        let known = self.computed.iter().position(|(known, _)| *known == entry.id);
        let place = if let Some(place) = known {
            place
        } else {
            let found = self.compute(entry)?;
            self.computed.push((entry.id, found));
            self.computed.len() - 1
        };
        Ok(&self.computed[place].1)
    }

    fn compute(&mut self, entry: &Entry) -> Result<Found, Box<Work>> {
        let begin = match entry.begin {
            Begin::Once(compute) => return Ok(compute()),
            Begin::Steps(begin) => begin,
        };
        let place = self.begun.iter().position(|(known, _)| *known == entry.id).unwrap_or_else(|| {
            self.begun.push((entry.id, begin()));
            self.begun.len() - 1
        });
        let computing = &mut self.begun[place].1;
        if let Some(file) = computing.needs() {
            self.awaits = Some(entry.id);
            return Err(Box::new(Work::Fetch(file)));
        }
        computing.advance();
        let (done, all) = computing.progress();
        if done < all {
            return Err(Box::new(Work::Progress(done, all)));
        }
        let found = computing.found();
        drop(self.begun.remove(place));
        Ok(found)
    }

    /// The list, with the errors of what takes one step or is known; one result a step.
    fn gallery(&mut self, question: &Question) -> Work {
        let quick: Vec<&Entry> =
            papers::entries().filter(|entry| matches!(entry.begin, Begin::Once(_))).collect();
        let all = quick.len() as u32;
        let known = |entry: &&Entry| self.computed.iter().any(|(id, _)| *id == entry.id);
        let Some(open) = quick.iter().position(|entry| !known(entry)) else {
            return Work::Done(News::Whole(gallery::answer(&self.computed, question)));
        };
        if question.shown.is_none() {
            return Work::Partial(0, all, News::Whole(gallery::answer(&self.computed, question)));
        }
        match self.advance(quick[open]) {
            Ok(_) => Work::Progress(open as u32 + 1, all),
            Err(work) => *work,
        }
    }
}
