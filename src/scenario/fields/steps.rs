//! Steps of a number: those of arrow keys, and the stops of a slider.

use super::number::{Number, show};
use super::value::Value;
use crate::scenario::Scenario;

/// Number of slider steps to each side of the starting value.
const REACH: usize = 5;

impl Number {
    /// Text one step up or down from the typed number, otherwise from the value, otherwise from the default.
    pub fn step(self, scenario: &Scenario, value: Value<'_>, typed: Option<&str>, up: bool) -> String {
        let typed = typed.and_then(|typed| self.shown(typed).ok());
        let held = || value.as_number().map(|value| value / self.scale);
        let instead = || self.placeholder(scenario)?.parse().ok();
        let from = typed.or_else(held).or_else(instead).unwrap_or(self.limits().0);
        show(self.stepped(from, up))
    }

    /// Values of a slider as texts of the control, in rising order: the current or default value, and up to
    /// five steps from it in both directions.
    pub fn stops(self, scenario: &Scenario, value: Value<'_>) -> Vec<String> {
        let held = Some(self.text(value)).filter(|text| !text.is_empty());
        let instead = || self.placeholder(scenario).filter(|text| self.shown(text).is_ok());
        let from = held.or_else(instead).unwrap_or_else(|| show(self.limits().0));
        let walk = |up: bool| {
            let step = move |text: &String| {
                let next = self.step(scenario, value, Some(text), up);
                (next != *text).then_some(next)
            };
            std::iter::successors(Some(from.clone()), step).skip(1).take(REACH)
        };
        let mut stops: Vec<String> = walk(false).collect();
        stops.reverse();
        stops.push(from.clone());
        stops.extend(walk(true));
        stops
    }

    /// Index of the last slider value that is not above a text of the control.
    pub fn stop_at(self, stops: &[String], text: &str) -> usize {
        let Ok(value) = self.shown(text) else { return 0 };
        let below = |stop: &&String| self.shown(stop).is_ok_and(|stop| stop <= value);
        stops.iter().filter(below).count().saturating_sub(1)
    }

    /// One step up or down from a shown number, within the range.
    fn stepped(self, from: f64, up: bool) -> f64 {
        let next = match (self.step, up) {
            (None, true) if from == 0.0 => 1.0,
            (None, true) => from * 2.0,
            (None, false) => from / 2.0,
            (Some(step), true) => from + step,
            (Some(step), false) => from - step,
        };
        let (low, high) = self.limits();
        if self.whole { next.round() } else { next }.clamp(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Number = Number { whole: true, ..Number::between(1.0, 65_536.0) };
    const ANY: Number = Number::between(0.1, 100.0);

    #[test]
    fn steps_begin_at_what_is_typed_or_held_or_holds_instead() {
        let scenario = Scenario::default();
        let optional = Number { step: Some(10.0), otherwise: Some(|_| Some("40".to_owned())), ..ANY };
        let step = |value, typed| optional.step(&scenario, value, typed, true);
        assert_eq!(step(Value::Number(20.5), Some("30")), "40");
        assert_eq!(step(Value::Number(20.5), Some("30x")), "30.5");
        assert_eq!(step(Value::Absent, Some("")), "50");
        assert_eq!(step(Value::Absent, None), "50");
        let word = Number { otherwise: Some(|_| Some("all".to_owned())), ..WHOLE };
        assert_eq!(word.step(&scenario, Value::Absent, None, true), "2");
    }

    #[test]
    fn a_slider_reaches_both_ways_within_the_range() {
        let scenario = Scenario::default();
        assert_eq!(WHOLE.stops(&scenario, Value::Number(4.0))[..4], ["1", "2", "4", "8"]);
        let stops = WHOLE.stops(&scenario, Value::Number(1024.0));
        assert_eq!((stops.len(), stops[REACH].as_str()), (2 * REACH + 1, "1024"));
        assert_eq!((WHOLE.stop_at(&stops, "1500"), WHOLE.stop_at(&stops, "x")), (REACH, 0));
        let even = Number { step: Some(0.5), ..ANY };
        assert_eq!(even.stops(&scenario, Value::Number(99.5)).last().map(String::as_str), Some("100"));
    }

    #[test]
    fn steps_stay_in_the_range() {
        assert_eq!((WHOLE.stepped(8.0, true), WHOLE.stepped(1.0, false)), (16.0, 1.0));
        let even = Number { step: Some(0.5), ..ANY };
        assert_eq!((even.stepped(99.9, true), even.stepped(1.0, false)), (100.0, 0.5));
    }
}
