//! Sources that attack the machine on which they are compiled. All of them run only in the sandbox.

use crate::{
    agon::{Done, Place},
    builds::{bot, installed, json, run, sandboxed},
};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

/// Builds a bot whose build must fail, and returns the message.
fn contained(tools: &[&str], files: &[(&str, &str)]) -> Option<Done> {
    if !sandboxed() || !installed(tools) {
        return None;
    }
    let place = Place::new();
    bot(&place, "bot", files);
    let begun = Instant::now();
    let done = run(&place, &["build", "bot"]);
    // The time covers the build's own limit and a busy machine. The build must not hang.
    assert!(begun.elapsed() < Duration::from_secs(240), "{:?}", begun.elapsed());
    assert_eq!((done.code, done.out.as_str()), (20, ""), "{done:?}");
    assert!(done.err.len() < 300_000, "{} bytes", done.err.len());
    let kept = fs::read_dir(place.path("cache/agon/bots")).expect("it was made").count();
    assert_eq!(kept, 0, "a failed build is kept");
    Some(done)
}

#[test]
fn a_compiler_sees_no_secrets() {
    let place = Place::new();
    let secret = place.path("secret.txt");
    fs::write(&secret, "TOP-SECRET-MARKER\n").expect("the folder for tests can be written to");
    let secret = secret.canonicalize().expect("it is there").display().to_string();
    let shadow = fs::read_to_string("/etc/shadow").unwrap_or_default();
    let root = shadow.lines().next().unwrap_or("root:no-such-line").to_owned();
    let include = |path: &str| format!("#include \"{path}\"\nint main(void) {{ return 0; }}\n");
    let embed = |path: &str| format!("__asm__(\".incbin \\\"{path}\\\"\");\nint main(void) {{ return 0; }}\n");
    for path in [&secret, "/etc/shadow"] {
        for source in [include(path), embed(path)] {
            let Some(done) = contained(&["gcc"], &[("bot.c", &source)]) else { return };
            assert!(!done.err.contains("TOP-SECRET-MARKER") && !done.err.contains(&root), "{done:?}");
        }
    }
    // The build must see only its own processes, and their environment must contain nothing of ours.
    for path in ["/proc/1/environ", "/proc/self/environ"] {
        for source in [include(path), embed(path)] {
            let place = Place::new();
            bot(&place, "bot", &[("bot.c", &source)]);
            let done = run(&place, &["build", "bot", "--format", "json"]);
            assert!(!done.err.contains("CARGO_MANIFEST_DIR"), "{done:?}");
            if done.code == 0 {
                let program = json(&done)["run"][0].as_str().expect("a program").to_owned();
                let bytes = fs::read(program).expect("it is kept");
                assert!(!bytes.windows(18).any(|w| w == b"CARGO_MANIFEST_DIR"), "{path}");
            }
        }
    }
    let source = format!("fn main() {{ print!(\"{{}}\", include_str!(\"{secret}\")); }}\n");
    let Some(done) = contained(&["rustc"], &[("main.rs", &source)]) else { return };
    assert!(!done.err.contains("TOP-SECRET-MARKER") && done.err.contains("couldn't read"), "{done:?}");
}

#[test]
fn endless_sources_end_at_a_limit() {
    let limits = "[limits]\nbuild-seconds = 10\nbuild-memory-mib = 512\n";
    let template = "template<int N> struct A { static const int v = A<N + 1>::v + A<N + 2>::v; };\nint main() { return A<0>::v; }\n";
    let doubled: String = (0..60).map(|i| format!("#define M{} M{i} M{i}\n", i + 1)).collect();
    let macros = format!("#define M0 x +\n{doubled}int main(void) {{ return M60 0; }}\n");
    let constexpr = "constexpr long f(long n) { return n == 0 ? 0 : f(n - 1) + f(n - 1); }\n\
        static_assert(f(400) == 0, \"\");\nint main() {}\n";
    for (name, source, tool) in [
        ("bot.c", "#include \"/dev/zero\"\nint main(void) {}\n", "gcc"),
        ("bot.c", "int main(void) { __asm__(\".incbin \\\"/dev/zero\\\"\"); }\n", "gcc"),
        ("bot.c", "#include \"bot.c\"\nint main(void) {}\n", "gcc"),
        ("bot.c", "char a[1L << 40] = {1};\nint main(void) { return a[0]; }\n", "gcc"),
        ("bot.c", &macros, "gcc"),
        ("bot.cpp", template, "g++"),
        ("bot.cpp", constexpr, "g++"),
        ("main.rs", "fn main() { let _ = include_bytes!(\"/dev/zero\"); }\n", "rustc"),
    ] {
        if contained(&[tool], &[(name, source), ("agon.toml", limits)]).is_none() {
            return;
        }
    }
}

#[test]
fn a_build_script_reaches_nothing() {
    if !sandboxed() || !installed(&["cargo", "cc"]) {
        return;
    }
    let place = Place::new();
    let script = r#"
fn main() {
    let home = std::env::var("HOME").unwrap();
    println!("cargo:warning=home {home}");
    let said = |what: &str, done: std::io::Result<()>| {
        println!("cargo:warning={what} {}", if done.is_ok() { "WORKS" } else { "refused" });
    };
    said("socket", std::net::TcpListener::bind("127.0.0.1:0").map(drop));
    said("connect", std::net::TcpStream::connect("1.1.1.1:80").map(drop));
    said("host", std::fs::write("OUTSIDE/escaped", "x"));
    said("system", std::fs::write("/usr/escaped", "x"));
    said("cache", std::fs::write("CACHE/escaped", "x"));
    said("list", std::fs::read_dir("OUTSIDE").map(drop));
    said("kill", std::process::Command::new("kill").args(["-9", "PARENT"]).status().and_then(|status| {
        if status.success() { Ok(()) } else { Err(std::io::Error::other("no")) }
    }));
    said("home", std::fs::write(format!("{home}/private"), "x"));
}
"#;
    let outside = place.path(".").canonicalize().expect("it is there").display().to_string();
    let script = script.replace("OUTSIDE", &outside).replace("CACHE", &format!("{outside}/cache"));
    let script = script.replace("PARENT", &std::process::id().to_string());
    let files = [
        ("Cargo.toml", "[package]\nname = \"bot\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"),
        ("build.rs", script.as_str()),
        ("src/main.rs", "fn main() {}\n"),
    ];
    bot(&place, "bot", &files);
    let built = json(&run(&place, &["build", "bot", "--format", "json"]));
    let log = built["log"].as_str().expect("a log");
    for what in ["socket", "connect", "host", "system", "cache", "list", "kill"] {
        assert!(log.contains(&format!("{what} refused")), "{what}: {log}");
    }
    assert!(log.contains("home WORKS"), "its own home is free: {log}");
    let real = std::env::var("HOME").unwrap_or_default();
    assert!(!log.contains(&format!("home {real}\n")) || real.is_empty(), "{log}");
    assert!(!place.path("escaped").exists() && !place.path("cache/escaped").exists());
}

#[test]
fn a_hostile_makefile_reaches_nothing() {
    if !sandboxed() || !installed(&["gcc", "make"]) {
        return;
    }
    let place = Place::new();
    let outside = place.path(".").canonicalize().expect("it is there").display().to_string();
    let makefile = format!(
        "bot: bot.c\n\t-echo x > {outside}/escaped\n\t-rm -rf {outside}/keep\n\t-cat {outside}/keep\n\t-kill -9 {}\n\t\
         -(sleep 1000 &)\n\tgcc -o bot bot.c\n\tln -s /etc/passwd leak\n\tmkfifo pipe\n\tchmod 4755 bot\n",
        std::process::id()
    );
    place.write("keep", "TOP-SECRET-MARKER");
    bot(&place, "bot", &[("Makefile", &makefile), ("bot.c", "int main(void) { return 0; }\n")]);
    let built = json(&run(&place, &["build", "bot", "--format", "json"]));
    assert_eq!(place.read("keep"), "TOP-SECRET-MARKER");
    assert!(!place.path("escaped").exists());
    assert!(built["log"].as_str().is_some_and(|log| !log.contains("TOP-SECRET-MARKER")), "{built:#}");
    let folder = std::path::Path::new(built["folder"].as_str().expect("a folder"));
    let mut names: Vec<_> =
        fs::read_dir(folder).expect("it is kept").map(|e| e.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["Makefile", "bot", "bot.c"], "links and pipes are no result");
    use std::os::unix::fs::PermissionsExt;
    let mode = folder.join("bot").metadata().expect("it is kept").permissions().mode();
    assert_eq!(mode & 0o7777, 0o755, "no set-uid bit gets out");
}

#[test]
fn floods_and_links_as_results_are_contained() {
    let own = |build: &str, run: &str| format!("build = {build}\nrun = [\"{run}\"]\n[limits]\nbuild-seconds = 20\n");
    let flood = own("[[\"sh\", \"-c\", \"head -c 200000000 /dev/zero; exit 1\"]]", "./x");
    let link = own("[[\"ln\", \"-s\", \"/bin/sh\", \"x\"]]", "./x");
    let large = own("[[\"sh\", \"-c\", \"head -c 700000000 /dev/zero > x\"]]", "./x");
    let many = own("[[\"sh\", \"-c\", \"i=0; while [ $i -lt 30000 ]; do : > $i; i=$((i+1)); done\"]]", "./x");
    let forks = own("[[\"sh\", \"-c\", \"f() { f | f & }; f; sleep 1; exit 1\"]]", "./x");
    // Each process stays within its own limit, but all of them together use too much.
    let memory = format!(
        "{}build-memory-mib = 512\n",
        own(
            "[[\"sh\", \"-c\", \"for i in 1 2 3 4 5 6 7 8 9 10; do (head -c 100000000 /dev/zero | tail -c 99999999 >x$i; sleep 9) & done; wait\"]]",
            "./x"
        )
    );
    for (text, said) in [
        (&memory, "more than 512 MiB of memory"),
        (&flood, "failed with exit code 1"),
        (&link, "no file `./x` in the result"),
        (&large, "the build"),
        (&many, "cannot be kept"),
        (&forks, "the build"),
    ] {
        let Some(done) = contained(&["sh"], &[("agon.toml", text)]) else { return };
        assert!(done.err.contains(said), "{said}: {}", &done.err[done.err.len().saturating_sub(900)..]);
    }
}

/// A version manager puts launchers of interpreters into the search path. A file in the current folder tells a launcher
/// which version to start. Launchers run outside the sandbox, so the folder of a bot must not choose the version.
#[test]
fn a_bots_folder_does_not_say_what_is_run_outside() {
    if !sandboxed() || !installed(&["python3"]) {
        return;
    }
    let place = Place::new();
    let marker = place.path("marker");
    let write = |path: PathBuf, text: &str| {
        fs::write(&path, text).expect("the folder for tests can be written to");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    let [shims, hostile] = ["shims", "hostile"].map(|name| place.path(name));
    for folder in [&shims, &hostile] {
        fs::create_dir(folder).expect("the folder for tests can be written to");
    }
    // The interpreter of this machine may also be a launcher.
    let said = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().expect("it is here");
    let python = String::from_utf8(said.stdout).expect("a path");
    let choose = "if [ -f .python-version ]; then . ./.python-version; fi";
    write(shims.join("python3"), &format!("#!/bin/sh\n{choose}\nexec {} \"$@\"\n", python.trim()));
    let answers = "import sys\nfor line in sys.stdin:\n    if line == '.\\n':\n        print('.', flush=True)\n";
    write(hostile.join("bot.py"), &format!("#!/usr/bin/env python3\n{answers}"));
    write(hostile.join(".python-version"), &format!("touch '{}'\n", marker.display()));
    let path = std::env::join_paths([shims, "/usr/bin".into(), "/bin".into()]).expect("no colons");
    for args in [
        &["match", "grid", "python3 bot.py", "@random"][..],
        &["match", "grid", "./bot.py", "@random"],
        &["match", "grid", ".", "@random"],
        &["build", "."],
        &["doctor"],
    ] {
        let mut command = place.command(args);
        command.env("PATH", &path).env("XDG_CACHE_HOME", place.path("cache")).current_dir(&hostile);
        let done = Done::from(command.output().expect("agon can be started"));
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        assert!(!done.out.contains("crashed"), "{args:?}: {done:?}");
        assert!(!marker.exists(), "{args:?}: the folder has said what was run");
    }
}
