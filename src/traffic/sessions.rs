//! Turns of sessions as requests, whose prompts repeat the turns before them.

use std::collections::BTreeMap;

use super::{Fault, Request};

/// Most prefix blocks of all prompts together, which limits the memory of long sessions to 32 MB.
const MOST_BLOCKS: f64 = 4e6;

/// Top bit of the hash of a partial block, which later prompts do not share.
const PARTIAL: u64 = 1 << 63;

/// Bits of a hash that count the blocks of a session.
const WITHIN: u32 = 32;

/// A turn as a file has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    /// Name of the session.
    pub(super) session: Option<String>,
    /// Arrival time, s.
    pub(super) arrival: Option<f64>,
    /// Time between the end of the turn before and this one, s.
    pub(super) delay: f64,
    /// Prompt tokens; without those of earlier turns unless `whole`.
    pub(super) input: f64,
    /// True if the prompt has the earlier turns already.
    pub(super) whole: bool,
    /// Generated tokens; `None` if the file does not say.
    pub(super) output: Option<f64>,
    /// Hashes of prefix blocks that the file has.
    pub(super) blocks: Vec<u64>,
}

/// State of a session after its earlier turns.
#[derive(Default)]
struct Past {
    index: u32,
    /// Arrival of the last turn with a time of its own, s.
    arrival: Option<f64>,
    /// Delays since then, s.
    after: f64,
    /// Tokens of all turns and their answers.
    history: f64,
}

/// Requests of turns, in the order of the file. The first value is true if all sessions and single requests have arrival times.
/// Prompts of sessions without hashes have blocks of `block` tokens.
pub(super) fn requests(turns: Vec<Turn>, block: f64) -> Result<(bool, Vec<Request>), Fault> {
    let mut sessions: BTreeMap<String, Past> = BTreeMap::new();
    let (mut timed, mut blocks, mut all) = (true, 0.0, Vec::new());
    for turn in turns {
        let Some(name) = turn.session else {
            timed &= turn.arrival.is_some();
            all.push(Request {
                arrival: turn.arrival.unwrap_or(0.0),
                input: turn.input,
                output: turn.output.unwrap_or(0.0),
                blocks: turn.blocks,
                ..Request::default()
            });
            continue;
        };
        let next = u32::try_from(sessions.len()).unwrap_or(u32::MAX);
        let begins = !sessions.contains_key(&name);
        let past = sessions.entry(name).or_insert_with(|| Past { index: next, ..Past::default() });
        timed &= !begins || turn.arrival.is_some();
        if turn.arrival.is_some() {
            (past.arrival, past.after) = (turn.arrival, 0.0);
        } else if !begins {
            past.after += turn.delay;
        }
        let input = if turn.whole { turn.input } else { past.history + turn.input };
        let output = turn.output.unwrap_or(0.0);
        past.history = input + output;
        let hashes = if turn.blocks.is_empty() {
            blocks += input / block;
            if blocks.is_nan() || blocks > MOST_BLOCKS {
                return Err(Fault::TooLong);
            }
            hashes(past.index, input, block, all.len())
        } else {
            turn.blocks
        };
        all.push(Request {
            arrival: past.arrival.unwrap_or(0.0),
            after: past.after,
            session: Some(past.index),
            input,
            output,
            blocks: hashes,
        });
    }
    Ok((timed, all))
}

/// Hashes of the blocks of a session's prompt: those of full blocks are the same in all of its turns.
fn hashes(session: u32, input: f64, block: f64, request: usize) -> Vec<u64> {
    let full = libm::floor(input / block) as u64;
    let mut all: Vec<u64> = (0..full).map(|place| (u64::from(session) << WITHIN) | place).collect();
    if full as f64 * block < input {
        all.push(PARTIAL | request as u64);
    }
    all
}
