//! What a viewer says about a thing on the board. All of it follows from the frame, so nothing is told that the frame does
//! not show.

use crate::{
    Frame, Item, Key, Shape,
    frame_class::Naming,
    frame_grid::{Codes, Grid},
};
use alloc::{format, string::String, string::ToString, vec::Vec};

/// A fact about a thing: its name, and its value in words.
pub type Fact = (&'static str, String);

impl Frame {
    /// Returns the facts about the thing with this key. The list is empty if the frame has no such thing, or if there is
    /// nothing to say about it.
    #[must_use]
    pub fn facts(&self, key: Key) -> Vec<Fact> {
        match (key.cell_index(), self.items.iter().find(|item| item.key == key)) {
            (_, Some(item)) => self.item_facts(item),
            (Some(index), None) => self.cell_facts(index),
            _ => Vec::new(),
        }
    }

    /// Returns the facts about an item: its name, its owner and its numbers.
    #[must_use]
    pub fn item_facts(&self, item: &Item) -> Vec<Fact> {
        let mut facts = Vec::new();
        let Some(class) = self.class(item) else { return facts };
        if class.naming == Naming::None && class.values.is_empty() {
            return facts;
        }
        let name = match (class.naming, &item.shape) {
            (Naming::Number(first), _) => (item.key.number() + first).to_string(),
            (Naming::Place, Shape::Cell(at) | Shape::Disc(at, _) | Shape::Label(at, _)) => {
                format!("({}, {})", decimal(at[0].into()), decimal(at[1].into()))
            }
            _ => String::new(),
        };
        facts.push((class.called, name));
        if let Some(seat) = item.seat {
            facts.push(("owner", format!("seat {seat}")));
        }
        for (name, value) in class.values.iter().zip(&item.values).filter(|(_, value)| !value.is_nan()) {
            facts.push((name, decimal(*value)));
        }
        facts
    }

    /// Returns the facts about the cell with this index in the layers.
    #[must_use]
    pub fn cell_facts(&self, index: usize) -> Vec<Fact> {
        let mut facts = Vec::new();
        let Some(first) = self.grids.first().filter(|grid| index < grid.cells.len()) else { return facts };
        let [x, y] = first.place(index);
        facts.push(("cell", format!("({x}, {y})")));
        for grid in &self.grids {
            let Some(code) = grid.cells.get(index) else { continue };
            match grid.codes {
                Codes::Owners(..) => facts.extend(grid.owner(index).map(|seat| ("owner", format!("seat {seat}")))),
                Codes::Classes(_) => facts.extend(grid.class(index).map(|class| (grid.name, class.to_string()))),
                Codes::Amounts(_) if *code >= 0 => facts.push((grid.name, code.to_string())),
                Codes::Amounts(_) => {}
            }
        }
        facts
    }

    /// Returns the frame for viewers that know only a display list: the cells of all layers are items below all others,
    /// and each item has a tooltip with its facts. Cells whose class has no entry in the legend have none.
    #[must_use]
    pub fn spelled_out(mut self) -> Self {
        for i in 0..self.items.len() {
            self.items[i].tip = tip(&self.item_facts(&self.items[i]));
        }
        let mut cells = Frame { items: Vec::new(), ..Frame::default() };
        for index in 0..self.grids.first().map_or(0, |grid| grid.cells.len()) {
            let Some(class) = self.grids.iter().find_map(|grid| grid.class(index)) else { continue };
            let [x, y] = self.grids[0].place(index);
            let at = [x as f32 * self.cell, y as f32 * self.cell];
            let item = cells.add(class, Key::cell(index), Shape::Cell(at));
            item.of(self.grids.iter().find_map(|grid| grid.owner(index)));
            // Where nothing is known of a quantity, nothing can grow, such as on water, or nothing is to be seen.
            if let Some(strength) = self.grids.iter().find_map(|grid| strength(grid, index)) {
                item.strength(strength);
            }
            // Cells that need no words in the legend, such as the sea, need none here either.
            if self.legend.iter().find(|entry| entry.name == class).is_none_or(|entry| !entry.meanings.is_empty()) {
                item.tip(tip(&self.cell_facts(index)));
            }
        }
        cells.items.append(&mut self.items);
        Self { items: cells.items, grids: Vec::new(), ..self }
    }
}

/// Returns a number with at most two decimals. The formatting of floating-point numbers takes more code than all facts.
fn decimal(number: f64) -> String {
    let half = if number < 0.0 { -0.5 } else { 0.5 };
    let hundredths = (number * 100.0 + half) as i64;
    let (whole, rest) = (hundredths.abs() / 100, hundredths.abs() % 100);
    let sign = if hundredths < 0 { "-" } else { "" };
    match rest {
        0 => format!("{sign}{whole}"),
        rest if rest % 10 == 0 => format!("{sign}{whole}.{}", rest / 10),
        rest => format!("{sign}{whole}.{rest:02}"),
    }
}

fn strength(grid: &Grid, index: usize) -> Option<f32> {
    match (grid.codes, grid.cells.get(index)) {
        (Codes::Amounts(most), Some(amount)) if *amount >= 0 => {
            Some((f32::from(*amount) / f32::from(most.max(1))).clamp(0.0, 1.0))
        }
        _ => None,
    }
}

/// Returns facts as one line, such as `planet 3, owner seat 1, ships 34`.
fn tip(facts: &[Fact]) -> String {
    let mut line = String::new();
    for (name, value) in facts {
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(name);
        if !value.is_empty() {
            line.push(' ');
            line.push_str(value);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_decimals_that_they_need() {
        for (number, text) in [
            (0.0, "0"),
            (-3.0, "-3"),
            (2.5, "2.5"),
            (2.25, "2.25"),
            (2.29, "2.29"),
            (-0.05, "-0.05"),
            (1e9, "1000000000"),
            (1e300, "92233720368547758.07"),
        ] {
            assert_eq!(decimal(number), text);
        }
    }
}
