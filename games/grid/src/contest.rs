//! Grid as one of Agon's games: everything except its rules.

use crate::{
    bots,
    client::BotClient,
    dialogue::RefereeDialogue,
    frame,
    map::Map,
    mapgen,
    order::{Order, Refusal},
    position::{End, Position},
    rules::{DEFAULT_LIMIT, Elimination, Rules},
    sample,
    turn::Scratch,
};
use agon_core::{
    Bot, Client, ClockPolicy, Contest, Dialogue, Flaw, Flawed, Frame, GameInfo, Incident, IntoStep, Rng, Seat, Seed,
    Setup, State, Terms, TurnLimit, text::counted,
};
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::time::Duration;

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    fn to_map(&self) -> Map {
        Map::of(&self.board)
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        match limit(terms).and_then(|limit| map.validate().map(|()| limit)) {
            Err(flaw) => Err(Flawed { map, flaw }),
            Ok(limit) => Ok(Self::resume(&map, terms.rules, 0, limit)),
        }
    }

    /// `turn` is the number of the next turn. `out` has the seats that have forfeited the match. `ended` says that the judge
    /// has found a player without tiles (G20), if the rule set lets it look only in the next exchange.
    fn state(&self) -> State {
        let mut state = State::default();
        state.push("turn", self.turn + 1);
        match self.end {
            Some(End::Forfeit(out)) => state.push("out", State::list(out.iter())),
            Some(End::Elimination) if self.rules.elimination != Elimination::Now => state.push("ended", ELIMINATION),
            _ => {}
        }
        state
    }

    fn from_state(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Self, Flaw> {
        let limit = limit(terms)?;
        let items = state.read();
        items.only(&["turn", "out", "ended"])?;
        let turn = items.field("turn").map_or(Ok(1), |turn| turn.number(1..=i64::from(limit) + 1))? as u32 - 1;
        map.check_size()?;
        // A player can have lost all its tiles only after the first turn.
        if turn == 0 {
            let hint = "before the first turn both players own tiles: set a later turn";
            map.check_owners().map_err(|flaw| Flaw::new(flaw.what).of("turn").hint(hint))?;
        }
        let mut position = Self::resume(&map, terms.rules, turn, limit);
        if let Some(ended) = items.field("ended") {
            if terms.rules.elimination == Elimination::Now {
                let flaw = ended.flaw("by these rules a player without tiles loses at once");
                return Err(flaw.hint("leave it out; it needs `elimination=after-exchange`"));
            }
            if ended.text()? != ELIMINATION || !position.somebody_is_gone() {
                let flaw = ended.flaw("the match has not ended in this way");
                return Err(flaw.hint(format!("write `{ELIMINATION}` if a player owns no tile, or leave it out")));
            }
            position.end = Some(End::Elimination);
        }
        let out = items.seats("out", 2)?;
        if !out.is_empty() {
            position.end = Some(End::Forfeit(out));
        }
        Ok(position)
    }
}

/// How a state says that the match has ended because a player owns no tile.
const ELIMINATION: &str = "elimination";

/// The limit of turns by these terms.
fn limit(terms: &Terms<Rules>) -> Result<u32, Flaw> {
    let limit = terms.limit.unwrap_or(DEFAULT_LIMIT);
    if terms.seats != 2 {
        return Err(Flaw::new(format!("{}, but exactly two players play Grid", counted(terms.seats, "seat"))));
    }
    if limit == 0 {
        let hint = "set it to 1 or more; without a limit a match has 200 turns";
        return Err(Flaw::new("the limit of turns is 0").hint(hint));
    }
    Ok(limit)
}

impl Contest for Position {
    const SERIES: &'static [&'static str] = frame::SERIES;
    const INFO: &'static GameInfo = &GameInfo {
        title: "Grid",
        about: "Two players capture tiles at the same time; a tile without air suffocates.",
        limit: Some(TurnLimit { default: DEFAULT_LIMIT, unit: "turns" }),
        map_kinds: mapgen::KINDS,
        first_map_kind: Some("10x10"),
        bots: bots::KINDS,
        // Each bot has one second, from the end of the write of its own message (specification "Disqualification
        // conditions", G19).
        clock: ClockPolicy { hard: Some(Duration::from_secs(1)), ..ClockPolicy::OFF },
        // Room for orders such as `C 255 255` for a third of the largest map.
        line_limit: 256 * 1024,
        decision_end: "the line `.`",
        into_step: IntoStep::Stateless,
        protocol_words: &["Y", "E", "."],
        ..GameInfo::DEFAULT
    };

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        Map::parse(text)
    }

    fn print_map(map: &Map) -> String {
        map.print()
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        if seats != 2 {
            return Err(Flaw::new(format!("{}, but exactly two players play Grid", counted(seats, "seat"))));
        }
        mapgen::generate(kind, seed)
    }

    /// Lists all single captures. Chat changes nothing and is not listed.
    fn options(&self, seat: Seat, _tmp: &mut Scratch, out: &mut Vec<Order>) -> bool {
        let layout = self.board.layout();
        for (i, word) in self.reach(seat).iter().enumerate() {
            out.extend(layout.tiles(i, *word).map(|(x, y)| Order::Capture { x, y }));
        }
        true
    }

    /// Draws different tiles, each about equally likely, and at most as many as the budget allows.
    fn sample(&self, seat: Seat, rng: &mut Rng, tmp: &mut Scratch, out: &mut Vec<Order>) {
        sample::captures(self, seat, rng, tmp, out);
    }

    fn dialogue(&self, _seat: Seat, _dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(RefereeDialogue::new(self.rules))
    }

    fn client(_name: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::default())
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
        Some(frame::tell(self, event))
    }

    /// Chat is the only order that is lawful in one rule set and not in the other, whatever the position.
    fn tolerates(rules: &Rules, why: &Refusal) -> bool {
        rules.chat && *why == Refusal::ChatUnknown
    }
}
