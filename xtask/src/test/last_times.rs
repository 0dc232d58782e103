//! The times that the steps took last, in a file with a line for each.

use super::runner::{Outcome, Row, Step};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The times of the steps, in seconds.
pub struct LastTimes {
    file: PathBuf,
    seconds: BTreeMap<String, u64>,
}

impl LastTimes {
    /// Reads the file. What cannot be read is not known.
    pub fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_default();
        let seconds = text.lines().filter_map(|line| {
            let (name, seconds) = line.split_once(' ')?;
            Some((name.to_owned(), seconds.parse().ok()?))
        });
        Self { file: file.to_owned(), seconds: seconds.collect() }
    }

    /// Returns a line about each step: its number, its name, its last time, and what it is for.
    pub fn told(&self, groups: &[&[Step]]) -> String {
        let steps: Vec<&Step> = groups.iter().copied().flatten().collect();
        let mut text = format!("{} steps, with the time that each took last:\n", steps.len());
        for (number, step) in (1..).zip(steps) {
            let last = self.seconds.get(step.name).map_or_else(|| "-".to_owned(), |seconds| format!("{seconds} s"));
            text += &format!("{number:>3}  {:<10} {last:>6}  {}\n", step.name, step.purpose);
        }
        text
    }

    /// Takes the times of steps that ran to their end.
    pub fn renewed(mut self, rows: &[Row]) -> Self {
        let ran = rows.iter().filter(|row| !matches!(row.outcome, Outcome::Skipped(_)));
        self.seconds.extend(ran.map(|row| (row.name.to_owned(), row.time.as_secs_f64().round() as u64)));
        self
    }

    /// Writes the file. Without it, the next run knows no times.
    pub fn write(&self) {
        let lines: String = self.seconds.iter().map(|(name, seconds)| format!("{name} {seconds}\n")).collect();
        let _ = fs::write(&self.file, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::runner::step, *};
    use crate::test::runner::Place;

    #[test]
    fn the_next_run_tells_the_times_of_this_one() {
        let file = crate::target_folder().join(format!("tmp/test-times-{}", std::process::id()));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "slow 75\ngone 3\nbroken\n").unwrap();
        let steps: &[Step] = &[step("slow", "it is slow", &["true"]), step("quick", "it is quick", &["true"])];
        let times = LastTimes::read(&file);
        let told = times.told(&[steps]);
        assert_eq!(
            told.lines().collect::<Vec<_>>(),
            [
                "2 steps, with the time that each took last:",
                "  1  slow         75 s  it is slow",
                "  2  quick           -  it is quick"
            ]
        );
        let row = steps[1].run(Place::Background);
        times.renewed(&[row]).write();
        assert!(LastTimes::read(&file).told(&[steps]).contains("quick         0 s"));
        fs::remove_file(&file).unwrap();
        assert!(LastTimes::read(&file).told(&[steps]).contains("slow            -"));
    }
}
