//! Power of servers.

use super::Economics;
use crate::catalog::Accelerator;

/// Rated power of a server over the design power of its accelerators: the middle of the catalogue's servers.
const SERVER_OVER_CHIPS: f64 = 1.8;

impl Economics {
    /// Watts that one GPU draws with its share of the server, with the data centre's overhead: P · u · PUE, where P is the
    /// rated power of the server over its GPUs (1.8 times the design power of a GPU where no server's is published) and
    /// u the share of it that is drawn.
    pub fn watts(&self, accelerator: &Accelerator) -> Option<f64> {
        let typical = || accelerator.tdp_w.map(|watts| watts * SERVER_OVER_CHIPS);
        Some(accelerator.server_w.or_else(typical)? * self.power_share * self.pue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::catalog;

    #[test]
    fn the_typical_server_is_the_middle_of_the_catalogue() {
        let over = |device: &Accelerator| Some(device.server_w? / device.tdp_w?);
        let mut all: Vec<f64> = catalog().accelerators.iter().filter_map(over).collect();
        all.sort_by(f64::total_cmp);
        assert!(all.len() >= 8 && all[0] >= 1.0, "{all:?}");
        assert!((all[all.len() / 2] / SERVER_OVER_CHIPS - 1.0).abs() < 0.05, "{all:?}");
    }
}
