//! What the page computes elsewhere than on its own thread, and not before it is asked for.
//!
//! The page starts its own program once more when it is painted, in a dedicated
//! worker or, where a browser refuses workers, between other things on the page's own thread. They exchange
//! [`Request`]s and [`Reply`]s as lists of texts. A [`Desk`] answers: it takes one request at a time, a newer one in
//! place of an older, and works in short steps, between which whoever runs it looks for the next request. So
//! every answer can be cancelled and shows its progress, wherever it is computed.
//!
//! Answers are markup: drawings of [`crate::figure`], tables, and links that are questions themselves. Whatever
//! a file or a link said is escaped on its way into them. Nothing here knows a browser.
//!
//! Scripts beside the page ask the same program for [`errand`]s.

mod comparison;
mod constants;
mod desk;
pub mod errand;
mod message;
mod report;
mod search;
mod serving;
mod technology;
mod validation;

pub use desk::{Desk, Step};
pub use message::{Ask, Reply, Request, Said};
