//! The law of a kind of mixer: its matrices and how a tensor group cuts them, and what it keeps of a sequence.

use super::recurrence::Recurrence;

/// Side of a matrix that a tensor-parallel group shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Output features, in this number of indivisible units (heads, groups). If there are fewer units than GPUs, they
    /// are replicated.
    Columns(u32),
    /// Input features; results are summed.
    Rows,
    /// No sharding: every member needs the whole matrix.
    Whole,
}

/// A matrix of a mixer that all tokens are multiplied with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// Label on the page.
    pub name: &'static str,
    /// Input features.
    pub rows: u64,
    /// Output features.
    pub columns: u64,
    /// The side that a tensor group cuts.
    pub cut: Cut,
}

impl Matrix {
    /// A matrix.
    pub(super) const fn new(name: &'static str, rows: u64, columns: u64, cut: Cut) -> Self {
        Self { name, rows, columns, cut }
    }

    /// Number of elements.
    pub const fn elements(&self) -> u64 {
        self.rows * self.columns
    }

    /// Input and output features of the part of the matrix on one GPU of a tensor-parallel group.
    pub fn part(&self, tensor: f64) -> (f64, f64) {
        let (rows, columns) = (self.rows as f64, self.columns as f64);
        match self.cut {
            Cut::Columns(units) => {
                let units = f64::from(units.max(1));
                (rows, columns / units * libm::ceil(units / tensor))
            }
            Cut::Rows => (rows / tensor, columns),
            Cut::Whole => (rows, columns),
        }
    }
}

/// Memory that a mixer keeps for a whole sequence, in elements unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    /// Per token: keys and values, a latent, or compressed entries.
    pub per_token: f64,
    /// Additional bytes per token: keys of an indexer, by which a sparse kind selects.
    pub index_bytes: f64,
    /// Tokens of which they are kept at most.
    pub span: Option<f64>,
    /// Per sequence, of 32 bits: a recurrent state.
    pub state: f64,
    /// Per sequence, of 16 bits: the last inputs of short convolutions, or tokens of a window.
    pub recent: f64,
}

impl Kept {
    /// Tokens that are kept of a sequence of this length.
    pub fn tokens(&self, length: f64) -> f64 {
        self.span.map_or(length, |span| length.min(span))
    }
}

/// The law of a kind of mixer.
pub trait Law {
    /// Shows every matrix, in the order in which they multiply, for this hidden width.
    fn matrices(&self, hidden: u64, visit: &mut dyn FnMut(Matrix));

    /// Elements of everything else: norms, biases, convolutions, decays.
    fn vectors(&self, hidden: u64) -> u64;

    /// Memory that it keeps of a sequence.
    fn kept(&self, hidden: u64) -> Kept;

    /// Heads, or units like them, of which a tensor group's members have equal numbers.
    fn heads(&self) -> u32;

    /// The smallest of its numbers that must be one at least, and the largest of all.
    fn number_range(&self) -> (u32, u32);

    /// The work between the matrices if it is a recurrence instead of attention.
    fn recurrence(&self, _hidden: u64) -> Option<Recurrence> {
        None
    }
}
