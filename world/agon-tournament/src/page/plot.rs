//! Small plots in the cells of tables.

use agon_spec::ReportTime;
use maud::{Markup, html};

/// The width and the height of a plot.
const WIDTH: f64 = 180.0;
const HEIGHT: f64 = 22.0;
/// What is free on either side, so that dots at the ends are whole.
const MARGIN: f64 = 6.0;

/// Returns a coordinate with one digit behind the point.
fn at(value: f64) -> String {
    format!("{value:.1}")
}

/// Returns the column of a share.
fn x(share: f64) -> String {
    at(MARGIN + share.clamp(0.0, 1.0) * (WIDTH - 2.0 * MARGIN))
}

fn frame(label: &str, inner: &Markup) -> Markup {
    html! {
        svg width=(WIDTH) height=(HEIGHT) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) { (inner) }
    }
}

/// Returns the numbers over the plots of shares.
pub(super) fn share_axis() -> Markup {
    frame(
        "from 0 to 100 %",
        &html! {
            text.tick x=(x(0.0)) y="18" text-anchor="start" { "0" }
            text.tick x=(x(0.5)) y="18" text-anchor="middle" { "50" }
            text.tick x=(x(1.0)) y="18" text-anchor="end" { "100" }
        },
    )
}

/// Returns a share with its interval on a line from 0 to 1.
pub(super) fn share(share: f64, interval: Option<[f64; 2]>) -> Markup {
    let label = match interval {
        Some([low, high]) => format!("{:.0} %, from {:.0} to {:.0}", share * 100.0, low * 100.0, high * 100.0),
        None => format!("{:.0} %", share * 100.0),
    };
    frame(
        &label,
        &html! {
            line.axis x1=(x(0.0)) x2=(x(1.0)) y1="11" y2="11" {}
            line.mid x1=(x(0.5)) x2=(x(0.5)) y1="3" y2="19" {}
            @if let Some([low, high]) = interval { line.range x1=(x(low)) x2=(x(high)) y1="11" y2="11" {} }
            circle.dot cx=(x(share)) cy="11" r="4.5" {}
        },
    )
}

/// A scale for times on which each step is ten times the one before.
pub(super) struct TimeScale {
    /// The powers of ten of both ends, in microseconds.
    first: f64,
    last: f64,
}

impl TimeScale {
    /// Returns the scale on which all of these times have room.
    pub(super) fn of(times: &[ReportTime]) -> Self {
        let most = times.iter().flat_map(|row| [row.longest_us, row.limit_us]).flatten().max().unwrap_or(0);
        let last = (most.max(10_000) as f64).log10().ceil();
        Self { first: 1.0, last }
    }

    fn share(&self, us: f64) -> f64 {
        (us.max(1.0).log10() - self.first) / (self.last - self.first)
    }

    fn x(&self, us: f64) -> String {
        x(self.share(us))
    }

    /// Returns the times over the plots.
    pub(super) fn axis(&self) -> Markup {
        let (first, last) = (self.first as u32, self.last as u32);
        // Not every step has room for its name.
        let step = (last - first).div_ceil(3).max(1);
        let names = (first..=last).step_by(step as usize).map(|power| (power, 10_u64.saturating_pow(power)));
        let anchor = |power| match power {
            power if power == first => "start",
            power if power == last => "end",
            _ => "middle",
        };
        let inner = html! {
            @for (power, us) in names {
                text.tick x=(self.x(us as f64)) y="18" text-anchor=(anchor(power)) { (round(us)) }
            }
        };
        frame("a scale on which each step is ten times the one before", &inner)
    }

    /// Returns the times of a bot.
    pub(super) fn row(&self, time: &ReportTime) -> Markup {
        let most = time.longest_by_size.iter().map(|bin| bin.matches).max().unwrap_or(1) as f64;
        let bin = |below: u64| (self.share(below as f64 / 2.0).max(0.0), self.share(below as f64));
        let label = time.longest_us.map_or_else(|| "no answer".to_owned(), |us| format!("at most {us} us"));
        let inner = html! {
            line.axis x1=(x(0.0)) x2=(x(1.0)) y1="11" y2="11" {}
            @for one in &time.longest_by_size {
                @let (from, to) = bin(one.below_us);
                @if to > from {
                    rect.bin x=(x(from)) y="5" height="12" width=(at((to - from) * (WIDTH - 2.0 * MARGIN)))
                        opacity=(format!("{:.2}", 0.15 + 0.65 * one.matches as f64 / most)) {}
                }
            }
            @if let Some(us) = time.longest_us {
                line.max x1=(self.x(us as f64)) x2=(self.x(us as f64)) y1="4" y2="18" {}
            }
            @if let Some(us) = time.limit_us {
                line.limit x1=(self.x(us as f64)) x2=(self.x(us as f64)) y1="1" y2="21" {}
            }
            @if let Some(us) = time.mean_us { circle.dot cx=(self.x(us as f64)) cy="11" r="4" {} }
        };
        frame(&label, &inner)
    }
}

/// Returns a power of ten as a time.
fn round(us: u64) -> String {
    match us {
        1_000_000.. => format!("{}s", us / 1_000_000),
        1_000.. => format!("{}ms", us / 1_000),
        _ => format!("{us}us"),
    }
}
