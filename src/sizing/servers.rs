//! Whole servers or racks, in which most data-centre GPUs are sold and rented.

use super::Fleet;
use super::training::Run;
use crate::catalog::Accelerator;
use crate::economics::{Economics, Utilisation};

/// Whole servers or racks that a fleet or a training run fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servers {
    /// Number of servers or racks.
    pub count: u32,
    /// Their GPUs, idle ones included.
    pub gpus: u32,
    /// Cost of all of them, US dollars per hour.
    pub usd: Option<f64>,
    /// Power of all of them, with idle GPUs, W.
    pub watts: Option<f64>,
}

/// Workers of a kind: their number, and the GPUs of each.
type Workers = (u32, u32);

impl Fleet {
    /// The servers or racks of a fleet on a device with that of its prefill workers, if it is another; `None` if the catalogue
    /// does not have the size of one of them.
    ///
    /// A worker that fits into a server stays in one. Idle GPUs cost as much as busy ones, except for electricity.
    pub fn servers(
        &self,
        economics: &Economics,
        device: &Accelerator,
        prefill: Option<&Accelerator>,
    ) -> Option<Servers> {
        let decode = (self.replicas(), self.load.worker_gpus());
        let prompts = (self.prefill_workers(), self.load.prefill_worker_gpus());
        let of = |device: &Accelerator, workers: &[Workers]| {
            let size = device.server_gpus()?;
            let count = servers(workers, size);
            Some((count, count.saturating_mul(size)))
        };
        let (own, other) = match prefill {
            Some(other) => (of(device, &[decode])?, of(other, &[prompts])?),
            None => (of(device, &[decode, prompts])?, (0, 0)),
        };
        // Prefill workers on the fleet's own device share its servers.
        let used = |workers: Workers| workers.0.saturating_mul(workers.1);
        let used_of_other = prefill.map_or(0, |_| used(prompts));
        let idle = f64::from(own.1.saturating_sub(self.gpus().saturating_sub(used_of_other)));
        let idle_of_other = f64::from(other.1.saturating_sub(used_of_other));
        let with_idle = |all: Option<f64>, each: fn(&Economics, &Accelerator) -> Option<f64>| {
            let of_other = match prefill {
                Some(other) => each(&economics.listed(), other)? * idle_of_other,
                None => 0.0,
            };
            Some(all? + each(economics, device)? * idle + of_other)
        };
        let usd = self.total(economics, Economics::served_hourly_usd, device, prefill);
        let watts = self.total(economics, Economics::served_watts, device, prefill);
        Some(Servers {
            count: own.0.saturating_add(other.0),
            gpus: own.1.saturating_add(other.1),
            usd: with_idle(usd, idle_usd),
            watts: with_idle(watts, idle_watts),
        })
    }
}

impl Run {
    /// The servers or racks of a training run on a device; `None` if the catalogue does not have their size. Their cost per hour is a
    /// mean over the run; idle GPUs are there as long as the others.
    pub fn servers(&self, economics: &Economics, device: &Accelerator) -> Option<Servers> {
        let size = device.server_gpus()?;
        let used = self.found.gpus;
        let count = used.div_ceil(size);
        let gpus = count.saturating_mul(size);
        let idle = f64::from(gpus.saturating_sub(used));
        let with_idle = |each: Option<f64>, each_idle: Option<f64>| {
            Some(each? * f64::from(used) + if idle > 0.0 { each_idle? * idle } else { 0.0 })
        };
        Some(Servers {
            count,
            gpus,
            usd: with_idle(economics.hourly_usd(device), idle_usd(economics, device)),
            watts: with_idle(economics.watts(device), idle_watts(economics, device)),
        })
    }
}

fn idle_watts(economics: &Economics, device: &Accelerator) -> Option<f64> {
    economics.decode_watts(device, Utilisation::default())
}

fn idle_usd(economics: &Economics, device: &Accelerator) -> Option<f64> {
    economics.hourly_usd_at(device, idle_watts(economics, device))
}

/// Servers of `size` GPUs for workers of one or two kinds. Kinds whose workers divide a server, or fill whole ones, share servers
/// without a gap.
fn servers(workers: &[Workers], size: u32) -> u32 {
    let divides = |gpus: u32| size.is_multiple_of(gpus) || gpus.is_multiple_of(size);
    if workers.iter().all(|(count, gpus)| *count == 0 || divides((*gpus).max(1))) {
        let gpus: u64 = workers.iter().map(|(count, gpus)| u64::from(*count) * u64::from(*gpus)).sum();
        return u32::try_from(gpus.div_ceil(u64::from(size))).unwrap_or(u32::MAX);
    }
    let alone = |(count, gpus): &Workers| {
        let gpus = (*gpus).max(1);
        if gpus > size { count.saturating_mul(gpus.div_ceil(size)) } else { count.div_ceil(size / gpus) }
    };
    workers.iter().map(alone).fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NVIDIA's NeMo Agent Toolkit prints 75.4 GPUs: 76 whole ones, which are 80 in servers of eight.
    #[test]
    fn workers_fill_whole_servers() {
        for (workers, size, expected) in [
            (&[(76, 1)][..], 8, 10),
            (&[(38, 2)], 8, 10),
            (&[(1, 4)], 8, 1),
            (&[(3, 16)], 8, 6),
            (&[(2, 8), (3, 4)], 8, 4),
            // A worker of three GPUs leaves two of a server idle.
            (&[(5, 3)], 8, 3),
            (&[(5, 3), (1, 8)], 8, 4),
            (&[(2, 12)], 8, 4),
            (&[(1, 72), (2, 8)], 72, 2),
            (&[(0, 0), (4, 2)], 8, 1),
            (&[(u32::MAX, u32::MAX)], 8, u32::MAX),
        ] {
            assert_eq!(servers(workers, size), expected, "{workers:?} in {size}");
        }
    }
}
