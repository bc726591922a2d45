//! Fleets: within the levels, whole, cheapest first, the same in any steps, and links that answer the same.

use foretoken::figure::Row;
use foretoken::scenario::{Scenario, View, link};
use foretoken::service::Service;
use foretoken::serving::InferenceEstimate;
use foretoken::serving::simulation::{Lengths, Level, Simulated};
use foretoken::sizing::{Fleet, LoadKind, Search, Shortfall, SizingObjective};
use foretoken::system::Precision;
use foretoken::view::{Answer, Part, TablePart};

use crate::service::{all, answered, request};

/// 500 users who send 3,000 tokens and get 500, twice a minute at the peak.
fn asked(model: &str, rest: &str) -> String {
    format!(
        "v=1&view=sizing&model={model}&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&serve.engine=vllm{rest}"
    )
}

fn question(rest: &str) -> Scenario {
    let decoded = link::decode(&asked("llama-3.1-70b", rest));
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn searched(scenario: &Scenario) -> Search {
    let mut search = scenario.sizing().expect("a question");
    search.run();
    search
}

fn shown(link: &str) -> Answer {
    let mut service = Service::default();
    service.ask(request(1, link));
    answered(&all(&mut service, "")).clone()
}

/// Index of the column with this heading.
fn column(part: &TablePart, label: &str) -> usize {
    let found = part.table.columns.iter().position(|column| column.label == label);
    found.unwrap_or_else(|| panic!("no column {label}"))
}

/// `1 × 1 H100` would be one GPU: replicas of one GPU are counted alone.
#[test]
fn replicas_of_one_gpu_are_counted_as_gpus() {
    let answer = shown(&asked("llama-3.1-8b", "&size.users=20&size.percentile=mean&size.one=true"));
    let rows = &answer.part("fleets").and_then(Part::table).expect("fleets").rows;
    let names: Vec<&str> = rows.iter().map(|row| row.cells[0].shown()).collect();
    assert!(names.iter().all(|name| !name.contains("× 1 ")), "{names:?}");
    assert!(names.iter().any(|name| !name.contains('×')), "{names:?}");
}

/// The fewest GPUs on a device.
fn fewest(search: &Search, device: &str) -> Option<u32> {
    let of = |fleet: &&Fleet| search.candidates()[fleet.device].accelerator.id == device;
    search.fleets().iter().filter(of).map(Fleet::gpus).min()
}

#[test]
fn fleets_keep_the_levels_with_no_replica_too_many() {
    let search = searched(&question(""));
    let demand = search.demand();
    assert!((demand.amount - 500.0 / 60.0 * 2.0).abs() < 1e-9);
    assert!(search.fleets().len() > 20, "{}", search.fleets().len());
    for fleet in search.fleets() {
        assert!(fleet.service.ttft.get() <= 1.0 && fleet.service.tpot.get() <= 0.03, "{fleet:?}");
        let replicas = f64::from(fleet.load.workers);
        assert!(replicas * fleet.largest.load >= demand.amount * (1.0 - 1e-4), "{fleet:?}");
        assert!((replicas - 1.0) * fleet.largest.load < demand.amount, "{fleet:?}");
        // Little's law, and tokens are conserved.
        assert!((fleet.requests_per_second() / demand.amount - 1.0).abs() < 1e-6, "{fleet:?}");
        assert!(fleet.utilisation() <= 1.0 + 1e-4, "{fleet:?}");
    }
    // Every device is accounted for once.
    let mut devices: Vec<usize> = search.fleets().iter().map(|fleet| fleet.device).collect();
    devices.dedup();
    assert_eq!(devices.len() + search.misses().len(), search.candidates().len());
    for miss in search.misses() {
        match miss.shortfall {
            Shortfall::Memory { needs, has } => assert!(needs > has * 0.8, "{miss:?}"),
            Shortfall::Levels { .. } | Shortfall::Replicas | Shortfall::Format => {}
        }
    }
}

#[test]
fn the_steps_do_not_matter() {
    for rest in ["", "&size.disaggregated=true"] {
        let scenario = question(rest);
        let whole = searched(&scenario);
        let mut parts = scenario.sizing().expect("a question");
        while !parts.is_done() {
            parts.advance(7);
        }
        assert_eq!((whole.fleets(), whole.misses()), (parts.fleets(), parts.misses()));
        assert_eq!(whole.tried(), parts.tried());
    }
}

#[test]
fn more_load_or_tighter_levels_never_take_fewer_gpus() {
    for pair in [
        ["", "&size.users=2000"],
        ["", "&size.peak=3"],
        ["&size.spare=0", "&size.spare=2"],
        ["&size.load=rate&serve.rate=10", "&size.load=rate&serve.rate=40"],
        ["&size.load=concurrency&serve.concurrency=40", "&size.load=concurrency&serve.concurrency=160"],
    ] {
        let [less, more] = pair.map(|rest| searched(&question(rest)));
        for device in ["h100-sxm", "h200-sxm", "b200", "mi300x"] {
            let (less, more) = (fewest(&less, device), fewest(&more, device));
            assert!(
                more.unwrap_or(u32::MAX) >= less.expect("a fleet"),
                "{device} {pair:?}: {less:?} {more:?}"
            );
        }
    }
}

#[test]
fn the_answer_leads_with_the_best_fleet_and_its_rows_open_as_questions() {
    for (by, label) in [("cost", "Cost per hour"), ("gpus", "GPUs"), ("energy", "Power")] {
        let answer = shown(&asked("llama-3.1-70b", &format!("&size.by={by}")));
        assert!(answer.lead.contains(" 500 users (16.7 requests/s at the peak)"), "{}", answer.lead);
        let Some(Part::Table(fleets)) = answer.part("fleets") else { panic!("no fleets") };
        // Simulated fleets come first, fleets without a price last.
        let simulated = column(fleets, "TTFT p95");
        // Devices that are announced but not sold follow the others.
        let announced = |row: &Row| {
            let there = link::decode(row.cells[0].link.as_ref().expect("a link")).scenario;
            let own = there.system.accelerator().expect("a device").announced;
            own || there.prefill_device(&there.inference).is_some_and(|device| device.announced)
        };
        let place = |row: &Row| {
            let cost = row.cells[column(fleets, label)].value;
            let waits = row.cells[simulated].value.is_none();
            (waits, cost.is_none(), announced(row), cost.unwrap_or_default())
        };
        assert!(fleets.table.rows.is_sorted_by(|a, b| place(a) <= place(b)), "{by}");
        for row in fleets.table.rows.iter().take(8) {
            let there = link::decode(row.cells[0].link.as_ref().expect("a link"));
            assert!(there.problems.is_empty(), "{:?}", there.problems);
            let estimate: InferenceEstimate = there.scenario.inference().expect("an answer");
            let same = |cell: usize, value: f64| {
                (row.cells[cell].value.expect("a number") / value - 1.0).abs() < 1e-6
            };
            // Where a simulated time is longer than both methods usually differ by, the table has that.
            let simulated = |cell: usize, value: f64, factor: f64| {
                row.cells[cell].value.is_some_and(|shown| shown > factor * value)
            };
            let (ttft, tpot) = (estimate.ttft.get(), estimate.tpot.get());
            assert!(simulated(6, ttft, 1.25) || same(6, ttft), "{row:?}");
            assert!(simulated(7, tpot, 1.1) || same(7, tpot), "{row:?}");
            assert!(same(column(fleets, "GPUs"), f64::from(there.scenario.inference.gpus())), "{row:?}");
            let bill = there.scenario.token_bill(&estimate).expect("a bill");
            let joules = |input: Option<f64>, output: Option<f64>| Some(input? * 3000.0 + output? * 500.0);
            if let Some(joules) = joules(bill.joules_per_input, bill.joules_per_output) {
                assert!(same(column(fleets, "Power"), joules * estimate.requests_per_second), "{row:?}");
            }
        }
        let figure = answer.figures().next().expect("a figure");
        assert!(figure.reads.len() > 10 && figure.reads.iter().all(|read| !read.link.is_empty()));
    }
}

/// Where the best fleet has narrower weights than the question, the search in the question's format alone is offered with its
/// best fleet.
#[test]
fn narrower_formats_can_be_left_out() {
    let answer = shown(&asked("llama-3.1-70b", ""));
    let offer = |answer: &Answer| answer.offers.iter().find(|offer| offer.id == "format").cloned();
    let offer_of_wide = offer(&answer).expect("an offer");
    let [wide] = &offer_of_wide.links[..] else { panic!("{offer_of_wide:?}") };
    let there = link::decode(&wide.link);
    assert!(there.problems.is_empty() && !there.scenario.sizing.narrower, "{:?}", there.problems);
    let alone = shown(&wide.link);
    let Some(Part::Table(fleets)) = alone.part("fleets") else { panic!("no fleets") };
    let formats: Vec<&str> =
        fleets.table.rows.iter().map(|row| &*row.cells[column(fleets, "Format")].text).collect();
    assert!(formats.len() > 10 && formats.iter().all(|format| *format == "BF16"), "{formats:?}");
    assert!(
        wide.text.starts_with(&format!("In BF16: {}, ", fleets.table.rows[0].cells[0].text)),
        "{}",
        wide.text
    );
    // The probability is that of the same fleet among all.
    let Some(Part::Table(all)) = answer.part("fleets") else { panic!("no fleets") };
    let same = all.table.rows.iter().find(|row| row.cells[column(all, "Format")].text == "BF16");
    let sure = &same.expect("a fleet in BF16").cells[column(all, "Levels met")].text;
    assert!(
        wide.text.ends_with(&format!("; {sure} probability of meeting the levels")),
        "{sure}: {}",
        wide.text
    );
    assert_eq!(offer(&alone), None);
}

/// The sentence names the number of replicas for a probability of 95 %.
#[test]
fn the_answer_names_the_replicas_that_make_it_sure() {
    let answer = shown(&asked("llama-3.1-70b", ""));
    let card = answer.card("sure").expect("a card");
    let more: u32 = match card.note.split(' ').next() {
        Some("one") => 1,
        more => more.and_then(|more| more.parse().ok()).expect("more replicas"),
    };
    let replicas = |text: &str| -> u32 {
        text.split(' ').next().and_then(|first| first.parse().ok()).expect("replicas")
    };
    let (_, sure) = answer.lead.split_once("95.0 % with ").expect("the surer fleet");
    assert_eq!(replicas(sure), replicas(&answer.lead) + more, "{}", answer.lead);
}

#[test]
fn a_spare_replica_is_paid_for_and_carries_nothing() {
    let (plain, spare) = (searched(&question("")), searched(&question("&size.spare=1")));
    for (plain, spare) in plain.fleets().iter().zip(spare.fleets()) {
        assert_eq!((plain.load, plain.service), (spare.load, spare.service));
        assert_eq!(plain.gpus() + plain.load.worker_gpus(), spare.gpus());
    }
}

/// With disaggregated prefill, every fleet without it stays, unless a disaggregated one is better; those keep the levels, and
/// neither kind of worker has one too many beyond the search's precision.
#[test]
fn disaggregated_fleets_are_tried_beside_the_others() {
    for (model, rest) in [("llama-3.1-70b", ""), ("deepseek-v3", "&serve.precision=fp8block")] {
        let link = |more: &str| link::decode(&asked(model, &format!("{rest}{more}"))).scenario;
        let (plain, apart) = (searched(&link("")), searched(&link("&size.disaggregated=true")));
        let is_apart = |fleet: &&Fleet| fleet.load.prefill_workers > 0;
        assert!(plain.fleets().iter().all(|fleet| !is_apart(&fleet)), "{model}");
        let found: Vec<&Fleet> = apart.fleets().iter().filter(is_apart).collect();
        assert!(found.len() > 10, "{model}: {}", found.len());
        for fleet in found {
            let Fleet { load, service, .. } = fleet;
            assert!(
                load.keeps(service) && service.ttft.get() <= 1.0 && service.tpot.get() <= 0.03,
                "{fleet:?}"
            );
            assert_eq!(fleet.gpus(), load.gpus());
            assert!(fleet.utilisation() <= 1.0 + 1e-4 && fleet.utilisation() > 0.2, "{fleet:?}");
            assert!((fleet.requests_per_second() / apart.demand().amount - 1.0).abs() < 1e-6, "{fleet:?}");
        }
        for device in ["h100-sxm", "h200-sxm", "b200", "mi300x"] {
            let (with, without) = (fewest(&apart, device), fewest(&plain, device));
            assert!(with.is_some() && with <= without.or(Some(u32::MAX)), "{device}: {with:?} {without:?}");
        }
    }
}

/// Fleets whose prompts are prefilled on another device keep the levels, cost less than any other of their device at their TPOT,
/// and open as the question that gives their service.
#[test]
fn prompts_are_prefilled_on_other_devices_where_that_costs_less() {
    let asked = question("&size.disaggregated=true");
    let search = searched(&asked);
    let paired = |fleet: &&Fleet| fleet.prefill_device.is_some();
    let found: Vec<&Fleet> = search.fleets().iter().filter(paired).collect();
    assert!(found.len() > 5, "{}", found.len());
    let usd = |fleet: &Fleet| {
        let of = |place: usize| {
            let candidate = &search.candidates()[place];
            candidate.economics.hourly_usd(&candidate.accelerator).unwrap_or(f64::INFINITY)
        };
        let prefill = f64::from(fleet.load.prefill_worker_gpus() * fleet.prefill_workers());
        let decode = f64::from(fleet.gpus()) - prefill;
        decode * of(fleet.device) + prefill * of(fleet.prefill_device.unwrap_or(fleet.device))
    };
    for fleet in &found {
        let (load, device) = (&fleet.load, &search.candidates()[fleet.device].accelerator);
        assert!(load.keeps(&fleet.service) && load.prefill_workers > 0, "{fleet:?}");
        assert!(fleet.prefill_device != Some(fleet.device) && usd(fleet).is_finite(), "{fleet:?}");
        // No engine transfers a KV cache between the devices of two vendors.
        let vendor = |place: usize| &search.candidates()[place].accelerator.vendor;
        assert_eq!(fleet.prefill_device.map(vendor), Some(vendor(fleet.device)), "{fleet:?}");
        assert!((fleet.requests_per_second() / search.demand().amount - 1.0).abs() < 1e-6, "{fleet:?}");
        let beats = |other: &Fleet| {
            (other.device, other.load.precision) != (fleet.device, load.precision)
                || std::ptr::eq(other, &raw const **fleet)
                || usd(fleet) < usd(other)
                || fleet.service.tpot < other.service.tpot
        };
        assert!(search.fleets().iter().all(beats), "{fleet:?}");
        let mut there = Scenario { view: View::Inference, inference: *load, ..asked.on(&device.id) };
        let prefill = &search.candidates()[fleet.prefill_device.expect("a device")].accelerator;
        there.system.prefill.clone_from(&prefill.id);
        assert_eq!(there.with_inference(|job| job.service()), Ok(fleet.service), "{fleet:?}");
        assert_eq!(fleet.gpus(), load.gpus());
    }
    let cheapest = |search: &Search| {
        let all = search.fleets().iter().filter(|fleet| fleet.prefill_device.is_none());
        all.map(usd).fold(f64::INFINITY, f64::min)
    };
    assert!(cheapest(&search) <= cheapest(&searched(&question(""))));
}

/// A device whose memory, links or price a question changes cannot be named beside another.
#[test]
fn changed_devices_prefill_for_themselves_alone() {
    let plain = searched(&question("&size.disaggregated=true"));
    let place = plain.fleets().iter().find_map(|fleet| fleet.prefill_device).expect("a fleet on two devices");
    let id = &plain.candidates()[place].accelerator.id;
    let own = |rest: &str| {
        let search = searched(&question(&format!("&size.disaggregated=true&gpu={id}{rest}")));
        search.fleets().iter().filter(|fleet| fleet.prefill_device == Some(0)).count()
    };
    assert!(own("") > 0, "{id}");
    for rest in ["&dram_gib=100", "&adapters=2", "&cost.gpu_hour=0.1"] {
        assert_eq!(own(rest), 0, "{id}{rest}");
    }
}

/// A fleet on two devices names both, is simulated, and opens as its question.
#[test]
fn a_fleet_on_two_devices_names_both() {
    let answer = shown(&asked("llama-3.1-70b", "&size.disaggregated=true"));
    let Some(Part::Table(fleets)) = answer.part("fleets") else { panic!("no fleets") };
    let there = |row: &Row| link::decode(row.cells[0].link.as_ref().expect("a link")).scenario;
    let mut rows = fleets.table.rows.iter().filter(|row| there(row).system.prefill != "none");
    let row = rows.next().expect("a fleet on two devices");
    let there = there(row);
    for id in [&there.system.prefill, &there.system.accelerator().expect("a device").id] {
        let name = foretoken::catalog::accelerator(id).expect("a device").listed_name();
        assert!(row.cells[0].text.contains(&*name), "{}", row.cells[0].text);
    }
    assert!(row.cells[column(fleets, "TTFT p95")].value.is_some(), "not simulated: {row:?}");
    let estimate = there.inference().expect("an answer");
    let bill = there.token_bill(&estimate).expect("a bill");
    let per_request = bill.usd_per_million_input.expect("a price") * 3000.0
        + bill.usd_per_million_output.expect("a price") * 500.0;
    let usd = per_request * 1e-6 * estimate.requests_per_second * 3600.0;
    assert!(
        (row.cells[column(fleets, "Cost per hour")].value.expect("a cost") / usd - 1.0).abs() < 1e-6,
        "{row:?} {usd}"
    );
}

/// Energy and price per token in a row are those of the answer that it opens: power in prefill and in decode, for owned GPUs
/// with the electricity of each; of one device, and of two.
#[test]
fn rows_have_the_energy_and_the_price_of_the_answers_that_they_open() {
    for rest in
        ["&size.by=energy&cost.terms=owned", "&size.by=energy&cost.terms=owned&size.disaggregated=true"]
    {
        let scenario = question(rest);
        let search = searched(&scenario);
        let mut checked = std::collections::BTreeMap::new();
        for fleet in search.fleets() {
            let [device, prefill] = [Some(fleet.device), fleet.prefill_device]
                .map(|place| place.map(|place| &search.candidates()[place].accelerator));
            let device = device.expect("a device");
            // The first fleet in each format, of each pair of devices.
            let name = (&device.id, prefill.map(|device| &device.id), fleet.load.precision.name());
            if checked.len() > 60 || checked.contains_key(&name) {
                continue;
            }
            let mut there =
                Scenario { view: View::Inference, inference: fleet.load, ..scenario.on(&device.id) };
            if let Some(prefill) = prefill {
                there.system.prefill.clone_from(&prefill.id);
            }
            let estimate = there.inference().expect("an answer");
            let bill = there.token_bill(&estimate).expect("a bill");
            let per_request =
                |input: Option<f64>, output: Option<f64>| Some(input? * 3000.0 + output? * 500.0);
            let economics = &search.candidates()[fleet.device].economics;
            let of = |by: SizingObjective| by.of_fleet(fleet, economics, device, prefill);
            let joules = per_request(bill.joules_per_input, bill.joules_per_output);
            let usd = per_request(bill.usd_per_million_input, bill.usd_per_million_output);
            // A fleet's W and US dollars per hour, per request.
            let watts = of(SizingObjective::Energy).map(|watts| watts / fleet.requests_per_second());
            let hourly = of(SizingObjective::Cost).map(|usd| fleet.usd_per_million(usd) * 500.0);
            for (row, opened) in [(watts, joules), (hourly, usd)] {
                assert_eq!(row.is_some(), opened.is_some(), "{name:?}");
                if let Some((row, opened)) = row.zip(opened) {
                    assert!((row / opened - 1.0).abs() < 1e-6, "{name:?}: {row} {opened}");
                }
            }
            // A fleet draws less than in prefill alone.
            let most = economics.watts(device).map(|watts| watts * f64::from(fleet.gpus()));
            let below = of(SizingObjective::Energy).zip(most).is_none_or(|(watts, most)| watts < most);
            assert!(below || prefill.is_some(), "{name:?}");
            checked.insert(name, (watts, hourly));
        }
        let priced = checked.values().filter(|(watts, usd)| watts.is_some() && usd.is_some()).count();
        assert!(priced > 5, "{priced}");
    }
}

/// The GPUs of a fleet are among those of its whole servers, which cost no less; without idle GPUs they are the same.
#[test]
fn whole_servers_have_room_for_the_fleet() {
    let search = searched(&question("&size.disaggregated=true&cost.terms=owned"));
    let (mut with_idle, mut without, mut on_two) = (0, 0, 0);
    for fleet in search.fleets() {
        let candidate = &search.candidates()[fleet.device];
        let (device, economics) = (&candidate.accelerator, &candidate.economics);
        let prefill = fleet.prefill_device.map(|place| &search.candidates()[place].accelerator);
        let Some(servers) = fleet.servers(economics, device, prefill) else {
            assert!(
                device.server_gpus().is_none() || prefill.is_some_and(|other| other.server_gpus().is_none())
            );
            continue;
        };
        let idle = servers.gpus - fleet.gpus();
        on_two += u32::from(prefill.is_some());
        if prefill.is_none() {
            assert_eq!(servers.gpus, servers.count * device.server_gpus().expect("a size"));
        }
        for (by, whole) in [(SizingObjective::Cost, servers.usd), (SizingObjective::Energy, servers.watts)] {
            let Some((own, whole)) = by.of_fleet(fleet, economics, device, prefill).zip(whole) else {
                continue;
            };
            if idle == 0 {
                without += 1;
                assert!((whole / own - 1.0).abs() < 1e-12, "{fleet:?}");
            } else {
                with_idle += 1;
                // An idle GPU costs and draws less than one that works.
                let all = f64::from(servers.gpus) / f64::from(fleet.gpus());
                assert!(whole > own && (whole < own * all || prefill.is_some()), "{fleet:?}: {own} {whole}");
            }
        }
    }
    assert!(with_idle > 3 && without > 3 && on_two > 0, "{with_idle} {without} {on_two}");
    let size = |id: &str| foretoken::catalog::accelerator(id).expect(id).server_gpus();
    for (id, gpus) in [
        ("h100-sxm", Some(8)),
        ("gb200-nvl72", Some(72)),
        ("l40s", None),
        ("rtx-4090", None),
        ("tpu-v5e", None),
    ] {
        assert_eq!(size(id), gpus, "{id}");
    }
}

/// A disaggregated fleet says how many workers of each kind it has, is simulated, and opens as its question.
#[test]
fn a_disaggregated_fleet_names_both_kinds_of_workers() {
    let answer =
        shown(&asked("deepseek-v3", "&serve.precision=fp8block&size.disaggregated=true&size.by=gpus"));
    let Some(Part::Table(fleets)) = answer.part("fleets") else { panic!("no fleets") };
    let apart = |row: &&Row| row.cells[column(fleets, "Deployment")].text.contains("prefill");
    let row = fleets.table.rows.iter().find(apart).expect("a disaggregated fleet");
    assert!(row.cells[0].text.contains(" + "), "{}", row.cells[0].text);
    assert!(row.cells[column(fleets, "TTFT p95")].value.is_some(), "not simulated: {row:?}");
    let there = link::decode(row.cells[0].link.as_ref().expect("a link"));
    assert!(there.problems.is_empty() && there.scenario.inference.prefill_workers > 0);
    assert!(
        (f64::from(there.scenario.inference.gpus()) - row.cells[column(fleets, "GPUs")].value.expect("GPUs"))
            .abs()
            < 0.5
    );
}

/// Deployments with drafts are tried beside the others, and open as the question that gives their service.
#[test]
fn drafts_are_tried_where_asked() {
    let asked = question("&size.speculative=true");
    let (plain, drafted) = (searched(&question("")), searched(&asked));
    assert!(plain.fleets().iter().all(|fleet| fleet.load.draft == 0));
    let with: Vec<&Fleet> = drafted.fleets().iter().filter(|fleet| fleet.load.draft > 0).collect();
    assert!(with.len() > 10, "{}", with.len());
    for fleet in with {
        let device = &drafted.candidates()[fleet.device].accelerator;
        let there = Scenario { view: View::Inference, inference: fleet.load, ..asked.on(&device.id) };
        assert_eq!(there.with_inference(|job| job.service()), Ok(fleet.service), "{fleet:?}");
    }
    for device in ["h100-sxm", "h200-sxm", "b200", "mi300x"] {
        assert!(fewest(&drafted, device) <= fewest(&plain, device), "{device}");
    }
}

#[test]
fn the_chosen_device_is_tried_as_it_was_changed() {
    let larger = searched(&question("&gpu=a100-sxm-80gb&dram_gib=400&dram_gb_s=8000&cost.gpu_hour=9"));
    assert_eq!(larger.candidates()[0].accelerator.id, "a100-sxm-80gb");
    let plain = searched(&question(""));
    assert!(fewest(&larger, "a100-sxm-80gb") < fewest(&plain, "a100-sxm-80gb").or(Some(u32::MAX)));
    assert_eq!(fewest(&larger, "h100-sxm"), fewest(&plain, "h100-sxm"));
    let scenario = question("&gpu=a100-sxm-80gb&cost.gpu_hour=9");
    assert_eq!(scenario.on("a100-sxm-80gb").economics.usd_per_gpu_hour, Some(9.0));
    assert_eq!(scenario.on("b200").economics.usd_per_gpu_hour, None);
}

#[test]
fn nothing_to_carry_is_refused() {
    for (rest, field) in [
        ("&size.load=rate", "inference.rate"),
        ("&size.load=concurrency", "inference.concurrency"),
        ("&size.users=0", "sizing.users"),
    ] {
        let problems = link::decode(&asked("llama-3.1-70b", rest)).scenario.problems();
        assert_eq!(problems.first().map(|problem| problem.field.as_str()), Some(field), "{rest}");
    }
}

/// The limits at a percentile take as many GPUs as in the mean, or more; the best fleets hold them as simulated.
#[test]
fn percentiles_are_simulated_and_held() {
    let best = |answer: &Answer| answer.card("cost").and_then(|card| card.amount).expect("a price").value;
    let mean = shown(&asked("llama-3.1-70b", ""));
    let p95 = shown(&asked("llama-3.1-70b", "&size.percentile=p95"));
    assert!(best(&p95) >= best(&mean), "{} {}", mean.lead, p95.lead);
    for (answer, limited) in [(&mean, false), (&p95, true)] {
        let Some(Part::Table(fleets)) = answer.part("fleets") else { panic!("no fleets") };
        let rows = &fleets.table.rows;
        let p95 = ["TTFT p95", "TPOT p95"].map(|label| column(fleets, label));
        let simulated = rows.iter().filter(|row| row.cells[p95[0]].value.is_some()).count();
        assert!((45..=50).contains(&simulated), "{simulated}");
        let [ttft, tpot] = p95.map(|cell| rows[0].cells[cell].value.expect("a percentile"));
        assert!(!limited || (ttft <= 1.0 && tpot <= 0.03), "{ttft} {tpot}");
        for row in rows.iter().take(10) {
            // The mean lies below the 95th percentile, within what the two methods differ by.
            let [mean, p95] =
                [column(fleets, "TTFT"), p95[0]].map(|cell| row.cells[cell].value.expect("a time"));
            assert!(p95 > mean * 0.9, "{row:?}");
        }
    }
}

/// Without service levels a fleet still has to serve what arrives, and its mean TTFT does not contradict its percentiles:
/// replicas whose simulated queue grows are too few, although the mean-field model has them 5 % below their capacity.
#[test]
fn a_fleet_without_levels_keeps_up() {
    let mut scenario = question("");
    (scenario.inference.ttft_limit_ms, scenario.inference.tpot_limit_ms) = (None, None);
    let mut search = searched(&scenario);
    let all = search.fleets().len();
    search.simulate(0..all.min(40), Level::Mean, Lengths::Constant, None);
    while search.simulations().is_some_and(|(done, all)| done < all) {
        search.advance_simulations(u32::MAX);
    }
    let simulated: Vec<(&Fleet, Simulated)> =
        search.fleets().iter().filter_map(|fleet| Some((fleet, fleet.simulated?))).collect();
    assert!(simulated.len() >= 30, "{}", simulated.len());
    let kept = simulated.iter().filter(|(fleet, _)| fleet.holds(Level::Mean));
    assert!(kept.clone().count() * 10 >= simulated.len() * 9);
    for (fleet, times) in kept {
        assert!(fleet.ttft() * 1.5 > times.ttft.p50, "{:?} {times:?}", fleet.load);
    }
}

/// A limit of request latency alone sizes as well: TTFT and the tokens after the first share it.
#[test]
fn a_latency_limit_is_kept_and_costs_gpus() {
    let fleets = |seconds: f64| {
        let mut scenario = question("&gpu=h100-sxm");
        (scenario.inference.ttft_limit_ms, scenario.inference.tpot_limit_ms) = (None, None);
        scenario.inference.latency_limit_s = Some(seconds);
        searched(&scenario)
    };
    let (loose, tight) = (fleets(60.0), fleets(12.0));
    for fleet in tight.fleets() {
        let latency = fleet.load.request_latency(fleet.service.ttft, fleet.service.tpot);
        assert!(latency.get() <= 12.0 * (1.0 + 1e-6), "{fleet:?}");
    }
    let [loose, tight] = [&loose, &tight].map(|search| fewest(search, "h100-sxm").expect("a fleet"));
    assert!(loose < tight, "{loose} {tight}");
}

/// If no device carries the load, the answer says so, with the shortfall of each device.
#[test]
fn levels_that_nothing_keeps_say_what_misses() {
    let answer = shown(&asked("llama-3.1-405b", "&serve.tpot=0.5"));
    assert!(answer.lead.starts_with("No device carries"), "{}", answer.lead);
    assert!(answer.lead.ends_with(" under these service levels"), "{}", answer.lead);
    // What is offered instead has an answer.
    let [offer] = &answer.offers[..] else { panic!("{:?}", answer.offers) };
    assert!(offer.text.starts_with("The nearest device is "), "{}", offer.text);
    let there = shown(&offer.links[0].link);
    assert!(!there.lead.starts_with("No device carries"), "{}: {}", offer.links[0].text, there.lead);
    let Some(Part::Table(missed)) = answer.part("missed") else { panic!("no table") };
    assert!(missed.table.rows.len() > 150);
    assert!(missed.table.rows.iter().any(|row| row.cells[1].text.starts_with("TPOT: ")), "{missed:?}");
    assert!(missed.table.rows.iter().any(|row| row.cells[1].text.starts_with("memory: ")), "{missed:?}");
    assert!(missed.table.columns.iter().all(|column| !column.file_only), "{missed:?}");
}

/// NVIDIA's table of Llama-3.3-70B in FP8 on two H100, 5,000 tokens in and 500 out, measured with NIM 1.8.0 (a TensorRT-LLM before
/// 1.0). From about 100 concurrent requests the output saturates near 920 tokens/s, and each further request adds the time of its
/// 500 tokens to TTFT.
#[test]
fn a_saturated_closed_loop_has_the_measured_slope() {
    let at = |concurrency: u32| {
        let link = format!(
            "v=1&view=inference&model=llama-3.1-70b&gpu=h100-sxm&serve.in=5000&serve.out=500&serve.tp=2\
             &serve.precision=fp8&serve.kv=fp8&serve.engine=tensorrt&serve.concurrency={concurrency}"
        );
        link::decode(&link).scenario.inference().expect("an answer")
    };
    let (busy, busier) = (at(200), at(250));
    let slope = (busier.ttft - busy.ttft).get() / 50.0;
    assert!((slope * busier.tokens_per_second / 500.0 - 1.0).abs() < 0.02, "{slope}");
    assert!((busier.tokens_per_second / busy.tokens_per_second - 1.0).abs() < 0.01);
    let fifty = at(50);
    // Measured values: 59.7 ms, 0.83 s, 814 and 920 tokens/s.
    let near = |ours: f64, measured: f64, share: f64| (ours / measured - 1.0).abs() < share;
    assert!(near(fifty.tpot.get(), 0.0597, 0.15) && near(fifty.ttft.get(), 0.8345, 0.15), "{fifty:?}");
    assert!(near(fifty.tokens_per_second, 814.4, 0.1) && near(busier.tokens_per_second, 920.1, 0.1));
    // Little's law: concurrency = rate · latency.
    let in_flight = fifty.requests_per_second * fifty.latency.get();
    assert!((in_flight / 50.0 - 1.0).abs() < 1e-6, "{in_flight}");
}

/// NVIDIA's rule on the same table: 50 concurrent requests keep 60 ms and 1 s, 25 keep 40 ms, so that 1,000 take 20 and 40
/// replicas of two H100. At 50 the TPOT of the current TensorRT-LLM is predicted 4 % longer than that table's, which takes two
/// replicas more.
#[test]
fn a_thousand_requests_take_the_replicas_of_nvidias_table() {
    let replicas = |tpot: u32| {
        let link = format!(
            "v=1&view=sizing&model=llama-3.1-70b&gpu=h100-sxm&serve.in=5000&serve.out=500&serve.precision=fp8\
             &serve.kv=fp8&serve.engine=trtllm&size.load=concurrency&serve.concurrency=1000&serve.ttft=1000\
             &serve.tpot={tpot}"
        );
        let search = searched(&link::decode(&link).scenario);
        let of = |fleet: &&Fleet| {
            let load = &fleet.load;
            search.candidates()[fleet.device].accelerator.id == "h100-sxm"
                && (load.tensor, load.precision) == (2, Precision::Fp8)
        };
        search.fleets().iter().find(of).map(|fleet| fleet.load.workers)
    };
    assert_eq!((replicas(40), replicas(60)), (Some(39), Some(22)));
}

/// AIConfigurator's example (ai-dynamo/aiconfigurator@095f58a5): Qwen3-32B in FP8 with TensorRT-LLM on H200, 4,000 tokens in and 1,000
/// out at 50 requests/s, TTFT 2 s, TPOT 30 ms. Its rule is memory alone (weights · 1.5 below 141 GB), so that it has workers of one
/// GPU; at this load these take two GPUs more than workers of two.
#[test]
fn qwen3_32b_takes_40_h200_at_50_requests_per_second() {
    let link = "v=1&view=sizing&model=qwen3-32b&gpu=h200-sxm&serve.in=4000&serve.out=1000&serve.rate=50&serve.ttft=2000\
                &serve.tpot=30&serve.engine=trtllm&serve.precision=fp8&size.load=rate&size.by=gpus&size.one=true";
    let answer = shown(link);
    assert!(answer.lead.starts_with("20 replicas of 2 × H200 SXM 141 GB in FP8"), "{}", answer.lead);
    let gpus = answer.card("gpus").and_then(|card| card.amount).expect("a number");
    assert_eq!(gpus.value as u32, 40);
    // They fill five servers of eight.
    let servers = answer.card("servers").expect("a card");
    assert_eq!(servers.amount.map(|servers| servers.value as u32), Some(5));
    assert!(servers.note.starts_with("of 8 GPUs: 40 in all, all in use, $"), "{}", servers.note);
    let search = searched(&link::decode(link).scenario);
    let singles = search.fleets().iter().find(|fleet| fleet.load.tensor * fleet.load.pipeline == 1);
    assert_eq!(singles.map(|fleet| fleet.load.workers), Some(42));
}

/// llm-d-planner's example (llm-d/llm-d-planner@e50305af): 1,000 users of Granite-3.1-8B, 512 tokens in and 256 out, are 9
/// requests/s, which one H100 carries. Of its users 54 % are active here, with a request a minute.
#[test]
fn granite_8b_takes_one_h100_for_nine_requests_per_second() {
    // Its shape (ibm-granite/granite-3.1-8b-instruct, config.json): Llama's with 40 layers.
    let mut asked = link::decode(
        "v=1&view=sizing&model=llama-3.1-8b&gpu=h100-sxm&serve.in=512&serve.out=256&serve.ttft=1000&serve.tpot=50\
         &serve.engine=vllm&size.users=540&size.per_minute=1&size.peak=1&size.one=true",
    )
    .scenario;
    let mut model = foretoken::catalog::architecture("llama-3.1-8b").expect("a model").clone();
    (model.layers, model.ffn, model.vocab) = (40, 12_800, 49_155);
    asked.model = foretoken::scenario::Choice::Explicit(Box::new(model));
    let search = searched(&asked);
    assert!((search.demand().amount - 9.0).abs() < 1e-9, "{}", search.demand().amount);
    assert_eq!(fewest(&search, "h100-sxm"), Some(1));
}

/// Published rows lie on both sides of their predictions, so no level is met with certainty. Levels far above the
/// prediction are met with a probability near 1, and need no spare replica.
#[test]
fn the_probability_that_levels_hold_follows_their_distance() {
    let fleets = |levels: &str| {
        let answer = shown(&format!(
            "v=1&view=sizing&model=llama-3.1-70b&serve.in=3000&serve.out=500&serve.engine=vllm{levels}"
        ));
        let Some(Part::Table(fleets)) = answer.part("fleets") else { panic!("no fleets") };
        let met = column(fleets, "Levels met");
        let shares: Vec<f64> = fleets.table.rows.iter().filter_map(|row| row.cells[met].value).collect();
        (shares, answer.card("sure").expect("a card").clone())
    };
    let (shares, card) = fleets("&serve.ttft=1000&serve.tpot=30");
    assert!(shares.len() > 20 && shares.iter().all(|share| *share > 0.0 && *share < 100.0), "{shares:?}");
    assert!(card.note.contains("replica") || card.note.contains("published"), "{card:?}");
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    let (none, without) = fleets("");
    assert!(none.is_empty() && without.amount.is_none(), "{none:?} {without:?}");
    let (loose, _) = fleets("&serve.ttft=100000&serve.tpot=10000&size.users=5");
    assert!(mean(&loose) > mean(&shares), "{} {}", mean(&loose), mean(&shares));
}

/// Models that are too large for one server of H100 80 GB get replicas that span several servers. Each opens as a
/// question.
#[test]
fn replicas_span_servers_where_one_is_too_small() {
    let levels = "&serve.ttft=5000&serve.tpot=80&size.users=100";
    for (model, rest, device) in [
        ("llama-3.1-405b", "&serve.precision=bf16", "h100-sxm"),
        ("deepseek-v3", "&serve.precision=fp8block", "h100-sxm"),
        ("deepseek-v3", "&serve.precision=bf16", "h200-sxm"),
    ] {
        let asked = link::decode(&format!("{}{rest}{levels}", asked(model, ""))).scenario;
        let search = searched(&asked);
        let of = |fleet: &&Fleet| {
            search.candidates()[fleet.device].accelerator.id == device
                && fleet.load.precision == asked.inference.precision
        };
        let fleets: Vec<&Fleet> = search.fleets().iter().filter(of).collect();
        assert!(!fleets.is_empty(), "{model} on {device}");
        for fleet in fleets {
            let load = fleet.load;
            assert!(load.worker_gpus() > 8 && load.worker_gpus() % 8 == 0, "{load:?}");
            let whole = load.tensor == 8 && load.pipeline > 1;
            assert!(whole || (load.tensor == 1 && load.data == load.expert), "{load:?}");
            let there = Scenario { view: View::Inference, inference: load, ..asked.on(device) };
            let service = there.with_inference(|job| job.service()).expect("an answer");
            assert!((service.tpot / fleet.service.tpot - 1.0).abs() < 1e-6, "{load:?}");
        }
    }
    // A model that fits well into one server has no replicas that span several.
    let search = searched(&question(""));
    let on = |fleet: &&Fleet| search.candidates()[fleet.device].accelerator.id == "b200";
    assert!(search.fleets().iter().filter(on).all(|fleet| fleet.load.worker_gpus() <= 8));
}

#[test]
fn devices_that_the_engine_does_not_run_on_carry_nothing() {
    let vendors = |engine: &str| {
        let link = format!("v=1&view=sizing&model=llama-3.1-8b&gpu=mi300x&serve.engine={engine}");
        let search = link::decode(&link).scenario.sizing().expect("a question");
        let vendors = search.candidates().iter().map(|candidate| candidate.accelerator.vendor.clone());
        vendors.collect::<std::collections::BTreeSet<String>>()
    };
    let trtllm = vendors("trtllm");
    assert!(trtllm.contains("NVIDIA") && !trtllm.contains("AMD") && !trtllm.contains("Google"), "{trtllm:?}");
    assert!(vendors("mlx").contains("Apple") && vendors("vllm").contains("AMD"));
    let alone = "v=1&view=sizing&model=llama-3.1-8b&gpu=mi300x&serve.engine=trtllm&size.one=true";
    let Err(problems) = link::decode(alone).scenario.sizing() else { panic!("a search") };
    assert!(problems[0].to_string().contains("runs on none of the devices"), "{problems:?}");
}

#[test]
fn a_load_keeps_its_size_when_it_is_stated_otherwise() {
    let users =
        link::decode("v=1&view=sizing&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30").scenario;
    let before = users.sizing.demand(&users.inference);
    let stated = |load: LoadKind| {
        let mut there = users.clone();
        there.sizing.load = load;
        there.sizing.keep_demand(before, &mut there.inference);
        there.sizing.demand(&there.inference).amount
    };
    assert!((stated(LoadKind::Rate) - before.amount).abs() < 0.01 * before.amount);
    // Little: each request takes 1 s + 499 × 30 ms.
    let in_flight = before.amount * (1.0 + 499.0 * 0.03);
    assert!((stated(LoadKind::Concurrency) - in_flight).abs() <= 1.0, "{in_flight}");
}

/// Conditions that an answer does not take into account are stated above it.
#[test]
fn what_an_answer_leaves_out_is_said_above_it() {
    let notices = |answer: &Answer| -> Vec<String> {
        let parts = answer.parts.iter().filter_map(|part| match part {
            Part::Notice(notice) => Some(notice.id.clone()),
            _ => None,
        });
        parts.chain(answer.offers.iter().map(|notice| notice.id.clone())).collect()
    };
    let told = |rest: &str, id: &str| {
        let answer = shown(&asked("llama-2-7b", &format!("&gpu=h100-sxm{rest}")));
        notices(&answer).iter().any(|known| known == id)
    };
    assert!(!told("", "context") && !told("", "trace"));
    assert!(told("&serve.in=6000", "context"));
    assert!(told("&size.lengths=trace", "trace"));
}
