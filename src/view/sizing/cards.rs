//! Cards of the Sizing view: the key numbers of the best fleet.

use super::confidence::{self, Confidence, SURE, Spares};
use super::rows::{Row, Rows};
use crate::catalog::Accelerator;
use crate::economics::{Economics, Terms};
use crate::scenario::Topic;
use crate::serving::simulation::{Level, Quantiles};
use crate::sizing::{Fleet, LoadKind, Servers};
use crate::units::{Amount, Seconds, Unit, format};
use crate::validation::Quantity;
use crate::view::{Card, cards};

/// Cards of the best fleet (GPUs, cost, times, power), and the number of fleets found.
pub(super) fn cards(rows: &Rows<'_>) -> Vec<Card> {
    let tried = Card::new("fleets", "Fleets that carry the load", count(rows.all.len())).noted(format!(
        "{} deployments on {} devices tried",
        count(rows.search.tried()),
        count(rows.search.done())
    ));
    let Some(best) = rows.best() else { return vec![tried] };
    let fleet = best.fleet;
    let question = rows.question(best);
    let (by, asked) = (rows.scenario.sizing.by.spoken(), rows.scenario.sizing.percentile);
    let watts = best.watts.map(|watts| Amount::new(watts, Unit::Watts));
    let cached = fleet.simulated.filter(|_| fleet.load.has_history());
    let cached = cached.map(|simulated| Amount::percent(simulated.cached.iter().sum()));
    let means = [
        cards::time(
            ("ttft", "Time to first token"),
            fleet.ttft(),
            limit(fleet.load.ttft_limit_ms, asked),
            &question,
            (Quantity::Ttft, Topic::Ttft),
        ),
        cards::time(
            ("tpot", "Time per output token"),
            fleet.tpot(),
            limit(fleet.load.tpot_limit_ms, asked),
            &question,
            (Quantity::Tpot, Topic::Tpot),
        ),
    ];
    // The percentile that the levels limit; the 95th beside means.
    let tail = if asked == Level::Mean { Level::P95 } else { asked };
    let percentiles = [
        percentile(("ttft", "TTFT"), tail, fleet.simulated.map(|simulated| simulated.ttft)),
        percentile(("tpot", "TPOT"), tail, fleet.simulated.map(|simulated| simulated.tpot)),
    ];
    // What the levels limit comes first: the page folds the later numbers.
    let (limited, others) = match asked {
        Level::Mean => (means, percentiles),
        _ => (percentiles, means),
    };
    let mut all = vec![
        Card::new("gpus", "GPUs", Amount::count(fleet.gpus())).noted(best.machines()),
        Card::known("cost", "Cost per hour", best.usd.map(Amount::usd)).noted(spare(best)),
        sure(rows, best),
    ];
    all.extend(limited);
    all.push(
        Card::known("usd-output", "Cost per million output tokens", best.usd_per_million.map(Amount::usd))
            .noted("prompts included, at this load"),
    );
    all.extend(others);
    all.extend([
        percentile(("latency", "Request latency"), tail, fleet.simulated.map(|simulated| simulated.latency)),
        Card::new("in-flight", "Concurrent requests", Amount::mean(fleet.in_flight()))
            .noted(in_flight(rows, fleet)),
        Card::new("utilisation", "Utilisation", Amount::percent(fleet.utilisation()))
            .noted("of the largest load at which mean times meet the levels"),
        Card::known("power", "Power", watts).noted("of the servers, PUE included"),
    ]);
    all.extend(whole_servers(best));
    all.extend(other_terms(best, &best.economics));
    all.push(tried.noted(format!("best by {by}: {}", best.name())));
    all.extend(cached.map(|cached| {
        Card::new("cached", "Prompt tokens cached", cached)
            .noted("simulated, of all turns, in all tiers of the prefix cache")
    }));
    all
}

/// Note of the card with the concurrent requests. Users without a think time are assumed to send requests without waiting for
/// the answer to the last one, which slow answers make implausible.
fn in_flight(rows: &Rows<'_>, fleet: &Fleet) -> String {
    let rate = format::digits(fleet.requests_per_second());
    let choice = &rows.scenario.sizing;
    let waits = rows.search.demand().thinking.is_some();
    if choice.load == LoadKind::Users && !waits && fleet.in_flight() > f64::from(choice.users) {
        format!(
            "{rate} requests/s by Little's law; more than one for each user, whose answers take longer than the time between requests"
        )
    } else {
        format!("{rate} requests/s by Little's law")
    }
}

fn count(count: usize) -> Amount {
    Amount::new(count as f64, Unit::Count)
}

/// A time that exceeds its limit. If rounding makes both texts equal, it is shown as `just over` the limit.
pub(super) fn above(time: Seconds, limit: Option<Seconds>) -> String {
    let text = format::time(time);
    let alike = limit.is_some_and(|limit| format::time(limit) == text);
    if alike { format!("just over {text}") } else { text }
}

/// A service level, in ms, as the note of a mean's card.
fn limit(limit: Option<f64>, asked: Level) -> String {
    let Some(ms) = limit.map(format::digits) else { return "no limit".to_owned() };
    match asked {
        Level::Mean => format!("at most {ms} ms"),
        asked => format!("mean; {} at most {ms} ms", asked.name()),
    }
}

/// Card of a simulated percentile, with the median and one other in its note.
fn percentile((id, label): (&str, &str), tail: Level, time: Option<Quantiles>) -> Card {
    let others = match tail {
        Level::P99 => [Level::P50, Level::P95],
        Level::P50 => [Level::P95, Level::P99],
        Level::Mean | Level::P90 | Level::P95 => [Level::P50, Level::P99],
    };
    let beside = |time: Quantiles| {
        let of = |level: Level| format!("{} {}", level.name(), Amount::time(time.at(level)));
        others.map(of).join(", ")
    };
    let name = tail.name();
    Card::known(
        &format!("{id}-{name}"),
        format!("{label} {name}"),
        time.map(|time| Amount::time(time.at(tail))),
    )
    .noted(time.map_or_else(|| "not simulated yet".to_owned(), beside))
}

/// Card of the probability that the service levels are met. Its note gives the spare replicas for probability [`SURE`].
fn sure(rows: &Rows<'_>, row: &Row<'_>) -> Card {
    let confidence = Confidence::of(&rows.question(row));
    let probability = confidence.probability(rows, row.fleet);
    let wanted = format!("{} %", format::digits(100.0 * SURE));
    let note = match confidence.spares(rows, row) {
        None if row.fleet.load.limits() == [None; 3] => "no service levels are set".to_owned(),
        None => "no similar published runs".to_owned(),
        Some(Spares::More(0)) => "probability, from errors on similar published runs".to_owned(),
        Some(Spares::More(1)) => format!("one more replica for {wanted}"),
        Some(Spares::More(more)) => format!("{} more replicas for {wanted}", Amount::count(more)),
        Some(Spares::Never(best)) => format!("at most {} with any number of replicas", Amount::percent(best)),
    };
    let card = match probability {
        // The measured rows are too few to tell higher probabilities apart.
        Some(sure) if sure >= SURE => {
            Card { words: confidence::spoken(sure), ..Card::new("sure", "Levels met", Amount::percent(SURE)) }
        }
        probability => Card::known("sure", "Levels met", probability.map(Amount::percent)),
    };
    // Means stand for the percentiles until these are simulated.
    let interim = row.fleet.simulated.is_none() && rows.scenario.sizing.percentile != Level::Mean;
    card.noted(if interim { format!("{note}; from the mean times so far") } else { note })
}

/// Card of the whole servers or racks that the fleet fills, with what they cost and draw; `None` where their size is not known.
fn whole_servers(best: &Row<'_>) -> Option<Card> {
    let servers = best.fleet.servers(&best.economics, best.device, best.prefill)?;
    let devices: Vec<&Accelerator> = best.prefill.into_iter().chain([best.device]).collect();
    let cost = servers.usd.map(|usd| format!("{} per hour", Amount::usd(usd)));
    Some(servers_card(&servers, &devices, best.fleet.gpus(), cost))
}

/// Card of whole servers or racks of devices, of which `used` GPUs are used, with a cost of all of them.
pub(super) fn servers_card(
    servers: &Servers,
    devices: &[&Accelerator],
    used: u32,
    cost: Option<String>,
) -> Card {
    let sizes: Vec<u32> = devices.iter().filter_map(|device| device.server_gpus()).collect();
    let named: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let mut note = vec![format!("of {} GPUs: {} in all", named.join(" and "), Amount::count(servers.gpus))];
    note.push(match servers.gpus.saturating_sub(used) {
        0 => "all in use".to_owned(),
        idle => format!("{} idle", Amount::count(idle)),
    });
    note.extend(cost);
    note.extend(servers.watts.map(|watts| Amount::new(watts, Unit::Watts).to_string()));
    let label = if sizes.last() > Some(&8) { "Whole racks" } else { "Whole servers" };
    Card::new("servers", label, Amount::count(servers.count)).noted(note.join(", "))
}

/// Card of the fleet's cost on other terms: owned if the question rents, else rented on demand; `None` if that price is
/// not known.
fn other_terms(best: &Row<'_>, economics: &Economics) -> Option<Card> {
    let (id, label, terms) = match economics.terms {
        Terms::Owned => ("on-demand", "Cost per hour on demand", Terms::OnDemand),
        Terms::OnDemand | Terms::Reserved => ("owned", "Cost per hour if owned", Terms::Owned),
    };
    let usd = best.usd_on(terms).map(Amount::usd)?;
    let note = match economics.pays_off(best.device, &best.fleet.used_with_spare()) {
        _ if best.prefill.is_some() => "of both devices".to_owned(),
        Some(years) => {
            format!("buying costs less than renting on demand after {} months", format::digits(12.0 * years))
        }
        None => "renting on demand costs less than operating".to_owned(),
    };
    Some(Card::new(id, label, usd).noted(note))
}

/// Hourly cost of one additional replica, or of one worker of each kind, as a card's note.
fn spare(row: &Row<'_>) -> String {
    let fleet = row.fleet;
    match row.usd {
        Some(usd) if fleet.prefill_workers() > 0 => {
            let more =
                Row { fleet: &Fleet { spare: fleet.spare.saturating_add(1), ..*fleet }, ..row.clone() };
            let with_more = more.usd_on(row.economics.terms).unwrap_or(usd);
            format!("{} for one more worker of each kind", Amount::usd(with_more - usd))
        }
        Some(usd) => {
            let each = usd / f64::from(fleet.replicas());
            format!("{} for one more replica", Amount::usd(each))
        }
        None => "the price of this GPU is unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_not_written_like_its_limit() {
        let told = |time: f64| above(Seconds::new(time), Some(Seconds::new(1.0)));
        assert_eq!([told(1.004), told(1.2)], ["just over 1.00 s", "1.20 s"]);
        assert_eq!(above(Seconds::new(1.0), None), "1.00 s");
    }
}
