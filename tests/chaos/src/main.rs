//! A thousand simulated workers, matches of no cost, and `kill -9` at random: whether every result is there afterwards, once, and
//! nothing that was acknowledged is gone. `cargo xtask chaos` builds and runs it.
//!
//! | module | what it has |
//! | --- | --- |
//! | `arguments` | what can be asked for |
//! | `chaos` | a tournament that is killed, and its workers |
//! | `figures` | the rate of many workers beside that of few |
//! | `leader` | the process of the tournament: the real program |
//! | `store` | its store: a file, or a schema on a server |
//! | `crowds`, `crowd` | the processes of workers, and one of them |
//! | `worker`, `client` | a simulated worker, and how it speaks |
//! | `expected` | the right result of each match |
//! | `acknowledged` | what workers were told |
//! | `check` | what the store must have |

mod acknowledged;
mod arguments;
mod chaos;
mod check;
mod client;
mod crowd;
mod crowds;
mod expected;
mod figures;
mod leader;
mod store;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == leader::AGON) {
        return agon_cli::agon(std::env::args_os().skip(2), None);
    }
    arguments::run()
}
