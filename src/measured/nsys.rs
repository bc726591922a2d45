//! The kernel summary of Nsight Systems: `nsys stats --report cuda_gpu_kern_sum`, as CSV or in columns.
//!
//! The report sums kernel times over the whole profile, without time stamps or a number of steps. Step time, idle time
//! and the split of communication into hidden and exposed time are therefore unknown.

use super::kernels;
use super::lines::leading;
use super::{Fault, Format, Kind, Measurement, Spent, object};
use crate::csv::Records;
use crate::estimate::Activity;
use crate::scenario::View;

/// Start of the header of the column of times, up to its unit; every summary report has this column.
pub(super) const MARK: &str = "Total Time (";

/// Indices of the columns of a summary report.
struct Columns {
    /// Total time.
    time: usize,
    /// Number of kernels or copies.
    count: usize,
    /// Kernel name; `None` in the summary of memory operations.
    name: Option<usize>,
    /// Unit of the time column, s.
    unit: f64,
    /// Number of columns.
    all: usize,
}

impl Columns {
    /// Finds the columns in a header; `Ok(None)` if the report lists neither kernels nor copies.
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

/// The rows of a report in columns, whose widths the dashes below the header give; `None` for CSV.
///
/// ```text
///  Time (%)  Total Time (ns)  Instances  Name
///  --------  ---------------  ---------  ----
/// ```
fn aligned(table: &str) -> Option<Vec<Vec<String>>> {
    let lines: Vec<&str> = table.lines().collect();
    let is_ruler = |line: &&str| line.contains("--") && line.chars().all(|mark| mark == '-' || mark == ' ');
    let mut widths: Vec<(usize, usize)> = Vec::new();
    let mut rows = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if is_ruler(line) {
            let dashes = line.as_bytes();
            let begins =
                (0..dashes.len()).filter(|at| dashes[*at] == b'-' && (*at == 0 || dashes[*at - 1] == b' '));
            let begins: Vec<usize> = begins.collect();
            // Cells are as wide as their dashes, but kernel names, in the last column, may be longer.
            let ends = begins.iter().skip(1).map(|begin| begin - 1).chain([usize::MAX]);
            widths = begins.iter().copied().zip(ends).collect();
        }
        let header = lines.get(place + 1).is_some_and(is_ruler);
        if header {
            widths.clear();
            rows.push(
                line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect(),
            );
        } else if !widths.is_empty() && !is_ruler(line) && !line.trim().is_empty() {
            let cell = |(begin, end): &(usize, usize)| {
                let text: String = line.chars().skip(*begin).take(end.saturating_sub(*begin)).collect();
                text.trim().to_owned()
            };
            rows.push(widths.iter().map(cell).collect());
        }
    }
    (!widths.is_empty()).then_some(rows)
}

/// Reads a kernel summary, or the concatenated output of several reports.
pub(super) fn read(table: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Nsys);
    let mut columns = None;
    let mut sums = [(0.0, 0.0); Activity::COUNT];
    let (mut trains, mut cut) = (false, 0);
    for record in aligned(table).unwrap_or_else(|| Records::of(table).collect()) {
        if record.iter().any(|cell| cell.starts_with(MARK)) {
            columns = Columns::of(&record)?;
            continue;
        }
        // A line with a single cell is the title of the next report.
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
        return Err(Fault::Empty { what: WHAT, wanted: "kernels: save the report cuda_gpu_kern_sum" });
    }
    found.view = if trains { View::Training } else { View::Inference };
    found.used = Some(all.min(f64::from(u32::MAX)) as u32);
    found.leave_out(cut, "incomplete rows of the table");
    for activity in Activity::ALL {
        let (time, kernels) = sums[activity as usize];
        if time > 0.0 {
            found.spent.push(Spent { activity, time, kernels });
        }
    }
    found.remark(
        "The report sums the whole profile and gives no number of steps: there is no step time, and shares of kernel \
         time are compared",
    );
    found.remark(
        "Concurrent kernels are summed separately, so communication includes the part that is hidden behind compute",
    );
    Ok(found)
}

const WHAT: &str = Format::Nsys.name();
