//! Transfers between an accelerator and its host in a step, and the part of them that computation does not hide.
//!
//! As in ZeRO-Infinity (Rajbhandari et al. 2021, section 5) and Calculon (Isaev et al. 2023, section 4): a layer's tensors
//! travel while its neighbour computes, both ways at once, so that a pass waits for what its transfers outlast it by. Two
//! layers' tensors are on the accelerator at a time, the one in use and the one in transit.

use super::job::TrainingJob;
use super::stage_times::StageTimes;
use crate::plan::Passes;
use crate::units::{Bytes, Seconds};

/// Layers of which a GPU holds what travels.
const LAYERS: f64 = 2.0;

impl TrainingJob<'_> {
    /// Additional time, through offloading, of the passes of a microbatch over a stage's layers.
    pub(super) fn stalls(&self, times: &StageTimes) -> Passes {
        let offload = self.plan.offload;
        if !(offload.activations || offload.weights) {
            return Passes::default();
        }
        let kept = if offload.activations { self.layer_activations() } else { Bytes::ZERO };
        let weights = if offload.weights { self.travelling_weights() } else { Bytes::ZERO };
        let wait = |out, back, pass: Seconds| (self.system.swap(out, back) - pass).max(Seconds::ZERO);
        Passes {
            forward: wait(kept, weights, times.forward),
            input: wait(Bytes::ZERO, kept + weights, times.backward),
            weight: Seconds::ZERO,
        }
    }

    /// Additional time of the optimizer's step through offloading: its state crosses the host link while it reads and
    /// writes the DRAM.
    pub(super) fn optimizer_stall(&self, step: Seconds) -> Seconds {
        if !self.plan.offload.optimizer {
            return Seconds::ZERO;
        }
        let state = self.optimizer_state();
        (self.system.swap(state, state) - step).max(Seconds::ZERO)
    }

    /// Weights that one pass over a stage's layers needs and this GPU holds.
    fn travelling_weights(&self) -> Bytes {
        // A GPU with two stages needs one of them at a time.
        self.held(self.stage_parameters()) / f64::from(self.plan.schedule.copies())
    }

    /// Memory that a GPU of the fullest stage keeps on its host.
    pub fn hosted(&self) -> Bytes {
        let offload = self.plan.offload;
        let of = |wanted, bytes: Bytes| if wanted { bytes } else { Bytes::ZERO };
        let most = self.pipeline().in_flight().max(self.pipeline().in_flight_last());
        of(offload.activations, self.layer_activations() * most)
            + of(offload.weights, self.held(self.stage_parameters()))
            + of(offload.optimizer, self.optimizer_state())
    }

    /// Part of an amount, shared by `layers` layers, that stays on the accelerator if the amount is offloaded.
    pub(super) fn resident(amount: Bytes, layers: f64, offloaded: bool) -> Bytes {
        if offloaded { amount * (LAYERS / layers.max(LAYERS)) } else { amount }
    }
}
