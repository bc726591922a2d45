//! A histogram of times: mean and quantiles in constant memory.

use crate::units::Seconds;

/// Counts and sums of times in buckets whose bounds grow by a constant ratio, so that each quantile is known within 2 %, and
/// exactly where all times are equal (a DDSketch of fixed range, with sums: Masson, Rim and Lee 2019, arXiv 1908.10693).
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    buckets: Vec<Bucket>,
    total: u64,
    sum: f64,
}

/// Times within a factor of [`RATIO`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bucket {
    count: u64,
    /// Sum of the times, s.
    sum: f64,
}

/// Upper bound of the first bucket, s, which holds all shorter times.
const SHORTEST: f64 = 1e-6;
/// Upper over lower bound of a bucket.
const RATIO: f64 = 1.02;
/// Number of buckets: the last reaches 10^8 s and holds all longer times.
const BUCKETS: usize = 1630;

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: vec![Bucket::default(); BUCKETS], total: 0, sum: 0.0 }
    }
}

impl Histogram {
    /// Counts a time, s.
    pub fn add(&mut self, time: f64) {
        let place = libm::log(time / SHORTEST) / libm::log(RATIO);
        let bucket = if place > 0.0 { (place as usize).saturating_add(1).min(BUCKETS - 1) } else { 0 };
        if let Some(bucket) = self.buckets.get_mut(bucket) {
            bucket.count += 1;
            bucket.sum += time;
        }
        self.total += 1;
        self.sum += time;
    }

    /// Number of elements for which it keeps memory.
    #[cfg(test)]
    pub(super) const fn capacity(&self) -> usize {
        self.buckets.capacity()
    }

    /// Number of times that were counted.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Mean of the counted times; 0 if there are none.
    pub fn mean(&self) -> Seconds {
        Seconds::new(if self.total == 0 { 0.0 } else { self.sum / self.total as f64 })
    }

    /// The time that a share (0 to 1) of the counted times does not exceed, as the mean of its bucket: within 2 %. 0 if there
    /// are none.
    pub fn quantile(&self, share: f64) -> Seconds {
        let rank = (libm::ceil(share * self.total as f64) as u64).max(1);
        let mut counted = 0;
        for Bucket { count, sum } in &self.buckets {
            counted += count;
            if counted >= rank {
                return Seconds::new(sum / *count as f64);
            }
        }
        Seconds::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_percent() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.quantile(0.5), histogram.mean()), (Seconds::ZERO, Seconds::ZERO));
        for number in 1..=10_000_u32 {
            histogram.add(f64::from(number) * 1e-3);
        }
        for share in [0.01, 0.5, 0.9, 0.99, 1.0] {
            let quantile = histogram.quantile(share).get();
            assert!((quantile / (share * 10.0) - 1.0).abs() < 0.011, "{share}: {quantile}");
        }
        assert!((histogram.mean().get() - 5.0005).abs() < 1e-9);
        for hostile in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            histogram.add(hostile);
        }
        assert_eq!(histogram.total(), 10_005);
    }
}
