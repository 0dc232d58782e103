//! What the writer keeps in memory beside the database.

use crate::{
    db::Db,
    failure::Failure,
    lead::{self, Lead},
    place::Place,
    read,
    rows::Rows,
};
use agon_store::{
    Blob, Claim, Claims, Lease, PlannedMatch, RecordedResult, StoredMatch,
    backend::{ClaimRow, Own, Row, Waiting},
    first_token,
};
use std::collections::BTreeMap;

/// The most results that are sent together.
const MOST_ROWS: usize = 500;

/// What the writer keeps in memory: the tournaments that it leads.
#[derive(Default)]
pub(crate) struct State {
    led: BTreeMap<i32, Led>,
}

/// A tournament that this process leads.
pub(crate) struct Led {
    pub(crate) own: Own,
    lead: Lead,
    /// The last token.
    token: u64,
    /// The number of the match that came last to be over, the open group included.
    result: i64,
    /// Whether the open group belongs to it.
    is_touched: bool,
    rows: Rows,
    blobs: BTreeMap<[u8; 32], Blob>,
}

/// Where a change is made.
pub(crate) struct Scope<'a> {
    pub(crate) db: &'a mut Db,
    pub(crate) tournament: i32,
    pub(crate) led: &'a mut Led,
}

impl State {
    /// Takes the lead of a tournament, and reads what there is of it.
    pub(crate) fn lead(&mut self, db: &mut Db, place: &Place, tournament: i32) -> Result<(), Failure> {
        if self.led.contains_key(&tournament) {
            return Ok(());
        }
        let lead = lead::take(db, place, tournament)?;
        let token = first_token(u32::try_from(lead.epoch).unwrap_or(u32::MAX));
        let mut own = Own { waiting: waiting(db, tournament)?, ..Own::default() };
        for (first, claims) in read::claims(db, tournament)? {
            own.load(first, claims);
        }
        let (rows, blobs) = (Rows::default(), BTreeMap::new());
        self.led.insert(tournament, Led { own, lead, token, result: lead.result, is_touched: false, rows, blobs });
        Ok(())
    }

    /// Takes the lead of every tournament again, on a new connection. Returns whether the group that was last sent was committed.
    pub(crate) fn lead_again(&mut self, db: &mut Db, place: &Place, before: i32) -> Result<bool, Failure> {
        let mut is_committed = false;
        for led in self.led.values_mut() {
            let found = lead::take_again(db, place, led.lead, before)?;
            is_committed |= found.commits > led.lead.commits;
        }
        Ok(is_committed)
    }

    /// Forgets what the open group has changed, so that it can be made again. Claims stay: whoever has one plays on.
    pub(crate) fn reload(&mut self, db: &mut Db) -> Result<(), Failure> {
        for (tournament, led) in &mut self.led {
            let waiting = waiting(db, *tournament)?;
            let mut claims = Claims::default();
            for claim in led.own.claims.iter() {
                // A match that is in neither table is one of the open group.
                if waiting.get(claim.id).is_some() || read::over(db, *tournament, claim.id)?.is_none() {
                    claims.add(*claim);
                }
            }
            let stored = read::claims(db, *tournament)?.into_iter().map(|(first, _)| first);
            led.own = Own { claims, waiting, ..Own::default() };
            led.own.rows.renew(stored, &led.own.claims);
            led.result = led.lead.result;
            (led.rows, led.blobs) = (Rows::default(), BTreeMap::new());
        }
        self.mark_claimed();
        Ok(())
    }

    /// Notes which matches are claimed. Those that the open group adds are there only when it is made again.
    pub(crate) fn mark_claimed(&mut self) {
        for led in self.led.values_mut() {
            let Own { claims, waiting, .. } = &mut led.own;
            claims.iter().for_each(|claim| waiting.claimed(claim.id));
        }
    }

    /// Returns where a change to a tournament is made.
    pub(crate) fn scope<'a>(&'a mut self, db: &'a mut Db, tournament: i32) -> Result<Scope<'a>, Failure> {
        let led = self.led.get_mut(&tournament).ok_or(Failure::Overtaken)?;
        led.is_touched = true;
        Ok(Scope { db, tournament, led })
    }

    /// Returns what is in memory of a tournament.
    pub(crate) fn led(&mut self, tournament: i32) -> Option<&mut Led> {
        self.led.get_mut(&tournament)
    }

    /// Sends what the open group has changed.
    pub(crate) fn send(&mut self, db: &mut Db) -> Result<(), Failure> {
        for (tournament, led) in self.led.iter_mut().filter(|(_, led)| led.is_touched) {
            led.send(db, *tournament)?;
            // Whoever has led since has another epoch.
            let update = "UPDATE tournaments SET commits = $1, result = $2 WHERE number = $3 AND epoch = $4";
            let Lead { epoch, commits, .. } = led.lead;
            if db.execute(update, &[&(commits + 1), &led.result, tournament, &epoch])? != 1 {
                return Err(Failure::Overtaken);
            }
        }
        Ok(())
    }

    /// Notes that the open group is committed.
    pub(crate) fn committed(&mut self) {
        for led in self.led.values_mut().filter(|led| led.is_touched) {
            led.is_touched = false;
            led.lead.commits += 1;
            led.lead.result = led.result;
        }
    }
}

/// Reads which matches of a tournament are to be played.
fn waiting(db: &mut Db, tournament: i32) -> Result<Waiting, Failure> {
    let highest = "SELECT max(id) FROM matches WHERE tournament = $1";
    let highest: Option<i64> = db.value(highest, &[&tournament])?;
    let mut waiting = Waiting::after(highest.map_or(0, i64::cast_unsigned));
    read::batches(db, tournament, 1..=i64::MAX, &mut |number, planned, attempts| {
        waiting.insert(number, planned, attempts);
    })?;
    Ok(waiting)
}

impl Led {
    /// Gives at most `count` matches to a worker.
    pub(crate) fn claim(&mut self, worker: u32, count: usize, now_ms: i64, until_ms: i64) -> Vec<Lease> {
        let claim = Claim { token: self.token + 1, id: 0, worker, began_ms: now_ms, until_ms };
        let leases = self.own.waiting.claim(&mut self.own.claims, count, claim);
        if !leases.is_empty() {
            self.token += leases.len() as u64;
            self.own.rows.add(claim, leases.len());
        }
        leases
    }

    /// Goes on behind this token.
    pub(crate) fn skip_tokens(&mut self, last: u64) {
        self.token = self.token.max(last);
    }

    /// Makes this the next number of a match that is over.
    pub(crate) fn go_to(&mut self, number: u64) {
        self.result = number.cast_signed() - 1;
    }

    /// Returns the number of a match that is over now.
    pub(crate) fn next_result(&mut self) -> i64 {
        self.result += 1;
        self.result
    }

    /// Sends what the open group has changed in memory.
    fn send(&mut self, db: &mut Db, tournament: i32) -> Result<(), Failure> {
        self.send_results(db, tournament)?;
        let (states, bots) = self.own.sums.take();
        if states.iter().any(|change| *change != 0) {
            let update = "UPDATE progress SET number = number + change
                          FROM unnest($2::bigint[]) WITH ORDINALITY AS change (change, place)
                          WHERE tournament = $1 AND state = place - 1 AND change <> 0";
            db.execute(update, &[&tournament, &states.as_slice()])?;
        }
        if !bots.is_empty() {
            let numbers: Vec<i64> = bots.keys().map(|bot| i64::from(*bot)).collect();
            let (played, faults, time_us): (Vec<i64>, Vec<i64>, Vec<i64>) = (
                bots.values().map(|bot| bot.played).collect(),
                bots.values().map(|bot| bot.faults).collect(),
                bots.values().map(|bot| bot.time_us).collect(),
            );
            let update = "UPDATE bots SET played = bots.played + new.played, faults = bots.faults + new.faults,
                          time_us = bots.time_us + new.time_us
                          FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                          AS new (number, played, faults, time_us)
                          WHERE tournament = $1 AND bots.number = new.number";
            db.execute(update, &[&tournament, &numbers, &played, &faults, &time_us])?;
        }
        let mut over = Vec::new();
        for (number, plans) in self.own.waiting.take_changed()? {
            match plans {
                Some(plans) => {
                    db.execute("UPDATE batches SET plans = $1 WHERE number = $2", &[&plans, &number])?;
                }
                None => over.push(number),
            }
        }
        if !over.is_empty() {
            db.execute("DELETE FROM batches WHERE number = ANY ($1)", &[&over])?;
        }
        self.send_claims(db, tournament)
    }

    fn send_claims(&mut self, db: &mut Db, tournament: i32) -> Result<(), Failure> {
        let mut ended = Vec::new();
        let (mut firsts, mut workers, mut began, mut until, mut lists) =
            <(Vec<_>, Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
        for (first, row) in self.own.rows.take_changed(&self.own.claims)? {
            let Some(ClaimRow { worker, began_ms, until_ms, matches }) = row else {
                ended.push(first.cast_signed());
                continue;
            };
            firsts.push(first.cast_signed());
            workers.push(i64::from(worker));
            began.push(began_ms);
            until.push(until_ms);
            lists.push(matches);
        }
        if !ended.is_empty() {
            db.execute("DELETE FROM claims WHERE tournament = $1 AND first = ANY ($2)", &[&tournament, &ended])?;
        }
        if !firsts.is_empty() {
            let insert = "INSERT INTO claims
                          SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
                          ON CONFLICT (tournament, first) DO UPDATE SET matches = excluded.matches,
                          until_ms = excluded.until_ms";
            db.execute(insert, &[&tournament, &firsts, &workers, &began, &until, &lists])?;
        }
        Ok(())
    }

    fn send_results(&mut self, db: &mut Db, tournament: i32) -> Result<(), Failure> {
        if !self.blobs.is_empty() {
            // In the order of their hashes, so that two leaders never wait for each other.
            let blobs = std::mem::take(&mut self.blobs);
            let hashes: Vec<&[u8]> = blobs.keys().map(<[u8; 32]>::as_slice).collect();
            let sizes: Vec<i64> = blobs.values().map(|blob| blob.size().cast_signed()).collect();
            let packed: Vec<&[u8]> = blobs.values().map(Blob::packed).collect();
            let insert = "INSERT INTO blobs SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])
                          ON CONFLICT DO NOTHING";
            db.execute(insert, &[&hashes, &sizes, &packed])?;
        }
        self.rows.send(db, tournament)
    }
}

impl Scope<'_> {
    /// Sends what is to be read.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.led.send_results(self.db, self.tournament)
    }

    /// Returns the match with this number if it is over.
    pub(crate) fn over(&mut self, id: u64) -> Result<Option<StoredMatch>, Failure> {
        self.flush()?;
        read::over(self.db, self.tournament, id)
    }

    /// Adds a result, with its blobs, to what is sent together.
    pub(crate) fn push(
        &mut self,
        planned: (&PlannedMatch, u32),
        token: Option<u64>,
        result: &RecordedResult,
        blobs: &[Blob],
    ) -> Result<(), Failure> {
        let number = self.led.next_result();
        self.led.blobs.extend(blobs.iter().map(|blob| (*blob.hash().bytes(), blob.clone())));
        self.led.rows.push(number, planned, token, result)?;
        if self.led.rows.len() < MOST_ROWS { Ok(()) } else { self.flush() }
    }

    /// Stores new matches, or those that are played again.
    pub(crate) fn add(&mut self, matches: Vec<PlannedMatch>, are_again: bool) -> Result<(), Failure> {
        let (db, tournament) = (&mut *self.db, self.tournament);
        let mut insert = |Row { last, plans }: Row| {
            let insert = "INSERT INTO batches (tournament, last, plans) VALUES ($1, $2, $3) RETURNING number";
            db.value(insert, &[&tournament, &last.cast_signed(), &plans])
        };
        let add = if are_again { Waiting::add_again } else { Waiting::add };
        add(&mut self.led.own.waiting, matches, &mut insert)
    }
}
