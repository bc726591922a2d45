//! Reuse of operator costs between the kinds of layers of a model.

use crate::system::Cost;
use crate::workload::Operator;

/// The last operator at each position in a layer, with its cost. Kinds of layers share most operators: DeepSeek's dense layers differ
/// from its others in the feed-forward block, and layers with a window in the attention core.
#[derive(Default)]
pub(super) struct KnownCosts {
    known: Vec<(Operator, Cost)>,
    place: usize,
}

impl KnownCosts {
    /// Starts at the first operator of another kind of layers.
    pub(super) const fn begin(&mut self) {
        self.place = 0;
    }

    /// Cost of the next operator. It is computed only if the previous kind has another operator at this position.
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
