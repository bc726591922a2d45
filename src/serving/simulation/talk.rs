//! Requests of sessions: turn after turn, with the prefix cache of the replica that prefills them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lengths::Lengths;
use super::prefix_cache::PrefixCache;
use super::random::Random;
use crate::inference::{CacheTiers, Session};

/// Traffic of sessions at the simulated replicas that prefill.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traffic {
    /// Mean lengths.
    pub(super) session: Session,
    /// Distribution around them.
    pub(super) lengths: Lengths,
    /// Requests per second, all turns together.
    pub(super) rate: f64,
    /// Mean time in which a turn is answered, s: the next one cannot come before.
    pub(super) answered: f64,
    /// Capacities of the prefix cache of each replica.
    pub(super) tiers: CacheTiers,
    /// Number of replicas.
    pub(super) replicas: usize,
    /// True if the first request finds no session that began before.
    pub(super) begins_idle: bool,
}

/// Sessions that begin at random times. Each stays on one replica.
#[derive(Clone, Debug)]
pub(super) struct Talk {
    traffic: Traffic,
    random: Random,
    /// Next turns, the earliest first.
    turns: BinaryHeap<Reverse<Turn>>,
    /// Time at which the next session begins, s.
    begins: f64,
    /// Sessions so far.
    sessions: u64,
    /// Tokens of a block of the prefix cache.
    block: f64,
    caches: Vec<PrefixCache>,
    /// Cached tokens of the request that was taken last, in each tier.
    cached: [f64; 3],
    /// Blocks of that request.
    blocks: Vec<u64>,
}

/// A turn that is to come.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// Time of arrival, s.
    time: f64,
    session: u64,
    /// Turns that follow this one.
    left: u32,
    /// Tokens of all turns before, with the shared prefix.
    history: u32,
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.time.total_cmp(&other.time).then(self.session.cmp(&other.session))
    }
}

/// A request of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Prompt tokens.
    pub(super) prompt: u32,
    /// Output tokens.
    pub(super) output: u32,
    /// Replica of its session.
    pub(super) replica: usize,
}

/// Seed of the random numbers that begin sessions, draw lengths and times to think.
const SEED: u64 = 0x7A1C;

/// Blocks of a mean prompt.
const BLOCKS: f64 = 48.0;

/// Fewest tokens of a block, as vLLM's.
const LEAST_BLOCK: f64 = 16.0;

/// Intervals of sessions before time 0 beyond their turns, in which caches fill.
const BEFORE: f64 = 4.0;

/// Bits of a block's number within its session.
const BLOCK_BITS: u32 = 24;

impl Talk {
    /// Sessions in their steady state at time 0, or none yet.
    pub(super) fn new(traffic: Traffic) -> Self {
        let Session { turns, shared, message, answer, interval, .. } = traffic.session;
        let count = f64::from(turns);
        let prompt = shared + 0.5 * (message * (count + 1.0) + answer * (count - 1.0));
        let block = libm::floor(prompt / BLOCKS).max(LEAST_BLOCK);
        let from = if traffic.begins_idle { 0.0 } else { -(count + BEFORE) * interval };
        let mut talk = Self {
            traffic,
            random: Random::new(SEED),
            turns: BinaryHeap::new(),
            begins: from,
            sessions: 0,
            block,
            caches: vec![PrefixCache::new(&traffic.tiers, block); traffic.replicas.max(1)],
            cached: [0.0; 3],
            blocks: Vec::new(),
        };
        talk.schedule();
        while talk.next_time() < 0.0 {
            talk.next();
        }
        talk
    }

    /// Sets the time at which the next session begins.
    fn schedule(&mut self) {
        let turns = f64::from(self.traffic.session.turns);
        self.begins += self.random.exponential(turns / self.traffic.rate);
    }

    /// Distribution of lengths.
    pub(super) const fn lengths(&self) -> Lengths {
        self.traffic.lengths
    }

    /// Time of the next arrival, s.
    pub(super) fn next_time(&self) -> f64 {
        self.turns.peek().map_or(self.begins, |turn| turn.0.time.min(self.begins))
    }

    /// The next request. Its prompt and answer are inserted into the cache of its replica.
    pub(super) fn next(&mut self) -> Request {
        let turn = match self.turns.peek() {
            Some(Reverse(turn)) if turn.time <= self.begins => self.turns.pop().map(|Reverse(turn)| turn),
            _ => None,
        };
        let turn = turn.unwrap_or_else(|| self.begin());
        let Traffic { session, lengths, answered, .. } = self.traffic;
        let (message, output) = lengths.draw((session.message, session.answer), &mut self.random);
        let prompt = turn.history.saturating_add(message);
        let replica = (turn.session % self.caches.len() as u64) as usize;
        let kept = if session.keeps_answers { prompt.saturating_add(output) } else { prompt };
        self.look_up(turn.session, prompt, kept, replica);
        if turn.left > 0 {
            let thought = (session.interval - answered).max(0.0);
            let time = turn.time + answered + self.random.exponential(thought);
            let history = prompt.saturating_add(output);
            self.turns.push(Reverse(Turn { time, left: turn.left - 1, history, ..turn }));
        }
        Request { prompt, output, replica }
    }

    /// The first turn of the next session.
    fn begin(&mut self) -> Turn {
        let Session { turns, shared, .. } = self.traffic.session;
        let (time, session) = (self.begins, self.sessions);
        self.sessions += 1;
        self.schedule();
        Turn { time, session, left: turns.max(1) - 1, history: shared as u32 }
    }

    /// Finds the cached tokens of a prompt, and inserts its `kept` tokens.
    fn look_up(&mut self, session: u64, prompt: u32, kept: u32, replica: usize) {
        let whole = |tokens: f64| libm::floor(tokens / self.block) as u64;
        let (shared, all) = (whole(self.traffic.session.shared), whole(f64::from(kept)));
        let own = (session + 1) << BLOCK_BITS;
        self.blocks.clear();
        self.blocks.extend((0..all).map(|block| if block < shared { block } else { own | block }));
        let Some(cache) = self.caches.get_mut(replica) else { return };
        let mut left = f64::from(prompt);
        self.cached = cache.request(&self.blocks).map(|blocks| {
            let tokens = (blocks as f64 * self.block).min(left);
            left -= tokens;
            tokens
        });
    }

    /// Cached tokens of the request that was taken last, in each tier.
    pub(super) const fn cached(&self) -> [f64; 3] {
        self.cached
    }
}
