//! Keeps a part of what a program writes, such as a bot's stderr or the log of a build.

/// The first and the last bytes of a stream, within a fixed size. The start and the end of a log help most.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Capture {
    limit: usize,
    head: Vec<u8>,
    /// A ring buffer. Once it is full, `next` is the index of its oldest byte.
    tail: Vec<u8>,
    next: usize,
    total: u64,
}

impl Capture {
    /// Makes an empty capture that keeps at most `limit` bytes: the first half of them from the start of the stream,
    /// the other half from its end.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Adds the next bytes of the stream.
    pub fn add(&mut self, mut bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let head_limit = self.limit.div_ceil(2);
        if self.head.len() < head_limit {
            let (first, rest) = bytes.split_at(bytes.len().min(head_limit - self.head.len()));
            self.head.extend_from_slice(first);
            bytes = rest;
        }
        let tail_limit = self.limit / 2;
        if tail_limit == 0 {
            return;
        }
        // If there are more bytes than the ring holds, only the last ones stay.
        bytes = &bytes[bytes.len().saturating_sub(tail_limit)..];
        while !bytes.is_empty() {
            if self.tail.len() < tail_limit {
                let (first, rest) = bytes.split_at(bytes.len().min(tail_limit - self.tail.len()));
                self.tail.extend_from_slice(first);
                bytes = rest;
            } else {
                let (first, rest) = bytes.split_at(bytes.len().min(tail_limit - self.next));
                self.tail[self.next..self.next + first.len()].copy_from_slice(first);
                self.next = (self.next + first.len()) % tail_limit;
                bytes = rest;
            }
        }
    }

    /// How many bytes the stream had.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes of the stream were not kept.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// The first bytes of the stream.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes of the stream, without those in the [`head`](Capture::head).
    #[must_use]
    pub fn tail(&self) -> Vec<u8> {
        [&self.tail[self.next..], &self.tail[..self.next]].concat()
    }

    /// Everything that was kept. If bytes are missing, a line between head and tail says how many.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        if self.left_out() > 0 {
            bytes.extend_from_slice(format!("\n[{} bytes left out]\n", self.left_out()).as_bytes());
        }
        bytes.extend(self.tail());
        bytes
    }

    /// The [`bytes`](Capture::bytes) as text. Bytes that are not valid UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// The last lines of the stream: at most `lines` of them, and at most 2 KiB.
    #[must_use]
    pub fn last_lines(&self, lines: usize) -> String {
        const MOST: usize = 2048;
        let tail = self.tail();
        let mut end = if tail.len() < MOST && self.left_out() == 0 { self.head.clone() } else { Vec::new() };
        end.extend(tail);
        let end = end.trim_ascii_end();
        let end = &end[end.len().saturating_sub(MOST)..];
        let mut start = end.len();
        for _ in 0..lines {
            match end[..start].iter().rposition(|byte| *byte == b'\n') {
                Some(at) => start = at,
                None => return String::from_utf8_lossy(end).into_owned(),
            }
        }
        String::from_utf8_lossy(&end[(start + 1).min(end.len())..]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_stay_whatever_the_portions() {
        let written: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
        for limit in [0, 1, 2, 9, 64, 999, 1000, 2000] {
            for portion in [1, 3, 7, 64, 1000] {
                let mut capture = Capture::new(limit);
                for part in written.chunks(portion) {
                    capture.add(part);
                }
                let (head, tail) = (limit.div_ceil(2).min(1000), limit / 2);
                let tail = tail.min(1000 - head);
                assert_eq!(capture.head(), &written[..head], "limit {limit}, portion {portion}");
                assert_eq!(capture.tail(), &written[1000 - tail..], "limit {limit}, portion {portion}");
                assert_eq!((capture.total(), capture.left_out()), (1000, 1000 - (head + tail) as u64));
            }
        }
    }

    #[test]
    fn the_last_lines_are_whole_lines() {
        let mut capture = Capture::new(1000);
        capture.add(b"one\ntwo\nthree\nfour\n");
        assert_eq!(capture.last_lines(2), "three\nfour");
        assert_eq!(capture.last_lines(9), "one\ntwo\nthree\nfour");
        assert_eq!(capture.last_lines(0), "");
        assert_eq!(Capture::new(10).last_lines(3), "");
    }

    #[test]
    fn the_missing_part_is_named() {
        let mut capture = Capture::new(8);
        capture.add(b"beginning and end");
        assert_eq!(capture.text(), "begi\n[9 bytes left out]\n end");
    }
}
