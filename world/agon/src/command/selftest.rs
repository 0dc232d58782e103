//! `agon selftest` is another program, which has the hostile bots and knows these arguments.

use clap::{Args, Subcommand};
use std::ffi::OsString;

/// Check on this machine that Agon keeps its promises about bots.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon selftest hostile
  agon selftest hostile --list
  agon selftest hostile --only fork-bomb tcp
  agon selftest hostile --format json > hostile.json
  agon selftest fuzz")]
pub struct Selftest {
    #[command(subcommand)]
    what: What,
}

/// What is checked.
#[derive(Subcommand, Debug)]
enum What {
    /// Play every kind of hostile bot against an honest one, and compare each outcome with the expected one.
    #[command(disable_help_flag = true)]
    Hostile(Words),
    /// Make random system calls from inside the sandbox, and check that neither the host nor other matches notice.
    #[command(disable_help_flag = true)]
    Fuzz(Words),
}

/// Arguments for the other program.
#[derive(Args, Debug)]
struct Words {
    /// Its options; `--help` lists them.
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}
