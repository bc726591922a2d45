//! Links between accelerators, nodes and hosts.

use serde::{Deserialize, Serialize};

/// One kind of link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interconnect {
    /// Unique, lower case.
    pub id: String,
    /// As it is shown.
    pub name: String,
    /// What it connects.
    pub scope: Scope,
    /// Bandwidth per accelerator or port, one direction, GB/s.
    pub gb_s: f64,
    /// Latency of one hop, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<f64>,
    /// Where the figures were read.
    pub source: String,
}

/// What a link connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Accelerators of one domain.
    ScaleUp,
    /// Domains.
    ScaleOut,
    /// An accelerator and its host.
    Host,
}
