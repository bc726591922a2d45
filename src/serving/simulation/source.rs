//! The source of simulated requests: a distribution, a trace, or sessions.

use super::lengths::Lengths;
use super::pool::Reload;
use super::random::Random;
use super::replay::Playing;
use super::session_source::{Request, SessionSource};

/// Source of request lengths and of cached prompt tokens.
#[derive(Clone, Debug)]
pub struct Source {
    kind: Kind,
    /// How cached parts are loaded.
    reload: Reload,
}

#[derive(Clone, Debug)]
enum Kind {
    /// A distribution around mean prompt and output lengths, tokens.
    Drawn(Lengths, (f64, f64)),
    /// A trace.
    Played(Box<Playing>),
    /// Sessions.
    Sessions(Box<SessionSource>),
}

/// A request that arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming {
    /// Prompt tokens.
    pub(super) prompt: u32,
    /// Output tokens.
    pub(super) output: u32,
    /// Index of the request in the trace.
    index: Option<usize>,
    /// The replica that prefills it, if its session has one.
    pub(super) replica: Option<usize>,
}

impl From<(Lengths, (f64, f64))> for Source {
    fn from((lengths, means): (Lengths, (f64, f64))) -> Self {
        Self { kind: Kind::Drawn(lengths, means), reload: Reload::default() }
    }
}

impl From<Playing> for Source {
    fn from(playing: Playing) -> Self {
        Self { kind: Kind::Played(Box::new(playing)), reload: Reload::default() }
    }
}

impl From<SessionSource> for Source {
    fn from(sessions: SessionSource) -> Self {
        Self { kind: Kind::Sessions(Box::new(sessions)), reload: Reload::default() }
    }
}

impl Source {
    /// This source with requests whose cached keys and values are loaded from host memory and SSDs as `reload` says.
    #[must_use]
    pub fn reloading(self, reload: Reload) -> Self {
        Self { reload, ..self }
    }

    /// Distribution of prompt and output lengths.
    pub(super) const fn lengths(&self) -> Lengths {
        match &self.kind {
            Kind::Drawn(lengths, _) => *lengths,
            Kind::Played(_) => Lengths::Trace,
            Kind::Sessions(sessions) => sessions.lengths(),
        }
    }

    /// Time of the next arrival of a trace or of sessions, s; infinite after a trace's last request, and for a distribution.
    pub(super) fn next_time(&self) -> f64 {
        match &self.kind {
            Kind::Drawn(..) => f64::INFINITY,
            Kind::Played(playing) => playing.next_time(),
            Kind::Sessions(sessions) => sessions.next_time(),
        }
    }

    /// The next request.
    pub(super) fn next(&mut self, random: &mut Random) -> Coming {
        match &mut self.kind {
            Kind::Drawn(lengths, means) => {
                let (prompt, output) = lengths.draw(*means, random);
                Coming { prompt, output, index: None, replica: None }
            }
            Kind::Played(playing) => {
                let index = playing.next();
                let (prompt, output) = index.map_or((1, 1), |index| playing.lengths(index));
                let replica = index.and_then(|index| playing.replica(index));
                Coming { prompt, output, index, replica }
            }
            Kind::Sessions(sessions) => {
                let Request { prompt, output, replica } = sessions.next();
                Coming { prompt, output, index: None, replica: Some(replica) }
            }
        }
    }

    /// Tokens of a request's prompt that the replica that prefills it has cached on its GPUs, in host memory and on SSDs: by the
    /// prefixes of the trace or session, or by shares of each prompt, of which `share` is that of the GPUs. At least one token is left to
    /// prefill.
    pub(super) fn cached(&mut self, request: &Coming, replica: usize, share: f64) -> [f64; 3] {
        let prompt = f64::from(request.prompt);
        let [host, ssd] = self.reload.shares;
        let played = match &mut self.kind {
            Kind::Drawn(..) => None,
            Kind::Played(playing) => request.index.and_then(|index| playing.cached(index, replica)),
            Kind::Sessions(sessions) => Some(sessions.cached()),
        };
        let (mut up_to, mut before) = (0.0, 0.0);
        played.unwrap_or([share, host, ssd].map(|share| prompt * share)).map(|tokens| {
            up_to += tokens;
            let whole = libm::floor(up_to).min(prompt - 1.0);
            whole - std::mem::replace(&mut before, whole)
        })
    }

    /// Time to load cached tokens from host memory and SSDs, s.
    pub(super) fn load_time(&self, [host, ssd]: [f64; 2]) -> f64 {
        let [of_host, of_ssd] = self.reload.per_token;
        host * of_host + ssd * of_ssd
    }
}
