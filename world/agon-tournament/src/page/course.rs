//! The course of a test: what the evidence and the estimate were after each block.

use crate::words::number;
use agon_stats::{ELO_LIMIT, Estimate};
use agon_tourney::{CoursePoint, Findings, Measure};
use maud::{Markup, html};
use std::fmt::Write;

/// The size of a plot.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
/// What is free around a plot for numbers and names.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;
/// The most points of a line. More cannot be told apart.
const POINTS: usize = 700;

/// A line through points of a plot.
struct Line {
    class: &'static str,
    name: String,
    points: Vec<(f64, f64)>,
}

/// A plot over the number of blocks.
struct Plot {
    blocks: f64,
    low: f64,
    high: f64,
}

impl Plot {
    fn x(&self, block: f64) -> f64 {
        LEFT + block / self.blocks.max(1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (index, (block, value)) in points.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", self.x(*block), self.y(*value));
        }
        path
    }

    /// Returns the axes, these lines, and the horizontal lines with their names.
    fn draw(
        &self,
        label: &str,
        unit: &str,
        levels: &[(&'static str, f64, &str)],
        inner: &Markup,
        lines: &[Line],
    ) -> Markup {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        html! {
            svg width=(WIDTH) height=(HEIGHT) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
                @for tick in ticks(self.low, self.high) {
                    line.axis x1=(LEFT) x2=(right) y1=(at(self.y(tick))) y2=(at(self.y(tick))) {}
                    text.tick x=(LEFT - 6.0) y=(at(self.y(tick) + 4.0)) text-anchor="end" { (number(tick)) }
                }
                @for tick in ticks(0.0, self.blocks) {
                    text.tick x=(at(self.x(tick))) y=(bottom + 16.0) text-anchor="middle" { (number(tick)) }
                }
                text.tick x=(LEFT) y=(HEIGHT - 4.0) { "blocks" }
                text.tick x=(right + 6.0) y=(HEIGHT - 4.0) { (unit) }
                (inner)
                @for (class, level, name) in levels {
                    line class=(class) x1=(LEFT) x2=(right) y1=(at(self.y(*level))) y2=(at(self.y(*level))) {}
                    text.tick x=(right + 6.0) y=(at(self.y(*level) + 4.0)) { (name) }
                }
                @for line in lines { path class=(line.class) fill="none" d=(self.path(&line.points)) { title { (line.name) } } }
            }
        }
    }
}

/// Returns the course of the evidence, with the bounds at which the test stops. `None` if there is nothing to draw.
pub(super) fn evidence(findings: &Findings, measure: Measure) -> Option<Markup> {
    let course = thinned(&findings.course);
    let blocks = findings.course.len() as f64;
    let [low, high] = findings.bounds;
    let line = |class, name: &str, value: &dyn Fn(&CoursePoint) -> Option<f64>| Line {
        class,
        name: name.to_owned(),
        points: course.iter().filter_map(|(block, point)| Some((*block, value(point)?))).collect(),
    };
    if matches!(measure, Measure::Pairs { .. }) {
        let ratio = line("way best", "LLR", &|point| point.llr);
        if ratio.points.len() < 2 {
            return None;
        }
        // The bounds move with each block: at every look those of that block decided.
        let lower = line("limit", "not better", &|point| Some(point.bounds[0]));
        let upper = line("limit", "better", &|point| Some(point.bounds[1]));
        let values = || [&ratio, &lower, &upper].into_iter().flat_map(|line| &line.points).map(|(_, value)| *value);
        let plot = Plot { blocks, low: values().fold(low, f64::min) - 0.3, high: values().fold(high, f64::max) + 0.3 };
        let names = html! {
            @for (level, name) in [(low, "not better"), (high, "better")] {
                text.tick x=(WIDTH - RIGHT + 6.0) y=(at(plot.y(level) + 4.0)) { (name) }
            }
        };
        let label = "the log-likelihood ratio after each block, with the bounds that both decided then";
        return Some(plot.draw(label, "LLR", &[("mid", 0.0, "")], &names, &[lower, upper, ratio]));
    }
    let above = line("way best", "for better", &|point| Some(point.log_e_values[0]));
    let below = line("way", "for not better", &|point| Some(point.log_e_values[1]));
    if above.points.len() < 2 {
        return None;
    }
    let most = above.points.iter().chain(&below.points).map(|(_, value)| *value).fold(high.max(-low), f64::max);
    let plot = Plot { blocks, low: -3.0, high: most + 0.3 };
    let mut levels = vec![("mid", 0.0, ""), ("limit", high, "better")];
    if (high + low).abs() > 1e-9 {
        levels.push(("limit", -low, "not better"));
    }
    let label =
        "the logarithms of both e-values after each block: the bold line is for better, the thin one for not better";
    Some(plot.draw(label, "ln e", &levels, &html! {}, &[above, below]))
}

/// Returns the course of the interval that holds at any time. `None` if there is nothing to draw.
pub(super) fn estimate(findings: &Findings, measure: Measure) -> Option<Markup> {
    let course: Vec<(f64, Estimate)> =
        thinned(&findings.course).into_iter().filter_map(|(block, point)| Some((block, point.anytime?))).collect();
    let (_, last) = *course.last().filter(|_| course.len() > 1)?;
    let most = match measure {
        Measure::Pairs { .. } => ELO_LIMIT,
        Measure::Share => 1.0,
        Measure::Margin { most } => most,
    };
    // The first intervals are so wide that nothing else would be seen.
    let reach = (3.0 * (last.high - last.low)).max(last.high.abs().max(last.low.abs()) * 1.5).min(most);
    let plot = Plot { blocks: findings.course.len() as f64, low: -reach, high: reach };
    let mut band = plot.path(&course.iter().map(|(block, at)| (*block, at.high)).collect::<Vec<_>>());
    let back = plot.path(&course.iter().rev().map(|(block, at)| (*block, at.low)).collect::<Vec<_>>());
    let _ = write!(band, "{}Z", back.replacen('M', "L", 1));
    let value = Line {
        class: "way best",
        name: "mean".to_owned(),
        points: course.iter().map(|(block, at)| (*block, at.value)).collect(),
    };
    let unit = match measure {
        Measure::Pairs { .. } => "Elo",
        Measure::Share => "share",
        Measure::Margin { .. } => "score",
    };
    let label = "the mean after each block, with the interval that holds at any time";
    let inner = html! { path.band d=(band) {} };
    Some(plot.draw(label, unit, &[("mid", 0.0, "equal")], &inner, &[value]))
}

/// Returns a bar for each result of a pair.
pub(super) fn pairs(counts: [u64; 5]) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let (width, height, names) = (64.0, 120.0, ["0", "1/2", "1", "3/2", "2"]);
    let bar = |count: u64| count as f64 / most * (height - 40.0);
    html! {
        svg width=(5.0 * width) height=(height) viewBox={ "0 0 " (5.0 * width) " " (height) } role="img"
            aria-label="how many pairs gave 0 to 2 points" {
            @for (index, (count, name)) in counts.into_iter().zip(names).enumerate() {
                @let left = index as f64 * width;
                rect.bin x=(left + 8.0) width=(width - 16.0) y=(at(height - 20.0 - bar(count))) height=(at(bar(count))) {}
                text.tick x=(left + width / 2.0) y=(at(height - 24.0 - bar(count))) text-anchor="middle" { (count) }
                text.tick x=(left + width / 2.0) y=(height - 4.0) text-anchor="middle" { (name) }
            }
        }
    }
}

/// Returns at most [`POINTS`] points with the number of blocks before them, always with the last one.
fn thinned(course: &[CoursePoint]) -> Vec<(f64, &CoursePoint)> {
    let step = course.len().div_ceil(POINTS).max(1);
    let kept = |(index, _): &(usize, &CoursePoint)| index % step == 0 || index + 1 == course.len();
    course.iter().enumerate().filter(kept).map(|(index, point)| (index as f64 + 1.0, point)).collect()
}

fn at(value: f64) -> String {
    format!("{value:.1}")
}

/// Returns round numbers from `low` to `high`.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let width = high - low;
    if !(width > 0.0 && width.is_finite()) {
        return Vec::new();
    }
    let power = 10_f64.powf((width / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| width / step <= 6.0);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    (first..).map(|index| index as f64 * step).take_while(|tick| *tick <= high).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_few_round_numbers() {
        assert_eq!(ticks(0.0, 83.0), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(ticks(-3.2, 3.2).iter().map(|tick| number(*tick)).collect::<Vec<_>>(), ["-2", "0", "2"]);
        assert!(ticks(0.0, 0.0).is_empty());
        assert!(ticks(0.0, f64::INFINITY).is_empty());
        for width in [0.003, 0.7, 1.0, 17.0, 1e6] {
            let count = ticks(-width / 3.0, width).len();
            assert!((2..=8).contains(&count), "{width}: {count}");
        }
        assert_eq!([number(0.5), number(-0.001), number(1200.0)], ["0.5", "0", "1200"]);
    }
}
