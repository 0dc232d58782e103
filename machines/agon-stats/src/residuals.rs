//! Whether bots fail on one machine as often as on the others.
//!
//! A result says which bot was late, but not whether the machine has starved it. Bots that are often late on one machine and never
//! elsewhere say it together. Each machine is compared with the same versions of the same bots on all other ones.

use crate::tail::{Share, log_tail};
use std::collections::BTreeMap;

/// How likely it is at most that any fair machine is ever said to stand out.
const ALARM: f64 = 1e-6;
/// What may stand out: lateness, spoilt matches, and time.
const KINDS: f64 = 3.0;
/// The least number of trials on a machine, and of those elsewhere, for a comparison that decides.
const LEAST: u64 = 20;
/// The least number of trials elsewhere for a comparison that is shown.
const SHOWN: u64 = 5;
/// How many times more matches there are from one look to the next.
const GROWTH: f64 = 1.1;
/// How many times more often bots fail on a machine that stands out, and how much more often at least. A machine that is only a bit
/// slower does not.
const TIMES: f64 = 2.0;
const MORE: f64 = 3.0;
/// How many times longer decisions take on a machine that stands out among machines that are alike.
const LONGER: f64 = 1.5;

/// What a finished match says of one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MachineSeat {
    /// The number of the bot.
    pub bot: u32,
    /// Its version.
    pub version: u32,
    /// Whether it was late.
    pub late: bool,
    /// Whether it failed in another way.
    pub fault: bool,
    /// How many decisions it made.
    pub decisions: u64,
    /// How long they took together, in microseconds.
    pub time_us: u64,
}

/// How often something was seen on a machine, and how often it was to be expected from what was seen elsewhere.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Excess {
    /// How often it was seen, where there is something to compare with.
    pub seen: u64,
    /// How often it was to be expected.
    pub expected: f64,
    /// The difference in standard deviations. `None` if nothing can be compared.
    pub deviations: Option<f64>,
}

/// How long decisions take on a machine, compared with the same bots elsewhere.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slowness {
    /// How many times as long.
    pub times: f64,
    /// How far the logarithm is from 0, in standard deviations.
    pub deviations: f64,
}

/// What is known of a machine.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MachineResidual {
    /// The number of finished matches.
    pub matches: u64,
    /// How often bots were late in them.
    pub late: u64,
    /// How often bots failed in another way.
    pub faults: u64,
    /// The number of attempts that the machine has spoilt.
    pub spoilt: u64,
    /// How many decisions were made.
    pub decisions: u64,
    /// How long they took together, in microseconds.
    pub time_us: u64,
    /// Lateness, against the same bots elsewhere.
    pub late_excess: Excess,
    /// Other faults, which say nothing of the machine.
    pub fault_excess: Excess,
    /// Spoilt attempts. Each counts for all bots of its match.
    pub spoilt_excess: Excess,
    /// `None` if nothing can be compared.
    pub slowness: Option<Slowness>,
}

/// Why a machine stands out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StandsOut {
    /// Bots are late on it much more often than elsewhere.
    Late(Excess),
    /// It spoils matches much more often than others do.
    Spoilt(Excess),
    /// Decisions take much longer on it, although machines are alike.
    Slow(Slowness),
}

/// Counts what happens on machines, and compares them.
#[derive(Clone, Debug, Default)]
pub struct MachineResiduals {
    alike: bool,
    machines: BTreeMap<u32, Machine>,
    seats: BTreeMap<(u32, u32), Seats>,
    attempts: BTreeMap<u32, Attempts>,
    /// The most bots in a match.
    widest: usize,
    /// Machines with enough new matches for another look.
    due: Vec<u32>,
    /// How many machines have ever been there.
    seen: u32,
}

#[derive(Clone, Debug, Default)]
struct Machine {
    /// The number of machines that came before it.
    before: u32,
    matches: u64,
    spoilt: u64,
    seats: BTreeMap<(u32, u32), Seats>,
    attempts: BTreeMap<u32, Attempts>,
    /// The number of the last look.
    looked: Option<u32>,
}

/// Seats of one version of a bot in finished matches.
#[derive(Clone, Copy, Debug, Default)]
struct Seats {
    count: u64,
    late: u64,
    faults: u64,
    decisions: u64,
    time_us: u64,
    /// The matches with decisions, and the sums of the logarithms of their average times and of the squares of these.
    timed: u64,
    log: f64,
    log_squares: f64,
}

/// Attempts to play matches of a bot, those that gave a result included.
#[derive(Clone, Copy, Debug, Default)]
struct Attempts {
    count: u64,
    spoilt: u64,
}

impl Seats {
    fn add(&mut self, seat: &MachineSeat) {
        self.count += 1;
        self.late += u64::from(seat.late);
        self.faults += u64::from(seat.fault);
        self.decisions = self.decisions.saturating_add(seat.decisions);
        self.time_us = self.time_us.saturating_add(seat.time_us);
        if seat.decisions > 0 {
            // A bot that answers at once takes a microsecond, so that there is a logarithm.
            let log = libm::log((seat.time_us as f64 / seat.decisions as f64).max(1.0));
            self.timed += 1;
            self.log += log;
            self.log_squares += log * log;
        }
    }

    /// Returns what is left without these.
    fn without(&self, part: &Self) -> Self {
        Self {
            count: self.count - part.count,
            late: self.late - part.late,
            faults: self.faults - part.faults,
            decisions: self.decisions.saturating_sub(part.decisions),
            time_us: self.time_us.saturating_sub(part.time_us),
            timed: self.timed - part.timed,
            log: self.log - part.log,
            log_squares: self.log_squares - part.log_squares,
        }
    }

    /// Returns the sum of squared distances from the mean.
    fn scatter(&self) -> f64 {
        (self.log_squares - self.log * self.log / self.timed.max(1) as f64).max(0.0)
    }
}

impl MachineResiduals {
    /// Creates a comparison of machines that have played nothing. Only of machines that are `alike`, decisions that take long say
    /// something.
    #[must_use]
    pub fn new(alike: bool) -> Self {
        Self { alike, ..Self::default() }
    }

    /// Adds a finished match. Every seat is that of another bot, or counts as one.
    pub fn add(&mut self, machine: u32, seats: &[MachineSeat]) {
        self.widest = self.widest.max(seats.len());
        let of = of(&mut self.machines, &mut self.seen, machine);
        of.matches += 1;
        for seat in seats {
            for table in [&mut of.seats, &mut self.seats] {
                table.entry((seat.bot, seat.version)).or_default().add(seat);
            }
            for table in [&mut of.attempts, &mut self.attempts] {
                table.entry(seat.bot).or_default().count += 1;
            }
        }
        self.note(machine);
    }

    /// Adds an attempt that a machine has spoilt.
    pub fn add_spoilt(&mut self, machine: u32, bots: &[u32]) {
        self.widest = self.widest.max(bots.len());
        let of = of(&mut self.machines, &mut self.seen, machine);
        of.spoilt += 1;
        for bot in bots {
            for table in [&mut of.attempts, &mut self.attempts] {
                let attempts = table.entry(*bot).or_default();
                attempts.count += 1;
                attempts.spoilt += 1;
            }
        }
        self.note(machine);
    }

    /// Forgets a machine, for example because what it has played does not count any more.
    pub fn remove(&mut self, machine: u32) {
        let Some(gone) = self.machines.remove(&machine) else { return };
        for (key, seats) in &gone.seats {
            if let Some(all) = self.seats.get_mut(key) {
                *all = all.without(seats);
            }
        }
        for (bot, attempts) in &gone.attempts {
            if let Some(all) = self.attempts.get_mut(bot) {
                (all.count, all.spoilt) = (all.count - attempts.count, all.spoilt - attempts.spoilt);
            }
        }
        self.due.retain(|due| *due != machine);
    }

    /// Marks a machine for a look, if it has a tenth more matches than at the last one.
    fn note(&mut self, machine: u32) {
        let Some(of) = self.machines.get_mut(&machine) else { return };
        let look = look(of.matches + of.spoilt);
        if look.is_some() && of.looked != look {
            of.looked = look;
            self.due.push(machine);
        }
    }

    /// Looks at the machines that have enough new matches since they were looked at. Returns the first that stands out. Nearly always
    /// there is nothing to look at, so that this may be asked after every match.
    pub fn stands_out(&mut self) -> Option<(u32, StandsOut)> {
        while let Some(machine) = self.due.pop() {
            if let Some(why) = self.why(machine) {
                return Some((machine, why));
            }
        }
        None
    }

    /// Returns why a machine stands out with what is known now. `None` if it does not, or it cannot be known.
    #[must_use]
    pub fn why(&self, machine: u32) -> Option<StandsOut> {
        let of = self.machines.get(&machine)?;
        let look = f64::from(look(of.matches + of.spoilt)?);
        // The chances of all machines and looks together are those of one alarm. A later one gets a smaller part of them.
        let before = f64::from(of.before);
        let parts = KINDS * (before + 1.0) * (before + 2.0) * (look + 1.0) * (look + 2.0);
        let threshold = libm::log(ALARM / parts);
        let stands = |shares: Vec<(Share, u64)>| {
            let excess = excess(&shares);
            let (part, all) =
                shares.iter().fold((0, 0), |(part, all), (share, _)| (part + share.part, all + share.all));
            let compared = part >= LEAST && all - part >= LEAST;
            let much = excess.seen as f64 >= TIMES * excess.expected + MORE;
            let shares: Vec<Share> = shares.into_iter().map(|(share, _)| share).collect();
            let together = u32::try_from(self.widest).unwrap_or(u32::MAX);
            (compared && much && log_tail(&shares, excess.seen, together) <= threshold).then_some(excess)
        };
        if let Some(excess) = stands(self.shares(of, |seats| seats.late)) {
            return Some(StandsOut::Late(excess));
        }
        if let Some(excess) = stands(self.spoilt_shares(of)) {
            return Some(StandsOut::Spoilt(excess));
        }
        let slow = self.slowness(of).filter(|slow| {
            // Averages of many matches are nearly normal: `exp(-z²/2)` bounds their tail.
            self.alike && of.matches >= 2 * LEAST && slow.times >= LONGER && -slow.deviations.powi(2) / 2.0 <= threshold
        });
        slow.map(StandsOut::Slow)
    }

    /// Returns what is known of a machine.
    #[must_use]
    pub fn residual(&self, machine: u32) -> MachineResidual {
        let Some(of) = self.machines.get(&machine) else { return MachineResidual::default() };
        let sum = |count: fn(&Seats) -> u64| of.seats.values().map(count).fold(0, u64::saturating_add);
        MachineResidual {
            matches: of.matches,
            late: sum(|seats| seats.late),
            faults: sum(|seats| seats.faults),
            spoilt: of.spoilt,
            decisions: sum(|seats| seats.decisions),
            time_us: sum(|seats| seats.time_us),
            late_excess: excess(&self.shares(of, |seats| seats.late)),
            fault_excess: excess(&self.shares(of, |seats| seats.faults)),
            spoilt_excess: excess(&self.spoilt_shares(of)),
            slowness: self.slowness(of),
        }
    }

    /// Returns the share of a machine in what is known of its bots, and its own failures, where there is something elsewhere.
    fn shares(&self, of: &Machine, failures: fn(&Seats) -> u64) -> Vec<(Share, u64)> {
        let shares = of.seats.iter().filter_map(|(key, own)| {
            let all = self.seats.get(key)?;
            Some((Share { part: own.count, all: all.count, failures: failures(all) }, failures(own)))
        });
        shares.filter(|(share, _)| share.all - share.part >= SHOWN).collect()
    }

    fn spoilt_shares(&self, of: &Machine) -> Vec<(Share, u64)> {
        let shares = of.attempts.iter().filter_map(|(bot, own)| {
            let all = self.attempts.get(bot)?;
            Some((Share { part: own.count, all: all.count, failures: all.spoilt }, own.spoilt))
        });
        shares.filter(|(share, _)| share.all - share.part >= SHOWN).collect()
    }

    fn slowness(&self, of: &Machine) -> Option<Slowness> {
        let (mut matches, mut difference, mut variance) = (0.0, 0.0, 0.0);
        for (key, own) in &of.seats {
            let Some(others) = self.seats.get(key).map(|all| all.without(own)) else { continue };
            if own.timed < SHOWN || others.timed < SHOWN {
                continue;
            }
            let (n, m) = (own.timed as f64, others.timed as f64);
            let square = (own.scatter() + others.scatter()) / (n + m - 2.0);
            matches += n;
            difference += n * (own.log / n - others.log / m);
            variance += n * n * square * (1.0 / n + 1.0 / m);
        }
        // Times of which all are equal have no scatter at all.
        let deviation = variance.sqrt().max(1e-9);
        (matches > 0.0).then(|| Slowness { times: libm::exp(difference / matches), deviations: difference / deviation })
    }
}

fn of<'a>(machines: &'a mut BTreeMap<u32, Machine>, seen: &mut u32, machine: u32) -> &'a mut Machine {
    machines.entry(machine).or_insert_with(|| {
        let before = *seen;
        *seen += 1;
        Machine { before, ..Machine::default() }
    })
}

/// Returns the number of the look at a machine with so many attempts. `None` if they are too few.
fn look(attempts: u64) -> Option<u32> {
    (attempts >= LEAST).then(|| (libm::log(attempts as f64 / LEAST as f64) / libm::log(GROWTH)) as u32)
}

/// Compares failures with those elsewhere. The scatter is that of the rate on all machines: the rate of a bot that has never failed
/// elsewhere is not known to be 0.
fn excess(shares: &[(Share, u64)]) -> Excess {
    let (mut seen, mut expected, mut variance) = (0, 0.0, 0.0);
    for (Share { part, all, failures }, own) in shares {
        let (count, elsewhere) = (*part as f64, (all - part) as f64);
        let rate = *failures as f64 / *all as f64;
        seen += own;
        expected += count * (failures - own) as f64 / elsewhere;
        variance += count * rate * (1.0 - rate) * (1.0 + count / elsewhere);
    }
    let difference = seen as f64 - expected;
    let deviations = if variance > 0.0 { difference / variance.sqrt() } else { 0.0 };
    Excess { seen, expected, deviations: (!shares.is_empty()).then_some(deviations) }
}

#[cfg(test)]
mod tests;
