//! SGLang servers whose steps mix prompts with running requests (`--enable-mixed-chunk`), recognised by first tokens that
//! come too early for a server that does not.
//!
//! The commands that ai-dynamo/aiconfigurator@095f58a generates for SGLang have the flag
//! (`generator/rule_plugin/sglang.rule`), and limit the prompts of a step to the prompt length plus 1,500 tokens; rows do not
//! say which of them were run by such commands.

use super::server::{Servers, peak};
use super::serving::Row;
use foretoken::inference::Engine;
use foretoken::scenario::Scenario;
use foretoken::validation::{Case, Question};
use foretoken::workload::flops::ForwardFlops;

/// Prompt tokens that a generated command allows in a step beyond one prompt (`max_prefill_tokens = SlaConfig.isl + 1500`).
const BEYOND: u32 = 1500;

/// Prompt tokens of a step by SGLang's own limit (`--chunked-prefill-size`).
const CHUNK: u32 = 8192;

/// Sets mixed steps on every row of a server with at least one run whose prompts were read too early for rounds.
pub(super) fn set(rows: &[Row], cases: &mut [Case]) {
    let early = Servers::with(rows, cases, is_early);
    for (row, case) in rows.iter().zip(cases) {
        if let Ok(Question::Scenario(scenario)) = &mut case.question
            && early.have(row)
        {
            let load = &mut scenario.inference;
            load.mixed = true;
            load.token_budget = load.token_budget.or(Some((load.input + BEYOND).min(CHUNK)));
        }
    }
}

/// Returns true if TTFT is shorter than half of the time that the multiplies of all prompts in flight take at the peak rate:
/// without mixed steps, requests of one output length begin and end together, and wait for half of the others' prompts on
/// average. `None` for other loads, and without a scenario or a TTFT.
fn is_early(row: &Row, case: &Case) -> Option<bool> {
    let Ok(Question::Scenario(scenario)) = &case.question else { return None };
    let Scenario { inference: load, .. } = &**scenario;
    if load.engine.product() != Engine::Sglang || !load.uniform || row.separate() {
        return None;
    }
    let ttft = row.text("silicon_ttft_ms").parse::<f64>().ok()? * 1e-3;
    let forward = ForwardFlops::of(scenario.architecture().ok()?, f64::from(load.input));
    let prompts = (forward.matrices + forward.causal) * f64::from(load.concurrency);
    Some(0.5 * (prompts / peak(row, load)?).get() > ttft)
}

#[cfg(test)]
mod tests {
    use super::super::serving::cases;
    use super::*;

    #[test]
    fn a_first_token_that_is_too_early_for_rounds_takes_its_server_along() {
        let text = "id,backend,backend_version,model_path,system,mode,isl,osl,gemm_quant_mode,tp_size,concurrency,\
                    silicon_ttft_ms,silicon_tpot_ms\n\
                    a,sglang,0.5.6,meta-llama/Llama-3.1-8B-Instruct,h200_sxm,agg,4000,1000,fp8,1,128,815,32\n\
                    b,sglang,0.5.6,meta-llama/Llama-3.1-8B-Instruct,h200_sxm,agg,1000,1000,fp8,1,4,200,8\n\
                    c,sglang,0.5.7,meta-llama/Llama-3.1-8B-Instruct,h200_sxm,agg,1000,1000,fp8,1,4,200,8\n";
        let mixed = |case: &Case| match &case.question {
            Ok(Question::Scenario(scenario)) => {
                Some((scenario.inference.mixed, scenario.inference.token_budget))
            }
            _ => None,
        };
        let found: Vec<_> = cases(text).expect("cases").iter().map(mixed).collect();
        assert_eq!(found, [Some((true, Some(5500))), Some((true, Some(2500))), Some((false, None))]);
    }
}
