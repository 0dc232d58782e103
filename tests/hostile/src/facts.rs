//! What a hostile bot knows about the world outside: exactly what a well-informed attacker would. It comes on the
//! command line, because nothing else reaches a bot in a sandbox.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Where the victims are. A bot that plays a kind of the protocol alone knows none of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// A word that every process of one match has on its command line, and no other.
    pub row: String,
    /// A word that no file on this machine has in its name, but what an attack leaves behind.
    pub marker: String,
    /// The folder of the victims; see [`Facts::key`] and the others below.
    pub folder: PathBuf,
    /// The process that is the victim.
    pub canary: i32,
    /// Where in its memory its secret is.
    pub address: u64,
    /// The process that drives the suite.
    pub driver: i32,
    /// A TCP port of this machine that somebody listens on.
    pub tcp: u16,
    /// A UDP port of this machine that somebody listens on.
    pub udp: u16,
}

impl Facts {
    /// A secret file in a home.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.home().join(".ssh/id_secret")
    }

    /// A home.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The folder of another bot.
    #[must_use]
    pub fn opponent(&self) -> PathBuf {
        self.folder.join("opponent")
    }

    /// The folder of the hostile bot itself, which it may read.
    #[must_use]
    pub fn own(&self) -> PathBuf {
        self.folder.join("own")
    }

    /// A socket in the file system, for streams.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.join("stream.sock")
    }

    /// A socket in the file system, for datagrams.
    #[must_use]
    pub fn letterbox(&self) -> PathBuf {
        self.folder.join("letters.sock")
    }

    /// As words of a command line.
    #[must_use]
    pub fn words(&self) -> Vec<OsString> {
        let mut folder = OsString::from("folder=");
        folder.push(&self.folder);
        let numbers = [
            format!("row={}", self.row),
            format!("marker={}", self.marker),
            format!("canary={}", self.canary),
            format!("address={}", self.address),
            format!("driver={}", self.driver),
            format!("tcp={}", self.tcp),
            format!("udp={}", self.udp),
        ];
        numbers.into_iter().map(OsString::from).chain([folder]).collect()
    }

    /// From the words of a command line; what is not there stays empty.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Self {
        let mut facts = Self::default();
        for word in words {
            let Some((name, value)) = word.to_str().and_then(|word| word.split_once('=')) else { continue };
            let number = || value.parse::<u64>().unwrap_or(0);
            match name {
                "row" => facts.row = value.to_owned(),
                "marker" => facts.marker = value.to_owned(),
                "folder" => facts.folder = Path::new(value).to_owned(),
                "canary" => facts.canary = number() as i32,
                "address" => facts.address = number(),
                "driver" => facts.driver = number() as i32,
                "tcp" => facts.tcp = number() as u16,
                "udp" => facts.udp = number() as u16,
                _ => {}
            }
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        let facts = Facts {
            row: "r1".into(),
            marker: "m1".into(),
            folder: "/tmp/a folder=x".into(),
            canary: 12,
            address: u64::MAX - 3,
            driver: 7,
            tcp: 65535,
            udp: 9,
        };
        assert_eq!(Facts::read(facts.words()), facts);
        assert_eq!(Facts::read(["nonsense".into()]), Facts::default());
    }
}
