//! Speculative decoding: the draft, and how many of its tokens are accepted.

use super::catalog_options;
use super::field::{Field, field};
use super::inference::{advanced, streamed};

pub(super) const FIELDS: &[Field] = &[
    streamed(
        field!("serve.draft", inference.draft)
            .whole(
                "Draft tokens",
                "Tokens that a draft proposes for each pass of the model (speculative decoding); 0 is no draft",
                0.0,
                64.0,
            )
            .unit("tokens")
            .by(1.0)
            .advanced(),
    ),
    streamed(
        field!("serve.accept", inference.acceptance)
            .number("Acceptance", "Probability that a proposed token is accepted", 0.0, 1.0)
            .by(0.05)
            .advanced(),
    ),
    streamed(
        field!("serve.draft_cost", inference.draft_cost)
            .number(
                "Draft cost",
                "Time of the draft for one token, as a share of a decode step of the model",
                0.0,
                1.0,
            )
            .by(0.01)
            .advanced(),
    ),
    advanced(field!("serve.draft_model", speculation.model).select(
        "Draft model",
        "The model or the prediction modules (MTP) that propose tokens, whose shapes give time and memory; with none, the draft cost does",
        catalog_options::drafts,
    )),
    advanced(field!("serve.draft_shared", speculation.shared).switch(
        "Draft shared",
        "Whether the GPUs of a tensor group share the draft model; otherwise one of them has it whole",
    )),
];
