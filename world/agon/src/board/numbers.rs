//! The numbers of things that orders name, such as planets. A board shows them beside what is written on the thing.

use agon_core::{Frame, Naming, Shape};
use std::collections::BTreeMap;

/// The numbers of the things of a frame, by the places of their labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Numbers(BTreeMap<[u32; 2], u64>);

impl Numbers {
    /// Finds the things that have numbers.
    pub fn of(frame: &Frame) -> Self {
        let number = |item: &agon_core::Item| match (frame.class(item)?.naming, &item.shape) {
            (Naming::Number(first), Shape::Disc(at, _)) => Some((at.map(f32::to_bits), item.key.number() + first)),
            _ => None,
        };
        Self(frame.items.iter().filter_map(number).collect())
    }

    /// Returns the number of the thing on which a label stands, as `#7`. `None` if it has none, or if the label is its number.
    pub fn beside(&self, at: [f32; 2], label: &str) -> Option<String> {
        let number = self.0.get(&at.map(f32::to_bits))?.to_string();
        (number != label).then(|| format!("#{number}"))
    }
}
