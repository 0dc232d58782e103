//! Plain tables. Each column is as wide as its widest cell, and two blanks separate columns. On a terminal that is too
//! narrow, texts are cut, and numbers never.

use crate::printer::Style;
use terminal_size::{Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The blanks between two columns.
const GAP: usize = 2;
/// The least width to which a column of texts is cut.
const LEAST: usize = 8;

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

    /// Returns the text, cut to this width if it is a text and not a number.
    fn cut(&self, width: usize) -> String {
        if self.right || self.width() <= width {
            return self.text.clone();
        }
        let mut room = width.saturating_sub(1);
        let fits = |c: &char| {
            let wide = c.width().unwrap_or(0);
            let fits = wide <= room;
            room = room.saturating_sub(wide);
            fits
        };
        self.text.chars().take_while(fits).chain(['…']).collect()
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

    /// Returns the table as lines, which fit the terminal if stdout is one.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let columns = terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns));
        self.fit(colour, columns)
    }

    /// Returns the width of each column, so that a line fits into `columns` if that can be: the widest column of texts is
    /// cut first.
    fn widths(&self, columns: Option<usize>) -> Vec<usize> {
        let all = || std::iter::once(&self.heading).chain(&self.rows);
        let widest = |i: usize| all().filter_map(|row| row.get(i)).map(Cell::width).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..self.heading.len()).map(widest).collect();
        let gaps = GAP * widths.len().saturating_sub(1);
        let mut excess = columns.map_or(0, |columns| (widths.iter().sum::<usize>() + gaps).saturating_sub(columns));
        while excess > 0 {
            let texts = self.heading.iter().enumerate().filter(|(i, cell)| !cell.right && widths[*i] > LEAST);
            let Some((widest, _)) = texts.max_by_key(|(i, _)| widths[*i]) else { break };
            widths[widest] -= 1;
            excess -= 1;
        }
        widths
    }

    /// Returns the table as lines of at most `columns`, as far as that can be without cutting a number.
    fn fit(&self, colour: bool, columns: Option<usize>) -> String {
        let all = || std::iter::once(&self.heading).chain(&self.rows);
        let widths = self.widths(columns);
        let mut out = String::new();
        for (number, row) in all().enumerate() {
            let mut line = String::new();
            let mut owed = 0;
            for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let shown = cell.cut(*width);
                let room = width.saturating_sub(shown.width());
                let (before, after) = if cell.right { (room, 0) } else { (0, room) };
                let gap = if i == 0 { 0 } else { GAP };
                let style = if number == 0 { Some(Style::Faint) } else { cell.style };
                let text = style.map_or_else(|| shown.clone(), |style| style.paint(&shown, colour));
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
    fn on_a_narrow_terminal_texts_are_cut_and_numbers_are_not() {
        let mut table = Table::new(vec![right("place"), left("name"), right("points"), left("fault")]);
        table.row(vec![right("1"), left("a bot with a long name"), right("1234567890"), left("late, turn 7")]);
        table.row(vec![right("2"), left("日本語の長い名前です"), right("0"), left("")]);
        let shown = table.fit(false, Some(39));
        assert!(shown.lines().all(|line| line.width() <= 39), "{shown}");
        assert!(shown.contains("1234567890  late") && shown.contains('…'), "{shown}");
        // A terminal that is too narrow for everything gets lines that are too long.
        let shown = table.fit(false, Some(10));
        assert!(shown.contains("a bot w…") && shown.contains("1234567890"), "{shown}");
        assert_eq!(table.fit(false, Some(200)), table.fit(false, None));
    }

    #[test]
    fn colours_do_not_move_columns() {
        let mut table = Table::new(vec![left("a"), left("b")]);
        table.row(vec![left("x").style(Style::Good), left("y")]);
        let painted = table.render(true);
        assert!(painted.contains("\x1b[32mx\x1b[0m  y"), "{painted:?}");
    }
}
