//! Finds closed loops of answers of one length whose requests nevertheless do not begin together.
//!
//! An engine that reads prompts before it decodes would begin and end such requests together. The mean TTFT is then at
//! least half of the time that the fastest multiplies take for all prompts in flight; a server with a shorter one has
//! requests that are spread over time.

use std::collections::HashSet;

use super::cached::{fastest, server};
use super::serving::Row;
use foretoken::catalog;
use foretoken::system::Device;
use foretoken::validation::{Case, Question};
use foretoken::workload::flops::ForwardFlops;

/// Takes `uniform` from every row of a server with at least one run whose requests cannot have begun together.
pub(super) fn spread(rows: &[Row], cases: &mut [Case]) {
    let apart: HashSet<String> = rows
        .iter()
        .zip(cases.iter())
        .filter(|(row, case)| begins_apart(row, case).unwrap_or(false))
        .map(|(row, _)| server(row))
        .collect();
    for (row, case) in rows.iter().zip(cases) {
        if let Ok(Question::Scenario(scenario)) = &mut case.question
            && apart.contains(&server(row))
        {
            scenario.inference.uniform = false;
        }
    }
}

/// Returns true if an engine that reads prompts first has a mean TTFT shorter than half of the time of all prompts in flight;
/// `None` without a scenario, a TTFT or a device.
fn begins_apart(row: &Row, case: &Case) -> Option<bool> {
    let Ok(Question::Scenario(scenario)) = &case.question else { return None };
    let load = &scenario.inference;
    let ttft = row.text("silicon_ttft_ms").parse::<f64>().ok()? * 1e-3;
    let forward = ForwardFlops::of(scenario.architecture().ok()?, f64::from(load.input));
    let accelerator = catalog::device_named(row.text("system")).and_then(catalog::accelerator)?;
    let rate =
        Device::of(accelerator).rate(load.precision) * fastest(load.precision) * f64::from(load.gpus());
    let all = ((forward.matrices + forward.causal) / rate).get() * f64::from(load.concurrency);
    Some(load.uniform && !load.engine.overheads().mixes && ttft < 0.5 * all)
}

#[cfg(test)]
mod tests {
    use super::super::serving::cases;
    use foretoken::validation::Question;

    const COLUMNS: &str = "id,backend,backend_version,model_path,system,mode,isl,osl,gemm_quant_mode,tp_size,\
                           concurrency,silicon_ttft_ms,silicon_tpot_ms";

    #[test]
    fn a_short_wait_says_that_requests_begin_apart() {
        let row = |id, version, ttft| {
            format!(
                "{id},sglang,{version},meta-llama/Llama-3.1-8B-Instruct,h200_sxm,agg,2000,500,fp8,1,208,{ttft},37"
            )
        };
        let text =
            format!("{COLUMNS}\n{}\n{}\n{}\n", row("a", "1", 800), row("b", "1", 4000), row("c", "2", 4000));
        let cases = cases(&text).expect("cases");
        let uniform = cases.iter().map(|case| match &case.question {
            Ok(Question::Scenario(scenario)) => scenario.inference.uniform,
            _ => panic!("no scenario"),
        });
        assert_eq!(uniform.collect::<Vec<bool>>(), [false, false, true]);
    }
}
