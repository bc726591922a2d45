//! The order in which searchers that share a search take its items.

/// One of the programs that share a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searcher {
    /// Its index, from 0.
    pub index: u32,
    /// Number of searchers.
    pub count: u32,
}

impl Searcher {
    /// The only one of a search.
    pub const ALONE: Self = Self { index: 0, count: 1 };
}

/// The items of a search, in the order in which one searcher takes them.
#[derive(Clone, Debug)]
pub(super) struct WorkOrder {
    done: Vec<bool>,
    searcher: Searcher,
}

impl WorkOrder {
    /// The order for a number of items, none of which is done.
    pub(super) fn new(items: usize, searcher: Searcher) -> Self {
        Self { done: vec![false; items], searcher }
    }

    /// Number of items that are done.
    pub(super) fn done(&self) -> usize {
        self.done.iter().filter(|done| **done).count()
    }

    /// Number of items.
    pub(super) fn all(&self) -> usize {
        self.done.len()
    }

    /// The next item: of every `count` items the searcher's own, in ascending order; then those of the others. These are taken from
    /// the end, and by every searcher another one, since their owners come from the beginning.
    pub(super) fn next(&self) -> Option<usize> {
        let Searcher { index, count } = self.searcher;
        let (index, count) = (index as usize, count.max(1) as usize);
        let left = |item: &usize| !self.done[*item];
        let own = (index..self.done.len()).step_by(count).find(left);
        own.or_else(|| {
            let others: Vec<usize> = (0..self.done.len()).rev().filter(left).collect();
            others.get(index % others.len().max(1)).copied()
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

    fn order(index: u32, count: u32, done: &[usize]) -> Vec<usize> {
        let mut items = WorkOrder::new(7, Searcher { index, count });
        for item in done {
            assert!(items.end(*item) && !items.end(*item));
        }
        std::iter::from_fn(|| items.next().filter(|item| items.end(*item))).collect()
    }

    #[test]
    fn every_item_is_taken_once() {
        assert_eq!(order(0, 1, &[2]), [0, 1, 3, 4, 5, 6]);
        assert_eq!(order(0, 2, &[]), [0, 2, 4, 6, 5, 3, 1]);
        assert_eq!(order(1, 2, &[1, 6]), [3, 5, 2, 0, 4]);
        assert_eq!(order(9, 2, &[0, 1, 2, 3, 4, 5]), [6]);
        assert!(!WorkOrder::new(1, Searcher::ALONE).end(1));
    }
}
