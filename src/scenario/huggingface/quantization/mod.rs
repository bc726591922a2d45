//! The number format of a checkpoint's weights, from its `quantization_config`.

mod algorithms;
mod groups;
mod methods;
mod settings;
mod stored;
mod unquantised;

use self::stored::{LONGEST_NAME, Mixed};
use super::config::Config;
use crate::system::Precision;

/// Names of the object that describes the format.
const OBJECTS: [&str; 3] = ["quantization_config", "quantization", "compression_config"];

/// The number format of the weights; `None` if the file describes no quantisation or an unknown one. Differences from
/// the checkpoint's own format are noted as warnings.
pub(super) fn weights(levels: &[&Config<'_>]) -> Option<Precision> {
    let experts = levels.iter().find_map(|level| level.text("expert_dtype"));
    // MLX writes the same object under two names, so all of them are read.
    let objects: Vec<Config<'_>> =
        levels.iter().flat_map(|level| OBJECTS.map(|name| level.inside(name))).flatten().collect();
    for object in &objects {
        object.implied(settings::SETTINGS);
    }
    let found: Vec<Option<Precision>> = objects.iter().map(|object| one(object, experts)).collect();
    found.into_iter().flatten().next()
}

/// The number format that one object describes. `experts` is the value of `expert_dtype`, if there is one.
fn one(config: &Config<'_>, experts: Option<&str>) -> Option<Precision> {
    let method =
        ["quant_method", "quant_algo", "mode", "qformat_weight"].into_iter().find_map(|key| config.text(key));
    let found = methods::stored(config, method.unwrap_or("mlx"));
    // Reads the lists of modules even if the format is unknown, so that they are not reported as unknown keys.
    let unquantised = unquantised::parts(config);
    let Some(Mixed { stored, mixed }) = found else {
        let shown: String = method.unwrap_or("no method").chars().take(LONGEST_NAME).collect();
        config.audit().note(format!(
            "config.json: the number format of the weights (`{shown}`) is unknown; they count as {}",
            Precision::Bf16.name()
        ));
        return None;
    };
    let (mut format, mut exact) = stored.nearest();
    // DeepSeek-V4 stores its experts in MXFP4 and the rest, which is small, in FP8.
    if format == Precision::Fp8Block && experts == Some("fp4") {
        (format, exact) = (Precision::Mxfp4, true);
    }
    let name = format.name();
    if mixed {
        config.audit().note(format!(
            "config.json: weights have several number formats; all count as {name}, that of the feed-forward blocks"
        ));
    }
    if !exact {
        config.audit().note(format!(
            "config.json: weights are stored as {}; they count as {name}, the nearest modelled number format",
            stored.described()
        ));
    }
    if !unquantised.is_empty() && format != Precision::Bf16 {
        config.audit().note(format!(
            "config.json: modules that the checkpoint stores in 16 bits also count as {name}: {} (in some or all layers)",
            unquantised.join(", ")
        ));
    }
    Some(format)
}
