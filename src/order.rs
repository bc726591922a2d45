//! Sorting and quantiles. Each item type that is sorted directly adds four kilobytes of code to the page, so positions
//! are sorted instead.

use std::cmp::Ordering;

/// Sorts items; equal ones keep their order.
pub(crate) fn sort<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let places = places(items.len(), &|a, b| compare(&items[a], &items[b]));
    let mut left: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(places.into_iter().filter_map(|place| left[place].take()));
}

/// Items from the one of the largest number to that of the smallest; equal ones keep their order.
pub(crate) fn largest_first<T: Clone>(items: &[T], number: impl Fn(&T) -> f64) -> Vec<T> {
    let numbers: Vec<f64> = items.iter().map(number).collect();
    let places = places(numbers.len(), &|a, b| numbers[b].total_cmp(&numbers[a]));
    places.into_iter().map(|place| items[place].clone()).collect()
}

/// The middle of these values, or the lower of the two in the middle; 0 of none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// The middle of these values, which are at least 0: of two in the middle the geometric mean, because times and factors differ
/// by ratios. 0 of none.
pub(crate) fn geometric_median(values: &mut [f64]) -> f64 {
    // It sorts them.
    let lower = median(values);
    let upper = values.get(values.len() / 2).copied().unwrap_or_default();
    if values.len().is_multiple_of(2) { libm::sqrt(lower * upper) } else { lower }
}

/// The value below which a share of sorted values lies, interpolated linearly between neighbours; 0 of none.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let below = libm::floor(place) as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// The positions of `count` items in ascending order.
pub(crate) fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use super::{geometric_median, largest_first, median, sort};

    #[test]
    fn equal_items_keep_their_order() {
        let mut items = vec![("a", 1.0), ("b", 3.0), ("c", 1.0), ("d", f64::INFINITY)];
        let name = |items: &[(&'static str, f64)]| items.iter().map(|item| item.0).collect::<String>();
        assert_eq!(name(&largest_first(&items, |item| item.1)), "dbac");
        sort(&mut items, |a, b| a.1.total_cmp(&b.1));
        assert_eq!(name(&items), "acbd");
        let mut none: Vec<u32> = Vec::new();
        sort(&mut none, Ord::cmp);
        assert!(none.is_empty());
        for (values, middle) in [(&mut [3.0, 1.0, 2.0][..], 2.0), (&mut [4.0, 1.0], 1.0), (&mut [], 0.0)] {
            assert!(median(values).total_cmp(&middle).is_eq());
        }
        for (values, middle) in [(&mut [3.0, 1.0, 2.0][..], 2.0), (&mut [4.0, 1.0], 2.0), (&mut [], 0.0)] {
            assert!(geometric_median(values).total_cmp(&middle).is_eq());
        }
    }
}
