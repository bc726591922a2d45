//! Fits the overheads of serving engines to published measurements.
//!
//! `cargo run --release --example engines -- [--only ENGINE] FILE...`; `ENGINE` is a part of the names of the engines to
//! fit, or of other constants (`experts`, `pcie`).
//!
//! Of each source, the rows whose measured values have a hash that eight divides are fitted: about an eighth, and the
//! same for every listing of one measurement. For each engine its few constants are changed one after the other, as
//! long as the mean absolute logarithm of prediction over measurement falls, over the quantities that the constant affects
//! most. Prints the constants, and the rows.

mod dequantising;
mod served;

use std::fs;
use std::process::ExitCode;

use foretoken::inference::{Engine, EngineOverheads, Masked};
use foretoken::units::{Bytes, Seconds};
use foretoken::validation::{Case, Quantity, Replaced, Tier};
use foretoken_tools::published::{self, Document};

/// Interval of fitted rows: one row in this number.
const ONE_OF: u64 = 8;

/// Interval of fitted devices of `local.jsonl`: all rows of one device in this number are fitted. The other devices have no
/// fitted rows, so they show the error for such devices.
const ONE_DEVICE_OF: u64 = 3;

/// A row counts at most as if it were this much off, as a logarithm: what no constant explains must not decide.
const WORST: f64 = 1.0;

/// [`WORST`] of rows of llamafile, which their authors submitted. Machines differ there in what no row states, for example other
/// programs that use the GPU.
const WORST_SUBMITTED: f64 = 0.3;

/// Maximum number of rounds over all values for one size of change. A descent in which constants are fitted to different
/// quantities need not converge.
const ROUNDS: usize = 40;

/// Sizes of the changes that are tried, coarse to fine.
const CHANGES: [f64; 4] = [2.0, 1.3, 1.1, 1.03];

/// A constant of an engine: its name, the rows' quantities that it is fitted to, and how it is read and set.
struct Constant {
    name: &'static str,
    fitted_to: fn(Quantity) -> bool,
    get: fn(&EngineOverheads) -> f64,
    set: fn(&mut EngineOverheads, f64),
}

/// Quantities to which constants of all steps are fitted.
fn any(_: Quantity) -> bool {
    true
}

/// Quantities to which constants of decode steps are fitted: all but TTFT, which depends mainly on prompts and arrival.
fn decode(quantity: Quantity) -> bool {
    quantity != Quantity::Ttft
}

/// Quantities to which constants of prompts are fitted: all but TPOT.
fn prompt(quantity: Quantity) -> bool {
    quantity != Quantity::Tpot
}

/// A [`Constant`] in seconds, from its field of [`EngineOverheads`], its name, and the quantities that it is fitted to.
macro_rules! time {
    ($field:ident, $name:literal, $fitted_to:ident) => {
        Constant {
            name: $name,
            fitted_to: $fitted_to,
            get: |o| o.$field.get(),
            set: |o, value| o.$field = Seconds::new(value),
        }
    };
}

const STEP: Constant = time!(step, "step, s", decode);
const REQUEST: Constant = time!(request, "request, s", decode);
const ARRIVAL: Constant = time!(arrival, "arrival, s", prompt);
const TOKEN: Constant = time!(token, "token, s", prompt);
const EXPERTS: Constant = time!(experts, "experts, s", prompt);
const LAYER: Constant = time!(layer, "layer, s", any);
const UNFUSED: Constant = time!(unfused, "unfused layers, s", decode);
const STREAM_LAYER: Constant = time!(stream_layer, "layer in continuous batching, s", decode);
const SAMPLING: Constant = Constant {
    name: "sampling, bytes",
    fitted_to: decode,
    get: |o| o.sampling.get(),
    set: |o, value| o.sampling = Bytes::new(value),
};
const PROMPTS: Constant = Constant {
    name: "multiplies of prompts",
    fitted_to: prompt,
    get: |o| o.multiplies.prompts,
    set: |o, value| (o.multiplies.prompts, o.multiplies.wide_prompts) = (value, value),
};
const NARROW_PROMPTS: Constant = Constant {
    name: "multiplies of prompts, quantised",
    fitted_to: any,
    get: |o| o.multiplies.prompts,
    set: |o, value| o.multiplies.prompts = value,
};
const WIDE_PROMPTS: Constant = Constant {
    name: "multiplies of prompts, 16 bits",
    fitted_to: any,
    get: |o| o.multiplies.wide_prompts,
    set: |o, value| o.multiplies.wide_prompts = value,
};
const MASKED_DRAM: Constant = Constant {
    name: "masked attention, share of DRAM bandwidth",
    fitted_to: any,
    get: |o| o.masked.map_or(0.0, |masked| masked.dram),
    set: |o, value| o.masked = o.masked.map(|masked| Masked { dram: value, ..masked }),
};
const MASKED_L2: Constant = Constant {
    name: "masked attention, share of L2 bandwidth",
    fitted_to: any,
    get: |o| o.masked.map_or(0.0, |masked| masked.l2),
    set: |o, value| o.masked = o.masked.map(|masked| Masked { l2: value, ..masked }),
};
const MASKED_SHARED: Constant = Constant {
    name: "masked attention, share of DRAM bandwidth of shared reads",
    fitted_to: decode,
    get: |o| o.masked.map_or(0.0, |masked| masked.shared),
    set: |o, value| o.masked = o.masked.map(|masked| Masked { shared: value, ..masked }),
};

/// Engines that share constants, and the constants that are fitted.
const FITS: [(&[Engine], &[Constant]); 12] = [
    (&[Engine::Vllm], &[ARRIVAL, TOKEN, STEP, REQUEST, UNFUSED]),
    (&[Engine::Sglang], &[ARRIVAL, REQUEST, PROMPTS, UNFUSED]),
    (&[Engine::Trtllm], &[ARRIVAL, EXPERTS]),
    (&[Engine::Trtllm10], &[ARRIVAL, STEP, REQUEST]),
    (&[Engine::Tensorrt], &[STREAM_LAYER, MASKED_SHARED, SAMPLING]),
    (&[Engine::Tensorrt08, Engine::Tensorrt05], &[STEP, MASKED_DRAM, MASKED_L2]),
    (&[Engine::Fastertransformer], &[REQUEST]),
    (&[Engine::Megatron], &[LAYER]),
    (
        &[Engine::Llamacpp24],
        &[
            NARROW_PROMPTS,
            WIDE_PROMPTS,
            dequantising::CYCLE,
            dequantising::CUDA_DRAM,
            dequantising::CUDA_LAUNCH,
        ],
    ),
    (&[Engine::Llamacpp, Engine::LlamacppFlash], &dequantising::CONSTANTS),
    (&[Engine::Llamafile], &dequantising::LLAMAFILE),
    (&[Engine::Mlx], &dequantising::MLX),
];

fn main() -> ExitCode {
    let mut cases = Vec::new();
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = arguments.first().is_some_and(|first| first == "--only");
    let only: Vec<String> = if only { arguments.drain(..2).skip(1).collect() } else { Vec::new() };
    for file in arguments {
        let read = fs::read_to_string(&file).map_err(|error| error.to_string());
        match read.and_then(|text| published::read(&text).map_err(|error| error.to_string())) {
            Ok(Document::Cases(more)) => cases.extend(more),
            Ok(Document::Peers(_)) => {}
            Err(problem) => {
                eprintln!("{file}: {problem}");
                return ExitCode::FAILURE;
            }
        }
    }
    let wanted =
        |engines: &[Engine]| only.is_empty() || engines.iter().any(|it| it.name().contains(only[0].as_str()));
    for (engines, constants) in FITS.iter().filter(|(engines, _)| wanted(engines)) {
        fit(&cases, engines, constants);
    }
    for served in served::SERVED.iter().filter(|served| only.is_empty() || served.name.contains(&only[0])) {
        served.fit(&cases);
    }
    ExitCode::SUCCESS
}

/// The engine of a row.
fn engine(case: &Case) -> Option<Engine> {
    let scenario = case.scenario()?;
    Some(scenario.inference.engine)
}

fn fit(cases: &[Case], engines: &[Engine], constants: &[Constant]) {
    let rows: Vec<&Case> = cases
        .iter()
        .filter(|case| engine(case).is_some_and(|engine| engines.contains(&engine)))
        .filter(|case| is_described(case) && is_chosen(case))
        .collect();
    let Some(first) = engines.first() else { return };
    let best = first.overheads();
    println!("# {}: {} rows", first.name(), rows.len());
    let best = descend(
        best,
        constants.len(),
        |values, index, factor| {
            let constant = &constants[index];
            (constant.set)(values, (constant.get)(values) * factor);
        },
        |values, index| mean_error(&rows, values, constants[index].fitted_to),
    );
    for constant in constants {
        println!("#   {}: {:.3e}", constant.name, (constant.get)(&best));
    }
    println!("#   mean error: {:.1} %", 100.0 * mean_error(&rows, &best, any));
    for case in rows {
        println!("{}", case.id);
    }
}

/// Coordinate descent: multiplies one of `count` values after the other by a factor, as long as the value's error falls.
fn descend<T: Clone + PartialEq>(
    mut best: T,
    count: usize,
    scale: impl Fn(&mut T, usize, f64),
    error: impl Fn(&T, usize) -> f64,
) -> T {
    for change in CHANGES {
        for _ in 0..ROUNDS {
            let before = best.clone();
            for index in 0..count {
                let mut least = error(&best, index);
                for factor in [change, 1.0 / change] {
                    let mut tried = best.clone();
                    scale(&mut tried, index, factor);
                    let other = error(&tried, index);
                    if other < least - 1e-6 {
                        (best, least) = (tried, other);
                    }
                }
            }
            if best == before {
                break;
            }
        }
    }
    best
}

/// Of the two devices with rows of MLX, the one with fewer. Rows of the other are scored.
const MLX_DEVICE: &str = "apple-m3-ultra-60c";

/// Returns true for rows whose run is described well enough for a fit: tier A. TensorRT-LLM 0.11 to 0.x has none of that tier; its fit
/// uses rows of `trtllm-bench`, whose limits are known. Rows of other sources are only scored.
fn is_described(case: &Case) -> bool {
    if engine(case) == Some(Engine::Tensorrt) { case.source == "trtllm-ifb" } else { case.tier == Tier::A }
}

/// Returns true if a row is fitted.
fn is_chosen(case: &Case) -> bool {
    if engine(case) == Some(Engine::Mlx) {
        return case.device == MLX_DEVICE;
    }
    if case.source == "local" {
        // Of other tests than `llama-bench` and LocalScore, few rows are fitted: those that `fitted.txt` lists.
        let listed = case.used_in_fit || engine(case) == Some(Engine::Llamafile);
        return listed && hash(case.device.bytes()).is_multiple_of(ONE_DEVICE_OF);
    }
    // Mixed steps are inferred from the measured values of the server, so that no constant is fitted to these.
    let inferred = case.scenario().is_some_and(|of| of.inference.mixed);
    !inferred
        && hash(case.measured.iter().flat_map(|(_, value)| value.to_bits().to_le_bytes()))
            .is_multiple_of(ONE_OF)
}

/// FNV-1a without its lowest bits, which mix least.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mixed = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325_u64, mixed) >> 32
}

/// Mean of |ln (prediction / measurement)| over these quantities of all rows.
fn mean_error(rows: &[&Case], overheads: &EngineOverheads, counts: fn(Quantity) -> bool) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for case in rows {
        let worst = if engine(case) == Some(Engine::Llamafile) { WORST_SUBMITTED } else { WORST };
        // Versions of one engine differ in more than the fitted constants.
        let own = engine(case).map_or(*overheads, Engine::overheads);
        let masked = overheads.masked.zip(own.masked);
        let masked = masked.map(|(fitted, own)| Masked { sharing: own.sharing, ..fitted });
        let changed =
            EngineOverheads { masked, pass: own.pass, prompts: own.prompts, score: own.score, ..*overheads };
        for outcome in case.outcomes_with(&Replaced { engine: Some(changed), ..Replaced::default() }) {
            if !counts(outcome.quantity) {
                continue;
            }
            if let Ok(predicted) = outcome.predicted {
                let error = libm::log(predicted / outcome.measured).abs();
                sum += error.min(worst);
                count += 1;
            }
        }
    }
    sum / f64::from(count.max(1))
}
