//! The steps of a check in their order.

use super::trial::{GRACE, Ground, Plan, Trial};
use crate::{
    cause::short,
    clean::{clean, escape_bytes},
    error::Result,
    report::{fault_line, print_micros, turns},
};
use agon_core::{Seat, clock::print_duration};
use agon_play::{Cause, MapSource};
use agon_referee::Exit as Ending;
use agon_spec::{Refused, RefusedCount, StepResult};
use agon_tournament::words;
use std::collections::BTreeSet;

/// The number of rounds of a short trial.
const SHORT: u32 = 8;
/// The maximum number of rounds of the long trial.
const LONG: u32 = 250;
/// The maximum number of bytes that are shown of what a bot read or wrote.
const SHOWN: usize = 1200;

/// The host counts as busy if it took more than this from the bot, in microseconds.
const BUSY_US: u64 = 100_000;

/// All steps, and what the rules refused in their matches.
#[derive(Debug)]
pub struct Checked {
    /// The steps in their order.
    pub steps: Vec<Step>,
    /// The refused commands of the bot.
    pub refused: Refused,
}

impl Checked {
    /// Returns whether no step has failed.
    pub fn passed(&self) -> bool {
        self.steps.iter().all(|step| step.verdict != StepResult::Failed)
    }

    /// Returns the warnings of all steps. They are clean.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| step.warning.as_deref())
    }
}

/// A step and its result.
#[derive(Debug)]
pub struct Step {
    /// What the step checks.
    pub name: &'static str,
    /// The result of the step.
    pub verdict: StepResult,
    /// A few words about the result. They are already clean.
    pub detail: String,
    /// What the bot read and wrote, if it failed.
    pub finding: Option<Finding>,
    /// What is no failure but may become one elsewhere. It is already clean.
    pub warning: Option<String>,
}

/// What the bot read and wrote before a failure. It may contain any bytes.
#[derive(Debug)]
pub struct Finding {
    /// The trial in which the bot failed.
    pub trial: String,
    /// The last input of the bot.
    pub told: Vec<u8>,
    /// The last output of the bot.
    pub said: Vec<u8>,
    /// What the bot wrote to its stderr.
    pub stderr: String,
    /// The lines of the replay and of the transcript, if trials keep them.
    pub kept: [Vec<u8>; 2],
    /// The likely reason.
    pub hint: Option<String>,
    /// The likely cause.
    pub cause: Option<Cause>,
}

const STARTS: &str = "starts";
const GREETS: &str = "greets";
const OPENING: &str = "answers the first position";
const SEATS: &str = "answers several turns in every seat";
const MAPS: &str = "answers on every kind of map";
const WHOLE: &str = "plays a whole match, middle and end";
const ODD: &str = "takes odd but lawful input";
const FRAMING: &str = "writes its decisions and nothing else";
const END: &str = "ends when its input ends";
const TIME: &str = "answers in time";

/// Runs all steps. After the first failure, steps whose matches would fail in the same way are left out.
pub fn all(ground: &Ground<'_>, tell: &mut dyn FnMut(&str)) -> Result<Checked> {
    let mut steps = Vec::new();
    let mut trials: Vec<Trial> = Vec::new();
    tell(STARTS);
    let first = ground.play(ground.plan("the opening", 1))?;
    steps.push(starts(&first));
    steps.push(if steps[0].verdict == StepResult::Passed { greets(&first) } else { skipped(GREETS) });
    steps.push(if steps[1].verdict == StepResult::Passed { opening(&first) } else { skipped(OPENING) });
    let mut sound = steps.iter().all(|s| s.verdict == StepResult::Passed);
    let started = steps[0].verdict == StepResult::Passed;
    if started {
        trials.push(first);
    }
    for (name, plans) in [(SEATS, ground.seats()), (MAPS, ground.maps()), (WHOLE, ground.whole()), (ODD, ground.odd())]
    {
        tell(name);
        let step = if sound { play_all(ground, name, plans, &mut trials)? } else { skipped(name) };
        sound &= step.verdict != StepResult::Failed;
        steps.push(step);
    }
    for (name, judge) in [(FRAMING, framing as fn(&Ground<'_>, &[Trial]) -> Step), (END, ends), (TIME, time)] {
        steps.push(if started { judge(ground, &trials) } else { skipped(name) });
    }
    let mut refused = RefusedCount::default();
    for trial in &trials {
        trial.result.refused.get(trial.plan.seat.index()).inspect(|count| refused.merge(count));
    }
    Ok(Checked { steps, refused: refused.summary() })
}

impl Ground<'_> {
    fn plan(&self, about: &str, rounds: u32) -> Plan {
        Plan {
            about: about.to_owned(),
            seat: Seat::new(0),
            seats: self.game.info().default_seats,
            opponent: self.game.info().bots.first().map_or("random", |b| b.name),
            map: self.terms.map.clone(),
            rounds: Some(rounds),
            option: None,
        }
    }

    fn seats(&self) -> Vec<Plan> {
        let plan = self.plan("", SHORT);
        (0..plan.seats)
            .map(|i| Plan { about: format!("seat {} of {}", i + 1, plan.seats), seat: Seat::new(i), ..plan.clone() })
            .collect()
    }

    /// Returns a trial for every kind of map that allows this number of seats.
    fn maps(&self) -> Vec<Plan> {
        let plan = self.plan("", SHORT);
        let seed = self.terms.seed;
        let kinds = self.game.info().map_kinds.iter().filter(|k| self.game.generate(k.name, seed, plan.seats).is_ok());
        kinds
            .map(|kind| Plan {
                about: format!("map gen:{}", kind.name),
                map: MapSource::Generated { kind: Some(kind.name.to_owned()), seed: None },
                ..plan.clone()
            })
            .collect()
    }

    /// Returns a trial to the end of the match, against the strongest built-in bot.
    fn whole(&self) -> Vec<Plan> {
        let rounds = self.game.info().limit.map_or(LONG, |limit| limit.default.min(LONG));
        let strongest = self.game.info().bots.last().map_or("random", |b| b.name);
        let plan = self.plan(&format!("a match against @{strongest}"), rounds);
        vec![Plan { opponent: strongest, ..plan }]
    }

    /// Returns the trials with odd input: the shortest match, the largest and the smallest number of bots, and every
    /// value of every option of the protocol.
    fn odd(&self) -> Vec<Plan> {
        let plan = self.plan("", SHORT);
        let mut plans = vec![self.plan("a match of one round", 1)];
        let (least, most) = self.game.info().seats.clone().into_inner();
        let counts: BTreeSet<usize> = [least, most.min(4), most].into_iter().filter(|n| *n != plan.seats).collect();
        for seats in counts {
            plans.push(Plan {
                about: format!("seat {seats} of {seats}"),
                seat: Seat::new(seats - 1),
                seats,
                // A map from a file may be for another number of bots.
                map: MapSource::Generated { kind: None, seed: None },
                ..plan.clone()
            });
        }
        for option in self.game.info().dialect {
            for value in option.values {
                let about = format!("--seat 1:{}={value}", option.name);
                let option = Some((option.name.to_owned(), (*value).to_owned()));
                plans.push(Plan { about, option, ..plan.clone() });
            }
        }
        plans
    }
}

fn starts(first: &Trial) -> Step {
    match first.never_started() {
        None => passed(STARTS, String::new()),
        Some(why) => Step { detail: clean(&why.to_string()), ..failed(STARTS, first) },
    }
}

fn greets(first: &Trial) -> Step {
    match (first.fault(), first.greeted_us) {
        (Some(fault), _) if fault.ply == 0 => Step { detail: clean(&fault.fault.to_string()), ..failed(GREETS, first) },
        (_, Some(0) | None) => passed(GREETS, "the game asks for no answer".into()),
        (_, Some(wall_us)) => passed(GREETS, format!("in {}", print_micros(wall_us))),
    }
}

fn opening(first: &Trial) -> Step {
    match first.fault() {
        Some(fault) => Step { detail: clean(&fault_line(fault)), ..failed(OPENING, first) },
        None => passed(OPENING, String::new()),
    }
}

/// Plays the matches until the bot fails one.
fn play_all(ground: &Ground<'_>, name: &'static str, plans: Vec<Plan>, trials: &mut Vec<Trial>) -> Result<Step> {
    let (mut decisions, mut matches) = (0, 0);
    for plan in plans {
        let trial = ground.play(plan)?;
        if let Some(fault) = trial.fault() {
            let detail = format!("{}, {}", trial.plan.about, clean(&fault_line(fault)));
            let step = Step { detail, ..failed(name, &trial) };
            trials.push(trial);
            return Ok(step);
        }
        if let Some(why) = trial.never_started() {
            return Ok(Step { detail: clean(&why.to_string()), ..failed(name, &trial) });
        }
        decisions += trial.decisions();
        matches += 1;
        trials.push(trial);
    }
    let decisions = words::count(decisions, "decision", "decisions");
    Ok(passed(name, format!("{decisions} in {}", words::matches(matches))))
}

/// Checks that the bot writes nothing but decisions. The referee would take surplus bytes as the answer to the next
/// prompt.
fn framing(ground: &Ground<'_>, trials: &[Trial]) -> Step {
    let sound = || trials.iter().filter(|t| t.fault().is_none());
    for trial in sound() {
        let surplus = trial.surplus(ground.game);
        if !surplus.trim_ascii().is_empty() {
            let shown = escape_bytes(&surplus[..surplus.len().min(SHOWN)]);
            let detail = format!("{}: `{shown}` after its last decision", trial.plan.about);
            return Step { detail, ..failed(FRAMING, trial) };
        }
    }
    if sound().next().is_none() {
        return skipped(FRAMING);
    }
    let carriage = sound().any(|t| t.said.contains(&b'\r'));
    passed(FRAMING, if carriage { "lines end in CR LF, which is accepted".into() } else { String::new() })
}

fn ends(ground: &Ground<'_>, trials: &[Trial]) -> Step {
    let sound: Vec<&Trial> = trials.iter().filter(|t| t.fault().is_none()).collect();
    // A built-in bot has no input that could end.
    if sound.is_empty() || !ground.bot.spec.is_process() {
        return skipped(END);
    }
    let exit = |trial: &&Trial| trial.result.seats[trial.plan.seat.index()].exit.clone();
    if let Some(stuck) = sound.iter().find(|t| exit(t).is_none()) {
        let detail = format!("{}: still running {} later", stuck.plan.about, print_duration(GRACE));
        let warning = Some(format!("the bot does not end when its input ends; {detail}"));
        return Step { warning, ..passed(END, detail) };
    }
    let odd: BTreeSet<String> = sound
        .iter()
        .filter_map(exit)
        .filter(|exit| *exit != Ending::Code(0))
        .map(|exit| clean(&exit.to_string()))
        .collect();
    let odd: Vec<_> = odd.into_iter().collect();
    passed(END, if odd.is_empty() { String::new() } else { format!("with {}", odd.join(", ")) })
}

fn time(_: &Ground<'_>, trials: &[Trial]) -> Step {
    use agon_referee::Fault;
    let clock = trials.first().map(|t| t.spec.seats[t.plan.seat.index()].clock.unwrap_or(t.spec.clock));
    let limit = trials.first().and_then(|t| t.spec.seats[t.plan.seat.index()].clock.unwrap_or(t.spec.clock).hard);
    // The step of that match has failed for it already.
    if trials.iter().any(|t| t.fault().is_some_and(|f| matches!(f.fault, Fault::Late { .. }))) {
        return Step { detail: "it was late, as shown above".to_owned(), ..skipped(TIME) };
    }
    let times = || trials.iter().map(|t| &t.result.seats[t.plan.seat.index()].times).filter(|t| t.count() > 0);
    let Some(max) = times().map(|t| t.max()).max() else { return skipped(TIME) };
    let p99 = times().map(|t| t.quantile(0.99)).max().unwrap_or_default();
    let micros = |time: std::time::Duration| print_micros(time.as_micros() as u64);
    let of = limit.map_or_else(String::new, |limit| format!(" of {}", print_duration(limit)));
    let mut detail = format!("at most {}{of}, p99 {}", micros(max), micros(p99));
    if limit.is_some_and(|limit| max * 2 > limit) {
        detail.push_str("; this is more than half of the limit, and a busy machine may be slower");
    }
    let (soft, late): (_, u64) = (clock.and_then(|clock| clock.soft), trials.iter().map(Trial::soft_late).sum());
    if let (Some(soft), true) = (soft, late > 0) {
        let count = words::count(late, "decision", "decisions");
        detail.push_str(&format!("; {count} exceeded the soft limit of {}", print_duration(soft)));
    }
    let given: u64 = trials.iter().map(Trial::given_us).sum();
    let busy = || {
        format!("the host was busy: {} were given back to the bot, so its times may be too long", print_micros(given))
    };
    Step { warning: (given > BUSY_US).then(busy), ..passed(TIME, detail) }
}

fn passed(name: &'static str, detail: String) -> Step {
    Step { name, verdict: StepResult::Passed, detail, finding: None, warning: None }
}

fn skipped(name: &'static str) -> Step {
    Step { name, verdict: StepResult::Skipped, detail: String::new(), finding: None, warning: None }
}

fn failed(name: &'static str, trial: &Trial) -> Step {
    let end = |bytes: &[u8]| bytes[bytes.len().saturating_sub(SHOWN)..].to_vec();
    let stderr = trial.result.seats.get(trial.plan.seat.index()).map_or_else(String::new, |s| s.stderr.text());
    let trial_name = format!("{} ({} played)", trial.plan.about, turns(trial.turns.count() as u32));
    let finding = Finding {
        trial: trial_name,
        told: end(&trial.told),
        said: end(&trial.said),
        stderr,
        kept: trial.kept.clone(),
        hint: trial.cause.as_ref().map(short).or_else(|| trial.doubt.clone()),
        cause: trial.cause.clone(),
    };
    Step { name, verdict: StepResult::Failed, detail: String::new(), finding: Some(finding), warning: None }
}
