//! The prefix cache under sessions: a card, a chart and a table by tier.

use crate::figure::{self, Cell, Column, Table};
use crate::inference::CacheTiers;
use crate::scenario::{Problem, Scenario};
use crate::serving::SessionCache;
use crate::units::{Amount, Seconds, Unit, format};
use crate::view::{Card, Part, Question, TablePart};

/// Points of the sweep of capacities.
const POINTS: usize = 60;

/// Names of the tiers.
const TIERS: [&str; 3] = ["GPU memory", "Host memory", "SSDs"];

/// The share of cached prompt tokens; none without sessions.
pub(super) fn card(question: &Scenario) -> Option<Card> {
    let (cache, tiers) =
        question.with_inference(|job| Some((job.session_cache()?, job.cache_tiers()))).ok()??;
    if tiers.gpu <= 0.0 {
        return None;
    }
    let cached = cache.shares.iter().sum();
    let note = if question.inference.turns > 1 {
        format!("of {} that repeat earlier turns or the shared prefix", Amount::percent(cache.repeated))
    } else {
        "the prefix that all prompts share".to_owned()
    };
    Some(Card::new("cached", "Prompt tokens cached", Amount::percent(cached)).noted(note))
}

/// The chart and the table; none without sessions of several turns.
pub(super) fn parts(asked: &Question) -> Result<Vec<Part>, Vec<Problem>> {
    let question = &asked.scenario;
    if question.inference.turns <= 1 {
        return Ok(Vec::new());
    }
    let found = question.with_inference(|job| {
        Some((job.session_sweep(POINTS)?, job.session()?, job.cache_tiers(), job.reload_times()))
    })?;
    // Models without keys and values have no prefix cache here.
    let Some((sweep, session, tiers, reloads)) = found else { return Ok(Vec::new()) };
    let last = session.shared + f64::from(session.turns) * (session.message + session.answer);
    let longest = question.architecture().map_or(0, |model| model.max_sequence);
    let beyond = if longest > 0 && last > f64::from(longest) {
        format!(
            "; the last one ends at {} tokens, beyond the model's maximum of {}",
            Amount::count(last),
            Amount::count(longest)
        )
    } else {
        format!("; the last one ends at {} tokens", Amount::count(last))
    };
    let finding = format!(
        "A session has {} turns, {} apart on average. Each adds {} prompt tokens and {} of an answer to its context{beyond}",
        Amount::count(session.turns),
        format::time(sweep.interval),
        Amount::count(session.message),
        Amount::count(session.answer),
    );
    let table =
        TablePart::new("cache-tiers", "Prefix cache by tier", finding, table(&sweep.cache, &tiers, reloads));
    let pinned = asked.pinned(|other| {
        let sweep = other.with_inference(|job| job.session_sweep(POINTS));
        sweep?.filter(|_| other.inference.turns > 1).ok_or_else(Vec::new)
    });
    let figure = figure::prefix_cache(&sweep, session.interval, &pinned, asked.size);
    Ok(vec![figure.into(), table.into()])
}

fn table(cache: &SessionCache, tiers: &CacheTiers, reloads: [Seconds; 2]) -> Table {
    let mut table = Table::under([
        Column::new("Tier"),
        Column::new("Tokens of a replica"),
        Column::new("Prompt tokens cached"),
        Column::of("1,000 tokens load in", "s"),
        Column::of("With those above: kept unused for", "s"),
        Column::new("With those above: later turns that find their context"),
    ]);
    let capacities = [tiers.gpu, tiers.host, tiers.ssd];
    for (tier, name) in TIERS.into_iter().enumerate() {
        if capacities[tier] <= 0.0 {
            continue;
        }
        let kept = cache.kept_for[tier];
        let load = tier.checked_sub(1).map(|lower| Amount::time(reloads[lower] * 1e3));
        table.push([
            Cell::text(name),
            Cell::amount(Amount::new(capacities[tier], Unit::Count)),
            Cell::percent(cache.shares[tier]),
            Cell::known(load),
            Cell::known(kept.get().is_finite().then(|| Amount::time(kept))),
            Cell::percent(cache.found[tier]),
        ]);
    }
    table
}
