//! Figures of a pipeline's step: its tasks and its memory over time.

#![allow(clippy::disallowed_methods)]

use crate::figure_cases::*;
use foretoken::figure::{self, Figure, Size};
use foretoken::plan::{Passes, Pipeline, Schedule};
use foretoken::scenario::link::decode;
use foretoken::scenario::preset::presets;
use foretoken::training::occupancy::Occupancy;
use foretoken::training::timeline::{Pace, Timeline};
use foretoken::units::Seconds;
use proptest::prelude::*;
use proptest::sample::select;

/// Four stages, the first and the last a little slower.
fn pace(stages: u32, time: f64) -> Pace {
    let passes = |extra: f64| Passes {
        forward: Seconds::new((0.1 + extra) * time),
        input: Seconds::new((0.11 + extra) * time),
        weight: Seconds::new((0.09 + extra) * time),
    };
    let mut positions = vec![passes(0.0); stages as usize];
    if let Some(last) = positions.last_mut() {
        *last = passes(0.02);
    }
    let [hidden, send] = [0.03, 0.004].map(|share| Seconds::new(share * time));
    Pace { positions, again: 0.3, hidden, send, overlaps_sends: false }
}

fn step(schedule: Schedule, stages: u32, microbatches: u32) -> Timeline {
    let pipeline = Pipeline { schedule, stages, interleave: 1, microbatches };
    Timeline::new(pipeline, pace(stages, 1.0))
}

/// The timeline and the memory of a link's job.
fn job(link: &str) -> (Timeline, Occupancy) {
    let decoded = decode(link);
    assert_eq!(decoded.problems, [], "{link}");
    let both = decoded.scenario.with_training(|job| {
        let timeline = job.timeline().expect("few enough stages");
        let occupancy = job.occupancy(&timeline);
        (timeline, occupancy)
    });
    both.expect("a plan that holds every law")
}

const JOBS: [&str; 7] = [
    "model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=64&batch=16&tp=8&pp=8&seq=2048&framework=none",
    "model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=64&batch=16&tp=8&pp=8&seq=2048&schedule=gpipe&recompute=full&framework=none",
    "model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=64&batch=16&tp=8&pp=8&seq=2048&schedule=zbh1&framework=none",
    "model=gpt-3-175b&gpu=a100-sxm-80gb&gpus=64&batch=16&tp=8&pp=8&seq=2048&interleave=3&framework=none",
    "model=deepseek-v3&gpu=h800-sxm&gpus=64&batch=64&tp=1&pp=1&ep=64&etp=1&seq=4096&recompute=full&framework=none",
    "model=llama-3.1-405b&gpu=h100-sxm&gpus=16384&batch=2048&tp=8&pp=16&seq=8192&recompute=full&framework=none",
    "model=llama-3.1-405b&gpu=h100-sxm&gpus=1024&batch=128&tp=8&pp=8&interleave=7&seq=8192&framework=nemo",
];

fn figures(size: Size) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Schedule::ALL
        .into_iter()
        .flat_map(|schedule| [step(schedule, 4, 8), step(schedule, 32, 512)])
        .map(|timeline| figure::timeline(&timeline, size))
        .collect();
    for link in JOBS {
        let (timeline, occupancy) = job(link);
        figures.push(figure::timeline(&timeline, size));
        figures.push(figure::memory_timeline(&occupancy, size));
    }
    for preset in presets() {
        let _ = preset.scenario().with_training(|job| {
            let timeline = job.timeline().expect("few enough stages");
            figures.push(figure::timeline(&timeline, size));
            figures.push(figure::memory_timeline(&job.occupancy(&timeline), size));
        });
    }
    figures
}

#[test]
fn drawings_are_well_formed_legible_and_light() {
    for size in SIZES {
        for figure in figures(size) {
            check(&figure.svg);
            check(&figure.standalone_svg());
            assert!(!figure.svg.contains("No values to show"), "{}", figure.finding);
            check_colours(&figure);
            assert!(figure.finding.ends_with('.') && figure.finding.contains(|c: char| c.is_ascii_digit()));
            assert!(figure.svg.len() < 100_000, "{} has {} bytes", figure.finding, figure.svg.len());
            for (at, name) in figure.svg.match_indices("font-size=\"") {
                let size = figure.svg[at + name.len()..].split('"').next().unwrap_or_default();
                assert!(size.parse::<f64>().expect("a number") >= 12.0, "{}", figure.id);
            }
        }
    }
}

#[test]
fn findings() {
    let findings: Vec<String> =
        figures(Size::Wide).into_iter().take(20).map(|figure| figure.finding).collect();
    insta::assert_snapshot!(findings.join("\n"), @"
    GPipe over 4 stages works through 8 microbatches in 3.83 s; stages wait for 33.0 % of that on average, and stage 4 waits least, 24.0 %.
    GPipe over 32 stages works through 512 microbatches in 3.27 min; stages wait for 19.1 % of that on average, and stage 32 waits least, 4.87 %.
    1F1B over 4 stages works through 8 microbatches in 3.83 s; stages wait for 33.0 % of that on average, and stage 4 waits least, 24.0 %.
    1F1B over 32 stages works through 512 microbatches in 3.27 min; stages wait for 19.1 % of that on average, and stage 32 waits least, 4.87 %.
    Zero bubble (ZB-H1) over 4 stages works through 8 microbatches in 3.22 s; stages wait for 20.3 % of that on average, and stage 4 waits least, 9.68 %.
    Zero bubble (ZB-H1) over 32 stages works through 512 microbatches in 3.16 min; stages wait for 16.4 % of that on average, and stage 32 waits least, 1.75 %.
    DualPipe over 4 stages works through 8 microbatches in 2.61 s; stages wait for 5.60 % of that on average, and stage 1 waits least, 1.30 %.
    DualPipe over 32 stages works through 512 microbatches in 2.60 min; stages wait for 9.83 % of that on average, and stage 1 waits least, 0.494 %.
    1F1B over 8 stages works through 16 microbatches in 4.25 s; stages wait for 31.4 % of that on average, and stage 8 waits least, 29.9 %.
    Stage 1 is fullest, 456 ms after the step began: it needs 57.5 GiB of 80.0 GiB and leaves 22.5 GiB free; the emptiest stage needs at most 49.3 GiB.
    GPipe over 8 stages works through 16 microbatches in 5.73 s; stages wait for 31.1 % of that on average, and stage 8 waits least, 30.1 %.
    Stage 8 is fullest, 1.51 s after the step began: it needs 50.6 GiB of 80.0 GiB and leaves 29.4 GiB free; the emptiest stage needs at most 48.3 GiB.
    Zero bubble (ZB-H1) over 8 stages works through 16 microbatches in 3.57 s; stages wait for 18.2 % of that on average, and stage 8 waits least, 16.6 %.
    Stage 8 is fullest, 1.42 s after the step began: it needs 57.5 GiB of 80.0 GiB and leaves 22.5 GiB free; the emptiest stage needs at most 56.1 GiB.
    1F1B with 3 chunks per stage over 8 stages works through 16 microbatches in 3.42 s; stages wait for 14.2 % of that on average, and stage 8 waits least, 12.5 %.
    Stage 1 is fullest, 658 ms after the step began: it needs 60.1 GiB of 80.0 GiB and leaves 19.9 GiB free; the emptiest stage needs at most 54.2 GiB.
    One stage works through 1 microbatch in 6.19 s, without bubbles.
    Stage 1 is fullest, 1.91 s after the step began: it needs 279 GiB of 80.0 GiB and does not fit by 199 GiB; the emptiest stage needs at most 279 GiB.
    1F1B over 16 stages works through 16 microbatches in 14.0 s; stages wait for 48.6 % of that on average, and stage 10 waits least, 47.9 %.
    Stage 2 is fullest, 6.55 s after the step began: it needs 23.8 GiB of 80.0 GiB and leaves 56.2 GiB free; the emptiest stage needs at most 20.1 GiB.
    ");
}

#[test]
fn tables() {
    let tables: Vec<String> =
        Schedule::ALL.map(|schedule| rows(&figure::timeline(&step(schedule, 4, 8), Size::Wide).table)).into();
    insta::assert_snapshot!(tables.join("\n"), @"
    1 | 800 ms | 880 ms | 720 ms | 32.0 ms | 1.40 s | 36.5 %
    2 | 800 ms | 880 ms | 720 ms | 64.0 ms | 1.37 s | 35.7 %
    3 | 800 ms | 880 ms | 720 ms | 64.0 ms | 1.37 s | 35.7 %
    4 | 960 ms | 1.04 s | 880 ms | 32.0 ms | 920 ms | 24.0 %

    1 | 800 ms | 880 ms | 720 ms | 32.0 ms | 1.40 s | 36.5 %
    2 | 800 ms | 880 ms | 720 ms | 64.0 ms | 1.37 s | 35.7 %
    3 | 800 ms | 880 ms | 720 ms | 64.0 ms | 1.37 s | 35.7 %
    4 | 960 ms | 1.04 s | 880 ms | 32.0 ms | 920 ms | 24.0 %

    1 | 800 ms | 880 ms | 720 ms | 32.0 ms | 792 ms | 24.6 %
    2 | 800 ms | 880 ms | 720 ms | 64.0 ms | 760 ms | 23.6 %
    3 | 800 ms | 880 ms | 720 ms | 64.0 ms | 760 ms | 23.6 %
    4 | 960 ms | 1.04 s | 880 ms | 32.0 ms | 312 ms | 9.68 %

    1 | 849 ms | 928 ms | 773 ms | 24.0 ms | 34.0 ms | 1.30 %
    2 | 770 ms | 847 ms | 693 ms | 40.0 ms | 258 ms | 9.89 %
    3 | 770 ms | 847 ms | 693 ms | 40.0 ms | 258 ms | 9.89 %
    4 | 849 ms | 928 ms | 773 ms | 24.0 ms | 34.0 ms | 1.30 %
    ");
    let (_, occupancy) = job(JOBS[0]);
    insta::assert_snapshot!(rows(&figure::memory_timeline(&occupancy, Size::Wide).table), @"
    1 | 5.22 GiB | 0 B | 10.4 GiB | 31.3 GiB | 1.50 GiB | 9.01 GiB | 0 B | 0 B | 57.5 GiB | 456 ms
    2 | 5.07 GiB | 0 B | 10.1 GiB | 30.4 GiB | 1.50 GiB | 7.88 GiB | 0 B | 0 B | 55.0 GiB | 456 ms
    3 | 5.07 GiB | 0 B | 10.1 GiB | 30.4 GiB | 1.50 GiB | 6.76 GiB | 0 B | 0 B | 53.9 GiB | 456 ms
    4 | 5.07 GiB | 0 B | 10.1 GiB | 30.4 GiB | 1.50 GiB | 5.63 GiB | 0 B | 0 B | 52.7 GiB | 455 ms
    5 | 5.07 GiB | 0 B | 10.1 GiB | 30.4 GiB | 1.50 GiB | 4.50 GiB | 0 B | 0 B | 51.6 GiB | 455 ms
    6 | 5.07 GiB | 0 B | 10.1 GiB | 30.4 GiB | 1.50 GiB | 3.38 GiB | 0 B | 0 B | 50.5 GiB | 455 ms
    7 | 5.07 GiB | 0 B | 10.1 GiB | 30.4 GiB | 1.50 GiB | 2.25 GiB | 0 B | 0 B | 49.3 GiB | 455 ms
    8 | 5.22 GiB | 0 B | 10.4 GiB | 31.3 GiB | 1.50 GiB | 1.13 GiB | 61.1 MiB | 0 B | 49.6 GiB | 455 ms
    ");
}

#[test]
fn hostile_numbers_are_drawn_safely() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e-320, 1e308] {
        for size in SIZES {
            for schedule in Schedule::ALL {
                let pipeline = Pipeline { schedule, stages: 4, interleave: 1, microbatches: 100 };
                let mut timeline = Timeline::new(pipeline, pace(4, value));
                timeline.skipped = u32::MAX;
                let (_, mut occupancy) = job(JOBS[0]);
                occupancy.end = Seconds::new(value);
                occupancy.stages[1].moments[7].activations = foretoken::units::Bytes::new(value);
                let empty = Occupancy { stages: Vec::new(), ..occupancy.clone() };
                for figure in [
                    figure::timeline(&timeline, size),
                    figure::memory_timeline(&occupancy, size),
                    figure::memory_timeline(&empty, size),
                ] {
                    check(&figure.svg);
                    check(&figure.standalone_svg());
                    rows(&figure.table);
                    let csv = figure.table.to_csv();
                    assert!(!csv.contains("inf") && !csv.contains("NaN"), "{csv}");
                    assert!(figure.svg.len() < 100_000, "{}", figure.svg.len());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// Few microbatches in a deep pipeline leave no steady state, and many of them more marks than can be drawn.
    #[test]
    fn every_pipeline_has_a_timeline(
        schedule in select(&Schedule::ALL[..]),
        stages in 1_u32..=96,
        microbatches in 1_u32..=256,
        size in select(&SIZES[..]),
    ) {
        let figure = figure::timeline(&step(schedule, stages, microbatches), size);
        check(&figure.svg);
        prop_assert!(figure.svg.len() < 250_000, "{}", figure.svg.len());
    }
}

#[test]
#[ignore = "writes files to look at"]
fn gallery() -> std::io::Result<()> {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipeline");
    std::fs::create_dir_all(&directory)?;
    let style = concat!(include_str!("../../style/tokens.css"), include_str!("../../style/figure.css"));
    for size in SIZES {
        let mut page = format!(
            "<!doctype html><html data-theme=light><meta charset=utf-8><style>{style}\n\
             body {{ background: var(--figure-paper); width: {}px; margin: 0 }}</style>",
            size.width()
        );
        for figure in figures(size) {
            page.extend(["<p>", &figure.finding, "</p>", &figure.svg]);
        }
        std::fs::write(directory.join(format!("{size:?}.html")), page)?;
    }
    Ok(())
}
