//! The three ways in which the authors cut a layer.

use super::{Degrees, Plan, Strategy};

/// A family of plans; the panels of SUMMA are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// 1D tensor parallelism with sequence parallelism.
    OneD,
    /// 2D tensor parallelism by SUMMA.
    Summa,
    /// 2D tensor parallelism with the sequence over the second group.
    Context,
}

impl Method {
    /// All of them, in the authors' order.
    pub const ALL: [Self; 3] = [Self::OneD, Self::Summa, Self::Context];

    /// The authors' name in their code: `1d`, `2d` or `2d-seqp`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::OneD => "1d",
            Self::Summa => "2d",
            Self::Context => "2d-seqp",
        }
    }

    /// As it is shown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneD => "1D TP",
            Self::Summa => "2D TP SUMMA",
            Self::Context => "2D TP sequence-parallel",
        }
    }

    /// The method of the authors' name.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.id() == id)
    }
}

impl Strategy {
    /// The family that it belongs to.
    pub const fn method(self) -> Method {
        match self {
            Self::OneD => Method::OneD,
            Self::Context => Method::Context,
            Self::Summa { .. } => Method::Summa,
        }
    }
}

impl Plan {
    /// The plan in a line, in the paper's words: the strategy with its groups, pipeline stages, replicas, microbatch,
    /// and the members of each group in a domain (NVS).
    pub fn name(&self) -> String {
        let Self { strategy, degrees, inside, microbatch } = *self;
        let Degrees { first, second, data, pipeline } = degrees;
        let group = match strategy {
            Strategy::OneD => format!("1D TP {first}"),
            Strategy::Summa { panels } => format!("SUMMA {first} × {second}, {panels} panels"),
            Strategy::Context => format!("2D TP {first} × {second}"),
        };
        let tensor = match strategy {
            Strategy::OneD => inside.first.to_string(),
            _ => format!("{} × {}", inside.first, inside.second),
        };
        let parts = [
            ("TP", tensor, inside.first * inside.second),
            ("DP", inside.data.to_string(), inside.data),
            ("PP", inside.pipeline.to_string(), inside.pipeline),
        ];
        let placed: Vec<String> = parts
            .iter()
            .filter(|(.., members)| *members > 1)
            .map(|(name, shown, _)| format!("{name} {shown}"))
            .collect();
        let placed = if placed.is_empty() { "no group".to_owned() } else { placed.join(", ") };
        format!("{group}, PP {pipeline}, DP {data}, microbatch {microbatch}, in NVS: {placed}")
    }
}
