//! Prompt tokens to prefill against the capacity of the prefix cache.

use super::hardware::ticks;
use crate::figure::frame::Size;
use crate::figure::frame::lines::{Line, Lines};
use crate::figure::frame::plot::Scale;
use crate::figure::{Cell, Figure, Pinned, Table};
use crate::serving::SessionSweep;
use crate::units::{Amount, Seconds, format};

/// Names of the tiers, each with those above it.
const TIERS: [&str; 3] = ["GPU memory", "with host memory", "with SSDs"];

/// Figure of the prompt tokens of a mean request that are not cached, with the curves of pinned questions. `interval` is the
/// turn interval of the load, s.
pub fn prefix_cache(
    sweep: &SessionSweep,
    interval: f64,
    pinned: &[Pinned<SessionSweep>],
    size: Size,
) -> Figure {
    let here = sweep.tiers[2];
    let cached: f64 = sweep.cache.shares.iter().sum();
    let fresh = sweep.prompt * (1.0 - cached);
    let finding = format!(
        "{} of the prompt tokens are cached in {} GiB per GPU; an endless cache would have {}. A request prefills {} of its {} prompt \
         tokens.",
        Amount::percent(cached),
        format::digits(here),
        Amount::percent(sweep.cache.repeated),
        Amount::count(fresh),
        Amount::count(sweep.prompt),
    );
    let mut posts: Vec<(String, f64)> = Vec::new();
    for (name, gib) in TIERS.into_iter().zip(sweep.tiers) {
        // A tier without capacity is none.
        if posts.last().is_none_or(|(_, above)| gib > *above) {
            posts.push((name.to_owned(), gib));
        }
    }
    // Along the curve the request rate and the time to answer stay those of this deployment. A question with another
    // capacity would have its own, and other tokens to prefill than the point shows: points open none.
    let line = |sweep: &SessionSweep, whose: String| Line {
        name: format!("Prompt tokens to prefill{whose}"),
        points: sweep.points.clone(),
        opens: Vec::new(),
    };
    let beside = pinned.iter().map(|pinned| line(&pinned.of, format!(", {}", pinned.label())));
    let chart = Lines {
        x: Scale::new("Prefix cache (GiB per GPU)", &ticks),
        y: Scale::new("Prompt tokens to prefill", &ticks),
        curves: std::iter::once(line(sweep, String::new())).chain(beside).collect(),
        marks: vec![("This deployment".to_owned(), (here, fresh))],
        pinned: Vec::new(),
        dots: None,
        limits: Vec::new(),
        posts,
    };
    let drawing = chart.drawing(size, &finding);
    Figure {
        id: "prefix-cache".into(),
        title: "Prompt tokens to prefill against the prefix cache".to_owned(),
        finding,
        table: Pinned::tables(sweep, pinned, table),
        assumptions: vec![
            if sweep.interval.get() > interval * 1.02 {
                format!(
                    "Two turns are {} apart, the time of an answer, which is longer than the turn interval of {}",
                    format::time(sweep.interval),
                    format::time(Seconds::new(interval))
                )
            } else {
                format!(
                    "The next turn of a session comes {} after the one before on average: once that is answered, after an \
                     exponentially distributed time",
                    format::time(sweep.interval)
                )
            },
            "Caches evict what was used least recently, sessions that have ended too; the memory of running requests is a part of \
             the cache (approximation of Che, Tung and Wang 2002)"
                .to_owned(),
            "Every session stays on its replica; the request rate and the time to answer are those of this deployment. Each request \
             prefills the mean, where some turns find everything and others nothing; with fewer than some tens of sessions at a time \
             less is found than here, as simulated percentiles show"
                .to_owned(),
        ],
        ..drawing.into()
    }
}

fn table(sweep: &SessionSweep) -> Table {
    let mut table = Table::new([
        ("Prefix cache per GPU", Some("GiB")),
        ("Prompt tokens to prefill", None),
        ("Share cached", None),
    ]);
    for (gib, fresh) in &sweep.points {
        table.push([
            Cell::number(*gib, format!("{} GiB", format::digits(*gib))),
            Cell::number(*fresh, format::grouped(*fresh)),
            Cell::percent(1.0 - fresh / sweep.prompt),
        ]);
    }
    table
}
