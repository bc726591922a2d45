//! The kernel summary of Nsight Systems: `nsys stats --report cuda_gpu_kern_sum --format csv`.
//!
//! The report adds up the whole profile. It says neither when kernels ran nor how many steps there were, so that it has
//! no step time and no idle time, and does not tell hidden from exposed communication.

use super::kernels;
use super::lines::leading;
use super::{Fault, Format, Kind, Measurement, Spent, object};
use crate::csv::Records;
use crate::estimate::Activity;
use crate::scenario::View;

/// Beginning of the name of the column that every summary has, before its unit.
pub(super) const MARK: &str = "Total Time (";

/// Places of a summary's columns.
struct Columns {
    time: usize,
    /// Kernels, or copies.
    count: usize,
    /// Absent in the summary of copies and fills.
    name: Option<usize>,
    /// Unit of time, s.
    unit: f64,
    all: usize,
}

impl Columns {
    /// The columns of a header; `Ok(None)` if it is that of a report without kernels and copies.
    fn of(header: &[String]) -> Result<Option<Self>, Fault> {
        let place = |name: &str| header.iter().position(|column| column == name);
        let time = header.iter().position(|column| column.starts_with(MARK)).unwrap_or(0);
        let unit = header[time].trim_start_matches(MARK).trim_end_matches(')');
        let unit = object::scale(Format::Nsys, "total time", unit, Kind::Step)?;
        let of = |count, name| Self { time, count, name, unit, all: header.len() };
        let kernels = place("Instances").zip(place("Name")).map(|(count, name)| of(count, Some(name)));
        let copies = || place("Count").zip(place("Operation")).map(|(count, _)| of(count, None));
        Ok(kernels.or_else(copies))
    }
}

/// Reads a summary, or the output of several reports.
pub(super) fn read(table: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Nsys);
    let mut columns = None;
    let mut sums = [(0.0, 0.0); Activity::COUNT];
    let (mut trains, mut cut) = (false, 0);
    for record in Records::of(table) {
        if record.iter().any(|cell| cell.starts_with(MARK)) {
            columns = Columns::of(&record)?;
            continue;
        }
        // A line of one cell is the title of the next report.
        let Some(columns) = columns.as_ref().filter(|_| record.len() > 1) else { continue };
        let number =
            |place: usize| record.get(place).and_then(|cell| leading(cell)).filter(|number| *number >= 0.0);
        let (Some(time), Some(count), true) =
            (number(columns.time), number(columns.count), record.len() >= columns.all)
        else {
            cut += 1;
            continue;
        };
        let activity = match columns.name.and_then(|place| record.get(place)) {
            Some(name) => {
                let kernel = kernels::kernel(name);
                trains |= kernel.trains;
                kernel.activity
            }
            None => Activity::Copies,
        };
        let sum = &mut sums[activity as usize];
        *sum = (sum.0 + time * columns.unit, sum.1 + count);
    }
    let all: f64 = sums.iter().map(|(_, count)| count).sum();
    if sums.iter().all(|(time, _)| *time <= 0.0) {
        return Err(Fault::Empty { what: WHAT, wanted: "kernel: save the report cuda_gpu_kern_sum" });
    }
    found.view = if trains { View::Training } else { View::Inference };
    found.used = all.min(f64::from(u32::MAX)) as u32;
    found.leave_out(cut, "rows of the table that are incomplete");
    for activity in Activity::ALL {
        let (time, kernels) = sums[activity as usize];
        if time > 0.0 {
            found.spent.push(Spent { activity, time, kernels });
        }
    }
    found.remark(
        "The report adds up the whole profile and does not say how many steps it has: shares of the time of kernels are \
         compared, and there is no step time",
    );
    found.remark(
        "Kernels that run at once count each: hidden communication is not told from exposed communication",
    );
    Ok(found)
}

const WHAT: &str = Format::Nsys.name();
