//! Prefix cache of blocks of equal size, in tiers: GPU memory, host memory, SSDs. Blocks that were used least recently move down
//! and are forgotten at the end (LRU).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::inference::CacheTiers;

/// The prefix cache of a replica.
///
/// Which tier has a block follows from an LRU cache as large as the tiers up to it: a larger LRU cache always has what a smaller
/// one has (Mattson, Gecsei, Slutz and Traiger 1970).
#[derive(Clone, Debug, Default)]
pub struct PrefixCache {
    tiers: [Lru; 3],
}

/// An LRU cache of blocks.
#[derive(Clone, Debug, Default)]
struct Lru {
    /// Capacity in blocks.
    capacity: usize,
    /// Clock value at the last use of each block.
    used: FxHashMap<u64, u64>,
    /// Uses of blocks with their clock values, the oldest first. All but the last use of a block are void.
    uses: VecDeque<(u64, u64)>,
    clock: u64,
}

/// Uses per cached block beyond which void ones are removed.
const MOST_USES: usize = 4;

impl PrefixCache {
    /// An empty cache whose blocks have this many tokens.
    pub fn new(tiers: &CacheTiers, block: f64) -> Self {
        let own = [tiers.gpu, tiers.host, tiers.ssd];
        let up_to = tiers.up_to();
        let tiers = [0, 1, 2].map(|tier| {
            // A tier without room of its own needs no second account of the ones above it.
            let room = if own[tier] > 0.0 || tier == 0 { up_to[tier] } else { 0.0 };
            Lru { capacity: libm::floor(room / block).clamp(0.0, 1e9) as usize, ..Lru::default() }
        });
        Self { tiers }
    }

    /// Number of leading blocks of a prompt that are cached in each tier, counted in the uppermost tier that has them. All blocks of
    /// the prompt move to the uppermost tier.
    pub fn request(&mut self, blocks: &[u64]) -> [usize; 3] {
        let mut found = 0;
        let mut each = [0; 3];
        for (tier, own) in self.tiers.iter_mut().zip(&mut each) {
            let hit = tier.request(blocks).max(found);
            *own = hit - found;
            found = hit;
        }
        each
    }
}

impl Lru {
    /// Number of leading blocks of a prompt that are cached. Inserts all blocks of the prompt.
    fn request(&mut self, blocks: &[u64]) -> usize {
        if self.capacity == 0 {
            return 0;
        }
        let hit = blocks.iter().take_while(|block| self.used.contains_key(block)).count();
        // The last blocks of a prompt are evicted first: without the ones before them they are of no use.
        for block in blocks.iter().rev() {
            self.clock += 1;
            self.used.insert(*block, self.clock);
            self.uses.push_back((self.clock, *block));
            while self.used.len() > self.capacity {
                let Some((clock, oldest)) = self.uses.pop_front() else { break };
                if self.used.get(&oldest) == Some(&clock) {
                    self.used.remove(&oldest);
                }
            }
        }
        if self.uses.len() > MOST_USES * self.used.len().max(blocks.len()) {
            self.uses.retain(|(clock, block)| self.used.get(block) == Some(clock));
        }
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(gpu: f64, host: f64, ssd: f64) -> PrefixCache {
        PrefixCache::new(&CacheTiers { gpu, host, ssd, copies: false }, 1.0)
    }

    #[test]
    fn the_least_recently_used_block_is_forgotten() {
        let mut one = cache(3.0, 0.0, 0.0);
        assert_eq!(one.request(&[1, 2, 3]), [0, 0, 0]);
        assert_eq!(one.request(&[1, 2]), [2, 0, 0]);
        // Block 3 is the least recently used one and is evicted.
        assert_eq!(one.request(&[4]), [0, 0, 0]);
        assert_eq!(one.request(&[1, 2, 3]), [2, 0, 0]);
        assert_eq!(cache(0.0, 0.0, 0.0).request(&[1, 1]), [0, 0, 0]);
    }

    #[test]
    fn blocks_move_down_and_up() {
        let mut tiers = cache(1.0, 1.0, 2.0);
        assert_eq!(tiers.request(&[1]), [0, 0, 0]);
        assert_eq!(tiers.request(&[2]), [0, 0, 0]);
        assert_eq!(tiers.request(&[1]), [0, 1, 0]);
        assert_eq!(tiers.request(&[1]), [1, 0, 0]);
        (3..=4).for_each(|block| assert_eq!(tiers.request(&[block]), [0, 0, 0]));
        // Four blocks fit: 4, 3, 1, 2.
        assert_eq!(tiers.request(&[2]), [0, 0, 1]);
        assert_eq!(tiers.request(&[5]), [0, 0, 0]);
        assert_eq!(tiers.request(&[1]), [0, 0, 0]);
    }
}
