//! `agon bench` says where the benches are. Who plays matches does not build them.

use crate::{
    error::{Error, Result},
    exit::Exit,
};
use clap::Args;
use std::ffi::OsString;

/// The benches are a task of the project: `cargo xtask bench`, in a clone of Agon.
#[derive(Args, Debug)]
#[command(hide = true, disable_help_flag = true)]
pub struct Bench {
    /// What `cargo xtask bench` is asked.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl Bench {
    pub fn run(self) -> Result<Exit> {
        let words: Vec<String> = self.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let words = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
        let command = crate::clean::clean(format!("cargo xtask bench {words}").trim_end());
        Err(Error::user("the benches are no part of `agon`").hint(format!("in a clone of Agon: `{command}`")))
    }
}
