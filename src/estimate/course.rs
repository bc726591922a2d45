//! Utilisation of a GPU over a training step, by group of kernels, in slots of equal duration.

use super::Activity;

/// Number of slots of a step, limited by the length of links.
pub const SLOTS: usize = 48;

/// Groups of activities. A GPU that runs none of them is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Busy {
    /// Matrix multiplies, experts included.
    Multiplies,
    /// Attention.
    Attention,
    /// Elementwise kernels, norms and reductions.
    Elementwise,
    /// Parameter updates.
    Optimizer,
    /// Exposed communication of all groups.
    Communication,
    /// Other kernels, and copies.
    Other,
}

impl Busy {
    /// All groups, in the order in which they are stacked.
    pub const ALL: [Self; 6] = [
        Self::Multiplies,
        Self::Attention,
        Self::Elementwise,
        Self::Optimizer,
        Self::Communication,
        Self::Other,
    ];

    /// The group of an activity; `None` if the GPU is idle.
    pub const fn of(activity: Activity) -> Option<Self> {
        Some(match activity {
            Activity::Matmul | Activity::Experts => Self::Multiplies,
            Activity::Attention => Self::Attention,
            Activity::Elementwise => Self::Elementwise,
            Activity::Optimizer => Self::Optimizer,
            Activity::TensorParallel
            | Activity::ContextParallel
            | Activity::ExpertParallel
            | Activity::Pipeline
            | Activity::DataParallel
            | Activity::Collectives => Self::Communication,
            Activity::Other | Activity::Copies => Self::Other,
            Activity::Idle => return None,
        })
    }

    /// Label on the page.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Multiplies => "Matrix multiplies",
            Self::Attention => "Attention",
            Self::Elementwise => "Elementwise",
            Self::Optimizer => "Optimizer",
            Self::Communication => "Communication",
            Self::Other => "Other kernels, copies",
        }
    }

    /// Letter before the group's shares in a link: upper case, while the digits of shares are lower case.
    const fn letter(self) -> char {
        match self {
            Self::Multiplies => 'M',
            Self::Attention => 'A',
            Self::Elementwise => 'E',
            Self::Optimizer => 'O',
            Self::Communication => 'C',
            Self::Other => 'X',
        }
    }
}

/// Shares of a step's slots in which a GPU is busy, by group, each from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    slots: [[f64; SLOTS]; Busy::ALL.len()],
}

impl Default for Course {
    fn default() -> Self {
        Self { slots: [[0.0; SLOTS]; Busy::ALL.len()] }
    }
}

/// Base of the digit that encodes a share in a link.
const BASE: u32 = 36;

impl Course {
    /// Adds a group's activity during `share` of the time from `from` to `to`, which are fractions of the step.
    pub fn fill(&mut self, busy: Busy, from: f64, to: f64, share: f64) {
        let [from, to] = [from, to].map(|moment| moment.clamp(0.0, 1.0) * SLOTS as f64);
        let first = (from as usize).min(SLOTS - 1);
        for (slot, filled) in self.slots[busy as usize].iter_mut().enumerate().skip(first) {
            let part = to.min(slot as f64 + 1.0) - from.max(slot as f64);
            if part <= 0.0 {
                break;
            }
            *filled += part * share;
        }
    }

    /// The share of a slot that a group takes; 0 beyond the last slot.
    pub fn share(&self, busy: Busy, slot: usize) -> f64 {
        self.slots[busy as usize].get(slot).copied().unwrap_or(0.0)
    }

    /// The share of the whole step that a group takes.
    pub fn whole(&self, busy: Busy) -> f64 {
        self.slots[busy as usize].iter().sum::<f64>() / SLOTS as f64
    }

    /// Text for a link: the letter of each group with a share above 0, followed by one digit to base 36 for each slot.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for busy in Busy::ALL {
            let digits: String = self.slots[busy as usize].iter().map(|share| digit(*share)).collect();
            if digits.chars().any(|digit| digit != '0') {
                text.push(busy.letter());
                text.push_str(&digits);
            }
        }
        text
    }

    /// Reads the text of a link; `None` if it is not one that [`Self::encode`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let mut course = Self::default();
        let mut letters = text.chars();
        let mut last = None;
        while let Some(letter) = letters.next() {
            let busy = Busy::ALL.into_iter().find(|busy| busy.letter() == letter)?;
            // Groups are in order, so that none occurs twice.
            if last.is_some_and(|last| last >= busy as usize) {
                return None;
            }
            last = Some(busy as usize);
            for share in &mut course.slots[busy as usize] {
                let digit = letters.next().filter(|digit| !digit.is_ascii_uppercase())?;
                *share = f64::from(digit.to_digit(BASE)?) / f64::from(BASE - 1);
            }
        }
        last.map(|_| course)
    }
}

fn digit(share: f64) -> char {
    let steps = libm::round(share.clamp(0.0, 1.0) * f64::from(BASE - 1));
    char::from_digit(steps as u32, BASE).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_fill_is_divided_over_its_slots() {
        let mut course = Course::default();
        let slot = 1.0 / SLOTS as f64;
        course.fill(Busy::Attention, 1.5 * slot, 3.25 * slot, 0.5);
        let shares: Vec<f64> = (0..5).map(|slot| course.share(Busy::Attention, slot)).collect();
        for (share, expected) in shares.iter().zip([0.0, 0.25, 0.5, 0.125, 0.0]) {
            assert!((share - expected).abs() < 1e-12, "{shares:?}");
        }
        assert!((course.whole(Busy::Attention) - 0.875 * slot).abs() < 1e-12);
    }

    #[test]
    fn other_texts_are_no_course() {
        let zeros = "0".repeat(SLOTS);
        let wrong = ["", "M", "m", &zeros, &format!("M{}", "0".repeat(SLOTS - 1)), &format!("Q{zeros}")];
        for text in wrong.into_iter().chain([
            format!("A{zeros}M{zeros}").as_str(),
            format!("M{zeros}M{zeros}").as_str(),
            format!("M{}é", "0".repeat(SLOTS - 1)).as_str(),
            format!("M{}A", "0".repeat(SLOTS - 1)).as_str(),
        ]) {
            assert_eq!(Course::parse(text), None, "{text}");
        }
        assert!(Course::parse(&format!("M{zeros}")).is_some());
    }

    proptest! {
        /// Encoding rounds a share by at most 1/70.
        #[test]
        fn a_course_survives_a_link(shares in prop::collection::vec(0.0_f64..1.0, SLOTS * Busy::ALL.len())) {
            let mut course = Course::default();
            for (place, share) in shares.iter().enumerate() {
                let (slot, busy) = ((place % SLOTS) as f64, Busy::ALL[place / SLOTS]);
                course.fill(busy, slot / SLOTS as f64, (slot + 1.0) / SLOTS as f64, *share);
            }
            let again = Course::parse(&course.encode()).expect("a course");
            prop_assert_eq!(again.encode(), course.encode());
            for (busy, slot) in Busy::ALL.into_iter().flat_map(|busy| (0..SLOTS).map(move |slot| (busy, slot))) {
                prop_assert!((again.share(busy, slot) - course.share(busy, slot)).abs() < 1.0 / 70.0 + 1e-9);
            }
        }

        #[test]
        fn any_text_is_read_without_panic(text in ".{0,400}") {
            let _ = Course::parse(&text);
        }
    }
}
