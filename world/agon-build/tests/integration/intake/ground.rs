//! A place for each test, and what is asked of all of them.

use agon_build::intake::{Kind, Limits, SourceTree, take};
use agon_core::Flaw;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder that is removed at the end.
pub struct Ground(PathBuf);

impl Ground {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("intake-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder for tests can be written to");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("the folder for tests can be written to");
        fs::write(&path, bytes).expect("the folder for tests can be written to");
        path
    }

    /// Takes what lies at `path`.
    pub fn take(&self, path: &Path, limits: Limits) -> Result<SourceTree, Flaw> {
        let kind = Kind::of(path).expect("a folder or an archive");
        let into = self.path("taken");
        let _ = fs::remove_dir_all(&into);
        fs::create_dir(&into).expect("the folder for tests can be written to");
        let taken = take(path, kind, &into, limits);
        let beside: Vec<_> =
            fs::read_dir(&self.0).expect("it is there").map(|e| e.expect("an entry").file_name()).collect();
        assert!(!beside.iter().any(|name| name == "escaped"), "something was written outside");
        taken
    }

    /// Takes an archive of these bytes.
    pub fn unpack(&self, name: &str, bytes: &[u8]) -> Result<SourceTree, Flaw> {
        self.take(&self.write(name, bytes), Limits::default())
    }

    /// How many bytes were written before it was refused.
    pub fn written(&self) -> u64 {
        fn sum(folder: &Path) -> u64 {
            let entries = fs::read_dir(folder).expect("it is there").map(|e| e.expect("an entry").path());
            entries.map(|p| if p.is_dir() { sum(&p) } else { p.metadata().expect("it is there").len() }).sum()
        }
        sum(&self.path("taken"))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Every file with its bytes and whether it may be executed, as it lies on the disk.
pub fn contents(tree: &SourceTree) -> BTreeMap<String, (String, bool)> {
    use std::os::unix::fs::PermissionsExt;
    let read = |name: &str| {
        let path = tree.root().join(name);
        let mode = path.metadata().expect("it is there").permissions().mode() & 0o7777;
        assert!([0o644, 0o755].contains(&mode), "{name}: {mode:o}");
        let text = String::from_utf8(fs::read(path).expect("it is there")).expect("the tests write text");
        (text, mode == 0o755)
    };
    tree.files()
        .map(|(name, entry)| {
            let (text, executable) = read(name);
            assert_eq!((entry.size, entry.executable), (text.len() as u64, executable), "{name}");
            (name.to_owned(), (text, executable))
        })
        .collect()
}

pub fn names(tree: &SourceTree) -> Vec<&str> {
    tree.files().map(|(name, _)| name).collect()
}

/// That it was refused with these words, one line and a way out.
pub fn refused(taken: Result<SourceTree, Flaw>, words: &[&str]) {
    let flaw = taken.expect_err("it must be refused");
    for word in words {
        assert!(flaw.what.contains(word), "`{word}` is not in: {}", flaw.what);
    }
    assert!(!flaw.what.contains(['\n', '\x1b', '\0']) && flaw.what.len() < 400, "{flaw:?}");
    assert!(flaw.hint.is_some(), "there is no way out: {flaw:?}");
}
