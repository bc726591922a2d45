//! Limits of what is read from a file.

/// Maximum length of a text other than a trace, bytes.
pub const MAX_BYTES: usize = 32_000_000;

/// Maximum number of kernels and copies in a trace. At 24 bytes each they take 72 MB of memory.
pub const MAX_KERNELS: usize = 3_000_000;

/// Maximum number of points kept from one file. If a file has more, the last ones are kept.
pub const MAX_POINTS: usize = 256;
