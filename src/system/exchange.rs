//! One-sided kernels that bring tokens to the GPUs of their experts and the experts' results back (DeepEP, NVLink one-sided).

use super::network::{Group, Network};
use super::{Bound, Cost};
use crate::units::Bytes;

/// A dispatch of tokens to their experts, or the combine that returns the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exchange {
    /// Bytes that one GPU sends or receives if each of its tokens travels once.
    pub bytes: Bytes,
    /// Experts per token.
    pub copies: f64,
    /// True for kernels built for throughput instead of latency. They send a token once to each GPU and, between
    /// domains, once to each domain, whose internal links forward it.
    pub bulk: bool,
    /// GPUs over which the experts are spread.
    pub group: Group,
}

/// The expected number of distinct ones among `places` GPUs or domains to which a token's copies are sent, with uniform
/// routing: x (1 - (1 - 1/x)^k).
fn distinct(places: f64, copies: f64) -> f64 {
    places * (1.0 - libm::pow(1.0 - 1.0 / places, copies))
}

impl Exchange {
    /// Copies of a token that are sent inside the domain, and to other domains.
    fn travelling(&self) -> (f64, f64) {
        let size = f64::from(self.group.size);
        let inside = f64::from(self.group.inside);
        let domains = f64::from(self.group.domains());
        if self.bulk {
            let near = distinct(size, self.copies) * (inside - 1.0) / inside;
            let away = distinct(domains, self.copies) * (domains - 1.0) / domains;
            return (near, away);
        }
        (self.copies * (inside - 1.0) / size, self.copies * (size - inside) / size)
    }

    /// Bytes that a GPU sends over links inside its domain and between domains.
    pub fn traffic(&self) -> Bytes {
        let (near, away) = self.travelling();
        self.bytes * (near + away)
    }
}

impl Network {
    /// Time and traffic of an exchange; nothing for a group of one. Links inside the domain and between domains work at
    /// the same time, so that the slower counts. Starts and fractions of the links inside are fitted to DeepEP's kernels
    /// (`make kernels`); docs/method/network.md has the equations.
    pub fn exchange(&self, exchange: &Exchange) -> Cost {
        let Exchange { bytes, bulk, group, .. } = *exchange;
        if group.size <= 1 || bytes <= Bytes::ZERO {
            return Cost::default();
        }
        let constants = &self.constants.exchange;
        let (near, away) = exchange.travelling();
        let (start, efficiency) = if bulk {
            (constants.bulk_start, constants.bulk_efficiency)
        } else {
            (constants.start, constants.efficiency)
        };
        let bridge = self.over_bridge(group);
        let links = bridge.as_ref().unwrap_or(self);
        let inside = bytes * near / (links.inside(f64::from(group.inside)) * efficiency);
        let mut time = start + inside;
        if group.domains() > 1 {
            let links = self.scale_out * (constants.between * self.crossing(group));
            time = start.max(constants.between_start) + inside.max(bytes * away / links);
        }
        Cost { bytes: exchange.traffic(), time, network: time, bound: Bound::Network, ..Cost::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;
    use crate::system::{AssumptionSet, System};

    /// 128 tokens of 7,168 on their way to 8 of 256 experts, in 8 bits with a 32-bit scale for 128, on H800.
    fn dispatch(gpus: u32) -> f64 {
        let accelerator = catalog::accelerator("h800-sxm").expect("a device");
        let system = System::new(accelerator, AssumptionSet::Calibrated);
        let bytes = Bytes::new(128.0 * 7168.0 * (1.0 + 4.0 / 128.0));
        let group = Group::strided(gpus, 1, 8);
        system.network.exchange(&Exchange { bytes, copies: 8.0, bulk: false, group }).time.get() * 1e6
    }

    #[test]
    fn low_latency_dispatch_takes_what_was_published() {
        // deepseek-ai/DeepEP@dd758ca, docs/legacy.md: H800, 400 Gb/s, 128 tokens, 7,168 wide, 8 experts.
        for (gpus, published) in [(16, 118.0), (32, 155.0), (64, 173.0), (128, 192.0), (256, 194.0)] {
            let ours = dispatch(gpus);
            assert!((ours / published - 1.0).abs() < 0.15, "{gpus} GPUs: {ours} of {published} µs");
        }
    }

    #[test]
    fn a_token_travels_once_to_each_domain_in_bulk() {
        let group = Group::new(64, 8);
        let one = Exchange { bytes: Bytes::new(1.0), copies: 8.0, bulk: true, group };
        let (near, away) = one.travelling();
        // A token's 8 experts are on 8 (1 - (7/8)^8) = 5.25 of 8 domains, 7 in 8 of which are other domains.
        assert!((away - 4.5938).abs() < 1e-3, "{away}");
        // They are on 64 (1 - (63/64)^8) = 7.58 of 64 GPUs.
        assert!((near - 6.6294).abs() < 1e-3, "{near}");
        let (_, all) = Exchange { bulk: false, ..one }.travelling();
        assert!((all - 7.0).abs() < 1e-12 && all > away);
    }
}
