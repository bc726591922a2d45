//! A prefix cache that forgets the least recently used block.

use std::collections::{BTreeMap, HashMap};

/// The blocks that are cached.
#[derive(Clone, Debug, Default)]
pub(super) struct Reuse {
    /// Most blocks.
    capacity: usize,
    /// When each block was last used.
    used: HashMap<u64, u64>,
    /// The blocks in the order of their last use.
    order: BTreeMap<u64, u64>,
    clock: u64,
}

impl Reuse {
    /// An empty cache of so many blocks.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// Blocks at the beginning of a prompt that are cached; all of its blocks are cached afterwards.
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
        // 3 is the oldest now.
        assert_eq!(cache.request(&[4]), 0);
        assert_eq!(cache.request(&[1, 2, 3]), 2);
        assert_eq!(Reuse::new(0).request(&[1, 1]), 0);
    }
}
