//! The header of a GGUF file: metadata and descriptions of tensors (ggml-org/ggml, docs/gguf.md; versions 2 and 3).

use super::tensors::{Storage, Tensor};

/// The first bytes of each file.
pub(super) const MAGIC: &[u8; 4] = b"GGUF";

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number.
    Number(f64),
    /// A truth value.
    Flag(bool),
    /// A text.
    Text(String),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// A list of anything else, by its length.
    Length(u64),
}

/// A header.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Header {
    /// Keys and values, in the order of the file.
    pub(super) metadata: Vec<(String, Value)>,
    /// Tensors, in the order of the file.
    pub(super) tensors: Vec<Tensor>,
}

/// Why a header was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It goes on after these bytes.
    Short,
    /// It is none, for this reason.
    Wrong(String),
}

/// The longest text and the longest list of numbers that are kept.
const KEPT: u64 = 4096;

/// The most entries of a header.
const MOST: u64 = 1 << 20;

/// Types of values by their numbers, with the bytes of one; none for texts and lists.
const fn width(kind: u32) -> Option<u64> {
    Some(match kind {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => return None,
    })
}

const TEXT: u32 = 8;
const LIST: u32 = 9;

/// Reads a header from the beginning of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Header, Fault> {
    let mut reader = Reader { bytes, place: 0 };
    if reader.take(4)? != MAGIC {
        return Err(Fault::Wrong("is no GGUF file".to_owned()));
    }
    let version = reader.u32()?;
    if version != 2 && version != 3 {
        return Err(Fault::Wrong(format!("has version {version} of GGUF; 2 and 3 are read, little-endian")));
    }
    let (tensors, entries) = (reader.u64()?, reader.u64()?);
    if tensors > MOST || entries > MOST {
        return Err(Fault::Wrong("says that it has more than a million tensors or entries".to_owned()));
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
        if dimensions > 8 {
            return Err(Fault::Wrong(format!("has a tensor of {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(reader.u64()?);
        }
        // The first dimension is the one that is contiguous.
        shape.reverse();
        let storage = Storage::of_ggml(reader.u32()?);
        reader.u64()?;
        header.tensors.push(Tensor { name, shape, storage });
    }
    Ok(header)
}

struct Reader<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let end = usize::try_from(count).ok().and_then(|count| self.place.checked_add(count));
        let taken = end.and_then(|end| self.bytes.get(self.place..end)).ok_or(Fault::Short)?;
        self.place += taken.len();
        Ok(taken)
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.take(N as u64)?.try_into().map_err(|_| Fault::Short)
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        self.number().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Fault> {
        self.number().map(u64::from_le_bytes)
    }

    /// A text, of which the end may be cut.
    fn text(&mut self) -> Result<String, Fault> {
        let length = self.u64()?;
        let bytes = self.take(length)?;
        let kept = bytes.get(..KEPT as usize).unwrap_or(bytes);
        Ok(String::from_utf8_lossy(kept).into_owned())
    }

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
            kind => return Err(Fault::Wrong(format!("has a value of the unknown type {kind}"))),
        };
        Ok(Value::Number(number))
    }

    fn value(&mut self, kind: u32) -> Result<Value, Fault> {
        match kind {
            TEXT => self.text().map(Value::Text),
            LIST => self.list(),
            kind => self.scalar(kind),
        }
    }

    /// Short lists of numbers are kept, of others the length.
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
            return Err(Fault::Wrong("has a list of lists".to_owned()));
        }
        for _ in 0..length {
            let bytes = self.u64()?;
            self.take(bytes)?;
        }
        Ok(Value::Length(length))
    }
}
