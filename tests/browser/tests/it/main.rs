//! The built page in real browsers, one binary: tests run side by side, each in a browser of its own.

mod actions;
mod direction;
mod documents;
mod form;
mod heard;
mod links;
mod looks;
mod measured;
mod more;
mod offline;
mod page;
mod papers;
mod pick;
mod same;
mod search;
mod shell;
mod sizes;
mod sizing;
mod start;
mod timeline;
mod tools;
mod tour;
mod validation;
