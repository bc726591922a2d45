//! Links between accelerators, nodes and hosts.

use serde::Deserialize;

use crate::words::words;

/// One kind of link.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interconnect {
    /// Unique, lower case.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// Devices that the link connects.
    pub scope: Scope,
    /// Bandwidth per accelerator or port, one direction, GB/s.
    pub gb_s: f64,
    /// Measured bandwidth of large copies in the slower direction, GB/s; `None` if none is published.
    pub measured_gb_s: Option<f64>,
    /// End-to-end latency of a small message, µs; `None` if none is published.
    pub latency_us: Option<f64>,
    /// Source of the figures.
    #[serde(default)]
    pub source: String,
}

/// Devices that a link connects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Accelerators of one domain.
    #[default]
    ScaleUp,
    /// Domains.
    ScaleOut,
    /// An accelerator and its host.
    Host,
}

words!(Scope { ScaleUp "scale-up", ScaleOut "scale-out", Host "host" });

#[cfg(test)]
mod tests {
    use super::Scope;
    use crate::catalog::catalog;

    #[test]
    fn links_are_plausible() {
        for link in &catalog().interconnects {
            assert!((5.0..=2000.0).contains(&link.gb_s), "{}", link.id);
            assert!(link.measured_gb_s.is_none_or(|gb_s| gb_s < link.gb_s), "{}", link.id);
            assert!(link.latency_us.is_none_or(|us| (0.5..=10.0).contains(&us)), "{}", link.id);
            // Bandwidths are per direction, not the advertised sum of both.
            assert!(link.scope != Scope::Host || link.gb_s < 1000.0, "{}", link.id);
        }
    }

    #[test]
    fn hosts_are_reached_by_known_links() {
        for device in &catalog().accelerators {
            if let Some(host) = &device.host {
                let link = catalog().interconnects.iter().find(|link| link.id == *host);
                assert!(link.is_some_and(|link| link.scope == Scope::Host), "{}", device.id);
            }
        }
    }

    #[test]
    fn devices_have_the_bandwidth_of_their_link() {
        let rate = |id: &str| catalog().interconnects.iter().find(|link| link.id == id).map(|link| link.gb_s);
        for (device, link) in [
            ("v100-sxm2", "nvlink2"),
            ("a100-sxm-80gb", "nvlink3"),
            ("h100-sxm", "nvlink4"),
            ("b200", "nvlink5"),
            ("gb300-nvl72", "nvlink5"),
            ("rubin-nvl72", "nvlink6"),
            ("mi250x", "infinity-fabric-mi250x"),
            ("mi300x", "infinity-fabric-mi300x"),
            ("mi355x", "infinity-fabric-mi355x"),
            ("tpu-v5p", "ici-v5p"),
            ("trainium2", "neuronlink-v3"),
            ("gaudi-3", "gaudi-3-roce"),
            ("l40s", "pcie-4"),
            ("h100-pcie", "pcie-5"),
        ] {
            let own = crate::catalog::accelerator(device).map(|device| device.scale_up.gb_s);
            assert!(own.is_some() && own == rate(link), "{device}: {own:?} is not {link}'s {:?}", rate(link));
        }
    }
}
