//! Errors of one device's constants on another: the error to expect on unmeasured devices.

use std::fmt::Write as _;

use foretoken::catalog;
use foretoken::system::{KernelLibrary, System};

use crate::file::File;
use crate::fit::{values, with_values};
use foretoken_tools::kernels::Sample;
use foretoken_tools::kernels::score::{Part, score};

/// A fitted sample.
pub(crate) struct Done<'a> {
    /// The measurements.
    pub(crate) sample: &'a Sample,
    /// System of the device with the fitted constants.
    pub(crate) system: System,
}

/// Architectures of measured devices, oldest first.
const ARCHITECTURES: [&str; 3] = ["Ampere", "Hopper", "Blackwell"];

fn generation(device: &str) -> Option<usize> {
    let architecture = &catalog::accelerator(device)?.architecture;
    ARCHITECTURES.iter().position(|name| name == architecture)
}

/// Prints all errors of carried-over constants, and writes their typical increase to the file.
pub(crate) fn carry(done: &[Done<'_>], file: &mut File) {
    println!("\nConstants carried over: mean error in % on rows not fitted, own constants in brackets.");
    let usual = |done: &&Done<'_>| done.sample.library == KernelLibrary::Usual;
    let mut groups: Vec<&str> = done.iter().map(|done| done.sample.group).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let (mut inside, mut beyond) = (Vec::new(), Vec::new());
        let mut line = String::new();
        let members: Vec<&Done<'_>> =
            done.iter().filter(usual).filter(|done| done.sample.group == group).collect();
        for from in &members {
            let constants = values(&from.system, group);
            for to in members.iter().filter(|to| to.sample.device != from.sample.device) {
                let rows = to.sample.rows(Part::Scored);
                let own = score(&to.system, to.sample, &rows).mean;
                let carried = score(&with_values(&to.system, group, &constants), to.sample, &rows).mean;
                let (from_device, to_device) = (from.sample.device, to.sample.device);
                let (carried_percent, own_percent) = (100.0 * carried, 100.0 * own);
                let _ = write!(line, " {from_device}>{to_device} {carried_percent:.1} ({own_percent:.1})");
                let distance = generation(from.sample.device)
                    .zip(generation(to.sample.device))
                    .map(|(from, to)| from.abs_diff(to));
                match distance {
                    Some(0) => inside.push(carried - own),
                    Some(1) => beyond.push(carried - own),
                    _ => {}
                }
            }
        }
        println!("{group}:{line}");
        file.set_carry(group, median(inside), median(beyond));
    }
}

/// The middle of what was added: a few pairs of kernels have nothing in common, and would hide the others in a mean.
fn median(mut additions: Vec<f64>) -> Option<f64> {
    additions.sort_by(f64::total_cmp);
    additions.get(additions.len() / 2).map(|middle| middle.max(0.0))
}
