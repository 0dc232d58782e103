//! Figures as a table for people and as a JSON document.

use agon_cli::{
    machine::Machine,
    printer::Style,
    table::{Table, left, right},
};
use agon_spec::{BenchDocument, Figure};

/// The maximum that a figure should not exceed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// The figure has no goal.
    None,
    /// A maximum for the value.
    Value(f64),
    /// A maximum for the ratio of value and floor.
    Ratio(f64),
}

/// A figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The name, which begins with the name of the game.
    pub name: String,
    /// The value in units of `unit`.
    pub value: f64,
    /// The unit of the value.
    pub unit: &'static str,
    /// A lower bound for the value, measured in the same run.
    pub floor: Option<f64>,
    /// The median over the rounds of the ratio of value and floor.
    pub ratio: Option<f64>,
    /// The goal of the figure.
    pub goal: Goal,
    /// The scatter of the rounds, as a share of the value.
    pub scatter: f64,
    /// What a reader should know about the figure.
    pub remark: Option<String>,
}

impl Row {
    /// Returns a figure without floor and goal.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, floor: None, ratio: None, goal: Goal::None, scatter: 0.0, remark: None }
    }

    /// Whether the figure meets its goal. `None` if it has no goal.
    pub fn met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::Value(most) => Some(self.value <= most),
            Goal::Ratio(most) => self.ratio.map(|ratio| ratio <= most),
        }
    }

    fn document(&self) -> Figure {
        let goal = match self.goal {
            Goal::None => None,
            Goal::Value(most) | Goal::Ratio(most) => Some(rounded(most)),
        };
        Figure {
            name: self.name.clone(),
            value: rounded(self.value),
            unit: self.unit.to_owned(),
            floor: self.floor.map(rounded),
            ratio: self.ratio.map(rounded),
            goal,
        }
    }
}

/// The figures of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The name of the bench on the command line.
    pub bench: &'static str,
    machine: Machine,
    /// The figures in the order in which they are shown.
    pub rows: Vec<Row>,
}

/// The maximum scatter, as a share of the median. A warning names rounds with a larger one.
const SCATTER: f64 = 0.1;

impl Report {
    /// Returns an empty report. It looks at the load now, before the bench adds to it.
    pub fn begin(bench: &'static str) -> Self {
        Self { bench, machine: Machine::look(), rows: Vec::new() }
    }

    /// Returns the report for programs.
    pub fn document(&self) -> BenchDocument {
        BenchDocument {
            bench: self.bench.to_owned(),
            machine: self.machine.document(),
            rows: self.rows.iter().map(Row::document).collect(),
        }
    }

    /// Returns the report for people.
    pub fn text(&self, colour: bool) -> String {
        let heading = [left("figure"), right("value"), left("unit"), right("floor"), right("ratio"), left("goal")];
        let mut table = Table::new(heading.into_iter().chain([left("met"), left("remark")]).collect());
        let number = |value: Option<f64>| right(value.map_or_else(String::new, short));
        for row in &self.rows {
            let goal = match row.goal {
                Goal::None => String::new(),
                Goal::Value(most) => format!("at most {}", short(most)),
                Goal::Ratio(most) => format!("ratio at most {}", short(most)),
            };
            let met = match row.met() {
                None => left(""),
                Some(true) => left("yes").style(Style::Good),
                Some(false) => left("NO").style(Style::Bad),
            };
            let remark = left(row.remark.clone().unwrap_or_default());
            let numbers = [number(Some(row.value)), left(row.unit), number(row.floor), number(row.ratio)];
            table.row([left(&row.name)].into_iter().chain(numbers).chain([left(goal), met, remark]).collect());
        }
        format!("{}\n{}", self.machine.text(), table.render(colour))
    }

    /// Returns the reasons why these figures may be wrong.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if cfg!(debug_assertions) {
            doubts.push("this program is not optimised: build it with `--release`".to_owned());
        }
        if let (true, Some(load)) = (self.machine.is_busy(), self.machine.load) {
            doubts.push(format!(
                "the machine was busy before the bench began (load {load:.1}): wall times mean little, and CPU times \
                 and ratios are probably too high"
            ));
        }
        for row in self.rows.iter().filter(|row| row.scatter > SCATTER) {
            let percent = row.scatter * 100.0;
            doubts.push(format!("the rounds of {} lie {percent:.0} % apart: run the bench again", row.name));
        }
        doubts
    }
}

/// Rounds to four significant digits, because no bench is more precise.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    // Dividing by a power of ten gives the closest decimal fraction. Multiplying by a tenth does not.
    let power = 10f64.powi(digits.abs());
    if digits >= 0 { (value * power).round() / power } else { (value / power).round() * power }
}

/// Rounds as [`rounded`] does and leaves out zeros at the end.
fn short(value: f64) -> String {
    rounded(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_told() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (1.23456, "1.235"),
            (123_456.0, "123500"),
            (0.000_123_456, "0.0001235"),
            (99.996, "100"),
        ] {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn rows_of_the_document_are_rounded_and_say_what_is_missing() {
        let mut report = Report::begin("sim");
        let row = Row { floor: Some(2.0), ratio: Some(1.5), goal: Goal::Ratio(1.4), ..Row::new("toy-16", 3.0, "us") };
        report.rows.extend([row, Row::new("grid", 5.0, "ns")]);
        assert_eq!(
            serde_json::to_string(&report.document().rows).unwrap(),
            r#"[{"name":"toy-16","value":3.0,"unit":"us","floor":2.0,"ratio":1.5,"goal":1.4},{"name":"grid","value":5.0,"unit":"ns","floor":null,"ratio":null,"goal":null}]"#
        );
    }

    #[test]
    fn a_goal_is_met_or_not_or_is_none() {
        let row = Row { ratio: Some(1.5), ..Row::new("a", 3.0, "us") };
        assert_eq!(row.met(), None);
        assert_eq!(Row { goal: Goal::Ratio(1.4), ..row.clone() }.met(), Some(false));
        assert_eq!(Row { goal: Goal::Value(3.0), ..row }.met(), Some(true));
    }

    #[test]
    fn rounds_that_scatter_are_doubted() {
        let mut report = Report::begin("sim");
        report.rows.push(Row { scatter: 0.4, ..Row::new("grid-10x10", 5.0, "ns") });
        assert!(report.doubts().iter().any(|doubt| doubt.contains("grid-10x10 lie 40 % apart")));
    }
}
