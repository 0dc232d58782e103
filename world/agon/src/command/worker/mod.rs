//! `agon worker`: plays matches of a tournament that another machine leads.

mod live;

use super::tournament::of_tournament;
use crate::{
    clean::clean,
    doctor,
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    machine::Machine,
    printer::Printer,
    sandbox_options::levels,
    values,
};
use agon_play::{CorePlacement, Helper, IsolationChoice};
use agon_spec::{WorkerMachine, WorkerTool};
use agon_tournament::words;
use agon_worker::{ServerAddress, SystemClock, WorkerEnd, WorkerFailure, WorkerKey, WorkerOptions, work};
use clap::{Args, ValueEnum};
use live::Live;
use std::{env, num::NonZeroUsize, path::PathBuf, sync::Arc};

/// The variable that names the file with the key.
const KEY_FILE: &str = "AGON_WORKER_KEY_FILE";
/// The name of a worker has at most so many bytes, and so have the texts about its machine.
const LONGEST: (usize, usize) = (64, 250);

/// Play matches of a tournament that another machine leads.
///
/// The worker fetches the bots, builds them and starts each of them once. Then it plays matches on its own cores and in its own
/// sandbox, and reports the results. A server that is away is waited for, and no result is lost meanwhile. The first Ctrl-C plays
/// the running matches to their end, reports them and leaves; the second one gives them back. Both end with the exit code 130.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon worker http://10.0.0.7:7700 --key cup.key
  agon worker http://10.0.0.7:7700 --key cup.key --cores 4 --once
  AGON_WORKER_KEY_FILE=cup.key agon worker http://10.0.0.7:7700")]
pub struct Worker {
    /// The address that `agon tournament run --listen` has told.
    #[arg(value_name = "URL")]
    url: String,

    /// The file with the key of the tournament's workers, which only you may be able to read. Without it, the variable
    /// AGON_WORKER_KEY_FILE names the file.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// How many matches run at the same time. The default is one for each core, on which its bots take turns; if the
    /// tournament has `cores` or `ponder`, as many as have a core for each bot.
    #[arg(long, value_name = "N", value_parser = values::at_once, allow_negative_numbers = true)]
    cores: Option<NonZeroUsize>,

    /// Which cores to use: their numbers, joined by commas; `auto`, the default; or `off`.
    #[arg(long, value_name = "CORES", default_value = "auto", hide_default_value = true)]
    pin: CorePlacement,

    /// How weak an isolation of bots the tournament's file may ask for: `full`, `restricted`, `none`, or `auto` for the strongest
    /// level that works here, but never none. With `none` the bots of the organiser can do on this machine whatever you can.
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = levels(), hide_possible_values = true)]
    sandbox: IsolationChoice,

    /// The name of this worker in the organiser's lists. The default is that of the machine.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// End when the tournament has no more matches, instead of waiting for the next one. Also end when the server was away for
    /// ten minutes and nothing is left here.
    #[arg(long)]
    once: bool,

    /// What to print on stdout: nothing, or each event as a line of JSON.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: EventFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum EventFormat {
    /// Nothing.
    #[default]
    Text,
    /// Each event as a line of JSON.
    JsonLines,
}

impl Worker {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let address = ServerAddress::parse(&self.url)
            .map_err(|why| Error::user(clean(&why.to_string())).exit(Exit::Usage).hint(why.hint))?;
        let key = self.key()?;
        let machine = Machine::look().document();
        let name = self.name(&machine.kernel)?;
        let interrupt = Interrupt::in_two_stages()?;
        interrupt.arm();
        if address.is_open() {
            printer.warning(format!(
                "others in the network can read what is sent to {}, with the key and the bots",
                clean(&address.to_string())
            ));
        }
        printer.progress("looking for compilers and interpreters …");
        let tools = doctor::tools().into_iter().filter_map(|tool| {
            Some(WorkerTool { name: shortened(tool.name, LONGEST.1), version: shortened(tool.version?, LONGEST.1) })
        });
        let tools = tools.collect();
        printer.progress("");
        // How the matches are played must not depend on their number.
        let placement = if self.pin == CorePlacement::Auto { CorePlacement::Dense } else { self.pin.clone() };
        let usual = placement.matches_at_once(2, None, false).map_err(agon_play::Error::from)?;
        let cores = u32::try_from(self.cores.unwrap_or(usual).get()).unwrap_or(u32::MAX);
        let options = WorkerOptions {
            address,
            key,
            name,
            machine: WorkerMachine {
                agon: machine.agon,
                kernel: shortened(machine.kernel, LONGEST.1),
                cpu: shortened(machine.cpu, LONGEST.1),
                cores: cores.clamp(1, 1_024),
                target: machine.target,
            },
            isolation: agon_play::strongest().ok().map(|decision| decision.level),
            sandbox: self.sandbox,
            tools,
            at_once: self.cores,
            placement,
            once: self.once,
            helper: Helper::ThisProgram,
            cancel: interrupt.cancel().clone(),
        };
        let mut live = Live::new(printer, interrupt.cancel(), self.format == EventFormat::JsonLines);
        let end = work(&options, Arc::new(SystemClock::default()), &mut |event| live.event(event));
        live.end(&end);
        if let Some(why) = live.failed {
            return Err(why);
        }
        let played = words::matches(live.counts.played);
        match end {
            Ok(WorkerEnd::Finished) => {
                printer.note(format!("finished: {played} played here"));
                Ok(Exit::Done)
            }
            Ok(WorkerEnd::Interrupted { unreported }) => {
                let left = match unreported {
                    0 => String::new(),
                    left => format!(
                        "; {} reported by the next start",
                        words::count(left as u64, "result is", "results are")
                    ),
                };
                printer.tell(format!("interrupted: {played} played here{left}"));
                Ok(Exit::Interrupted)
            }
            Err(why) => Err(of_worker(why)),
        }
    }

    fn key(&self) -> Result<WorkerKey> {
        let of_environment = || env::var_os(KEY_FILE).filter(|path| !path.is_empty()).map(PathBuf::from);
        let path = self.key.clone().or_else(of_environment).ok_or_else(|| {
            let hint = "it is beside the tournament's file on the machine that leads it: copy it, and name it with `--key FILE`";
            Error::user("there is no key").exit(Exit::Usage).hint(hint)
        })?;
        WorkerKey::read(&path).map_err(|why| Error::user(clean(&why.to_string())).hint(clean(&why.hint())))
    }

    fn name(&self, kernel: &str) -> Result<String> {
        if let Some(name) = &self.name {
            let fits = !name.trim().is_empty() && name.len() <= LONGEST.0 && clean(name) == *name;
            let wrong = || Error::user("`--name` must have 1 to 64 bytes, and no hidden characters").exit(Exit::Usage);
            return if fits { Ok(name.clone()) } else { Err(wrong()) };
        }
        let of_machine = clean(&rustix::system::uname().nodename().to_string_lossy());
        let name = if of_machine.trim().is_empty() { kernel.to_owned() } else { of_machine };
        Ok(shortened(name, LONGEST.0))
    }
}

/// Cuts a text at the end of a character.
fn shortened(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

/// Converts why a worker cannot go on.
fn of_worker(why: WorkerFailure) -> Error {
    let why = match why {
        WorkerFailure::Tournament(why) => return of_tournament(why),
        why => why,
    };
    let exit = if matches!(why, WorkerFailure::System(_)) { Exit::Sandbox } else { Exit::User };
    let error = Error::user(clean(&why.to_string())).exit(exit);
    match why.hint() {
        Some(hint) => error.hint(clean(&hint)),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(shortened("Zürich".to_owned(), 2), "Z");
        assert_eq!(shortened("Zürich".to_owned(), 3), "Zü");
        assert_eq!(shortened("Zürich".to_owned(), 99), "Zürich");
    }
}
