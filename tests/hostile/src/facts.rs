//! What a hostile bot knows about its victims: as much as a well-informed attacker would. It is passed on the command
//! line, because nothing else reaches a bot in a sandbox.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Where the victims are. Every field is empty for a bot that needs none of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// A word on the command line of every process of one match, and of no other process.
    pub row: String,
    /// A word in the names of files that attacks create, and of no other file.
    pub marker: String,
    /// The folder of the victims; see [`Facts::key`] and the methods that follow it.
    pub folder: PathBuf,
    /// The number of the victim process.
    pub victim: i32,
    /// The address of the secret in its memory.
    pub address: u64,
    /// The number of the process that runs the suite.
    pub driver: i32,
    /// A TCP port of this machine on which the driver listens.
    pub tcp: u16,
    /// A UDP port of this machine on which the driver listens.
    pub udp: u16,
    /// The seed of what a bot does at random.
    pub seed: u64,
}

impl Facts {
    /// Returns the path of a secret file in a user's home.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.home().join(".ssh/id_secret")
    }

    /// Returns the path of a user's home.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Returns the folder of another bot.
    #[must_use]
    pub fn opponent(&self) -> PathBuf {
        self.folder.join("opponent")
    }

    /// Returns the folder of the hostile bot itself, which it may read.
    #[must_use]
    pub fn own(&self) -> PathBuf {
        self.folder.join("own")
    }

    /// Returns the path of a stream socket.
    #[must_use]
    pub fn stream_socket(&self) -> PathBuf {
        self.folder.join("stream.sock")
    }

    /// Returns the path of a datagram socket.
    #[must_use]
    pub fn datagram_socket(&self) -> PathBuf {
        self.folder.join("datagram.sock")
    }

    /// Returns the arguments that [`Facts::read`] reads.
    #[must_use]
    pub fn words(&self) -> Vec<OsString> {
        let mut folder = OsString::from("folder=");
        folder.push(&self.folder);
        let numbers = [
            format!("row={}", self.row),
            format!("marker={}", self.marker),
            format!("victim={}", self.victim),
            format!("address={}", self.address),
            format!("driver={}", self.driver),
            format!("tcp={}", self.tcp),
            format!("udp={}", self.udp),
            format!("seed={}", self.seed),
        ];
        numbers.into_iter().map(OsString::from).chain([folder]).collect()
    }

    /// Reads the arguments of a command line. Fields that they do not name stay empty.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Self {
        let mut facts = Self::default();
        for word in words {
            let Some((name, value)) = word.to_str().and_then(|word| word.split_once('=')) else { continue };
            let number = || value.parse::<u64>().unwrap_or(0);
            match name {
                "row" => facts.row = value.to_owned(),
                "marker" => facts.marker = value.to_owned(),
                "folder" => facts.folder = Path::new(value).to_owned(),
                "victim" => facts.victim = number() as i32,
                "address" => facts.address = number(),
                "driver" => facts.driver = number() as i32,
                "tcp" => facts.tcp = number() as u16,
                "udp" => facts.udp = number() as u16,
                "seed" => facts.seed = number(),
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
            victim: 12,
            address: u64::MAX - 3,
            driver: 7,
            tcp: 65535,
            udp: 9,
            seed: 5,
        };
        assert_eq!(Facts::read(facts.words()), facts);
        assert_eq!(Facts::read(["nonsense".into()]), Facts::default());
    }
}
