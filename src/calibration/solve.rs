//! Normal equations of a small linear least-squares problem.

use super::{COUNT, Matrix, Vector};

/// Normal equations of weighted least squares: `matrix × unknowns = right`.
pub(super) struct Normal {
    matrix: Matrix,
    right: Vector,
}

impl Normal {
    /// The normal equations of a normal prior with mean 0 and these standard deviations.
    pub(super) fn prior(deviations: &Vector) -> Self {
        let mut normal = Self { matrix: [[0.0; COUNT]; COUNT], right: [0.0; COUNT] };
        for (place, deviation) in deviations.iter().enumerate() {
            normal.matrix[place][place] = 1.0 / (deviation * deviation);
        }
        normal
    }

    /// Adds the equation `slope · unknowns = value` with this weight (the inverse of its variance).
    pub(super) fn add(&mut self, slope: &Vector, value: f64, weight: f64) {
        for row in 0..COUNT {
            for column in 0..COUNT {
                self.matrix[row][column] += weight * slope[row] * slope[column];
            }
            self.right[row] += weight * slope[row] * value;
        }
    }

    /// The solution and its covariance. The prior makes the matrix positive definite, so elimination needs no pivoting.
    pub(super) fn solved(&self) -> (Vector, Matrix) {
        let mut matrix = self.matrix;
        let mut inverse: Matrix = [[0.0; COUNT]; COUNT];
        for (place, row) in inverse.iter_mut().enumerate() {
            row[place] = 1.0;
        }
        for pivot in 0..COUNT {
            let scale = 1.0 / matrix[pivot][pivot];
            matrix[pivot] = matrix[pivot].map(|entry| entry * scale);
            inverse[pivot] = inverse[pivot].map(|entry| entry * scale);
            let (own, inverted) = (matrix[pivot], inverse[pivot]);
            for row in (0..COUNT).filter(|row| *row != pivot) {
                let factor = matrix[row][pivot];
                for column in 0..COUNT {
                    matrix[row][column] -= factor * own[column];
                    inverse[row][column] -= factor * inverted[column];
                }
            }
        }
        (std::array::from_fn(|row| dot(&inverse[row], &self.right)), inverse)
    }
}

/// The dot product.
pub(super) fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `slopeᵀ × covariance × slope`: the variance of a value that is linear in the unknowns with this slope.
pub(super) fn variance(slope: &Vector, covariance: &Matrix) -> f64 {
    let moved: Vector = std::array::from_fn(|row| dot(&covariance[row], slope));
    dot(slope, &moved).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_solves_the_equations() {
        let deviations = [1.0, 2.0, 0.5, 1.0, 3.0];
        let mut normal = Normal::prior(&deviations);
        normal.add(&[1.0, 0.5, 0.0, 0.0, 0.1], 0.3, 100.0);
        normal.add(&[0.2, 0.0, 1.0, -0.4, 0.0], -0.1, 25.0);
        let (unknowns, covariance) = normal.solved();
        for row in 0..COUNT {
            assert!((dot(&normal.matrix[row], &unknowns) - normal.right[row]).abs() < 1e-9, "{row}");
            // Adding equations never increases the variance of an unknown.
            assert!(covariance[row][row].sqrt() <= deviations[row] * (1.0 + 1e-12), "{row}");
        }
    }
}
