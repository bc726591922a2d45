//! Reads the header of a GGUF file, versions 2 and 3 (ggml-org/ggml, docs/gguf.md).

use super::header::{Fault, Header, Value};
use super::tensors::{Storage, Tensor};

/// The first bytes of every file.
pub(super) const MAGIC: &[u8; 4] = b"GGUF";

/// Maximum length of a string that is kept, bytes, and of a list of numbers, entries.
const KEPT: u64 = 4096;

/// Maximum number of metadata keys, and of tensors. Published models have some thousand tensors.
const MOST: u64 = 1 << 20;

/// Maximum number of dimensions of a tensor; GGML has four.
const MOST_DIMENSIONS: u32 = 8;

/// Bytes of a value of this type; `None` for strings, lists and unknown types.
const fn width(kind: u32) -> Option<u64> {
    Some(match kind {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => return None,
    })
}

/// Type of strings.
const TEXT: u32 = 8;

/// Type of lists.
const LIST: u32 = 9;

/// Reads a header from the beginning of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Header, Fault> {
    let mut reader = Reader { bytes, place: 0 };
    if reader.take(4)? != MAGIC {
        return Err(Fault::Invalid("is no GGUF file".to_owned()));
    }
    let version = reader.u32()?;
    if version != 2 && version != 3 {
        return Err(Fault::Invalid(format!(
            "has version {version} of GGUF; only versions 2 and 3 in little-endian order are read"
        )));
    }
    let (tensors, entries) = (reader.u64()?, reader.u64()?);
    if tensors > MOST || entries > MOST {
        return Err(Fault::Invalid("states more than a million tensors or metadata keys".to_owned()));
    }
    let mut header = Header::default();
    for _ in 0..entries {
        let key = reader.text()?;
        let kind = reader.u32()?;
        let value = reader.value(kind)?;
        header.metadata.push((key, value));
    }
    for _ in 0..tensors {
        let name = reader.text()?;
        let dimensions = reader.u32()?;
        if dimensions > MOST_DIMENSIONS {
            return Err(Fault::Invalid(format!("has a tensor of {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(reader.u64()?);
        }
        // GGUF lists the contiguous dimension first, `Tensor` last.
        shape.reverse();
        let storage = Storage::of_ggml(reader.u32()?);
        let _offset = reader.u64()?;
        header.tensors.push(Tensor { name, shape, storage });
    }
    Ok(header)
}

/// Position in the beginning of a file.
struct Reader<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl<'a> Reader<'a> {
    /// The next bytes.
    fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let end = usize::try_from(count).ok().and_then(|count| self.place.checked_add(count));
        let taken = end.and_then(|end| self.bytes.get(self.place..end)).ok_or(Fault::Short)?;
        self.place += taken.len();
        Ok(taken)
    }

    /// The next bytes, as an array.
    fn number<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.take(N as u64)?.try_into().map_err(|_| Fault::Short)
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        self.number().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Fault> {
        self.number().map(u64::from_le_bytes)
    }

    /// A string, cut after [`KEPT`] bytes.
    fn text(&mut self) -> Result<String, Fault> {
        let length = self.u64()?;
        let bytes = self.take(length)?;
        let kept = bytes.get(..KEPT as usize).unwrap_or(bytes);
        Ok(String::from_utf8_lossy(kept).into_owned())
    }

    /// A number or a Boolean.
    fn scalar(&mut self, kind: u32) -> Result<Value, Fault> {
        let number = match kind {
            0 => f64::from(self.number::<1>()?[0]),
            1 => f64::from(i8::from_le_bytes(self.number()?)),
            2 => f64::from(u16::from_le_bytes(self.number()?)),
            3 => f64::from(i16::from_le_bytes(self.number()?)),
            4 => f64::from(self.u32()?),
            5 => f64::from(i32::from_le_bytes(self.number()?)),
            6 => f64::from(f32::from_le_bytes(self.number()?)),
            7 => return Ok(Value::Flag(self.number::<1>()?[0] != 0)),
            10 => self.u64()? as f64,
            11 => i64::from_le_bytes(self.number()?) as f64,
            12 => f64::from_le_bytes(self.number()?),
            kind => return Err(Fault::Invalid(format!("has a value of the unknown type {kind}"))),
        };
        Ok(Value::Number(number))
    }

    /// A value of any type.
    fn value(&mut self, kind: u32) -> Result<Value, Fault> {
        match kind {
            TEXT => self.text().map(Value::Text),
            LIST => self.list(),
            kind => self.scalar(kind),
        }
    }

    /// A list: up to [`KEPT`] numbers, otherwise its length.
    fn list(&mut self) -> Result<Value, Fault> {
        let (kind, length) = (self.u32()?, self.u64()?);
        if let Some(width) = width(kind) {
            if length > KEPT {
                self.take(width.saturating_mul(length))?;
                return Ok(Value::Length(length));
            }
            let mut numbers = Vec::new();
            for _ in 0..length {
                numbers.push(match self.scalar(kind)? {
                    Value::Number(number) => number,
                    value => f64::from(u8::from(value == Value::Flag(true))),
                });
            }
            return Ok(Value::Numbers(numbers));
        }
        if kind != TEXT {
            return Err(Fault::Invalid("has a list of lists".to_owned()));
        }
        for _ in 0..length {
            let bytes = self.u64()?;
            self.take(bytes)?;
        }
        Ok(Value::Length(length))
    }
}
