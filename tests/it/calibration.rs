//! A visitor's own calibration: what it finds, what moves it, and where its corrections apply.

use foretoken::calibration::{
    Calibration, CalibrationError, Correction, MAX_ROWS, Prior, Row, fit, fit_under,
};
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::scenario::{Choice, Profile, Scenario, View, link};
use foretoken::system::{AssumptionSet, Corrections};
use foretoken::validation::{Quantity, Replaced};

/// A machine that differs from the calibrated one.
const OTHER: Corrections = Corrections { kernels: 1.15, host: 0.8, links: 0.7, starts: 1.4, step: 1.3 };

fn training(tensor: u32, gpus: u32, batch: u32) -> Scenario {
    let text =
        format!("v=1&model=llama-3.1-8b&gpus={gpus}&tp={tensor}&pp=1&mb=1&batch={batch}&framework=megatron");
    link::decode(&text).scenario
}

fn serving(tensor: u32, batch: u32, input: u32) -> Scenario {
    let inference = InferenceLoad { tensor, batch, input, engine: Engine::Vllm, ..InferenceLoad::default() };
    let model = Choice::Named("llama-3.1-8b".to_owned());
    Scenario { view: View::Inference, model, inference, ..Scenario::default() }
}

/// Rows of a machine with these corrections, without noise.
fn rows(corrections: Corrections) -> Vec<Row> {
    let mut rows = Vec::new();
    for (tensor, gpus, batch) in
        [(1, 8, 64), (2, 8, 64), (4, 16, 128), (8, 16, 64), (8, 64, 512), (1, 64, 128)]
    {
        rows.push((training(tensor, gpus, batch), Quantity::IterTime));
    }
    for (tensor, batch, input) in
        [(1, 1, 200), (2, 8, 1000), (4, 32, 200), (8, 1, 4000), (8, 64, 500), (1, 16, 2000)]
    {
        for quantity in [Quantity::Ttft, Quantity::Tpot] {
            rows.push((serving(tensor, batch, input), quantity));
        }
    }
    // Short prompts, one at a time: the time from arrival to the first step counts.
    for input in [50, 300] {
        let mut alone = serving(1, 1, input);
        alone.inference.concurrency = 1;
        rows.push((alone, Quantity::Ttft));
    }
    let row = |(place, (scenario, quantity)): (usize, (Scenario, Quantity))| {
        let there = Scenario { profile: Profile::of(corrections), ..scenario.clone() };
        let measured =
            foretoken::validation::predicted(&there, quantity, &Replaced::default()).expect("a prediction");
        Row { name: format!("row {place}"), scenario, quantity, measured, replaced: Replaced::default() }
    };
    rows.into_iter().enumerate().map(row).collect()
}

fn fitted(rows: &[Row]) -> Calibration {
    fit(rows).expect("a fit")
}

fn factors(corrections: Corrections) -> [f64; 5] {
    let Corrections { kernels, host, links, starts, step } = corrections;
    [kernels, host, links, starts, step]
}

#[test]
fn rows_of_the_calibrated_machine_move_nothing() {
    let found = fitted(&rows(Corrections::NONE));
    assert_eq!(found.corrections, Corrections::NONE);
    assert!(found.errors().after < 1e-3);
}

#[test]
fn many_rows_of_another_machine_find_its_corrections() {
    let wide = Prior { corrections: [1.0; 5], scatter: [0.01; 4] };
    let found = fit_under(&wide, &rows(OTHER)).expect("a fit");
    for (place, (found, known)) in factors(found.corrections).into_iter().zip(factors(OTHER)).enumerate() {
        // Little of these rows' time is in the other four.
        let bound = if place == 0 { 0.01 } else { 0.1 };
        assert!(libm::log(found / known).abs() < bound, "{:?}: {found} for {known}", Correction::ALL[place]);
    }
    let errors = found.errors();
    assert!(errors.after < 0.05 * errors.before && errors.left_out < 0.3 * errors.before, "{errors:?}");
    for (place, deviation) in found.deviations.into_iter().enumerate() {
        assert!(deviation < found.prior[place], "{:?}", Correction::ALL[place]);
    }
}

#[test]
fn ranges_shrink_as_rows_come() {
    let all = rows(OTHER);
    let steps: Vec<Row> = all.into_iter().filter(|row| row.quantity == Quantity::IterTime).collect();
    let spread = |rows: usize| fitted(&steps[..rows]).profile("").step_spread;
    assert!(spread(6) < spread(3) && spread(3) < spread(1), "{} {} {}", spread(1), spread(3), spread(6));
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut all = rows(OTHER);
    let found = fitted(&all);
    all.reverse();
    let reversed = fitted(&all);
    assert_eq!((found.corrections, found.deviations), (reversed.corrections, reversed.deviations));
}

#[test]
fn an_outlier_moves_less_than_it_is_off() {
    let mut all = rows(OTHER);
    let clean = fitted(&all);
    all[1].measured *= 20.0;
    let found = fitted(&all);
    assert!(found.rows[1].weight < 0.35, "{:?}", found.rows[1]);
    for (with, without) in factors(found.corrections).into_iter().zip(factors(clean.corrections)) {
        assert!(libm::log(with / without).abs() < 0.35, "{found:?}");
    }
}

#[test]
fn what_cannot_be_fitted_is_said() {
    assert!(matches!(fit(&[]), Err(CalibrationError::NoRow(skipped)) if skipped.is_empty()));
    let one = rows(OTHER).remove(0);
    let wrong = |change: &dyn Fn(&mut Row)| {
        let mut row = one.clone();
        change(&mut row);
        row
    };
    let bad = [
        wrong(&|row| row.measured = 0.0),
        wrong(&|row| row.measured = f64::NAN),
        wrong(&|row| row.quantity = Quantity::PeakMemory),
        wrong(&|row| row.scenario.system.gpus = 7),
        wrong(&|row| row.scenario.assumptions = AssumptionSet::Ideal),
    ];
    assert!(matches!(fit(&bad), Err(CalibrationError::NoRow(skipped)) if skipped.len() == bad.len()));
    let mut mixed = bad.to_vec();
    mixed.push(one.clone());
    let found = fitted(&mixed);
    assert_eq!((found.skipped.len(), found.rows.len(), found.rows[0].place), (bad.len(), 1, bad.len()));
    let many = vec![one; MAX_ROWS + 1];
    assert_eq!(fit(&many), Err(CalibrationError::TooMany(MAX_ROWS + 1)));
}

#[test]
fn a_profile_travels_in_links_and_documents() {
    let mut profile = fitted(&rows(OTHER)).profile("our cluster, 400 Gb/s");
    profile.off = true;
    let scenario = Scenario { profile, ..training(2, 8, 64) };
    assert_eq!(link::decode(&link::encode(&scenario)).scenario, scenario);
    assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(&scenario));
    // A profile that says nothing leaves no trace.
    assert!(!Scenario::default().to_json().contains("profile"));
}

#[test]
fn a_profile_counts_where_constants_are_calibrated_and_it_is_on() {
    let plain = training(8, 16, 64);
    let step = |scenario: &Scenario| scenario.training().expect("a plan that fits").step;
    let mut own = Scenario { profile: Profile::of(OTHER), ..plain.clone() };
    assert!(step(&own) > step(&plain));
    assert!(own.basis().contains("calibration profile") && !plain.basis().contains("profile"));
    own.profile.off = true;
    assert_eq!(step(&own), step(&plain));
    assert!(!own.basis().contains("profile"));
    own.profile.off = false;
    for assumptions in [AssumptionSet::Ideal, AssumptionSet::Kundu2024] {
        let set = |scenario: &Scenario| step(&Scenario { assumptions, ..scenario.clone() });
        assert_eq!(set(&own), set(&plain));
    }
}

/// Every kind of time answers to its correction, in every view's model.
#[test]
fn each_correction_changes_what_it_is_about() {
    let corrected = |place: usize, factor: f64| {
        let mut factors = [1.0; 5];
        factors[place] = factor;
        let [kernels, host, links, starts, step] = factors;
        Profile::of(Corrections { kernels, host, links, starts, step })
    };
    let train = training(8, 16, 64);
    let serve = serving(8, 16, 500);
    for (place, correction) in Correction::ALL.into_iter().enumerate() {
        let slower = if correction == Correction::Links { 0.5 } else { 2.0 };
        let profile = corrected(place, slower);
        let trained = Scenario { profile: profile.clone(), ..train.clone() };
        assert!(trained.training().unwrap().step > train.training().unwrap().step, "{correction:?}");
        let served = Scenario { profile: profile.clone(), ..serve.clone() };
        let (own, plain) = (served.inference().unwrap(), serve.inference().unwrap());
        assert!(own.latency >= plain.latency, "{correction:?}");
        let fastest = |scenario: &Scenario| {
            let mut search = scenario.fastest().unwrap();
            search.run();
            search.asked().best().unwrap().step
        };
        assert!(fastest(&trained) > fastest(&train), "{correction:?}");
    }
    // All kernels take twice as long on all generations: the ratios of machines hardly change, their times do.
    let slow = Scenario { profile: corrected(0, 2.0), ..train.clone() };
    let tokens = |scenario: &Scenario| scenario.generations().unwrap()[1].same.unwrap().step;
    assert!(tokens(&slow) > tokens(&train) * 1.3);
}
