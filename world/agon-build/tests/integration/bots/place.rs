//! Folders for tests, with tools that are not there.

use agon_build::{
    BuildEnvironment, Cache, Manifest, News, Plan, PlanError, Preparation, PrepareError, Prepared, Tools, Verdict,
    intake::{Kind, Limits, Submission, take},
    prepare,
};
use agon_core::Flaw;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder that is removed at the end.
pub struct Place(PathBuf);

/// Answers every question that a tool is asked, for an installation in `HERE`.
const TOOL: &str = "#!/bin/sh
case \"$*\" in
    '--print sysroot' | 'env GOROOT') echo HERE ;;
    '-XshowSettings:properties -version') echo '    java.home = HERE' >&2 ;;
    '-p process.execPath') echo HERE/bin/node ;;
    --version) echo NODE ;;
    *-c*) printf 'agon:%s\\n' HERE/bin/python3 HERE HERE ;;
esac
";

/// Writes a program that can be started at once. Only a shell opens it for writing. If this process did, another test might fork at
/// that moment, and until the new process executes something, the system would refuse to start a file that it has open.
fn write_program(path: &Path, bytes: &[u8]) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut shell = shell.spawn().expect("every system has a shell");
    shell.stdin.take().expect("it is a pipe").write_all(bytes).expect("the shell reads");
    assert!(shell.wait().expect("it ends").success(), "{}", path.display());
}

impl Place {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bots-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join("bot")).expect("the folder for tests can be written to");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file of the bot; one that begins like a program may be executed.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let (path, bytes) = (self.path("bot").join(name), bytes.as_ref());
        fs::create_dir_all(path.parent().expect("it has one")).expect("the folder for tests can be written to");
        if bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF") {
            write_program(&path, bytes);
        } else {
            fs::write(&path, bytes).expect("the folder for tests can be written to");
        }
    }

    /// An installation of these tools outside the system; node has this version.
    pub fn tools(&self, names: &[&str], node: &str) -> Tools {
        let bin = self.path("installed/bin");
        fs::create_dir_all(&bin).expect("the folder for tests can be written to");
        let here = self.path("installed").display().to_string();
        for name in names {
            let answers = matches!(*name, "python3" | "node" | "rustc" | "cargo" | "java" | "javac" | "go");
            let program = if answers {
                TOOL.replace("HERE", &here).replace("NODE", node).into_bytes()
            } else {
                fs::read("/bin/true").expect("every system has it")
            };
            write_program(&bin.join(name), &program);
        }
        Tools::in_folders(vec![bin])
    }

    /// What is planned for the bot.
    pub fn plan(&self, tools: &Tools) -> Result<Plan, Flaw> {
        Ok(self.plan_of("bot", tools)?)
    }

    /// What is planned for the bot in a folder of this name.
    pub fn plan_of(&self, folder: &str, tools: &Tools) -> Result<Plan, PlanError> {
        if folder != "bot" {
            fs::rename(self.path("bot"), self.path(folder)).expect("it is ours");
        }
        let into = self.path("taken");
        let _ = fs::remove_dir_all(&into);
        fs::create_dir(&into).expect("the folder for tests can be written to");
        let tree = take(&self.path(folder), Kind::Folder, &into, Limits::default())?;
        let text = String::from_utf8(tree.head(Manifest::FILE, 9999)).expect("the tests write text");
        Plan::new(&tree, &Manifest::parse(&text)?, tools)
    }

    pub fn cache(&self) -> Cache {
        Cache::at(self.path("cache"))
    }

    /// Prepares the bot.
    pub fn prepare(&self, tools: &Tools, environment: Option<&dyn BuildEnvironment>) -> Result<Prepared, PrepareError> {
        let cache = self.cache();
        let mut news = |_: News<'_>| {};
        let mut preparation = Preparation {
            cache: &cache,
            tools,
            environment,
            judge: &|_| Verdict::Accepted,
            cancel: &|| false,
            news: &mut news,
        };
        let submission = Submission::open(&self.path("bot"), Kind::Folder)?;
        let prepared = prepare(&submission, &mut preparation);
        let left: Vec<_> = fs::read_dir(cache.folder()).expect("it was made").map(|e| e.expect("an entry")).collect();
        let begun = |name: std::ffi::OsString| name.to_string_lossy().starts_with(".part-");
        assert!(!left.iter().any(|entry| begun(entry.file_name())), "something was left behind");
        prepared
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
