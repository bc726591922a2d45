//! Errors on rows whose software and device are treated as unmeasured.

use super::Score;
use crate::scenario::Topic;

/// Written by `make validate`: topic, rows, mean and median error.
const TABLE: &str = include_str!("abroad.csv");

/// Score of a topic over all rows that no constant was fitted on, without the constants fitted on each row's own software
/// and device: the error to expect where nobody has measured. `None` for topics without such a score. Bias and 90th
/// percentile are not stored, and are 0.
pub fn abroad(topic: Topic) -> Option<Score> {
    let rest = TABLE.lines().find_map(|line| line.strip_prefix(topic.name())?.strip_prefix(','))?;
    let mut numbers = rest.split(',').map_while(|number| number.parse::<f64>().ok());
    let (count, mean, median) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some(Score { count: count as usize, mean, median, ..Score::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_a_score_and_kernels_have_none() {
        for topic in [Topic::Step, Topic::Memory, Topic::Ttft, Topic::Tpot, Topic::Request] {
            let score = abroad(topic).expect("a score");
            let least = if topic == Topic::Memory { 800 } else { 1000 };
            assert!(score.count > least && score.mean > score.median && score.median > 0.0, "{score:?}");
        }
        assert!(abroad(Topic::Kernel).is_none());
    }
}
