//! Reads models from the headers of checkpoints (GGUF, safetensors). The first megabytes of a file are enough.

mod gguf;
mod gguf_config;
mod header;
mod safetensors;
mod tensors;

use self::header::{Fault, Header, Value};
use super::{Problem, Scenario, bounds, huggingface};
use crate::catalog::Architecture;
use crate::units::format;
use crate::words::Word as _;

/// Number of bytes at the start of a file by which a checkpoint is recognised.
pub const BEGINNING: usize = 9;

/// Maximum length of a header, bytes. GGUF headers contain the vocabulary, of some ten million bytes.
pub const MAX_HEADER: usize = 1 << 28;

/// Format of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Gguf,
    Safetensors,
}

impl Format {
    /// The format of a file with these first bytes; `None` if it is no checkpoint.
    fn of(beginning: &[u8]) -> Option<Self> {
        if beginning.starts_with(gguf::MAGIC) {
            Some(Self::Gguf)
        } else {
            safetensors::length(beginning).map(|_| Self::Safetensors)
        }
    }

    /// Name of the header, which is the source of the model.
    const fn header(self) -> &'static str {
        match self {
            Self::Gguf => "GGUF header",
            Self::Safetensors => "safetensors header",
        }
    }

    /// Reads the header at the beginning of a file.
    fn read(self, beginning: &[u8]) -> Result<Header, Fault> {
        match self {
            Self::Gguf => gguf::read(beginning),
            Self::Safetensors => safetensors::read(beginning),
        }
    }

    /// The text of the `config.json` that a header is equivalent to.
    fn config(self, header: &Header) -> Result<String, Problem> {
        match self {
            Self::Gguf => gguf_config::config(header),
            Self::Safetensors => safetensors::config(header),
        }
    }
}

/// Returns true if a file with these first bytes is a checkpoint.
pub fn is_checkpoint(beginning: &[u8]) -> bool {
    Format::of(beginning).is_some()
}

/// Replaces the model of `current` by that of a checkpoint, from the beginning of its file; `None` if the header is longer
/// than these bytes.
pub fn import(current: &Scenario, beginning: &[u8]) -> Option<Result<Scenario, Vec<Problem>>> {
    let model = architecture(beginning)?;
    Some(model.map_err(|problem| vec![problem]).and_then(|model| super::import::with_model(current, model)))
}

/// The model of a checkpoint, from the beginning of its file; `None` if the header is longer than these bytes.
pub fn architecture(beginning: &[u8]) -> Option<Result<Architecture, Problem>> {
    let refused = |reason: String| Some(Err(Problem::new("file", reason)));
    let Some(format) = Format::of(beginning) else {
        return refused("is neither a GGUF nor a safetensors file".to_owned());
    };
    match format.read(beginning) {
        Ok(header) => Some(described(&header, format)),
        Err(Fault::Short) if beginning.len() < MAX_HEADER => None,
        Err(Fault::Short) => refused(format!("has a header of more than {MAX_HEADER} bytes")),
        Err(Fault::Invalid(reason)) => refused(reason),
    }
}

/// The model that a header describes, with warnings about what the header does not state.
fn described(header: &Header, format: Format) -> Result<Architecture, Problem> {
    let config = format.config(header)?;
    let mut model = huggingface::architecture(&config).map_err(|problem| Problem {
        field: problem.field.replacen("config.json", "header", 1),
        ..problem
    })?;
    // Within the bounds, numbers of parameters fit their types.
    if let Some(problem) = bounds::architecture(&model).into_iter().next() {
        return Err(problem);
    }
    format.header().clone_into(&mut model.source);
    for warning in &mut model.warnings {
        *warning = warning.replacen("config.json", "Header", 1);
    }
    let of_layer = |name: &str| name.contains("blk.") || name.contains("layers.");
    if let Some(mix) = tensors::mix(header.tensors.iter().filter(|tensor| of_layer(&tensor.name))) {
        if !mix.exact {
            model.warnings.push(format!(
                "Header: the layers' weights are {} with {} bits on average; they count as {} with {} bits",
                mix.names.join(", "),
                format::decimal(mix.bits, 2),
                mix.format.name(),
                format::decimal(8.0 * mix.format.element().get(), 2)
            ));
        }
        model.weights = Some(mix.format.word().to_owned());
    }
    if format == Format::Safetensors && !model.qk_norm {
        model.warnings.push(format!(
            "Header: the width of heads is assumed to be {}, because no tensor gives it; the config.json does",
            model.head_dim
        ));
    }
    model.warnings.extend(difference(header, &model));
    Ok(model)
}

/// Tolerance between the elements of the tensors and the parameters of the model, as a fraction.
const TOLERANCE: f64 = 1e-3;

/// Warns if the tensors have more or fewer elements than the model has parameters, or if they cannot be compared.
fn difference(header: &Header, model: &Architecture) -> Option<String> {
    if let Some(Value::Number(files)) = header.get("split.count")
        && *files > 1.0
    {
        return Some(format!(
            "Header: the file is one of {files} of its checkpoint, so its tensors were not compared with the model"
        ));
    }
    let elements = tensors::elements(&header.tensors) as f64;
    // Some files hold prediction modules and some do not.
    let modules = model.prediction.map_or(0, |prediction| prediction.parameters(model).0);
    let whole = model.parameters().total;
    let [alone, together] = [whole, whole + modules].map(|counted| counted as f64);
    let nearer = (elements / together - 1.0).abs() < (elements / alone - 1.0).abs();
    let counted = if nearer { together } else { alone };
    let excess = elements / counted - 1.0;
    (excess.abs() > TOLERANCE).then(|| {
        format!(
            "Header: the tensors have {} billion elements, the model {} billion parameters ({})",
            format::decimal(elements / 1e9, 4),
            format::decimal(counted / 1e9, 4),
            format::signed_percent(excess)
        )
    })
}
