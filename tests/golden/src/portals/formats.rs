//! Checks that replays in the original's formats can be read, played again, and written back byte for byte.

use super::{Recording, Tally};
use agon_portals::{Record, Rules, binary, dump};

pub fn dump(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    compare(recording.bytes, dump::read(recording.bytes, Rules::ORIGINAL), tally, |record| {
        dump::write(record, Rules::ORIGINAL).map(String::into_bytes)
    });
    Ok(())
}

pub fn binary(recording: &Recording<'_>, tally: &mut Tally) -> Result<(), String> {
    let map_length = recording.bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b) as usize);
    if map_length == 0 || map_length > recording.bytes.len() {
        return Err("neither JSON nor a replay with a map".into());
    }
    compare(recording.bytes, binary::read(recording.bytes, Rules::ORIGINAL), tally, |record| {
        binary::write(record, Rules::ORIGINAL)
    });
    Ok(())
}

fn compare<E: std::fmt::Display>(
    bytes: &[u8],
    read: Result<Record, E>,
    tally: &mut Tally,
    write: impl FnOnce(&Record) -> Result<Vec<u8>, E>,
) {
    tally.recordings += 1;
    match read.and_then(|record| Ok((record.turns.len(), write(&record)?))) {
        Ok((turns, written)) => {
            tally.steps += turns as u64;
            if let Some(at) = first_difference(bytes, &written) {
                tally.mismatch(|| format!("written back it differs from byte {at} on"));
            }
        }
        Err(why) => tally.mismatch(|| format!("it cannot be read: {why}")),
    }
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (common < a.len().max(b.len())).then_some(common)
}
