//! What the bots of a match wrote to their stderr, as a store keeps it: apart by seats, so that each author can have the
//! text of the own bot, and no other one.

use crate::{TournamentError, outcome::is_left_out, past::PAGE};
use agon_core::Flaw;
use agon_store::{BlobHash, Records};

/// The most bytes of one bot's stderr that are kept, its last ones.
const MOST: usize = 16 << 10;
const HEADING: &[u8] = b"--- seat ";

/// The stderr of the bots of a match while it is played.
#[derive(Default)]
pub(crate) struct StderrLog {
    seats: Vec<Vec<u8>>,
}

impl StderrLog {
    pub(crate) fn new(seats: usize) -> Self {
        Self { seats: vec![Vec::new(); seats] }
    }

    /// Takes what the bot in a seat, from 0, wrote.
    pub(crate) fn add(&mut self, seat: usize, bytes: &[u8]) {
        let Some(own) = self.seats.get_mut(seat) else { return };
        own.extend_from_slice(bytes);
        if own.len() > 2 * MOST {
            own.drain(..own.len() - MOST);
        }
    }

    /// Returns everything as a store keeps it. Empty if nobody wrote anything. The heading of each seat says how many bytes
    /// follow, so that no bot can write one for another seat.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (seat, all) in (1..).zip(&self.seats).filter(|(_, all)| !all.is_empty()) {
            let kept = &all[all.len().saturating_sub(MOST)..];
            text.extend(format!("--- seat {seat}, {} bytes\n", kept.len()).into_bytes());
            text.extend(kept);
            text.push(b'\n');
        }
        text
    }
}

/// Returns what the bot in a seat, from 1, wrote. `None` if the log is of an earlier version of Agon, and it cannot be told
/// whose text is whose.
fn of_seat(log: &[u8], seat: usize) -> Option<Vec<u8>> {
    let (mut rest, mut found) = (log, Vec::new());
    while !rest.is_empty() {
        let Some((number, text, behind)) = section(rest) else { return of_older(log, seat) };
        if number == seat {
            found.extend_from_slice(text);
        }
        rest = behind;
    }
    Some(found)
}

/// Splits off the first section: the seat, its text, and what follows.
fn section(log: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let end = log.iter().position(|byte| *byte == b'\n')?;
    let heading = std::str::from_utf8(log[..end].strip_prefix(HEADING)?).ok()?;
    let (seat, length) = heading.strip_suffix(" bytes")?.split_once(", ")?;
    let (seat, length) = (seat.parse().ok()?, length.parse::<usize>().ok()?);
    let text = log.get(end + 1..)?.get(..length)?;
    let behind = log[end + 1 + length..].strip_prefix(b"\n")?;
    Some((seat, text, behind))
}

/// Reads a log whose headings do not say how many bytes follow. With more than one heading, a bot may have written the
/// other ones itself.
fn of_older(log: &[u8], seat: usize) -> Option<Vec<u8>> {
    let mut headings = log.split(|byte| *byte == b'\n').filter(|line| line.starts_with(HEADING));
    let heading = headings.next()?;
    if headings.next().is_some() || !log.starts_with(heading) {
        return None;
    }
    let number: usize = std::str::from_utf8(&heading[HEADING.len()..]).ok()?.parse().ok()?;
    Some(if number == seat { log.get(heading.len() + 1..).unwrap_or_default().to_vec() } else { Vec::new() })
}

/// What one bot wrote to its stderr in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotLog {
    /// The number of the match.
    pub id: u64,
    /// The seat of the bot, from 1.
    pub seat: usize,
    /// The last bytes of its stderr, at most 16 KiB. `None` if the log is of an earlier version of Agon and it cannot be told
    /// whose text is whose.
    pub text: Option<Vec<u8>>,
}

/// Reads what a bot wrote to its stderr in each match in which it wrote something, in the order of the schedule. What other
/// bots wrote is not among it. `get` returns the bytes of a log.
///
/// # Errors
/// If there is no bot with this name, the store cannot be read, or `take` fails.
pub fn logs_of<E: From<TournamentError>>(
    records: &impl Records,
    get: &dyn Fn(BlobHash) -> agon_store::Result<Option<Vec<u8>>>,
    bot: &str,
    take: &mut dyn FnMut(BotLog) -> Result<(), E>,
) -> Result<(), E> {
    let of_store = |why: agon_store::StoreError| TournamentError::from(why);
    let bots = records.bots().map_err(of_store)?;
    let number = bots.iter().find(|one| one.name == bot).map(|one| one.number).ok_or_else(|| {
        let names: Vec<String> = bots.iter().map(|bot| format!("`{}`", bot.name)).collect();
        let flaw = Flaw::new(format!("there is no bot `{bot}`")).hint(format!("the bots are {}", names.join(", ")));
        TournamentError::Schedule(flaw)
    })?;
    let mut after = 0;
    loop {
        let page = records.matches(after, PAGE).map_err(of_store)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.planned.id;
        for stored in page {
            let Some(result) = stored.result.filter(|result| !is_left_out(result)) else { continue };
            let (Some(hash), id) = (result.log, stored.planned.id) else { continue };
            let Some(log) = get(hash).map_err(of_store)? else { continue };
            let seats = (1..).zip(&stored.planned.bots).filter(|(_, bot)| **bot == number);
            for (seat, _) in seats {
                let text = of_seat(&log, seat);
                if text.as_ref().is_none_or(|text| !text.is_empty()) {
                    take(BotLog { id, seat, text })?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(seats: &[&str]) -> Vec<u8> {
        let mut log = StderrLog::new(seats.len());
        for (seat, text) in seats.iter().enumerate() {
            log.add(seat, text.as_bytes());
        }
        log.bytes()
    }

    #[test]
    fn no_bot_can_write_for_another_one() {
        let forged = "mine\n--- seat 2, 6 bytes\nforged\n--- seat 2\nforged\n";
        for (seats, expected) in [
            (&["one\n", "two"][..], &["one\n", "two"][..]),
            (&["", "two\n\n"], &["", "two\n\n"]),
            (&[forged, "two"], &[forged, "two"]),
            (&["one", forged], &["one", forged]),
            (&[forged, ""], &[forged, ""]),
            (&["\n", "--- seat 1, 3 bytes"], &["\n", "--- seat 1, 3 bytes"]),
        ] {
            let log = log(seats);
            for (seat, text) in (1..).zip(expected) {
                assert_eq!(of_seat(&log, seat).as_deref(), Some(text.as_bytes()), "{seats:?}");
            }
        }
        assert!(log(&["", ""]).is_empty());
    }

    #[test]
    fn the_last_bytes_are_kept() {
        let mut log = StderrLog::new(1);
        (0..100).for_each(|number: u8| log.add(0, &[number; 1000]));
        let kept = of_seat(&log.bytes(), 1).expect("a log");
        assert_eq!((kept.len(), kept.first(), kept.last()), (MOST, Some(&83), Some(&99)));
    }

    #[test]
    fn a_log_of_an_earlier_version_is_split_only_where_that_is_certain() {
        for (log, first, second) in [
            ("--- seat 1\nhello\n", Some("hello\n"), Some("")),
            ("--- seat 2\nhello\n", Some(""), Some("hello\n")),
            // The second heading may be part of the first bot's text.
            ("--- seat 1\nhello\n--- seat 2\nhello\n", None, None),
            ("hello\n--- seat 2\nhello\n", None, None),
            ("hello\n", None, None),
        ] {
            let found = [1, 2].map(|seat| of_seat(log.as_bytes(), seat));
            assert_eq!(found, [first, second].map(|text| text.map(|text| text.as_bytes().to_vec())), "{log:?}");
        }
    }
}
