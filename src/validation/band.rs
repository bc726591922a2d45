//! Error bands: ratios of measurements to predictions on similar published rows.
//!
//! Validated rows are grouped by what is estimated, kind of model, device generation and width of the number
//! format. An estimate takes the narrowest group that it belongs to and that has enough rows of enough sources; where
//! nobody measured anything like it, a wider one.

use std::fmt;

use super::maker;
use super::unmeasured::{self, Unmeasured};
use super::{Case, Family, Outcome, Quantity, Question};
use crate::catalog::{self, Accelerator};
use crate::scenario::Scenario;

/// Range of measured / predicted that holds 80 % of similar rows whose source was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Group of rows.
    pub group: Group,
    /// Rows in the group.
    pub rows: u32,
    /// Sources of these rows.
    pub sources: u32,
    /// Least measured / predicted, at most 1.
    pub low: f64,
    /// Most measured / predicted, at least 1.
    pub high: f64,
    /// Name of the device.
    pub device: String,
    /// What nobody measured of the estimate, for which the range is wider.
    pub unmeasured: Unmeasured,
}

/// Properties that the rows of a group share; `None` matches any value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The estimated quantity.
    pub quantity: Quantity,
    /// True for TTFT and TPOT of engines of local inference (llama.cpp, MLX), whose kernels are their own: errors of other engines do
    /// not describe them.
    pub local: bool,
    /// Kind of model.
    pub family: Option<Family>,
    /// Device generation, e.g. `Hopper`.
    pub generation: Option<String>,
    /// Bits of a matrix operand.
    pub bits: Option<u32>,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.quantity {
            Quantity::IterTime => "training runs",
            Quantity::Ttft => "times to first token",
            Quantity::Tpot => "times per output token",
            // Measured output rates are among them, see [`ratios`].
            Quantity::RequestLatency => "request latencies and output rates",
            Quantity::PeakMemory => "peak memories of training runs",
            other => other.label(),
        };
        write!(f, "{what}")?;
        match self.family {
            Some(Family::Moe) => write!(f, " of mixtures of experts")?,
            Some(_) => write!(f, " of dense models")?,
            None => {}
        }
        if let Some(generation) = &self.generation {
            write!(f, " on {generation} GPUs")?;
        }
        if let Some(bits) = self.bits {
            write!(f, " in {bits} bits")?;
        }
        if self.local {
            write!(f, " with llama.cpp or MLX")?;
        }
        Ok(())
    }
}

impl Group {
    /// The narrowest group of a scenario that runs on this device.
    fn of(scenario: &Scenario, quantity: Quantity, device: &Accelerator) -> Option<Self> {
        let of_engine = matches!(quantity, Quantity::Ttft | Quantity::Tpot);
        Some(Self {
            quantity,
            local: of_engine && scenario.inference.engine.is_local(),
            family: Some(Family::of(scenario.architecture().ok()?)),
            generation: Some(device.architecture.clone()),
            bits: Some(scenario.precision().operand_bits()),
        })
    }

    /// This group, then ever wider ones.
    pub fn widening(self) -> [Self; 4] {
        let any_bits = Self { bits: None, ..self.clone() };
        let any_generation = Self { generation: None, ..any_bits.clone() };
        let anything = Self { family: None, ..any_generation.clone() };
        [self, any_bits, any_generation, anything]
    }

    /// Key of the group in the tables.
    pub fn key(&self) -> String {
        let family = self.family.map_or("*", Family::name);
        let bits = self.bits.map_or_else(|| "*".to_owned(), |bits| bits.to_string());
        let generation = self.generation.as_deref().unwrap_or("*");
        let software = if self.local { "local" } else { "*" };
        format!("{},{software},{family},{generation},{bits}", self.quantity.name())
    }
}

/// The device that an estimate is about: for the time to first token, that of the prefill workers.
fn device_of(scenario: &Scenario, quantity: Quantity) -> Option<Accelerator> {
    let prefill = scenario.prefill_device(&scenario.inference).filter(|_| quantity == Quantity::Ttft);
    prefill.cloned().or_else(|| scenario.system.accelerator().ok())
}

/// Returns true if enough rows are published to estimate the error of a quantity on devices of the question's maker.
pub fn is_published(scenario: &Scenario, quantity: Quantity) -> bool {
    device_of(scenario, quantity).is_some_and(|device| maker::is_published(&device, quantity))
}

/// The band of an estimate; `None` without similar measurements, or with too few on devices of the maker. It is wider where the
/// software or the device was not measured.
pub fn of(scenario: &Scenario, quantity: Quantity) -> Option<Band> {
    let device = device_of(scenario, quantity).filter(|device| maker::is_published(device, quantity))?;
    // Published rows are of the catalogue's devices, not of a device with other numbers.
    let altered = catalog::accelerator(&device.id).is_none_or(|listed| *listed != device);
    let narrowest = Group::of(scenario, quantity, &device)?;
    let narrowest = if altered { Group { generation: None, bits: None, ..narrowest } } else { narrowest };
    narrowest.widening().into_iter().find_map(|group| {
        let key = group.key();
        let rest = TABLE.lines().find_map(|line| line.strip_prefix(key.as_str())?.strip_prefix(','))?;
        let mut numbers = rest.split(',');
        let (rows, sources) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        // Rows of the device's generation show its errors, also where no kernels of it were measured.
        let is_device_measured = !altered && (group.generation.is_some() || unmeasured::is_measured(&device));
        let unmeasured = Unmeasured::of(scenario, quantity, is_device_measured);
        let mut end = || {
            let end: f64 = numbers.next()?.parse().ok()?;
            Some(libm::pow(end, unmeasured.widening(quantity)))
        };
        let (low, high) = (end()?, end()?);
        Some(Band { group, rows, sources, low, high, device: device.name.clone(), unmeasured })
    })
}

/// Written by `make validate`: quantity, software, family, generation, bits, rows, sources, low, high. Groups of few rows or
/// sources are not in it.
const TABLE: &str = include_str!("bands.csv");

/// Distribution of measured / predicted over the published rows of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Group of rows.
    pub group: Group,
    /// Rows in the group.
    pub rows: u32,
    /// Sources of these rows.
    pub sources: u32,
    /// Measured / predicted as times at 5 %, 10 %, … 95 % of the rows, each source by the square root of its rows.
    pub quantiles: Vec<f64>,
    /// Factor on their logarithms, where the software or the device was not measured.
    pub widening: f64,
}

impl Spread {
    /// Fraction of rows whose measured / predicted is below `ratio`, interpolated between the quantiles; beyond the
    /// outermost quantile, half of the remaining fraction.
    pub fn below(&self, ratio: f64) -> f64 {
        let step = 1.0 / (self.quantiles.len() + 1) as f64;
        let ratio = libm::pow(ratio, self.widening.recip());
        let above = self.quantiles.iter().position(|quantile| *quantile > ratio);
        match above {
            None => 1.0 - step / 2.0,
            Some(0) => step / 2.0,
            Some(place) => {
                let (low, high) = (self.quantiles[place - 1], self.quantiles[place]);
                step * (place as f64 + (ratio - low) / (high - low))
            }
        }
    }
}

/// The spread of the group that [`of`] takes.
pub fn spread(scenario: &Scenario, quantity: Quantity) -> Option<Spread> {
    let Band { group, rows, sources, unmeasured, .. } = of(scenario, quantity)?;
    let key = group.key();
    let rest = SPREADS.lines().find_map(|line| line.strip_prefix(key.as_str())?.strip_prefix(','))?;
    let quantiles: Option<Vec<f64>> = rest.split(',').map(|number| number.parse().ok()).collect();
    Some(Spread { group, rows, sources, quantiles: quantiles?, widening: unmeasured.widening(quantity) })
}

/// Written by `make validate`: quantity, software, family, generation, bits, then measured / predicted at each twentieth of the
/// rows. The groups are those of [`TABLE`].
const SPREADS: &str = include_str!("spreads.csv");

/// The narrowest group of each quantity of a validated row, and measured / predicted as times.
pub fn ratios(case: &Case, outcomes: &[Outcome<'_>]) -> Vec<(Group, f64)> {
    let Ok(Question::Scenario(scenario)) = &case.question else { return Vec::new() };
    let mut found: Vec<(Group, f64)> = Vec::new();
    for outcome in outcomes {
        let Ok(predicted) = outcome.predicted else { continue };
        let slower = outcome.measured / predicted;
        let (quantity, ratio) = match outcome.quantity {
            Quantity::IterTime
            | Quantity::Ttft
            | Quantity::Tpot
            | Quantity::RequestLatency
            | Quantity::PeakMemory => (outcome.quantity, slower),
            Quantity::TokensPerSecond | Quantity::TokensPerSecondPerGpu => (Quantity::IterTime, 1.0 / slower),
            Quantity::OutputTokensPerSecond | Quantity::OutputTokensPerSecondPerGpu => {
                (Quantity::RequestLatency, 1.0 / slower)
            }
            Quantity::PrefillTokensPerSecond => (Quantity::Ttft, 1.0 / slower),
            Quantity::DecodePerToken => (Quantity::Tpot, slower),
            _ => continue,
        };
        // A time and the equivalent rate of one row count once.
        let counted = found.iter().any(|(group, _)| group.quantity == quantity);
        let group = || Group::of(scenario, quantity, &device_of(scenario, quantity)?);
        if let (false, true, Some(group)) = (counted, ratio.is_finite(), group()) {
            found.push((group, ratio));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_widen_until_anything_goes() {
        let scenario = Scenario::default();
        let device = device_of(&scenario, Quantity::IterTime).expect("a device");
        let group = Group::of(&scenario, Quantity::IterTime, &device).expect("a group");
        assert_eq!(group.key(), "iter_time_s,*,dense,Hopper,16");
        assert_eq!(group.to_string(), "training runs of dense models on Hopper GPUs in 16 bits");
        let keys = group.widening().map(|group| group.key());
        assert_eq!(
            keys[1..],
            ["iter_time_s,*,dense,Hopper,*", "iter_time_s,*,dense,*,*", "iter_time_s,*,*,*,*"]
        );
    }

    #[test]
    fn every_band_has_its_spread() {
        let rows = |text: &'static str| text.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(rows(TABLE).count(), rows(SPREADS).count());
        for line in rows(SPREADS) {
            let numbers: Vec<f64> =
                line.split(',').skip(5).map(|number| number.parse().expect(line)).collect();
            assert!(numbers.len() == 19 && numbers.is_sorted(), "{line}");
        }
        let spread = spread(&Scenario::default(), Quantity::IterTime).expect("a spread");
        assert_eq!(spread.quantiles.len(), 19);
        assert!(spread.below(0.01) < 0.05 && spread.below(100.0) > 0.95);
        let middle = spread.below(libm::pow(spread.quantiles[9], spread.widening));
        assert!((middle - 0.5).abs() < 1e-9, "{middle}");
    }

    #[test]
    fn every_row_of_the_table_is_a_band() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let parts: Vec<&str> = line.split(',').collect();
            assert_eq!(parts.len(), 9, "{line}");
            assert!(Quantity::named(parts[0]).is_some(), "{line}");
            let number = |index: usize| parts[index].parse::<f64>().expect(line);
            assert!((0.0..=1.0).contains(&number(7)) && number(8) >= 1.0, "{line}");
        }
    }
}
