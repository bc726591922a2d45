//! Figures of ordinary estimates.

use crate::figure_cases::*;
use std::fmt::Write as _;

use foretoken::catalog::catalog;
use foretoken::figure::{self, Figure, Size};
use foretoken::scenario::preset::presets;
use foretoken::scenario::{Scenario, View};
use foretoken::service::Service;
use foretoken::serving::family::Varied;
use foretoken::units::Unit;

use crate::service::{all as all_steps, answered, request};

#[test]
fn drawings_are_well_formed_and_labelled() {
    for size in SIZES {
        for figure in all(size) {
            check(&figure.svg);
            check(&figure.standalone_svg());
            assert!(figure.svg.contains(r#" role="img" aria-label=""#), "{}", figure.id);
            check_colours(&figure);
            assert!(figure.finding.ends_with('.') && figure.finding.contains(|c: char| c.is_ascii_digit()));
            assert!(figure.svg.len() < 60_000, "{} has {} bytes", figure.id, figure.svg.len());
        }
    }
}

#[test]
fn text_is_never_smaller_than_12_pixels() {
    for figure in SIZES.into_iter().flat_map(all) {
        for (_, after) in
            figure.svg.match_indices("font-size=\"").map(|(at, name)| figure.svg.split_at(at + name.len()))
        {
            // The page shows no drawing smaller than its view box.
            let size: f64 = after.split('"').next().unwrap_or_default().parse().expect("a number");
            assert!(size >= 12.0, "{}", figure.id);
        }
    }
}

#[test]
fn findings() {
    let findings: Vec<String> = all(Size::Wide).into_iter().map(|figure| figure.finding).collect();
    insta::assert_snapshot!(findings.join("\n"), @"
    A training step takes 13.8 s, of which 7.90 s (57.2 %) is matrix multiplies; model FLOPs utilisation is 51.2 %.
    The first token takes 123 ms, of which 100 ms (81.3 %) is matrix multiplies; 94.9 % of the operators' time is limited by compute: each weight that is read is used for many tokens.
    Each further token takes 11.2 ms, of which 9.20 ms (82.1 %) is matrix multiplies; 94.9 % of the operators' time is limited by compute.
    The fullest GPU needs 46.2 GiB of 80.0 GiB (57.8 %) and leaves 33.8 GiB free; the largest part is activations (28.0 GiB).
    The fullest GPU needs 46.2 GiB of 80.0 GiB (33.8 GiB free), the host 28.5 GiB of 128 GiB (99.5 GiB free); 83.7 % of the weights are in host memory.
    Each at its own best, B300 in FP4 trains 15.2× as fast as A100 SXM 80 GB; on the same job GB200 NVL72 leads with 7.02×.
    A request takes 1.39 s at this device's 3.35 TB/s; at 30.0 TB/s it would take 456 ms, and from 22.5 TB/s on it is within 10 % of that.
    94.9 % of the operators' time is limited by compute; compute limits only operators above 295 FLOP per byte.
    Training step: of 32 rows that no constant was fitted on, 100 % are predicted within 20 %; the mean error is 10.0 %.
    The median error, with its sign, is +2.00 %; eight of ten lie between −16.0 % and +16.0 %.
    Largest difference: attention, 31.0 % measured.
    Largest difference: idle time, 94.5 ms measured and 59.5 ms predicted. 55.6 % of the measured part is in the third quarter of the step.
    ");
}

#[test]
fn step_table() {
    insta::assert_snapshot!(rows(&figure::step_breakdown(&training(), &[], Size::Wide).table), @"
    Matrix multiplies | 7.90 s | 57.2 % | As it is, in one sentence
    Attention | 1.40 s | 10.1 % | As it is, in one sentence
    Elementwise | 930 ms | 6.74 % | As it is, in one sentence
    Tensor-parallel communication | 1.82 s | 13.2 % | As it is, in one sentence
    Embedding and output head | 310 ms | 2.25 % | As it is, in one sentence
    Pipeline bubble | 1.12 s | 8.12 % | As it is, in one sentence
    Pipeline communication | 83.0 ms | 0.601 % | As it is, in one sentence
    Data-parallel communication | 230 ms | 1.67 % | As it is, in one sentence
    Optimizer step | 7.00 ms | 0.051 % | As it is, in one sentence
    Total | 13.8 s | 100 % |
    ");
}

#[test]
fn memory_table() {
    insta::assert_snapshot!(rows(&figure::memory(&footprint(), &[], Size::Wide).table), @"
    Weights | 4.20 GiB | 5.25 %
    Gradients | 8.40 GiB | 10.5 %
    Optimizer | 1.60 GiB | 2.00 %
    Activations | 28.0 GiB | 35.0 %
    KV cache | 0 B | 0 %
    Runtime reserve | 4.00 GiB | 5.00 %
    Total | 46.2 GiB | 57.8 %
    Capacity | 80.0 GiB | 100 %
    ");
}

#[test]
fn speedup_table() {
    insta::assert_snapshot!(rows(&figure::speedup(&generations(), &|_, _| String::new(), Size::Wide).table), @"
    A100 SXM 80 GB | 2020 | 1.00× | 1.07× | BF16 | 8 | 4 | 2 | no recomputation |
    H100 SXM | 2022 |  | 3.94× | FP8 | 8 | 4 | 2 | no recomputation | needs 97 GiB of 80 GiB
    H200 | 2024 | 2.81× | 4.32× | FP8 | 8 | 4 | 4 | no recomputation |
    B200 | 2024 | 6.11× | 9.85× | FP8 | 8 | 4 | 8 | no recomputation |
    GB200 NVL72 | 2024 | 7.02× | 13.1× | FP4 | 8 | 4 | 8 | no recomputation |
    B300 | 2025 | 6.18× | 15.2× | FP4 | 8 | 4 | 16 | no recomputation |
    MI300X | 2023 | 2.60× | 4.40× | FP8 | 8 | 4 | 8 | no recomputation |
    ");
}

#[test]
fn speedup_csv() {
    insta::assert_snapshot!(figure::speedup(&generations()[..2], &|_, _| String::new(), Size::Wide).table.to_csv(), @"
    Accelerator,Year,Same job (×),At its best (×),Best format,Best tensor degree,Best pipeline stages,Best microbatch,Best recomputation,Why not the same job
    A100 SXM 80 GB,2020,1,1.07,BF16,8,4,2,no recomputation,
    H100 SXM,2022,,3.94,FP8,8,4,2,no recomputation,needs 97 GiB of 80 GiB
    ");
}

#[test]
fn roofline_table() {
    let (peak, dram) = peaks();
    insta::assert_snapshot!(rows(&figure::roofline(&roofline(operators(), peak, dram), &[], Size::Wide).table), @"
    QKV projection | forward | 2048 × 12288 × 4608 | 80 | 260 µs | 1,417 | 654 TFLOP/s | compute
    QKV projection | backward | 2048 × 12288 × 4608 | 80 | 270 µs | 1,214 | 630 TFLOP/s | compute
    QKV projection | backward | 2048 × 12288 × 4608 | 80 | 290 µs | 773 | 586 TFLOP/s | compute
    Attention | forward | 2048 × 12288 × 4608 | 80 | 330 µs | 3,415 | 424 TFLOP/s | compute
    Attention output | forward | 2048 × 12288 × 4608 | 80 | 210 µs | 1,182 | 619 TFLOP/s | compute
    Feed-forward in | forward | 2048 × 12288 × 4608 | 80 | 1.35 ms | 2,133 | 711 TFLOP/s | compute
    Feed-forward out | forward | 2048 × 12288 × 4608 | 80 | 690 µs | 1,412 | 696 TFLOP/s | compute
    Feed-forward in | backward | 2048 × 12288 × 4608 | 80 | 1.40 ms | 1,745 | 686 TFLOP/s | compute
    Feed-forward out | backward | 2048 × 12288 × 4608 | 80 | 720 µs | 1,091 | 667 TFLOP/s | compute
    SwiGLU | forward | 2048 × 12288 × 4608 | 80 | 65.0 µs | 0.833 | 2.31 TFLOP/s | DRAM
    RMS norm | forward | 2048 × 12288 × 4608 | 80 | 26.0 µs | 0.746 | 1.92 TFLOP/s | DRAM
    Residual | forward | 2048 × 12288 × 4608 | 80 | 38.0 µs | 0.170 | 447 GFLOP/s | DRAM
    Rotary embedding | forward | 2048 × 12288 × 4608 | 80 | 8.00 µs | 0.500 | 500 GFLOP/s | launch
    All-gather | forward | 2048 × 12288 × 4608 | 80 | 160 µs |  |  | network
    ");
}

/// Every figure of a scenario that a view would draw.
pub(crate) fn of_scenario(scenario: &Scenario, size: Size) -> Vec<Figure> {
    let (peak, dram) = peaks();
    let memories = &catalog().memories;
    let memories: Vec<(&str, f64)> =
        memories.iter().map(|memory| (memory.name.as_str(), memory.system_tb_s)).collect();
    let mut figures = Vec::new();
    if let Ok(training) = scenario.training() {
        figures.push(figure::step_breakdown(&training, &[], size));
        figures.push(figure::memory(&training.memory, &[], size));
        figures.push(figure::roofline(&roofline(training.operators, peak, dram), &[], size));
    }
    if scenario.view == View::Generations
        && let Ok(generations) = scenario.generations()
    {
        figures.push(figure::speedup(&generations, &|_, _| String::new(), size));
    }
    if let (Ok(inference), Ok(sweep)) = (scenario.inference(), scenario.dram_sweep()) {
        figures.push(figure::dram_latency(&sweep, &memories, &[], &unlinked, size));
        let families = Varied::ALL.into_iter().filter_map(|varied| scenario.dram_family(varied).ok());
        figures.extend(
            families.map(|family| figure::dram_family(&family, &memories, &|_, _| String::new(), size)),
        );
        if let Ok(Some(sweep)) = scenario.link_sweep() {
            figures.push(figure::link_latency(
                &sweep,
                &[("NVLink3", 300.0), ("NVLink4", 450.0)],
                &[],
                &unlinked,
                size,
            ));
        }
        figures.extend(
            scenario
                .capacity_sweep()
                .map(|sweep| figure::capacity(&sweep, &[("HBM3", 120.0)], &[], &|_, _| String::new(), size)),
        );
        figures.extend(scenario.load_curve().map(|curve| figure::load(&curve, &[], &unlinked, size)));
        figures.push(figure::prefill_breakdown(&inference, &[], size));
        figures.push(figure::decode_breakdown(&inference, &[], size));
        figures.push(figure::memory(&inference.memory, &[], size));
        let rows = [inference.prefill, inference.decode].concat();
        figures.push(figure::roofline(&roofline(rows, peak, dram), &[], size));
    }
    figures
}

#[test]
fn every_preset_has_drawings_in_every_size() {
    for preset in presets() {
        for size in SIZES {
            for figure in of_scenario(&preset.scenario(), size) {
                check(&figure.svg);
                assert!(!figure.svg.contains("No values to show"), "{} of {}", figure.id, preset.id);
                assert!(figure.svg.len() < 60_000, "{} of {}", figure.id, preset.id);
            }
        }
    }
}

/// Pointing at a drawing reads its values; each lies within the drawing.
#[test]
fn every_figure_can_be_read() {
    let mut figures = all(Size::Wide);
    for preset in presets() {
        figures.extend(of_scenario(&preset.scenario(), Size::Narrow));
    }
    for link in
        ["v=1&view=search", "v=1&view=generations", "v=1&view=validation", "v=1&view=technology", "v=1"]
    {
        let mut service = Service::default();
        service.ask(request(1, link));
        figures.extend(
            answered(&all_steps(&mut service, include_str!("../../public/validation.csv")))
                .figures()
                .cloned(),
        );
    }
    for figure in figures {
        if figure.svg.contains("No values to show") {
            continue;
        }
        assert!(!figure.reads.is_empty(), "{}: {}", figure.id, figure.finding);
        for read in &figure.reads {
            let within = (0.0..=figure.width).contains(&read.x) && (0.0..=figure.height).contains(&read.y);
            assert!(within && !read.text.is_empty(), "{}: {read:?}", figure.id);
        }
    }
}

#[test]
fn every_figure_is_listed() {
    for figure in all(Size::Wide) {
        assert!(figure::FIGURES.iter().any(|listed| listed.id == figure.id), "{}", figure.id);
    }
    for preset in presets() {
        let scenario = preset.scenario();
        for figure in of_scenario(&scenario, Size::Wide) {
            let listed = figure::FIGURES.iter().any(|listed| listed.id == figure.id);
            assert!(listed, "{} of {}", figure.id, preset.id);
        }
    }
}

#[test]
fn documents_list_every_figure() {
    let documents = include_str!("../../docs/embed.md");
    for figure::Listed { id, view, shows } in figure::FIGURES {
        assert!(documents.contains(&format!("| {view} | `{id}` | {shows} |\n")), "{id} of {view}");
    }
    let table =
        documents.split_once("| view | figure | shows |\n|---|---|---|\n").map_or("", |(_, table)| table);
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    assert_eq!(rows.count(), figure::FIGURES.len());
}

/// Curves of questions: `count` lines of two points each.
fn curves(count: usize) -> Figure {
    let axis = figure::CurveAxis { title: "Load", unit: Unit::Count };
    let point = |x: f64| figure::CurvePoint { at: (x, x), what: String::new(), link: String::new() };
    let side = |index: usize| figure::Compared {
        name: format!("question {index}"),
        link: String::new(),
        of: vec![point(1.0 + index as f64), point(20.0)],
    };
    let sides: Vec<_> = (0..count).map(side).collect();
    let finding = (String::from("Eight questions."), "An assumption");
    figure::compared_curves(("compared-load", "Curves"), (axis, axis), &sides, finding, Size::Wide)
}

/// Legend entries select by colour while each line has its own, otherwise by a number that the line's shapes carry.
#[test]
fn lines_of_one_colour_are_shown_alone() {
    let few = curves(7);
    assert!(!few.svg.contains("data-series"));
    assert_eq!(few.series.iter().map(|series| series.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);

    let many = curves(8);
    check(&many.svg);
    let style = include_str!("../../style/figure.css");
    let mut numbers: Vec<u8> = many.series.iter().map(|series| series.number).collect();
    for number in &numbers {
        let attribute = format!("data-series=\"{number}\"");
        let shapes: Vec<&str> = many.svg.split('<').filter(|shape| shape.contains(&attribute)).collect();
        let [line, sample] = shapes[..] else { panic!("{number}: {shapes:?}") };
        let dash = |shape: &str| shape.split_once("stroke-dasharray").map(|(_, dash)| dash.to_owned());
        assert_eq!(dash(line), dash(sample));
        assert!(style.contains(&format!(".drawing[data-alone=\"{number}\"] [{attribute}]")), "{number}");
    }
    numbers.dedup();
    assert_eq!(numbers.len(), 8);
    // The first and the last line have the same colour, and differ in dash.
    let looks = |number: u8| {
        let shape = many.svg.split('<').find(|shape| shape.contains(&format!("data-series=\"{number}\"")));
        let shape = shape.expect("a line");
        (shape.contains("fig-stroke-1"), shape.contains("stroke-dasharray"))
    };
    assert_eq!((looks(numbers[0]), looks(numbers[7])), ((true, false), (true, true)));
}

#[test]
#[ignore = "writes files to look at"]
fn gallery() -> std::io::Result<()> {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    std::fs::create_dir_all(&directory)?;
    let style = concat!(include_str!("../../style/tokens.css"), include_str!("../../style/figure.css"));
    for theme in ["light", "dark"] {
        for size in SIZES {
            let mut page = format!(
                "<!doctype html><html data-theme={theme}><meta charset=utf-8><style>{style}\n\
                 body {{ background: var(--figure-paper); width: {}px; margin: 0 }}</style>",
                size.width()
            );
            for figure in all(size) {
                page.push_str(&figure.svg);
                std::fs::write(
                    directory.join(format!("{}-{size:?}.svg", figure.id)),
                    figure.standalone_svg(),
                )?;
            }
            for preset in presets() {
                for figure in of_scenario(&preset.scenario(), size) {
                    let _ = write!(
                        page,
                        "<h1>{}: {}</h1><p>{}</p>{}",
                        preset.id, figure.id, figure.finding, figure.svg
                    );
                }
            }
            std::fs::write(directory.join(format!("{theme}-{size:?}.html")), page)?;
        }
    }
    Ok(())
}
