//! Rows of matches that are over.

use crate::{
    db::{Db, Values},
    failure::Failure,
    nul::{kept, restored},
};
use agon_store::{
    BlobHash, MatchState, PlannedMatch, RecordedResult, StoredMatch,
    backend::{state_number, state_of, text},
};
use postgres::Row;

type Bytes = Option<Vec<u8>>;

/// Rows of `matches` that the open group has not sent yet, column by column, because each statement costs a way to the server
/// and back.
#[derive(Default)]
pub(crate) struct Rows {
    number: Vec<i64>,
    id: Vec<i64>,
    state: Vec<i16>,
    rank: Vec<i16>,
    attempts: Vec<i64>,
    round: Vec<i64>,
    map: Vec<i64>,
    map_seed: Vec<i64>,
    seed: Vec<i64>,
    bots: Vec<String>,
    probability: Vec<Option<f64>>,
    reason: Vec<String>,
    plies: Vec<i64>,
    fingerprint: Vec<Option<i64>>,
    replay: Vec<Bytes>,
    log: Vec<Bytes>,
    started_ms: Vec<i64>,
    wall_us: Vec<i64>,
    seats: Vec<String>,
    token: Vec<Option<i64>>,
    worker: Vec<Option<i64>>,
}

const INSERT: &str = "INSERT INTO matches SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::smallint[],
     $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[],
     $12::double precision[], $13::text[], $14::bigint[], $15::bigint[], $16::bytea[], $17::bytea[], $18::bigint[],
     $19::bigint[], $20::text[], $21::bigint[], $22::bigint[])";

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.id.len()
    }

    /// Adds a match with its result. `number` is its place among those that are over.
    pub(crate) fn push(
        &mut self,
        number: i64,
        (planned, attempts): (&PlannedMatch, u32),
        token: Option<u64>,
        result: &RecordedResult,
    ) -> Result<(), Failure> {
        let PlannedMatch { id, round, map, map_seed, seed, bots, probability, rank } = planned;
        let RecordedResult { ending, reason, seats, plies, fingerprint, replay, log, started_ms, wall_us, worker } =
            result;
        let bytes = |hash: &Option<BlobHash>| hash.map(|hash| hash.bytes().to_vec());
        let seats = text::of_seats(seats)?;
        self.number.push(number);
        self.id.push(id.cast_signed());
        self.state.push(state_number(MatchState::Over(*ending)).into());
        self.rank.push((*rank).into());
        self.attempts.push(attempts.into());
        self.round.push((*round).into());
        self.map.push((*map).into());
        self.map_seed.push(map_seed.cast_signed());
        self.seed.push(seed.cast_signed());
        self.bots.push(bots.iter().map(u32::to_string).collect::<Vec<_>>().join(","));
        self.probability.push(*probability);
        self.reason.push(kept(reason).into_owned());
        self.plies.push((*plies).into());
        self.fingerprint.push(fingerprint.map(u64::cast_signed));
        self.replay.push(bytes(replay));
        self.log.push(bytes(log));
        self.started_ms.push(*started_ms);
        self.wall_us.push(wall_us.cast_signed());
        self.seats.push(seats);
        self.token.push(token.map(u64::cast_signed));
        self.worker.push(worker.map(Into::into));
        Ok(())
    }

    /// Sends the rows, and begins anew.
    pub(crate) fn send(&mut self, db: &mut Db, tournament: i32) -> Result<(), Failure> {
        if self.len() == 0 {
            return Ok(());
        }
        let rows = std::mem::take(self);
        let values: Values<'_> = &[
            &tournament,
            &rows.number,
            &rows.id,
            &rows.state,
            &rows.rank,
            &rows.attempts,
            &rows.round,
            &rows.map,
            &rows.map_seed,
            &rows.seed,
            &rows.bots,
            &rows.probability,
            &rows.reason,
            &rows.plies,
            &rows.fingerprint,
            &rows.replay,
            &rows.log,
            &rows.started_ms,
            &rows.wall_us,
            &rows.seats,
            &rows.token,
            &rows.worker,
        ];
        db.execute(INSERT, values).map(drop)
    }
}

/// Returns the error of a value that this program does not know.
pub(crate) fn unknown(value: impl Into<String>) -> Failure {
    Failure::Content(value.into())
}

/// Reads a number that is never below 0.
pub(crate) fn small(row: &Row, column: &str) -> Result<u32, Failure> {
    let value: i64 = row.try_get(column)?;
    value.try_into().map_err(|_| unknown(format!("{column} is {value}")))
}

pub(crate) fn unsigned(row: &Row, column: &str) -> Result<u64, Failure> {
    Ok(row.try_get::<_, i64>(column)?.cast_unsigned())
}

pub(crate) fn maybe_unsigned(row: &Row, column: &str) -> Result<Option<u64>, Failure> {
    Ok(row.try_get::<_, Option<i64>>(column)?.map(i64::cast_unsigned))
}

pub(crate) fn maybe_small(row: &Row, column: &str) -> Result<Option<u32>, Failure> {
    let value: Option<i64> = row.try_get(column)?;
    value.map(u32::try_from).transpose().map_err(|_| unknown(format!("{column} is {value:?}")))
}

pub(crate) fn words(row: &Row, column: &str) -> Result<String, Failure> {
    Ok(restored(row.try_get(column)?))
}

pub(crate) fn hash(row: &Row, column: &str) -> Result<Option<BlobHash>, Failure> {
    let Some(bytes) = row.try_get::<_, Option<&[u8]>>(column)? else { return Ok(None) };
    let bytes = bytes.try_into().map_err(|_| unknown(format!("{column} is no hash")))?;
    Ok(Some(BlobHash::from_bytes(bytes)))
}

pub(crate) fn state(row: &Row) -> Result<MatchState, Failure> {
    let number: i16 = row.try_get("state")?;
    let state = u8::try_from(number).ok().and_then(state_of);
    state.ok_or_else(|| unknown(format!("the state {number}")))
}

/// Reads a row of `matches`.
pub(crate) fn over_match(row: &Row) -> Result<StoredMatch, Failure> {
    let bots: &str = row.try_get("bots")?;
    let numbers = bots.split(',').filter(|number| !number.is_empty()).map(str::parse);
    let rank: i16 = row.try_get("rank")?;
    let planned = PlannedMatch {
        id: unsigned(row, "id")?,
        round: small(row, "round")?,
        map: small(row, "map")?,
        map_seed: unsigned(row, "map_seed")?,
        seed: unsigned(row, "seed")?,
        bots: numbers.collect::<Result<_, _>>().map_err(|_| unknown(bots))?,
        probability: row.try_get("probability")?,
        rank: rank.try_into().map_err(|_| unknown(format!("the rank {rank}")))?,
    };
    let MatchState::Over(ending) = state(row)? else { return Err(unknown("a result of a match to play")) };
    let result = RecordedResult {
        ending,
        reason: words(row, "reason")?,
        seats: text::seats(row.try_get("seats")?)?,
        plies: small(row, "plies")?,
        fingerprint: maybe_unsigned(row, "fingerprint")?,
        replay: hash(row, "replay")?,
        log: hash(row, "log")?,
        started_ms: row.try_get("started_ms")?,
        wall_us: unsigned(row, "wall_us")?,
        worker: maybe_small(row, "worker")?,
    };
    Ok(StoredMatch { planned, attempts: small(row, "attempts")?, result: Some(result) })
}
