//! Accelerators: peak rates, memory, links, as their vendors publish them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::class::Class;
use super::matrix_rates::MatrixRates;
use super::scale_up::ScaleUp;
use super::skip::{is_one, one};

/// One accelerator package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accelerator {
    /// Unique, lower case, stable: links name it.
    pub id: String,
    /// Name on the page.
    pub name: String,
    /// Manufacturer.
    pub vendor: String,
    /// Device generation, e.g. `Hopper`. Measurements of one device carry over to others of its generation.
    pub architecture: String,
    /// Year in which it was announced or first shipped.
    pub year: u16,
    /// Machine that it is sold in.
    #[serde(default, skip_serializing_if = "Class::is_data_center")]
    pub class: Class,
    /// True if it is announced but not shipping: nobody outside the vendor has measured its rates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub announced: bool,
    /// Dense peak matrix rates; rates with structured sparsity are twice these and never used.
    pub matrix_tflops: MatrixRates,
    /// Peak FP32 rate of the vector units, TFLOP/s.
    pub vector_tflops: f64,
    /// Peak FP16 rate of the vector units, TFLOP/s, if it differs from that of similar devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector16_tflops: Option<f64>,
    /// Main memory.
    pub dram: Dram,
    /// Last cache before DRAM: the L2, or the Infinity Cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2: Option<L2>,
    /// SMs, compute units or matrix engines, over which tiles are spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiprocessors: Option<u32>,
    /// Sockets of a server of CPUs, which together have these rates. Software that does not divide a model over sockets uses one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub sockets: u32,
    /// Clock at which the peak rates hold, MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boost_mhz: Option<f64>,
    /// Thermal design power of the package, W.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tdp_w: Option<f64>,
    /// Rated power of a server, a rack or a machine over its accelerators, W.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_w: Option<f64>,
    /// Manufacturing process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Die area, mm².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub die_mm2: Option<f64>,
    /// Links to the other accelerators of its domain.
    pub scale_up: ScaleUp,
    /// Links to other domains.
    pub scale_out: ScaleOut,
    /// The link to the host, by its id among the interconnects; `None` if none is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The paper whose machine this is, e.g. `arXiv 2410.00273`: it has the authors' figures, and is not a product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<String>,
    /// Source of the figures.
    #[serde(default)]
    pub source: String,
    /// Figures recalled from memory instead of read in a source, as paths of fields: `l2.capacity_mb`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<String>,
    /// Remarks for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl Accelerator {
    /// Accelerators of the server or rack in which it is sold: those that its scale-up links join, if these are on boards or in racks of up
    /// to `LARGEST_RACK`. `None` of cards, of machines of one person and of pods.
    pub fn server_gpus(&self) -> Option<u32> {
        let links = &self.scale_up;
        let whole = (2..=LARGEST_RACK).contains(&links.domain)
            && !links.technology.starts_with("PCIe")
            && !self.class.is_personal()
            && !matches!(links.topology, super::Topology::Torus(_));
        whole.then_some(links.domain)
    }

    /// Returns true for Blackwell's devices whose matrix units take the instructions of Ada Lovelace's, for one warp, not
    /// those of the B200: GeForce, RTX PRO and GB10 (compute capability 12.x). They multiply at most 1,024 FLOP per
    /// multiprocessor and cycle in BF16, where the B200 and Jetson Thor do 8,192.
    pub fn has_units_of_ada(&self) -> bool {
        const MOST: f64 = 2048.0;
        let cycle = |(multiprocessors, mhz): (u32, f64)| f64::from(multiprocessors) * mhz * 1e6;
        let clock = self.multiprocessors.zip(self.boost_mhz).map(cycle);
        let rate = self.matrix_tflops.bf16.zip(clock).map(|(tflops, clock)| tflops * 1e12 / clock);
        self.architecture == "Blackwell" && rate.is_some_and(|rate| rate < MOST)
    }

    /// Name in lists of devices: an announced device is marked, e.g. `Rubin CPX (announced)`.
    pub fn listed_name(&self) -> Cow<'_, str> {
        // Some names say it themselves, e.g. with the year of the announcement.
        if self.announced && !self.name.contains("announced") {
            Cow::Owned(format!("{} (announced)", self.name))
        } else {
            Cow::Borrowed(&self.name)
        }
    }
}

/// Accelerators of the largest rack that is sold as a whole: NVL72 (NVIDIA, AMD).
const LARGEST_RACK: u32 = 72;

/// Main memory of an accelerator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// E.g. `HBM3E`.
    pub technology: String,
    /// Capacity that software can allocate, GiB.
    pub capacity_gib: f64,
    /// Peak bandwidth, GB/s.
    pub bandwidth_gb_s: f64,
    /// Stacks in the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stacks: Option<u32>,
}

impl Dram {
    /// Returns true if it is the memory of a host as well: modules or packages of DDR or LPDDR, as of Apple's devices, GB10,
    /// Jetson and Ryzen AI, in contrast to GDDR and HBM.
    pub fn is_host(&self) -> bool {
        ["DDR", "LPDDR"].iter().any(|kind| self.technology.starts_with(kind))
    }
}

/// Last cache before DRAM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct L2 {
    /// Capacity, MB.
    pub capacity_mb: f64,
    /// Read bandwidth of all multiprocessors together, GB/s; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_gb_s: Option<f64>,
}

/// Links between domains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaleOut {
    /// E.g. `InfiniBand NDR, 400 Gb/s`.
    pub technology: String,
    /// Bandwidth per accelerator, one direction, GB/s.
    pub gb_s: f64,
}

#[cfg(test)]
mod tests {
    use crate::catalog::catalog;

    /// Memories that the catalogue's list of technologies to choose from leaves out: older ones, and Huawei's own.
    const EARLIER: [&str; 9] = [
        "GDDR5",
        "GDDR5X",
        "LPDDR4X",
        "LPDDR5",
        "DDR5-6000",
        "DDR5-6400",
        "MRDIMM-8000",
        "MRDIMM-8800",
        "HiZQ 2.0",
    ];

    /// Figures that are often copied wrongly.
    #[test]
    fn known_traps_are_avoided() {
        let rates = |id: &str| {
            crate::catalog::accelerator(id).map(|device| device.matrix_tflops.clone()).unwrap_or_default()
        };
        // Blackwell Ultra has almost no INT8 units; the A100 has no FP8; sparse FP4 is no dense rate.
        assert!(rates("b300").int8.is_some_and(|rate| rate < 200.0));
        assert!(rates("gb300-nvl72").int8.is_some_and(|rate| rate < 200.0));
        assert_eq!(rates("a100-sxm-80gb").fp8, None);
        assert_eq!(rates("b200").fp4, Some(9000.0));
        assert_eq!(rates("gb300-nvl72").fp4, Some(15_000.0));
        // The 40 GB card's bandwidth is not the 80 GB card's.
        let dram = |id: &str| crate::catalog::accelerator(id).map(|device| device.dram.bandwidth_gb_s);
        assert_eq!(dram("a100-sxm-40gb"), Some(1555.0));
        assert_eq!(dram("a100-sxm-80gb"), Some(2039.0));
        // One direction, not the advertised sum of both.
        assert_eq!(crate::catalog::accelerator("h100-sxm").map(|device| device.scale_up.gb_s), Some(450.0));
    }

    #[test]
    fn every_entry_is_complete() {
        for accelerator in &catalog().accelerators {
            let id = &accelerator.id;
            assert!(accelerator.scale_up.domain >= 1 && accelerator.scale_up.gb_s > 0.0, "{id}");
            assert!(accelerator.scale_out.gb_s > 0.0, "{id}");
            // A machine of one has no links inside it.
            let alone = accelerator.scale_up.domain == 1;
            assert!(alone || accelerator.scale_out.gb_s < accelerator.scale_up.gb_s, "{id}");
            assert!(accelerator.dram.bandwidth_gb_s > 60.0 && accelerator.vector_tflops > 1.0, "{id}");
            assert!((2015..=2027).contains(&accelerator.year), "{id}");
            let technology = accelerator.dram.technology.as_str();
            let known = catalog().memories.iter().any(|memory| memory.name == technology)
                || EARLIER.contains(&technology);
            assert!(known, "{id} has {}", accelerator.dram.technology);
            if let Some(cache) = accelerator.l2.as_ref().and_then(|l2| l2.bandwidth_gb_s) {
                assert!(cache > accelerator.dram.bandwidth_gb_s, "{id}");
            }
        }
    }

    /// The devices that the catalogue has to have, one id a line.
    const LISTED: &str = include_str!("../../tests/fixtures/devices.txt");

    #[test]
    fn every_listed_device_is_there() {
        let missing = |id: &&str| crate::catalog::accelerator(id).is_none();
        assert_eq!(LISTED.lines().filter(missing).collect::<Vec<_>>(), Vec::<&str>::new());
        assert!(LISTED.lines().count() >= 180);
    }

    #[test]
    fn announced_devices_say_so_in_lists() {
        let name = |id: &str| crate::catalog::accelerator(id).map(super::Accelerator::listed_name);
        assert_eq!(name("rubin-cpx").as_deref(), Some("Rubin CPX (announced)"));
        assert_eq!(name("vr200-nvl144").as_deref(), Some("Vera Rubin NVL144 (as announced in 2025)"));
        assert_eq!(name("ascend-910c").as_deref(), Some("Ascend 910C"));
        for accelerator in &catalog().accelerators {
            let source = accelerator.source.to_lowercase();
            let of_paper = accelerator.paper.is_some();
            assert!(!source.contains("announced") || accelerator.announced || of_paper, "{}", accelerator.id);
        }
    }

    #[test]
    fn what_was_recalled_exists() {
        for accelerator in &catalog().accelerators {
            let json = serde_json::to_value(accelerator).unwrap_or_default();
            for path in &accelerator.recalled {
                let pointer = format!("/{}", path.replace('.', "/"));
                assert!(json.pointer(&pointer).is_some(), "{} has no {path}", accelerator.id);
            }
        }
    }
}
