//! Errors by source, device, model family and precision, and why rows were not modelled.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use foretoken::validation::published::PeerPrediction;
use foretoken::validation::{Case, Outcome, Quantity, Score, Skip};

/// Prints the tables. Rows that a constant was fitted on are counted, not scored.
pub(crate) fn print(cases: &[Case], peers: &[PeerPrediction]) -> io::Result<()> {
    let outcomes: Vec<Outcome<'_>> = cases.iter().flat_map(Case::outcomes).collect();
    let mut out = io::stdout().lock();
    table(&mut out, "source", &outcomes, |outcome| outcome.case.source.clone())?;
    table(&mut out, "device", &outcomes, |outcome| outcome.case.device.clone())?;
    table(&mut out, "family", &outcomes, |outcome| outcome.case.family.name().to_owned())?;
    table(&mut out, "precision", &outcomes, |outcome| outcome.case.precision.clone())?;
    beside(&mut out, &outcomes, peers)?;
    reasons(&mut out, &outcomes)
}

/// Errors of another estimator beside ours, on the rows that both predict and nothing was fitted on.
fn beside(out: &mut impl Write, outcomes: &[Outcome<'_>], peers: &[PeerPrediction]) -> io::Result<()> {
    if peers.is_empty() {
        return Ok(());
    }
    let predicted: HashMap<(&str, Quantity), &PeerPrediction> =
        peers.iter().map(|peer| ((peer.id.as_str(), peer.quantity), peer)).collect();
    let mut groups: BTreeMap<(&str, &str, Quantity), [Vec<(f64, f64)>; 2]> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.case.used_in_fit) {
        let peer = predicted.get(&(outcome.case.id.as_str(), outcome.quantity));
        if let (Some(peer), Ok(ours)) = (peer, &outcome.predicted) {
            let key = (peer.peer, outcome.case.family.name(), outcome.quantity);
            let [own, other] = groups.entry(key).or_default();
            own.push((*ours, outcome.measured));
            other.push((peer.predicted, outcome.measured));
        }
    }
    writeln!(
        out,
        "\n{:<34} {:<28} {:>5}   ours: mean, median   theirs: mean, median",
        "peer", "quantity", "rows"
    )?;
    for ((peer, family, quantity), [own, other]) in groups {
        let rows = own.len();
        let (own, other) = (Score::of(own), Score::of(other));
        let name = format!("{peer}, {family}");
        writeln!(
            out,
            "{name:<34} {:<28} {rows:>5} {:>10.1}% {:>6.1}% {:>15.1}% {:>6.1}%",
            quantity.name(),
            100.0 * own.mean,
            100.0 * own.median,
            100.0 * other.mean,
            100.0 * other.median
        )?;
    }
    Ok(())
}

fn table(
    out: &mut impl Write,
    by: &str,
    outcomes: &[Outcome<'_>],
    key: impl Fn(&Outcome<'_>) -> String,
) -> io::Result<()> {
    let mut groups: BTreeMap<(String, Quantity), Vec<&Outcome<'_>>> = BTreeMap::new();
    for outcome in outcomes {
        groups.entry((key(outcome), outcome.quantity)).or_default().push(outcome);
    }
    writeln!(
        out,
        "\n{by:<34} {:<28} {:>5} {:>8} {:>6} {:>7} {:>7} {:>7} {:>7}",
        "quantity", "rows", "modelled", "fitted", "mean", "median", "bias", "p90"
    )?;
    for ((group, quantity), rows) in &groups {
        let modelled = rows.iter().filter(|row| row.predicted.is_ok()).count();
        let fitted = rows.iter().filter(|row| row.case.used_in_fit).count();
        write!(out, "{group:<34} {:<28} {:>5} {modelled:>8} {fitted:>6}", quantity.name(), rows.len())?;
        let pairs = rows
            .iter()
            .filter(|row| !row.case.used_in_fit)
            .filter_map(|row| Some((*row.predicted.as_ref().ok()?, row.measured)));
        if Score::is_choice(*quantity) {
            match Score::right(pairs) {
                Some(right) => writeln!(out, " {:>6.1}% right", 100.0 * right)?,
                None => writeln!(out)?,
            }
            continue;
        }
        let score = Score::of(pairs);
        if score.count == 0 {
            writeln!(out)?;
            continue;
        }
        let Score { mean, median, bias, p90, .. } = score;
        writeln!(
            out,
            " {:>6.1}% {:>6.1}% {:>+6.1}% {:>6.1}%",
            100.0 * mean,
            100.0 * median,
            100.0 * bias,
            100.0 * p90
        )?;
    }
    Ok(())
}

/// Rows without a prediction, by source and reason.
fn reasons(out: &mut impl Write, outcomes: &[Outcome<'_>]) -> io::Result<()> {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for outcome in outcomes {
        if let Err(skip) = &outcome.predicted {
            *counts.entry((&outcome.case.source, short(skip))).or_default() += 1;
        }
    }
    writeln!(out, "\nnot modelled, by source and reason")?;
    for ((source, reason), count) in counts {
        writeln!(out, "{count:>6}  {source:<34} {reason}")?;
    }
    Ok(())
}

/// A refusal's numbers differ by row: its field says enough for a table.
fn short(skip: &Skip) -> String {
    match skip {
        Skip::Refused(problem) => {
            let field = problem.split(':').next().unwrap_or(problem);
            format!("refused: {field}")
        }
        other => other.to_string(),
    }
}
