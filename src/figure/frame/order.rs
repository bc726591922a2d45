//! Sorting by a number. Every kind of item that is sorted by itself costs the page three kilobytes of code.

/// Items from the one of the largest number to that of the smallest; equal ones keep their order.
pub(in crate::figure) fn largest_first<T: Clone>(items: &[T], number: impl Fn(&T) -> f64) -> Vec<T> {
    let numbers: Vec<f64> = items.iter().map(number).collect();
    places(&numbers).into_iter().map(|place| items[place].clone()).collect()
}

/// The places of numbers in descending order.
fn places(numbers: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_by(|a, b| numbers[*b].total_cmp(&numbers[*a]));
    places
}

#[cfg(test)]
mod tests {
    use super::largest_first;

    #[test]
    fn equal_numbers_keep_their_order() {
        let items = [("a", 1.0), ("b", 3.0), ("c", 1.0), ("d", f64::INFINITY)];
        let order: String = largest_first(&items, |item| item.1).into_iter().map(|item| item.0).collect();
        assert_eq!(order, "dbac");
    }
}
