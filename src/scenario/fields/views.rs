//! Sets of views that share fields. Sets of one view are named by it.

use crate::scenario::View;

/// Views of a training job.
pub(super) const TRAINED: &[View] = &[View::Training, View::Search, View::Generations, View::Technology];
/// Views of a training recipe: those of a job, and that which sizes it.
pub(super) const RECIPES: &[View] =
    &[View::Training, View::Sizing, View::Search, View::Generations, View::Technology];
/// Views of any job.
pub(super) const ESTIMATED: &[View] =
    &[View::Training, View::Inference, View::Sizing, View::Search, View::Generations, View::Technology];
/// Views of one device.
pub(super) const ONE_DEVICE: &[View] = &[View::Training, View::Inference, View::Search];
/// Views of one device, and the view of all for given traffic.
pub(super) const PRICED: &[View] = &[View::Training, View::Inference, View::Sizing, View::Search];
/// Views of requests of given lengths.
pub(super) const REQUESTED: &[View] = &[View::Inference, View::Sizing, View::Generations, View::Technology];
/// Views of a batch of requests.
pub(super) const BATCHED: &[View] = &[View::Inference, View::Generations, View::Technology];
/// Views of requests that come and go under given limits.
pub(super) const STREAMED: &[View] = &[View::Inference, View::Sizing];
/// The view of one training job.
pub(super) const ONLY_TRAINING: &[View] = &[View::Training];
/// The view of served requests.
pub(super) const ONLY_INFERENCE: &[View] = &[View::Inference];
/// The view of fleets and of training runs.
pub(super) const ONLY_SIZING: &[View] = &[View::Sizing];
/// The view of plans.
pub(super) const ONLY_SEARCH: &[View] = &[View::Search];
/// The view of generations.
pub(super) const ONLY_GENERATIONS: &[View] = &[View::Generations];
/// The view of hypothetical accelerators.
pub(super) const ONLY_TECHNOLOGY: &[View] = &[View::Technology];
/// The view of papers' results.
pub(super) const ONLY_PAPERS: &[View] = &[View::Papers];
/// The view of errors.
pub(super) const ONLY_VALIDATION: &[View] = &[View::Validation];
