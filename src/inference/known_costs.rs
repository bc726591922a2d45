//! Costs of the operators of a step that several kinds of layers have in common.

use crate::system::Cost;
use crate::workload::Operator;

/// The last operator at each place of a layer, with its cost: kinds of layers differ in a few operators (DeepSeek's in the
/// feed-forward block, those with a window in the attention core).
#[derive(Default)]
pub(super) struct KnownCosts {
    known: Vec<(Operator, Cost)>,
    place: usize,
}

impl KnownCosts {
    /// Begins another kind of layers.
    pub(super) const fn begin(&mut self) {
        self.place = 0;
    }

    /// Cost of the next operator of the kind: that of the last kind's at this place if they are equal.
    pub(super) fn cost(&mut self, operator: &Operator, cost: impl FnOnce(&Operator) -> Cost) -> Cost {
        let place = self.place;
        self.place += 1;
        match self.known.get_mut(place) {
            Some((known, of_known)) if known == operator => *of_known,
            Some(known) => {
                *known = (*operator, cost(operator));
                known.1
            }
            None => {
                let cost = cost(operator);
                self.known.push((*operator, cost));
                cost
            }
        }
    }
}
