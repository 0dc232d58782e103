//! What a server may ask of this worker. The file of a tournament comes from another machine, and it says how bots are isolated and
//! which files they see.

use crate::map_name::place_of;
use agon_core::Flaw;
use agon_play::{BotSpec, CommandPart, IsolationChoice, MapSource, NamedBot, command_parts, programs_started};
use agon_sandbox::is_system;
use agon_spec::Isolation;
use agon_tournament::{TournamentBot, TournamentFile};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// Folders that every machine has for itself.
const OF_THE_MACHINE: [&str; 3] = ["/dev", "/proc", "/sys"];

/// What the owner of this worker allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Consent {
    /// The weakest level of isolation. [`IsolationChoice::Auto`] stands for the strongest that works here, and never for none.
    pub(crate) sandbox: IsolationChoice,
    /// The strongest level that works here. `None` if none does.
    pub(crate) strongest: Option<Isolation>,
}

impl Consent {
    fn weakest(self) -> Isolation {
        match self.sandbox {
            IsolationChoice::Exactly(level) => level,
            IsolationChoice::Auto => self.strongest.unwrap_or(Isolation::Full).max(Isolation::Restricted),
        }
    }

    /// Checks what a file asks for before anything of it is fetched.
    ///
    /// # Errors
    /// It asks for more than is allowed.
    pub(crate) fn check_file(self, file: &TournamentFile) -> Result<(), Flaw> {
        self.check_level(file)?;
        for bot in &file.bots {
            if let Some(path) = bot.read.first() {
                let what = format!("its bot `{}` is to read `{}` on this machine", bot.name, path.display());
                return Err(Flaw::new(what).hint(
                    "the organiser puts what the bot reads into the bot's own folder, and takes the line `read` away",
                ));
            }
        }
        for map in &file.maps {
            if let Ok(MapSource::File(_)) = map.parse()
                && let Err(why) = place_of(map)
            {
                let what = format!("its map `{map}` is not in the tournament's folder: {why}");
                return Err(Flaw::new(what).hint("the organiser puts the map into the folder of the tournament's file"));
            }
        }
        Ok(())
    }

    fn check_level(self, file: &TournamentFile) -> Result<(), Flaw> {
        let weakest = self.weakest();
        let way_out = |level: Isolation| {
            format!(
                "start the worker with `--sandbox {level}` if you trust the organiser and all bots with this machine"
            )
        };
        match file.sandbox {
            IsolationChoice::Exactly(level) if level < weakest => {
                let what = format!("its file has `sandbox = \"{level}\"`, and bots play here at the level `{weakest}`");
                Err(Flaw::new(what).hint(way_out(level)))
            }
            IsolationChoice::Auto
                if self.strongest.is_some_and(|strongest| strongest < weakest)
                    && file.bots.iter().any(|bot| spec(file, bot).is_none_or(|spec| spec.is_process())) =>
            {
                let strongest = self.strongest.unwrap_or(Isolation::None);
                let what = format!("its bots are programs, and the strongest sandbox on this machine is `{strongest}`");
                Err(Flaw::new(what).hint(format!("`agon doctor` says why; else {}", way_out(strongest))))
            }
            _ => Ok(()),
        }
    }

    /// Checks what the words of bots name, because a bot sees all that they do. `folder` is that of the tournament, and everything
    /// that was sent is in it.
    ///
    /// # Errors
    /// They name something that is neither there nor a part of the system.
    pub(crate) fn check_words(self, file: &TournamentFile, folder: &Path) -> Result<(), Flaw> {
        if self.weakest() == Isolation::None {
            // Its bots see everything anyway.
            return Ok(());
        }
        let folder = &fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        for bot in &file.bots {
            // Words that name no bot are told when it is prepared.
            let words = spec(file, bot).map(|spec| paths(&spec, folder)).unwrap_or_default();
            let mut named = bot.dir.iter().map(|dir| folder.join(dir)).chain(words);
            if let Some(path) = named.find(|path| !may_be_seen(path, folder)) {
                let what = format!("its bot `{}` names `{}` on this machine", bot.name, path.display());
                return Err(Flaw::new(what)
                    .hint("the organiser names files by their paths from the folder of the tournament, without `..`"));
            }
        }
        Ok(())
    }
}

fn spec(file: &TournamentFile, bot: &TournamentBot) -> Option<BotSpec> {
    let named = match &bot.dir {
        Some(dir) => NamedBot::starting_in(file.game(), &bot.run, dir).ok(),
        None => NamedBot::parse(file.game(), &bot.run).ok(),
    };
    named.map(|named| named.spec)
}

/// Returns the files and folders that a bot names.
fn paths(spec: &BotSpec, folder: &Path) -> Vec<PathBuf> {
    match spec {
        BotSpec::Builtin(_) | BotSpec::Human => Vec::new(),
        BotSpec::Folder(path) | BotSpec::Archive(path) | BotSpec::Wasm(path) | BotSpec::Champion(path) => {
            vec![folder.join(path)]
        }
        BotSpec::Command(words) => {
            let named = command_parts(words, folder).into_iter().filter_map(|part| match part {
                CommandPart::Entered(path)
                | CommandPart::Path(path)
                | CommandPart::InText(path)
                | CommandPart::Module(path) => Some(path.path()),
                CommandPart::Program(_) | CommandPart::Word(_) | CommandPart::Option(_) => None,
            });
            let programs = programs_started(words, folder).into_iter();
            let programs = programs.filter(|(word, _)| word.contains('/')).map(|(word, dir)| dir.join(word));
            named.chain(programs).collect()
        }
    }
}

fn may_be_seen(path: &Path, folder: &Path) -> bool {
    let is_plain = |path: &Path| !path.components().any(|part| part == Component::ParentDir);
    if is_plain(path) && (is_system(path) || OF_THE_MACHINE.iter().any(|own| path.starts_with(own))) {
        return true;
    }
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    is_plain(&real) && (real.starts_with(folder) || is_system(&real))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const AUTO: IsolationChoice = IsolationChoice::Auto;

    fn file(keys: &str, run: &str, of_bot: &str) -> TournamentFile {
        let text = format!(
            "game = \"grid\"\n{keys}\n[[bot]]\nname = \"a\"\nrun = \"{run}\"\n{of_bot}\n[[bot]]\nrun = \"@greedy\"\n"
        );
        TournamentFile::parse(&text).unwrap_or_else(|flaw| panic!("{flaw}: {text}"))
    }

    #[test]
    fn a_server_does_not_weaken_the_sandbox() {
        use Isolation::{Full, None as Open, Restricted};
        let exactly = IsolationChoice::Exactly;
        // The level in the file, the option of the worker, what works here, and whether that is played.
        for (level, option, strongest, is_played) in [
            ("auto", AUTO, Full, true),
            ("full", AUTO, Full, true),
            ("restricted", AUTO, Full, false),
            ("none", AUTO, Full, false),
            ("restricted", exactly(Restricted), Full, true),
            ("none", exactly(Restricted), Full, false),
            ("none", exactly(Open), Full, true),
            ("auto", AUTO, Restricted, true),
            ("restricted", AUTO, Restricted, true),
            ("none", AUTO, Restricted, false),
            ("auto", exactly(Full), Restricted, false),
            ("auto", AUTO, Open, false),
            ("none", AUTO, Open, false),
            ("auto", exactly(Open), Open, true),
        ] {
            let consent = Consent { sandbox: option, strongest: Some(strongest) };
            let file = file(&format!("sandbox = \"{level}\""), "python3 bot.py", "");
            let checked = consent.check_file(&file);
            assert_eq!(checked.is_ok(), is_played, "{level}, {option:?}, {strongest}: {checked:?}");
            if let Err(flaw) = checked {
                let hint = flaw.hint.unwrap_or_default();
                let level = if level == "auto" { strongest.name() } else { level };
                assert!(hint.contains(&format!("--sandbox {level}`")), "{hint}");
            }
        }
        let builtin = Consent { sandbox: AUTO, strongest: Some(Open) }.check_file(&file("", "@random", ""));
        assert_eq!(builtin, Ok(()), "no program is started");
    }

    #[test]
    fn files_of_this_machine_are_not_for_bots() {
        let consent = Consent { sandbox: AUTO, strongest: Some(Isolation::Full) };
        for (keys, of_bot, said) in [
            ("", "read = [\"/home/me/.ssh\"]", "`/home/me/.ssh`"),
            ("", "read = [\"data\"]", "`data`"),
            ("maps = [\"/etc/*\"]", "", "`/etc/*`"),
            ("maps = [\"gen\", \"../../*\"]", "", "`../../*`"),
        ] {
            let refused = consent.check_file(&file(keys, "python3 bot.py", of_bot)).expect_err("it leads out");
            assert!(refused.what.contains(said) && refused.hint.is_some(), "{refused:?}");
        }
        assert_eq!(consent.check_file(&file("maps = [\"gen\", \"maps/*.txt\"]", "python3 bot.py", "")), Ok(()));
    }

    #[test]
    fn words_name_what_was_sent_or_the_system() {
        let scratch = Scratch::new("words");
        let (folder, other) = (scratch.path().join("field"), scratch.path().join("secret"));
        fs::create_dir_all(folder.join("bots/me")).expect("a folder");
        fs::create_dir(&other).expect("a folder");
        for path in [folder.join("bots/me/bot.py"), other.join("key")] {
            fs::write(path, "").expect("a file");
        }
        let secret = other.join("key").display().to_string();
        let consent = |sandbox| Consent { sandbox, strongest: Some(Isolation::Full) };
        let check = |run: &str, of_bot: &str| consent(AUTO).check_words(&file("", run, of_bot), &folder);
        for (run, of_bot) in [
            ("python3 bots/me/bot.py /dev/null", ""),
            ("/usr/bin/env python3 bots/me/bot.py --depth=3", ""),
            ("sh -c 'cd bots/me && python3 bot.py'", ""),
            ("python3 bot.py", "dir = \"bots/me\""),
            ("bots/me", ""),
            ("@random", ""),
        ] {
            assert_eq!(check(run, of_bot), Ok(()), "{run}");
        }
        for (run, of_bot) in [
            (&*format!("cat {secret}"), ""),
            (&format!("cat --file={secret}"), ""),
            ("cat ../secret/key", ""),
            (&secret, ""),
            (&format!("sh -c 'cat {secret}'"), ""),
            ("cat key", &*format!("dir = \"{}\"", other.display())),
            ("cat key", "dir = \"../secret\""),
            (&format!("{}/", other.display()), ""),
        ] {
            let refused = check(run, of_bot).expect_err(run);
            assert!(refused.what.contains("secret"), "{run}: {refused:?}");
        }
        let open = IsolationChoice::Exactly(Isolation::None);
        assert_eq!(consent(open).check_words(&file("", &format!("cat {secret}"), ""), &folder), Ok(()));
    }
}
