//! The authors' three tensor-parallel strategies.

use super::{Degrees, Plan, Strategy};

/// A tensor-parallel strategy. In contrast to [`Strategy`], the number of SUMMA's panels is left to the search.
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
    /// All methods, in the authors' order.
    pub const ALL: [Self; 3] = [Self::OneD, Self::Summa, Self::Context];

    /// Name in the authors' code: `1d`, `2d` or `2d-seqp`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::OneD => "1d",
            Self::Summa => "2d",
            Self::Context => "2d-seqp",
        }
    }

    /// Name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneD => "1D TP",
            Self::Summa => "2D TP SUMMA",
            Self::Context => "2D TP sequence-parallel",
        }
    }

    /// A method by its name in the authors' code.
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.id() == id)
    }
}

impl Strategy {
    /// The method without the number of panels.
    pub const fn method(self) -> Method {
        match self {
            Self::OneD => Method::OneD,
            Self::Context => Method::Context,
            Self::Summa { .. } => Method::Summa,
        }
    }
}

impl Plan {
    /// The plan as one line in the paper's terms: strategy with its group sizes, pipeline stages, replicas, microbatch,
    /// and members of each group inside a domain (NVS).
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
