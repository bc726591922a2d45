//! Training runs before a deadline: the smallest number of GPUs, their cost, and links that answer the same.

use foretoken::figure::Row;
use foretoken::scenario::{Scenario, View, link};
use foretoken::search;
use foretoken::service::Service;
use foretoken::sizing::SizingObjective;
use foretoken::sizing::training::{MOST_GPUS, Run, Search, Shortfall};
use foretoken::units::Seconds;
use foretoken::validation::{Quantity, band};
use foretoken::view::{Answer, Part};

use crate::service::{all, answered, offered, request};

/// Llama 3.1 8B on 10¹² tokens.
fn asked(rest: &str) -> String {
    format!("v=1&view=sizing&size.job=train&model=llama-3.1-8b&tokens=1e12&batch=512{rest}")
}

fn question(rest: &str) -> Scenario {
    let decoded = link::decode(&asked(rest));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn searched(scenario: &Scenario) -> Search {
    let mut search = scenario.sized_runs().expect("a question");
    search.run();
    search
}

fn shown(rest: &str) -> Answer {
    let mut service = Service::default();
    service.ask(request(1, &asked(rest)));
    answered(&all(&mut service, "")).clone()
}

/// The run on the fewest GPUs of a device, and its time on half of them.
fn smallest<'a>(search: &'a Search, device: &str) -> Option<(&'a Run, Option<Seconds>)> {
    let run = search.runs().iter().find(|run| search.candidates()[run.device].accelerator.id == device)?;
    let candidate = &search.candidates()[run.device];
    let recipe = &candidate.problem.recipe;
    let half = (run.found.gpus > 1)
        .then(|| search::Search::best(candidate.problem.clone(), run.found.gpus / 2))
        .flatten();
    let time = half.map(|found| {
        let steps = recipe.tokens / f64::from(recipe.sequence) / f64::from(recipe.batch);
        let checkpoint = recipe.checkpoint(&candidate.problem.architecture);
        candidate
            .economics
            .bill(&candidate.accelerator, found.gpus, found.step * steps, Some(checkpoint))
            .time
    });
    Some((run, time))
}

#[test]
fn a_deadline_that_no_run_meets_offers_later_ones_that_a_run_does() {
    let answer = shown("&size.days=0.1&size.one=true");
    assert!(answer.lead.starts_with("No device trains "), "{}", answer.lead);
    let [offer] = &offered(&answer)[..] else { panic!("{:?}", answer.offers) };
    assert!(offer.sizing.days > 0.1, "{}", offer.sizing.days);
    assert!(!searched(offer).runs().is_empty(), "{}", link::encode(offer));
    assert_eq!(shown("&size.days=30&size.one=true").offers, []);
}

#[test]
fn the_fewest_gpus_end_in_time_and_half_of_them_do_not() {
    for days in [7.0, 30.0] {
        let search = searched(&question(&format!("&size.days={days}")));
        let deadline = days * 86_400.0;
        assert!(search.runs().len() > 40, "{}", search.runs().len());
        for device in ["h100-sxm", "a100-sxm-80gb", "b200", "mi300x", "gb200-nvl72"] {
            let (run, half) = smallest(&search, device).expect("a run");
            assert!(run.bill.time.get() <= deadline && run.found.gpus.is_power_of_two(), "{run:?}");
            assert!(half.is_none_or(|half| half.get() > deadline), "{device}: {half:?}");
        }
        for pair in search.runs().windows(2).filter(|pair| pair[0].device == pair[1].device) {
            assert!(pair[0].found.gpus < pair[1].found.gpus && pair[0].bill.time > pair[1].bill.time);
        }
        // Every device is accounted for once.
        let mut devices: Vec<usize> = search.runs().iter().map(|run| run.device).collect();
        devices.dedup();
        assert_eq!(devices.len() + search.misses().len(), search.candidates().len());
    }
}

#[test]
fn a_later_deadline_never_needs_more_gpus() {
    let searches = [10, 20, 40].map(|days| searched(&question(&format!("&size.days={days}"))));
    for pair in searches.windows(2) {
        for (place, candidate) in pair[0].candidates().iter().enumerate() {
            let fewest = |search: &Search| {
                let run = search.runs().iter().find(|run| run.device == place);
                run.map_or(u32::MAX, |run| run.found.gpus)
            };
            let (soon, late) = (fewest(&pair[0]), fewest(&pair[1]));
            assert!(late <= soon, "{}: {soon} {late}", candidate.accelerator.id);
        }
    }
}

#[test]
fn cost_is_gpus_times_hours_times_price() {
    let search = searched(&question("&cost.gpu_hour=4"));
    let mut priced = 0;
    for run in search.runs() {
        let candidate = &search.candidates()[run.device];
        let hours = f64::from(run.found.gpus) * run.bill.time.get() / 3600.0;
        let hourly = candidate.economics.hourly_usd(&candidate.accelerator);
        assert_eq!(hourly.is_some(), run.bill.usd.is_some());
        if let Some((usd, hourly)) = run.bill.usd.zip(hourly) {
            assert!((usd / (hours * hourly) - 1.0).abs() < 1e-12, "{run:?}");
            priced += 1;
        }
        if let Some((kwh, watts)) = run.bill.kwh.zip(candidate.economics.watts(&candidate.accelerator)) {
            assert!((kwh / (hours * watts * 1e-3) - 1.0).abs() < 1e-12, "{run:?}");
        }
    }
    assert!(priced > 10, "{priced}");
    let own = &search.candidates()[0];
    assert_eq!(own.economics.hourly_usd(&own.accelerator), Some(4.0));
}

#[test]
fn rows_are_ranked_and_open_as_the_same_run() {
    for (by, column) in [("cost", 1), ("gpus", 2), ("energy", 8)] {
        let answer = shown(&format!("&size.by={by}"));
        assert!(answer.lead.contains("Llama-3.1-8B on 1.00 T tokens in "), "{}", answer.lead);
        assert!(answer.lead.contains(" with TP "), "{}", answer.lead);
        assert!(by != "cost" || answer.lead.contains(" for $"), "{}", answer.lead);
        let Some(Part::Table(runs)) = answer.part("runs") else { panic!("no runs") };
        // Devices that are announced but not sold follow the others.
        let announced = |row: &Row| {
            let there = link::decode(row.cells[0].link.as_ref().expect("a link")).scenario;
            there.system.accelerator().expect("a device").announced
        };
        let place = |row: &Row| {
            let cost = row.cells[column].value;
            (cost.is_none(), announced(row), cost.unwrap_or_default())
        };
        assert!(runs.table.rows.is_sorted_by(|a, b| place(a) <= place(b)), "{by}");
        for row in &runs.table.rows {
            let there = link::decode(row.cells[0].link.as_ref().expect("a link"));
            assert!(there.problems.is_empty(), "{:?}", there.problems);
            let question = there.scenario;
            assert_eq!(question.view, View::Training);
            let estimate = question.training().expect("an answer");
            let device = question.system.accelerator().expect("a device");
            let bill = question.bill(&device, question.system.gpus, estimate.run);
            let same = |cell: usize, value: Option<f64>| match (row.cells[cell].value, value) {
                (Some(one), Some(other)) => (one / other - 1.0).abs() < 1e-9,
                (one, other) => one == other,
            };
            assert!(same(2, Some(f64::from(question.system.gpus))), "{row:?}");
            // The probability of the deadline, where published runs show the errors.
            let known = band::is_published(&question, Quantity::IterTime);
            assert_eq!(row.cells[6].text.ends_with(" %"), known, "{row:?}");
            assert!(same(4, Some(bill.time.get())) && same(1, bill.usd) && same(8, bill.kwh), "{row:?}");
            assert!(same(7, Some(100.0 * estimate.mfu)), "{row:?} {}", estimate.mfu);
            // Cost and energy are those of an hour times hours.
            let hours = bill.time.get() / 3600.0;
            assert!(same(10, bill.usd.map(|usd| usd / hours)), "{row:?}");
            assert!(same(11, bill.kwh.map(|kwh| 1e3 * kwh / hours)), "{row:?}");
        }
        let figure = answer.figures().next().expect("a figure");
        assert_eq!(figure.id, "run-costs");
        assert!(figure.reads.len() > 10 && figure.reads.iter().all(|read| !read.link.is_empty()));
    }
}

/// Columns that fleets and training runs share have the same order and the same words.
#[test]
fn runs_have_the_columns_of_fleets() {
    let fleets = "v=1&view=sizing&model=llama-3.1-8b&size.one=true";
    let labels = |answer: &Answer, part: &str, names: &[&str]| -> Vec<usize> {
        let Some(Part::Table(table)) = answer.part(part) else { panic!("no {part}") };
        let columns: Vec<&str> = table.table.columns.iter().map(|column| &*column.label).collect();
        let place = |name: &&str| columns.iter().position(|column| column == name);
        names.iter().map(|name| place(name).unwrap_or_else(|| panic!("{name}: {columns:?}"))).collect()
    };
    let mut service = Service::default();
    service.ask(request(1, fleets));
    let served = answered(&all(&mut service, "")).clone();
    let of_fleets =
        ["Fleet (replicas × GPUs of each)", "Cost per hour", "GPUs", "Deployment", "TPOT", "Levels met"];
    let of_runs = ["Devices (number × GPU)", "Cost", "GPUs", "Plan", "Time", "Deadline met", "MFU", "Energy"];
    for places in [
        labels(&served, "fleets", &[&of_fleets[..], &["Utilisation", "Power"]].concat()),
        labels(&shown("&size.one=true"), "runs", &of_runs),
    ] {
        assert!(places[0] == 0 && places.is_sorted(), "{places:?}");
    }
    let shared = ["Cost per hour", "Power", "Price of a GPU"];
    labels(&served, "fleets", &shared);
    labels(&shown("&size.one=true"), "runs", &shared);
}

#[test]
fn a_budget_ranks_what_it_pays_for_first() {
    let answer = shown("&size.by=gpus&size.budget=300000");
    let Some(Part::Table(runs)) = answer.part("runs") else { panic!("no runs") };
    let words = ["yes", "no", "–"];
    let place = |row: &Row| words.iter().position(|word| *word == row.cells[9].text);
    assert!(runs.table.rows.is_sorted_by(|a, b| place(a) <= place(b)));
    for row in &runs.table.rows {
        let within = row.cells[1].value.map(|usd| if usd <= 300_000.0 { "yes" } else { "no" });
        assert_eq!(row.cells[9].text, within.unwrap_or("–"));
    }
    let none = shown("&size.by=gpus&size.budget=1");
    assert!(none.lead.ends_with("; no run is within the budget of $1.00"), "{}", none.lead);
}

/// Beside the best run stand those that are best by another objective, each of which is a row; beside runs above the budget, one that
/// the cheapest is within.
#[test]
fn runs_that_are_best_by_another_objective_are_offered() {
    let answer = shown("&size.by=cost");
    let Some(Part::Table(runs)) = answer.part("runs") else { panic!("no runs") };
    let links: Vec<&String> = runs.table.rows.iter().filter_map(|row| row.cells[0].link.as_ref()).collect();
    let [others] = &answer.offers[..] else { panic!("{:?}", answer.offers) };
    assert_eq!(others.id, "others");
    for link in &others.links {
        let place = links.iter().position(|known| **known == link.link);
        assert!(place.is_some_and(|place| place > 0), "{link:?}");
    }
    let fewest = others.links.iter().find(|link| link.text.starts_with("fewest GPUs: ")).expect("an offer");
    let gpus = link::decode(&fewest.link).scenario.system.gpus;
    let sold = |row: &&Row| !row.cells[0].text.contains("announced");
    let least = runs.table.rows.iter().filter(sold).filter_map(|row| row.cells[2].value).fold(1e9, f64::min);
    assert!((f64::from(gpus) - least).abs() < 1e-9, "{fewest:?}");

    let answer = shown("&size.budget=1");
    assert!(answer.lead.contains("; no run is within the budget of "), "{}", answer.lead);
    let budget = answer.offers.iter().find(|offer| offer.id == "budget").expect("a budget");
    let there = link::decode(&budget.links[0].link).scenario;
    assert!(there.sizing.budget.is_some_and(|usd| usd > 1e3), "{budget:?}");
    let rest = format!("&size.budget={}", there.sizing.budget.unwrap_or_default());
    assert!(!shown(&rest).lead.contains("no run is within"), "{budget:?}");
}

/// The best run says how many servers it fills, with what probability it ends in time, and which run is surer.
#[test]
fn the_best_run_is_in_servers_and_as_sure_as_its_row() {
    let answer = shown("&size.one=true&gpu=h100-sxm");
    let servers = answer.cards.iter().find(|card| card.id == "servers").expect("a card");
    let gpus = answer.cards.iter().find(|card| card.id == "gpus").and_then(|card| card.amount.as_ref());
    let (count, gpus) = (servers.amount.as_ref().expect("a number").value, gpus.expect("a number").value);
    assert!((count - (gpus / 8.0).ceil()).abs() < 1e-9, "{servers:?}");
    assert!(servers.note.contains(" for the run"), "{servers:?}");
    let Some(Part::Table(runs)) = answer.part("runs") else { panic!("no runs") };
    let sure = format!("; {} probability of meeting the deadline", runs.table.rows[0].cells[6].text);
    assert!(answer.lead.contains(&sure), "{sure}: {}", answer.lead);
}

#[test]
fn what_no_device_does_in_time_says_why() {
    let scenario = question("&size.days=0.002");
    let search = searched(&scenario);
    assert!(search.runs().is_empty());
    let own = search.misses()[0].shortfall;
    let Shortfall::Deadline { gpus, time } = own else { panic!("{own:?}") };
    assert!(gpus <= MOST_GPUS && time.get() > 864.0 && time.get() < 86_400.0, "{own:?}");
    let answer = shown("&size.days=0.002");
    assert!(answer.lead.starts_with("No device trains Llama-3.1-8B on 1.00 T tokens in "), "{}", answer.lead);
    let Some(Part::Table(missed)) = answer.part("missed") else { panic!("no table") };
    assert_eq!(missed.table.rows.len(), search.candidates().len());
    // FP8 needs matrix units that an A100 does not have.
    let search = searched(&question("&precision=fp8"));
    let shortfall = |id: &str| {
        let miss = search.misses().iter().find(|miss| search.candidates()[miss.device].accelerator.id == id);
        miss.map(|miss| miss.shortfall)
    };
    assert_eq!(shortfall("a100-sxm-80gb"), Some(Shortfall::Format));
    assert_eq!(shortfall("h100-sxm"), None);
}

#[test]
fn the_steps_do_not_matter() {
    let scenario = question("");
    let whole = searched(&scenario);
    let mut parts = scenario.sized_runs().expect("a question");
    while !parts.is_done() {
        parts.advance(97);
    }
    assert_eq!((whole.runs(), whole.misses()), (parts.runs(), parts.misses()));
    assert_eq!(whole.tried(), parts.tried());
}

/// The sizing of a training run has neither a plan nor a search scope in its form, so those of the link have no effect.
#[test]
fn the_questions_own_plan_does_not_matter() {
    let other = "&tp=4&pp=2&cp=2&search.tp=2&gpus=64";
    let (plain, other) = (searched(&question("")), searched(&question(other)));
    assert_eq!((plain.runs(), plain.misses()), (other.runs(), other.misses()));
    assert_eq!(question("").sizing.by, SizingObjective::Cost);
}

/// The search around the first plan finds schedules and context parallelism that the first search does not try.
#[test]
fn a_large_run_has_the_plan_that_the_search_view_finds() {
    let training = "model=llama-3.1-405b&gpu=h100-sxm&gpus=16384&tokens=15.6e12&batch=2048&seq=8192";
    let sized =
        link::decode(&format!("v=1&view=sizing&size.job=train&size.days=80&size.one=true&{training}"));
    let search = searched(&sized.scenario);
    let (run, _) = smallest(&search, "h100-sxm").expect("a run");
    let asked = link::decode(&format!("v=1&view=search&{training}")).scenario;
    let problem = asked.search().expect("a job").question().clone();
    let best = search::Search::best(problem, 16_384).expect("a plan");
    assert!(run.found.step.get() < 1.01 * best.step.get(), "{run:?} {best:?}");
}
