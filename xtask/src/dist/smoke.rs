//! The programs of an archive at work in an empty root: of files, what is not in the archive does not exist there.

use super::{execute, output};
use crate::root;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A bot for Planet Wars that gives no orders: it says `go` when it has read a line `go`.
const MODULE: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 32) "go\0a")
    (func (export "_start") (local $last i32)
        (loop $more
            (i32.store (i32.const 0) (i32.const 64))
            (i32.store (i32.const 4) (i32.const 4096))
            (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
            (br_if 1 (i32.eqz (i32.load (i32.const 8))))
            ;; The last two bytes before the end of what was read: `o` and the end of a line.
            (local.set $last (i32.add (i32.const 62) (i32.load (i32.const 8))))
            (if (i32.eq (i32.load16_u (local.get $last)) (i32.const 0x0a6f)) (then
                (i32.store (i32.const 0) (i32.const 32))
                (i32.store (i32.const 4) (i32.const 3))
                (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))
            (br $more))))"#;

/// A root with nothing but what the archive holds, removed at the end.
struct Root(PathBuf);

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Unpacks the archive and uses it.
pub fn run(archive: &Path, name: &str) -> Result<(), String> {
    let empty = Root(std::env::temp_dir().join(format!("agon-dist-{}", std::process::id())));
    fs::create_dir_all(&empty.0).map_err(|e| format!("{}: {e}", empty.0.display()))?;
    let mut tar = Command::new("tar");
    execute(tar.arg("-xf").arg(archive).arg("-C").arg(&empty.0).arg("--strip-components=1"))?;
    let mut check = Command::new("sha256sum");
    execute(check.args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&empty.0))?;
    for folder in ["dev", "proc"] {
        fs::create_dir(empty.0.join(folder)).map_err(|e| format!("{folder}: {e}"))?;
    }
    let said = |program: &str, words: &[&str]| output(inside(&empty.0, program).args(words));
    let version = text(said("/bin/agon", &["--version"])?);
    if version.trim() != format!("agon {}", env!("CARGO_PKG_VERSION")) {
        return Err(format!("`agon --version` says {version:?}"));
    }
    let games: Vec<serde_json::Value> =
        serde_json::from_slice(&said("/bin/agon", &["games", "--format", "json"])?).map_err(|e| e.to_string())?;
    for game in games.iter().filter_map(|game| game["name"].as_str()) {
        let replay = format!("/{game}.jsonl.zst");
        said("/bin/agon", &["match", game, "@random", "@random", "--seed", "7", "--replay", &replay])?;
        said("/bin/agon", &["replay", "verify", &replay])?;
    }
    let module = wat::parse_str(MODULE).map_err(|e| e.to_string())?;
    super::write(&empty.0.join("bot.wasm"), &module)?;
    let words = ["match", "planet-wars", "/bot.wasm", "@random", "--seed", "7", "--rounds", "20", "--format", "json"];
    no_fault(&said("/bin/agon", &words)?)?;
    said("/bin/agon", &["rules", "portals"])?;
    said("/bin/agon", &["replay", "html", "/grid.jsonl.zst", "-o", "/grid.html"])?;
    // What the archive has is what its program prints.
    for (shell, script) in super::SHELLS {
        let kept =
            fs::read(empty.0.join("completions").join(script)).map_err(|e| format!("completions/{script}: {e}"))?;
        if said("/bin/agon", &["completions", shell])? != kept {
            return Err(format!("completions/{script} is not what `agon completions {shell}` prints"));
        }
    }
    said("/bin/agon", &["selftest", "hostile", "--list"])?;
    println!("{name}: five games were played in a root that has nothing but the archive");
    python(&empty.0)
}

/// Plays a champion in Python with the unpacked program, outside the empty root, which has no interpreter.
fn python(unpacked: &Path) -> Result<(), String> {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("SKIPPED: a champion in Python, because there is no `python3`");
        return Ok(());
    }
    let champion = format!("champion:{}", root().join("examples/portals/champion-python").display());
    let mut agon = Command::new(unpacked.join("bin/agon"));
    agon.args(["match", "portals", &champion, "@random", "--rounds", "5", "--time", "greeting=60s,move=20s"]);
    let said = output(agon.args(["--format", "json"]).env("XDG_CACHE_HOME", unpacked.join("cache")))?;
    no_fault(&said)?;
    println!("the unpacked program has played a champion in Python");
    Ok(())
}

/// Fails if the first bot of the match in this document has failed.
fn no_fault(document: &[u8]) -> Result<(), String> {
    let result: serde_json::Value = serde_json::from_slice(document).map_err(|e| e.to_string())?;
    match &result["seats"][0] {
        seat if seat["fault"].is_null() && seat["name"].is_string() => Ok(()),
        seat => Err(format!("{} has failed: {}", seat["name"], seat["fault"])),
    }
}

/// Returns a command for a program whose root is `root`, with the devices and processes of this host, which every system
/// gives to a program. Who is not root itself needs a user namespace for that.
fn inside(root: &Path, program: &str) -> Command {
    const MOUNT: &str = "mount --rbind /dev dev && mount --rbind /proc proc && exec chroot . \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "--net", "--", "sh", "-c", MOUNT, "sh", program]).current_dir(root);
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("XDG_CACHE_HOME", "/cache");
    command
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}
