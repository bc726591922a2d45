//! Items that several workers process at the same time, each of which hears which ones the others have done.

/// Place of a worker among those that share a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its number, from 0.
    pub place: u32,
    /// Number of workers.
    pub of: u32,
}

impl Turn {
    /// The only worker of a search.
    pub const ALONE: Self = Self { place: 0, of: 1 };
}

/// The order in which one of several workers processes items.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    done: Vec<bool>,
    turn: Turn,
}

impl Turns {
    /// The order for a number of items, none of which is done.
    pub(super) fn new(items: usize, turn: Turn) -> Self {
        Self { done: vec![false; items], turn }
    }

    /// Number of items that are done.
    pub(super) fn done(&self) -> usize {
        self.done.iter().filter(|done| **done).count()
    }

    /// Number of items.
    pub(super) fn all(&self) -> usize {
        self.done.len()
    }

    /// The next item to process: of every `of` items the worker's own, in ascending order; then those of other workers. These
    /// are taken from the end, and by every worker another one, since their owners come from the beginning.
    pub(super) fn next(&self) -> Option<usize> {
        let Turn { place, of } = self.turn;
        let (place, of) = (place as usize, of.max(1) as usize);
        let left = |item: &usize| !self.done[*item];
        let own = (place..self.done.len()).step_by(of).find(left);
        own.or_else(|| {
            let others: Vec<usize> = (0..self.done.len()).rev().filter(left).collect();
            others.get(place % others.len().max(1)).copied()
        })
    }

    /// Marks an item as done. Returns false if there is none, or if it was done before.
    pub(super) fn end(&mut self, item: usize) -> bool {
        self.done.get_mut(item).is_some_and(|done| !std::mem::replace(done, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(turn: Turn, done: &[usize]) -> Vec<usize> {
        let mut turns = Turns::new(7, turn);
        for item in done {
            assert!(turns.end(*item) && !turns.end(*item));
        }
        std::iter::from_fn(|| turns.next().filter(|item| turns.end(*item))).collect()
    }

    #[test]
    fn every_item_has_its_turn_once() {
        assert_eq!(order(Turn::ALONE, &[2]), [0, 1, 3, 4, 5, 6]);
        assert_eq!(order(Turn { place: 0, of: 2 }, &[]), [0, 2, 4, 6, 5, 3, 1]);
        assert_eq!(order(Turn { place: 1, of: 2 }, &[1, 6]), [3, 5, 2, 4, 0]);
        assert_eq!(order(Turn { place: 9, of: 2 }, &[0, 1, 2, 3, 4, 5]), [6]);
        assert!(!Turns::new(1, Turn::ALONE).end(1));
    }
}
