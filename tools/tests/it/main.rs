//! Predictions against published rows, and files against what `make validate` writes: one binary, one module a subject.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic)]
// A method path is not general enough over a job's lifetime.
#![allow(clippy::redundant_closure_for_method_calls)]

mod finetuning;
mod kernels;
mod papers;
mod serving;
mod subramanian;
mod validation;
mod vit;
