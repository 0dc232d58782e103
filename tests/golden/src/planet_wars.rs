//! Replays recordings of both engines of the contest. Compares every text to the bots byte for byte, every state, which
//! player is out and why, the winner, and the playback string.
//!
//! A file holds games. Each game is a `game` line, its `turn` lines and an `end` line.

mod words;

use super::{Recording, Tally};
use agon_core::{
    Asked, Client, Dialogue, Ending, Entry, Failure, Game, Joint, Remaining, Said, Seat, Setup, Terms, judge,
};
use agon_planet_wars::{BotClient, Order, Playback, Position, RefereeDialogue, Refusal, Rules, dialogue, map};
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(tag = "t", rename_all = "lowercase", deny_unknown_fields)]
enum Line {
    Game(Opening),
    Turn(Turn),
    End(End),
}

#[derive(Deserialize)]
struct Opening {
    id: String,
    engine: Engine,
    engine_arg: u32,
    turn_limit: u32,
    map_text: String,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Engine {
    Server,
    Java,
}

#[derive(Deserialize)]
struct Turn {
    n: u32,
    #[serde(rename = "in")]
    told: [Option<String>; 2],
    #[serde(rename = "out")]
    said: [Option<String>; 2],
    #[serde(default)]
    eof: BTreeSet<u8>,
    #[serde(default)]
    events: Vec<String>,
    after: String,
    alive: Vec<u8>,
    ships: [i64; 2],
}

#[derive(Deserialize)]
struct End {
    turns: u32,
    winner: Option<i8>,
    playback: Option<String>,
    #[serde(default)]
    errors_data: Vec<EngineError>,
    #[serde(default)]
    timeout: Vec<u8>,
    #[serde(default)]
    fail: Vec<u8>,
    engine_exception: Option<String>,
    init: Option<String>,
    #[serde(default)]
    capped: bool,
}

#[derive(Debug, PartialEq, Deserialize)]
struct EngineError {
    turn: u32,
    submission_id: u8,
    error: String,
}

/// Checks one file.
pub fn check(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    let mut lines = recording.lines().enumerate().peekable();
    if lines.peek().is_none() {
        return Err("an empty recording".into());
    }
    let mut replay: Option<Replay> = None;
    for (index, line) in lines {
        let line: Line = serde_json::from_slice(line).map_err(|e| format!("line {}: {e}", index + 1))?;
        match (line, &mut replay) {
            (Line::Game(opening), None) => {
                tally.recordings += 1;
                replay = Some(Replay::begin(opening, tally)?);
            }
            (Line::Turn(turn), Some(game)) => {
                tally.steps += 1;
                game.turn(&turn, tally);
            }
            (Line::End(end), Some(game)) => {
                game.end(&end, tally);
                replay = None;
            }
            _ => return Err(format!("line {}: out of place", index + 1)),
        }
    }
    if replay.is_some() { Err("the last game has no end".into()) } else { Ok(()) }
}

/// A game that we play beside the recording.
struct Replay {
    id: String,
    engine: Engine,
    game: Position,
    tmp: <Position as Game>::Scratch,
    lines: [Wire; 2],
    playback: Playback,
    /// The errors that the engine must have noted, in its order.
    errors: Vec<EngineError>,
    failed: Vec<u8>,
    /// Whether the map has fleets at the start.
    had_fleets: bool,
    /// The number of recorded turns after our end.
    surplus: u32,
}

/// The connection to one bot: the referee's half, a client that reads the same bytes, and the bot's output that has not
/// been read yet.
struct Wire {
    referee: RefereeDialogue,
    player: BotClient,
    inbox: Vec<u8>,
    gone: bool,
}

impl Replay {
    fn begin(opening: Opening, tally: &mut Tally) -> Result<Self, String> {
        let Opening { id, engine, engine_arg, turn_limit, map_text } = opening;
        let rules = match engine {
            Engine::Server => Rules::ORIGINAL,
            Engine::Java => Rules::PLAYGAME,
        };
        let map = map::parse(map_text.as_bytes()).map_err(|flaw| format!("{id}: the map: {flaw}"))?;
        let terms = Terms { rules, seats: 2, limit: Some(engine_arg) };
        let game = Position::from_map(map, &terms).map_err(|f| format!("{id}: the map: {}", f.flaw))?;
        if game.limit() != turn_limit {
            tally.mismatch(|| format!("{id}: plays {turn_limit} turns, we {}", game.limit()));
        }
        let line = || Wire {
            referee: RefereeDialogue::new(&rules),
            player: BotClient::default(),
            inbox: Vec::new(),
            gone: false,
        };
        Ok(Self {
            playback: Playback::begin(&game),
            lines: [line(), line()],
            tmp: Default::default(),
            errors: Vec::new(),
            failed: Vec::new(),
            surplus: 0,
            had_fleets: game.fleets().is_some_and(|f| !f.is_empty()),
            id,
            engine,
            game,
        })
    }

    fn turn(&mut self, turn: &Turn, tally: &mut Tally) {
        if self.game.over() {
            self.surplus += 1;
            return;
        }
        if turn.n != self.game.turn() + 1 {
            tally.mismatch(|| format!("{}: turn {} comes after turn {}", self.id, turn.n, self.game.turn()));
        }
        let mut heard: [(Vec<Order>, Option<Failure>, String); 2] = Default::default();
        for (side, heard) in heard.iter_mut().enumerate() {
            self.tell(side, turn, tally);
            *heard = self.hear(side, turn);
        }
        let mut refusals = [None; 2];
        let mut entries = Vec::new();
        for (side, (orders, failure, _)) in heard.iter().enumerate() {
            let (entry, refused) = judge(&self.game, Seat::new(side), orders, *failure, &mut self.tmp);
            refusals[side] = refused.map(|r| r.why);
            entries.push(entry);
        }
        self.note_failures(turn, &entries, &refusals, [&heard[0].2, &heard[1].2], tally);
        self.game.resolve(Joint::new(&entries), &mut self.tmp, &mut ());
        self.playback.push(&self.game);
        self.compare_state(turn, tally);
    }

    /// Compares what the bot is sent. Also checks that a client reads the same state from it.
    fn tell(&mut self, side: usize, turn: &Turn, tally: &mut Tally) {
        let view = self.game.view(Seat::new(side));
        let line = &mut self.lines[side];
        let mut text = Vec::new();
        line.referee.prompt(view, Remaining::default(), &mut text);
        match &turn.told[side] {
            None if line.gone => {}
            Some(told) if told.as_bytes() == text => {}
            told => tally.mismatch(|| {
                format!(
                    "{}: turn {}: player {} is told {told:?}, by us {:?}",
                    self.id,
                    turn.n,
                    side + 1,
                    String::from_utf8_lossy(&text)
                )
            }),
        }
        let (used, asked) = line.player.read(&text, &mut Vec::new());
        if used != text.len() || asked != Asked::Decide || line.player.view() != view {
            tally.mismatch(|| format!("{}: turn {}: a client sees another position", self.id, turn.n));
        }
    }

    /// Reads everything that a bot wrote in a turn in one piece.
    fn hear(&mut self, side: usize, turn: &Turn) -> (Vec<Order>, Option<Failure>, String) {
        let line = &mut self.lines[side];
        let mut orders = Vec::new();
        let Some(said) = turn.said[side].as_ref().filter(|_| !line.gone) else {
            return (orders, Some(Failure::Gone), String::new());
        };
        line.gone = turn.eof.contains(&(side as u8 + 1));
        line.inbox.extend_from_slice(said.as_bytes());
        let view = self.game.view(Seat::new(side));
        let silent = Remaining::default();
        let (used, outcome) = line.referee.hear(view, silent, &line.inbox, line.gone, &mut orders, &mut Vec::new());
        line.inbox.drain(..used);
        match outcome {
            Said::Decision => (orders, None, String::new()),
            Said::Nonsense(nonsense) => (orders, Some(Failure::Nonsense), nonsense.line),
            _ if line.gone => (orders, Some(Failure::Gone), String::new()),
            _ => (orders, Some(Failure::Late), String::new()),
        }
    }

    /// Compares the players that fail, and the reasons, with the engine's notes.
    fn note_failures(
        &mut self,
        turn: &Turn,
        entries: &[Entry<'_, Order>],
        refusals: &[Option<Refusal>; 2],
        nonsense: [&str; 2],
        tally: &mut Tally,
    ) {
        let mut expected: Vec<(u32, u8, &str)> = Vec::new();
        for entry in entries {
            let Some(failure) = entry.failure else { continue };
            let player = entry.seat.number();
            self.failed.push(player);
            // The engine notes orders while it reads them, alternating between the players. It notes time-outs
            // afterwards.
            expected.push(match failure {
                Failure::Unlawful(index) => (index, player, "BAD_ORDER"),
                Failure::Nonsense => (entry.orders.len() as u32, player, "UNPARSEABLE_ORDER"),
                Failure::Late | Failure::Gone => (u32::MAX, player, "TIMEOUT"),
            });
            let side = entry.seat.index();
            let words = match self.engine {
                Engine::Server => words::of_server(entry, nonsense[side]),
                Engine::Java => words::of_java(entry, refusals[side]),
            };
            let prefix = match self.engine {
                Engine::Server => format!("player {player} "),
                Engine::Java => format!("p{player}:"),
            };
            let written = turn.events.iter().filter_map(|e| e.strip_prefix(&prefix)).find(|e| *e != "line-ignored");
            if !written.is_some_and(|written| words::same(written, &words)) {
                tally.mismatch(|| {
                    format!("{}: turn {}: the engine says {:?}, we {words:?}", self.id, turn.n, turn.events)
                });
            }
        }
        for event in turn.events.iter().filter(|e| !e.ends_with(":line-ignored")) {
            let named = |p: &(u32, u8, &str)| {
                event.starts_with(&format!("player {} ", p.1)) || event.starts_with(&format!("p{}:", p.1))
            };
            if !expected.iter().any(named) {
                tally.mismatch(|| format!("{}: turn {}: the engine says {event:?}, we nothing", self.id, turn.n));
            }
        }
        expected.sort_unstable();
        let turn = turn.n - 1;
        let noted = expected.into_iter().map(|(_, submission_id, error)| EngineError {
            turn,
            submission_id,
            error: error.to_string(),
        });
        self.errors.extend(noted);
    }

    fn compare_state(&self, turn: &Turn, tally: &mut Tally) {
        let mut text = Vec::new();
        // Seat 1 sees the owners unchanged.
        dialogue::write_state(self.game.view(Seat::new(0)), &mut text);
        if text != turn.after.as_bytes() {
            tally.mismatch(|| {
                format!(
                    "{}: after turn {}: {:?}, by us {:?}",
                    self.id,
                    turn.n,
                    turn.after,
                    String::from_utf8_lossy(&text)
                )
            });
        }
        let fleets = self.game.fleets().unwrap_or_default();
        let planets = 0..self.game.planet_count();
        let alive: Vec<u8> = (1..=2)
            .filter(|p| planets.clone().any(|id| self.game.owner(id) == *p) || fleets.iter().any(|f| f.owner == *p))
            .collect();
        let ships = [0, 1].map(|side| self.game.total_ships(Seat::new(side)));
        if alive != turn.alive || ships != turn.ships {
            tally.mismatch(|| {
                let recorded = (&turn.alive, turn.ships);
                format!("{}: after turn {}: alive and ships {recorded:?}, by us {:?}", self.id, turn.n, (alive, ships))
            });
        }
    }

    /// Returns whether the playback string shows every order: no player forfeited, the map has no fleets at the start,
    /// and no fleet arrives in the turn in which it is sent.
    fn explains_itself(&self) -> bool {
        let chart = self.game.chart();
        let planets = 0..chart.len();
        let long_trips = planets.clone().all(|a| planets.clone().all(|b| a == b || chart.trip(a, b) > 1));
        self.failed.is_empty() && !self.had_fleets && long_trips
    }

    fn end(&mut self, end: &End, tally: &mut Tally) {
        let mut differ = |what: &str, recorded: &dyn std::fmt::Debug, ours: &dyn std::fmt::Debug| {
            tally.mismatch(|| format!("{}: {what} {recorded:?}, by us {ours:?}", self.id));
        };
        if end.engine_exception.is_some() || end.init.is_some() {
            // The engine could not read the map of the specification, but we can.
            if end.turns != 0 || self.game.over() {
                differ("a map that the engine cannot read", &end.turns, &self.game.standing());
            }
            return;
        }
        if !self.game.over() {
            differ("the end comes after turn", &end.turns, &self.game.standing().ending);
        }
        if end.capped {
            // The Java engine never ends if both players vanish in the last turn. For us this is a draw.
            let standing = self.game.standing();
            let prefix = end.playback.as_ref().is_some_and(|p| p.starts_with(&self.playback.print()));
            if standing.places != [1, 1] || standing.ending != Ending::Elimination || !prefix || self.surplus == 0 {
                differ("an end that never comes", &end.turns, &standing);
            }
            return;
        }
        if self.surplus > 0 || end.turns != self.game.turn() {
            differ("turns", &end.turns, &self.game.turn());
        }
        let winner = self.game.standing().sole_winner().map_or(0, |side| side as i8 + 1);
        if end.winner != Some(winner) {
            differ("the winner is", &end.winner, &winner);
        }
        let playback = self.playback.print();
        if end.playback.as_ref() != Some(&playback) {
            differ("playback", &end.playback, &playback);
        }
        match Playback::parse(&playback) {
            Ok(read) if read.print() == playback && read.frames() == self.playback.frames() => {}
            other => differ("a playback does not survive rules", &playback, &other),
        }
        if self.explains_itself()
            && let Err(flaw) = self.playback.verify(*self.game.rules())
        {
            differ("a playback does not follow from its own fleets", &flaw, &"true");
        }
        if self.engine == Engine::Server {
            if end.errors_data != self.errors {
                differ("errors", &end.errors_data, &self.errors);
            }
            if end.timeout != self.failed || end.fail != self.failed {
                differ("kicked", &(&end.timeout, &end.fail), &self.failed);
            }
        }
    }
}
