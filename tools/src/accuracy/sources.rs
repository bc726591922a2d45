//! Rows of each published source, used like a user's own measurements: predicted with all constants, and without the
//! constants fitted on their software and device.

use std::collections::{BTreeMap, HashSet};

use foretoken::calibration::{Level, Row, TimeKind};
use foretoken::scenario::Scenario;
use foretoken::validation::{Case, Quantity, Question, Replaced};

use super::left_out::LeftOut;

/// Rows of one source and kind of time that no constant was fitted on, in a pseudo-random order given by their ids.
#[derive(Clone, Debug)]
pub struct SourceRows {
    /// Name of the source.
    pub source: String,
    /// The measured quantity.
    pub kind: TimeKind,
    /// The rows with all constants.
    pub home: Vec<Row>,
    /// The rows without the constants of their software and device.
    pub abroad: Vec<Row>,
    /// Fraction of the source's rows that constants were fitted on.
    pub fitted: f64,
}

impl SourceRows {
    /// The rows at a level.
    pub fn at(&self, level: Level) -> &[Row] {
        match level {
            Level::Home => &self.home,
            Level::Abroad => &self.abroad,
        }
    }

    /// Splits the rows by software, in the order of first rows.
    pub fn by_software(&self) -> Vec<Self> {
        self.by(|scenario| scenario.software().to_owned())
    }

    /// Splits the rows by software and device, in the order of first rows: a calibration is fitted to rows of one device.
    pub fn by_system(&self) -> Vec<Self> {
        self.by(|scenario| format!("{} {}", scenario.software(), device(scenario)))
    }

    fn by(&self, key: impl Fn(&Scenario) -> String) -> Vec<Self> {
        let mut parts: Vec<(String, Self)> = Vec::new();
        for (home, abroad) in self.home.iter().zip(&self.abroad) {
            let key = key(&home.scenario);
            let place = parts.iter().position(|(of, _)| *of == key).unwrap_or_else(|| {
                parts.push((
                    key,
                    Self {
                        source: self.source.clone(),
                        kind: self.kind,
                        home: Vec::new(),
                        abroad: Vec::new(),
                        fitted: self.fitted,
                    },
                ));
                parts.len() - 1
            });
            parts[place].1.home.push(home.clone());
            parts[place].1.abroad.push(abroad.clone());
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Source, software and device of the first row, for display.
    pub fn name(&self) -> String {
        let device = self.home.first().map_or_else(String::new, |row| device(&row.scenario));
        format!("{}: {}, {device}", self.source, self.software())
    }

    /// The software of the first row.
    pub fn software(&self) -> &'static str {
        self.home.first().map_or("", |row| row.scenario.software())
    }
}

/// Name of a scenario's device.
fn device(scenario: &Scenario) -> String {
    scenario.system.accelerator().map_or_else(|_| String::new(), |device| device.name)
}

/// Hash of a row's id, by which rows are ordered, and the row at both levels.
type Placed = (u64, Row, Row);

/// Rows of all sources by source and kind of time, sorted by source name. A run that a source reports twice counts once.
pub fn collected(cases: &[Case]) -> Vec<SourceRows> {
    let mut shares: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut groups: BTreeMap<(&str, TimeKind), Vec<Placed>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for case in cases.iter().filter(|case| case.is_measured()) {
        let Ok(Question::Scenario(scenario)) = &case.question else { continue };
        let (used, all) = shares.entry(&case.source).or_default();
        (*used, *all) = (*used + f64::from(u8::from(case.used_in_fit)), *all + 1.0);
        let mut kinds = Vec::new();
        for &(quantity, measured) in case.measured.iter().filter(|_| !case.used_in_fit) {
            let Some(kind) = TimeKind::of(quantity).filter(|kind| !kinds.contains(kind)) else { continue };
            kinds.push(kind);
            let row = |replaced: Replaced| Row {
                name: case.id.clone(),
                scenario: (**scenario).clone(),
                quantity,
                measured,
                replaced,
            };
            let (home, abroad) = (row(Replaced::default()), row(LeftOut::Both.replaced(case)));
            let Ok(residual) = home.residual(&[0.0; 5]) else { continue };
            if abroad.residual(&[0.0; 5]).is_ok()
                && seen.insert((case.source.clone(), kind as usize, case.model.clone(), residual.to_bits()))
            {
                groups.entry((&case.source, kind)).or_default().push((mixed(&case.id), home, abroad));
            }
        }
    }
    let collected = |((source, kind), mut rows): ((&str, TimeKind), Vec<Placed>)| {
        rows.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));
        let (used, all) = shares.get(source).copied().unwrap_or((0.0, 1.0));
        let (home, abroad) = rows.into_iter().map(|(_, home, abroad)| (home, abroad)).unzip();
        SourceRows { source: source.to_owned(), kind, home, abroad, fitted: used / all }
    };
    groups.into_iter().map(collected).collect()
}

/// Name of a kind of time in the tables.
pub fn named(kind: TimeKind) -> &'static str {
    match kind.quantity() {
        Quantity::IterTime => "step",
        Quantity::Ttft => "TTFT",
        Quantity::Tpot => "TPOT",
        _ => "latency",
    }
}

/// Hash of a text: FNV-1a with the finaliser of MurmurHash3, so that similar texts get unrelated numbers.
fn mixed(text: &str) -> u64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
