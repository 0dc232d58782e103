//! What a page takes of a transcript. A match with many seats may write more than a browser can hold.

use crate::{
    clean::clean,
    error::{Error, Result},
};
use agon_core::Seat;
use agon_play::begins_transcript;
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

/// How many bytes of bots a page holds at most. `viewer/src/transcript.ts` keeps as many.
const ROOM: u64 = 64 << 20;

/// The lines of a transcript that a page holds.
#[derive(Debug)]
pub struct Excerpt {
    /// The lines. The last one says what was left out, if something was.
    pub lines: Vec<u8>,
    /// What had no room.
    pub left_out: Option<LeftOut>,
}

/// How many bytes had no room, and the turns of which they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    #[serde(rename = "ply")]
    first: u32,
    last: u32,
    #[serde(rename = "left_out")]
    bytes: u64,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last, bytes } = self;
        write!(
            f,
            "the page has room for {ROOM} bytes of a transcript; {bytes} bytes of turns {first} to {last} are left out"
        )
    }
}

/// What counts of a line.
#[derive(Deserialize)]
struct Line<'a> {
    seat: Seat,
    #[serde(default)]
    ply: u32,
    #[serde(borrow, default)]
    bytes: Cow<'a, str>,
}

impl Excerpt {
    /// Reads the transcript at `path`: the lines about `seat`, or all of them.
    ///
    /// # Errors
    /// The file cannot be read or is no transcript.
    pub fn read(path: &Path, seat: Option<Seat>) -> Result<Self> {
        let failed = |why| Error::file("read the transcript", path, &why);
        let mut lines = BufReader::new(File::open(path).map_err(failed)?);
        let start = lines.fill_buf().map_err(failed)?;
        if !start.is_empty() && !begins_transcript(start) {
            let shown = clean(&path.display().to_string());
            let hint = "`agon match … --transcript FILE` writes one";
            return Err(Error::user(format!("`{shown}` is no transcript")).hint(hint));
        }
        Self::of(lines, seat, ROOM).map_err(failed)
    }

    /// Takes the lines about `seat` whose bytes have room. A piece without room is left out, and those after it that have
    /// room are not.
    fn of(mut from: impl BufRead, seat: Option<Seat>, mut room: u64) -> io::Result<Self> {
        let mut excerpt = Self { lines: Vec::new(), left_out: None };
        let mut text = Vec::new();
        while from.read_until(b'\n', &mut text)? > 0 {
            if let Ok(line) = serde_json::from_slice::<Line<'_>>(&text)
                && seat.is_none_or(|seat| seat == line.seat)
            {
                // A page counts so, too. A byte of a bot is one of these.
                let bytes = line.bytes.encode_utf16().count() as u64;
                if bytes <= room {
                    room -= bytes;
                    excerpt.lines.extend_from_slice(&text);
                } else {
                    excerpt.leave_out(line.ply, bytes);
                }
            }
            text.clear();
        }
        if let Some(left_out) = &excerpt.left_out {
            if !excerpt.lines.ends_with(b"\n") {
                excerpt.lines.push(b'\n');
            }
            serde_json::to_writer(&mut excerpt.lines, left_out)?;
            excerpt.lines.push(b'\n');
        }
        Ok(excerpt)
    }

    fn leave_out(&mut self, ply: u32, bytes: u64) {
        let left_out = self.left_out.get_or_insert(LeftOut { first: ply, last: ply, bytes: 0 });
        left_out.first = left_out.first.min(ply);
        left_out.last = left_out.last.max(ply);
        left_out.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ply: u32, seat: u8, bytes: &str) -> String {
        format!("{{\"ply\":{ply},\"seat\":{seat},\"stream\":\"err\",\"at_us\":1,\"bytes\":\"{bytes}\"}}\n")
    }

    fn excerpt(text: &str, seat: Option<u8>, room: u64) -> (String, Option<LeftOut>) {
        let seat = seat.map(|number| Seat::from_number(number).expect("a seat"));
        let Excerpt { lines, left_out } = Excerpt::of(text.as_bytes(), seat, room).expect("memory can be read");
        (String::from_utf8(lines).expect("it was text"), left_out)
    }

    #[test]
    fn bytes_with_room_stay_as_they_are() {
        let cut = "{\"seat\":1,\"stream\":\"err\",\"left_out\":9}";
        let text = line(1, 1, "abc") + &line(1, 2, "caf\\u00c3\\u00a9") + cut;
        assert_eq!(excerpt(&text, None, 8), (text.clone(), None));
        assert_eq!(excerpt("", None, 8), (String::new(), None));
    }

    #[test]
    fn bytes_without_room_are_counted() {
        let text = line(7, 1, "abc") + &line(8, 2, "caf\\u00c3\\u00a9") + &line(3, 1, "0123456789") + &line(9, 1, "de");
        let (lines, left_out) = excerpt(&text, None, 5);
        assert_eq!(left_out, Some(LeftOut { first: 3, last: 8, bytes: 15 }));
        assert_eq!(lines, line(7, 1, "abc") + &line(9, 1, "de") + "{\"ply\":3,\"last\":8,\"left_out\":15}\n");
        assert_eq!(
            left_out.expect("something").to_string(),
            "the page has room for 67108864 bytes of a transcript; 15 bytes of turns 3 to 8 are left out"
        );
    }

    #[test]
    fn other_seats_and_what_is_no_line_take_no_room() {
        let text = line(1, 1, "abc") + "no line\n{}\n" + &line(2, 2, "defgh");
        assert_eq!(excerpt(&text, Some(2), 5), (line(2, 2, "defgh"), None));
    }
}
