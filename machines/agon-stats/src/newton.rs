//! The minimum of a convex function of many numbers, by Newton's method.

use crate::matrix::{Factor, Matrix};

/// Minus the logarithm of a likelihood.
pub(crate) trait Loss {
    /// Moves to a point, and writes the gradient there.
    fn move_to(&mut self, point: &[f64], gradient: &mut [f64]);
    /// Adds the Hessian at the point times a vector.
    fn multiply(&self, vector: &[f64], product: &mut [f64]);
    /// Adds the diagonal of the Hessian at the point.
    fn diagonal(&self, diagonal: &mut [f64]);
    /// Adds the Hessian at the point.
    fn hessian(&self, hessian: &mut Matrix);
}

/// Up to so many numbers, equations are solved by factoring the Hessian.
const DENSE: usize = 200;

/// What is added to a loss so that it has one minimum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// The factor of half the square of each number, at least 0.
    pub(crate) ridge: &'a [f64],
    /// Sets of numbers that may all be moved by the same amount without changing the loss. Each set keeps the sum 0.
    pub(crate) free: &'a [Vec<usize>],
}

impl Frame<'_> {
    /// Makes the sum of each free set 0.
    fn centre(&self, vector: &mut [f64]) {
        for set in self.free {
            let mean = set.iter().map(|index| vector[*index]).sum::<f64>() / set.len() as f64;
            set.iter().for_each(|index| vector[*index] -= mean);
        }
    }

    /// Returns the factored Hessian with the ridge and with a unit of curvature in the direction of each free set. The units
    /// are returned too.
    pub(crate) fn factor(&self, loss: &impl Loss) -> Option<(Factor, Vec<f64>)> {
        let mut hessian = Matrix::zero(self.ridge.len());
        loss.hessian(&mut hessian);
        for (index, ridge) in self.ridge.iter().enumerate() {
            hessian.add(index, index, *ridge);
        }
        let mut units = Vec::with_capacity(self.free.len());
        for set in self.free {
            let size = set.len() as f64;
            let unit = set.iter().map(|index| hessian.get(*index, *index)).sum::<f64>() / size;
            // One number alone has no curvature but that of the free direction.
            let unit = if unit > 0.0 { unit } else { 1.0 };
            for row in set {
                for column in set {
                    hessian.add(*row, *column, unit / size);
                }
            }
            units.push(unit);
        }
        Some((hessian.factor()?, units))
    }
}

/// Moves `point` to the minimum of the loss plus the ridge. Returns whether it was found to at least ten digits.
pub(crate) fn minimize(loss: &mut impl Loss, frame: Frame<'_>, point: &mut Vec<f64>) -> bool {
    let size = point.len();
    let mut gradient = vec![0.0; size];
    let slope_at = |loss: &mut dyn FnMut(&[f64], &mut [f64]), point: &[f64], gradient: &mut [f64]| {
        loss(point, gradient);
        for ((gradient, ridge), x) in gradient.iter_mut().zip(frame.ridge).zip(point) {
            *gradient += ridge * x;
        }
    };
    slope_at(&mut |point, gradient| loss.move_to(point, gradient), point, &mut gradient);
    let mut moved = f64::INFINITY;
    for _ in 0..300 {
        let step = if size <= DENSE {
            let Some((factor, _)) = frame.factor(loss) else { return false };
            factor.solve(&gradient)
        } else {
            // The step itself misses the minimum by about the square of its length, so a long one need not be exact.
            conjugate(loss, &frame, &gradient, (0.1 * moved * moved).clamp(1e-4, 1e-2))
        };
        let mut step: Vec<f64> = step.into_iter().map(|value| -value).collect();
        frame.centre(&mut step);
        let longest = step.iter().fold(0.0, |longest: f64, value| longest.max(value.abs()));
        if !longest.is_finite() {
            return false;
        }
        // Where the loss is far from a parabola, a full step may lead anywhere.
        let mut share = if longest > 3.0 { 3.0 / longest } else { 1.0 };
        let before: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step * gradient).sum();
        loop {
            let next: Vec<f64> = point.iter().zip(&step).map(|(x, step)| x + share * step).collect();
            slope_at(&mut |point, gradient| loss.move_to(point, gradient), &next, &mut gradient);
            let after: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step * gradient).sum();
            // The loss is convex: as long as the slope along the step shrinks, the minimum comes nearer.
            if after.abs() <= 0.9 * before.abs() || share * longest < 1e-8 || after < 0.0 {
                *point = next;
                break;
            }
            share *= 0.5;
        }
        moved = share * longest;
        if moved < if size <= DENSE { 1e-9 } else { 1e-11 } {
            frame.centre(point);
            return true;
        }
    }
    false
}

/// Solves the equations of one step by conjugate gradients, with the diagonal as preconditioner, until this share of the
/// residual is left.
fn conjugate(loss: &impl Loss, frame: &Frame<'_>, right: &[f64], left: f64) -> Vec<f64> {
    let size = right.len();
    let mut diagonal = frame.ridge.to_vec();
    loss.diagonal(&mut diagonal);
    let scaled = |residual: &[f64]| {
        let mut scaled: Vec<f64> = residual.iter().zip(&diagonal).map(|(r, d)| r / d.max(1e-300)).collect();
        frame.centre(&mut scaled);
        scaled
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut x = vec![0.0; size];
    let mut residual = right.to_vec();
    let mut direction = scaled(&residual);
    let mut size_now = dot(&residual, &direction);
    let goal = left * left * size_now;
    let mut product = vec![0.0; size];
    for _ in 0..4 * size {
        if size_now <= goal {
            break;
        }
        product.iter_mut().zip(frame.ridge).zip(&direction).for_each(|((product, r), d)| *product = r * d);
        loss.multiply(&direction, &mut product);
        let curvature = dot(&direction, &product);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let along = size_now / curvature;
        for (index, x) in x.iter_mut().enumerate() {
            *x += along * direction[index];
            residual[index] -= along * product[index];
        }
        let next = scaled(&residual);
        let size_next = dot(&residual, &next);
        let share = size_next / size_now;
        direction.iter_mut().zip(&next).for_each(|(direction, next)| *direction = next + share * *direction);
        size_now = size_next;
    }
    x
}
