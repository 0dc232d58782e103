//! The names of bundles and of their pieces.

use sha2::{Digest, Sha256};
use std::{
    fmt,
    io::{self, Read, Write},
    str::FromStr,
};

/// Defines a SHA-256 hash of certain bytes, so that one kind of hash is never taken for another.
macro_rules! sha256 {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 32]);

        impl $name {
            /// Computes the hash of these bytes. `sha256sum` prints the same digits.
            #[must_use]
            pub fn of(bytes: &[u8]) -> Self {
                Self(Sha256::digest(bytes).into())
            }

            /// Makes a hash of its 32 bytes.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// Returns the 32 bytes of the hash.
            #[must_use]
            pub fn bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("sha256:")?;
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = String;

            /// Reads `sha256:` and 64 hexadecimal digits in small letters.
            fn from_str(text: &str) -> Result<Self, String> {
                parse(text).map(Self).ok_or_else(|| "write a hash as `sha256:` and 64 hexadecimal digits".to_owned())
            }
        }
    };
}

sha256! {
    /// The name of a bundle: the SHA-256 hash of its bytes. Its text is `sha256:` and 64 hexadecimal digits.
    BundleHash
}
sha256! {
    /// The name of a piece of a bundle: the SHA-256 hash of its bytes. Its text is `sha256:` and 64 hexadecimal digits.
    PieceHash
}

fn parse(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64)?;
    let is_small = digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit));
    let digits = is_small.then_some(digits)?;
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// A stream that hashes and counts the bytes that pass.
pub(crate) struct Hashing<S> {
    stream: S,
    digest: Sha256,
    count: u64,
}

impl<S> Hashing<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, digest: Sha256::new(), count: 0 }
    }

    /// Returns how many bytes have passed.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the hash of all bytes that have passed.
    pub(crate) fn hash(self) -> BundleHash {
        BundleHash(self.digest.finalize().into())
    }

    fn pass(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.count += bytes.len() as u64;
    }
}

impl<S: Write> Write for Hashing<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.stream.write(bytes)?;
        self.pass(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl<S: Read> Read for Hashing<S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(into)?;
        self.pass(&into[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let hash = BundleHash::of(b"abc");
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((hash.to_string().as_str(), text.parse()), (text, Ok(hash)));
        for wrong in ["", "sha256:", &text[..70], &text.to_uppercase(), &text.replace("ad", "+d"), &text[7..]] {
            assert!(wrong.parse::<PieceHash>().is_err(), "{wrong}");
        }
    }
}
