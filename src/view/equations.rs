//! Equations of the headline's numbers, with the numbers of the question put in.

use crate::estimate::Term;
use crate::scenario::Scenario;
use crate::serving::InferenceEstimate;
use crate::training::TrainingEstimate;
use crate::units::{Amount, Seconds, format};

/// Equation of a number of the Training view; empty if it has none.
pub(super) fn training(id: &str, question: &Scenario, estimate: &TrainingEstimate) -> String {
    let (step, recipe) = (Amount::time(estimate.step), &question.recipe);
    let gpus = question.system.gpus;
    match id {
        "step" => sum("Step time", &estimate.terms, estimate.step),
        "mfu" => {
            let Ok(machine) = question.machine() else { return String::new() };
            let peak = machine.device.rate(recipe.precision);
            format!(
                "MFU = model FLOPs / (step time × GPUs × peak rate) = {} / ({step} × {} × {}) = {}",
                format::flops(estimate.model_flops),
                Amount::count(gpus),
                format::flop_rate(peak),
                Amount::percent(estimate.mfu),
            )
        }
        "tokens" => format!(
            "Tokens per second = global batch × sequence / step time = {} × {} / {step} = {}",
            Amount::count(recipe.batch),
            Amount::count(recipe.sequence),
            Amount::rate(estimate.tokens_per_second),
        ),
        "days" => {
            let device = question.system.accelerator().ok();
            let goodput = device.map_or(1.0, |device| question.bill(&device, gpus, estimate.run).goodput);
            let (name, share) = if goodput < 1.0 {
                (" / goodput", format!(" / {}", Amount::percent(goodput)))
            } else {
                ("", String::new())
            };
            format!(
                "Run time = tokens / tokens per second{name} = {} / {}{share} = {}",
                format::count(recipe.tokens),
                Amount::rate(estimate.tokens_per_second),
                Amount::time(estimate.run / goodput),
            )
        }
        _ => String::new(),
    }
}

/// Equation of a number of the Inference view; empty if it has none.
pub(super) fn inference(id: &str, question: &Scenario, estimate: &InferenceEstimate) -> String {
    let output = question.inference.output;
    match id {
        "ttft" => sum("TTFT", &estimate.terms_prefill, estimate.ttft),
        "tpot" => sum("TPOT", &estimate.terms_decode, estimate.tpot),
        "latency" => format!(
            "Request latency = TTFT + (output tokens − 1) × TPOT = {} + {} × {} = {}",
            Amount::time(estimate.ttft),
            Amount::count(output.saturating_sub(1)),
            Amount::time(estimate.tpot),
            Amount::time(estimate.latency),
        ),
        _ => String::new(),
    }
}

/// A total of terms, the largest first.
fn sum(name: &str, terms: &[Term], total: Seconds) -> String {
    let mut terms: Vec<&Term> = terms.iter().filter(|term| term.time > Seconds::ZERO).collect();
    crate::order::sort(&mut terms, |a, b| b.time.get().total_cmp(&a.time.get()));
    let said: Vec<String> = terms
        .iter()
        .map(|term| format!("{} {}", crate::figure::within(term.label), Amount::time(term.time)))
        .collect();
    format!("{name} = {} = {}", said.join(" + "), Amount::time(total))
}

#[cfg(test)]
mod tests {
    use crate::figure::Size;
    use crate::scenario::link;
    use crate::view::first;

    fn equations(link: &str) -> Vec<(String, String, String)> {
        let answer = first(&link::decode(link).scenario, Size::Wide).expect("an answer");
        let cards = answer.cards.into_iter().filter(|card| !card.equation.is_empty());
        cards.map(|card| (card.id.clone(), card.equation.clone(), card.shown())).collect()
    }

    #[test]
    fn equations_end_in_the_number_of_their_card() {
        for (link, ids) in [
            ("v=1", &["step", "mfu", "tokens", "days"][..]),
            ("v=1&view=inference", &["ttft", "tpot", "latency"][..]),
        ] {
            let equations = equations(link);
            let found: Vec<&str> = equations.iter().map(|(id, ..)| id.as_str()).collect();
            assert_eq!(found, ids);
            for (id, equation, shown) in &equations {
                assert!(equation.ends_with(&format!("= {shown}")), "{id}: {equation}, {shown}");
            }
        }
    }

    #[test]
    fn equations_hold_under_every_kind_of_load() {
        let close = |left: f64, right: f64| (left / right - 1.0).abs() < 1e-9;
        for more in [
            "",
            "&serve.batch=32",
            "&serve.concurrency=64",
            "&serve.rate=2",
            "&serve.rate=2&serve.engine=vllm",
        ] {
            let question = link::decode(&format!("v=1&view=inference{more}")).scenario;
            let estimate = question.inference().expect("an answer");
            let sum = |terms: &[crate::estimate::Term]| terms.iter().map(|term| term.time.get()).sum::<f64>();
            assert!(close(sum(&estimate.terms_prefill), estimate.ttft.get()), "{more}");
            assert!(close(sum(&estimate.terms_decode), estimate.tpot.get()), "{more}");
            let further = f64::from(question.inference.output - 1) * estimate.tpot.get();
            assert!(close(estimate.ttft.get() + further, estimate.latency.get()), "{more}");
        }
        for more in ["", "&precision=fp8", "&frozen=true&rank=16", "&gpu=mi300x"] {
            let question = link::decode(&format!("v=1{more}")).scenario;
            let Ok(estimate) = question.training() else { continue };
            let peak = question.machine().expect("a machine").device.rate(question.recipe.precision).get();
            let all = estimate.step.get() * f64::from(question.system.gpus) * peak;
            assert!(close(estimate.model_flops.get() / all, estimate.mfu), "{more}");
            let tokens = f64::from(question.recipe.batch) * f64::from(question.recipe.sequence);
            assert!(close(tokens / estimate.step.get(), estimate.tokens_per_second), "{more}");
            assert!(close(question.recipe.tokens / estimate.tokens_per_second, estimate.run.get()), "{more}");
        }
    }

    #[test]
    fn the_numbers_of_an_equation_are_the_question_s() {
        let equations = equations("v=1&gpus=64&tp=2&pp=1&model=llama-3.1-8b&batch=512");
        let find =
            |wanted: &str| equations.iter().find(|(id, ..)| id == wanted).expect("an equation").1.clone();
        // 989 TFLOP/s is the dense BF16 peak of an H100.
        assert!(find("mfu").contains("× 64 × 989 TFLOP/s)"), "{}", find("mfu"));
        assert!(find("tokens").contains("= 512 × 8,192 / "), "{}", find("tokens"));
        assert!(find("step").starts_with("Step time = matrix multiplies "), "{}", find("step"));
    }
}
