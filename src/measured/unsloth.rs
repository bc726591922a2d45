//! Console output of Unsloth's notebooks: the banner, and the training time and peak memory at the end.

use super::lines::after;
use super::{Fault, Format, Kind, Measurement, Statistic};

/// Substrings of the lines at the end that give the training time and the peak memory.
pub(super) const MARKS: [&str; 2] = ["seconds used for training.", "Peak reserved memory = "];

/// Bytes in the notebooks' "GB", which is 1024³ bytes: they divide `torch.cuda.max_memory_reserved()` by 1024 three
/// times.
const GB: f64 = 1_073_741_824.0;

/// Reads the output. The step time is the mean over the whole run, including the first steps, which compile kernels.
pub(super) fn read(text: &str) -> Result<Measurement, Fault> {
    let mut found = Measurement::new(Format::Unsloth);
    let number =
        |label: &str| text.lines().find_map(|line| after(line, label)).filter(|number| *number > 0.0);
    let seconds = text.lines().find_map(|line| super::lines::leading(line.trim().strip_suffix(MARKS[0])?));
    let steps = number("Total steps");
    found.reading(Kind::Memory, Statistic::Whole, number(MARKS[1]).map(|gib| gib * GB));
    found.reading(Kind::Step, Statistic::Mean, seconds.zip(steps).map(|(seconds, steps)| seconds / steps));
    if found.readings.is_empty() {
        return Err(Fault::Empty {
            what: Format::Unsloth.name(),
            wanted: "peak memory, and no training time with a number of steps",
        });
    }
    found.used = steps.map(|steps| steps as u32);
    // `GPU = Tesla T4. Max memory = 14.748 GB.`
    let gpu = text.lines().find_map(|line| line.trim().strip_prefix("GPU = ")?.split(". Max").next());
    found.device(gpu.unwrap_or(""));
    // `Total batch size (2 x 4 x 1) = 8` of newer banners;
    // `Batch size per device = 2 | Gradient accumulation steps = 4`.
    let each = number("Batch size per device");
    let product = each.zip(number("Gradient accumulation steps")).map(|(each, times)| each * times);
    let total = text.lines().find_map(|line| line.split_once("Total batch size")?.1.split_once('='));
    found.whole(
        "recipe.batch",
        total.and_then(|(_, size)| super::lines::leading(size.trim_start())).or(product),
    );
    found.whole("parallelism.microbatch", each);
    match steps {
        None => found.remark("The output lacks the total steps of Unsloth's banner: there is no step time"),
        Some(_) => found.remark(
            "The step time is the mean over the whole run, including the first steps, which compile kernels",
        ),
    }
    found.remark("Unsloth trains LoRA adapters by default; the prediction is for the recipe of the question");
    Ok(found)
}
