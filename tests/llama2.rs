//! Llama-2 request latencies at batch 1 with 200 tokens in and out, 16-bit (NVIDIA's measurements as quoted
//! beside arXiv 2407.14645): 22 values on A100 and H100.

use foretoken::catalog;
use foretoken::estimate::inference::{InferenceJob, InferenceLoad, Launch};
use foretoken::system::{AssumptionSet, Precision, System};

/// Model, device, and seconds at tensor parallelism 1, 2, 4 and 8; 0 where nothing was measured.
const MEASURED: [(&str, &str, [f64; 4]); 6] = [
    ("llama-2-7b", "a100-sxm-80gb", [2.19, 1.544, 1.28, 1.187]),
    ("llama-2-7b", "h100-sxm", [1.44, 1.143, 0.924, 0.828]),
    ("llama-2-13b", "a100-sxm-80gb", [3.884, 2.499, 1.894, 1.693]),
    ("llama-2-13b", "h100-sxm", [2.396, 1.717, 1.431, 1.201]),
    ("llama-2-70b", "a100-sxm-80gb", [0.0, 10.5, 6.403, 4.735]),
    ("llama-2-70b", "h100-sxm", [0.0, 6.267, 4.1226, 3.202]),
];

#[test]
fn request_latencies() {
    let mut errors = Vec::new();
    for (model, device, seconds) in MEASURED {
        let architecture = catalog::architecture(model).expect("a catalogue model");
        let accelerator = catalog::accelerator(device).expect("a catalogue device");
        let system = System::new(accelerator, AssumptionSet::Calibrated);
        for (tensor, measured) in [1, 2, 4, 8].into_iter().zip(seconds) {
            if measured == 0.0 {
                continue;
            }
            let load = InferenceLoad {
                input: 200,
                output: 200,
                batch: 1,
                tensor,
                precision: Precision::Fp16,
                kv_precision: Precision::Fp16,
                launch: Launch::Stream,
            };
            let estimate = InferenceJob { architecture, system: &system, load: &load }.estimate();
            let predicted = estimate.latency.get();
            let error = predicted / measured - 1.0;
            println!(
                "{model:12} {device:14} TP{tensor} predicted {predicted:6.3} s, measured {measured:6.3} s, error {:+6.1} %",
                100.0 * error
            );
            errors.push(error.abs());
        }
    }
    assert_eq!(errors.len(), 22);
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    println!("mean absolute error {:.2} % over {} requests", 100.0 * mean, errors.len());
    assert!(mean <= 0.15, "a mean error of {:.1} % is above 15 %", 100.0 * mean);
}
