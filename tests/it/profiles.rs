//! Profiles of GPUs: traces of PyTorch's profiler and summaries of Nsight Systems.

use std::fmt::Write as _;

use foretoken::estimate::Activity;
use foretoken::figure::Size;
use foretoken::measured::{
    Fault, Format, Kind, MAX_BYTES, Measurement, Opened, Statistic, TRACE_HEAD, TraceReader, is_trace, open,
    read,
};
use foretoken::scenario::{Scenario, View, link};
use foretoken::view::{Answer, Part, first};
use proptest::prelude::*;
use serde_json::{Value, json};

fn sample(name: &str) -> String {
    let path = format!("{}/tests/fixtures/measurements/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a sample")
}

/// The only point of a text.
pub(crate) fn only(text: &str) -> Measurement {
    let mut points = read(text).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(points.len(), 1);
    points.remove(0)
}

/// Time in ns and kernels of an activity.
fn spent(found: &Measurement, activity: Activity) -> (i64, i64) {
    let spent = found.spent.iter().find(|spent| spent.activity == activity);
    spent.map_or((0, 0), |spent| ((spent.time * 1e9).round() as i64, spent.kernels.round() as i64))
}

fn remarks(found: &Measurement, part: &str) -> bool {
    found.remarks.iter().any(|remark| remark.contains(part))
}

/// A kernel of 1 GPU: stream, start and length in µs.
fn kernel(name: &str, stream: u32, start: f64, length: f64) -> Value {
    json!({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": length,
           "args": {"stream": stream}})
}

fn mark(category: &str, step: u32, start: f64, length: f64) -> Value {
    json!({"ph": "X", "cat": category, "name": format!("ProfilerStep#{step}"), "pid": 9, "tid": 9, "ts": start, "dur": length})
}

/// Steps 2 to 5 of 1 ms: 400 µs of multiplies, 100 µs of attention, an all-reduce of 300 µs of which 100 µs are hidden,
/// 50 µs of copies, 50 µs of an optimizer, nothing in 200 µs.
pub(crate) fn steps(marks: &str) -> Vec<Value> {
    let mut events = vec![json!({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}})];
    for step in 2..6_u32 {
        let from = 1e6 + 1000.0 * f64::from(step);
        let mut reduce = kernel(
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            20,
            from + 400.0,
            300.0,
        );
        reduce["args"]["Process Group Description"] = json!("DATA_PARALLEL_GROUP_WITH_CP");
        reduce["args"]["Collective name"] = json!("allreduce");
        events.extend([
            mark(marks, step, from, 1000.0),
            kernel("nvjet_sm90_tst_128x256_64x4_1x2_h_bz_TNT", 7, from, 400.0),
            kernel("void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<", 7, from + 400.0, 100.0),
            reduce,
            json!({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7,
                   "ts": from + 700.0, "dur": 50.0}),
            kernel("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<", 7, from + 750.0, 50.0),
            json!({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": from, "dur": 5.0}),
            json!({"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 9, "tid": 9, "ts": from}),
        ]);
    }
    events
}

fn object(events: &[Value]) -> String {
    let trace = json!({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8}, "traceEvents": events, "displayTimeUnit": "ms"});
    trace.to_string()
}

#[test]
fn the_sample_trace_is_read_to_the_ns() {
    let found = only(&sample("kineto_sample.json"));
    assert_eq!((found.format, found.view), (Format::Kineto, View::Training));
    assert_eq!(spent(&found, Activity::Matmul), (818_935, 14));
    assert_eq!(spent(&found, Activity::Elementwise), (358_140, 14));
    assert_eq!(spent(&found, Activity::Optimizer), (163_039, 2));
    assert_eq!(spent(&found, Activity::Collectives), (4_804_799, 4));
    assert_eq!(spent(&found, Activity::Copies), (19_487, 4));
    let all: f64 = found.spent.iter().map(|spent| spent.time).sum();
    assert!((all * 1e9 - 650_717_602.0).abs() < 0.5, "{all}");
    assert!(found.readings.is_empty() && found.hidden.is_none());
    assert!(remarks(&found, "marks no steps") && remarks(&found, "2 streams"), "{:?}", found.remarks);
    assert_eq!(found.number_of("system.gpus"), Some(2.0));
}

#[test]
fn the_sample_summary_of_nsys_is_read_to_the_ns() {
    let found = only(&sample("nsys_cuda_gpu_kern_sum.csv"));
    assert_eq!((found.format, found.view), (Format::Nsys, View::Inference));
    assert_eq!(spent(&found, Activity::Experts), (14_198_407_375, 97_620));
    assert_eq!(spent(&found, Activity::Matmul), (379_006_854 + 356_716_229, 97_046));
    assert_eq!(spent(&found, Activity::Attention), (292_232_323, 23_947));
    assert!(found.readings.is_empty() && remarks(&found, "no step time"), "{found:?}");
}

#[test]
fn reports_of_nsys_are_told_apart() {
    let kernels = sample("nsys_cuda_gpu_kern_sum.csv");
    let copies = "Time (%),Total Time (ns),Count,Avg (ns),Operation\n99.0,1000000,12,83333.3,[CUDA memcpy Host-to-Device]\n";
    let both = format!(
        "Processing [report1.sqlite] with [cuda_gpu_kern_sum.py]...\n\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n\
         {kernels}\n ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):\n\n{copies}"
    );
    let found = only(&both);
    assert_eq!(spent(&found, Activity::Copies), (1_000_000, 12));
    assert_eq!(spent(&found, Activity::Attention), (292_232_323, 23_947));
    let micro = kernels.replace("Total Time (ns)", "Total Time (us)");
    assert_eq!(spent(&only(&micro), Activity::Attention).0, 292_232_323_000);
    for (text, says) in [
        (kernels.replace("Total Time (ns)", "Total Time (fortnights)"), "total time is in `fortnights`"),
        (
            "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n50.0,100,2,50,cudaLaunchKernel\n".to_owned(),
            "save the report cuda_gpu_kern_sum",
        ),
        (
            "Start (ns),Duration (ns),CorrId,GrdX,Name\n1,2,3,4,gemm\n".to_owned(),
            "the kernel summary (nsys stats",
        ),
    ] {
        let fault = read(&text).expect_err(says).to_string();
        assert!(fault.contains(says), "{fault} lacks {says}");
    }
    let cut = only(&kernels[..kernels.len() - 40]);
    assert!(cut.left_out.len() <= 1 && spent(&cut, Activity::Experts).1 == 97_620);
}

#[test]
fn steps_are_split_by_what_the_gpu_does() {
    for marks in ["gpu_user_annotation", "user_annotation"] {
        let found = only(&object(&steps(marks)));
        assert_eq!((found.view, found.used), (View::Training, Some(4)), "{marks}");
        let step = found.value(Kind::Step, Statistic::Mean).expect("a step time");
        assert!((step - 1e-3).abs() < 1e-12, "{marks}: {step}");
        for (activity, time, kernels) in [
            (Activity::Matmul, 400_000, 1),
            (Activity::Attention, 100_000, 1),
            (Activity::DataParallel, 200_000, 1),
            (Activity::Copies, 50_000, 1),
            (Activity::Optimizer, 50_000, 1),
            (Activity::Idle, 200_000, 0),
        ] {
            assert_eq!(spent(&found, activity), (time, kernels), "{marks}: {activity:?}");
        }
        assert!((found.hidden.expect("hidden communication") - 100e-6).abs() < 1e-12);
        assert_eq!(found.number_of("system.gpus"), Some(8.0));
        assert!(format!("{:?}", found.fact_of("system.accelerator")).contains("h100"), "{found:?}");
    }
}

#[test]
fn steps_without_marks_are_those_of_the_optimizer() {
    let mut events: Vec<Value> = steps("gone").into_iter().filter(|event| event["cat"] != "gone").collect();
    assert!(only(&object(&events)).readings.is_empty());
    for step in 2..6_u32 {
        events.push(json!({"ph": "X", "cat": "user_annotation", "name": "Optimizer.step#AdamW.step", "pid": 9, "tid": 9,
            "ts": 1e6 + 1000.0 * f64::from(step) + 750.0, "dur": 20.0}));
    }
    let found = only(&object(&events));
    assert_eq!(found.used, Some(3));
    assert!((found.value(Kind::Step, Statistic::Mean).expect("a step time") - 1e-3).abs() < 1e-12);
    assert_eq!(spent(&found, Activity::Matmul).0, 400_000);
    assert!(remarks(&found, "from one optimizer call to the next"));
}

#[test]
fn a_server_has_shares_and_no_step_time() {
    let mut events = steps("user_annotation");
    for event in &mut events {
        let name = event["name"]
            .as_str()
            .expect("a name")
            .replace("bwd", "fwd")
            .replace("multi_tensor_apply", "act_and_mul");
        event["name"] = json!(name);
    }
    let found = only(&object(&events));
    assert_eq!((found.view, found.readings.len()), (View::Inference, 0));
    assert!(remarks(&found, "engine steps of a server"));
}

/// The result depends neither on the chunks of a trace nor on its form (object or list).
#[test]
fn chunks_and_forms_make_no_difference() {
    let events = steps("gpu_user_annotation");
    let text = object(&events);
    let whole = only(&text);
    for length in [1, 7, 4096] {
        let mut reader = TraceReader::default();
        for chunk in text.as_bytes().chunks(length) {
            reader.feed(chunk).expect("few kernels");
        }
        assert_eq!(reader.finish().as_ref(), Ok(&whole), "{length}");
    }
    assert!(is_trace(text.as_bytes()));
    // The list form, which Perfetto reads even without its end.
    let list = json!(events).to_string();
    let found = only(&list);
    assert_eq!(found.spent, whole.spent);
    let cut = only(list.trim_end_matches(']'));
    assert_eq!(cut.spent, whole.spent);
    assert!(remarks(&cut, "is truncated") && !remarks(&found, "is truncated"));
    let half = only(&list[..list.len() - 300]);
    assert!(half.used == Some(4) && remarks(&half, "is truncated"));
}

#[test]
fn traces_without_kernels_or_with_broken_events_are_explained() {
    for text in [
        "{\"traceEvents\": []}".to_owned(),
        object(&[mark("user_annotation", 1, 0.0, 5.0)]),
        sample("chrome_trace_minimal.json"),
    ] {
        let fault = read(&text).expect_err("no kernels").to_string();
        assert_eq!(
            fault,
            "looks like PyTorch profiler but has no GPU kernel: add ProfilerActivity.CUDA to the profiler's activities"
        );
    }
    let mut events = steps("gpu_user_annotation");
    events.push(
        json!({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": "soon", "dur": 4}),
    );
    events
        .push(json!({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1e300, "dur": 4}));
    events.push(json!({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 4, "dur": -4}));
    events.push(json!(7));
    let found = only(&object(&events));
    assert_eq!(found.left_out.iter().map(|left| left.rows).collect::<Vec<_>>(), [4]);
    assert_eq!(found.spent, only(&object(&steps("gpu_user_annotation"))).spent);
    // Two GPUs of one process: the busier one counts.
    let mut other = kernel("gemm", 7, 1e6 + 2000.0, 3.0);
    other["pid"] = json!(1);
    events.push(other);
    assert!(remarks(&only(&object(&events)), "2 GPUs; the busiest one is used"));
}

/// The trace of many steps, as a profile of 100 MB has them.
fn long(bytes: usize) -> String {
    let mut text = String::from("{\"schemaVersion\": 1,\n\"traceEvents\": [\n");
    let pad = "float, ".repeat(30);
    let mut step = 0_u32;
    while text.len() < bytes {
        step += 1;
        let from = f64::from(step) * 1e5;
        text.push_str(&mark("gpu_user_annotation", step, from, 99_000.0).to_string());
        for place in 0..1000_u32 {
            let at = from + f64::from(place) * 99.0;
            write!(
                text,
                ",\n{{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void cutlass::Kernel<cutlass_80_tensorop_dgrad_{place}>({pad})\", \
                 \"pid\": 0, \"tid\": 7, \"ts\": {at}, \"dur\": 90.5, \"args\": {{\"External id\": {place}, \"device\": 0, \
                 \"context\": 1, \"stream\": 7, \"grid\": [512, 1, 1], \"block\": [256, 1, 1]}}}},\n\
                 {{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 9, \"tid\": 9, \"ts\": {at}, \"dur\": 5.0, \
                 \"args\": {{\"External id\": {place}, \"Sequence number\": 12, \"Ev Idx\": {place}}}}}"
            )
            .expect("text");
        }
        text.push_str(",\n");
    }
    text.truncate(text.len() - 2);
    text.push_str("]}");
    text
}

#[test]
fn a_trace_longer_than_the_limit_of_other_files_is_read() {
    let text = long(MAX_BYTES + 1);
    assert!(is_trace(&text.as_bytes()[..TRACE_HEAD]));
    let found = only(&text);
    let step = found.value(Kind::Step, Statistic::Mean).expect("a step time");
    assert!((step - 0.1).abs() < 1e-3 && found.used > Some(30), "{found:?}");
    assert_eq!(spent(&found, Activity::Matmul).1, 1000);
}

#[test]
#[ignore = "prints the time of 100 MB"]
fn timing() {
    let text = long(100_000_000);
    let begun = std::time::Instant::now();
    let mut reader = TraceReader::default();
    for chunk in text.as_bytes().chunks(1 << 20) {
        reader.feed(chunk).expect("few kernels");
    }
    let fed = begun.elapsed();
    let found = reader.finish().expect("a measurement");
    println!(
        "{} MB: {fed:?}, with sums {:?}; {:?} steps",
        text.len() / 1_000_000,
        begun.elapsed(),
        found.used
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Activities of a step add up to it, whatever kernels overlap.
    #[test]
    fn activities_add_up_to_the_step(
        spans in prop::collection::vec((0_u32..5_000_000, 0_u32..900_000, 0_usize..6, 1_u32..4), 1..60),
        lengths in prop::collection::vec(500_000_u32..700_000, 1..8),
    ) {
        const NAMES: [&str; 6] = [
            "nvjet_tst", "ncclDevKernel_SendRecv", "flash_bwd_kernel", "triton_poi_fused_0", "ncclDevKernel_AllGather", "x",
        ];
        let us = |ns: u32| f64::from(ns) / 1e3;
        let mut events: Vec<Value> = spans
            .iter()
            .map(|(start, length, name, stream)| kernel(NAMES[*name], *stream, us(*start), us(*length + 1)))
            .collect();
        events.push(kernel("dgrad", 1, 0.0, 1.0));
        let mut from = 0;
        for (step, length) in (10..).zip(&lengths) {
            events.push(mark("gpu_user_annotation", step, us(from), us(*length)));
            from += length;
        }
        let found = only(&object(&events));
        let n = f64::from(found.used.expect("steps"));
        let sum: f64 = found.spent.iter().map(|spent| spent.time).sum();
        let step = found.value(Kind::Step, Statistic::Mean).expect("a step time");
        let ns = |time: f64| (time * 1e9 * n).round() as i64;
        prop_assert_eq!(ns(sum), ns(step));
        let whole: u32 = lengths.iter().sum();
        if found.used == Some(lengths.len() as u32) {
            prop_assert_eq!(ns(step), i64::from(whole));
        }
    }

    /// Any edit of a trace is read, or refused in a sentence.
    #[test]
    fn edited_traces_are_read_or_refused(place in 0.0..1.0_f64, length in 0_usize..60, insert in "[0-9eE.,:{}\\[\\]\"\\\\' -]{0,12}") {
        let text = object(&steps("gpu_user_annotation"));
        let at = (place * text.len() as f64) as usize;
        let edited = format!("{}{insert}{}", &text[..at], &text[(at + length).min(text.len())..]);
        match read(&edited) {
            Ok(points) => prop_assert!(points[0].spent.iter().all(|spent| spent.time.is_finite() && spent.time >= 0.0)),
            Err(fault) => prop_assert!(!fault.to_string().is_empty()),
        }
    }
}

/// The answer to the question that a file makes of a link, and the texts of its table of terms.
fn answered(current: &str, text: &str) -> (Answer, Vec<Vec<String>>) {
    let current = link::decode(current).scenario;
    let Ok(Opened::Points(points)) = open(&current, text) else { panic!("no points") };
    let question = link::encode(&points[0].scenario);
    let decoded = link::decode(&question);
    assert_eq!((decoded.problems, &decoded.scenario), (vec![], &points[0].scenario), "{question}");
    let answer = first(&points[0].scenario, Size::Wide).unwrap_or_else(|problems| panic!("{problems:?}"));
    let table = answer.part("measured-terms").and_then(Part::table).expect("a table");
    let rows =
        table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.clone()).collect()).collect();
    (answer, rows)
}

#[test]
fn a_profiled_step_stands_beside_the_predicted_terms() {
    let (answer, rows) =
        answered("v=1&model=llama-3.1-8b&gpus=8&tp=2&pp=1&batch=16", &object(&steps("gpu_user_annotation")));
    assert_eq!(answer.card("measured").expect("a card").shown(), "1.00 ms");
    let row =
        |name: &str| rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no {name}: {rows:?}"));
    assert_eq!(row("Matrix multiplies")[1], "400 µs");
    assert_eq!(row("Data-parallel communication")[1], "200 µs");
    assert_eq!(row("Idle")[1], "200 µs");
    assert_eq!((row("Total")[1].as_str(), row("Elementwise")[1].as_str()), ("1.00 ms", "0 s"));
    assert!(row("Attention")[3].ends_with('×'), "{rows:?}");
    let step = answer.card("step").expect("a card").shown();
    assert_eq!(row("Total")[2], step, "every predicted term has a row");
    let figure = answer.figures().find(|figure| figure.id == "profile-terms").expect("a figure");
    assert!(
        figure.svg.contains("Data-parallel")
            && figure.finding.contains("100 µs per step of communication is hidden"),
        "{}",
        figure.finding
    );
    let figure = answer.figures().find(|figure| figure.id == "profile-course").expect("a figure");
    let busy =
        |slot: usize| figure.table.rows[slot].cells.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
    assert_eq!(figure.table.rows.len(), 2 * 48);
    // Multiplies run in the first 400 µs, and nothing in the last 200 µs.
    assert_eq!((busy(0)[3].as_str(), busy(0)[9].as_str()), ("100 %", "0 %"));
    assert_eq!((busy(47)[3].as_str(), busy(47)[9].as_str()), ("0 %", "100 %"));
    // Recomputed kernels cannot be told from the others by name, so only the sum of compute is compared.
    let (_, rows) = answered(
        "v=1&model=llama-3.1-8b&gpus=8&tp=2&pp=1&batch=16&recompute=full",
        &object(&steps("gpu_user_annotation")),
    );
    let row =
        |name: &str| rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no {name}: {rows:?}"));
    assert_eq!((row("Attention")[3].as_str(), row("Recomputation")[1].as_str()), ("", ""));
    assert_eq!(row("Compute with recomputation")[1], "500 µs");
    assert!(row("Compute with recomputation")[3].ends_with('×'));
}

#[test]
fn shares_are_compared_where_there_is_no_step() {
    let served = "v=1&view=inference&model=qwen3-30b-a3b&serve.tp=1&serve.concurrency=16";
    let (answer, rows) = answered(served, &sample("nsys_cuda_gpu_kern_sum.csv"));
    assert!(answer.card("measured").is_none());
    let row =
        |name: &str| rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("no {name}: {rows:?}"));
    // Of 15.05 s in these kernels, which are 98.1 % of all, experts are 14.20 s.
    assert_eq!((row("Matrix multiplies")[1].as_str(), row("Total")[1].as_str()), ("4.83 %", "100 %"));
    assert_eq!(row("Experts")[1], "93.2 %");
    assert!(row("Experts")[2..4].iter().all(|share| share.ends_with('%')), "{rows:?}");
    assert!(row("Attention").len() == 5 && rows.iter().all(|row| row[0] != "Idle"), "{rows:?}");
    let (_, rows) = answered("v=1&model=llama-3.2-1b&tp=1&pp=1&batch=16", &sample("kineto_sample.json"));
    assert!(rows.iter().any(|row| row[0] == "Collectives" && row[1] == "0.738 %"), "{rows:?}");
    // Without a profile there is nothing.
    let plain = first(&Scenario::default(), Size::Wide).expect("an answer");
    assert!(plain.part("measured-terms").is_none() && plain.part("profile-terms").is_none());
}

/// A job of one microbatch more per replica than stages, so that it has a bubble.
const MIXTURE: &str = "v=1&model=mixtral-8x7b&gpus=64&tp=4&pp=2&ep=8&batch=64&framework=megatron";

/// The rows of a table by name, with the values of their number columns.
fn numbers(answer: &Answer, id: &str) -> Vec<(String, Option<f64>, Option<f64>)> {
    let table = answer.part(id).and_then(Part::table).unwrap_or_else(|| panic!("no {id}"));
    let row =
        |row: &foretoken::figure::Row| (row.cells[0].text.clone(), row.cells[1].value, row.cells[2].value);
    table.rows.iter().map(row).collect()
}

#[test]
fn experts_have_a_row_and_idle_time_its_parts() {
    let current = link::decode(MIXTURE).scenario;
    let estimate = current.training().unwrap_or_else(|problems| panic!("{problems:?}"));
    let terms = |ids: &[&str]| -> f64 {
        estimate.terms.iter().filter(|term| ids.contains(&term.id)).map(|term| term.time.get()).sum()
    };
    let own = "measured.step=1&measured.in.matmul=0.3&measured.in.experts=0.4&measured.in.attention=0.1&measured.in.idle=0.2";
    let ask = |own: &str| {
        let scenario = link::decode(&format!("{MIXTURE}&{own}")).scenario;
        first(&scenario, Size::Wide).unwrap_or_else(|problems| panic!("{problems:?}"))
    };
    let rows = numbers(&ask(own), "measured-terms");
    let of = |name: &str| {
        let row = rows.iter().find(|row| row.0 == name).unwrap_or_else(|| panic!("no {name}: {rows:?}"));
        (row.1, row.2.unwrap())
    };
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    let (measured, experts) = of("Experts");
    assert!(measured == Some(0.4) && experts > 0.0);
    assert_eq!(of("Matrix multiplies").0, Some(0.3));
    let compute = of("Matrix multiplies").1 + experts + of("Elementwise").1;
    assert!(near(compute, terms(&["matmul", "ends", "elementwise"])), "{rows:?}");
    // The experts of this model do most of the arithmetic.
    assert!(experts > of("Matrix multiplies").1 && of("Elementwise").1 > 0.0, "{rows:?}");
    assert!(near(of("Total").1, estimate.step.get()));
    let parts = ["Idle: pipeline bubble", "Idle: waiting for the host", "Idle: between steps"].map(of);
    assert!(parts.iter().all(|part| part.0.is_none()), "{rows:?}");
    assert!(near(parts.iter().map(|part| part.1).sum(), of("Idle").1));
    assert!(near(of("Idle: pipeline bubble").1, terms(&["bubble"])));
    // A profile in which no kernel is told to be of experts has one row for both.
    let rows = numbers(&ask("measured.step=1&measured.in.matmul=0.8&measured.in.idle=0.2"), "measured-terms");
    let both = rows.iter().find(|row| row.0 == "Matrix multiplies").unwrap().2.unwrap();
    assert!(rows.iter().all(|row| row.0 != "Experts") && both > experts, "{rows:?}");
}

#[test]
fn hidden_communication_stands_beside_the_predicted_one() {
    let ask = |more: &str| {
        let text = format!(
            "v=1&model=llama-3.1-8b&gpus=64&tp=2&pp=1&batch=64&framework=megatron&{more}\
            &measured.step=1&measured.in.matmul=0.7&measured.in.data=0.2&measured.in.idle=0.1&measured.in.hidden=0.05"
        );
        let scenario = link::decode(&text).scenario;
        let answer = first(&scenario, Size::Wide).unwrap_or_else(|problems| panic!("{problems:?}"));
        let rows = numbers(&answer, "measured-terms");
        let exposed = rows.iter().find(|row| row.0 == "Data-parallel communication").unwrap().2.unwrap();
        let hidden = rows.iter().find(|row| row.0 == "Hidden communication").unwrap().clone();
        assert_eq!(hidden.1, Some(0.05));
        (exposed, hidden.2.unwrap())
    };
    let (exposed, none) = ask("dp_overlap=false&tp_overlap=false");
    let (rest, hidden) = ask("dp_overlap=true&tp_overlap=false");
    assert!(none.abs() < 1e-12 && hidden > 0.0, "{none} {hidden}");
    assert!(((rest + hidden) / exposed - 1.0).abs() < 1e-9, "{rest} {hidden} {exposed}");
}

#[test]
fn the_phases_of_deepspeed_stand_beside_the_predicted_ones() {
    let line = "[INFO] [Rank 0] time (ms) | fwd: 140.00 | bwd: 412.00 | bwd_inner: 400.00 | bwd_allreduce: 12.00 | step: 30.00\n";
    for (zero, recompute) in [(0, "none"), (1, "selective"), (2, "full"), (3, "none")] {
        let current = format!(
            "v=1&model=llama-3.2-1b&gpus=8&tp=1&pp=1&batch=64&mb=1&zero={zero}&recompute={recompute}&framework=deepspeed"
        );
        let Ok(Opened::Points(points)) = open(&link::decode(&current).scenario, &line.repeat(4)) else {
            panic!("no points")
        };
        let scenario = &points[0].scenario;
        assert_eq!(link::decode(&link::encode(scenario)).scenario, *scenario);
        let answer = first(scenario, Size::Wide).unwrap_or_else(|problems| panic!("{problems:?}"));
        let rows = numbers(&answer, "measured-phases");
        let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
        assert_eq!(names, ["Forward", "Backward", "Exposed gradient reduction", "Optimizer step", "Total"]);
        let measured: Vec<i64> = rows.iter().map(|row| (row.1.unwrap() * 1e6).round() as i64).collect();
        assert_eq!(measured, [140_000, 400_000, 12_000, 30_000, 582_000]);
        let estimate = scenario.training().unwrap_or_else(|problems| panic!("{problems:?}"));
        let between: f64 =
            estimate.terms.iter().filter(|term| term.id == "framework").map(|term| term.time.get()).sum();
        let sum = rows.last().unwrap().2.unwrap() + between;
        assert!((sum / estimate.step.get() - 1.0).abs() < 1e-9, "{zero}: {rows:?}");
    }
    // The passes of several stages overlap, so they have no time of their own.
    let staged = link::decode(
        "v=1&model=llama-3.2-1b&gpus=8&tp=1&pp=2&batch=64&measured.step=1&measured.in.forward=0.3",
    );
    let answer = first(&staged.scenario, Size::Wide).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert!(answer.part("measured-phases").is_none());
}

#[test]
fn too_many_kernels_are_refused() {
    assert_eq!(
        Fault::Kernels.to_string(),
        "has more than 3,000,000 kernels: record fewer steps (two or three are enough)"
    );
}
