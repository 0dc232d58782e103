//! Conversions between replays and typed turns. The formats of other programs are built on them.

use crate::typed_game::typed_position;
use agon_core::{Contest, Ending, Failure, Flaw, Joint, Seat, judge};
use agon_referee::{EntryRecord, Mark, PlyRecord, Rerun};
use agon_replay::{End, FORMAT_VERSION, Footer, Header, Line, LineOfPlay, Replay};
use agon_spec::{MatchSpec, SeatSpec};

/// Calls `show` with every position of the match that a replay ends with: no other format can express that turns were taken
/// back or a position was edited. The first position comes without orders. Each later one comes with the orders of all seats
/// that led to it, indexed by seat, and with the record of the turn. Returns the description of that match.
///
/// # Errors
/// Fails if the rules and the record disagree, if the match began in a position that a map alone does not say, or if turns were
/// left out.
pub(crate) fn each_position<C: Contest>(
    replay: &Replay,
    mut show: impl FnMut(&C, &[Vec<C::Order>], Option<&PlyRecord>),
) -> Result<MatchSpec, Flaw> {
    if replay.lines.iter().any(|line| matches!(line, Line::Cut(_))) {
        return Err(Flaw::new("turns of this match were left out, because there were too many"));
    }
    let LineOfPlay { spec, turns } = replay.line_of_play();
    if !spec.state.is_empty() {
        return Err(Flaw::new("this match began in a position that a map alone does not say"));
    }
    let mut rerun = Rerun::new::<C>(&spec)?;
    let mut orders: Vec<Vec<C::Order>> = vec![Vec::new(); spec.seats.len()];
    show(typed_position(rerun.board())?, &orders, None);
    for record in turns {
        orders.iter_mut().for_each(Vec::clear);
        for entry in &record.entries {
            let Some(orders) = orders.get_mut(entry.seat.index()) else { continue };
            // If an order cannot be read, the step below fails.
            orders.extend(entry.orders.read::<C::Order>().filter_map(Result::ok));
        }
        rerun.step(record).map_err(|mismatch| Flaw::new(mismatch.to_string()))?;
        show(typed_position(rerun.board())?, &orders, Some(record));
    }
    Ok(spec)
}

/// The orders of one seat in a turn of a foreign record, and its failure if it failed.
pub(crate) type Brought<C> = (Vec<<C as agon_core::Game>::Order>, Option<Failure>);

/// Makes a replay from the turns of a foreign record.
pub(crate) struct Recorder<C: Contest> {
    header: Header,
    rerun: C,
    scratch: C::Scratch,
    lines: Vec<Line>,
}

impl<C: Contest> Recorder<C> {
    /// Creates a recorder at the start of the match.
    ///
    /// # Errors
    /// Fails if the map or the rule set does not fit.
    pub(crate) fn new(spec: MatchSpec) -> Result<Self, Flaw> {
        let rerun = agon_referee::starting_position::<C>(&spec)?;
        let fingerprint = Mark(rerun.fingerprint());
        let engine = env!("CARGO_PKG_VERSION").to_owned();
        let header = Header { agon: FORMAT_VERSION, engine, fingerprint, spec };
        Ok(Self { header, rerun, scratch: C::Scratch::default(), lines: Vec::new() })
    }

    /// Returns the current position.
    pub(crate) fn position(&self) -> &C {
        &self.rerun
    }

    /// Plays a turn. Calls `brought` for the orders of each awaited seat.
    pub(crate) fn turn(&mut self, mut brought: impl FnMut(Seat) -> Brought<C>) {
        let awaited: Vec<(Seat, Brought<C>)> = self.rerun.awaiting().iter().map(|seat| (seat, brought(seat))).collect();
        let mut entries = Vec::new();
        let mut records = Vec::new();
        for (seat, (orders, failure)) in &awaited {
            let (entry, refused) = judge(&self.rerun, *seat, orders, *failure, &mut self.scratch);
            records.push(EntryRecord {
                orders: orders.iter().collect(),
                failure: entry.failure,
                refusal: refused.map(|refused| refused.why.to_string()),
                ..EntryRecord::new(*seat)
            });
            entries.push(entry);
        }
        self.rerun.resolve(Joint::new(&entries), &mut self.scratch, &mut ());
        let (ply, fingerprint) = (self.lines.len() as u32 + 1, Mark(self.rerun.fingerprint()));
        self.lines.push(Line::Ply(PlyRecord { ply, entries: records, fingerprint, ..PlyRecord::default() }));
    }

    /// Returns the replay. A match that has not ended by the rules counts as aborted.
    pub(crate) fn finish(self) -> Replay {
        let standing = self.rerun.standing();
        let ended = self.rerun.over() && standing.ending != Ending::Unfinished;
        let footer = Footer {
            end: if ended { End::Finished } else { End::Aborted },
            spoilt: None,
            standing: ended.then_some(standing),
            plies: self.lines.len() as u32,
            faults: Vec::new(),
            times: Vec::new(),
        };
        Replay { header: self.header, lines: self.lines, footer: Some(footer) }
    }
}

/// Returns the description of a match from a foreign record. The players, the clock and the seed are unknown.
pub(crate) fn foreign_spec<C: Contest>(format: &str, map: String, rules: String, limit: Option<u32>) -> MatchSpec {
    let seat = |i: usize| SeatSpec { name: format!("player {}", i + 1), bot: String::new(), ..SeatSpec::default() };
    let seats = (0..C::INFO.default_seats).map(seat);
    MatchSpec { map_name: format!("from a {format}"), limit, ..MatchSpec::new(C::NAME, rules, map, seats) }
}
