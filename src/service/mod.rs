//! Answers questions in short steps, in a worker or on the page.
//!
//! The page sends a [`Request`], a [`Service`] answers with [`Reply`]s. Both are data that travel as JSON, so that
//! it makes no difference where the service runs. A newer question replaces an older one; between two steps whoever
//! runs the service looks for the next request, so that every answer can be cancelled and shows its progress.

mod message;
mod run;

pub use message::{Ask, Reply, Request, Said};
pub use run::{Service, Step};
