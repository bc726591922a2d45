//! The search over deployments, and what generations offer: deterministic, within the levels, never better when they tighten.

use foretoken::catalog;
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::{Choice, Scenario, View, link};
use foretoken::search::serving::Search;
use foretoken::service::Said;
use foretoken::system::{AssumptionSet, Precision};
use foretoken::view::{News, Part};

fn scenario(model: &str, device: &str, change: impl FnOnce(&mut InferenceLoad)) -> Scenario {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.model = Choice::Named(model.to_owned());
    scenario.system.accelerator = Choice::Named(device.to_owned());
    scenario.inference.engine = Engine::Vllm;
    change(&mut scenario.inference);
    scenario
}

fn searched(scenario: &Scenario) -> Search {
    let mut search = Search::new(scenario.deployments().expect("a question"));
    search.run();
    search
}

#[test]
fn what_is_found_keeps_the_levels_and_can_be_asked() {
    let asked = scenario("llama-3.1-70b", "h100-sxm", |load| {
        (load.ttft_limit_ms, load.tpot_limit_ms) = (Some(1000.0), Some(25.0));
    });
    let search = searched(&asked);
    let tally = search.tally();
    assert_eq!(tally.tried, tally.too_large + tally.too_slow + search.found().len());
    assert!(
        search.done() && tally.too_large > 0 && tally.too_slow > 0 && search.found().len() > 20,
        "{tally:?}"
    );
    for pair in search.found().windows(2) {
        assert!(pair[0].per_gpu() >= pair[1].per_gpu());
    }
    for found in search.found() {
        assert!(found.service.ttft.get() <= 1.0 && found.service.tpot.get() <= 0.025, "{found:?}");
        let question = Scenario { inference: found.load, ..asked.clone() };
        let again = question.inference().unwrap_or_else(|problems| panic!("{}: {problems:?}", found.name()));
        assert!((again.tokens_per_second / found.service.tokens_per_second - 1.0).abs() < 1e-9);
    }
    // Aggregated and disaggregated deployments are among the results, and the number formats of the device.
    assert!(search.found().iter().any(|found| found.load.prefill_workers > 0));
    assert!(search.found().iter().any(|found| found.load.prefill_workers == 0));
    assert!(search.found().iter().any(|found| found.load.precision == Precision::Fp8));
    assert!(search.found().iter().all(|found| found.load.precision != Precision::Fp4));
}

#[test]
fn the_steps_do_not_matter() {
    let asked = scenario("mixtral-8x7b", "h200-sxm", |load| {
        (load.rate, load.tpot_limit_ms, load.output) = (1.0, Some(20.0), 64);
    });
    let whole = searched(&asked);
    let mut parts = Search::new(asked.deployments().expect("a question"));
    let mut rounds = 0;
    while !parts.done() {
        parts.advance(7);
        rounds += 1;
    }
    assert!(rounds > 10 && whole.size() == parts.size());
    assert_eq!(whole.found(), parts.found());
    assert!(whole.found().iter().any(|found| found.load.expert > 1 || found.load.data > 1));
}

#[test]
fn a_tighter_level_never_finds_more() {
    let best = |ttft: f64, tpot: f64| {
        let asked = scenario("qwen3-32b", "b200", |load| {
            (load.ttft_limit_ms, load.tpot_limit_ms) = (Some(ttft), Some(tpot));
        });
        let search = searched(&asked);
        (search.found().len(), search.found().first().map_or(0.0, |found| found.per_gpu()))
    };
    let levels = [(4000.0, 100.0), (4000.0, 20.0), (300.0, 20.0), (150.0, 8.0), (1.0, 1.0)];
    let found: Vec<_> = levels.map(|(ttft, tpot)| best(ttft, tpot)).to_vec();
    for pair in found.windows(2) {
        assert!(pair[1].0 <= pair[0].0 && pair[1].1 <= pair[0].1 * 1.02, "{found:?}");
    }
    assert_eq!(found[4], (0, 0.0));
}

#[test]
fn later_generations_offer_more() {
    let asked = scenario("llama-3.1-70b", "h100-sxm", |_| ());
    let question = asked.deployments().expect("a question");
    let offers = |device: &str| {
        let device = catalog::accelerator(device).expect("a device");
        question.offers(device, AssumptionSet::Calibrated)
    };
    let all = ["a100-sxm-80gb", "h100-sxm", "b200"].map(offers);
    for offer in &all {
        for pair in offer.front.windows(2) {
            assert!(pair[1].per_gpu() > pair[0].per_gpu() && pair[1].per_user() < pair[0].per_user());
        }
    }
    for pair in all.windows(2) {
        let ends = |place: usize| {
            [pair[place].front.first(), pair[place].front.last()].map(|found| found.expect("a front"))
        };
        assert!(ends(1)[0].per_user() > ends(0)[0].per_user());
        assert!(ends(1)[1].per_gpu() > ends(0)[1].per_gpu());
    }
}

/// The TPOT limit is a line at the slowest speed per user that it allows; points above the TTFT limit say so.
#[test]
fn the_tradeoff_shows_the_asked_service_levels() {
    let figure = |rest: &str| {
        let said = crate::service::replies(&format!(
            "v=1&view=inference&model=llama-2-7b&serve.tp=1&serve.concurrency=8{rest}"
        ));
        let Some(Part::Figure(figure)) = crate::service::answered(&said).part("tradeoff") else {
            panic!("no tradeoff")
        };
        figure.clone()
    };
    let (plain, limited) = (figure(""), figure("&serve.tpot=20&serve.ttft=100"));
    assert!(
        !plain.svg.contains("at most") && limited.svg.contains("TPOT at most 20.0 ms"),
        "{}",
        limited.svg
    );
    let said = limited.assumptions.iter().find(|line| line.contains("as the question asks"));
    let said = said.expect("a line about the limits");
    assert!(said.contains("a TTFT of at most 100 ms and a TPOT of at most 20.0 ms"), "{said}");
    assert!(!plain.assumptions.iter().any(|line| line.contains("as the question asks")));
    // The table of the deployments comes first, then the question's own row without a TTFT.
    let slow = limited.table.rows.iter().filter(|row| row.cells[5].value.is_some_and(|ttft| ttft > 0.1));
    let read = limited.reads.iter().filter(|read| read.text.contains("above the limit"));
    assert_eq!(read.count(), slow.count());
    // A limit that no point comes near is on the axis too.
    assert!(figure("&serve.tpot=1000").svg.contains("TPOT at most 1.00 s"));
}

#[test]
fn the_view_is_answered_at_once_and_completed_later() {
    let link = "v=1&view=inference&model=llama-2-7b&serve.tp=1&serve.concurrency=8&serve.tpot=20";
    let said = crate::service::replies(link);
    let Some(Said::Partial { news: News::Whole(first), .. }) = said.first() else {
        panic!("{:?}", said.first())
    };
    assert!(first.part("load").is_some() && first.part("deployments").is_none());
    assert!(said.iter().filter(|said| matches!(said, Said::Progress { .. })).count() > 10);
    let answer = crate::service::answered(&said);
    assert!(answer.card("usd-output").is_some() && answer.part("tradeoff").is_some());
    let deployments = answer.part("deployments").and_then(Part::table).expect("a table");
    let Some(Part::Table(part)) = answer.part("deployments") else { panic!("no table") };
    assert!(part.finding.contains("are feasible") && !part.finding.contains("; 0 "), "{}", part.finding);
    let opens = |row: &foretoken::figure::Row| row.cells[0].link.clone().unwrap_or_default();
    assert!(deployments.rows.iter().all(|row| opens(row).starts_with("v=1&view=inference")));
}

/// GPUs pay for the electricity of prefill and of decode, in a row as in the answer that it opens: owned ones, and rented ones
/// beside prefill workers on another device.
#[test]
fn rows_have_the_price_of_the_answers_that_they_open() {
    let asked = "v=1&view=inference&model=llama-2-7b&serve.tp=1&serve.concurrency=8&serve.tpot=20";
    // A purchase price of the L40S is not known.
    for rest in ["&cost.terms=owned", "&cost.kwh=0.2&serve.prefill.gpu=l40s&serve.prefill.workers=1"] {
        let said = crate::service::replies(&format!("{asked}{rest}"));
        let answer = crate::service::answered(&said);
        let deployments = answer.part("deployments").and_then(Part::table).expect("a table");
        let mut prefilled = 0;
        for row in &deployments.rows {
            let there = link::decode(row.cells[0].link.as_ref().expect("a link")).scenario;
            let estimate = there.inference().expect("an answer");
            let load = &there.inference;
            let bill = there.token_bill(&estimate).expect("a bill");
            let opened =
                bill.usd_with_prompts(estimate.prompt(load) / f64::from(load.output)).expect("a price");
            let shown = row.cells[9].value.expect("a price");
            assert!((shown / opened - 1.0).abs() < 1e-6, "{}: {shown} opens {opened}", row.cells[0].text);
            prefilled += u32::from(load.prefill_workers > 0);
            let own = there.system.accelerator().expect("a device");
            let hourly = there.economics.hourly_usd(&own).expect("a price") * f64::from(load.gpus());
            let most = hourly / 3600.0 / estimate.tokens_per_second * 1e6;
            assert!(rest.contains("prefill") || shown < most, "{shown} of {most}");
        }
        assert!(deployments.rows.len() > 20 && prefilled > 5, "{} {prefilled}", deployments.rows.len());
    }
}
