//! The header of an entry, in the only form that it may have.

/// The size of a header, and the unit of the size of everything else.
pub(crate) const BLOCK: usize = 512;
/// The most bytes of a path that a header holds.
pub(crate) const NAME: usize = 100;
/// The name in a header whose data is the path of the next entry.
pub(crate) const LONG_NAME: &[u8] = b"././@LongLink";

/// A header as bytes.
pub(crate) type Block = [u8; BLOCK];

/// What a header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub kind: Kind,
    /// The first bytes of the path.
    pub name: Vec<u8>,
    pub executable: bool,
    /// The number of bytes of the data, without padding.
    pub size: u64,
}

/// What the data behind a header is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A file.
    File,
    /// The path of the next entry.
    LongName,
}

/// A field of a header, from its first byte to the one behind its last.
struct Field {
    name: &'static str,
    from: usize,
    to: usize,
}

const fn field(name: &'static str, from: usize, to: usize) -> Field {
    Field { name, from, to }
}

const FIELDS: &[Field] = &[
    field("name", 0, NAME),
    field("mode", 100, 108),
    field("owner", 108, 116),
    field("group", 116, 124),
    field("size", 124, 136),
    field("time", 136, 148),
    field("type", 156, 157),
    field("target of a link", 157, 257),
    field("format", 257, 265),
    field("name of the owner", 265, 297),
    field("name of the group", 297, 329),
    field("device", 329, 345),
    field("end", 345, BLOCK),
];

impl Header {
    /// Returns the bytes of the header.
    pub(crate) fn encode(&self) -> Block {
        let mut block = [0; BLOCK];
        let name = &self.name[..self.name.len().min(NAME)];
        block[..name.len()].copy_from_slice(name);
        block[100..108].copy_from_slice(if self.executable { b"0000755\0" } else { b"0000644\0" });
        block[108..124].copy_from_slice(b"0000000\x000000000\0");
        block[124..135].copy_from_slice(format!("{:011o}", self.size).as_bytes());
        block[136..147].copy_from_slice(b"00000000000");
        block[156] = match self.kind {
            Kind::File => b'0',
            Kind::LongName => b'L',
        };
        block[257..265].copy_from_slice(b"ustar  \0");
        let sum = checksum(&block);
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }

    /// Reads a header.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence that begins with the entry.
    pub(crate) fn decode(block: &Block) -> Result<Self, String> {
        if block[148..156] != *format!("{:06o}\0 ", checksum(block)).as_bytes() {
            return Err("has a header with a wrong checksum".to_owned());
        }
        let kind = match block[156] {
            b'0' => Kind::File,
            b'L' => Kind::LongName,
            other => return Err(format!("is {}, and a bundle has only files", described(other))),
        };
        let executable = match &block[100..108] {
            b"0000644\0" => false,
            b"0000755\0" => true,
            other => {
                let mode = String::from_utf8_lossy(other);
                let mode = mode.trim_end_matches('\0').trim_start_matches('0').escape_debug();
                return Err(format!("has the mode `{mode}`, and not 644 or 755"));
            }
        };
        let Some(size) = octal(&block[124..135]).filter(|_| block[135] == 0) else {
            return Err("has a size that is not written with 11 octal digits".to_owned());
        };
        let header = Self { kind, name: name_of(block).to_vec(), executable, size };
        // Whatever else a header may say, the canonical form says it in one way. The checksum covers all of it.
        let canonical = header.encode();
        let differs = |field: &&Field| block[field.from..field.to] != canonical[field.from..field.to];
        match FIELDS.iter().find(differs) {
            Some(field) => {
                Err(format!("has something in the field \"{}\" of its header that no bundle has", field.name))
            }
            None => Ok(header),
        }
    }
}

/// Returns the name in a header, whatever else the header says.
pub(crate) fn name_of(block: &Block) -> &[u8] {
    block[..NAME].split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Returns how many zeros follow data of this size.
pub(crate) fn padding(size: u64) -> usize {
    let over = (size % BLOCK as u64) as usize;
    if over == 0 { 0 } else { BLOCK - over }
}

/// Returns how many bytes a file takes in a bundle, with its path and all padding.
pub(crate) fn space(path: &str, size: u64) -> u64 {
    let whole = |size: u64| BLOCK as u64 + size.next_multiple_of(BLOCK as u64);
    let long = if path.len() > NAME { whole(path.len() as u64 + 1) } else { 0 };
    long + whole(size)
}

fn checksum(block: &Block) -> u32 {
    let field = 148..156;
    block.iter().enumerate().map(|(at, byte)| u32::from(if field.contains(&at) { b' ' } else { *byte })).sum()
}

fn octal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |sum, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
        Some(sum * 8 + u64::from(digit))
    })
}

fn described(kind: u8) -> String {
    match kind {
        b'1' | b'2' => "a link".to_owned(),
        b'3' | b'4' => "a device".to_owned(),
        b'5' => "a folder".to_owned(),
        b'6' => "a pipe".to_owned(),
        b'S' => "a sparse file".to_owned(),
        b'x' | b'g' => "an extension".to_owned(),
        other => format!("of the unknown type `{}`", char::from(other).escape_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back() {
        for (kind, executable, size) in
            [(Kind::File, true, 0), (Kind::File, false, 2 << 30), (Kind::LongName, false, 150)]
        {
            let header = Header { kind, name: b"bots/bot.py".to_vec(), executable, size };
            assert_eq!(Header::decode(&header.encode()), Ok(header));
        }
        let full = Header { kind: Kind::File, name: vec![b'x'; NAME], executable: false, size: 1 };
        assert_eq!(Header::decode(&full.encode()), Ok(full));
    }

    #[test]
    fn every_byte_of_a_header_counts() {
        let block = Header { kind: Kind::File, name: b"bot.py".to_vec(), executable: false, size: 77 }.encode();
        for at in 0..BLOCK {
            let mut other = block;
            other[at] ^= 1;
            assert!(Header::decode(&other).is_err(), "byte {at} with the old checksum");
            let sum = checksum(&other);
            other[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            // Another name or size is another header, as long as it is written as every header is.
            if let Ok(header) = Header::decode(&other) {
                assert!(at < NAME || (124..135).contains(&at) || (148..156).contains(&at), "byte {at}");
                assert_eq!(header.encode(), other, "byte {at}");
            }
        }
    }

    #[test]
    fn padding_fills_a_block() {
        assert_eq!([0, 1, 511, 512, 513].map(padding), [0, 511, 1, 0, 511]);
        assert_eq!(space("a", 0), 512);
        assert_eq!(space("a", 513), 512 + 1024);
        assert_eq!(space(&"x".repeat(NAME), 1), 1024);
        assert_eq!(space(&"x".repeat(NAME + 1), 1), 2048);
    }
}
