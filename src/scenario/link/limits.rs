//! Limits on the size of links.

/// Bytes of the longest link that is read.
pub const MAX_BYTES: usize = 8192;

/// Pairs of one link that are read: all of the table, a model and a device spelled out, and constants.
pub const MAX_PAIRS: usize = 384;

/// Bytes of the longest value that is read, percent escapes decoded: the sources of a catalogue entry are long.
pub const MAX_VALUE: usize = 512;
