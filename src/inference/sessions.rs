//! Sessions: requests whose prompts repeat a shared prefix and, turn by turn, the prompt and the answer before.

use super::job::InferenceJob;
use super::law::LoadFault;
use super::load::InferenceLoad;
use crate::units::Amount;

/// Mean lengths of the requests (turns) of a session, tokens.
///
/// Turn k has a prompt of S + k·U + (k - 1)·O tokens: the shared prefix S, all messages U so far, and the answers O before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session {
    /// Turns of a session.
    pub turns: u32,
    /// Leading prompt tokens S that all requests of all sessions share.
    pub shared: f64,
    /// Prompt tokens U that each turn adds.
    pub message: f64,
    /// Answer tokens O that the prompt of the next turn repeats.
    pub answer: f64,
    /// True if the answers' keys and values are where the next prompt is prefilled. Workers that only prefill have none.
    pub keeps_answers: bool,
    /// Mean time between the arrivals of two turns, s.
    pub interval: f64,
    /// What a request keeps whatever its length (recurrent states, windows), in tokens whose keys and values take as much memory.
    pub state: f64,
}

impl Session {
    /// Tokens beyond the shared prefix whose keys and values are cached after turn k.
    fn cached_after(&self, turn: f64) -> f64 {
        let last = if self.keeps_answers { 0.0 } else { self.answer };
        (turn * (self.message + self.answer) - last).max(0.0)
    }

    /// Tokens beyond the shared prefix that a session keeps after its last turn.
    pub(crate) fn kept(&self) -> f64 {
        self.cached_after(f64::from(self.turns))
    }

    /// Mean number of tokens beyond the shared prefix that a turn repeats: Σ c_k / N for k = 1 … N − 1, where c_k tokens are
    /// cached after turn k.
    pub(crate) fn repeated(&self) -> f64 {
        let turns = f64::from(self.turns);
        let last = if self.keeps_answers { 0.0 } else { self.answer };
        ((turns - 1.0) * (0.5 * (self.message + self.answer) - last / turns)).max(0.0)
    }
}

impl InferenceLoad {
    /// Returns true if the prompts of requests repeat a part of those before.
    pub const fn has_history(&self) -> bool {
        self.turns > 1 || self.shared_prefix > 0
    }

    /// Returns true if prompts repeat a part of those before and requests come one by one, so that cached shares follow from the
    /// traffic.
    pub const fn has_sessions(&self) -> bool {
        self.is_stream() && self.has_history()
    }
}

impl InferenceJob<'_> {
    /// The sessions of the load; `None` if requests have nothing in common, or are served as one batch.
    ///
    /// The prompt P is the mean over the turns, so that each adds U = 2 (P - S - O (N - 1) / 2) / (N + 1) tokens.
    pub fn session(&self) -> Option<Session> {
        let load = self.load;
        if !load.has_sessions() {
            return None;
        }
        let turns = load.turns.max(1);
        let (count, shared, answer) =
            (f64::from(turns), f64::from(load.shared_prefix), f64::from(load.output));
        let message = 2.0 * (self.prompt() - shared - 0.5 * answer * (count - 1.0)) / (count + 1.0);
        let (keeps_answers, interval) = (load.prefill_workers == 0, load.turn_interval_s);
        let prefilling = load.prefilling();
        let (_, fixed, per_token) = self.reader(&prefilling).cache_room();
        let state = if per_token > 0.0 { fixed / per_token } else { 0.0 };
        Some(Session { turns, shared, message: message.max(1.0), answer, keeps_answers, interval, state })
    }

    /// Checks that prompts have room for what they repeat, and that cached shares are not given beside sessions.
    pub fn check_sessions(&self) -> Result<(), LoadFault> {
        let load = self.load;
        if !load.has_sessions() {
            return Ok(());
        }
        let fault = |name, message| Err(LoadFault::new("inference.", name, message));
        if load.reused() > 0.0 {
            let name = if load.turns > 1 { "turns" } else { "shared_prefix" };
            let message = "cached shares follow from turns and the shared prefix: set those that are given to 0, or the turns to 1";
            return fault(name, message.to_owned());
        }
        if load.context > 1 {
            let message = "context parallelism is modelled without prefix caching: set turns to 1 and the shared prefix to 0";
            return fault("context", message.to_owned());
        }
        if load.run_requests() > 0 {
            let name = if load.rate > 0.0 { "requests" } else { "rounds" };
            let message = "sessions are modelled in an endless stream: set this to 0, or turns to 1 and the shared prefix to 0";
            return fault(name, message.to_owned());
        }
        let (prompt, shared, answer) = (self.prompt(), f64::from(load.shared_prefix), f64::from(load.output));
        if prompt < shared + 1.0 {
            let message = format!(
                "a prompt has {} tokens: at most {} can be shared",
                Amount::count(prompt),
                Amount::count((prompt - 1.0).max(0.0))
            );
            return fault("shared_prefix", message);
        }
        // The mean prompt has the shared prefix, half the answers of the other turns, and a message of at least one token a turn.
        let most = libm::floor((2.0 * (prompt - shared) + answer - 1.0) / (answer + 1.0)).max(1.0);
        if f64::from(load.turns) <= most {
            return Ok(());
        }
        let message = format!(
            "prompts repeat the answers before them: with a mean prompt of {} tokens, {} of them shared, and answers of {} tokens, \
             a session has at most {} turns",
            Amount::count(prompt),
            Amount::count(shared),
            Amount::count(answer),
            Amount::count(most)
        );
        fault("turns", message)
    }
}
