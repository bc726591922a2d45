//! Models from the headers of checkpoints: GGUF and safetensors, of which the first megabytes are enough.

mod gguf;
mod gguf_config;
mod safetensors;
mod tensors;

use super::{Problem, Scenario, bounds, huggingface};
use crate::catalog::Architecture;
use crate::words::Word as _;

/// Bytes by which a file is told to be a checkpoint.
pub const BEGINNING: usize = 9;

/// Bytes of the longest header that is read: vocabularies of GGUF files have some ten million.
pub const MAX_HEADER: usize = 1 << 28;

/// Returns true if a file with this beginning is a checkpoint.
pub fn is_checkpoint(beginning: &[u8]) -> bool {
    beginning.starts_with(gguf::MAGIC) || safetensors::length(beginning).is_some()
}

/// Reads the model of a checkpoint from the beginning of its file, in place of that of `current`; nothing if the header goes
/// on after these bytes.
pub fn import(current: &Scenario, beginning: &[u8]) -> Option<Result<Scenario, Vec<Problem>>> {
    let model = architecture(beginning)?;
    Some(model.map_err(|problem| vec![problem]).and_then(|model| super::import::with_model(current, model)))
}

/// The architecture that the beginning of a checkpoint describes; nothing if its header goes on after these bytes.
pub fn architecture(beginning: &[u8]) -> Option<Result<Architecture, Problem>> {
    let header =
        if beginning.starts_with(gguf::MAGIC) { gguf::read(beginning) } else { safetensors::read(beginning) };
    match header {
        Ok(header) => Some(described(&header, beginning.starts_with(gguf::MAGIC))),
        Err(gguf::Fault::Short) if beginning.len() < MAX_HEADER => None,
        Err(gguf::Fault::Short) => {
            Some(Err(Problem::new("file", format!("has a header of more than {MAX_HEADER} bytes"))))
        }
        Err(gguf::Fault::Wrong(message)) => Some(Err(Problem::new("file", message))),
    }
}

fn described(header: &gguf::Header, gguf: bool) -> Result<Architecture, Problem> {
    let config = if gguf { gguf_config::config(header)? } else { safetensors::config(header)? };
    let mut model = huggingface::architecture(&config).map_err(|problem| Problem {
        field: problem.field.replacen("config.json", "header", 1),
        ..problem
    })?;
    // Counting holds within these bounds.
    if let Some(problem) = bounds::architecture(&model).into_iter().next() {
        return Err(problem);
    }
    let source = if gguf { "GGUF header" } else { "safetensors header" };
    source.clone_into(&mut model.source);
    for warning in &mut model.warnings {
        *warning = warning.replacen("config.json", "Header", 1);
    }
    let layers = header
        .tensors
        .iter()
        .filter(|tensor| tensor.name.contains("blk.") || tensor.name.contains("layers."));
    if let Some(mix) = tensors::mix(layers) {
        if !mix.exact {
            model.warnings.push(format!(
                "Header: the layers' weights are {} with {:.2} bits on average; they count as {} with {:.2}",
                mix.names.join(", "),
                mix.bits,
                mix.format.name(),
                8.0 * mix.format.element().get()
            ));
        }
        model.weights = Some(mix.format.word().to_owned());
    }
    if !gguf && !model.qk_norm {
        model.warnings.push(format!(
            "Header: heads are taken to be {} wide, which names of tensors do not say: the config.json does",
            model.head_dim
        ));
    }
    model.warnings.extend(difference(header, &model));
    Ok(model)
}

/// What the tensors have more or less than the shape says, if that is more than a thousandth.
fn difference(header: &gguf::Header, model: &Architecture) -> Option<String> {
    let parts = header.metadata.iter().find(|(key, _)| key == "split.count").map(|(_, value)| value);
    if let Some(gguf::Value::Number(parts)) = parts
        && *parts > 1.0
    {
        return Some(format!(
            "Header: the file is one of {parts}, so that its tensors were not compared with the shape"
        ));
    }
    let elements = tensors::elements(&header.tensors) as f64;
    let counted = model.parameters().total as f64;
    let off = elements / counted - 1.0;
    (off.abs() > 1e-3).then(|| {
        format!(
            "Header: the tensors have {:.4} billion elements, the shape {:.4} billion parameters ({:+.2} %)",
            elements / 1e9,
            counted / 1e9,
            100.0 * off
        )
    })
}
