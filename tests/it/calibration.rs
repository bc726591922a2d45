//! A visitor's own calibration: what it finds, what moves it, and where its corrections apply.

use foretoken::calibration::{
    Calibration, CalibrationError, Collected, Correction, MAX_ROWS, Prior, Row, collect, fit, fit_under, put,
};
use foretoken::generations::Measure;
use foretoken::inference::{Engine, InferenceLoad};
use foretoken::measured::open;
use foretoken::scenario::{Choice, Profile, Scenario, View, link, write_rows};
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
    assert!(errors.after < 0.05 * errors.before && errors.left_out < Some(0.3 * errors.before), "{errors:?}");
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

/// Corrections belong to the device of their rows, in a view of one device and in a comparison.
#[test]
fn a_profile_applies_to_its_own_device() {
    let train = Scenario {
        profile: Profile { gpu: "h100-sxm".to_owned(), ..Profile::of(OTHER) },
        ..training(8, 16, 64)
    };
    let without = |scenario: &Scenario| Scenario { profile: Profile::default(), ..scenario.clone() };
    let step = |scenario: &Scenario| scenario.training().expect("a plan that fits").step;
    let on = |gpu: &str| {
        let mut scenario = train.clone();
        scenario.system.accelerator = Choice::Named(gpu.to_owned());
        scenario
    };
    assert!(step(&on("h100-sxm")) > step(&without(&on("h100-sxm"))));
    assert_eq!(step(&on("h200-sxm")), step(&without(&on("h200-sxm"))));
    assert!(on("h200-sxm").profile_sentence().expect("a sentence").contains("is not applied to H200"));
    let trained = |scenario: &Scenario| -> Vec<_> {
        scenario.generations().unwrap().iter().map(|row| row.same.map(|same| same.step)).collect()
    };
    let served = |scenario: &Scenario| -> Vec<_> {
        let mut machines =
            Scenario { view: View::Generations, ..scenario.clone() }.served_machines().unwrap();
        while machines.progress().0 < machines.progress().1 {
            machines.advance();
        }
        machines.rows().iter().map(|row| format!("{:?}", row.best(Measure::Prefill))).collect()
    };
    let serve = Scenario { profile: train.profile.clone(), ..serving(8, 16, 500) };
    let changed =
        |own: Vec<bool>| own.into_iter().enumerate().filter(|(_, same)| !same).map(|(place, _)| place);
    let places: Vec<usize> =
        changed(trained(&train).iter().zip(trained(&without(&train))).map(|(a, b)| *a == b).collect())
            .collect();
    assert_eq!(places, [1], "H100 is the second generation");
    let places: Vec<usize> =
        changed(served(&serve).iter().zip(served(&without(&serve))).map(|(a, b)| *a == b).collect())
            .collect();
    assert_eq!(places, [1]);
}

/// A fleet of the Sizing view is of a device: a profile changes those of its own device, and no others.
#[test]
fn a_profile_changes_the_fleets_of_its_device() {
    let text = "v=1&view=sizing&model=llama-3.1-8b&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&serve.engine=vllm";
    let plain = link::decode(text).scenario;
    let fleets = |profile: Profile, device: &str| -> Vec<(u32, f64)> {
        let mut search = Scenario { profile, ..plain.clone() }.sizing().expect("a question");
        search.run();
        let of =
            |fleet: &&foretoken::sizing::Fleet| search.candidates()[fleet.device].accelerator.id == device;
        search.fleets().iter().filter(of).map(|fleet| (fleet.gpus(), fleet.service.ttft.get())).collect()
    };
    let slow = Profile {
        gpu: "h100-sxm".to_owned(),
        ..Profile::of(Corrections { kernels: 2.0, ..Corrections::NONE })
    };
    let [before, after] = [Profile::default(), slow.clone()].map(|profile| fleets(profile, "h100-sxm"));
    assert!(!before.is_empty() && before != after, "{before:?}");
    assert_eq!(fleets(Profile::default(), "h200-sxm"), fleets(slow.clone(), "h200-sxm"));
    let off = Profile { off: true, ..slow };
    assert_eq!(fleets(off, "h100-sxm"), before);
}

#[test]
fn a_profile_changes_the_training_runs_of_its_device() {
    let plain =
        link::decode("v=1&view=sizing&size.job=train&model=llama-3.1-8b&tokens=1e12&batch=512").scenario;
    let run = |profile: Profile, device: &str| {
        let mut search = Scenario { profile, ..plain.clone() }.sized_runs().expect("a question");
        search.run();
        let of = |run: &&foretoken::sizing::training::Run| {
            search.candidates()[run.device].accelerator.id == device
        };
        let run = search.runs().iter().find(of).expect("a run");
        (run.found.gpus, run.found.step)
    };
    let slow = Profile {
        gpu: "h100-sxm".to_owned(),
        ..Profile::of(Corrections { kernels: 2.0, ..Corrections::NONE })
    };
    let [(few, _), (more, _)] = [Profile::default(), slow.clone()].map(|profile| run(profile, "h100-sxm"));
    assert!(more > few, "{few} {more}");
    assert_eq!(run(Profile::default(), "h200-sxm"), run(slow, "h200-sxm"));
}

/// The constants of accelerators that nobody has built are corrected by a profile of any device.
#[test]
fn a_profile_changes_the_times_of_a_technology() {
    let cards = |profile: &str| -> Vec<String> {
        let text = format!("v=1&view=technology&tech.task=decode{profile}");
        let said = crate::service::replies(&text);
        crate::service::answered(&said).cards.iter().map(foretoken::view::Card::shown).collect()
    };
    let plain = cards("");
    assert_ne!(cards("&profile.kernels=3"), plain);
    assert_eq!(cards("&profile.kernels=3&profile.off=true"), plain);
}

/// Host time, step overhead and ranges belong to the software of the rows.
#[test]
fn a_profile_of_other_software_corrects_the_device_alone() {
    let served = |profile: Profile| Scenario { profile, ..serving(1, 1, 200) };
    let of = |software: &str, corrections| Profile {
        software: software.to_owned(),
        tpot_spread: 0.05,
        ..Profile::of(corrections)
    };
    let tpot = |scenario: &Scenario| scenario.inference().expect("an answer").tpot;
    let reach = |scenario: &Scenario| foretoken::calibration::reach(scenario, Quantity::Tpot);
    let host = Corrections { host: 2.0, ..Corrections::NONE };
    let kernels = Corrections { kernels: 2.0, ..Corrections::NONE };
    let plain = tpot(&served(Profile::default()));
    assert!(
        tpot(&served(of("megatron,vllm", host))) > plain
            && reach(&served(of("megatron,vllm", host))).is_some()
    );
    assert_eq!((tpot(&served(of("sglang", host))), reach(&served(of("sglang", host)))), (plain, None));
    assert!(tpot(&served(of("sglang", kernels))) > plain);
}

#[test]
fn a_fit_names_its_device_software_and_runs() {
    let two = |scenario: Scenario| {
        let measured =
            foretoken::scenario::Measured { ttft_ms: Some(60.0), tpot_ms: Some(9.0), ..Default::default() };
        Scenario { measured, ..scenario }
    };
    let one = foretoken::calibration::rows_of(&two(serving(1, 16, 2000)), "run 1");
    let found = fitted(&one);
    assert_eq!(
        (found.gpu.as_str(), found.software.as_str(), found.runs, found.rows.len()),
        ("h100-sxm", "vllm", 1, 2)
    );
    assert_eq!((found.errors().left_out, found.profile("").rows), (None, 1));
    // Leave-one-out of a single run is the prediction without corrections.
    for row in &found.rows {
        assert!((row.left_out - row.before).abs() < 0.05 * row.before.abs() + 1e-3, "{row:?}");
    }
    let mut both = one.clone();
    both.extend(rows(OTHER).into_iter().take(1));
    let found = fitted(&both);
    assert_eq!((found.software.as_str(), found.runs), ("megatron,vllm", 2));
    assert!(found.errors().left_out.is_some());
    let mut other = serving(1, 16, 2000);
    other.system.accelerator = Choice::Named("h200-sxm".to_owned());
    both.extend(foretoken::calibration::rows_of(&two(other), "run 3"));
    let devices = ["h100-sxm", "h200-sxm"].map(str::to_owned).to_vec();
    assert_eq!(fit(&both), Err(CalibrationError::Devices(devices)));
}

/// A file that cannot be read adds no row and takes none away.
#[test]
fn collected_rows_survive_a_bad_file() {
    let current = link::decode("v=1&model=llama-3.1-8b&gpus=8").scenario;
    let rows: Vec<Scenario> = [2.5, 3.5]
        .map(|step| link::decode(&format!("v=1&gpus=64&measured.step={step}&profile.kernels=1.5")).scenario)
        .into();
    let good = write_rows(&rows);
    let mut kept: Vec<Collected> = Vec::new();
    let mut add = |text: &str| {
        let opened = open(&current, text);
        if let Ok(opened) = &opened {
            collect(&mut kept, opened);
        }
        (opened.is_ok(), kept.len())
    };
    assert_eq!(add(&good), (true, 2));
    // The last line is cut short, misspelt or of another kind: none of the file's rows are added.
    let third = write_rows(&[link::decode("v=1&gpus=32&measured.step=9").scenario]);
    for bad in [
        format!("{third}{}", good.replace("\"step_s\"", "\"step_ms\"")),
        format!("{third}{{\"measured\": 1}}"),
        format!("{third}{}", &good[..good.len() / 3]),
        "\0\u{fffd}binary".to_owned(),
        String::new(),
        "{\"profile\": {\"kernels\": \"fast\"}}".to_owned(),
        "x".repeat(foretoken::measured::MAX_BYTES + 1),
    ] {
        assert_eq!(add(&bad), (false, 2), "{}", bad.chars().take(200).collect::<String>());
    }
    // A point whose settings are open waits beside them; a file that is opened again adds nothing.
    let line =
        "step: 20  loss: 11.83506  memory: 48.87GiB(51.44%)  tps: 4,376  tflops: 253.41  mfu: 25.62%\n";
    assert_eq!(add(line), (true, 3));
    assert_eq!((add(line), add(&good)), ((true, 3), (true, 3)));
    assert!(kept[..2].iter().all(|row| row.open.is_none() && row.question.profile.is_empty()));
    assert!(kept[2].open.is_some() && kept[0].question.measured == rows[0].measured);
    let more = put(&mut kept, Collected { question: rows[1].clone(), open: None });
    assert_eq!(more.sentence(), "Not added: row 2 has these values already");
    assert_eq!(foretoken::calibration::row_name(2, &kept[2].question), "Row 3, torchtitan");
}

/// The effects of the causes follow the measured value. This run is simulated, so that its predicted times change at random
/// with the corrections, by about 1 %.
#[test]
fn causes_do_not_depend_on_the_last_digits() {
    let text = "v=1&view=inference&model=llama-3.2-3b&gpu=l40s&serve.in=999&serve.out=270&serve.tp=1&serve.rate=10&\
                serve.requests=300&serve.engine=vllm&serve.workers=4";
    let scenario = link::decode(text).scenario;
    let effects = |measured: f64| {
        let name = String::new();
        let replaced = Replaced::default();
        let row = Row { name, scenario: scenario.clone(), quantity: Quantity::Ttft, measured, replaced };
        let difference = foretoken::calibration::Difference::of(&row).expect("a difference");
        Correction::ALL.map(|correction| {
            difference
                .causes
                .iter()
                .find(|cause| cause.correction == correction)
                .map_or(1.0, |cause| cause.factor)
        })
    };
    let mut before = effects(20.0);
    for place in 1..=150 {
        let now = effects(20.0 * libm::exp(0.02 * f64::from(place)));
        for ((correction, now), before) in Correction::ALL.into_iter().zip(now).zip(before) {
            let step = libm::log(now / before).abs();
            assert!(step < 0.06, "{place} {correction:?}: {before} to {now}");
        }
        before = now;
    }
}
