//! Prefix cache of fixed-size blocks with least-recently-used (LRU) eviction.

use std::collections::{BTreeMap, HashMap};

/// An LRU cache of prefix blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Reuse {
    /// Capacity in blocks.
    capacity: usize,
    /// Clock value at the last use of each block.
    used: HashMap<u64, u64>,
    /// Blocks by the clock value of their last use.
    order: BTreeMap<u64, u64>,
    clock: u64,
}

impl Reuse {
    /// An empty cache with a capacity in blocks.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// Number of leading blocks of a prompt that are cached. Inserts all blocks of the prompt.
    pub(super) fn request(&mut self, blocks: &[u64]) -> usize {
        let hit = blocks.iter().take_while(|block| self.used.contains_key(block)).count();
        for block in blocks {
            self.clock += 1;
            if let Some(before) = self.used.insert(*block, self.clock) {
                self.order.remove(&before);
            }
            self.order.insert(self.clock, *block);
            while self.used.len() > self.capacity {
                let Some((_, oldest)) = self.order.pop_first() else { break };
                self.used.remove(&oldest);
            }
        }
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_block_is_forgotten() {
        let mut cache = Reuse::new(3);
        assert_eq!(cache.request(&[1, 2, 3]), 0);
        assert_eq!(cache.request(&[1, 2]), 2);
        // Block 3 is the least recently used one and is evicted.
        assert_eq!(cache.request(&[4]), 0);
        assert_eq!(cache.request(&[1, 2, 3]), 2);
        assert_eq!(Reuse::new(0).request(&[1, 1]), 0);
    }
}
