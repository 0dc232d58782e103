//! `--store`: where the results of a tournament are. This is the only place that knows the back ends.

use crate::{
    clean::{clean, shell_word},
    error::Result,
};
use agon_store::{OpenStore, Sqlite, SqliteReader, StoreError, StoreReader};
use clap::Args;
use std::{
    convert::Infallible,
    path::{Path, PathBuf},
    str::FromStr,
};

/// Where the results of a tournament are.
#[derive(Args, Clone, Debug, Default)]
pub struct StoreArg {
    /// Where the results are: `postgres://USER@HOST/DATABASE`, or a file. The default is `FILE.agon`.
    #[arg(long, value_name = "STORE")]
    store: Option<StoreName>,
}

/// A store, by its name.
#[derive(Clone, Debug)]
pub enum StoreName {
    /// A file.
    File(PathBuf),
    /// A database on a server. The address may have a password.
    Server(String),
}

impl StoreArg {
    /// Returns the store of a tournament's file.
    pub fn of(&self, file: &Path) -> StoreName {
        self.store.clone().unwrap_or_else(|| StoreName::File(file.with_extension("agon")))
    }

    /// Returns the words with which a command line names the same store, behind a space. They are empty for the usual one.
    pub fn words(&self) -> String {
        self.store.as_ref().map_or_else(String::new, |store| format!(" --store {}", store.word()))
    }
}

impl FromStr for StoreName {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(if ["postgres://", "postgresql://"].iter().any(|start| text.starts_with(start)) {
            Self::Server(text.to_owned())
        } else {
            // Commands go to the folder of the tournament.
            Self::File(std::path::absolute(text).unwrap_or_else(|_| text.into()))
        })
    }
}

impl StoreName {
    /// Opens the store to write.
    ///
    /// # Errors
    /// Another process writes to it, or it cannot be used.
    pub fn open(&self) -> Result<Box<dyn OpenStore>> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open(path)?)),
            Self::Server(address) => server::open(address),
        }
    }

    /// Opens the store as soon as no other process writes to it. `pause` is called with the reason until then, and returns whether
    /// to wait on.
    ///
    /// # Errors
    /// It cannot be used, or `pause` does not wait on.
    pub fn open_after(&self, pause: &mut dyn FnMut(&StoreError) -> bool) -> Result<Box<dyn OpenStore>> {
        match self {
            Self::File(path) => loop {
                match Sqlite::open(path) {
                    Err(why @ StoreError::InUse { .. }) if pause(&why) => {}
                    opened => return Ok(Box::new(opened?)),
                }
            },
            Self::Server(address) => server::open_after(address, pause),
        }
    }

    /// Opens the store to read it, also while another process writes to it. The first error is that of the store itself.
    ///
    /// # Errors
    /// This program cannot read such stores at all.
    pub fn read(&self) -> Result<agon_store::Result<Box<dyn StoreReader>>> {
        match self {
            Self::File(path) => Ok(SqliteReader::open(path).map(|reader| Box::new(reader) as Box<dyn StoreReader>)),
            Self::Server(address) => server::read(address),
        }
    }

    /// Returns the file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }

    /// Returns what people are shown, without passwords.
    pub fn shown(&self) -> String {
        match self {
            Self::File(path) => clean(&path.display().to_string()),
            Self::Server(address) => clean(&server::shown(address)),
        }
    }

    /// Returns the word of a command line for it, without passwords.
    pub fn word(&self) -> String {
        match self {
            Self::File(path) => shell_word(path),
            Self::Server(address) => shell_word(Path::new(&server::shown(address))),
        }
    }
}

#[cfg(feature = "postgres")]
mod server {
    use super::{OpenStore, Result, StoreError, StoreReader};
    use agon_store_postgres::{Postgres, PostgresReader};

    pub fn open(address: &str) -> Result<Box<dyn OpenStore>> {
        Ok(Box::new(Postgres::open(address)?))
    }

    pub fn open_after(address: &str, pause: &mut dyn FnMut(&StoreError) -> bool) -> Result<Box<dyn OpenStore>> {
        Ok(Box::new(Postgres::open_after(address, pause)?))
    }

    #[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
    pub fn read(address: &str) -> Result<agon_store::Result<Box<dyn StoreReader>>> {
        Ok(PostgresReader::open(address).map(|reader| Box::new(reader) as Box<dyn StoreReader>))
    }

    pub fn shown(address: &str) -> String {
        agon_store_postgres::shown_address(address)
    }
}

#[cfg(not(feature = "postgres"))]
mod server {
    use super::{OpenStore, Result, StoreError, StoreReader};
    use crate::error::Error;

    pub fn open(_: &str) -> Result<Box<dyn OpenStore>> {
        Err(missing())
    }

    pub fn open_after(_: &str, _: &mut dyn FnMut(&StoreError) -> bool) -> Result<Box<dyn OpenStore>> {
        Err(missing())
    }

    pub fn read(_: &str) -> Result<agon_store::Result<Box<dyn StoreReader>>> {
        Err(missing())
    }

    pub fn shown(_: &str) -> String {
        "postgres://…".to_owned()
    }

    fn missing() -> Error {
        Error::user("this program was built without PostgreSQL")
            .hint("released programs have it; or build with `cargo build --release --features postgres`")
    }
}
