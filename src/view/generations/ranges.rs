//! Ranges of training speed-ups.

use super::question::trained;
use crate::generations::Generation;
use crate::scenario::{Scenario, Topic};
use crate::units::Amount;
use crate::validation::Quantity;
use crate::view::{Range, cards};

/// The range of a machine's best training speed-up over the first machine's best. It has the ends of both step times: the
/// errors of two machines are taken as independent, so that the squares of their logarithms add up.
///
/// `None` for the first machine itself, and without measurements like those of both.
pub(super) fn at_best(question: &Scenario, first: &Generation, other: &Generation) -> Option<Range> {
    if first.accelerator == other.accelerator {
        return None;
    }
    let speedup = other.best_speedup?;
    let band = |machine: &Generation| {
        let trained = trained(question, &machine.accelerator, machine.best.as_ref()?);
        cards::band(&trained, Quantity::IterTime)
    };
    let (slow, fast) = (band(first)?, band(other)?);
    // A longer step of the first machine and a shorter one of the other make the speed-up larger.
    let joined = |one: f64, other: f64| libm::exp(libm::hypot(libm::log(one), libm::log(other)));
    let [low, high] = [joined(slow.low, fast.high).recip(), joined(slow.high, fast.low)];
    Some(Range {
        value: Amount::times(speedup),
        low: Amount::times(speedup * low),
        high: Amount::times(speedup * high),
        why: format!(
            "Joins the ranges of both step times as independent errors. Opens those of {}",
            other.name
        ),
        link: cards::errors_of(question, &fast.group, Topic::Step),
    })
}
