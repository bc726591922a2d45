//! What the owner of a card, a laptop or a computer can buy where a model does not fit on it, or only in part.

use super::speeds;
use crate::catalog::{self, Accelerator, catalog};
use crate::inference::{Engine, InferenceLoad};
use crate::order;
use crate::scenario::{Choice, Scenario, SystemChoice};
use crate::serving::InferenceEstimate;
use crate::system::Precision;
use crate::units::Amount;
use crate::view::title::machines;
use crate::view::{Link, Notice};

/// Devices that are offered: of the class and vendor of the own device, of its class and other vendors, and of another class.
const OFFERED: [usize; 3] = [2, 1, 2];

/// The most offers.
const MOST: usize = 5;

/// Years for which a device is sold, as an assumption: between the first year of its sale and that of the newest device.
const SOLD: u16 = 5;

/// Offers of a question that keeps layers or experts in host memory; none if the whole model is on the GPU.
pub(super) fn offers(question: &Scenario) -> Vec<Notice> {
    let load = &question.inference;
    let partly = load.gpu_layers.is_some() || load.cpu_experts > 0;
    let links = if partly { links(question) } else { Vec::new() };
    if links.is_empty() {
        return Vec::new();
    }
    vec![Notice::new("fits", "GPUs that hold the whole model:", links)]
}

/// Twice the same card, and devices with more memory that hold the load in its format, or in 4 bits if more of them do. Empty
/// for devices of data centres, and where nothing fits.
pub(super) fn links(question: &Scenario) -> Vec<Link> {
    let whole = Scenario { inference: question.inference.resident(), ..question.clone() };
    let four = question.in_llamacpp().filter(|load| Precision::Q4KM.element() < load.precision.element());
    let four = four.map(|load| Scenario {
        inference: InferenceLoad { precision: Precision::Q4KM, ..load },
        ..question.clone()
    });
    // Of two formats with as many offers, the last counts.
    let found = [four, Some(whole)].into_iter().flatten().map(|question| bought(&question));
    found.max_by_key(Vec::len).unwrap_or_default()
}

/// What holds this load in its format.
fn bought(question: &Scenario) -> Vec<Link> {
    let Ok(own) = question.system.accelerator() else { return Vec::new() };
    if !own.class.is_personal() {
        return Vec::new();
    }
    let mut links: Vec<Link> = twice(question, &own).into_iter().collect();
    for (group, most) in OFFERED.into_iter().enumerate() {
        let devices = larger(&own, &question.inference).filter(|device| place(&own, device) == group);
        let mut devices: Vec<&Accelerator> = devices.collect();
        order::sort(&mut devices, |a, b| {
            let memory = a.dram.capacity_gib.total_cmp(&b.dram.capacity_gib);
            let newest = memory.then(b.year.cmp(&a.year));
            let rates = |device: &Accelerator| (device.dram.bandwidth_gb_s, device.vector_tflops);
            let ((faster, more), (slower, fewer)) = (rates(b), rates(a));
            newest.then(faster.total_cmp(&slower)).then(more.total_cmp(&fewer))
        });
        // Of devices with the same memory, the first is enough.
        devices.dedup_by(|a, b| a.dram.capacity_gib.total_cmp(&b.dram.capacity_gib).is_eq());
        let there = |device: &Accelerator| {
            let system = SystemChoice {
                accelerator: Choice::Named(device.id.clone()),
                host_gib: question.system.host_gib,
                host_gb_s: question.system.host_gb_s,
                ..SystemChoice::default()
            };
            Scenario { system, ..question.clone() }
        };
        links.extend(devices.into_iter().filter_map(|device| offer(&there(device))).take(most));
    }
    links.truncate(MOST);
    links
}

/// Devices that one can buy, with more memory than the own device, on which the engine runs and reads the load's format.
fn larger(own: &Accelerator, load: &InferenceLoad) -> impl Iterator<Item = &'static Accelerator> + use<> {
    let (least, InferenceLoad { engine, precision, .. }) = (own.dram.capacity_gib, *load);
    let all = &catalog().accelerators;
    let newest = all.iter().filter(|device| !device.announced).map(|device| device.year).max();
    let since = newest.unwrap_or_default().saturating_sub(SOLD);
    all.iter().filter(move |device| {
        let sold = device.year >= since && !device.announced && device.paper.is_none();
        let larger = device.class.is_personal() && sold && device.dram.capacity_gib > least;
        larger && engine.runs_on(device) && engine.loads_on(precision, device)
    })
}

/// The group of [`OFFERED`] that a device belongs to.
fn place(own: &Accelerator, device: &Accelerator) -> usize {
    match (own.class.is_like(device.class), own.vendor == device.vendor) {
        (true, true) => 0,
        (true, false) => 1,
        (false, _) => 2,
    }
}

/// Twice as many of the same card: llama.cpp puts half of the layers on each, other engines half of each layer.
fn twice(question: &Scenario, own: &Accelerator) -> Option<Link> {
    let load = question.inference;
    let (tensor, pipeline) = if load.engine.product() == Engine::Llamacpp && load.tensor == 1 {
        (1, load.pipeline.saturating_mul(2))
    } else {
        (load.tensor.saturating_mul(2), load.pipeline)
    };
    let inference = InferenceLoad { tensor, pipeline, ..load };
    own.class
        .is_card()
        .then(|| offer(&Scenario { inference, system: question.system.of_one_kind(), ..question.clone() }))
        .flatten()
}

/// A question with its speeds, which opens it; `None` if it does not fit.
fn offer(there: &Scenario) -> Option<Link> {
    let estimate = held(there)?;
    let machines = machines(there, &there.inference);
    let format = there.inference.precision.name();
    let text = format!("{machines} in {format}: {}{}", speeds::spoken(there, &estimate), listed(there));
    Some(Link::to(text, there))
}

/// The estimate of a question; `None` if it does not fit.
pub(super) fn held(there: &Scenario) -> Option<InferenceEstimate> {
    // The estimate takes longer than the check of the memory.
    let fits = there.with_inference(|job| job.fits(if job.load.is_stream() { 1 } else { job.load.batch }));
    fits.ok()?.then(|| there.inference().ok())?
}

/// Price of all devices together, where the catalogue has one, e.g. `; $3,198`.
fn listed(there: &Scenario) -> String {
    let each = there.system.accelerator().ok().and_then(|device| {
        let quote = catalog::price(&device.id)?.purchase.as_ref()?;
        Some(quote.usd)
    });
    each.map_or_else(String::new, |usd| {
        format!("; list price {}", Amount::usd(usd * f64::from(there.inference.gpus())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::link;

    /// Devices that are offered, in order.
    fn offered(rest: &str) -> Vec<String> {
        let question = link::decode(&format!("v=1&view=inference&serve.batch=1&{rest}")).scenario;
        assert_eq!(question.inference().is_err(), !rest.contains("ngl"), "{rest}");
        let name = |link: &Link| link.text.split(" in ").next().unwrap_or_default().to_owned();
        let links = links(&question);
        for link in &links {
            let there = link::decode(&link.link).scenario;
            assert!(there.inference().is_ok() && link.text.contains("tokens/s, prompts at"), "{}", link.text);
        }
        links.iter().map(name).collect()
    }

    #[test]
    fn owners_of_cards_are_offered_cards() {
        let four = "serve.tp=1&serve.precision=q4_k_m&serve.engine=llamacpp";
        assert_eq!(
            offered(&format!("model=llama-3.1-70b&gpu=rtx-4090&{four}")),
            [
                "2 × RTX 4090",
                "1 × RTX PRO 5000 Blackwell 48 GB",
                "1 × RTX PRO 6000 Blackwell Workstation",
                "1 × Radeon PRO W7900",
                "1 × M5 Pro (20-core GPU)"
            ]
        );
        // A model that is partly in host memory has offers, too.
        let partly = offered(&format!("model=llama-3.1-70b&gpu=rtx-4090&{four}&serve.ngl=40"));
        assert_eq!(partly[0], "2 × RTX 4090");
        assert_eq!(partly.len(), 5);
    }

    #[test]
    fn owners_of_computers_are_offered_larger_ones() {
        let apple = offered(
            "model=llama-3.1-70b&gpu=apple-m4-pro-20c&serve.tp=1&serve.engine=mlx&serve.precision=mlx8",
        );
        assert!(apple.iter().all(|name| name.contains("-core GPU")), "{apple:?}");
        assert_eq!(apple[0], "1 × M2 Max (38-core GPU)");
        let laptop = offered(
            "model=qwen3-14b&gpu=rtx-4060-laptop&serve.tp=1&serve.precision=q4_k_m&serve.engine=llamacpp",
        );
        assert_eq!(laptop, ["1 × RTX 3500 Ada Laptop", "1 × RTX 5070", "1 × RTX 5080"]);
        assert!(!laptop.iter().any(|name| name.starts_with("2 ×")), "{laptop:?}");
    }

    #[test]
    fn devices_of_data_centres_and_announced_ones_are_not_offered() {
        let data_centre =
            link::decode("v=1&view=inference&model=llama-3.1-405b&gpu=h100-sxm&serve.tp=1").scenario;
        assert_eq!(links(&data_centre), []);
        let apple = offered(
            "model=deepseek-v3&gpu=apple-m4-max-40c&serve.tp=1&serve.precision=q4_k_m&serve.engine=llamacpp",
        );
        assert!(!apple.iter().any(|name| name.contains("M5 Ultra")), "{apple:?}");
    }
}
