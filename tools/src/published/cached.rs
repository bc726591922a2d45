//! Leaves out servers with an unrecorded prefix cache, recognised by a prefill faster than the device's matrix
//! multiplies.

use super::server::{Servers, peak};
use super::serving::Row;
use foretoken::scenario::Scenario;
use foretoken::system::Precision;
use foretoken::validation::{Case, Question, Skip};
use foretoken::workload::flops::ForwardFlops;

/// Upper bound of the achieved fraction of peak matrix rate. In `tests/measured/kernels`, the fraction reaches 0.94 in
/// BF16 on an H200 and in INT8 on an A100, and 0.73 in FP8 on an H200.
const fn fastest(precision: Precision) -> f64 {
    match precision {
        Precision::Fp8 | Precision::Fp8Block | Precision::Fp4 => 0.75,
        _ => 0.95,
    }
}

/// Reason for leaving out all runs of a server: if the prompts of one run were cached, those of the others may have
/// been.
const RULE: Skip =
    Skip::Defect("on the server of a run that read prompts faster than the fastest multiplies");

/// Leaves out every row of a server with at least one run that was faster than the fastest matrix multiplies.
pub(super) fn leave_out(rows: &[Row], cases: &mut [Case]) {
    let faster = Servers::with(rows, cases, outruns);
    for (row, case) in rows.iter().zip(cases) {
        if case.question.is_ok() && faster.have(row) {
            case.question = Err(RULE);
        }
    }
}

/// Returns true if the requests in flight need more FLOPs than the fastest matrix multiplies deliver in a request's
/// measured time, TTFT + (output tokens − 1) TPOT; `None` without a scenario, times or a device.
fn outruns(row: &Row, case: &Case) -> Option<bool> {
    let Ok(Question::Scenario(scenario)) = &case.question else { return None };
    let Scenario { inference: load, .. } = &**scenario;
    let seconds = |column| row.text(column).parse::<f64>().ok().map(|millis| millis * 1e-3);
    let [input, output] = [load.input, load.output].map(f64::from);
    let request = seconds("silicon_ttft_ms")? + seconds("silicon_tpot_ms")? * (output - 1.0);
    let forward = ForwardFlops::of(scenario.architecture().ok()?, input + output - 1.0);
    // Of a prompt, only the last token passes the output head.
    let work = forward.matrices + forward.causal + forward.head * (output / (input + output - 1.0));
    let rate = peak(row, load)? * fastest(load.precision);
    Some(f64::from(load.concurrency) * (work / rate).get() > request)
}

#[cfg(test)]
mod tests {
    use super::super::serving::cases;
    use super::*;

    const COLUMNS: &str = "id,backend,backend_version,model_path,system,mode,isl,osl,gemm_quant_mode,tp_size,\
                           concurrency,silicon_ttft_ms,silicon_tpot_ms";

    fn left_out(rows: &[&str]) -> Vec<bool> {
        let text = format!("{COLUMNS}\n{}\n", rows.join("\n"));
        let cases = cases(&text).expect("cases");
        cases.iter().map(|case| matches!(&case.question, Err(Skip::Defect(_)))).collect()
    }

    #[test]
    fn what_is_faster_than_multiplies_takes_its_server_along() {
        let fast = "a,vllm,0.12.0,meta-llama/Llama-3.1-8B-Instruct,h200_sxm,agg,2000,100,fp8,1,64,100,5";
        let slow = "b,vllm,0.12.0,meta-llama/Llama-3.1-8B-Instruct,h200_sxm,agg,2000,100,fp8,1,1,30,5";
        let other = "c,vllm,0.13.0,meta-llama/Llama-3.1-8B-Instruct,h200_sxm,agg,2000,100,fp8,1,1,30,5";
        assert_eq!(left_out(&[fast, slow, other]), [true, true, false]);
        assert_eq!(left_out(&[slow, other]), [false, false]);
    }
}
