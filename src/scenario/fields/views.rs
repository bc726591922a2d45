//! Sets of views that share fields.

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
/// Views of requests that come and go under given limits.
pub(super) const STREAMED: &[View] = &[View::Inference, View::Sizing];
/// The view of fleets and of training runs.
pub(super) const SIZED: &[View] = &[View::Sizing];
/// The view of one training job.
pub(super) const TRAINED_ALONE: &[View] = &[View::Training];
/// Views of a batch of requests.
pub(super) const BATCHED: &[View] = &[View::Inference, View::Generations, View::Technology];
/// The view of served requests.
pub(super) const SERVED: &[View] = &[View::Inference];
/// The view of generations.
pub(super) const RANKED: &[View] = &[View::Generations];
/// The view of plans.
pub(super) const SEARCHED: &[View] = &[View::Search];
/// The view of hypothetical accelerators.
pub(super) const BUILT: &[View] = &[View::Technology];
/// The view of papers' results.
pub(super) const QUOTED: &[View] = &[View::Papers];
/// The view of errors.
pub(super) const VALIDATED: &[View] = &[View::Validation];
