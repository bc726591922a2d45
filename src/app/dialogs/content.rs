//! The content of a dropped file, read in pieces and decompressed if it is gzip.

use gloo::timers::callback::Timeout;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, ReadableStream, ReadableStreamDefaultReader, ReadableStreamReadResult, ReadableWritablePair,
    WritableStream,
};

use crate::measured;
use crate::scenario::Problem;

#[wasm_bindgen]
extern "C" {
    /// `web_sys` has this interface only among its unstable ones. Browsers have had it since 2023.
    #[wasm_bindgen(typescript_type = "DecompressionStream")]
    type DecompressionStream;

    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;

    #[wasm_bindgen(method, getter)]
    fn readable(this: &DecompressionStream) -> ReadableStream;

    #[wasm_bindgen(method, getter)]
    fn writable(this: &DecompressionStream) -> WritableStream;
}

/// First bytes of gzip data (RFC 1952, 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Bytes of the last field of gzip data: the length of the decompressed data modulo 2^32 (RFC 1952, 2.3.1).
const LENGTH: f64 = 4.0;

/// A dropped file.
pub(super) struct Content {
    file: File,
    gzip: bool,
    length: f64,
}

impl Content {
    /// Opens a file. Its first bytes show whether it is compressed, its last bytes the decompressed length.
    pub(super) async fn of(file: File) -> Self {
        let gzip = slice(&file, 0.0, GZIP.len() as f64).await.is_ok_and(|head| head == GZIP);
        let mut length = file.size();
        if gzip && let Ok(end) = slice(&file, length - LENGTH, length).await {
            length = end.try_into().map_or(length, |end| f64::from(u32::from_le_bytes(end)));
        }
        Self { file, gzip, length }
    }

    /// Length of the decompressed content, bytes, as the file states it.
    pub(super) const fn length(&self) -> f64 {
        self.length
    }

    /// Returns true if the content is too long to be read as one text.
    pub(super) fn is_long(&self) -> bool {
        measured::refused(self.length).is_some()
    }

    /// Returns the first bytes, up to `length` of them.
    pub(super) async fn beginning(&self, length: f64) -> Result<Vec<u8>, Problem> {
        if !self.gzip {
            return slice(&self.file, 0.0, length.min(self.length)).await;
        }
        let mut pieces = self.pieces()?;
        let beginning = pieces.next(length).await?;
        pieces.cancel();
        Ok(beginning)
    }

    /// Returns the whole file as text. A file that is too long is refused before it is read. A compressed file that is longer than
    /// it states is refused once the limit is reached.
    pub(super) async fn text(&self) -> Result<String, Problem> {
        let check = |length: f64| measured::refused(length).map_or(Ok(()), Err);
        check(self.length)?;
        let bytes = self.beginning(measured::MAX_BYTES as f64 + 1.0).await?;
        check(bytes.len() as f64)?;
        Ok(measured::decoded(&bytes))
    }

    /// Begins to read the file.
    pub(super) fn pieces(&self) -> Result<Pieces<'_>, Problem> {
        if !self.gzip {
            return Ok(Pieces::Plain { file: &self.file, from: 0.0 });
        }
        let decompressor = DecompressionStream::new("gzip").map_err(|_| {
            Problem::new("file", "is compressed, which this browser cannot read: decompress it first")
        })?;
        let pair = ReadableWritablePair::new(&decompressor.readable(), &decompressor.writable());
        let stream = self.file.stream().pipe_through(&pair);
        Ok(Pieces::Gzip { reader: ReadableStreamDefaultReader::new(&stream).map_err(unread)? })
    }
}

/// Bytes of a file in their order.
pub(super) enum Pieces<'a> {
    /// A file without compression, from the byte `from` on.
    Plain { file: &'a File, from: f64 },
    /// A file that is decompressed.
    Gzip { reader: ReadableStreamDefaultReader },
}

impl Pieces<'_> {
    /// Returns the next bytes: at least `length` of them, fewer at the end of the file, and none after it.
    pub(super) async fn next(&mut self, length: f64) -> Result<Vec<u8>, Problem> {
        match self {
            Self::Plain { file, from } => {
                let to = (*from + length).min(file.size());
                let piece = slice(file, *from, to).await?;
                *from = to;
                Ok(piece)
            }
            Self::Gzip { reader } => {
                // The browser draws the page between events; decompressed bytes alone do not let it.
                pause().await;
                let mut piece = Vec::new();
                while (piece.len() as f64) < length {
                    let read = JsFuture::from(reader.read()).await;
                    let read: ReadableStreamReadResult = read
                        .map_err(|_| Problem::new("file", "is damaged: it cannot be decompressed"))?
                        .unchecked_into();
                    if read.get_done() == Some(true) {
                        break;
                    }
                    piece.extend(Uint8Array::new(&read.get_value()).to_vec());
                }
                Ok(piece)
            }
        }
    }

    /// Stops decompressing.
    pub(super) fn cancel(self) {
        if let Self::Gzip { reader } = self {
            // A stream that has failed cannot be cancelled, and need not be.
            drop(reader.cancel());
        }
    }
}

/// Waits until the browser has handled its pending events.
async fn pause() {
    let handled = Promise::new(&mut |resolve, _| {
        Timeout::new(0, move || drop(resolve.call0(&JsValue::NULL))).forget();
    });
    drop(JsFuture::from(handled).await);
}

fn unread<T>(_: T) -> Problem {
    Problem::new("file", "cannot be read")
}

/// Reads the bytes of a file from `from` to `to`.
async fn slice(file: &File, from: f64, to: f64) -> Result<Vec<u8>, Problem> {
    let piece = file.slice_with_f64_and_f64(from.max(0.0), to).map_err(unread)?;
    let buffer = JsFuture::from(piece.array_buffer()).await.map_err(unread)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}
