//! The layout of a zip archive. The files follow each other without gaps from the first byte to the directory, so that
//! a reader that goes from header to header finds the same files as one that uses the directory.

use super::{Listed, bytes, u32_at, unreadable};
use crate::intake::name::shown;
use agon_core::Flaw;
use std::fs::File;

/// The flag of a file whose checksum and sizes are after its data.
pub(super) const BEHIND: u16 = 8;

/// Checks the positions of all files. `places` are the positions at which their data begins.
pub(super) fn check(file: &File, listed: &[Listed], places: &[u64], directory: u64) -> Result<(), Flaw> {
    let mut order: Vec<usize> = (0..listed.len()).collect();
    order.sort_by_key(|i| listed[*i].head);
    let hidden = |place: &str, entry: &Listed| {
        Flaw::new(format!("{place} `{}` there is something that is in no directory", shown(&entry.name)))
            .hint("pack the bot again")
    };
    if let Some(first) = order.first().map(|i| &listed[*i]).filter(|first| first.head > 0) {
        return Err(hidden("in front of", first));
    }
    for (at, i) in order.iter().enumerate() {
        let entry = &listed[*i];
        let end = places[*i] + entry.packed;
        let next = order.get(at + 1).map(|i| &listed[*i]);
        let Some(gap) = next.map_or(directory, |next| next.head).checked_sub(end) else {
            let name = next.map_or_else(String::new, |next| shown(&next.name));
            return Err(Flaw::new(format!("`{name}` lies on top of `{}`", shown(&entry.name)))
                .hint("pack only regular files and folders"));
        };
        if gap > 0 && !(entry.flags & BEHIND != 0 && is_numbers(file, entry, end, gap)?) {
            return Err(hidden("behind", entry));
        }
    }
    Ok(())
}

/// Returns whether these bytes are the checksum and the sizes of a file. A signature may precede them, and each size
/// has four or eight bytes.
fn is_numbers(file: &File, entry: &Listed, at: u64, length: u64) -> Result<bool, Flaw> {
    if ![12, 16, 20, 24].contains(&length) {
        return Ok(false);
    }
    let found = bytes(file, at, length as usize).map_err(|why| unreadable(&why))?;
    let numbers = match found.strip_prefix(b"PK\x07\x08") {
        Some(rest) if length == 16 || length == 24 => rest,
        _ => &found[..],
    };
    let sizes = [entry.packed, entry.unpacked];
    let same = match numbers.len() {
        12 => numbers[4..] == sizes.map(|size| (size as u32).to_le_bytes()).concat(),
        20 => numbers[4..] == sizes.map(u64::to_le_bytes).concat(),
        _ => false,
    };
    Ok(same && u32_at(numbers, 0) == entry.crc)
}
