//! The header of a checkpoint, which describes the model. The rest of the file, often many GB, is not read.

use super::content::Content;
use crate::scenario::{Problem, Scenario, checkpoint};

/// Length that is read first, bytes. As long as the header is longer, three times as much is read.
const LENGTH: f64 = 1_048_576.0;

/// Reads the model of a checkpoint from as much of its file as the header needs. The other settings are those of the current
/// question.
pub(super) async fn model(current: &Scenario, content: &Content) -> Result<Scenario, Vec<Problem>> {
    let mut length = LENGTH;
    loop {
        let beginning = content.beginning(length).await.map_err(|problem| vec![problem])?;
        if let Some(read) = checkpoint::import(current, &beginning) {
            return read;
        }
        if (beginning.len() as f64) < length {
            return Err(vec![Problem::new("file", "ends within its header")]);
        }
        length *= 3.0;
    }
}
