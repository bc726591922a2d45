//! All-reduces of served models: each algorithm, which devices have it, and what a fabric between domains does to them.

use foretoken::catalog;
use foretoken::inference::Launch;
use foretoken::scenario::{Choice, Scenario, View};
use foretoken::system::{AllReduce, AssumptionSet, Collective, Group, Operation, System, Work};
use foretoken::units::{Bytes, Seconds};
use proptest::prelude::*;
use proptest::sample::select;

const DEVICES: [&str; 5] = ["a100-sxm-80gb", "h100-sxm", "b200", "gb200-nvl72", "mi300x"];

fn machine(device: &str, set: AssumptionSet) -> System {
    System::new(catalog::accelerator(device).expect("a device"), set)
}

fn time(system: &System, algorithm: AllReduce, bytes: f64, group: Group) -> Seconds {
    let operation = Operation::AllReduce;
    system.cost(&Work::Collective(Collective { operation, bytes: Bytes::new(bytes), group, algorithm })).time
}

/// A tensor group of eight, asked for with this algorithm.
fn asked(device: &str, tensor: u32, all_reduce: AllReduce) -> Scenario {
    let mut scenario = Scenario { view: View::Inference, ..Scenario::default() };
    scenario.system.accelerator = Choice::Named(device.to_owned());
    (scenario.inference.tensor, scenario.inference.all_reduce) = (tensor, all_reduce);
    scenario
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn automatic_is_the_fastest_that_is_there(
        device in select(DEVICES.to_vec()), power in 0_u32..23, size in 2_u32..9, ideal in any::<bool>()
    ) {
        let set = if ideal { AssumptionSet::Ideal } else { AssumptionSet::Calibrated };
        let mut system = machine(device, set);
        system.network.sums = true;
        let (bytes, group) = (f64::from(1_u32 << power), Group::new(size, size));
        let of = |algorithm| time(&system, algorithm, bytes, group);
        let automatic = of(AllReduce::Automatic);
        let least = of(AllReduce::Library).min(of(AllReduce::OneShot)).min(of(AllReduce::TwoShot));
        // Engines have their own for messages of up to 8 MiB.
        if bytes <= system.network.constants.direct.limit.get() {
            prop_assert_eq!(automatic, least);
        }
        prop_assert!(of(AllReduce::Ring) <= of(AllReduce::Tree), "a tree inside a domain is a chain");
    }

    #[test]
    fn none_is_faster_with_more_data_or_slower_links(
        device in select(DEVICES.to_vec()), power in 0_u32..30, size in select(vec![2_u32, 4, 8, 16, 32, 128]),
        factor in 1.01..8.0_f64, which in 0_usize..7
    ) {
        let algorithm = AllReduce::ALL[which];
        let system = machine(device, AssumptionSet::Calibrated);
        let mut faster = system.clone();
        faster.network.scale_up = faster.network.scale_up * factor;
        faster.network.scale_out = faster.network.scale_out * factor;
        let group = system.network.strided(size, 1);
        let bytes = f64::from(1_u32 << power);
        let before = time(&system, algorithm, bytes, group);
        prop_assert!(before.get().is_finite() && before > Seconds::ZERO);
        prop_assert!(time(&faster, algorithm, bytes, group) <= before);
        prop_assert!(time(&system, algorithm, bytes * factor, group) >= before);
    }

    #[test]
    fn a_fabric_that_is_oversubscribed_never_speeds_a_request_up(
        tensor in select(vec![8_u32, 16, 32]), pipeline in select(vec![1_u32, 2, 4]), context in select(vec![1_u32, 2]),
        input in 1_u32..8192, concurrency in select(vec![0_u32, 16]), once in 1.0..8.0_f64, factor in 1.0..8.0_f64,
        all_reduce in select(vec![AllReduce::Automatic, AllReduce::Ring, AllReduce::Tree]), pod in 0_u32..8
    ) {
        let at = |oversubscription: f64, pod: u32| {
            let mut scenario = asked("h100-sxm", tensor, all_reduce);
            let load = &mut scenario.inference;
            (load.pipeline, load.context, load.input, load.concurrency) = (pipeline, context, input, concurrency);
            (scenario.system.oversubscription, scenario.system.pod) = (oversubscription, Some(pod));
            scenario.with_inference(|job| job.service()).expect("an answer")
        };
        let (loose, tight) = (at(once, 8 << pod), at(once * factor, 8 << pod));
        prop_assert!(tight.ttft >= loose.ttft * 0.999_999 && tight.tpot >= loose.tpot * 0.999_999);
        let wider = at(once, 16 << pod);
        prop_assert!(wider.ttft <= loose.ttft * 1.000_001 && wider.tpot <= loose.tpot * 1.000_001);
    }
}

/// Two nodes of eight: what leaves them waits for the fabric.
#[test]
fn a_fabric_matters_where_groups_leave_a_domain() {
    let service = |tensor: u32, oversubscription: f64, in_network: bool| {
        let mut scenario = asked("h100-sxm", tensor, AllReduce::Automatic);
        (scenario.inference.batch, scenario.inference.input) = (64, 8192);
        (scenario.system.oversubscription, scenario.system.in_network) = (oversubscription, in_network);
        scenario.with_inference(|job| job.service()).expect("an answer")
    };
    assert!(service(16, 4.0, false).ttft > service(16, 1.0, false).ttft * 1.5);
    assert!(service(16, 4.0, false).tpot > service(16, 1.0, false).tpot);
    assert!(service(16, 2.0, true).ttft < service(16, 2.0, false).ttft * 0.9);
    // On a full fabric, collectives inside the servers take almost as long.
    assert!(service(16, 1.0, true).ttft < service(16, 1.0, false).ttft * 0.97);
    // Inside a domain nothing crosses it.
    assert_eq!(service(8, 4.0, true), service(8, 1.0, false));
}

#[test]
fn keys_and_values_cross_the_fabric_between_workers() {
    let transfer = |oversubscription: f64, pod: Option<u32>| {
        let mut scenario = asked("h100-sxm", 8, AllReduce::Automatic);
        let load = &mut scenario.inference;
        (load.concurrency, load.prefill_workers, load.prefill_tensor) = (16, 1, 8);
        (scenario.system.oversubscription, scenario.system.pod) = (oversubscription, pod);
        let answer = scenario.inference().expect("an answer");
        let term = answer.terms_prefill.iter().find(|term| term.id == "transfer").expect("a transfer");
        term.time
    };
    let usual = transfer(1.0, None);
    assert!((transfer(4.0, None) / usual - 4.0).abs() < 1e-9);
    assert_eq!(transfer(4.0, Some(16)), usual);
}

/// Stas Bekman's all-reduces of 64 MiB to 16 GiB over eight H200 and B200 with NVLink SHARP (tests/measured/micro.jsonl,
/// stas00-nccl), algorithm bandwidth in GB/s: none was fitted.
#[test]
fn switches_in_a_domain_are_as_fast_as_measured() {
    const MEASURED: [(&str, f64, f64); 6] = [
        ("h200-sxm", 67_108_864.0, 198.01),
        ("h200-sxm", 536_870_912.0, 257.31),
        ("h200-sxm", 1_073_741_824.0, 264.9),
        ("h200-sxm", 8_589_934_592.0, 272.83),
        ("h200-sxm", 17_179_869_184.0, 275.58),
        ("b200", 8_589_934_592.0, 838.0 * 8.0 / 14.0),
    ];
    let mut worst: f64 = 0.0;
    let mut sum = 0.0;
    for (device, bytes, measured) in MEASURED {
        let system = machine(device, AssumptionSet::Calibrated);
        let found = bytes / time(&system, AllReduce::InSwitch, bytes, Group::new(8, 8)).get() / 1e9;
        let error = (found / measured - 1.0).abs();
        worst = worst.max(error);
        sum += error;
    }
    assert!(sum / 6.0 < 0.10 && worst < 0.30, "{sum} {worst}");
}

/// Each algorithm sends the bytes of its equations, without overheads.
#[test]
fn each_algorithm_sends_what_it_must() {
    let system = machine("h100-sxm", AssumptionSet::Ideal);
    let whole = 1e9 / system.network.scale_up.get();
    let of = |algorithm, size| time(&system, algorithm, 1e9, Group::new(size, size)).get() / whole;
    let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
    assert!(close(of(AllReduce::OneShot, 8), 7.0));
    assert!(close(of(AllReduce::TwoShot, 8), 14.0 / 8.0));
    assert!(close(of(AllReduce::Ring, 8), 14.0 / 8.0));
    assert!(close(of(AllReduce::Tree, 8), 2.0) && close(of(AllReduce::Tree, 2), 1.0));
    assert!(close(of(AllReduce::InSwitch, 8), 9.0 / 8.0));
}

#[test]
fn what_a_machine_does_not_have_is_refused() {
    let refusal = |device: &str, tensor: u32, all_reduce: AllReduce, in_network: bool| {
        let mut scenario = asked(device, tensor, all_reduce);
        scenario.system.in_network = in_network;
        let problems = scenario.inference().err().unwrap_or_default();
        problems.first().map(|problem| problem.field.clone())
    };
    let named = Some("inference.all_reduce".to_owned());
    assert_eq!(refusal("a100-sxm-80gb", 8, AllReduce::InSwitch, true), named);
    assert_eq!(refusal("mi300x", 8, AllReduce::InSwitch, false), named);
    assert_eq!(refusal("h100-sxm", 8, AllReduce::InSwitch, false), None);
    assert_eq!(refusal("h100-sxm", 16, AllReduce::InSwitch, false), named);
    assert_eq!(refusal("h100-sxm", 16, AllReduce::InSwitch, true), None);
    assert_eq!(refusal("h100-sxm", 16, AllReduce::OneShot, false), named);
    assert_eq!(refusal("gb200-nvl72", 16, AllReduce::TwoShot, false), None);
    // Workers that only prefill have groups too.
    let mut scenario = asked("h100-sxm", 8, AllReduce::OneShot);
    let load = &mut scenario.inference;
    (load.concurrency, load.prefill_workers, load.prefill_tensor) = (8, 1, 16);
    assert_eq!(scenario.inference().err().map(|problems| problems[0].field.clone()), named);
}

#[test]
fn small_messages_gain_by_reading_peers_memory() {
    let tpot = |all_reduce: AllReduce| asked("h100-sxm", 8, all_reduce).inference().expect("an answer").tpot;
    let automatic = tpot(AllReduce::Automatic);
    assert_eq!(automatic, tpot(AllReduce::OneShot));
    assert!(tpot(AllReduce::TwoShot) > automatic && tpot(AllReduce::Ring) > tpot(AllReduce::TwoShot));
    assert!(tpot(AllReduce::Tree) >= tpot(AllReduce::Ring));
    // NCCL's start in the switches takes longer than a small message's ring.
    assert!(tpot(AllReduce::InSwitch) > tpot(AllReduce::Ring));
    // Without a recorded graph engines call the library.
    let mut issued = asked("h100-sxm", 8, AllReduce::Automatic);
    issued.inference.launch = Launch::Stream;
    let by_hand = Scenario {
        inference: foretoken::inference::InferenceLoad { all_reduce: AllReduce::Library, ..issued.inference },
        ..issued.clone()
    };
    assert_eq!(issued.inference(), by_hand.inference());
}

/// H100 NVL: bridges of NVLink join pairs of the eight PCIe cards of a server.
#[test]
fn bridges_join_neighbours_and_pcie_the_server() {
    let of = |id: &str| {
        let device = foretoken::catalog::accelerator(id).expect("a device");
        foretoken::system::System::new(device, AssumptionSet::Calibrated).network
    };
    let (bridged, plain) = (of("h100-nvl"), of("h100-pcie"));
    let time = |network: &foretoken::system::Network, size: u32, stride: u32| {
        let group = network.strided(size, stride);
        assert_eq!(group.domains(), 1, "{size} apart by {stride}");
        let (operation, bytes) = (Operation::AllReduce, Bytes::new(64e6));
        network.collective(&Collective { operation, bytes, group, algorithm: AllReduce::Automatic }).time
    };
    assert!(time(&plain, 2, 1) > time(&bridged, 2, 1) * 3.0);
    for (size, stride) in [(2, 2), (4, 1), (8, 1)] {
        let ratio = time(&bridged, size, stride) / time(&plain, size, stride);
        assert!((ratio - 1.0).abs() < 0.01, "{size} apart by {stride}: {ratio}");
    }
}
