//! The original's binary replay (from 2020 on): a map, and blocks with their lengths.
//!
//! | part | bytes |
//! | --- | --- |
//! | map | length in 32 bits, the text |
//! | players | a block: for each the id, the kind (1), the score (0), the name with its length, 32 bits each |
//! | spectators | a block of the same form |
//! | turns | a block of actions for each turn |
//! | players again | a block, with the final scores |
//!
//! A block is its length in 64 bits, followed by its content. All numbers are little-endian.

use crate::{Participant, Record, Rules, record};
use agon_core::Flaw;
use alloc::{format, string::String, vec::Vec};

/// Writes a match as a binary replay, byte for byte as the original's server does.
///
/// # Errors
/// If the match cannot be played again under `rules`.
pub fn write(record: &Record, rules: Rules) -> Result<Vec<u8>, Flaw> {
    let end = record.replay(rules, |_, _| {})?;
    let mut out = Vec::new();
    out.extend((record.map.len() as u32).to_le_bytes());
    out.extend(record.map.as_bytes());
    block(&participants(&record.players, &[0, 0]), &mut out);
    block(&participants(&record.spectators, &[]), &mut out);
    for (ply, actions) in record.turns.iter().enumerate() {
        let mut bytes = Vec::new();
        record::encode(actions, (ply % 2) as u32, &mut bytes);
        block(&bytes, &mut out);
    }
    block(&participants(&record.players, &end.agents.map(|a| a.score)), &mut out);
    Ok(out)
}

fn block(content: &[u8], out: &mut Vec<u8>) {
    out.extend((content.len() as u64).to_le_bytes());
    out.extend(content);
}

fn participants(list: &[Participant], scores: &[i64]) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, who) in list.iter().enumerate() {
        // The format has 32 bits for a score. Scores of lawful matches on the contest's map are far smaller.
        let score = scores.get(i).map_or(0, |s| i32::try_from(*s).unwrap_or(i32::MAX));
        out.extend(who.id.to_le_bytes());
        out.extend(who.kind.to_le_bytes());
        out.extend(score.to_le_bytes());
        out.extend((who.name.len() as u32).to_le_bytes());
        out.extend(who.name.as_bytes());
    }
    out
}

/// Reads a binary replay, plays it again, and compares the final scores.
///
/// # Errors
/// If the bytes are cut off or not of this format (the flaw has their offset), `rules` refuse an action, or the final
/// scores differ.
pub fn read(bytes: &[u8], rules: Rules) -> Result<Record, Flaw> {
    let mut input = Input { bytes, at: 0 };
    let length = input.number32("the length of the map")?;
    let map = input.text(u64::from(length), "the map")?;
    let (players, _) = input.participants("players")?;
    let (spectators, _) = input.participants("spectators")?;
    let mut blocks = Vec::new();
    while input.at < bytes.len() {
        blocks.push((input.at, input.block("a turn")?));
    }
    let Some((offset, last)) = blocks.pop() else { return Err(input.flaw("the turns are missing")) };
    let (again, scores) = Input { bytes: last, at: 0 }.list("players")?;
    let Ok(players) = <[Participant; 2]>::try_from(players) else {
        return Err(input.flaw("there are not two players"));
    };
    if players[0].id != 0 || players[1].id != 1 || again[..] != players[..] {
        return Err(input.flaw("the players are not 0 and 1, at the start and at the end"));
    }
    let mut turns = Vec::new();
    for (ply, (at, content)) in blocks.into_iter().enumerate() {
        let actions = record::decode(content, (ply % 2) as u32);
        turns.push(actions.map_err(|why| Input { bytes, at }.flaw(&why))?);
    }
    let rounds = u32::try_from(turns.len().div_ceil(2)).unwrap_or(u32::MAX);
    let record = Record { map, rounds, players, spectators, turns };
    let end = record.replay(rules, |_, _| {})?;
    if end.agents.iter().zip(&scores).any(|(agent, score)| agent.score != i64::from(*score)) {
        return Err(Input { bytes, at: offset }
            .flaw(&format!("the final scores are {scores:?}, but playing the match again gives others"))
            .hint("name the rule set of the recording with `--rules`"));
    }
    Ok(record)
}

/// Bytes that are read from start to end.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn flaw(&self, what: &str) -> Flaw {
        Flaw::new(format!("byte {}: {what}", self.at))
    }

    fn take(&mut self, length: u64, what: &str) -> Result<&'a [u8], Flaw> {
        let length = usize::try_from(length).ok().filter(|n| *n <= self.bytes.len() - self.at);
        let Some(length) = length else { return Err(self.flaw(&format!("{what} is cut off"))) };
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }

    fn number32(&mut self, what: &str) -> Result<u32, Flaw> {
        let word = self.take(4, what)?;
        Ok(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    }

    fn text(&mut self, length: u64, what: &str) -> Result<String, Flaw> {
        let at = self.at;
        let text = self.take(length, what)?;
        let text = core::str::from_utf8(text);
        text.map(Into::into).map_err(|_| Input { bytes: self.bytes, at }.flaw(&format!("{what} is not UTF-8")))
    }

    fn block(&mut self, what: &str) -> Result<&'a [u8], Flaw> {
        let length = self.take(8, what)?.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
        self.take(length, what)
    }

    fn participants(&mut self, what: &str) -> Result<(Vec<Participant>, Vec<i32>), Flaw> {
        Input { bytes: self.block(what)?, at: 0 }.list(what)
    }

    /// Reads participants and their scores to the end of the bytes.
    fn list(&mut self, what: &str) -> Result<(Vec<Participant>, Vec<i32>), Flaw> {
        let (mut list, mut scores) = (Vec::new(), Vec::new());
        while self.at < self.bytes.len() {
            let (id, kind) = (self.number32(what)?, self.number32(what)?);
            scores.push(self.number32(what)? as i32);
            let length = self.number32(what)?;
            list.push(Participant { id, kind, name: self.text(u64::from(length), what)? });
        }
        Ok((list, scores))
    }
}
