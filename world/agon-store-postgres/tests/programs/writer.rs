//! Writes results and says which of them are stored, until it is killed.
//!
//! Arguments: the address of the store, and the number of matches in it.

use agon_store::{
    Blob, BlobStore, Completion, Lease, MatchQueue, PlannedMatch, RecordedResult, RecordedSeat, Records, Report, Ticket,
};
use agon_store_postgres::Postgres;
use std::{
    collections::VecDeque,
    env,
    io::{Write, stdout},
};

/// Results that are on their way to the disk at the same time.
const UNDERWAY: usize = 150;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = env::args().collect();
    let store = Postgres::open(&words[1])?;
    let planned = |id| PlannedMatch { id, round: 1, seed: id, bots: vec![0, 1], ..PlannedMatch::default() };
    store.enqueue((1..=words[2].parse()?).map(planned).collect()).wait()?;
    // Those of a writer that was killed.
    let left: Vec<u64> = store.claims()?.iter().map(|claim| claim.token).collect();
    store.release(&left)?;
    say("open")?;
    let mut underway = VecDeque::new();
    loop {
        let lease = store.claim(1, 1, 0, i64::MAX)?.pop();
        if let Some(lease) = &lease {
            underway.push_back(complete(&store, lease)?);
        }
        while underway.len() >= UNDERWAY || lease.is_none() {
            let Some((id, ticket)) = underway.pop_front() else { return Ok(()) };
            assert_eq!(ticket.wait()?, Completion::Stored);
            say(&id.to_string())?;
        }
    }
}

/// Reports a result that follows from the number of the match, with a replay of a few kilobytes.
fn complete(store: &Postgres, lease: &Lease) -> Result<(u64, Ticket<Completion>), Box<dyn std::error::Error>> {
    let id = lease.planned.id;
    let replay = Blob::new(&id.to_le_bytes().repeat(1 + usize::try_from(id % 500)?))?;
    let _ = store.put(Blob::new(&[7; 9])?);
    let seats = (1..=2).map(|place| RecordedSeat { place, score: id.cast_signed(), ..RecordedSeat::default() });
    let result = RecordedResult { seats: seats.collect(), replay: Some(replay.hash()), ..RecordedResult::default() };
    let report = Report { token: Some(lease.token), ..Report::unclaimed(id, result, vec![replay]) };
    Ok((id, store.complete(report)))
}

fn say(line: &str) -> std::io::Result<()> {
    // One write a line, so that a kill cuts no line.
    stdout().write_all(format!("{line}\n").as_bytes())?;
    stdout().flush()
}
