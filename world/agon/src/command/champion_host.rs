//! `agon champion-host PATH`: the process of a champion. Not for people: `champion:PATH` starts it.

use crate::{
    error::{Error, Result},
    exit::Exit,
};
use clap::Args;
use std::path::PathBuf;

/// Play one match with a built champion, with the referee on stdin and stdout.
#[derive(Args, Debug)]
pub struct ChampionHost {
    /// The shared object, or the folder of a champion in Python.
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

impl ChampionHost {
    pub fn run(self) -> Result<Exit> {
        let played = if self.path.is_dir() {
            agon_champion::become_python(&self.path)
        } else {
            agon_champion::play_library(&self.path)
        };
        played.map(|()| Exit::Done).map_err(Error::user)
    }
}
