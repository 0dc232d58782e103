//! Symmetric matrices, as large as leagues are.

/// A symmetric matrix. All entries are stored, row by row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix {
    size: usize,
    entries: Vec<f64>,
}

impl Matrix {
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size] }
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..(row + 1) * self.size]
    }

    /// Adds to an entry, but not to its mirror image.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] += value;
    }

    /// Returns `self·inner·self`.
    pub(crate) fn around(&self, inner: &Self) -> Self {
        let size = self.size;
        // All are symmetric, so rows stand for columns.
        let mut half = Self::zero(size);
        for row in 0..size {
            for column in 0..size {
                half.entries[row * size + column] = dot(self.row(row), inner.row(column));
            }
        }
        let mut product = Self::zero(size);
        for row in 0..size {
            for column in 0..=row {
                let value = dot(half.row(row), self.row(column));
                product.entries[row * size + column] = value;
                product.entries[column * size + row] = value;
            }
        }
        product
    }

    /// Returns the lower triangular factor `L` with `L·Lᵀ` equal to this matrix. `None` if it is not positive definite.
    pub(crate) fn factor(mut self) -> Option<Factor> {
        let size = self.size;
        for row in 0..size {
            let (above, rest) = self.entries.split_at_mut(row * size);
            let own = &mut rest[..size];
            for column in 0..row {
                let other = &above[column * size..column * size + column + 1];
                own[column] = (own[column] - dot(&own[..column], &other[..column])) / other[column];
            }
            let square = own[row] - dot(&own[..row], &own[..row]);
            // What is left of the diagonal is nothing but rounding.
            if square.is_nan() || square <= 1e-14 * own[row].abs() {
                return None;
            }
            own[row] = square.sqrt();
            own[row + 1..].fill(0.0);
        }
        Some(Factor(self))
    }
}

/// A lower triangular matrix with a positive diagonal.
pub(crate) struct Factor(Matrix);

impl Factor {
    /// Solves the system of the matrix that was factored.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.0.size;
        let mut x = right.to_vec();
        for row in 0..size {
            let own = self.0.row(row);
            x[row] = (x[row] - dot(&own[..row], &x[..row])) / own[row];
        }
        for row in (0..size).rev() {
            let own = self.0.row(row);
            x[row] /= own[row];
            let value = x[row];
            for (x, entry) in x[..row].iter_mut().zip(own) {
                *x -= value * entry;
            }
        }
        x
    }

    /// Returns the inverse of the matrix that was factored.
    pub(crate) fn inverse(&self) -> Matrix {
        let size = self.0.size;
        // The columns of the inverse of L, as rows, so that all sums run over neighbours.
        let mut columns = Matrix::zero(size);
        for column in 0..size {
            let own = &mut columns.entries[column * size..(column + 1) * size];
            own[column] = 1.0 / self.0.get(column, column);
            for row in column + 1..size {
                let factor = self.0.row(row);
                own[row] = -dot(&factor[column..row], &own[column..row]) / factor[row];
            }
        }
        let mut inverse = Matrix::zero(size);
        for row in 0..size {
            for column in 0..=row {
                let value = dot(&columns.row(row)[row..], &columns.row(column)[row..]);
                inverse.entries[row * size + column] = value;
                inverse.entries[column * size + row] = value;
            }
        }
        inverse
    }
}

/// Returns the sum of products. Eight sums at once are faster than one, and as exact.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (left, right) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    rest + sums.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Matrix {
        let mut matrix = Matrix::zero(3);
        for (index, value) in [4.0, 2.0, 0.0, 2.0, 5.0, -1.0, 0.0, -1.0, 3.0].into_iter().enumerate() {
            matrix.add(index / 3, index % 3, value);
        }
        matrix
    }

    #[test]
    fn a_solution_solves_and_an_inverse_inverts() {
        let factor = example().factor().expect("it is positive definite");
        let x = factor.solve(&[1.0, 2.0, 3.0]);
        let inverse = factor.inverse();
        for row in 0..3 {
            let product: f64 = (0..3).map(|column| example().get(row, column) * x[column]).sum();
            assert!((product - (row + 1) as f64).abs() < 1e-14);
            for column in 0..3 {
                let product: f64 = (0..3).map(|k| example().get(row, k) * inverse.get(k, column)).sum();
                assert!((product - f64::from(u8::from(row == column))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_matrix_goes_around_another_one() {
        let inverse = example().factor().expect("it is positive definite").inverse();
        let around = inverse.around(&example());
        for (entry, expected) in around.entries.iter().zip(&inverse.entries) {
            assert!((entry - expected).abs() < 1e-15, "{around:?}");
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factor() {
        let mut matrix = Matrix::zero(2);
        for (row, column) in [(0, 0), (1, 1)] {
            matrix.add(row, column, 1.0);
        }
        for (row, column) in [(0, 1), (1, 0)] {
            matrix.add(row, column, -1.0);
        }
        assert!(matrix.factor().is_none());
    }
}
