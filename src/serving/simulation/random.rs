//! A pseudorandom number generator: SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
//! generators").

/// A stream of pseudorandom numbers, determined by its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(u64);

/// 2^-53: the distance between neighbouring values of [`Random::share`].
const STEP: f64 = 1.0 / 9_007_199_254_740_992.0;

impl Random {
    /// The stream that begins with a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A uniform number in [0, 1).
    pub const fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * STEP
    }

    /// An exponentially distributed number with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -libm::log(1.0 - self.share()) * mean
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first outputs of seed 1234567, as other implementations print them.
    #[test]
    fn the_stream_is_splitmix64() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn exponential_numbers_have_their_mean_and_variance() {
        let mut random = Random::new(7);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..200_000 {
            let number = random.exponential(3.0);
            sum += number;
            squares += number * number;
        }
        let mean = sum / 200_000.0;
        assert!((mean / 3.0 - 1.0).abs() < 0.01 && (squares / 200_000.0 / 18.0 - 1.0).abs() < 0.02, "{mean}");
    }
}
