//! Foretoken predicts how fast a large language model trains and serves on given hardware, and says why.
//!
//! The library is pure: no browser, no clock, no input or output, the same bits on every platform.
//! A [`scenario::Scenario`] is what somebody asks; it resolves to an architecture, a plan and a system.
//! [`training`], [`inference`] and [`serving`] turn those into times, bytes and their terms. [`generations`] compares
//! accelerators, [`economics`] computes cost and energy, [`search`] tries all plans, [`sizing`] all devices for given
//! traffic, and [`figure`] draws the results.
//! Each module depends only on those above it in this list:
//! [`units`], [`json`], [`catalog`], [`technology`], [`system`], [`workload`], [`plan`], [`estimate`], [`training`],
//! [`inference`], [`serving`], [`economics`], [`published`], [`search`], [`sizing`], [`generations`], [`scenario`],
//! [`launch`], [`traffic`], [`validation`], [`calibration`], [`measured`], [`papers`], [`figure`], [`view`], [`service`].
//! `app`, the page, is compiled for the browser only. `docs/architecture.md` describes each module.
//!
//! # Example
//!
//! A question comes from a link, from JSON or from fields, and is answered with typed quantities:
//!
//! ```
//! use foretoken::scenario::link;
//!
//! let question = link::decode("v=1&model=llama-3.1-70b&gpu=h100-sxm&gpus=512&tp=8&pp=4").scenario;
//! let estimate = question.training().expect("a plan that fits");
//! println!("{:.1} s a step at {:.0} % MFU", estimate.step.get(), 100.0 * estimate.mfu);
//! assert!((0.3..0.6).contains(&estimate.mfu));
//! ```

pub mod calibration;
pub mod catalog;
pub mod economics;
pub mod estimate;
pub mod figure;
pub mod generations;
pub mod inference;
pub mod json;
pub mod launch;
pub mod measured;
pub mod papers;
pub mod plan;
pub mod published;
pub mod scenario;
pub mod search;
pub mod service;
pub mod serving;
pub mod sizing;
pub mod system;
pub mod technology;
pub mod traffic;
pub mod training;
pub mod units;
pub mod validation;
pub mod view;
pub mod workload;

mod csv;
pub mod markup;
mod order;
mod words;

#[cfg(target_arch = "wasm32")]
pub mod app;
