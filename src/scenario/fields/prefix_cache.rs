//! Prompts that repeat: sessions, shared prefixes, and the tiers of memory that cache them.

use super::field::{Field, field};
use super::inference::streamed;
use crate::scenario::View;
use crate::sizing::LoadKind;

pub(super) const FIELDS: &[Field] = &[
    streamed(
        field!("serve.turns", inference.turns)
            .whole(
                "Turns per session",
                "Requests per conversation. Each prompt repeats the previous prompts and answers; Input is the mean prompt length",
                1.0,
                1024.0,
            )
            .by(1.0),
    ),
    streamed(
        field!("serve.interval", inference.turn_interval_s)
            .number(
                "Turn interval",
                "Mean time between two requests of a session, from arrival to arrival, in which its cached context may be evicted",
                0.1,
                1e6,
            )
            .unit("s")
            .by(10.0)
            .when(|form| form.has_turns && !(form.view == View::Sizing && form.load == LoadKind::Users)),
    ),
    streamed(
        field!("serve.shared", inference.shared_prefix)
            .whole(
                "Shared prefix",
                "Tokens at the start of every prompt, such as a system prompt; their keys and values are cached once",
                0.0,
                16_777_216.0,
            )
            .unit("tokens")
            .advanced(),
    ),
    streamed(
        field!("serve.cached", inference.cached)
            .number("Cached prefix", "Share of each prompt whose keys and values are cached already", 0.0, 1.0)
            .by(0.1)
            .advanced(),
    ),
    reused(
        field!("serve.cached.host", inference.cached_host),
        "Cached in host memory",
        "Share of each prompt whose keys and values are loaded from host memory over the host link",
    ),
    reused(
        field!("serve.cached.ssd", inference.cached_ssd),
        "Cached on SSDs",
        "Share of each prompt whose keys and values are loaded from SSDs",
    ),
    tier(
        field!("serve.cache.host", inference.host_cache_gib),
        "Host cache",
        "Host memory for keys and values of earlier turns, or of shared prefixes in a trace",
    ),
    tier(
        field!("serve.cache.ssd", inference.ssd_cache_gib),
        "SSD cache",
        "SSD capacity for keys and values of earlier turns, or of shared prefixes in a trace",
    ),
    streamed(
        field!("serve.cache.ssd_gb_s", inference.ssd_gb_s)
            .number("SSD bandwidth", "Read bandwidth of SSDs; the host link limits it", 0.01, 1e4)
            .unit("GB/s per GPU")
            .by(1.0)
            .advanced(),
    ),
];

/// A field for the share of each prompt that is cached in host memory or on SSDs.
const fn reused(field: Field, label: &'static str, help: &'static str) -> Field {
    streamed(field.number(label, help, 0.0, 1.0).by(0.1).advanced())
}

/// A field for the capacity of the prefix cache in host memory or on SSDs.
const fn tier(field: Field, label: &'static str, help: &'static str) -> Field {
    streamed(
        field.number(label, help, 0.0, 1e6).unit("GiB per GPU").by(64.0).when(|form| form.repeats).advanced(),
    )
}
