use super::place::Place;
use agon_build::{
    BuildEnd, BuildEnvironment, BuildError, BuildExit, BuildRequest, PrepareError, Prepared, Run, Tools, Unsandboxed,
    Verdict,
    intake::{Kind, SourceTree, Submission},
};
use agon_core::Flaw;
use std::{
    cell::Cell,
    ffi::OsString,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    time::Duration,
};

/// A build environment that makes one program and counts.
pub struct Fake {
    how: BuildExit,
    made: &'static [(&'static str, &'static [u8])],
    runs: Cell<u32>,
}

impl Fake {
    pub fn making(made: &'static [(&'static str, &'static [u8])]) -> Self {
        Self { how: BuildExit::Done, made, runs: Cell::new(0) }
    }

    fn failing(how: BuildExit) -> Self {
        Self { how, ..Self::making(&[]) }
    }
}

const BOT: &[(&str, &[u8])] = &[("agon-bot", b"\x7fELF")];

impl BuildEnvironment for Fake {
    fn name(&self) -> String {
        "fake".into()
    }

    fn run(
        &self,
        request: &BuildRequest<'_>,
        _: &dyn Fn() -> bool,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<BuildEnd, BuildError> {
        self.runs.set(self.runs.get() + 1);
        log(b"some words\n");
        if self.how == BuildExit::Done {
            fs::create_dir(request.into).expect("it is new");
            for (name, bytes) in self.made {
                let path = request.into.join(name);
                fs::write(&path, bytes).expect("it can be written");
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
            }
        }
        Ok(BuildEnd { how: self.how.clone(), log: b"some words\n".to_vec(), took: Duration::from_millis(7) })
    }
}

fn place() -> (Place, Tools) {
    let place = Place::new();
    place.write("bot.c", "int main() {}");
    let tools = place.tools(&["gcc", "g++", "make"], "");
    (place, tools)
}

fn failure(prepared: Result<Prepared, PrepareError>) -> Flaw {
    match prepared {
        Err(PrepareError::Failed(flaw, log)) => {
            assert_eq!(log, b"some words\n");
            flaw
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_built_bot_is_not_built_again() {
    let (place, tools) = place();
    let fake = Fake::making(BOT);
    let first = place.prepare(&tools, Some(&fake)).expect("it builds");
    let second = place.prepare(&tools, Some(&fake)).expect("it is kept");
    assert_eq!((first.kept, second.kept, fake.runs.get()), (false, true, 1));
    assert_eq!((&second.words, &second.log, second.took), (&first.words, &first.log, first.took));
    assert_eq!(first.words, [OsString::from(first.folder.join("agon-bot"))]);
    assert!(first.folder.join("agon-bot").is_file() && first.folder.starts_with(place.path("cache")));
    // The same files as new ones, as on a machine to which the bot has travelled again.
    fs::rename(place.path("bot"), place.path("before")).expect("it is ours");
    place.write("bot.c", "int main() {}");
    assert!(place.prepare(&tools, Some(&fake)).expect("it is kept").kept);
    assert_eq!(fake.runs.get(), 1);
}

#[test]
fn every_change_builds_anew() {
    let (place, tools) = place();
    let fake = Fake::making(BOT);
    let again = |what: &str| {
        let runs = fake.runs.get();
        assert!(!place.prepare(&tools, Some(&fake)).expect("it builds").kept, "{what}");
        assert_eq!(fake.runs.get(), runs + 1, "{what}");
    };
    again("the first time");
    place.write("bot.c", "int main() { }");
    again("a byte");
    fs::set_permissions(place.path("bot/bot.c"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    again("a mode");
    place.write("data", "");
    again("a file");
    fs::rename(place.path("bot/data"), place.path("bot/date")).expect("it is ours");
    again("a name");
    place.write("agon.toml", "[limits]\nbuild-seconds = 5\n");
    again("the plan's file");
    fs::copy("/bin/false", place.path("installed/bin/gcc")).expect("every system has it");
    again("a tool");
    // Back where it was.
    place.write("agon.toml", "[limits]\nbuild-seconds = 5\n");
    assert!(place.prepare(&tools, Some(&fake)).expect("it is kept").kept);
}

#[test]
fn a_failed_build_is_never_kept() {
    let (place, tools) = place();
    for (how, what, hint) in [
        (BuildExit::Code(1), "failed with exit code 1", "log"),
        (BuildExit::Signal(9), "killed by signal 9", "1024 MiB"),
        (BuildExit::TooMuchMemory, "more than 1024 MiB of memory", "[limits]"),
        (BuildExit::TimedOut, "longer than 60 s", "[limits]"),
        (BuildExit::NotKept("too much".into()), "cannot be kept: too much", "regular files"),
    ] {
        let fake = Fake::failing(how);
        for runs in 1..3 {
            let flaw = failure(place.prepare(&tools, Some(&fake)));
            assert!(flaw.what.contains(what) && flaw.hint.is_some_and(|h| h.contains(hint)), "{}", flaw.what);
            assert_eq!(fake.runs.get(), runs);
        }
    }
    place.write("old.c", "int main(void) { return 1; }");
    let flaw = failure(place.prepare(&tools, Some(&Fake::failing(BuildExit::Code(1)))));
    assert!(flaw.hint.is_some_and(|hint| hint.contains("not compiled: `old.c`") && hint.contains("`build`")));
    let cancelled = place.prepare(&tools, Some(&Fake::failing(BuildExit::Cancelled)));
    assert_eq!(cancelled, Err(PrepareError::Cancelled));
    let flaw = failure(place.prepare(&tools, Some(&Fake::making(&[("other", b"\x7fELF")]))));
    assert!(flaw.what.contains("no file `./agon-bot`"), "{flaw}");
    assert_eq!(fs::read_dir(place.path("cache")).expect("it was made").count(), 0);
}

#[test]
fn the_program_that_a_makefile_makes_is_found() {
    let made = |made: &'static [(&'static str, &'static [u8])]| {
        let (place, tools) = place();
        place.write("Makefile", "all:\n");
        place.write("tool", "\x7fELF old");
        let prepared = place.prepare(&tools, Some(&Fake::making(made)));
        prepared.map(|p| p.words[0].to_string_lossy().rsplit('/').next().unwrap_or_default().to_owned())
    };
    assert_eq!(made(&[("zap", b"\x7fELF"), ("tool", b"\x7fELF old"), ("lib.so", b"\x7fELF")]), Ok("zap".into()));
    assert_eq!(made(&[("bot", b"\x7fELF"), ("tester", b"\x7fELF")]), Ok("bot".into()));
    assert_eq!(made(&[("tool", b"\x7fELF old")]), Ok("tool".into()), "it was there already");
    for (made, what) in [
        (made(&[("a", b"\x7fELF"), ("b", b"\x7fELF")]), "several programs: `a`, `b`"),
        (made(&[("a.txt", b"text"), ("run.sh", b"#!/bin/sh\n")]), "no program"),
    ] {
        let Err(PrepareError::Failed(flaw, _)) = made else { panic!("{made:?}") };
        assert!(flaw.what.contains(what) && flaw.hint.is_some_and(|h| h.contains("run = [")), "{}", flaw.what);
    }
}

#[test]
fn without_a_sandbox_only_what_needs_no_build_is_taken() {
    let (place, tools) = place();
    let refused = place.prepare(&tools, None);
    let Err(PrepareError::Flaw(flaw)) = refused else { panic!("{refused:?}") };
    assert!(flaw.what.contains("no sandbox to build it in") && flaw.hint.is_some_and(|h| h.contains("--sandbox none")));
    // Also if it was built elsewhere before.
    place.prepare(&tools, Some(&Fake::making(BOT))).expect("it builds");
    assert!(place.prepare(&tools, None).is_err());
    let place = Place::new();
    place.write("main.py", "print(1)\n");
    place.write("data/net.txt", "1 2 3\n");
    let tools = place.tools(&["python3"], "");
    let bot = place.prepare(&tools, None).expect("there is nothing to build");
    assert_eq!(bot.words, [OsString::from(place.path("installed/bin/python3")), "main.py".into()]);
    assert_eq!(bot.read, [place.path("installed")]);
    assert_eq!(fs::read_to_string(bot.folder.join("data/net.txt")).expect("it is kept"), "1 2 3\n");
    assert!(place.prepare(&tools, None).expect("it is kept").kept);
}

#[test]
fn a_flaw_of_the_manifest_comes_with_its_text() {
    let (place, tools) = place();
    place.write("agon.toml", "lang = 'c'\n");
    let Err(PrepareError::Manifest(text, flaw)) = place.prepare(&tools, None) else { panic!("it must be refused") };
    assert_eq!((text, flaw.place.map(|p| (p.line, p.column))), (b"lang = 'c'\n".to_vec(), Some((1, 1))));
    for (bytes, what) in [(vec![b'#'; 70_000], "larger than 64 KiB"), (vec![0xff], "not UTF-8")] {
        place.write("agon.toml", bytes);
        let Err(PrepareError::Flaw(flaw)) = place.prepare(&tools, None) else { panic!("it must be refused") };
        assert!(flaw.what.contains(what), "{flaw}");
    }
}

#[test]
fn a_bot_that_is_refused_by_its_files_is_not_built() {
    let (place, tools) = place();
    let (cache, fake) = (place.cache(), Fake::making(BOT));
    let judge = |tree: &SourceTree| {
        if tree.has("bot.c") { Verdict::Refused(Flaw::new("it is something else")) } else { Verdict::Accepted }
    };
    let mut preparation = agon_build::Preparation {
        cache: &cache,
        tools: &tools,
        environment: Some(&fake),
        judge: &judge,
        cancel: &|| false,
        news: &mut |_| {},
    };
    let submission = Submission::open(&place.path("bot"), Kind::Folder).expect("it is there");
    let refused = agon_build::prepare(&submission, &mut preparation);
    assert!(matches!(refused, Err(PrepareError::Refused(flaw)) if flaw.what == "it is something else"));
    assert_eq!(fake.runs.get(), 0);
}

#[test]
fn many_at_once_keep_one() {
    let (place, _) = place();
    let prepared: Vec<Prepared> = std::thread::scope(|scope| {
        let one = || {
            let tools = Tools::in_folders(vec![place.path("installed/bin")]);
            let cache = place.cache();
            let fake = Fake::making(BOT);
            let mut preparation = agon_build::Preparation {
                cache: &cache,
                tools: &tools,
                environment: Some(&fake),
                judge: &|_| Verdict::Accepted,
                cancel: &|| false,
                news: &mut |_| {},
            };
            let submission = Submission::open(&place.path("bot"), Kind::Folder).expect("it is there");
            agon_build::prepare(&submission, &mut preparation).expect("it builds")
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert!(prepared.iter().all(|p| p.folder == prepared[0].folder && p.folder.join("agon-bot").is_file()));
    assert_eq!(fs::read_dir(place.path("cache")).expect("it was made").count(), 1);
}

#[test]
fn cleaning_leaves_nothing_but_what_is_being_made() {
    let (place, tools) = place();
    assert_eq!(place.cache().clean(), Ok(0), "there is no cache yet");
    place.prepare(&tools, Some(&Fake::making(BOT))).expect("it builds");
    // Of a process that was killed, with a folder that nobody may enter; and of one that runs.
    let dead = place.path("cache/.part-999999999-0/source/locked");
    fs::create_dir_all(&dead).expect("it can be made");
    fs::set_permissions(&dead, fs::Permissions::from_mode(0o000)).expect("it is ours");
    let alive = place.path("cache/.part-999999999-1");
    fs::create_dir(&alive).expect("it can be made");
    let lock = fs::File::open(&alive).expect("it is ours");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("nobody else has it");
    assert_eq!(place.cache().clean(), Ok(1));
    let left: Vec<_> =
        fs::read_dir(place.path("cache")).expect("it is there").map(|e| e.expect("an entry").path()).collect();
    assert_eq!(left, [alive]);
}

#[test]
fn a_broken_entry_is_made_anew() {
    let (place, tools) = place();
    let fake = Fake::making(BOT);
    let bot = place.prepare(&tools, Some(&fake)).expect("it builds");
    fs::write(bot.folder.with_file_name("build.json"), "{}").expect("it is ours");
    assert!(!place.prepare(&tools, Some(&fake)).expect("it builds").kept);
    assert!(place.prepare(&tools, Some(&fake)).expect("it is kept").kept);
}

/// A build of the author's own without a sandbox.
fn unconfined(build: &str, run: &str) -> (Place, Result<Prepared, PrepareError>) {
    let place = Place::new();
    place.write("agon.toml", format!("build = {build}\nrun = ['{run}']\n[limits]\nbuild-seconds = 2\n"));
    let prepared = place.prepare(&Tools::here(), Some(&Unsandboxed));
    (place, prepared)
}

#[test]
fn a_build_without_a_sandbox_runs_in_a_folder_of_its_own() {
    let lines = "[['sh', '-c', 'echo $HOME $TMPDIR; echo 1 > made; ln -s /etc/passwd link; mkfifo pipe; env']]";
    let (place, prepared) = unconfined(lines, "./made");
    let bot = prepared.expect("it builds");
    let log = String::from_utf8_lossy(&bot.log).into_owned();
    assert!(log.contains("$ sh -c") && log.contains("HOME=") && log.contains(".part-"), "{log}");
    assert!(!log.contains("CARGO_"), "our environment must not get in: {log}");
    let mut names: Vec<_> =
        fs::read_dir(&bot.folder).expect("it is kept").map(|e| e.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["agon.toml", "made"], "links and pipes are no result");
    assert_eq!(bot.plan.run, Run::Words(vec!["./made".into()]));
    assert!(!place.path("bot/made").exists(), "the author's folder stays as it was");
}

#[test]
fn a_build_without_a_sandbox_has_limits() {
    let failed = |build: &str| match unconfined(build, "./x").1 {
        Err(PrepareError::Failed(flaw, log)) => (flaw.what, log),
        other => panic!("{build}: {other:?}"),
    };
    assert!(failed("[['sh', '-c', 'sleep 100 & wait']]").0.contains("longer than 2 s"));
    assert!(failed("[['sh', '-c', 'exit 3'], ['touch', 'x']]").0.contains("exit code 3"));
    assert!(failed("[['sh', '-c', 'kill -9 $$']]").0.contains("exit code 137"));
    let (what, log) = failed("[['sh', '-c', 'head -c 3000000 /dev/zero; echo end; exit 1']]");
    assert!(what.contains("exit code 1") && log.len() < 70_000 && log.ends_with(b"end\n"), "{} bytes", log.len());
    assert!(String::from_utf8_lossy(&log).contains("bytes left out]"));
    // The program that is to be played is a link to something else.
    let (what, _) = failed("[['ln', '-s', '/bin/sh', 'x']]");
    assert!(what.contains("no file `./x` in the result"), "{what}");
    // A background process keeps the pipe open: it is not waited for.
    let (_, prepared) = unconfined("[['sh', '-c', 'touch x; sleep 100 &']]", "./x");
    assert!(prepared.is_ok(), "{prepared:?}");
    let place = Place::new();
    symlink("/etc/passwd", place.path("bot/x")).expect("links can be made");
    let refused = place.prepare(&Tools::here(), Some(&Unsandboxed));
    assert!(matches!(refused, Err(PrepareError::Flaw(flaw)) if flaw.what.contains("leads out")));
}
