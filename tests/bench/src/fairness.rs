//! Measures how long the answers of an honest bot take beside neighbours that compute outside their own turn.

use super::{
    Effort, Goal, Row,
    busy_bot::{BusyBot, Neighbour, Protocol, Role, compute},
    cost::thread_time,
    duel::interrupted,
    floor::Partner,
    millis,
    rounds::Rounds,
};
use agon_cli::{
    clean::clean,
    error::{Error, Result, reason},
    exit::Exit,
    fault_line,
};
use agon_core::{Seat, TimePolicy};
use agon_games::AnyGame;
use agon_play::{
    BotSpec, CorePlacement, Event, Helper, MatchTerms, NamedBot, NotStarted, Outcome, PlayOptions, PreparedBot,
    Preparer, SandboxOptions, SeatOption, play,
};
use agon_referee::MatchEvent;
use agon_run::{Pinned, physical_cores};
use agon_spec::{Isolation, MatchSpec};
use std::{
    iter::repeat_n,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The games with the number of seats. The first two ask all seats at once, the last one asks them one by one.
const GAMES: [(Protocol, usize); 3] = [(Protocol::PlanetWars, 2), (Protocol::Grid, 2), (Protocol::Lighthouses, 8)];
/// The policies. By `wall` a bot gets no time back.
const POLICIES: [TimePolicy; 2] = [TimePolicy::Fair, TimePolicy::Wall];
/// The largest number of cores.
const CORES: usize = 2;
/// The number of turns of each seat in a match. The first one is not measured, because bots may still be starting.
const TURNS: u32 = 3;
/// The goal for the ratio of the answers beside a neighbour and beside one that sleeps.
const GOAL: f64 = 1.05;
/// The clock of the honest bot. It has ten times the time that it needs, and more for its start.
const CLOCK: &str = "off,greeting=10s,first=+10s,move=1s";
/// The clock of its neighbours. With many threads of its own a bot is slow, which is not measured here.
const NEIGHBOURS_CLOCK: &str = "off,greeting=1m,move=1m";

/// The names of the games.
pub fn games() -> [&'static str; 3] {
    GAMES.map(|(protocol, _)| protocol.game())
}

/// Measures one game or all games, on one core and on two.
pub fn run(effort: &Effort, only: Option<&str>) -> Result<Vec<Row>> {
    let cores = chosen_cores(effort)?;
    let steps = steps_of(effort.choose(10, 100), cores[0])?;
    let unrelated = match cores[..] {
        [own, other] => Some(beside_unrelated(effort, steps, [own, other])?),
        _ => None,
    };
    let mut preparer = Preparer::new(Helper::ThisProgram, SandboxOptions::default(), effort.cancel.clone());
    let mut rows = Vec::new();
    for (protocol, seats) in GAMES.into_iter().filter(|(protocol, _)| only.is_none_or(|only| only == protocol.game())) {
        let game = agon_cli::game::find(protocol.game())?;
        let mut prepare = |role: Role| -> Result<PreparedBot> {
            let bot = named(BusyBot { protocol, role })?;
            Ok(preparer.prepare(game, &bot, &mut |_| ())?)
        };
        let honest = prepare(Role::Honest { steps })?;
        let sleeper = prepare(Role::Neighbour(Neighbour::Sleeps))?;
        let neighbours =
            Neighbour::ALL.map(|neighbour| prepare(Role::Neighbour(neighbour)).map(|bot| (neighbour, bot)));
        let neighbours = neighbours.into_iter().collect::<Result<Vec<_>>>()?;
        for count in 1..=cores.len() {
            for policy in POLICIES {
                let encounters = neighbours.iter().map(|(neighbour, bot)| {
                    // A bot is asked after its neighbour on one side and before the one on the other.
                    let between = repeat_n(&sleeper, seats.saturating_sub(3));
                    let bots = [&honest, bot].into_iter().chain(between).chain(repeat_n(bot, usize::from(seats > 2)));
                    Encounter::new(game, *neighbour, bots, &cores[..count], policy)
                });
                let mut encounters = encounters.collect::<Result<Vec<_>>>()?;
                for round in 0..rounds(effort) {
                    // Each neighbour is the first one in turn, so that a machine that becomes busier favours none.
                    let first = round as usize % encounters.len();
                    let (before, after) = encounters.split_at_mut(first);
                    after.iter_mut().chain(before).try_for_each(|encounter| encounter.play(effort))?;
                }
                rows.extend(report(&encounters, unrelated.as_deref().filter(|_| count > 1))?);
                rows.extend(report_referee(&encounters));
            }
        }
    }
    Ok(rows)
}

fn rounds(effort: &Effort) -> u32 {
    effort.choose(2, 20)
}

/// Returns one hardware thread of each core to use, the user's choice or else the last core first.
fn chosen_cores(effort: &Effort) -> Result<Vec<usize>> {
    let mut known = physical_cores();
    known.reverse();
    if let Some(core) = effort.core {
        known.sort_by_key(|known| !known.threads.contains(&core));
    }
    let thread = |threads: &[usize]| effort.core.filter(|core| threads.contains(core)).or(threads.first().copied());
    let cores: Vec<usize> = known.iter().filter_map(|core| thread(&core.threads)).take(CORES).collect();
    if cores.is_empty() {
        return Err(Error::user("this system cannot keep bots on cores, so there is nothing to measure"));
    }
    Ok(cores)
}

/// Returns the number of steps that take so many milliseconds on this core.
fn steps_of(milliseconds: u64, core: usize) -> Result<u64> {
    const SAMPLE: u64 = 1 << 22;
    let _pinned = pinned(core)?;
    let time_of_sample = || {
        let begin = thread_time();
        compute(SAMPLE);
        thread_time().saturating_sub(begin)
    };
    let fastest = (0..9).map(|_| time_of_sample()).min().unwrap_or_default().as_nanos().max(1);
    Ok((u128::from(SAMPLE) * u128::from(milliseconds) * 1_000_000 / fastest) as u64)
}

fn pinned(core: usize) -> Result<Pinned> {
    Pinned::to(&[core]).map_err(|why| Error::user(format!("core {core}: {}", reason(&why))))
}

/// Returns a bot as if a user had named it.
fn named(bot: BusyBot) -> Result<NamedBot> {
    let words = bot.command().map_err(|why| Error::user(format!("cannot find myself: {}", reason(&why))))?;
    let words: Option<Vec<String>> = words.into_iter().map(|word| word.into_string().ok()).collect();
    let words = words.ok_or_else(|| Error::user("the path of this program is not UTF-8"))?;
    let name = match bot.role {
        Role::Honest { .. } => "honest".to_owned(),
        Role::Neighbour(neighbour) => neighbour.name(),
    };
    Ok(NamedBot { words: name.clone(), name, spec: BotSpec::Command(words), is_named: true })
}

/// The matches of an honest bot with the same neighbours.
struct Encounter {
    /// The name of the row.
    name: String,
    neighbour: Neighbour,
    game: &'static dyn AnyGame,
    cores: Vec<usize>,
    bots: Vec<PreparedBot>,
    spec: MatchSpec,
    /// The wall times of the honest bot's answers, in milliseconds.
    answers: Rounds,
    count: u32,
    /// The number of matches that the host has spoilt.
    spoilt: u32,
    /// For how long the referee had no core or woke late while the honest bot had to answer: the longest time of each match.
    kept_off_turn: Rounds,
    /// The same while a neighbour had to answer.
    kept_on_turn: Rounds,
}

/// The seat of the honest bot.
const HONEST: Seat = Seat::new(0);

impl Encounter {
    fn new<'a>(
        game: &'static dyn AnyGame,
        neighbour: Neighbour,
        bots: impl Iterator<Item = &'a PreparedBot>,
        cores: &[usize],
        policy: TimePolicy,
    ) -> Result<Self> {
        let named = |(i, bot): (usize, &PreparedBot)| bot.clone().named(&format!("{}-{}", bot.bot().name, i + 1));
        let bots: Vec<PreparedBot> = bots.enumerate().map(named).collect();
        let words: Vec<NamedBot> = bots.iter().map(|bot| bot.bot().clone()).collect();
        let slow = |seat| SeatOption { seat, key: "time".to_owned(), value: NEIGHBOURS_CLOCK.to_owned() };
        let terms = MatchTerms {
            rounds: Some(TURNS),
            time: Some(format!("{CLOCK},policy={policy}")),
            seats: (1..bots.len()).map(|i| slow(Seat::new(i))).collect(),
            ..MatchTerms::default()
        };
        let spec = terms.plan(game, &words)?.spec(&bots);
        let (seats, on) = (bots.len(), cores.len());
        Ok(Self {
            name: format!("{}-{seats}seats-{on}cores-{policy}-{}", game.name(), neighbour.name()),
            neighbour,
            game,
            cores: cores.to_vec(),
            bots,
            spec,
            answers: Rounds::default(),
            count: 0,
            spoilt: 0,
            kept_off_turn: Rounds::default(),
            kept_on_turn: Rounds::default(),
        })
    }

    /// Plays one match. Times of a match that the host has spoilt do not count.
    fn play(&mut self, effort: &Effort) -> Result<()> {
        let options = PlayOptions {
            cancel: Some(effort.cancel.clone()),
            cores: CorePlacement::These(self.cores.clone()),
            ..PlayOptions::default()
        };
        let (mut answers, mut off_turn, mut on_turn) = (Vec::new(), Duration::ZERO, Duration::ZERO);
        let mut observe = |event: Event<'_>| {
            let Event::Match(MatchEvent::Ply(record)) = event else { return };
            for entry in &record.entries {
                let kept = Duration::from_micros(entry.lag_us.unwrap_or_default());
                if entry.seat == HONEST {
                    answers.push(millis(Duration::from_micros(entry.wall_us)));
                    off_turn = off_turn.max(kept);
                } else {
                    on_turn = on_turn.max(kept);
                }
            }
        };
        let played = play(self.game, &self.spec, &self.bots, options, &mut observe)?;
        match played.outcome {
            Outcome::Finished(_) => {}
            Outcome::Spoilt(_) | Outcome::Short(_) => {
                self.spoilt += 1;
                return Ok(());
            }
            Outcome::Aborted | Outcome::NotStarted(NotStarted::Cancelled) => return Err(interrupted()),
            Outcome::NotStarted(NotStarted::Bots(seats)) => {
                let why = seats.first().map_or_else(String::new, |(_, why)| clean(&why.to_string()));
                return Err(self.failed(&format!("a bot could not be started: {why}")).exit(Exit::NotStarted));
            }
            Outcome::NotStarted(_) => return Err(self.failed("the match did not start")),
        }
        for (i, seat) in played.seats.iter().enumerate() {
            if let Some(fault) = &seat.fault {
                let who = if Seat::new(i) == HONEST { "the honest bot" } else { "a neighbour" };
                return Err(self.failed(&format!("{who} failed: {}", clean(&fault_line(fault)))));
            }
        }
        self.kept_off_turn.add(millis(off_turn));
        self.kept_on_turn.add(millis(on_turn));
        for answer in answers.into_iter().skip(1) {
            self.answers.add(answer);
            self.count += 1;
        }
        Ok(())
    }

    fn failed(&self, what: &str) -> Error {
        Error::user(format!("{}: {what}", self.name))
    }
}

/// Returns a row for each neighbour. `unrelated` has the same neighbours as processes outside a match, with their ratios.
fn report(encounters: &[Encounter], unrelated: Option<&[(Neighbour, f64)]>) -> Result<Vec<Row>> {
    if let Some(lost) = encounters.iter().find(|encounter| encounter.count == 0) {
        return Err(lost.failed("other programs have spoilt every match").hint("measure on a quiet machine"));
    }
    let floor = encounters.iter().find(|encounter| encounter.neighbour == Neighbour::Sleeps);
    let floor = floor.map_or(0.0, |encounter| encounter.answers.median());
    let row = |encounter: &Encounter| {
        let value = encounter.answers.median();
        let level = encounter.bots.iter().find_map(PreparedBot::isolation).unwrap_or(Isolation::None);
        let kept = encounter.kept_off_turn.quantile(1.0);
        let mut remark = format!("{} answers, sandbox `{level}`, referee at most {kept:.1} ms late", encounter.count);
        let other = unrelated.and_then(|all| all.iter().find(|(neighbour, _)| *neighbour == encounter.neighbour));
        if let Some((_, ratio)) = other {
            remark.push_str(&format!("; unrelated processes: ratio {ratio:.3}"));
        }
        if encounter.spoilt > 0 {
            remark.push_str(&format!("; {} matches were spoilt by the host", encounter.spoilt));
        }
        Row {
            floor: Some(floor),
            ratio: Some(value / floor),
            goal: match encounter.neighbour {
                Neighbour::Sleeps | Neighbour::Memory => Goal::None,
                _ => Goal::Ratio(other.map_or(GOAL, |(_, ratio)| ratio.max(GOAL))),
            },
            scatter: encounter.answers.scatter(),
            remark: Some(remark),
            ..Row::new(&encounter.name, value, "ms")
        }
    };
    Ok(encounters.iter().map(row).collect())
}

/// Returns the rows that show for how long the neighbour with most threads keeps the referee from a core.
fn report_referee(encounters: &[Encounter]) -> Vec<Row> {
    let beside = |wanted| encounters.iter().find(|encounter| encounter.neighbour == wanted);
    let Some((crowd, sleeper)) = beside(Neighbour::CROWD).zip(beside(Neighbour::Sleeps)) else { return Vec::new() };
    let row = |turn: &str, kept: fn(&Encounter) -> &Rounds| {
        let (beside, alone) = (kept(crowd), kept(sleeper).quantile(1.0));
        let remark = format!("median {:.2} ms, beside a bot that sleeps at most {alone:.2} ms", beside.median());
        Row {
            remark: Some(remark),
            ..Row::new(format!("{}-referee-{turn}", crowd.name), beside.quantile(1.0), "ms without a core, at most")
        }
    };
    vec![row("off-turn", |encounter| &encounter.kept_off_turn), row("on-turn", |encounter| &encounter.kept_on_turn)]
}

/// Measures the same work in a process on one core, while a neighbour runs on the other and no match is played. Returns for
/// each neighbour the ratio to the one that sleeps.
fn beside_unrelated(effort: &Effort, steps: u64, cores: [usize; 2]) -> Result<Vec<(Neighbour, f64)>> {
    let mut times = Neighbour::ALL.map(|neighbour| (neighbour, Rounds::default()));
    for _ in 0..rounds(effort) {
        for (neighbour, rounds) in &mut times {
            if effort.cancel.is_cancelled() {
                return Err(interrupted());
            }
            let other = unrelated(Role::Neighbour(*neighbour), cores[1])?;
            let own = unrelated(Role::Honest { steps }, cores[0])?;
            // The other one computes from its first answer on. The own one computes for its second answer.
            ask(&other)?;
            ask(&own)?;
            let begin = Instant::now();
            ask(&own)?;
            rounds.add(millis(begin.elapsed()));
        }
    }
    let alone = times.iter().find(|(neighbour, _)| *neighbour == Neighbour::Sleeps);
    let alone = alone.map_or(0.0, |(_, rounds)| rounds.median());
    Ok(times.into_iter().map(|(neighbour, rounds)| (neighbour, rounds.median() / alone)).collect())
}

/// Starts a bot on this core, outside a match.
fn unrelated(role: Role, core: usize) -> Result<Partner> {
    let words = BusyBot { protocol: Protocol::PlanetWars, role }.command();
    let start = |words: Vec<std::ffi::OsString>| {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stderr(Stdio::null());
        Partner::start(command)
    };
    let _pinned = pinned(core)?;
    words.and_then(start).map_err(|why| Error::user(format!("cannot start a process: {}", reason(&why))))
}

fn ask(bot: &Partner) -> Result<()> {
    let asked = bot.ask(b"go\n", b"go\n".len(), &mut [0; 16]);
    asked.map_err(|why| Error::user(format!("a process outside the match failed: {}", reason(&why))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_core_comes_first() {
        let cores = agon_run::cores();
        let effort = |core| Effort { quick: true, core, cancel: agon_play::Cancel::new().expect("descriptors") };
        let Some(core) = cores.first().copied() else {
            assert!(chosen_cores(&effort(None)).is_err());
            return;
        };
        let chosen = chosen_cores(&effort(Some(core))).expect("there is a core");
        // Under a quota of CPU time only the last cores are there.
        let there = physical_cores().iter().any(|known| known.threads.contains(&core));
        assert_eq!(chosen[0] == core, there);
        assert!(chosen.len() <= CORES && chosen.iter().all(|core| cores.contains(core)));
    }
}
