//! What the seeds of a tournament follow from: a secret of its store, or a seed that everybody may know.

use crate::{TournamentError, TournamentFile, tournament::wait};
use agon_core::{Derivation, Flaw, SeedKey};
use agon_spec::TournamentSeeds;
use agon_store::{Records, Snapshot, Store};
use sha2::{Digest as _, Sha256};

/// The name of the snapshot that has the secret. It is empty if the file has a seed.
const SECRET: &str = "secret";
/// The name of the snapshot that has the hash of the secret, as it was published.
const COMMITMENT: &str = "commitment";
/// The name of the snapshot that is there when the secret was revealed.
const REVEALED: &str = "revealed";

/// What the seeds of a tournament follow from, as its store has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seeds {
    /// The seed of the file, by a fast hash, as in stores of older versions.
    Fast,
    /// The seed of the file, as a key.
    Public,
    /// A secret of the store.
    Secret {
        /// The secret.
        secret: SeedKey,
        /// Its SHA-256, as it was published at the beginning: 64 hexadecimal digits.
        commitment: String,
        /// Whether the secret may be published.
        revealed: bool,
    },
}

impl Seeds {
    /// Returns what the seeds of the tournament in a store follow from.
    ///
    /// # Errors
    /// If the store cannot be read, or its secret is damaged.
    pub fn read(records: &impl Records) -> Result<Self, TournamentError> {
        let text = |name| Ok::<_, TournamentError>(records.snapshot(name)?.map(|kept| kept.text));
        match text(SECRET)? {
            None => Ok(Self::Fast),
            Some(secret) if secret.is_empty() => Ok(Self::Public),
            Some(secret) => {
                let damaged = || TournamentError::Past(Flaw::new("the secret of the seeds is damaged"));
                let secret = SeedKey(bytes(&secret).ok_or_else(damaged)?);
                let commitment = text(COMMITMENT)?.ok_or_else(damaged)?;
                Ok(Self::Secret { secret, commitment, revealed: text(REVEALED)?.is_some() })
            }
        }
    }

    /// Draws a secret for a tournament that begins, unless its file has a seed. A run that was killed may have drawn it before.
    ///
    /// # Errors
    /// If the store cannot be written, or the system gives no random numbers.
    pub(crate) fn begin(store: &impl Store, file: &TournamentFile) -> Result<Self, TournamentError> {
        if Self::read(store)? == Self::Fast {
            let mut secret = [0; 32];
            if file.seed.is_none() {
                let why =
                    |why| TournamentError::Schedule(Flaw::new(format!("the system gives no random numbers: {why}")));
                getrandom::fill(&mut secret).map_err(why)?;
                keep(store, COMMITMENT, commitment(&SeedKey(secret)))?;
            }
            let text = if file.seed.is_none() { hex(&secret) } else { String::new() };
            keep(store, SECRET, text)?;
        }
        Self::read(store)
    }

    /// Notes that the secret may be published from now on.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn reveal(store: &impl Store) -> Result<(), TournamentError> {
        keep(store, REVEALED, "yes".to_owned())
    }

    /// Returns the key of the seeds of a tournament that began with this file. `None` if they follow by a fast hash.
    pub(crate) fn key(&self, first: &TournamentFile) -> Option<SeedKey> {
        match self {
            Self::Fast => None,
            Self::Public => Some(first.seed.unwrap_or_default().into()),
            Self::Secret { secret, .. } => Some(*secret),
        }
    }

    /// Returns how the seeds of built-in bots follow from that of a match.
    #[must_use]
    pub fn derivation(&self) -> Derivation {
        if *self == Self::Fast { Derivation::Fast } else { Derivation::Keyed }
    }

    /// Returns what may be published of them.
    #[must_use]
    pub fn published(&self) -> TournamentSeeds {
        let (commitment, secret) = match self {
            Self::Secret { secret, commitment, revealed } => {
                (Some(commitment.clone()), revealed.then(|| hex(&secret.0)))
            }
            Self::Fast | Self::Public => (None, None),
        };
        TournamentSeeds { seeds: self.derivation(), commitment, secret }
    }

    /// Returns whether the seeds of all matches may be published.
    pub(crate) fn are_public(&self) -> bool {
        !matches!(self, Self::Secret { revealed: false, .. })
    }

    /// Returns whether the secret is the one whose hash was published. A tournament without a secret has published none.
    pub(crate) fn keep_their_word(&self) -> bool {
        match self {
            Self::Secret { secret, commitment: published, .. } => commitment(secret) == *published,
            Self::Fast | Self::Public => true,
        }
    }
}

fn keep(store: &impl Store, name: &str, text: String) -> Result<(), TournamentError> {
    Ok(wait(store, store.keep(name, Snapshot { after: 0, text }))?)
}

/// Returns what is published of a secret before it is revealed: the SHA-256 of its 32 bytes.
pub(crate) fn commitment(secret: &SeedKey) -> String {
    hex(&Sha256::digest(secret.0).into())
}

fn hex(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn bytes(hex: &str) -> Option<[u8; 32]> {
    let digits = hex.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commitment_is_the_hash_of_the_bytes() {
        // printf '00%.0s' {1..32} | xxd -r -p | sha256sum
        let zeros = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925";
        assert_eq!(commitment(&SeedKey([0; 32])), zeros);
        let some: [u8; 32] = std::array::from_fn(|i| 8 * i as u8 + 7);
        assert_eq!(bytes(&hex(&some)), Some(some));
        for wrong in ["", "00", &"g".repeat(64), &"0".repeat(63)] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
