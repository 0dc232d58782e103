//! The report of a test: lines for people, one document for programs.

use super::{contest::Contest, null::LEAST_BLOCKS, question::model_name, run::Ended};
use crate::{
    clean::{clean, cut},
    printer::Style,
};
use agon_play::PreparedBot;
use agon_spec::{TestBot, TestDocument, TestEstimate, TestFaults, TestNull, TestSeat};
use agon_stats::{ELO_LIMIT, EloModel, Estimate, Pentanomial};
use agon_tournament::words::{self, Real};
use agon_tourney::{ComparisonTerms, Findings, Measure, NEW, OLD, Reason, Verdict};
use std::fmt::Write;

/// The most faults that are shown to a person.
const SHOWN_FAULTS: usize = 5;

/// A test with its findings.
pub struct TestReport<'a> {
    pub contest: &'a Contest,
    pub terms: &'a ComparisonTerms,
    pub ended: &'a Ended,
    /// What it says of a bot against its own copy.
    pub null: Option<TestNull>,
    /// Whether that was asked for.
    pub is_null: bool,
}

impl TestReport<'_> {
    /// Returns the document of `--format json`.
    pub fn document(&self) -> TestDocument {
        let Self { contest, terms, ended, .. } = self;
        let findings = &ended.findings;
        let margin = if let Measure::Margin { most } = terms.measure { Some(most) } else { None };
        let seat = |(index, (matches, sum)): (usize, &(u64, f64))| TestSeat {
            seat: index as u32 + 1,
            matches: *matches,
            mean: (*matches > 0).then(|| sum / *matches as f64),
        };
        TestDocument {
            verdict: findings.verdict.name().to_owned(),
            reason: findings.reason.name().to_owned(),
            model: model_name(terms.measure).to_owned(),
            llr: findings.llr,
            bounds: findings.bounds,
            elo0: terms.bounds[0],
            elo1: terms.bounds[1],
            alpha: terms.alpha,
            beta: terms.beta,
            pentanomial: findings.pentanomial.map(|Pentanomial(counts)| counts),
            blocks: findings.blocks,
            distinct_blocks: findings.distinct_blocks,
            matches: findings.matches,
            spoilt: findings.spoilt,
            faults: TestFaults { old: findings.faults.old, new: findings.faults.new, field: findings.faults.field },
            elo: findings.elo.map(document_estimate),
            anytime: findings.anytime.map(document_estimate),
            wald_bounds: findings.wald_bounds,
            log_e_values: findings.log_e_values,
            log_e_bounds: findings.log_e_bounds,
            repeats: findings.repeats,
            left_out: findings.left_out,
            forfeited_blocks: findings.forfeited_blocks,
            double_forfeits: findings.double_forfeits,
            margin,
            clipped: findings.clipped_share().filter(|_| margin.is_some()),
            equivalent: terms.equivalent,
            empty: matches!(terms.measure, Measure::Pairs { .. }).then(|| terms.empty.name().to_owned()),
            max_matches: terms.max_matches,
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            game: contest.spec.game.clone(),
            rules: contest.spec.rules.clone(),
            seed: terms.seed,
            old: bot(&contest.bots[OLD]),
            new: bot(&contest.bots[NEW]),
            field: contest.bots.iter().skip(2).map(bot).collect(),
            seats: findings.seats.iter().enumerate().map(seat).collect(),
            fault_list: ended.faults.clone(),
            null: self.null,
        }
    }

    /// Returns the findings, the first faults, the seed, and the answer as the last line.
    pub fn text(&self, colour: bool) -> String {
        let Self { contest, terms, ended, .. } = self;
        let findings = &ended.findings;
        let mut out = String::new();
        let mut row = |name: &str, text: String| {
            let _ = writeln!(out, "{} {text}", Style::Faint.paint(&format!("{name:<9}"), colour));
        };
        row("old", words(&contest.bots[OLD]));
        row("new", words(&contest.bots[NEW]));
        for bot in contest.bots.iter().skip(2) {
            row("field", words(bot));
        }
        row("asked", asked(terms));
        if let Some(Pentanomial(counts)) = findings.pentanomial {
            let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
            row("pairs", format!("{}  (of 0, 1/2, 1, 3/2 and 2 points)", counts.join(" ")));
        }
        row("evidence", evidence(terms, findings));
        row("that is", explained(terms, findings));
        if let Some(elo) = findings.elo {
            let empty = if terms.empty.is_default() { "" } else { ", empty cells as in fastchess" };
            row("estimate", format!("{}, 95 %, for a test that stops here{empty}", estimate(terms.measure, elo)));
        }
        if let Some(anytime) = findings.anytime {
            row("anytime", format!("{}, 95 %, whenever one looks", estimate(terms.measure, anytime)));
        }
        if let (Measure::Margin { .. }, Some(clipped)) = (terms.measure, findings.clipped_share()) {
            row("clipped", format!("{:.1} % of the differences", 100.0 * clipped));
        }
        row("played", played(findings));
        let TestFaults { old, new, field } = self.document().faults;
        if old + new + field > 0 {
            let field = if contest.bots.len() > 2 { format!(", field {field}") } else { String::new() };
            row("faults", format!("old {old}, new {new}{field}"));
        }
        if findings.double_forfeits > 0 {
            let (forfeited, left_out) = (words::matches(findings.double_forfeits), findings.forfeited_blocks);
            let blocks = words::count(left_out, "block", "blocks");
            row("forfeits", format!("all bots failed in {forfeited}: {blocks} left out"));
        }
        row("seed", terms.seed.to_string());
        if !contest.spec.rules.is_empty() {
            row("rules", clean(&contest.spec.rules));
        }
        for fault in ended.faults.iter().take(SHOWN_FAULTS) {
            let at = agon_referee::turn_name(fault.fault.ply, None);
            let (bot, text) = (clean(&fault.bot), cut(&fault.fault.text, 100));
            let seating = fault.seating.iter().map(|name| clean(name)).collect::<Vec<_>>().join(" ");
            let _ = write!(out, "\n{bot}: match {} ({seating}, seed {}), {at}: {text}", fault.id, fault.seed);
        }
        if !ended.faults.is_empty() {
            out.push('\n');
        }
        let style = if findings.verdict == Verdict::Better { Style::Good } else { Style::Strong };
        let _ = writeln!(out, "\n{}", style.paint(&self.answer(), colour));
        out
    }

    /// Returns the answer as a sentence.
    pub fn answer(&self) -> String {
        if self.is_null {
            return self.null_answer();
        }
        let findings = &self.ended.findings;
        let [old, new] = [OLD, NEW].map(|bot| clean(&self.contest.name(bot)));
        let after = words::matches(findings.matches);
        match (findings.verdict, findings.reason) {
            (Verdict::Better, _) if self.terms.bounds[0] < 0.0 => {
                let most = bound(self.terms, -self.terms.bounds[0]);
                format!("{new} is not worse than {old} by {most} ({after})")
            }
            (Verdict::Better, _) if self.terms.bounds[0] > 0.0 => {
                let least = bound(self.terms, self.terms.bounds[0]);
                format!("{new} is better than {old} by more than {least} ({after})")
            }
            (Verdict::Better, _) => format!("{new} is better than {old} ({after})"),
            (Verdict::NotBetter, Reason::Failing) => {
                format!("{new} is not better than {old}: it fails in every game ({after})")
            }
            // Were it as good as the upper bound says, this verdict would be an error.
            (Verdict::NotBetter, _) if self.terms.bounds[1] < 0.0 => {
                let least = bound(self.terms, -self.terms.bounds[1]);
                format!("{new} is worse than {old} by more than {least} ({after})")
            }
            (Verdict::NotBetter, _) if self.terms.bounds[1] == 0.0 => format!("{new} is worse than {old} ({after})"),
            (Verdict::NotBetter, _) => {
                let most = bound(self.terms, self.terms.bounds[1]);
                format!("{new} is not better than {old} by {most} ({after}); it may be as good, or worse")
            }
            (Verdict::Equivalent, _) => {
                let margin = bound(self.terms, self.terms.equivalent.unwrap_or_default());
                format!("{new} and {old} are equivalent, within {margin} ({after})")
            }
            (Verdict::Undecided, Reason::Exhausted) => {
                format!("undecided: {old} and {new} play nothing new on these maps any more ({after})")
            }
            (Verdict::Undecided, Reason::Failing) => match findings.failing() {
                [_, true] => format!("undecided: {old} and {new} both fail in every game ({after})"),
                [true, _] => format!("undecided: {old} fails in every game ({after})"),
                _ => format!("undecided: all bots fail again and again ({after})"),
            },
            (Verdict::Undecided, Reason::Spoilt) => format!("undecided: the host spoils too many matches ({after})"),
            (Verdict::Undecided, _) => format!("undecided after {after}"),
        }
    }

    fn null_answer(&self) -> String {
        let findings = &self.ended.findings;
        if findings.reason == Reason::Failing {
            let (bot, after) = (clean(&self.contest.name(NEW)), words::matches(findings.matches));
            let how = if findings.failing() == [false; 2] { "again and again" } else { "in every game" };
            return format!("{bot} fails {how}: nothing can be learnt ({after})");
        }
        match self.null {
            Some(TestNull { runs, better, share, low, high, .. }) => format!(
                "{better} of {runs} tests with labels drawn at random say `better`: {:.1} % ({:.1} to {:.1} %), at most \
                 {:.1} % are allowed",
                100.0 * share,
                100.0 * low,
                100.0 * high,
                100.0 * self.terms.alpha
            ),
            None if findings.distinct_blocks >= LEAST_BLOCKS => {
                "every block is worth the same with exchanged labels: nothing can be learnt from a bot that plays against its \
                 copy as it plays against itself"
                    .to_owned()
            }
            None => format!(
                "only {}: nothing can be learnt from fewer than {LEAST_BLOCKS}",
                words::count(findings.distinct_blocks, "different block", "different blocks")
            ),
        }
    }
}

fn bot(bot: &PreparedBot) -> TestBot {
    TestBot {
        name: bot.bot().name.clone(),
        bot: bot.bot().words.clone(),
        hash: bot.hash().map(|hash| hash.to_string()),
    }
}

fn words(bot: &PreparedBot) -> String {
    format!("{}  ({})", clean(&bot.bot().name), clean(&bot.bot().words))
}

/// Returns a bound in its unit, for people.
fn bound(terms: &ComparisonTerms, bound: f64) -> String {
    match terms.measure {
        Measure::Pairs { .. } => format!("{bound} {}", model_name(terms.measure)),
        Measure::Share => format!("{bound} of its opponents"),
        Measure::Margin { .. } => format!("a score of {bound}"),
    }
}

fn asked(terms: &ComparisonTerms) -> String {
    let ([low, high], name) = (terms.bounds, model_name(terms.measure));
    let errors = format!("errors {} and {}", terms.alpha, terms.beta);
    let margin = match terms.measure {
        Measure::Margin { most } => format!(" (clipped at {most})"),
        _ => String::new(),
    };
    let strengths = if low < high { format!("{low} or {high}") } else { format!("above or below {low}") };
    format!("{strengths} {name}{margin}, {errors}, at most {}", words::matches(terms.max_matches))
}

fn evidence(terms: &ComparisonTerms, findings: &Findings) -> String {
    let [low, high] = findings.bounds.map(Real);
    let ([above, below], [better, not_better]) = (findings.log_e_values.map(Real), findings.log_e_bounds.map(Real));
    let bets = format!("ln e {above:.2} of {better:.2} for better, {below:.2} of {not_better:.2} for not better");
    match (terms.measure, findings.llr) {
        (Measure::Pairs { .. }, Some(llr)) => format!("LLR {:.2}, bounds {low:.2} and {high:.2}", Real(llr)),
        (Measure::Pairs { .. }, None) => format!("no LLR, because pairs do not vary; {bets}"),
        _ => bets,
    }
}

/// Says what the words of the evidence and of the bounds mean.
fn explained(terms: &ComparisonTerms, findings: &Findings) -> String {
    let evidence = match (terms.measure, findings.llr) {
        (Measure::Pairs { .. }, Some(_)) => {
            "LLR, the log-likelihood ratio, says which of the two strengths fits better: at the upper bound new is better, at the \
             lower one not"
        }
        _ => {
            "ln e, the logarithm of what bets against each answer's opposite have won: at its bound the answer is given"
        }
    };
    let unit = match terms.measure {
        Measure::Pairs { model: EloModel::Normalized } => "; nelo is Elo in units of how much games vary",
        _ => "",
    };
    format!("{evidence}{unit}")
}

/// Returns an estimate as documents have it.
pub fn document_estimate(estimate: Estimate) -> TestEstimate {
    let Estimate { value, low, high } = estimate;
    TestEstimate { value, low, high }
}

/// Returns an estimate for people.
pub fn estimate(measure: Measure, estimate: Estimate) -> String {
    let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(Real);
    match measure {
        Measure::Pairs { .. } => {
            // Where all pairs were won or lost, only one end says something.
            let is_open = |Real(elo): Real| elo.abs() >= ELO_LIMIT - 0.05;
            match (is_open(low), is_open(high)) {
                (true, true) => "Elo unknown".to_owned(),
                (false, true) if is_open(value) => format!("Elo over {low:+.1}"),
                (true, false) if is_open(value) => format!("Elo under {high:+.1}"),
                (false, true) => format!("Elo {value:+.1} (over {low:+.1})"),
                (true, false) => format!("Elo {value:+.1} (under {high:+.1})"),
                (false, false) => format!("Elo {value:+.1} ({low:+.1} to {high:+.1})"),
            }
        }
        Measure::Share => format!("share {value:+.3} ({low:+.3} to {high:+.3})"),
        Measure::Margin { .. } => format!("score {value:+.2} ({low:+.2} to {high:+.2})"),
    }
}

fn played(findings: &Findings) -> String {
    let Findings { blocks, distinct_blocks, repeats, left_out, spoilt, .. } = findings;
    let blocks_word = if *blocks == 1 { "block" } else { "blocks" };
    let mut parts = vec![format!("{} in {blocks} {blocks_word}", words::matches(findings.matches))];
    if distinct_blocks < blocks {
        parts.push(format!("{distinct_blocks} of them different"));
    }
    if *repeats > 0 {
        parts.push(format!("and {repeats} that only repeat others"));
    }
    if *spoilt > 0 {
        parts.push(format!("{spoilt} begun anew because of the host"));
    }
    if *left_out > 0 {
        parts.push(format!("{left_out} left out because of it"));
    }
    parts.join(", ")
}
