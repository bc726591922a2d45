//! Published runs of a served model as points of throughput against speed.

use std::collections::BTreeMap;

use super::points::Point;
use super::{Near, Quantity, nearest};
use crate::scenario::Scenario;

/// A published run with a constant number of concurrent requests, of which TTFT and TPOT were measured.
#[derive(Clone, Copy, Debug)]
pub struct ServedRun<'a> {
    /// The row of the run's TPOT.
    pub point: &'a Point,
    /// The question of the run.
    pub scenario: &'a Scenario,
    /// Output tokens per second that each request gets: 1 / TPOT.
    pub per_user: f64,
    /// Output tokens per second per GPU, by Little's law: requests in flight × output tokens / (TTFT + (output
    /// tokens − 1) TPOT) / GPUs.
    pub per_gpu: f64,
    /// Time to first token, s.
    pub ttft: f64,
}

/// Up to `count` published runs of the question's model on its device, nearest first.
pub fn served_runs<'a>(question: &Scenario, points: &'a [Point], count: usize) -> Vec<ServedRun<'a>> {
    let Some(asked) = subject(question) else { return Vec::new() };
    let ttft = points.iter().filter(|point| point.quantity == Quantity::Ttft);
    let ttft: BTreeMap<(&str, &str), f64> = ttft.map(|point| (run_key(point), point.measured)).collect();
    let alike = |point: &Point| {
        point.quantity == Quantity::Tpot && point.scenario().and_then(subject).as_ref() == Some(&asked)
    };
    let run = |Near { point, .. }: Near<'a>| {
        let scenario = point.scenario()?;
        let load = &scenario.inference;
        let closed = load.concurrency > 0 && load.rate <= 0.0;
        let ttft = *ttft.get(&run_key(point)).filter(|_| closed)? * 1e-3;
        let (tpot, output) = (point.measured * 1e-3, f64::from(load.output));
        let latency = ttft + (output - 1.0).max(0.0) * tpot;
        let per_gpu = f64::from(load.concurrency) * output / latency / f64::from(load.gpus().max(1));
        Some(ServedRun { point, scenario, per_user: 1.0 / tpot, per_gpu, ttft })
    };
    let drawable = |run: &ServedRun<'_>| run.per_user.is_finite() && run.per_gpu.is_finite();
    let near = nearest(question, alike, points, points.len());
    near.into_iter().filter_map(run).filter(drawable).take(count).collect()
}

/// Key shared by the rows of one run, which differ in the measured quantity.
fn run_key(point: &Point) -> (&str, &str) {
    (&point.id, &point.link)
}

/// The model, identified by its number of parameters, and the device. The model's name is not compared, because links of
/// published rows may describe a catalogue model field by field.
fn subject(scenario: &Scenario) -> Option<(u64, String)> {
    let model = scenario.architecture().ok()?;
    Some((model.parameters().total, scenario.system.accelerator().ok()?.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;
    use crate::validation::points::read;

    const HEADER: &str = "id,source,origin,device,model,family,precision,tier,quantity,measured,used_in_fit,link,peer,\
                          peer_predicted,predicted\n";

    #[test]
    fn runs_of_the_model_and_device_are_points() {
        let asked = "v=1&view=inference&model=llama-3.1-8b&gpu=h100-sxm&serve.tp=1";
        let row = |id: &str, link: &str, ttft: f64, tpot: f64| {
            [("ttft_ms", ttft), ("tpot_ms", tpot)]
                .map(|(quantity, value)| {
                    format!(
                        "{id},lab,A paper,h100-sxm,{id},dense,BF16,A,{quantity},{value},false,{link},,,\n"
                    )
                })
                .concat()
        };
        let load = "&serve.in=100&serve.out=101&serve.concurrency=64&serve.tp=2";
        let rows = [
            HEADER.to_owned(),
            row("one", &format!("{asked}{load}"), 1000.0, 10.0),
            row("batch", &format!("{asked}&serve.batch=8"), 100.0, 10.0),
            row("other-device", &format!("{asked}{load}").replace("h100-sxm", "b200"), 100.0, 10.0),
            row("other-model", &format!("{asked}{load}").replace("8b", "70b"), 100.0, 10.0),
        ];
        let points = read(&rows.concat()).expect("rows");
        let runs = served_runs(&link::decode(asked).scenario, &points, 9);
        let [run] = &runs[..] else { panic!("{runs:?}") };
        assert_eq!(run.point.id, "one");
        assert!((run.per_user - 100.0).abs() < 1e-9 && (run.ttft - 1.0).abs() < 1e-12);
        // 64 concurrent requests, each with 101 tokens in 1 s + 100 × 10 ms, on two GPUs.
        assert!((run.per_gpu - 64.0 * 101.0 / 2.0 / 2.0).abs() < 1e-9, "{}", run.per_gpu);
    }
}
