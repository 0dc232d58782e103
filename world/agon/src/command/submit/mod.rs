//! `agon submit URL [BOT]`: sends a bot to a contest.

mod client;
mod token;

use super::Format;
use crate::{
    clean::{clean, clean_lines},
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    printer::Printer,
};
use agon_build::intake::Kind;
use agon_bundle::{BundlePlan, Traveller};
use agon_play::BotSpec;
use agon_spec::{
    SubmissionDocument, SubmissionLog, SubmissionReceipt, SubmissionResult, SubmissionStatus, SubmissionStep, Versioned,
};
use agon_worker::ServerAddress;
use clap::Args;
use client::{Answer, Client};
use serde::Deserialize;
use std::{
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    time::Duration,
};

/// A server takes no more, in bytes.
const LARGEST: u64 = agon_server::submissions::UPLOAD_LIMIT;
/// The pauses between two looks at what has become of a version: first, and at most.
const LOOKS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(2));

/// Send a bot to a contest, and wait until it is accepted or refused.
///
/// The server of the contest takes the bot in, builds it, checks that it speaks the protocol, and lets it play one match. What
/// it writes meanwhile is printed. What was received stays received: if the command is interrupted, run it again, and it goes
/// on waiting for the same version.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon submit http://10.0.0.7:8080 my-bot --token-file token
  cd my-bot && AGON_TOKEN_FILE=~/token agon submit http://10.0.0.7:8080
  agon submit http://10.0.0.7:8080 my-bot.tgz --token-file token --format json")]
pub struct Submit {
    /// The address of the contest.
    #[arg(value_name = "URL")]
    url: String,

    /// A folder, a `.zip`, `.tar`, `.tar.gz`, `.tgz` or `.tar.zst`, or a `.jar`.
    #[arg(value_name = "BOT", default_value = ".", hide_default_value = true)]
    bot: PathBuf,

    /// The file with a token of your account, which only you may be able to read. Without it, the variable AGON_TOKEN_FILE
    /// names the file.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// What the command has to know of a contest.
#[derive(Deserialize)]
struct Contest {
    name: Option<String>,
    you: Asker,
}

#[derive(Deserialize)]
struct Asker {
    name: Option<String>,
    team: Option<Team>,
}

#[derive(Deserialize)]
struct Team {
    number: i64,
}

impl Submit {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let address = ServerAddress::parse(&self.url).map_err(|why| {
            let hint = "write it as `http://HOST:PORT`, as the organiser has told it";
            Error::user(clean(&why.to_string())).exit(Exit::Usage).hint(hint)
        })?;
        let token = token::find(self.token_file.as_deref())?;
        let interrupt = Interrupt::new()?;
        interrupt.arm();
        if address.is_open() {
            printer.warning(format!(
                "others in the network can read what is sent to {}, with the token and the bot",
                clean(&address.to_string())
            ));
        }
        let (plan, name) = packed(&self.bot)?;
        let mut client = Client::new(address, &token, interrupt.cancel(), printer);
        let receipt = receive(&mut client, &plan, &name, printer)?;
        printer.note(format!("received as version {} ({})", receipt.version, clean(&receipt.hash)));
        let end = self.wait(&mut client, &receipt, printer)?;
        if self.format == Format::Json {
            printer.document(&end)?;
        }
        self.tell(&end, printer)
    }

    /// Waits until nothing more happens with a version. Prints the logs of its steps as they end.
    fn wait(
        &self,
        client: &mut Client<'_>,
        receipt: &SubmissionReceipt,
        printer: &Printer,
    ) -> Result<SubmissionDocument> {
        let path = format!("/api/teams/{}/versions/{}", receipt.team, receipt.version);
        let (mut pause, mut shown) = (LOOKS.0, 0);
        loop {
            let Answer::Done(document) = client.get::<Versioned<SubmissionDocument>>(&path)? else {
                let hint = "the organiser may have moved the contest to another store";
                return Err(Error::user("the server does not know the version any more").hint(hint));
            };
            let document = document.document;
            let ended = document.logs.iter().filter(|log| log.result.is_some() && log.number > shown);
            for log in ended.collect::<Vec<_>>() {
                shown = log.number;
                pause = LOOKS.0;
                if self.format == Format::Text {
                    printer.progress("");
                    printer.data(log_text(log))?;
                }
            }
            let version = &document.version;
            if !matches!(version.status, SubmissionStatus::Waiting | SubmissionStatus::Running) {
                printer.progress("");
                return Ok(document);
            }
            printer.progress(&match (version.status, version.position, version.step) {
                (SubmissionStatus::Running, _, Some(step)) => format!("{} …", about(step)),
                (_, Some(position), _) => format!("waiting: number {position} in the queue"),
                _ => "waiting".to_owned(),
            });
            client.wait(pause)?;
            pause = (pause * 2).min(LOOKS.1);
        }
    }

    fn tell(&self, end: &SubmissionDocument, printer: &Printer) -> Result<Exit> {
        let version = &end.version;
        let (number, reason) = (version.receipt.version, clean(&version.reason));
        let step = version.step.map(about).unwrap_or_default();
        Ok(match version.status {
            SubmissionStatus::Refused => {
                printer.tell(format!("version {number} is refused ({step}): {reason}"));
                Exit::User
            }
            SubmissionStatus::Held => {
                printer.tell(format!("version {number} is held ({step}): {reason}"));
                printer.hint("that is no fault of the bot: the organiser was told");
                Exit::Spoilt
            }
            _ => {
                let plays = if version.plays { " and plays" } else { "; another version plays" };
                printer.note(format!("version {number} is accepted{plays}"));
                Exit::Done
            }
        })
    }
}

/// Makes a bundle of the bot. Returns the name of its folder or file with it.
fn packed(bot: &Path) -> Result<(BundlePlan, String)> {
    let shown = clean(&bot.display().to_string());
    let kind = Kind::of(bot).ok_or_else(|| {
        let what = if bot.exists() { "is neither a folder nor an archive" } else { "does not exist" };
        Error::user(format!("`{shown}` {what}"))
            .hint("give the folder of the bot, a `.zip`, `.tar`, `.tar.gz` or `.tar.zst`, or a `.jar`")
    })?;
    // The name of the folder counts, also of `.`.
    let whole = fs::canonicalize(bot).map_err(|why| Error::file("find the bot", bot, &why))?;
    let (Some(folder), Some(name)) = (whole.parent(), whole.file_name().and_then(|name| name.to_str())) else {
        return Err(Error::user(format!("`{shown}` has no name that can be sent")).hint("give it a plain name"));
    };
    let spec = match kind {
        Kind::Folder => BotSpec::Folder(name.into()),
        Kind::Archive(_) | Kind::File => BotSpec::Archive(name.into()),
    };
    let plan = agon_bundle::plan(&Traveller { name, spec: &spec, read: &[] }, folder).map_err(|why| {
        let error = Error::user(format!("`{shown}` cannot be sent: {}", clean(&why.why)));
        match why.hint {
            Some(hint) => error.hint(clean(&hint)),
            None => error,
        }
    })?;
    if plan.size() > LARGEST {
        let what = format!("`{shown}` is larger than {} MiB, and no server takes it", LARGEST >> 20);
        return Err(Error::user(what).hint("leave out what the bot does not need"));
    }
    Ok((plan, name.to_owned()))
}

/// Sends a bot, unless the server has it already.
fn receive(client: &mut Client<'_>, plan: &BundlePlan, name: &str, printer: &Printer) -> Result<SubmissionReceipt> {
    let stranger = || {
        let hint = "check the address: the organiser knows it";
        Error::user("this server has no contest that takes bots").hint(hint)
    };
    let Answer::Done(contest) = client.get::<Contest>("/api/contest")? else { return Err(stranger()) };
    let (Some(_), you) = (contest.name, contest.you) else { return Err(stranger()) };
    if you.name.is_none() {
        return Err(Error::user("the server does not know this token").hint("make a new one on your account's page"));
    }
    let team = you.team.ok_or_else(|| {
        Error::user("the account of this token is in no team").hint("make or enter a team on the page of the contest")
    })?;
    let path = format!("/api/teams/{}/versions", team.number);
    // An answer may have been lost, also that of an earlier run.
    let earlier = format!("{path}/received?form=bundle&hash={}", plan.hash());
    if let Answer::Done(receipt) = client.get::<Versioned<SubmissionReceipt>>(&earlier)? {
        return Ok(receipt.document);
    }
    printer.progress("sending …");
    let mut file = written(plan)?;
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '_' }).collect();
    let answer = client.post::<Versioned<SubmissionReceipt>>(&format!("{path}?form=bundle&name={plain}"), &mut file)?;
    printer.progress("");
    let Answer::Done(receipt) = answer else { return Err(stranger()) };
    let receipt = receipt.document;
    if receipt.hash != plan.hash().to_string() {
        let hint = "something on the way changes what is sent: send it from another network";
        return Err(Error::user("the server has received something else than was sent").hint(hint));
    }
    Ok(receipt)
}

/// Writes the bundle into a file that goes with this process.
fn written(plan: &BundlePlan) -> Result<File> {
    let folder = std::env::temp_dir();
    let failed = |why: &std::io::Error| Error::file("write what is sent", &folder, why);
    let path = folder.join(format!("agon-submit-{:016x}", getrandom::u64().unwrap_or(std::process::id().into())));
    let mut file =
        OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(|why| failed(&why))?;
    fs::remove_file(&path).map_err(|why| failed(&why))?;
    plan.write(&mut std::io::BufWriter::new(&mut file)).map_err(|why| Error::user(clean(&why.to_string())))?;
    Ok(file)
}

fn about(step: SubmissionStep) -> &'static str {
    match step {
        SubmissionStep::Intake => "intake",
        SubmissionStep::Build => "build",
        SubmissionStep::Check => "check",
        SubmissionStep::Trial => "trial match",
    }
}

fn log_text(log: &SubmissionLog) -> String {
    let result = match log.result {
        Some(SubmissionResult::Passed) => "passed",
        Some(SubmissionResult::Refused) => "REFUSED",
        Some(SubmissionResult::HostTrouble) => "trouble of the server",
        Some(SubmissionResult::BrokenOff) | None => "broken off",
    };
    let lines: String = clean_lines(&log.log).lines().map(|line| format!("  {line}\n")).collect();
    format!("{}: {result}\n{lines}", about(log.step))
}
