//! Phases of a request that a server runs.

/// Phases of a request that a server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Prefill and decoding.
    Both,
    /// Prefill only: it sends the KV cache to decode servers.
    Prefill,
    /// Decoding only: it receives the KV cache from prefill servers.
    Decode,
}
