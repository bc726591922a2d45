//! Laws of the cost of every kernel on every device, for any constants.

use foretoken::catalog::{self, Accelerator};
use foretoken::system::{
    Arrival, AssumptionSet, Assumptions, Attention, Experts, KernelLibrary, Load, Matmul, OverrideError,
    Precision, System, Work, calibration,
};
use foretoken::units::Bytes;
use proptest::prelude::*;
use proptest::sample::select;

fn devices() -> impl Strategy<Value = &'static Accelerator> {
    select(catalog::catalog().accelerators.iter().collect::<Vec<_>>())
}

fn matmul(precision: Precision, m: u32, n: u32, k: u32) -> Work {
    let (m, n, k) = (f64::from(m), f64::from(n), f64::from(k));
    Work::Matmul(Matmul { m, n, k, count: 1.0, precision, output: 2.0 })
}

fn experts(precision: Precision, tokens: u32, local: u32, load: Load) -> Work {
    Work::Experts(Experts {
        tokens: f64::from(tokens),
        hidden: 4096.0,
        width: 1536.0,
        gates: 2.0,
        top_k: 8.0,
        experts: 128.0,
        local: f64::from(local),
        load,
        arrival: Arrival::Gathered,
        precision,
    })
}

fn attention(latent: bool, narrow: bool, batch: u32, queries: u32, keys: u32) -> Work {
    let (qk_dim, v_dim, cached_dim, kv_heads) = match (latent, queries > 1) {
        (true, true) => (192.0, 128.0, 576.0, 16.0),
        (true, false) => (576.0, 512.0, 576.0, 1.0),
        _ => (128.0, 128.0, 256.0, 4.0),
    };
    Work::Attention(Attention {
        batch: f64::from(batch),
        heads: 16.0,
        kv_heads,
        qk_dim,
        v_dim,
        cached_dim,
        queries: f64::from(queries),
        keys: f64::from(keys.max(queries)),
        window: None,
        causal: true,
        precision: Precision::Bf16,
        kv_element: Bytes::new(if narrow { 1.0 } else { 2.0 }),
        backward: false,
    })
}

fn works() -> impl Strategy<Value = Work> {
    let precision = || select(Precision::ALL.to_vec());
    let load = select(vec![Load::Balanced, Load::Skewed]);
    prop_oneof![
        (precision(), 1..20_000_u32, 1..20_000_u32, 1..20_000_u32)
            .prop_map(|(precision, m, n, k)| matmul(precision, m, n, k)),
        (precision(), 1..20_000_u32, 0..8_u32, load).prop_map(|(precision, tokens, cut, load)| experts(
            precision,
            tokens,
            128 >> cut,
            load
        )),
        (any::<bool>(), any::<bool>(), 1..64_u32, prop_oneof![Just(1_u32), 2..8192_u32], 1..65_536_u32)
            .prop_map(|(latent, narrow, batch, queries, keys)| {
                attention(latent, narrow, batch, queries, keys)
            }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_better_device_is_never_slower(device in devices(), work in works(), factor in 1.0..4.0_f64) {
        let system = System::new(device, AssumptionSet::Calibrated);
        let before = system.cost(&work).time;
        prop_assert!(before.get().is_finite() && before.get() > 0.0);
        let improvements: [fn(&mut System, f64); 4] = [
            |system, factor| system.device.dram = system.device.dram * factor,
            |system, factor| {
                system.device.matrix = system.device.matrix.map(|rate| rate.map(|rate| rate * factor));
            },
            |system, factor| {
                if let Some(l2) = &mut system.device.l2 {
                    l2.bandwidth = l2.bandwidth * factor;
                    l2.capacity = l2.capacity * factor;
                }
            },
            |system, factor| system.device.vector = system.device.vector * factor,
        ];
        for improve in improvements {
            let mut better = system.clone();
            improve(&mut better, factor);
            prop_assert!(better.cost(&work).time.get() <= before.get() * 1.000_001);
        }
    }

    #[test]
    fn more_tokens_never_take_less(
        device in devices(),
        precision in select(Precision::ALL.to_vec()),
        tokens in 2..10_000_u32,
        more in 1..10_000_u32,
        width in 1..20_000_u32,
        cut in 0..8_u32,
    ) {
        let system = System::new(device, AssumptionSet::Calibrated);
        let shapes: [&dyn Fn(u32) -> Work; 4] = [
            &|tokens| matmul(precision, tokens, width, 4096),
            &|tokens| experts(precision, tokens, 128 >> cut, Load::Balanced),
            &|tokens| experts(precision, tokens, 128 >> cut, Load::Skewed),
            &|tokens| attention(false, false, 1, tokens, tokens),
        ];
        for shape in shapes {
            let (few, many) = (system.cost(&shape(tokens)).time, system.cost(&shape(tokens + more)).time);
            prop_assert!(few.get() <= many.get() * 1.000_001, "{few:?}, then {many:?}");
        }
    }
}

#[test]
fn constants_can_be_overridden_by_their_listed_keys() {
    let device = catalog::accelerator("b200").expect("a device");
    let constants = || Assumptions::of(AssumptionSet::Calibrated, device);
    for constant in calibration::listed(device, KernelLibrary::Usual) {
        let changed = constants().with([(constant.key.as_str(), constant.high)]).expect("a value in range");
        let at_bound = constant.value >= constant.high;
        assert_eq!(changed == constants(), at_bound, "{}", constant.key);
        let outside = constants().with([(constant.key.as_str(), constant.high * 1.01 + 1.0)]);
        assert!(matches!(outside, Err(OverrideError::Range { .. })), "{}", constant.key);
        let none = constants().with([(constant.key.as_str(), f64::NAN)]);
        assert!(matches!(none, Err(OverrideError::Range { .. })), "{}", constant.key);
    }
    let unknown = constants().with([("matmul.bf16.lanch", 1e-6)]).expect_err("no such constant");
    assert_eq!(
        unknown.to_string(),
        "there is no constant `matmul.bf16.lanch`: did you mean `matmul.bf16.launch`?"
    );
}
