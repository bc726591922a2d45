//! Tests of local inference: the runs that a row's rates belong to.

use super::Row;
use foretoken::validation::Skip;

/// Generated tokens of a test that does not state them, so few that they do not lengthen the prompt's cache.
const FEW: u32 = 2;

/// Generated tokens of a test that states no lengths: those of `llama-bench`. The prompts are short, and the answers have some
/// hundred tokens: in 69 pairs of rows with a small and a large prompt the rates differ by 0.5 % at the median and by 1.9 % in the
/// mean (guruswami-ai/mlx-benchmarks@2e44a7c, results/nvidia).
const UNSTATED: u32 = 128;

/// Prompt tokens of llmfit's requests, an estimate: three prompts of 8 to 20 words and the tokens of a chat template
/// (AlexsJones/llmfit@3f44fd3, llmfit-core/src/bench.rs).
const CHAT: u32 = 40;

/// Prompt and generated tokens of LocalScore's runs (Mozilla-Ocho/llamafile@cfa861a, localscore/localscore.cpp,
/// `get_baseline_test_configs`). It publishes the means of their rates.
const LOCAL_SCORE: [(u32, u32); 9] = [
    (1024, 16),
    (4096, 256),
    (2048, 256),
    (2048, 768),
    (1024, 1024),
    (1280, 3072),
    (384, 1152),
    (64, 1024),
    (16, 1536),
];

/// The test of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// `llama-bench`: a prompt, and tokens generated behind `depth` cached ones.
    LlamaBench,
    /// `llama-batched-bench`: equal prompts, and tokens generated behind them.
    Batched,
    /// mlx-lm: a prompt, and a few tokens generated behind it.
    MlxLm,
    /// Rapid-MLX: a prompt, and tokens generated behind it.
    RapidMlx,
    /// LocalScore: the mean rate of nine runs.
    LocalScore,
    /// llmfit: three short chat requests. Ollama states the rate of generation; for other servers llmfit divides the generated
    /// tokens by the time of the request.
    Llmfit,
    /// Tokens generated behind a short prompt; neither length is stated.
    Unstated,
}

impl Test {
    /// The test of a row.
    pub(super) fn of(row: &Row) -> Result<Self, Skip> {
        Ok(match row.test.as_str() {
            "llama-bench" => Self::LlamaBench,
            "prompt of the stated length, then decode at that depth" => Self::MlxLm,
            "512/128 or 2048/512, median of rounds" => Self::RapidMlx,
            "localscore-mean (nine tests, prompts 16-4096, outputs 16-3072)" => Self::LocalScore,
            "llmfit bench (end-to-end, short chat prompts)" => Self::Llmfit,
            "llama-batched-bench" => Self::Batched,
            "tg" | "prompt tier small" | "prompt tier large" => Self::Unstated,
            // They do not say which layers were in host memory, and whether a draft proposed tokens.
            other => {
                return Err(Skip::NotModelled(format!("rates of a test that is not described: {other}")));
            }
        })
    }

    /// Prompt and generated tokens of the runs whose prompts were timed.
    pub(super) fn prompts(self, row: &Row) -> Result<Vec<(u32, u32)>, Skip> {
        if self == Self::LocalScore {
            return Ok(LOCAL_SCORE.map(|(prompt, _)| (prompt, 1)).to_vec());
        }
        Ok(vec![(row.prompt_tokens.ok_or(Skip::Missing("prompt_tokens"))?, 1)])
    }

    /// Prompt and generated tokens of the runs whose generated tokens were timed. A prompt of one token stands for none.
    pub(super) fn generated(self, row: &Row) -> Result<Vec<(u32, u32)>, Skip> {
        let stated = || row.gen_tokens.ok_or(Skip::Missing("gen_tokens"));
        let prompt = || row.prompt_tokens.ok_or(Skip::Missing("prompt_tokens"));
        Ok(match self {
            Self::LocalScore => LOCAL_SCORE.to_vec(),
            Self::LlamaBench => vec![(row.depth.max(1), stated()?)],
            Self::MlxLm => vec![(prompt()?, row.gen_tokens.unwrap_or(FEW))],
            Self::RapidMlx | Self::Batched => vec![(prompt()?, stated()?)],
            Self::Llmfit => vec![(CHAT, stated()?)],
            Self::Unstated => vec![(1, UNSTATED)],
        })
    }

    /// Returns true if generated tokens were divided by the time of whole requests.
    pub(super) fn times_requests(self, row: &Row) -> bool {
        self == Self::Llmfit && row.backend != "ollama"
    }
}
