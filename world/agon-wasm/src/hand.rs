//! A match that is played in the page. It is a replay that grows: what a seat decides becomes its next line.

use crate::{
    branch,
    encoder::Encoder,
    engine::{Engine, Failed},
    opponents::game,
    told::Told,
};
use agon_core::Seed;
use agon_referee::{Branch, Decision, EntryRecord, MatchEvent, PlyRecord};
use agon_replay::{End, FORMAT_VERSION, Footer, Header, Replay};
use agon_spec::{MatchSpec, SeatSpec};
use serde::{Deserialize, Serialize};

/// What describes a match that begins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Terms {
    game: String,
    /// The rule set. By default the game's first one.
    #[serde(default)]
    rules: Option<String>,
    /// The text of the map. Without it, a map is generated.
    #[serde(default)]
    map: Option<String>,
    /// Where the map came from, for people.
    #[serde(default)]
    map_name: Option<String>,
    /// The kind of the map that is generated. By default the game's first one.
    #[serde(default)]
    kind: Option<String>,
    seed: u64,
    #[serde(default)]
    limit: Option<u32>,
    seats: Vec<Sitting>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sitting {
    name: String,
    bot: String,
}

impl Engine {
    /// Begins a match. `text` is a JSON object with `game`, `seed` and `seats` (a list of objects with `name` and `bot`),
    /// and, if they are not the usual ones, `rules`, `limit`, and `map` and `map_name` or `kind`.
    ///
    /// # Errors
    /// Fails if the text cannot be read, or if no match can start from it.
    pub fn start(text: &[u8]) -> Result<Self, Failed> {
        let failed = |why: String| Failed { why, line: None };
        let terms: Terms =
            serde_json::from_slice(text).map_err(|why| failed(format!("the match cannot be read: {why}")))?;
        let game = game(&terms.game)?;
        let seed = Seed(terms.seed);
        let kind = terms.kind.unwrap_or_else(|| game.info().map_kinds.first().map_or("", |kind| kind.name).to_owned());
        let (map_name, map) = match terms.map {
            Some(map) => (terms.map_name.unwrap_or_default(), map),
            None => (format!("gen:{kind}:{}", seed.0), game.generate(&kind, seed, terms.seats.len())?),
        };
        let rules = terms.rules.as_deref().unwrap_or(game.rule_sets().first().copied().unwrap_or_default());
        let seat = |seat: Sitting| SeatSpec { name: seat.name, bot: seat.bot, ..SeatSpec::default() };
        let seats = terms.seats.into_iter().map(seat);
        let spec = MatchSpec {
            map_name,
            seed,
            limit: terms.limit,
            ..MatchSpec::new(terms.game, game.rules(rules)?, map, seats)
        };
        let fingerprint = game.position(&spec)?.board().fingerprint();
        let engine = concat!("agon ", env!("CARGO_PKG_VERSION")).to_owned();
        Self::open(&line(&Header { agon: FORMAT_VERSION, engine, fingerprint, spec }))
    }

    /// Plays a turn at the end of the match, shows the position after it, and writes what happened. `decisions` is a JSON
    /// list of objects with `seat` and `orders`. Leaves a branch. The footer of a replay that was opened is dropped.
    ///
    /// # Errors
    /// Fails if the decisions are not those of the awaited seats, if the rules refuse one of their orders, or if the replay was
    /// cut because it became too large. Nothing changes then.
    pub fn write_given(&mut self, decisions: &[u8], out: &mut Encoder) -> Result<(), Failed> {
        self.refuse_cut()?;
        let mut position = Branch::at(self.last()?.clone());
        let decisions = branch::decisions(decisions, position.board().awaiting())?;
        for decision in &decisions {
            position
                .board()
                .check(decision.seat, &decision.orders)
                .map_err(|why| Failed { why: why.to_string(), line: None })?;
        }
        let mut told = Vec::new();
        let before = position.board().standing();
        let turn = position.apply_in_steps(&decisions, &mut |step| {
            told.extend(step.incidents(None).into_iter().map(Told::incident));
        });
        turn.map_err(|why| Failed { why: why.to_string(), line: None })?;
        told.extend(Told::lead(&before, &position.board().standing()));
        let entry = |decision: Decision| EntryRecord { orders: decision.orders, ..EntryRecord::new(decision.seat) };
        let entries = decisions.into_iter().map(entry).collect();
        let fingerprint = position.board().fingerprint();
        self.reopen();
        self.append(&line(&PlyRecord { ply: self.plies() + 1, entries, fingerprint, ..PlyRecord::default() }))?;
        self.seek(self.plies())?;
        out.texts(std::iter::empty::<&str>()).events(&told);
        Ok(())
    }

    /// Takes turns back until `ply` are left, and shows the position after them. Leaves a branch. A match that was over goes on.
    ///
    /// # Errors
    /// Fails if the match has fewer turns, or if the replay was cut because it became too large.
    pub fn rewind(&mut self, ply: u32) -> Result<(), Failed> {
        if ply < self.plies() {
            self.refuse_cut()?;
        }
        self.seek(ply)?;
        if ply < self.plies() {
            let fingerprint = self.here().fingerprint();
            self.reopen();
            self.append(&line(&MatchEvent::Rewound { ply, fingerprint }))?;
        }
        Ok(())
    }

    /// Returns the match as it stands as a whole replay. Its footer has the result, or says that the match was broken off if the
    /// rules have not ended it. What is there of a last line is left out. The match itself can go on.
    ///
    /// # Errors
    /// Fails if the match was opened from a replay with a turn that the rules do not accept.
    pub fn record(&mut self) -> Result<Vec<u8>, Failed> {
        if self.has_ended() {
            return Ok(self.whole_text());
        }
        let mut record = self.whole_text();
        let (plies, last) = (self.plies(), self.last()?);
        let (end, standing) = if last.over() { (End::Finished, Some(last.standing())) } else { (End::Aborted, None) };
        let tally = Replay::read(&*record)?.tally();
        record.extend(line(&Footer { standing, ..tally.footer(end, plies) }));
        Ok(record)
    }

    /// Writes the shown position as a map, as far as a map can say it.
    pub fn write_map(&self, out: &mut Encoder) {
        out.text(&self.here().map());
    }

    /// Tells whether the rules end the match in the shown position, and writes the places and scores as they stand.
    pub fn write_standing(&self, out: &mut Encoder) {
        let (over, standing) = (self.here().over(), self.here().standing());
        out.flag(over).text(&if over { standing.ending.to_string() } else { String::new() });
        out.count(standing.places.len());
        standing.places.iter().for_each(|place| _ = out.byte(*place));
        out.count(standing.scores.len());
        standing.scores.iter().for_each(|score| _ = out.double(*score as f64));
    }
}

/// Returns a line of the replay.
fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
