//! Tests values and geometry through their public names.

mod geometry;
mod values;
