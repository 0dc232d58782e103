//! Triangles as one of Agon's games: everything except its rules.

use crate::{
    answer::LONGEST_ANSWER,
    bots,
    client::{BotClient, COMMANDS},
    dialogue::RefereeDialogue,
    field::Field,
    frame,
    map::{Map, Stroke},
    map_file, mapgen,
    order::Order,
    position::{Position, opponent},
    rules::{Bad, Rules},
};
use agon_core::{
    Bot, Client, ClockPolicy, Contest, DialectOption, Dialogue, Flaw, Flawed, Frame, Game, GameInfo, Incident,
    IntoStep, Rng, Seat, Seed, Setup, State, Terms, text::counted,
};
use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    fn to_map(&self) -> Map {
        Map {
            points: self.points().to_vec(),
            strokes: self.drawn().iter().zip(self.made()).map(|(s, m)| Stroke { segment: *s, made: *m }).collect(),
            scores: self.scores,
            to_move: self.to_move.index(),
        }
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        let flaw = if terms.seats != 2 {
            Some(
                Flaw::new(format!("a match cannot have {}", counted(terms.seats, "seat")))
                    .hint("triangles is a game for two players"),
            )
        } else if terms.limit.is_some() {
            let hint = "leave the limit out: a game ends when no segment can be drawn";
            Some(Flaw::new("triangles has no limit of turns").hint(hint))
        } else {
            map.flaw().map(|(_, flaw)| flaw)
        };
        if let Some(flaw) = flaw {
            return Err(Flawed { map, flaw });
        }
        let mut position = Self::new(Arc::new(Field::new(map.points)), terms.rules);
        for (k, Stroke { segment, made }) in map.strokes.iter().enumerate() {
            position.draw_segment(*segment, None);
            position.made[k] = *made;
        }
        position.scores = map.scores;
        position.to_move = Seat::new(map.to_move);
        Ok(position)
    }

    /// A map says everything about a match in which nobody has failed. `out` has the seats that have failed, and `forfeited`
    /// is the seat that has lost by that.
    fn state(&self) -> State {
        let mut state = State::default();
        state.push("out", State::list(self.out.iter()));
        if let Some(seat) = self.forfeited {
            state.push("forfeited", seat);
        }
        state
    }

    fn from_state(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Self, Flaw> {
        let mut position = Self::from_map(map, terms).map_err(|flawed| flawed.flaw)?;
        let items = state.read();
        items.only(&["out", "forfeited"])?;
        position.out = items.seats("out", 2)?;
        if let Some(item) = items.field("forfeited") {
            let seat = item.seat(2)?;
            if terms.rules.bad != Bad::Forfeit || !position.out.contains(seat) {
                let flaw = item.flaw("only a seat in `out` can have lost by that, and only by the rule `bad=forfeit`");
                return Err(flaw.hint("leave the item out"));
            }
            position.forfeited = Some(seat);
        } else if position.out.len() == 1 && position.out.contains(position.to_move) {
            position.to_move = opponent(position.to_move);
        }
        Ok(position)
    }
}

/// The time that a bot has to end after it was sent `quit`.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Whether a dialogue with these options sends `quit` to the bot at the end.
fn says_quit(dialect: &[(String, String)]) -> bool {
    dialect.iter().any(|(name, value)| name == "quit" && value == "yes")
}

impl Contest for Position {
    const SERIES: &'static [&'static str] = frame::SERIES;
    const INFO: &'static GameInfo = &GameInfo {
        title: "Triangles",
        about: "Two players join points by segments that do not cross; whoever closes an empty triangle gets a point.",
        map_kinds: mapgen::KINDS,
        bots: bots::KINDS,
        dialect: &[DialectOption {
            name: "quit",
            about: "whether the bot is sent `quit` at the end of the game, as the contest's applet did",
            values: &["no", "yes"],
        }],
        // Specification "Rozgrywki": 3 to 15 minutes for a game. Points T11 and T12: each player has a bank of time.
        clock: minutes(3),
        clocks: &[("3min", minutes(3)), ("15min", minutes(15))],
        line_limit: LONGEST_ANSWER,
        memory_mib: Some(400),
        decision_end: "the empty line after it",
        into_step: IntoStep::Setup,
        protocol_words: COMMANDS,
        ..GameInfo::DEFAULT
    };

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        map_file::parse(text)
    }

    fn print_map(map: &Map) -> String {
        map_file::print(map)
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        if seats != 2 {
            return Err(Flaw::new(format!("a map cannot have {}", counted(seats, "seat")))
                .hint("triangles is a game for two players"));
        }
        mapgen::points(kind, &mut Rng::new(seed.derive("triangles", 0))).map(Map::of_points)
    }

    fn options(&self, seat: Seat, (): &mut (), out: &mut Vec<Order>) -> bool {
        if self.awaiting().contains(seat) {
            out.extend(self.open().map(Order::from));
        }
        true
    }

    /// Draws one of the open segments, each with the same probability. The first call builds the tables of the board.
    fn sample(&self, _seat: Seat, rng: &mut Rng, (): &mut (), out: &mut Vec<Order>) {
        self.field.tables();
        out.clear();
        if self.open_count > 0 {
            let number = self.nth_open(rng.index(self.open_count()));
            out.push(Order::from(self.field.segment(number)));
        }
    }

    fn dialogue(&self, _seat: Seat, dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(RefereeDialogue::new(self.rules.refused_play, says_quit(dialect)))
    }

    /// A bot that is sent `quit` may have a log to save.
    fn grace(dialect: &[(String, String)]) -> Option<Duration> {
        says_quit(dialect).then_some(LAST_WORDS)
    }

    fn client(name: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::new(name))
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        bots::bot(name, seed)
    }

    fn frame(&self) -> Frame {
        frame::frame(self)
    }

    fn measure(&self, seat: Seat, out: &mut Vec<f64>) {
        frame::measure(self, seat, out);
    }

    fn tell(&self, event: &Self::Event) -> Option<Incident> {
        Some(frame::tell(event))
    }
}

/// A bank of time for the whole game. The greeting has no limit of its own, so the bank pays for it too: a player's
/// time runs while any answer is awaited from it.
const fn minutes(minutes: u64) -> ClockPolicy {
    ClockPolicy { bank: Some(Duration::from_secs(60 * minutes)), ..ClockPolicy::OFF }
}
