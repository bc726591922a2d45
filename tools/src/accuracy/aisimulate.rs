//! Our errors beside those that AISimulate publishes for `InferenceX`.

use foretoken::validation::{Case, Outcome, Quantity, Score};

/// Models of `InferenceX` with rows in `serving.csv`.
const MODELS: [&str; 5] = [
    "MiniMaxAI/MiniMax-M2.5",
    "moonshotai/Kimi-K2.5",
    "Qwen/Qwen3.5-397B-A17B",
    "zhipuai/GLM-5",
    "deepseek-ai/DeepSeek-R1",
];

/// A paragraph with the published errors and ours, on rows of one node that no constant was fitted on.
pub fn paragraph(outcomes: &[&Outcome<'_>]) -> String {
    let errors = |quantity: Quantity| {
        let own = outcomes.iter().filter(|outcome| outcome.quantity == quantity && is_alike(outcome.case));
        Score::of(own.filter_map(|outcome| Some((*outcome.predicted.as_ref().ok()?, outcome.measured))))
    };
    let (tpot, ttft) = (errors(Quantity::Tpot), errors(Quantity::Ttft));
    format!(
        "AISimulate, the successor of AIConfigurator, publishes mean errors of 28.4 % in TPOT and 76.7 % in TTFT on 728 points of\n\
         InferenceX on one node, of seven models in the dump of 20 July 2026, and 31.2 % and 51.7 % of its predecessor on them\n\
         (ai-dynamo/aisimulate@220f3f3, python/aisimulate/docs/e2e-accuracy). The points themselves are not in this repository. On\n\
         the {} rows of five of InferenceX's models on one node that are, from an earlier dump and without those that a constant was\n\
         fitted on, ours are {:.1} % and {:.1} %. Points, versions of engines and some models differ, so that this compares the size\n\
         of errors, not the estimators on equal terms; the table below does.\n",
        tpot.count,
        100.0 * tpot.mean,
        100.0 * ttft.mean
    )
}

/// Returns true for a row of one node and one of the models that no constant was fitted on.
fn is_alike(case: &Case) -> bool {
    !case.used_in_fit && case.id.contains("_agg_") && MODELS.contains(&case.model.as_str())
}
