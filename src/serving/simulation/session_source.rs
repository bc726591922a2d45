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
    /// Time for which the prefix cache keeps what is not used, s.
    pub(super) kept_for: f64,
    /// Capacities of the prefix cache of each replica.
    pub(super) tiers: CacheTiers,
    /// Number of replicas.
    pub(super) replicas: usize,
}

impl Traffic {
    /// Mean time between two turns, s, and the part of it in which the user thinks.
    fn gap(&self) -> (f64, f64) {
        let thought = (self.session.interval - self.answered).max(0.0);
        (self.answered + thought, thought)
    }

    /// Time before the first measured request in which the caches fill, s: the memory of a cache goes back so far.
    fn before(&self) -> f64 {
        let (gap, _) = self.gap();
        (BEFORE * gap).min(3.0 * self.kept_for)
    }

    /// Returns true if its past is short enough to be simulated too, with as many sessions between two turns as there are.
    pub(super) fn is_short(&self) -> bool {
        let (gap, _) = self.gap();
        self.rate * self.before() <= MOST_BEFORE && self.rate * gap <= MOST_WAITING
    }
}

/// Sessions that begin at random times. Each stays on one replica.
#[derive(Clone, Debug)]
pub(super) struct SessionSource {
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
    /// Tokens of the last answer among them.
    last: u32,
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
const BLOCKS: f64 = 32.0;

/// Fewest tokens of a block, as vLLM's.
const LEAST_BLOCK: f64 = 16.0;

/// Intervals between two turns in which caches fill before time 0, at most.
const BEFORE: f64 = 4.0;

/// Most requests before time 0.
const MOST_BEFORE: f64 = 50_000.0;

/// Most sessions between two turns.
const MOST_WAITING: f64 = 100_000.0;

/// First number of the blocks of a session's states, above those of its tokens.
const STATE_BLOCKS: u64 = 1 << 23;

/// Bits of a block's number within its session.
const BLOCK_BITS: u32 = 24;

impl SessionSource {
    /// Sessions in their steady state at time 0, with what the caches have of them.
    pub(super) fn new(traffic: Traffic) -> Self {
        let Session { turns, shared, message, answer, .. } = traffic.session;
        let count = f64::from(turns);
        let prompt = shared + 0.5 * (message * (count + 1.0) + answer * (count - 1.0));
        let block = libm::floor(prompt / BLOCKS).max(LEAST_BLOCK);
        let mut source = Self {
            traffic,
            random: Random::new(SEED),
            turns: BinaryHeap::new(),
            begins: -traffic.before(),
            sessions: 0,
            block,
            caches: vec![PrefixCache::new(&traffic.tiers, block); traffic.replicas.max(1)],
            cached: [0.0; 3],
            blocks: Vec::new(),
        };
        source.go_on();
        source.schedule();
        while source.next_time() < 0.0 {
            source.next();
        }
        source
    }

    /// Sessions that had turns before: of each number of turns as many as begin in a mean time between two.
    fn go_on(&mut self) {
        let Session { turns, shared, message, answer, .. } = self.traffic.session;
        let ((gap, thought), from) = (self.traffic.gap(), self.begins);
        let each = self.traffic.rate / f64::from(turns) * gap;
        for had in 1..turns {
            // A Poisson process with this many events in a unit of time.
            let mut unit = self.random.exponential(1.0 / each);
            while unit < 1.0 {
                unit += self.random.exponential(1.0 / each);
                // At a random time of the gap the answer is under way, or the user thinks.
                let left = self.random.share() * gap - thought;
                let time = from + left.max(0.0) + self.random.exponential(thought);
                let history = shared + f64::from(had) * (message + answer);
                let session = self.sessions;
                self.sessions += 1;
                let history = history as u32;
                let last = answer as u32;
                self.turns.push(Reverse(Turn { time, session, left: turns - had - 1, history, last }));
            }
        }
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
        let (kept, before) = if session.keeps_answers {
            (prompt.saturating_add(output), turn.history)
        } else {
            (prompt, turn.history - turn.last.min(turn.history))
        };
        self.look_up(turn.session, before, kept, replica);
        if turn.left > 0 {
            let (_, thought) = self.traffic.gap();
            let time = turn.time + answered + self.random.exponential(thought);
            let history = prompt.saturating_add(output);
            self.turns.push(Reverse(Turn { time, left: turn.left - 1, history, last: output, ..turn }));
        }
        Request { prompt, output, replica }
    }

    /// The first turn of the next session.
    fn begin(&mut self) -> Turn {
        let Session { turns, shared, .. } = self.traffic.session;
        let (time, session) = (self.begins, self.sessions);
        self.sessions += 1;
        self.schedule();
        Turn { time, session, left: turns.max(1) - 1, history: shared as u32, last: 0 }
    }

    /// Finds how much of the `before` tokens of a session is cached, and inserts its `kept` tokens and its states.
    fn look_up(&mut self, session: u64, before: u32, kept: u32, replica: usize) {
        let whole = |tokens: f64| libm::floor(tokens / self.block) as u64;
        let Session { shared, state, .. } = self.traffic.session;
        let (shared, all, states) = (whole(shared), whole(f64::from(kept)), whole(state + 0.5 * self.block));
        let own = (session + 1) << BLOCK_BITS;
        self.blocks.clear();
        self.blocks.extend((0..all).map(|block| if block < shared { block } else { own | block }));
        self.blocks.extend((0..states).map(|block| own | (STATE_BLOCKS + block)));
        let Some(cache) = self.caches.get_mut(replica) else { return };
        let hits = cache.request(&self.blocks);
        let (found, history) = (hits.iter().sum::<usize>() as u64, whole(f64::from(before)));
        let mut left = f64::from(before);
        self.cached = hits.map(|blocks| {
            let tokens = (blocks as f64 * self.block).min(left);
            left -= tokens;
            tokens
        });
        // Blocks of engines are small: if all whole blocks are there, so is the part of one after them.
        if found >= history {
            let lowest = hits.iter().rposition(|blocks| *blocks > 0).unwrap_or(0);
            self.cached[lowest] += left;
        }
    }

    /// Cached tokens of the request that was taken last, in each tier.
    pub(super) const fn cached(&self) -> [f64; 3] {
        self.cached
    }
}
