//! Plain tables: columns aligned by what is in them, two blanks between.

use crate::printer::Style;

/// Rows of cells under a heading.
#[derive(Debug)]
pub struct Table {
    heading: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

/// A text and which side of its column it keeps to.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    right: bool,
    style: Option<Style>,
}

/// A cell that keeps left.
pub fn left(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), right: false, style: None }
}

/// A cell that keeps right, for numbers.
pub fn right(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), right: true, style: None }
}

impl Cell {
    /// With a style.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = Some(style);
        self
    }

    fn width(&self) -> usize {
        self.text.chars().map(columns).sum()
    }
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(heading: Vec<Cell>) -> Self {
        Self { heading, rows: Vec::new() }
    }

    /// Adds a row of as many cells as the heading has.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.heading.len(), "a row has a cell a column");
        self.rows.push(cells);
    }

    /// As lines.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let all = || std::iter::once(&self.heading).chain(&self.rows);
        let widths: Vec<usize> = (0..self.heading.len())
            .map(|i| all().filter_map(|r| r.get(i)).map(Cell::width).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for (number, row) in all().enumerate() {
            let mut line = String::new();
            let mut owed = 0;
            for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let room = width.saturating_sub(cell.width());
                let (before, after) = if cell.right { (room, 0) } else { (0, room) };
                let gap = if i == 0 { 0 } else { 2 };
                let style = if number == 0 { Some(Style::Faint) } else { cell.style };
                let text = style.map_or_else(|| cell.text.clone(), |style| style.paint(&cell.text, colour));
                // Blanks are owed until something follows, so that no line ends in them.
                if !text.is_empty() {
                    line.push_str(&" ".repeat(owed + gap + before));
                    line.push_str(&text);
                    owed = after;
                } else {
                    owed += gap + room;
                }
            }
            out.push_str(&line);
            out.push('\n');
        }
        out
    }
}

/// How many columns of a terminal a character takes, nearly: East Asian wide ones and pictographs take two.
fn columns(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_trailing_blanks() {
        let mut table = Table::new(vec![left("name"), right("score"), left("fault")]);
        table.row(vec![left("a"), right("10"), left("")]);
        table.row(vec![left("日本"), right("1234567"), left("late")]);
        assert_eq!(table.render(false), "name    score  fault\na          10\n日本  1234567  late\n");
    }

    #[test]
    fn colours_do_not_move_columns() {
        let mut table = Table::new(vec![left("a"), left("b")]);
        table.row(vec![left("x").style(Style::Good), left("y")]);
        let painted = table.render(true);
        assert!(painted.contains("\x1b[32mx\x1b[0m  y"), "{painted:?}");
    }
}
