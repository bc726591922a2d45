//! The cards of the Inference view.

use super::{encoders, offload, prefix_cache, shortfalls, speeds};
use crate::economics::Utilisation;
use crate::scenario::{Scenario, Topic};
use crate::serving::InferenceEstimate;
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::Quantity;
use crate::view::{Card, cards, equations};

/// Output tokens per second per GPU.
pub(super) fn per_gpu(question: &Scenario, estimate: &InferenceEstimate) -> f64 {
    estimate.tokens_per_second / f64::from(question.inference.gpus())
}

/// Service, memory and costs: first what the page shows without a click.
pub(super) fn cards(question: &Scenario, estimate: &InferenceEstimate) -> Vec<Card> {
    let load = &question.inference;
    let per_user = Amount::new(Seconds::new(1.0) / estimate.tpot, Unit::None);
    let together = if load.is_stream() {
        let each = match load.pipeline {
            1 if load.replicas() > 1.0 => " on each attention replica",
            1 => "",
            _ => " in each pipeline stage",
        };
        format!("{}{each}", requests(estimate.running))
    } else {
        match load.batch {
            1 => "one request at a time".to_owned(),
            batch => format::counted(batch, "concurrent requests"),
        }
    };
    let cached = Amount::traffic(estimate.kv_bytes_per_token);
    let kv = match load.tensor.saturating_mul(load.pipeline) {
        1 => cached.to_string(),
        gpus => format!("{cached}; over {gpus} GPUs"),
    };
    let tokens = Card::new("tokens", "Output tokens per second", Amount::rate(estimate.tokens_per_second))
        .noted(together);
    let mut all = vec![
        cards::time(
            ("ttft", "Time to first token"),
            estimate.ttft,
            encoders::prompt(load.input, estimate),
            question,
            (Quantity::Ttft, Topic::Ttft),
        ),
        cards::time(
            ("tpot", "Time per output token"),
            estimate.tpot,
            format!("{per_user} per second per user"),
            question,
            (Quantity::Tpot, Topic::Tpot),
        ),
        match time_behind_rate(question, estimate) {
            Some((time, of)) => cards::with_inverse_range(tokens, time, question, of),
            None => tokens,
        },
        cards::memory(&estimate.memory),
    ];
    all.extend(costs(question, estimate));
    all.extend([
        Card::new("latency", "Request latency", Amount::time(estimate.latency)).noted(match load.output {
            1 => "1 output token".to_owned(),
            tokens => format!("{} output tokens", Amount::count(tokens)),
        }),
        Card::new("kv", "KV cache per token", Amount::memory(estimate.kv_bytes_per_token)).noted(kv),
        Card::new("batch", "Largest batch", Amount::count(estimate.largest_batch)).noted(
            match (load.is_stream(), load.engine.schedules()) {
                (true, _) => "requests that run at once: what the engine's share of memory holds at their mean length, within its limit",
                (false, true) => "requests that fit in memory, all at their full length",
                (false, false) => {
                    "requests that fit in memory, all at their full length and prefilled at once"
                }
            },
        ),
    ]);
    all.extend(prefix_cache::card(question));
    all.extend(estimate.images.map(|images| encoders::images(&images)));
    all.extend(estimate.audio.map(|audio| encoders::audio(&audio)));
    all.extend(estimate.offloaded_memory().map(|(place, memory)| offload::card(place, &memory)));
    all.extend(context(question));
    shortfalls::note(&mut all, question, estimate);
    for card in &mut all {
        card.equation = equations::inference(&card.id, question, estimate);
    }
    all
}

/// A mean number of concurrent requests.
fn requests(mean: f64) -> String {
    let number = Amount::mean(mean).to_string();
    format!("{number} concurrent {}", if number == "1" { "request" } else { "requests" })
}

/// The longest context that fits, and whether memory or the model limits it.
fn context(question: &Scenario) -> Option<Card> {
    let longest = speeds::longest_context(question)?;
    let load = &question.inference;
    let requests = match load.batch.max(1) {
        _ if load.rate > 0.0 => "one request".to_owned(),
        _ if load.concurrency > 0 => {
            let all = format::counted(load.concurrency, "concurrent requests");
            format!("{all}{}", if load.concurrency > 1 { ", none of which waits" } else { "" })
        }
        1 => "one request".to_owned(),
        batch => format!("{} requests", Amount::count(batch)),
    };
    let made = question.architecture().ok()?.max_sequence;
    let limit = if longest >= made {
        "the model's maximum".to_owned()
    } else {
        format!("the model's maximum is {}", Amount::count(made))
    };
    let note = format!("prompt and output tokens of {requests}; {limit}");
    Some(Card::new("context", "Longest context that fits", Amount::count(longest)).noted(note))
}

/// The time from which the output token rate follows: the request latency for a number of concurrent requests, the TPOT for a
/// batch. `None` for a given request rate, which fixes the token rate.
///
/// With a number of concurrent requests, the range of the rate is that of request latencies, because published output rates are
/// among their rows ([`crate::validation::band::ratios`]). Both include queueing, prompts, and the start and end of a benchmark.
/// TPOT includes none of these, so that its range differs.
fn time_behind_rate(
    question: &Scenario,
    estimate: &InferenceEstimate,
) -> Option<(Seconds, (Quantity, Topic))> {
    let load = &question.inference;
    match (load.rate > 0.0, load.is_stream()) {
        (true, _) => None,
        (false, true) => Some((estimate.latency, (Quantity::RequestLatency, Topic::Request))),
        (false, false) => Some((estimate.tpot, (Quantity::Tpot, Topic::Tpot))),
    }
}

/// Label of the cost of decoding alone. Costs that include the prompts are those of output tokens.
pub(in crate::view) const DECODE_COST: &str = "Decode cost per million output tokens";

/// Cost and energy of tokens, where the device is known.
fn costs(question: &Scenario, estimate: &InferenceEstimate) -> Vec<Card> {
    let Ok(accelerator) = question.system.accelerator() else { return Vec::new() };
    let economics = &question.economics;
    let Some(bill) = question.token_bill(estimate) else { return Vec::new() };
    let price = |hourly: Option<f64>| match hourly {
        Some(hourly) => {
            format!("at {} per GPU-hour, {}", Amount::usd(hourly), economics.terms.name().to_lowercase())
        }
        None => "the price of this GPU is not known".to_owned(),
    };
    let watts = economics.decode_watts(&accelerator, Utilisation::decoding(&accelerator, estimate));
    let own = economics.hourly_usd_at(&accelerator, watts);
    let taken =
        economics.priced_as(&accelerator).map_or_else(String::new, |name| format!("; the price of {name}"));
    let of_prefill = match question.prefill_device(&question.inference) {
        Some(prefill) => price(economics.listed().hourly_usd(prefill)) + ", of the prefill workers",
        None => price(economics.hourly_usd(&accelerator)) + &taken,
    };
    // The first output token is the prefill's.
    let decoded = question.inference.output > 1;
    let none = "the one output token is the prefill's: nothing is decoded";
    let power = match watts {
        Some(watts) => format!(
            "at {} per GPU in decode, with its share of the server{}",
            Amount::new(watts, Unit::Watts),
            if accelerator.class.is_personal() { "" } else { ", PUE included" },
        ),
        None => "the power of this GPU is not known".to_owned(),
    };
    let usd = |usd: Option<f64>| usd.map(Amount::usd);
    let of_output = bill.usd_per_million_output.filter(|_| decoded);
    let output = Card::known("usd-output", DECODE_COST, usd(of_output)).noted(if decoded {
        price(own) + &taken
    } else {
        none.to_owned()
    });
    let joules = bill.joules_per_output.filter(|_| decoded).map(|joules| Amount::new(joules, Unit::Joules));
    vec![
        match time_behind_rate(question, estimate) {
            Some((time, of)) => cards::with_proportional_range(output, time, question, of),
            None => output,
        },
        Card::known("usd-input", "Cost per million input tokens", usd(bill.usd_per_million_input))
            .noted(of_prefill),
        Card::known("energy", "Energy per output token", joules).noted(if decoded {
            power
        } else {
            none.to_owned()
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_requests_have_no_decimals() {
        let told = [1.0, 0.9999, 0.52, 12.0, 6.41, 1029.0].map(requests);
        let numbers = ["1", "1", "0.520", "12", "6.41", "1,029"];
        for (told, number) in told.iter().zip(numbers) {
            let things = if number == "1" { "request" } else { "requests" };
            assert_eq!(*told, format!("{number} concurrent {things}"));
        }
    }
}
