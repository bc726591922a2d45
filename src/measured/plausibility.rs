//! Checks whether measured values of a server are plausible.

use super::{Kind, Measurement, Statistic};

impl Measurement {
    /// Adds cautions about values that stand for others, or that no server reaches.
    pub(super) fn doubt(&mut self) {
        for (kind, shortest) in SHORTEST {
            let Some(best) = self.best(kind) else { continue };
            let name = kind.label();
            if best.statistic == Statistic::Median {
                self.remark(format!("{name}: the median stands for the mean, which it does not give"));
            }
            if best.value < shortest {
                let value = kind.amount(best.value);
                self.remark(format!(
                    "{name} of {value} is shorter than any server's: check the unit of its times"
                ));
            }
        }
        if let Some((stated, possible)) = self.output_beyond_concurrency() {
            let [stated, possible] = [stated, possible].map(|rate| Kind::Output.amount(rate));
            self.remark(format!(
                "Its output throughput of {stated} exceeds {possible}, which its concurrency, lengths and latency allow by \
                 Little's law: they describe different runs, or one of them has another unit"
            ));
        }
    }

    /// The output throughput and its limit by Little's law, concurrency × output tokens / latency, if the limit is exceeded.
    fn output_beyond_concurrency(&self) -> Option<(f64, f64)> {
        let value = |kind: Kind| self.value(kind, Statistic::Mean);
        let (requests, tokens) =
            (self.number_of("inference.concurrency")?, self.number_of("inference.output")?);
        let parts = || Some(value(Kind::Ttft)? + (tokens - 1.0) * value(Kind::Tpot)?);
        let possible = requests * tokens / value(Kind::Latency).or_else(parts)?;
        let stated = self.best(Kind::Output)?.value;
        (stated > BEYOND * possible).then_some((stated, possible))
    }
}

/// Shortest plausible times, s. A shorter one is probably in another unit: a forward pass of the smallest models takes a
/// millisecond, and one token with speculation a tenth of it.
const SHORTEST: [(Kind, f64); 3] = [(Kind::Ttft, 5e-4), (Kind::Tpot, 5e-5), (Kind::Latency, 5e-4)];

/// Tolerance of the check by Little's law, as a ratio. Concurrency × mean output tokens / mean latency equals the output
/// throughput exactly only if lengths and latencies are uncorrelated.
const BEYOND: f64 = 1.2;
