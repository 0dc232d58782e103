//! Plain tables. Each column is as wide as its widest cell, and two blanks separate columns.

use crate::printer::Style;
use unicode_width::UnicodeWidthStr;

/// A table: a heading and rows of cells.
#[derive(Debug)]
pub struct Table {
    heading: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

/// A text and its alignment.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    right: bool,
    style: Option<Style>,
}

/// A cell that is aligned to the left.
pub fn left(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), right: false, style: None }
}

/// A cell that is aligned to the right, for numbers.
pub fn right(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), right: true, style: None }
}

impl Cell {
    /// Sets the style of the text.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = Some(style);
        self
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(heading: Vec<Cell>) -> Self {
        Self { heading, rows: Vec::new() }
    }

    /// Adds a row. It must have as many cells as the heading.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.heading.len(), "a row has one cell for each column");
        self.rows.push(cells);
    }

    /// Returns the table as lines.
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
                // Blanks are written only before more text, so that no line ends in blanks.
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
