//! Folders for tests, and processes of their own.

use agon_bundle::{BundleHash, BundlePlan, CannotTravel, Traveller, plan, unpack};
use agon_play::{BotSpec, NamedBot};
use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

/// Set in the process of a test that has one of its own.
const INNER: &str = "AGON_BUNDLE_TEST";

/// Runs a test in a process of its own, which has its own cache and may change its folder. `name` is the path of the test.
pub fn alone(name: &str, test: impl FnOnce()) {
    if env::var_os(INNER).is_some() {
        return test();
    }
    let home = Ground::new();
    let program = env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(INNER, "1").current_dir(&home.0);
    command.env("XDG_CACHE_HOME", home.0.join("cache")).env("XDG_STATE_HOME", home.0.join("state"));
    let output = command.output().expect("it can be started");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// A folder that is removed at the end of the test.
pub struct Ground(pub PathBuf);

impl Ground {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("agon-bundle-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path.canonicalize().expect("it is there"))
    }

    /// Writes files in this order: each line has a path, and behind blanks the text. A path with `*` at its end is executable,
    /// and `->` makes a link.
    pub fn with(self, files: &[&str]) -> Self {
        for file in files {
            let (path, text) = file.split_once(' ').unwrap_or((file, ""));
            let at = self.0.join(path.trim_end_matches('*'));
            fs::create_dir_all(at.parent().expect("it has one")).expect("a folder");
            if let Some(target) = text.strip_prefix("-> ") {
                symlink(target, at).expect("a link");
                continue;
            }
            fs::write(&at, text).expect("a file");
            let mode = if path.ends_with('*') { 0o755 } else { 0o644 };
            fs::set_permissions(at, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        self
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Plans the bundle of a bot. The process has to be in its folder.
pub fn planned(run: &str, folder: &Path) -> Result<BundlePlan, CannotTravel> {
    let game = agon_games::find("portals").expect("it is a game");
    let bot = NamedBot::parse(game, run).expect("it is a bot");
    planned_of(&bot.spec, folder)
}

pub fn planned_of(spec: &BotSpec, folder: &Path) -> Result<BundlePlan, CannotTravel> {
    plan(&Traveller { name: "mine", spec, read: &[] }, folder)
}

/// Plans the bundle of a command, wherever the process is.
pub fn planned_command(run: &str, folder: &Path) -> Result<BundlePlan, CannotTravel> {
    planned_of(&BotSpec::Command(shlex::split(run).expect("quotes")), folder)
}

pub fn written(plan: &BundlePlan) -> Vec<u8> {
    let mut bytes = Vec::new();
    let hash = plan.write(&mut bytes).expect("nothing has changed");
    assert_eq!((hash, bytes.len() as u64), (BundleHash::of(&bytes), plan.size()));
    bytes
}

pub fn names(plan: &BundlePlan) -> String {
    plan.files().map(|(path, _)| path).collect::<Vec<_>>().join(" ")
}

pub fn unpacked(bytes: &[u8]) -> Ground {
    let ground = Ground::new();
    unpack(&mut &bytes[..], BundleHash::of(bytes), &ground.0).expect("it is a bundle");
    ground
}
