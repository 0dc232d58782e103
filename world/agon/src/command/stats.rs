//! `agon stats …`: statistics of counts that the user gives.

use super::{
    Format,
    test::{Bounds, Empty, Model, bounds},
};
use crate::{
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
};
use agon_spec::{StatsEloDocument, StatsEstimate, StatsEstimateDocument, StatsLlrDocument, StatsSequenceDocument};
use agon_stats::{
    BetRules, ConfidenceSequence, Counts, Estimate, Hypotheses, Pentanomial, StoppedBy, Summary, Trinomial, Wealth,
    estimate_after_stop,
};
use agon_tournament::words::{Real, count};
use clap::{Args, Subcommand, ValueEnum};
use std::io::Read;

/// Compute statistics of counts, without playing.
///
/// It is the code that tests and ratings use. docs/statistics.md has the models, the units and their limits.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon stats llr --pentanomial 14,120,226,143,19 --model nelo --bounds 0,10
  agon stats elo --trinomial 300,310,390 --format json
  agon stats estimate --pentanomial 14,120,226,143,19 --bounds 0,10
  agon stats sequence 1 0.5 1 0.75")]
pub struct Stats {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Llr(Llr),
    Elo(Elo),
    Estimate(AfterStop),
    Sequence(Sequence),
}

/// Results of games or pairs.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct Results {
    /// How many pairs of games had 0, 1/2, 1, 3/2 and 2 points.
    #[arg(long, value_name = "A,B,C,D,E", value_parser = five)]
    pentanomial: Option<Pentanomial>,
    /// How many games were lost, drawn and won.
    #[arg(long, value_name = "LOST,DRAWN,WON", value_parser = three)]
    trinomial: Option<Trinomial>,
}

/// What a test asks.
#[derive(Args, Debug)]
struct Question {
    /// The unit of the bounds: normalized Elo or logistic Elo.
    #[arg(long, value_enum, value_name = "MODEL", default_value_t)]
    model: Model,
    /// The two hypotheses.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = bounds, default_value = "0,10", allow_hyphen_values = true)]
    bounds: Bounds,
    /// The probability of `better` at ELO0.
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    alpha: f64,
    /// The probability of `not better` at ELO1.
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    beta: f64,
}

/// The log-likelihood ratio of two hypotheses.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon stats llr --pentanomial 14,120,226,143,19 --bounds 0,10
  agon stats llr --trinomial 300,310,390 --model elo --bounds 0,5 --format json")]
struct Llr {
    #[command(flatten)]
    results: Results,
    #[command(flatten)]
    question: Question,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// Elo of a number of games that was chosen beforehand.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon stats elo --pentanomial 14,120,226,143,19
  agon stats elo --trinomial 300,310,390 --empty fastchess --format json")]
struct Elo {
    #[command(flatten)]
    results: Results,
    /// How cells without a result are treated: as by fishtest (0.001 results) or as by fastchess (none).
    #[arg(long, value_enum, value_name = "WAY", default_value_t)]
    empty: Empty,
    /// The confidence of the intervals.
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    confidence: f64,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// Which ratio has stopped a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Stopper {
    /// Its approximation that is linear in the score, as fishtest takes it.
    #[default]
    Linear,
    /// The exact one, as `agon test` takes it.
    Exact,
}

impl Stopper {
    fn ratio(self) -> StoppedBy {
        match self {
            Self::Linear => StoppedBy::LinearRatio,
            Self::Exact => StoppedBy::ExactRatio,
        }
    }
}

/// Elo after a sequential test that has stopped.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon stats estimate --pentanomial 14,120,226,143,19 --bounds 0,10
  agon stats estimate --pentanomial 2,7,40,52,28 --stopped-by exact
  agon stats estimate --trinomial 300,310,390 --bounds 0,10 --format json")]
struct AfterStop {
    #[command(flatten)]
    results: Results,
    #[command(flatten)]
    question: Question,
    /// How cells without a result are treated: as by fishtest (0.001 results) or as by fastchess (none).
    #[arg(long, value_enum, value_name = "WAY", default_value_t)]
    empty: Empty,
    /// Which ratio has stopped the test: the linear approximation, as fishtest takes it, or the exact one, as `agon test` does.
    #[arg(long, value_enum, value_name = "RATIO", default_value_t)]
    stopped_by: Stopper,
    /// The confidence of the interval.
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    confidence: f64,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// An interval for a mean that is valid whenever one looks.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon stats sequence 1 0.5 1 0.75
  agon stats sequence - < values.txt")]
struct Sequence {
    /// Values from 0 to 1 in the order in which they came; `-` reads them from stdin.
    #[arg(value_name = "VALUE", required = true)]
    values: Vec<String>,
    /// The probability that the interval ever misses the mean.
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    alpha: f64,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Stats {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.what {
            What::Llr(what) => what.run(printer)?,
            What::Elo(what) => what.run(printer)?,
            What::Estimate(what) => what.run(printer)?,
            What::Sequence(what) => what.run(printer)?,
        }
        Ok(Exit::Done)
    }
}

impl Results {
    fn counts(&self) -> Counts {
        match (self.pentanomial, self.trinomial) {
            (Some(counts), _) => counts.into(),
            (None, counts) => counts.unwrap_or_default().into(),
        }
    }
}

impl Question {
    fn hypotheses(&self) -> Hypotheses {
        let Bounds([elo0, elo1]) = self.bounds;
        Hypotheses { model: self.model.of_elo(), elo0, elo1, alpha: self.alpha, beta: self.beta }
    }

    fn unit(&self) -> String {
        self.model.name().to_owned()
    }
}

/// What is said instead of numbers that would rest on no difference between results.
const EQUAL: &str = "unknown: all results are equal";

impl Llr {
    fn run(self, printer: &Printer) -> Result<()> {
        let (counts, hypotheses) = (self.results.counts(), self.question.hypotheses());
        let bounds = hypotheses.bounds().map_err(Error::user)?;
        let llr = hypotheses.log_likelihood_ratio(counts);
        let decision = match llr {
            Some(llr) if counts.vary() && llr >= bounds.upper => "better",
            Some(llr) if counts.vary() && llr <= bounds.lower => "not_better",
            _ => "continue",
        };
        if self.format == Format::Json {
            return printer.document(StatsLlrDocument {
                counts: counts.as_slice().to_vec(),
                model: self.question.unit(),
                elo0: hypotheses.elo0,
                elo1: hypotheses.elo1,
                alpha: hypotheses.alpha,
                beta: hypotheses.beta,
                llr,
                bounds: [bounds.lower, bounds.upper],
                decision: decision.to_owned(),
                varies: counts.vary(),
            });
        }
        let ratio = match llr {
            _ if !counts.vary() => "none: all results are equal".to_owned(),
            None => "none: no distribution over these results has a mean as far out as the bounds ask for".to_owned(),
            Some(llr) => {
                let decision = decision.replace('_', " ");
                format!("{:.2} of {:.2} to {:.2}: {decision}", Real(llr), Real(bounds.lower), Real(bounds.upper))
            }
        };
        let pairs = match counts.samples() {
            samples if samples == counts.games() => String::new(),
            samples => format!(" in {}", count(samples, "pair", "pairs")),
        };
        let about = "LLR is the log-likelihood ratio: how much better the second of the bounds fits the results than the first\n";
        printer.data(format!("LLR     {ratio}\ngames   {}{pairs}\n{about}", counts.games()))
    }
}

impl Elo {
    fn run(self, printer: &Printer) -> Result<()> {
        confident(self.confidence)?;
        let counts = self.results.counts();
        let summary = Some(counts).filter(|counts| counts.samples() > 0);
        let summary = summary.and_then(|counts| Summary::of(counts, self.empty.cells(), self.confidence));
        let summary = summary.ok_or_else(|| Error::user("there are no results").exit(Exit::Nothing))?;
        if self.format == Format::Json {
            return printer.document(StatsEloDocument {
                counts: counts.as_slice().to_vec(),
                games: summary.games,
                score: summary.score,
                variance: summary.variance,
                elo: summary.elo.map(estimate),
                nelo: summary.nelo.map(estimate),
                superiority: summary.superiority,
                skewness: summary.skewness,
                excess_kurtosis: summary.excess_kurtosis,
                confidence: self.confidence,
            });
        }
        let mut out = format!("score   {:.3}\n", summary.score);
        match (summary.elo, summary.nelo, summary.superiority) {
            _ if !counts.vary() => out.push_str(&format!("Elo     {EQUAL}\n")),
            (Some(elo), Some(nelo), Some(superiority)) => {
                out.push_str(&format!("Elo     {}\nnElo    {}\n{}", words(elo), words(nelo), better(superiority)));
                out.push_str("nElo, normalized Elo, is in units of how much games vary: it says how many games show a difference\n");
            }
            _ => out.push_str("Elo     none: all results are equal\n"),
        }
        printer.data(out)
    }
}

impl AfterStop {
    fn run(self, printer: &Printer) -> Result<()> {
        confident(self.confidence)?;
        let (counts, hypotheses) = (self.results.counts(), self.question.hypotheses());
        hypotheses.bounds().map_err(Error::user)?;
        if counts.samples() == 0 {
            return Err(Error::user("there are no results").exit(Exit::Nothing));
        }
        let stopped_by = self.stopped_by.ratio();
        let stopped = estimate_after_stop(counts, &hypotheses, self.empty.cells(), stopped_by, self.confidence)
            .ok_or_else(|| Error::user("these results have no estimate"))?;
        if self.format == Format::Json {
            return printer.document(StatsEstimateDocument {
                counts: counts.as_slice().to_vec(),
                model: self.question.unit(),
                elo0: hypotheses.elo0,
                elo1: hypotheses.elo1,
                elo: estimate(stopped.elo),
                superiority: stopped.superiority,
                llr: stopped.ratio,
                samples: stopped.samples,
                clamped: stopped.clamped,
                confidence: self.confidence,
            });
        }
        if !counts.vary() {
            return printer.data(format!("Elo     {EQUAL}\n"));
        }
        let mut out = format!("Elo     {}, median unbiased\n{}", words(stopped.elo), better(stopped.superiority));
        if stopped.clamped {
            out.push_str("the ratio is far past a bound: the estimate is not to be trusted\n");
        }
        printer.data(out)
    }
}

impl Sequence {
    fn run(self, printer: &Printer) -> Result<()> {
        let mut text = self.values.join(" ");
        if self.values == ["-"] {
            text.clear();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|why| Error::user(format!("cannot read stdin: {}", crate::error::reason(&why))))?;
        }
        let bad_alpha = || Error::user("alpha must be between 0 and 1");
        let mut sequence = ConfidenceSequence::new(self.alpha).ok_or_else(bad_alpha)?;
        let rules = BetRules { alpha: self.alpha, ..BetRules::default() };
        let mut wealth = Wealth::new(rules, 0.5).ok_or_else(bad_alpha)?;
        for word in text.split([' ', '\n', '\t', ',', '\r']).filter(|word| !word.is_empty()) {
            let value = word.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value)).ok_or_else(|| {
                let word = crate::clean::clean(&crate::clean::cut(word, 40));
                Error::user(format!("`{word}` is no number from 0 to 1"))
            })?;
            sequence.add(value);
            wealth.add(value);
        }
        let (interval, elo) = (sequence.interval(), sequence.elo());
        if self.format == Format::Json {
            return printer.document(StatsSequenceDocument {
                values: sequence.values(),
                mean: sequence.mean(),
                low: interval.low,
                high: interval.high,
                elo: elo.map(estimate),
                log_evidence_above_half: wealth.log_above(),
                alpha: self.alpha,
            });
        }
        let (Some(mean), Some(elo)) = (sequence.mean(), elo) else {
            return Err(Error::user("there are no values").exit(Exit::Nothing));
        };
        printer.data(format!(
            "mean    {mean:.3} of {}\nalways  {:.3} to {:.3}\nElo     {}\n",
            count(sequence.values(), "value", "values"),
            interval.low,
            interval.high,
            words(elo)
        ))
    }
}

fn estimate(Estimate { value, low, high }: Estimate) -> StatsEstimate {
    StatsEstimate { value, low, high }
}

/// An interval that is wider than this, in Elo of either kind, says nothing.
const MOST_WIDTH: f64 = 4000.0;

fn words(estimate: Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    if high - low > MOST_WIDTH {
        return "unknown: too few different results".to_owned();
    }
    format!("{:.1} ({:.1} to {:.1})", Real(value), Real(low), Real(high))
}

fn better(superiority: f64) -> String {
    format!("better  with a likelihood of {:.1} %\n", 100.0 * superiority)
}

fn confident(confidence: f64) -> Result<()> {
    let good = confidence > 0.0 && confidence < 1.0;
    if good { Ok(()) } else { Err(Error::user("the confidence must be between 0 and 1")) }
}

/// The largest count: sums of five stay far from what a number can hold.
const MOST: u64 = 1 << 50;

fn cells<const N: usize>(text: &str) -> std::result::Result<[u64; N], String> {
    let wrong = || format!("expected {N} whole numbers up to {MOST}, separated by commas");
    let cells: Option<Vec<u64>> =
        text.split(',').map(|cell| cell.trim().parse().ok().filter(|count| *count <= MOST)).collect();
    cells.and_then(|cells| cells.try_into().ok()).ok_or_else(wrong)
}

fn five(text: &str) -> std::result::Result<Pentanomial, String> {
    cells(text).map(Pentanomial)
}

fn three(text: &str) -> std::result::Result<Trinomial, String> {
    cells(text).map(Trinomial)
}
