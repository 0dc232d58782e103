//! Measures one prompt and one answer, and compares them with a bare ping-pong of the same messages.

use super::{
    Effort, Goal, Row,
    boards::generated,
    bot::{Behaviour, GO, TAKE},
    cost::{Cost, Meter},
    duel::{Duel, interrupted},
    floor::PingPong,
    rounds::Rounds,
};
use agon_cli::error::{Error, Result, reason};
use agon_run::{CancelFlag, Options};
use std::fmt::Write;

/// A clock that runs, as in every match with processes. It is so long that no bot here is ever late.
const CLOCK: &str = "move=1m";

/// The number of fleets in the second case.
const FLEETS: u32 = 20;

/// The messages of a measurement.
struct Case {
    name: &'static str,
    goal: f64,
    /// The number of prompts in each turn.
    prompts: u32,
    /// The number of turns of the short match and of the long one.
    turns: [u32; 2],
    duel: fn(u32) -> Result<Duel>,
    behaviour: Behaviour,
    greeting: Option<(&'static [u8], usize)>,
    answer: &'static [u8],
}

/// Measures all cases, one after the other, on one core.
pub fn run(effort: &Effort) -> Result<Vec<Row>> {
    let cases = [
        Case {
            name: "toy-16",
            goal: 1.3,
            prompts: 1,
            turns: effort.choose([500, 5_000], [2_000, 22_000]),
            duel: |turns| Duel::toy(turns)?.timed(CLOCK),
            behaviour: Behaviour::Toy,
            greeting: Some((b"toy wins\n", b"ok\n".len())),
            answer: TAKE,
        },
        Case {
            name: "toy-16-in-turn",
            goal: 1.8,
            prompts: 1,
            turns: effort.choose([500, 5_000], [2_000, 22_000]),
            duel: |turns| Ok(Duel::toy(turns)?.timed(CLOCK)?.in_turn()),
            behaviour: Behaviour::Toy,
            greeting: Some((b"toy wins\n", b"ok\n".len())),
            answer: TAKE,
        },
        Case {
            name: "planet-wars-23p-20f",
            goal: 1.3,
            prompts: 2,
            turns: effort.choose([200, 2_000], [600, 6_600]),
            duel: |turns| Duel::planet_wars(map()?, turns)?.timed(CLOCK),
            behaviour: Behaviour::Go,
            greeting: None,
            answer: GO,
        },
    ];
    let _pinned = effort.pin()?;
    let mut rows = Vec::new();
    for case in cases {
        rows.extend(case.measure(effort)?);
    }
    #[cfg(feature = "wasm")]
    rows.push(super::wasm::exchange(effort)?);
    Ok(rows)
}

impl Case {
    fn measure(&self, effort: &Effort) -> Result<Vec<Row>> {
        let [short, long] = self.turns;
        let duels = [(self.duel)(short)?, (self.duel)(long)?];
        let prompt = duels[1].prompt(effort.cancel.flag(), (long / 2) | 1)?;
        let remark = format!("{}-byte prompts, {}-byte answers", prompt.len(), self.answer.len());
        let bare = PingPong { behaviour: self.behaviour, greeting: self.greeting, prompt, answer: self.answer.len() };
        let exchanges = (long - short) * self.prompts;

        let mut walls = [Rounds::default(), Rounds::default()];
        let mut cpus = [Rounds::default(), Rounds::default()];
        let mut ratios = Rounds::default();
        for round in 0..effort.choose(5, 15) {
            let referee =
                || difference(|i| duels[i].play_through(effort.cancel.flag(), Options::default()).map(|_| ()));
            let floor = || difference(|i| ping(&bare, self.turns[i] * self.prompts, effort.cancel.flag()));
            // The order alternates, so that a machine that becomes busier or cooler favours neither side.
            let [ours, least] = if round % 2 == 0 {
                let ours = referee()?;
                [ours, floor()?]
            } else {
                let least = floor()?;
                [referee()?, least]
            };
            let costs = [ours.each(exchanges), least.each(exchanges)];
            for (i, [wall, cpu]) in costs.into_iter().enumerate() {
                walls[i].add(wall);
                cpus[i].add(cpu);
            }
            if costs[1][1] > 0.0 {
                ratios.add(costs[0][1] / costs[1][1]);
            }
        }
        Ok(vec![
            Row {
                floor: Some(cpus[1].median()),
                ratio: Some(ratios.median()),
                goal: Goal::Ratio(self.goal),
                scatter: ratios.scatter(),
                remark: Some(remark),
                ..Row::new(self.name, cpus[0].median(), "us of CPU per exchange")
            },
            Row {
                floor: Some(walls[1].median()),
                scatter: walls[0].scatter(),
                ..Row::new(format!("{}-wall", self.name), walls[0].median(), "us per exchange")
            },
        ])
    }
}

/// Returns what the long run costs more than the short one.
pub fn difference(run: impl Fn(usize) -> Result<()>) -> Result<Cost> {
    let mut costs = [0, 1].map(|_| None);
    for (i, cost) in costs.iter_mut().enumerate() {
        let meter = Meter::start();
        run(i)?;
        *cost = Some(meter.stop());
    }
    let [Some(short), Some(long)] = costs else { return Err(Error::user("nothing was measured")) };
    Ok(long - short)
}

fn ping(bare: &PingPong, exchanges: u32, cancel: &CancelFlag) -> Result<()> {
    if cancel.is_cancelled() {
        return Err(interrupted());
    }
    bare.run(exchanges).map_err(|why| Error::user(format!("the bare ping-pong failed: {}", reason(&why))))
}

/// Returns a map with 23 planets, placed as the generator of the contest places them, and 20 fleets that would arrive
/// after the end of the match.
fn map() -> Result<String> {
    let mut map = generated("planet-wars", "first", 2, |_| true)?.swap_remove(0);
    for i in 0..FLEETS {
        let (owner, ships) = (i % 2 + 1, 5 + 3 * i);
        let (source, destination) = (i % 23, (7 * i + 5) % 23);
        // Writing to a string cannot fail.
        let _ = writeln!(map, "F {owner} {ships} {source} {destination} {} {}", 9_999, 9_900 + i);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_has_the_planets_and_fleets_that_its_name_says() {
        let map = map().unwrap();
        let count = |first: char| map.lines().filter(|line| line.starts_with(first)).count();
        assert_eq!((count('P'), count('F')), (23, 20));
        let game = agon_games::find("planet-wars").unwrap();
        assert!(game.check_map(map.as_bytes(), "", 2).is_ok());
    }
}
