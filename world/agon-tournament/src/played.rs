//! One match of a tournament: plays it until the host lets it come to a result, and makes a record of that.

use crate::{Field, Replays, TournamentError, stderr_log::StderrLog};
use agon_core::{Seat, Standing};
use agon_play::{
    Cancel, CorePlacement, Error, Event, HostHistory, Listen, MatchResult, Outcome, PlayOptions, Settled, cause, play,
};
use agon_referee::Recording;
use agon_replay::Writer;
use agon_spec::{Fault, MatchEvent, Refused, RefusedCount};
use agon_store::{Blob, BlobHash, Ending, PlannedMatch, RecordedFault, RecordedRefusals, RecordedResult, RecordedSeat};
use std::{
    io, mem,
    sync::atomic::{AtomicU32, Ordering},
    time::SystemTime,
};

/// How matches are played.
pub(crate) struct Manner<'a> {
    pub(crate) field: &'a Field,
    pub(crate) host: &'a HostHistory,
    pub(crate) cancel: &'a Cancel,
    pub(crate) placement: &'a CorePlacement,
    pub(crate) cores: Option<u32>,
    pub(crate) ponder: bool,
    pub(crate) replays: Replays,
    /// The version of each bot of the tournament.
    pub(crate) versions: &'a [u32],
}

pub(crate) struct Played {
    pub(crate) result: RecordedResult,
    pub(crate) blobs: Vec<Blob>,
    /// Why each earlier attempt has no result.
    pub(crate) spoilt: Vec<String>,
}

/// The replay of an attempt in memory.
#[derive(Default)]
struct Recorder {
    /// What came before anything that makes a replay worth writing.
    before: Vec<MatchEvent>,
    writer: Option<Writer<Vec<u8>>>,
}

impl Recorder {
    fn new(replays: Replays) -> Self {
        Self { before: Vec::new(), writer: (replays == Replays::All).then(writer) }
    }

    fn add(&mut self, event: &MatchEvent) {
        if self.writer.is_none() {
            match event {
                MatchEvent::Ply(_) | MatchEvent::Fault(_) => {
                    let writer = self.writer.insert(writer());
                    mem::take(&mut self.before).iter().for_each(|event| write(writer, event));
                }
                MatchEvent::Finished { .. } | MatchEvent::Aborted { .. } => return,
                _ => return self.before.push(event.clone()),
            }
        }
        if let Some(writer) = &mut self.writer {
            write(writer, event);
        }
    }

    fn bytes(&mut self) -> Vec<u8> {
        self.writer.take().and_then(|writer| writer.finish().ok()).unwrap_or_default()
    }
}

fn writer() -> Writer<Vec<u8>> {
    Writer::new(Vec::new(), env!("CARGO_PKG_VERSION"))
}

fn write(writer: &mut Writer<Vec<u8>>, event: &MatchEvent) {
    // Memory takes every byte.
    let _ = writer.write(event);
}

/// What is kept of an attempt beside its result.
#[derive(Default)]
struct Attempt {
    replay: Recorder,
    log: StderrLog,
}

/// How a match ended, before it is known what that means for the tournament.
pub(crate) enum MatchEnd {
    /// It has a result, or the host spoilt it again and again.
    Over {
        result: RecordedResult,
        /// Why each earlier attempt has no result.
        spoilt: Vec<String>,
    },
    /// Bots cannot be started, although they were prepared.
    NotStarted { seats: Vec<(Seat, String)>, started_ms: i64 },
    /// It was cancelled.
    Cancelled,
}

/// Takes the bytes of a replay or a log, and returns their hash.
pub(crate) type Pack<'a> = &'a mut dyn FnMut(Vec<u8>) -> Result<BlobHash, Error>;

impl Manner<'_> {
    /// Plays a match. `None` if it was cancelled.
    ///
    /// # Errors
    /// If no match can be played.
    pub(crate) fn play(&self, planned: &PlannedMatch) -> Result<Option<Played>, TournamentError> {
        let mut blobs = Vec::new();
        let mut pack = |bytes: Vec<u8>| {
            let blob = Blob::new(&bytes).map_err(|_| Error::Run(io::ErrorKind::OutOfMemory.into()))?;
            let hash = blob.hash();
            blobs.push(blob);
            Ok(hash)
        };
        Ok(match self.play_to_the_end(planned, self.cancel, None, &mut pack)? {
            MatchEnd::Over { result, spoilt } => Some(Played { result, blobs, spoilt }),
            MatchEnd::NotStarted { seats, started_ms } => {
                let result = RecordedResult { started_ms, ..self.never_started(planned, seats) };
                Some(Played { result, blobs: Vec::new(), spoilt: Vec::new() })
            }
            MatchEnd::Cancelled => None,
        })
    }

    /// Plays a match until `cancel` breaks it off. `turn` has the turn in which it is, from 1, and 0 while its bots start.
    ///
    /// # Errors
    /// If no match can be played.
    pub(crate) fn play_to_the_end(
        &self,
        planned: &PlannedMatch,
        cancel: &Cancel,
        turn: Option<&AtomicU32>,
        pack: Pack<'_>,
    ) -> Result<MatchEnd, TournamentError> {
        let bots = self.field.bots_of(planned)?;
        let spec = self.field.spec(planned, &bots)?;
        let started_ms = now_ms();
        let (mut spoilt, mut attempt) = (Vec::new(), Attempt::default());
        let set_turn = |now: u32| turn.into_iter().for_each(|turn| turn.store(now, Ordering::Relaxed));
        let once = || {
            attempt = Attempt { log: StderrLog::new(bots.len()), replay: Recorder::new(self.replays) };
            let options = PlayOptions {
                cancel: Some(cancel.clone()),
                recording: match self.replays {
                    // Turns are told only if they are recorded.
                    _ if turn.is_some() => Recording::Orders,
                    Replays::All => Recording::Orders,
                    Replays::Faults => Recording::Faults,
                    Replays::None => Recording::Result,
                },
                listen: Listen::Stderr,
                ponder: self.ponder,
                cores: self.placement.clone(),
                cores_of_bot: self.cores,
                ..PlayOptions::default()
            };
            let Attempt { replay, log } = &mut attempt;
            let result = play(self.field.game(), &spec, &bots, options, &mut |event| match event {
                Event::Match(event) => {
                    match event {
                        MatchEvent::Started { .. } => set_turn(0),
                        MatchEvent::Greeted { .. } => set_turn(1),
                        MatchEvent::Ply(record) => set_turn(record.ply.saturating_add(1)),
                        _ => {}
                    }
                    if self.replays != Replays::None {
                        replay.add(event);
                    }
                }
                Event::Chunk(chunk) => log.add(chunk.seat.index(), chunk.bytes),
                _ => {}
            });
            match &result {
                Ok(MatchResult { changed: Some(changed), .. }) => {
                    let file = changed.file.display();
                    spoilt.push(format!("`{file}` of {} was written or replaced while it played", changed.bot));
                }
                Ok(MatchResult { outcome: Outcome::Finished(_), .. }) => {}
                Ok(MatchResult { outcome: Outcome::Short(shortage), .. }) => {
                    spoilt.push(format!("the host ran short of {shortage}"));
                }
                Ok(_) => spoilt.push("the host kept a bot from a core or could not start it".to_owned()),
                Err(why) => spoilt.push(why.to_string()),
            }
            result
        };
        let settled = self.host.play_until_decided(cancel, once)?;
        let times = |result: &mut RecordedResult, wall: std::time::Duration| {
            (result.started_ms, result.wall_us) = (started_ms, u64::try_from(wall.as_micros()).unwrap_or(u64::MAX));
        };
        Ok(match settled {
            Settled::Cancelled => MatchEnd::Cancelled,
            Settled::Decided(played) => {
                let versions = planned.bots.iter().map(|bot| self.versions[*bot as usize]);
                let mut result = recorded(&played, versions);
                times(&mut result, played.wall);
                for ((recorded, seat), bot) in result.seats.iter_mut().zip(&played.seats).zip(&bots) {
                    let cause = cause(self.field.game(), &spec, bot, seat, None);
                    if let Some(fault) = &mut recorded.fault {
                        fault.cause = cause.map(|cause| cause.code.name().to_owned());
                    }
                }
                self.keep(&mut result, &mut attempt, pack)?;
                MatchEnd::Over { result, spoilt }
            }
            Settled::Undecided { why, .. } => {
                let result =
                    RecordedResult { ending: Ending::Spoilt, reason: why, started_ms, ..RecordedResult::default() };
                // The result has the last attempt.
                spoilt.pop();
                MatchEnd::Over { result, spoilt }
            }
            Settled::NotStarted(seats) => {
                let seats = seats.into_iter().map(|(seat, why)| (seat, why.to_string())).collect();
                MatchEnd::NotStarted { seats, started_ms }
            }
        })
    }

    /// Makes the result of a match in which bots cannot be started, although they were prepared. All others share the
    /// first place. If there are none, nobody has won.
    fn never_started(&self, planned: &PlannedMatch, failed: Vec<(Seat, String)>) -> RecordedResult {
        let others = planned.bots.len().saturating_sub(failed.len());
        let worst = u32::try_from(others.max(1) + 1).unwrap_or(u32::MAX);
        let seat = |(index, bot): (usize, &u32)| {
            let why = failed.iter().find(|(seat, _)| seat.index() == index).map(|(_, why)| why.clone());
            let kind = Fault::NEVER_STARTED.to_owned();
            RecordedSeat {
                version: self.versions[*bot as usize],
                place: if why.is_some() { worst } else { 1 },
                fault: why.map(|text| RecordedFault { kind, ply: 0, text, cause: None }),
                ..RecordedSeat::default()
            }
        };
        RecordedResult {
            reason: "forfeit".to_owned(),
            seats: planned.bots.iter().enumerate().map(seat).collect(),
            ..RecordedResult::default()
        }
    }

    /// Packs the replay and the log, as far as they are to be kept.
    fn keep(&self, result: &mut RecordedResult, attempt: &mut Attempt, pack: Pack<'_>) -> Result<(), Error> {
        let failed = result.seats.iter().any(|seat| seat.fault.is_some());
        if self.replays == Replays::All || (self.replays == Replays::Faults && failed) {
            result.replay = Some(pack(attempt.replay.bytes())?);
        }
        let log = attempt.log.bytes();
        if !log.is_empty() {
            result.log = Some(pack(log)?);
        }
        Ok(())
    }
}

/// Makes the record of a match that has come to a result, for a store. `versions` has the version of the bot in each seat.
/// When the match was played and the causes of faults are not in it.
#[must_use]
pub fn recorded(played: &MatchResult, versions: impl IntoIterator<Item = u32>) -> RecordedResult {
    let Standing { scores, places, ending } = &played.standing;
    let seat = |(index, version): (usize, u32)| {
        let footer = played.footer.as_ref();
        let fault = footer.and_then(|footer| footer.faults.iter().find(|fault| fault.seat.index() == index));
        let time = played.time_used.get(index).copied().unwrap_or_default();
        RecordedSeat {
            version,
            score: scores.get(index).copied().unwrap_or_default(),
            place: places.get(index).copied().unwrap_or_default().into(),
            fault: fault.map(|record| RecordedFault {
                kind: record.fault.name().to_owned(),
                ply: record.ply,
                text: record.fault.to_string(),
                cause: None,
            }),
            refused: played.refused.get(index).map(refusals).unwrap_or_default(),
            decisions: time.decisions,
            time_us: time.total_us,
            max_us: time.max_us,
        }
    };
    RecordedResult {
        reason: ending.to_string(),
        seats: versions.into_iter().enumerate().map(seat).collect(),
        plies: played.plies,
        fingerprint: Some(played.fingerprint),
        ..RecordedResult::default()
    }
}

fn refusals(count: &RefusedCount) -> RecordedRefusals {
    let Refused { count, of, top } = count.summary();
    if count == 0 {
        return RecordedRefusals::default();
    }
    RecordedRefusals { count, of, top: top.into_iter().map(|kind| (kind.text, kind.count)).collect() }
}

/// Returns the time of the system's clock, in milliseconds since 1970, as stores keep it.
#[must_use]
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
