//! Parts of an answer that explain a measured value: causes, what to change first, and the nearest published rows.

use foretoken::calibration::{Correction, Difference, Row, rows_of};
use foretoken::figure::{self, Size};
use foretoken::scenario::{Measured, Profile, Scenario, link};
use foretoken::service::{Said, Service, Step};
use foretoken::system::Corrections;
use foretoken::units::Seconds;
use foretoken::validation::{Quantity, Replaced};
use foretoken::view::{Answer, News, Part, TablePart};

use crate::figure_cases::{check, check_colours};
use crate::service::{all, answered, ids, replies, request};

const TRAINING: &str = "v=1&model=llama-3.1-8b&gpu=h100-sxm&gpus=64&tp=8&pp=1&batch=128&framework=megatron";
const SERVING: &str = "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&gpus=2&serve.tp=2&serve.in=1000&serve.out=200&serve.batch=8&serve.engine=vllm";

fn scenario(text: &str) -> Scenario {
    link::decode(text).scenario
}

/// The row of a step this many times as long as predicted.
fn slower(scenario: &Scenario, factor: f64) -> Row {
    let row = |measured| Row {
        name: "own".to_owned(),
        scenario: scenario.clone(),
        quantity: Quantity::IterTime,
        measured,
        replaced: Replaced::default(),
    };
    let predicted = row(1.0).predicted(&[0.0; 5]).unwrap();
    row(predicted * factor)
}

fn table<'a>(answer: &'a Answer, id: &str) -> &'a TablePart {
    let Some(Part::Table(part)) = answer.part(id) else { panic!("no {id}: {:?}", ids(answer)) };
    part
}

#[test]
fn causes_and_scatter_multiply_to_the_difference() {
    for factor in [0.7, 0.95, 1.2, 2.0] {
        let found = Difference::of(&slower(&scenario(TRAINING), factor)).unwrap();
        let causes: f64 = found.causes.iter().map(|cause| cause.factor).product();
        assert!((found.whole() / factor - 1.0).abs() < 1e-9, "{found:?}");
        assert!((causes * found.scatter / factor - 1.0).abs() < 1e-9, "{found:?}");
        let corrected = found.predicted.get() * causes;
        assert!((found.corrected().get() / corrected - 1.0).abs() < 1e-9);
        for cause in &found.causes {
            assert!(cause.least <= cause.factor && cause.factor <= cause.most, "{cause:?}");
            assert_eq!(cause.factor > 1.0, factor > 1.0, "{factor} {cause:?}");
        }
    }
}

#[test]
fn a_measurement_as_predicted_has_no_cause() {
    let found = Difference::of(&slower(&scenario(TRAINING), 1.0)).unwrap();
    assert!(found.causes.is_empty() && (found.scatter - 1.0).abs() < 1e-9, "{found:?}");
}

/// Links do not carry what one GPU computes.
#[test]
fn one_gpu_has_no_cause_in_links() {
    let alone = scenario("v=1&model=llama-3.2-1b&gpus=1&tp=1&pp=1&batch=8&framework=megatron");
    let found = Difference::of(&slower(&alone, 1.3)).unwrap();
    let links = |cause: &foretoken::calibration::Cause| {
        matches!(cause.correction, Correction::Links | Correction::Starts)
    };
    assert!(!found.causes.is_empty() && !found.causes.iter().any(links), "{found:?}");
}

/// A rate is explained as the time that it is the inverse of.
#[test]
fn a_rate_has_the_causes_of_its_time() {
    let plain = scenario(TRAINING);
    let estimate = plain.training().unwrap();
    let of = |measured: Measured| {
        let own = Scenario { measured, ..plain.clone() };
        Difference::of(&rows_of(&own, "own")[0]).unwrap()
    };
    let step = of(Measured { step_s: Some(estimate.step.get() * 1.25), ..Measured::default() });
    let rate = estimate.tokens_per_second_per_gpu / 1.25;
    let rate = of(Measured { tokens_per_gpu: Some(rate), ..Measured::default() });
    assert!((step.measured.get() / rate.measured.get() - 1.0).abs() < 1e-9);
    assert_eq!(step.causes.len(), rate.causes.len());
    for (step, rate) in step.causes.iter().zip(&rate.causes) {
        assert_eq!(step.correction, rate.correction);
        assert!((step.factor / rate.factor - 1.0).abs() < 1e-3);
    }
}

#[test]
fn the_figure_is_well_formed_with_any_numbers() {
    let found = Difference::of(&slower(&scenario(TRAINING), 1.3)).unwrap();
    for size in [Size::Wide, Size::Medium, Size::Narrow] {
        let figure = figure::difference(&found, size);
        check(&figure.svg);
        check_colours(&figure);
        assert!(figure.finding.contains("30.0 % longer than the predicted"), "{}", figure.finding);
        assert!(!figure.svg.contains("No values to show"));
        for hostile in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e-320, f64::MAX] {
            let mut odd = found.clone();
            odd.causes[0].factor = hostile;
            check(&figure::difference(&odd, size).svg);
            let odd = Difference { scatter: hostile, ..found.clone() };
            check(&figure::difference(&odd, size).svg);
        }
    }
}

#[test]
fn a_measured_step_shows_its_causes_and_what_to_change() {
    let predicted = scenario(TRAINING).training().unwrap().step.get();
    let said = replies(&format!("{TRAINING}&measured.step={}", predicted * 1.2));
    let answer = answered(&said);
    let Some(Part::Figure(figure)) = answer.part("difference-step") else { panic!("{:?}", ids(answer)) };
    assert_eq!(figure.table.rows.last().unwrap().cells[2].text, "1.20×");
    let causes = &table(answer, "causes").table;
    assert!(causes.rows.len() >= 2);
    let said = &table(answer, "causes").finding;
    assert!(said.starts_with("Of ") && said.contains("the central 80 % had"), "{said}");
    assert!(causes.rows[0].cells[4].text.contains("× to "), "{causes:?}");
    let measured = Measured { step_s: Some(predicted * 1.2), ..Measured::default() };
    let own = rows_of(&Scenario { measured, ..scenario(TRAINING) }, "own");
    let corrections = Difference::of(&own[0]).unwrap().corrections;
    // Gains are those under the corrections of this measurement, which the links have too.
    let corrected = Scenario { profile: Profile::of(corrections), ..scenario(TRAINING) };
    let corrected = corrected.training().unwrap().step.get();
    assert!(corrected > 1.05 * predicted, "{corrections:?}");
    let changes = &table(answer, "changes").table;
    assert!((1..=3).contains(&changes.rows.len()));
    for row in &changes.rows {
        let there = link::decode(row.cells[0].link.as_ref().unwrap()).scenario;
        let (time, gain) = (row.cells[1].value.unwrap(), row.cells[2].value.unwrap());
        assert!(there.measured.is_empty());
        assert!((there.training().unwrap().step.get() / time - 1.0).abs() < 1e-9);
        assert!((100.0 * (1.0 - time / corrected) - gain).abs() < 1e-9 && gain > 0.0);
    }
}

/// A trace names the causes: the waterfall has its terms, and no split of one number by priors.
#[test]
fn the_causes_of_a_profiled_step_are_its_terms() {
    let own = "measured.step=1.5&measured.in.matmul=0.7&measured.in.attention=0.2&measured.in.elementwise=0.1\
               &measured.in.tensor=0.2&measured.in.optimizer=0.05&measured.in.idle=0.25";
    for recompute in ["none", "full"] {
        let text = format!("{TRAINING}&recompute={recompute}&{own}");
        let said = replies(&text);
        let answer = answered(&said);
        let Some(Part::Figure(figure)) = answer.part("difference-step") else { panic!("{:?}", ids(answer)) };
        assert!(answer.part("causes").is_none() && answer.part("changes").is_some(), "{:?}", ids(answer));
        let rows = &figure.table.rows;
        let value = |row: usize, column: usize| rows[row].cells[column].value;
        let predicted = scenario(&text).training().unwrap().step.get();
        let last = rows.len() - 1;
        assert!((value(0, 1).unwrap() / predicted - 1.0).abs() < 1e-9);
        assert_eq!((value(last, 2), value(last, 4)), (Some(1.5), Some(1.5)), "{rows:?}");
        let sum: f64 = (1..last).filter_map(|row| value(row, 3)).sum();
        assert!((predicted + sum - 1.5).abs() < 1e-9, "{rows:?}");
        assert!((value(last - 1, 4).unwrap() - 1.5).abs() < 1e-9);
        let of = |name: &str| rows.iter().find(|row| row.cells[0].text == name);
        let (attention, all) = (of("Attention"), of("Compute with recomputation"));
        if recompute == "full" {
            assert!(attention.is_none() && (all.unwrap().cells[2].value.unwrap() - 1.0).abs() < 1e-9);
        } else {
            let cells = &attention.unwrap().cells;
            let differs = cells[2].value.unwrap() - cells[1].value.unwrap();
            assert!(
                all.is_none()
                    && cells[2].value == Some(0.2)
                    && (differs - cells[3].value.unwrap()).abs() < 1e-12
            );
        }
        assert!(figure.finding.contains("The largest differences in the profile: "), "{}", figure.finding);
        assert!(!figure.svg.contains("No values to show") && !figure.svg.contains("Range over all orders"));
    }
    // A profile of another step has no times to compare.
    let said = replies(&format!("{TRAINING}&{}", own.replace("step=1.5", "step=3")));
    assert!(answered(&said).part("causes").is_some());
    // Under a calibration profile, the waterfall begins at the corrected prediction.
    let mut own = scenario(&format!("{TRAINING}&{own}"));
    own.profile = Profile::of(Corrections { kernels: 1.2, ..Corrections::NONE });
    let said = replies(&link::encode(&own));
    let Some(Part::Figure(figure)) = answered(&said).part("difference-step") else { panic!("no figure") };
    let corrected = own.training().unwrap().step.get();
    assert!((figure.table.rows[0].cells[1].value.unwrap() / corrected - 1.0).abs() < 1e-9);
}

#[test]
fn differences_of_terms_are_drawn_with_any_numbers() {
    let term = |name, predicted, measured| figure::TermDifference {
        name,
        predicted: Seconds::new(predicted),
        measured: Seconds::new(measured),
    };
    for odd in [0.0, 1e-300, 0.2, 1e300, f64::NAN, f64::INFINITY, -1.0] {
        let terms =
            vec![term("Matrix multiplies", 0.5, odd), term("Idle", odd, 0.1), term("Attention", 0.3, 0.2)];
        let [predicted, measured] = [0.8 + odd, odd + 0.3].map(Seconds::new);
        let differences = figure::TermDifferences::new(predicted, measured, terms);
        for size in [Size::Wide, Size::Medium, Size::Narrow] {
            check(&figure::term_differences(&differences, size).svg);
        }
    }
}

#[test]
fn measured_latencies_show_a_figure_each() {
    let said = replies(&format!("{SERVING}&measured.ttft=80&measured.tpot=9"));
    let answer = answered(&said);
    assert!(answer.part("difference-ttft").is_some() && answer.part("difference-tpot").is_some());
    let topics: Vec<&str> =
        table(answer, "causes").table.rows.iter().map(|row| row.cells[0].text.as_str()).collect();
    assert!(topics.contains(&"TTFT") && topics.contains(&"TPOT"), "{topics:?}");
    let said = replies(&format!("{SERVING}&serve.launch=stream&measured.tpot=20"));
    let changes = &table(answered(&said), "changes").table;
    assert!(changes.rows.iter().any(|row| row.cells[0].text == "CUDA graphs"), "{changes:?}");
}

#[test]
fn what_to_change_first_follows_from_the_measured_time() {
    let text =
        "v=1&model=llama-3.1-8b&gpu=h100-sxm&gpus=64&tp=8&pp=1&batch=128&framework=megatron&dp_overlap=false";
    let predicted = scenario(text).training().unwrap().step.get();
    let gains = |text: &str| -> Vec<(String, f64)> {
        let said = replies(text);
        let rows = &table(answered(&said), "changes").table.rows;
        rows.iter().map(|row| (row.cells[0].text.clone(), row.cells[2].value.unwrap())).collect()
    };
    let of = |factor: f64| gains(&format!("{text}&measured.step={}", predicted * factor));
    let (fast, slow) = (of(0.7), of(2.5));
    assert!(!fast.is_empty() && fast != slow, "{fast:?} {slow:?}");
    // Under a profile of the visitor's rows, gains are those of the profile.
    let mut own = scenario(&format!("{text}&measured.step={predicted}"));
    let plain = gains(&link::encode(&own));
    own.profile = Profile::of(Corrections { links: 0.2, ..Corrections::NONE });
    let under = gains(&link::encode(&own));
    assert!(under[0].1 > plain[0].1, "{under:?} {plain:?}");
    // Settings that a plan lacks by law are no changes: a dense model has no experts.
    assert!(plain.iter().chain(&under).all(|(name, _)| !name.starts_with("Expert")), "{plain:?}");
}

#[test]
fn each_measured_time_has_its_own_changes() {
    let text = format!("{SERVING}&serve.launch=stream&serve.concurrency=64&serve.max_tokens=512");
    let said = replies(&format!("{text}&measured.ttft=80&measured.tpot=30"));
    let answer = answered(&said);
    for (id, kind) in [("changes", "TTFT"), ("changes-tpot", "TPOT")] {
        let part = answer.part(id).unwrap_or_else(|| panic!("no {id}: {:?}", ids(answer)));
        let title = match part {
            Part::Table(table) => &table.title,
            Part::Notice(notice) => &notice.text,
            _ => panic!("{id}"),
        };
        assert!(title.starts_with("What to change first: ") && title.contains(kind), "{title}");
    }
    let said = replies(&format!("{text}&measured.tpot=30"));
    assert!(answered(&said).part("changes").is_some() && answered(&said).part("changes-tpot").is_none());
}

#[test]
fn without_a_measurement_nothing_is_explained() {
    let said = replies(TRAINING);
    let shown = ids(answered(&said));
    for id in ["difference-step", "causes", "changes", "nearest"] {
        assert!(!shown.contains(&id), "{id}");
    }
}

/// Causes are corrections: a profile has them already.
#[test]
fn a_profile_has_to_be_off() {
    let own = Profile::of(Corrections { kernels: 1.1, ..Corrections::NONE });
    let measured = Measured { step_s: Some(5.0), ..Measured::default() };
    let own = Scenario { profile: own, measured, ..scenario(TRAINING) };
    let said = replies(&link::encode(&own));
    let answer = answered(&said);
    let Some(Part::Notice(notice)) = answer.part("causes") else { panic!("{:?}", ids(answer)) };
    assert!(link::decode(&notice.links[0].link).scenario.profile.off);
    assert!(answer.part("difference-step").is_none());
}

const HEADER: &str = "id,source,origin,device,model,family,precision,tier,quantity,measured,used_in_fit,link,peer,\
                      peer_predicted,predicted\n";

/// A published row whose question is this link.
fn row(id: &str, source: &str, quantity: &str, measured: f64, link: &str) -> String {
    format!("{id},{source},A paper,h100-sxm,{id},dense,BF16,A,{quantity},{measured},false,{link},,,\n")
}

#[test]
fn the_nearest_published_rows_stand_below_the_own_row() {
    let rows = [
        HEADER.to_owned(),
        row("far", "lab", "iter_time_s", 9.0, "v=1&model=llama-3.1-405b&gpu=a100-sxm-80gb&gpus=512"),
        row("near", "lab", "iter_time_s", 2.0, &format!("{TRAINING}&seq=4096")),
        row("same", "lab", "tokens_per_s_per_gpu", 5000.0, TRAINING),
        row("computed", "subramanian-2024", "iter_time_s", 2.0, TRAINING),
        row("other", "lab", "ttft_ms", 50.0, SERVING),
    ];
    let mut service = Service::default();
    service.ask(request(1, &format!("{TRAINING}&measured.step=3")));
    let said = all(&mut service, &rows.concat());
    let answer = answered(&said);
    let part = table(answer, "nearest");
    let names: Vec<&str> = part.table.rows.iter().map(|row| row.cells[1].text.as_str()).collect();
    assert_eq!(names[1..], ["same", "near", "far"], "{names:?}");
    assert!(
        part.table.rows[0].current
            && part.table.rows[1].cells[1].link.as_deref()
                == Some(&*format!("{TRAINING}&measured.tokens=5000"))
    );
    let numbers = |place: usize| {
        [2, 3, 4, 5].map(|column: usize| part.table.rows[place].cells[column].value.unwrap_or(f64::NAN))
    };
    for place in 0..4 {
        let [measured, predicted, ratio, _] = numbers(place);
        assert!((measured / predicted / ratio - 1.0).abs() < 1e-9, "{place}");
    }
    assert!((numbers(0)[0] - 3.0).abs() < 1e-9 && numbers(1)[3].abs() < 1e-12);
    let said = [" here; ", " in the 3 nearest rows "].map(|words| part.finding.contains(words));
    assert_eq!(said, [true; 2], "{}", part.finding);
}

#[test]
fn rows_that_cannot_be_read_leave_a_notice() {
    let mut service = Service::default();
    service.ask(request(1, &format!("{SERVING}&measured.tpot=9")));
    let mut last = None;
    loop {
        match service.step() {
            Step::Idle => break,
            Step::Busy => {}
            Step::Fetch(_) => service.supply(Err("it is not there".to_owned())),
            Step::Tell(reply) => {
                if let Said::Partial { news: News::More(parts), .. } = &reply.said {
                    last = parts.iter().find(|part| part.id() == "nearest").cloned().or(last);
                }
            }
        }
    }
    let Some(Part::Notice(notice)) = last else { panic!("{last:?}") };
    assert!(notice.text.ends_with("it is not there."), "{}", notice.text);
}

const PUBLISHED: &str = "published";

/// Without a measured value, the published rows are fetched only if their section is open.
#[test]
fn published_runs_are_fetched_when_their_section_opens() {
    let rows = [
        HEADER.to_owned(),
        row("train", "lab", "iter_time_s", 2.0, TRAINING),
        row("far", "lab", "tpot_ms", 30.0, "v=1&view=inference&model=llama-2-7b&serve.tp=1"),
        row("near", "lab", "ttft_ms", 50.0, SERVING),
        row("near", "lab", "tpot_ms", 10.0, SERVING),
    ]
    .concat();
    for (link, own) in [(TRAINING, 1), (SERVING, 3)] {
        for (part, opens) in [("", false), ("memory", false), (PUBLISHED, true), ("all", false)] {
            let mut service = Service::default();
            service.ask(request(1, &link::encode_at(&scenario(link), part)));
            let mut fetched = 0;
            loop {
                match service.step() {
                    Step::Idle => break,
                    Step::Busy | Step::Tell(_) => {}
                    Step::Fetch(_) => {
                        fetched += 1;
                        service.supply(Ok(&rows));
                    }
                }
            }
            assert_eq!(fetched, u32::from(opens), "{link} {part}");
        }
        let mut service = Service::default();
        service.ask(request(1, &link::encode_at(&scenario(link), PUBLISHED)));
        let said = all(&mut service, &rows);
        let part = table(answered(&said), PUBLISHED);
        let current = part.table.rows.iter().filter(|row| row.current).count();
        assert_eq!(current, own, "{part:?}");
        assert!(part.table.rows[0].cells[2].value.is_none() && part.table.rows[0].cells[3].value.is_some());
        let first = &part.table.rows[1].cells;
        assert!(
            (first[2].value.unwrap() / first[3].value.unwrap() / first[4].value.unwrap() - 1.0).abs() < 1e-9
        );
        assert!(
            first[1].link.is_some() && part.finding.contains("in the 1 nearest row "),
            "{}",
            part.finding
        );
        let Some(Part::Notice(offer)) = answered(&replies(link)).part(PUBLISHED).cloned() else {
            panic!("{link}")
        };
        assert_eq!(link::decode(&offer.links[0].link).part, PUBLISHED);
    }
}

/// Once the rows are fetched, runs of the model on the device are dots in the figure of throughput against speed.
#[test]
fn measured_runs_are_dots_of_throughput_against_speed() {
    let mut asked = scenario(SERVING);
    (asked.inference.concurrency, asked.inference.input, asked.inference.output) = (16, 100, 101);
    let run = link::encode(&asked);
    let rows = [
        HEADER.to_owned(),
        row("run", "lab", "ttft_ms", 1000.0, &run),
        row("run", "lab", "tpot_ms", 10.0, &run),
    ]
    .concat();
    let figure = |link: &str| {
        let mut service = Service::default();
        service.ask(request(1, link));
        let said = all(&mut service, &rows);
        answered(&said).figures().find(|figure| figure.id == "tradeoff").cloned().expect("a figure")
    };
    let (plain, measured) = (figure(SERVING), figure(&link::encode_at(&scenario(SERVING), PUBLISHED)));
    assert_eq!(plain.table.columns.len() + 1, measured.table.columns.len());
    assert_eq!(plain.reads.len() + 1, measured.reads.len());
    let dot = measured.reads.iter().find(|read| read.link.starts_with(&run)).expect("a dot");
    assert!(dot.text.contains("Measured, 16 concurrent requests"), "{}", dot.text);
    let cells = &measured.table.rows.last().expect("a row").cells;
    let gpus = f64::from(link::decode(&run).scenario.inference.gpus());
    let near = |cell: usize, value: f64| (cells[cell].value.expect("a number") / value - 1.0).abs() < 1e-9;
    assert!(near(3, 100.0) && near(4, 16.0 * 101.0 / 2.0 / gpus), "{cells:?}");
    let rows = link::decode(cells[6].link.as_ref().expect("a link")).scenario;
    assert_eq!((rows.view, rows.errors.source.as_str()), (foretoken::scenario::View::Validation, "lab"));
    assert!(measured.assumptions.iter().any(|line| line.contains("Little's law")));
}
