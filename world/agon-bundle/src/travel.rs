//! Which bots can travel, and what goes with them.

use crate::{
    BundleError, BundlePlan, Listing,
    command_files::{self, Stays, may_be_seen},
    folder_files::Copy,
    inside::Top,
    search_path::SearchPath,
};
use agon_core::Flaw;
use agon_play::BotSpec;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A bot that is to play on another machine.
#[derive(Clone, Copy, Debug)]
pub struct Traveller<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its words name. Paths begin in the folder of the tournament, also those of a command that enters a folder of its own
    /// by `env -C`.
    pub spec: &'a BotSpec,
    /// Files and folders beside its own that it may read.
    pub read: &'a [PathBuf],
}

/// A bot that cannot travel, and why. The texts may quote the bot, so clean them before you show them.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{bot} cannot play on other machines: {why}")]
pub struct CannotTravel {
    /// The name of the bot.
    pub bot: String,
    /// The key of the bot whose value is to blame: `run` or `read`.
    pub key: &'static str,
    /// The word of a command that is to blame.
    pub word: Option<String>,
    /// The reason.
    pub why: String,
    /// What to write instead, if there is a short hint.
    pub hint: Option<String>,
}

/// Finds the files that a bot needs on another machine. `folder` is that of the tournament, in which all paths begin.
///
/// This reads all of these files once, for the hash of the bundle.
///
/// # Errors
/// If the bot cannot travel.
pub fn plan(bot: &Traveller<'_>, folder: &Path) -> Result<BundlePlan, CannotTravel> {
    let stays = |key, Stays { word, flaw }: Stays| CannotTravel {
        bot: bot.name.to_owned(),
        key,
        word,
        why: flaw.what,
        hint: flaw.hint.map(Into::into),
    };
    if let Some(path) = bot.read.first() {
        let what = format!("it may read `{}`, which other machines do not have", path.display());
        let flaw = Flaw::new(what).hint(
            "put what it reads into the folder of the bot, or name it by a path from the folder of the tournament among the \
             words of the command, and take `read` away",
        );
        return Err(stays("read", Stays { word: Some(path.display().to_string()), flaw }));
    }
    plan_of(bot.spec, folder).map_err(|why| stays("run", why))
}

fn plan_of(spec: &BotSpec, folder: &Path) -> Result<BundlePlan, Stays> {
    let top = Top::open(folder)
        .map_err(|why| Flaw::new(format!("cannot open the folder of the tournament `{}`: {why}", folder.display())))?;
    let plan = match spec {
        BotSpec::Builtin(_) => BundlePlan::of_files(&top, Listing::default()),
        BotSpec::Human => return Err(Flaw::new("a person plays where the match is led").into()),
        BotSpec::Command(words) => {
            let listing = command_files::list(words, &top, &SearchPath::of_process())?;
            BundlePlan::of_files(&top, listing)
        }
        BotSpec::Folder(path) => of_folder(&top, path)?,
        BotSpec::Champion(path) if top.path.join(path).is_dir() => of_folder(&top, path)?,
        BotSpec::Archive(path) | BotSpec::Wasm(path) | BotSpec::Champion(path) => {
            let found = top.inside(path, &top.path)?;
            // Where the bot starts may follow from the name of the file.
            if found.real != found.path {
                let flaw = Flaw::new(format!("`{}` is a link, and links do not travel", found.path));
                return Err(flaw.hint(format!("write the path to which it leads: `{}`", found.real)).into());
            }
            let mut listing = Listing::default();
            listing.file(&top, &found.path, Path::new(&found.real))?;
            BundlePlan::of_files(&top, listing)
        }
    };
    plan.map_err(|why| broken(why).into())
}

/// Plans the bundle of a bot in a folder.
fn of_folder(top: &Top, path: &Path) -> Result<Result<BundlePlan, BundleError>, Flaw> {
    let found = top.inside(path, &top.path)?;
    if found.path.is_empty() {
        return Err(Flaw::new("it is the folder of the tournament itself")
            .hint("move the bot to a folder of its own, beside the file of the tournament, and name that"));
    }
    may_be_seen(top, &found.path)?;
    let copy = Copy::of(top, &found.path)?;
    let listing = copy.list(top, &found.path)?;
    Ok(BundlePlan::of_copy(top, &found.path, &copy, listing))
}

fn broken(why: BundleError) -> Flaw {
    match why {
        BundleError::Taken(flaw) => flaw,
        why => Flaw::new(why.to_string()),
    }
}
