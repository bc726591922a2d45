//! Groups of rows: which have a mark of their own, and which.

use crate::figure::backend::{Hatch, Ink, Marker};
use crate::order;
use crate::units::format;

/// Maximum number of groups that can be distinguished; the smaller groups share a marker.
const MOST: usize = 6;

/// Name of the group that collects the smaller groups.
const OTHERS: &str = "others";

/// Names of groups, the largest first.
#[derive(Clone, Debug)]
pub(in crate::figure) struct Groups<'a>(Vec<(&'a str, usize)>);

/// Style of a group, for points and areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) struct Look {
    pub(in crate::figure) marker: Marker,
    pub(in crate::figure) ink: Ink,
    pub(in crate::figure) hatch: Hatch,
}

impl<'a> Groups<'a> {
    /// Groups from the group of each row.
    pub(in crate::figure) fn of(rows: impl Iterator<Item = &'a str>) -> Self {
        let mut groups: Vec<(&str, usize)> = Vec::new();
        for name in rows {
            match groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => groups.push((name, 1)),
            }
        }
        order::sort(&mut groups, |a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        // One group that is left over may as well have its own mark.
        if groups.len() > MOST + 1 {
            let rest = groups.split_off(MOST).iter().map(|(_, count)| count).sum();
            groups.push((OTHERS, rest));
        }
        Self(groups)
    }

    /// Each name with its number of rows and its look.
    pub(in crate::figure) fn iter(&self) -> impl Iterator<Item = (String, Look)> {
        self.0.iter().enumerate().map(|(index, (name, count))| (label(name, *count), look(index)))
    }

    /// Number of groups.
    pub(in crate::figure) fn len(&self) -> usize {
        self.0.len()
    }

    /// The place of a row's group.
    pub(in crate::figure) fn place(&self, name: &str) -> usize {
        self.0.iter().position(|(known, _)| *known == name).unwrap_or(self.0.len().saturating_sub(1))
    }
}

fn label(name: &str, count: usize) -> String {
    let name = if name.is_empty() { "not said" } else { name };
    format!("{name} ({})", format::grouped(count as f64))
}

/// The look of the group at this place.
pub(in crate::figure) fn look(place: usize) -> Look {
    const LOOKS: [(Marker, Hatch); 4] = [
        (Marker::Circle, Hatch::Plain),
        (Marker::Square, Hatch::Rising),
        (Marker::Triangle, Hatch::Upright),
        (Marker::Diamond, Hatch::Crossed),
    ];
    let (marker, hatch) = LOOKS[place % LOOKS.len()];
    Look { marker, ink: Ink::Series(place as u8 % 8 + 1), hatch }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_share_a_look() {
        let names: Vec<String> = (0..9).flat_map(|n: usize| vec![format!("g{n}"); 20 - n]).collect();
        let groups = Groups::of(names.iter().map(String::as_str));
        assert_eq!(groups.len(), MOST + 1);
        assert_eq!((groups.place("g0"), groups.place("g8")), (0, MOST));
        assert_eq!(groups.iter().last().map(|(name, _)| name), Some("others (39)".to_owned()));
        assert_eq!(Groups::of([].into_iter()).place("x"), 0);
    }

    #[test]
    fn looks_differ() {
        let looks: Vec<Look> = (0..=MOST).map(look).collect();
        assert!(looks.iter().all(|one| looks.iter().filter(|other| one == *other).count() == 1));
    }
}
