//! Which Python plays a champion: virtual environments, `agon.toml`, `PYTHON`.

use super::place::{LONG, Place, fault, have, played};
use std::{fs, path::Path, process::Command};

/// Says which interpreter plays it and what its package holds.
const USES: &str = "import sys\nimport only_mine\n\n\ndef partie_init():\n    print(only_mine.MARK, sys.executable)\n\n\n\
                    def jouer_tour():\n    pass\n\n\npartie_fin = jouer_tour\n";
/// The same without the package.
const PLAIN: &str = "import sys\n\n\ndef partie_init():\n    print('of', sys.executable)\n\n\n\
                     def jouer_tour():\n    pass\n\n\npartie_fin = jouer_tour\n";
const MARK: &str = "the marker of a package";

/// Makes a virtual environment with one small module. Returns whether this machine can.
fn environment(place: &Place, folder: &str) -> bool {
    let folder = place.0.join(folder);
    let made = Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&folder).output();
    if !made.is_ok_and(|made| made.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "there is no `python3 -m venv`, which this test needs");
        eprintln!("SKIPPED: there is no `python3 -m venv`, which this test needs");
        return false;
    }
    let versions = fs::read_dir(folder.join("lib")).expect("an environment has a library").flatten();
    let packages = versions.map(|version| version.path().join("site-packages")).find(|path| path.is_dir());
    let module = packages.expect("it has packages").join("only_mine.py");
    fs::write(module, format!("MARK = {MARK:?}\n")).expect("the folder for tests can be written to");
    true
}

/// Returns where a Python is, as it says itself.
fn executable(python: &str) -> String {
    let asked = Command::new(python).args(["-c", "import sys; print(sys.executable)"]).current_dir("/").output();
    String::from_utf8_lossy(&asked.expect("it is there").stdout).trim().to_owned()
}

/// Plays the champion in `mine`, and returns what it printed.
fn log(place: &Place) -> String {
    log_of(place, "mine")
}

fn log_of(place: &Place, champion: &str) -> String {
    let result = place.play("2", [champion, "@random"]);
    assert_eq!((fault(&result).0, &result["seats"][0]["kind"]), ("none", &"champion".into()), "{result:#}");
    place.said(1, "err")
}

#[test]
fn a_virtual_environment_beside_a_champion_has_its_packages() {
    let place = Place::new();
    place.write("mine", &[("prologin.py", USES)]);
    if !have(&["python3"]) || !environment(&place, "mine/.venv") {
        return;
    }
    let of_environment = log(&place);
    assert!(of_environment.contains(MARK), "{of_environment}");
    for run in ["'python3', 'prologin.py'", "'.venv/bin/python', '-uO', './prologin.py'", "'.venv/bin/python3'"] {
        place.write("mine", &[("agon.toml", &format!("run = [{run}]\n[limits]\nmemory = '300MiB'\n"))]);
        let said = log(&place);
        // The environment stands for the Python of its version, which may have a longer name.
        assert!(if run.contains(".venv") { said == of_environment } else { said.contains(MARK) }, "{run}: {said}");
    }
}

/// People pack the folder as it is. In it are links: to the interpreter, and from one folder of the environment to another.
#[test]
fn a_virtual_environment_in_an_archive_is_that_of_the_folder() {
    let place = Place::new();
    place.write("mine", &[("prologin.py", USES)]);
    if !have(&["python3", "tar", "gzip"]) || !environment(&place, "mine/.venv") {
        return;
    }
    let pack = |format: &str, archive: &str, folder: &str| {
        let mut tar = Command::new("tar");
        tar.args([format, "-czf", archive, folder]).current_dir(&place.0);
        assert!(tar.status().is_ok_and(|status| status.success()), "tar packs {archive}");
    };
    let of_folder = log(&place);
    assert!(of_folder.contains(MARK), "{of_folder}");
    for format in ["--format=gnu", "--format=posix"] {
        pack(format, "packed.tgz", "mine");
        assert_eq!(log_of(&place, "champion:packed.tgz"), of_folder, "{format}");
    }
    std::os::unix::fs::symlink("/etc/passwd", place.0.join("mine/notes")).expect("a link");
    pack("--format=gnu", "packed.tgz", "mine");
    let output = place.run(&["match", "portals", "champion:packed.tgz", "@random"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = ["`packed.tgz`", "`mine/notes` is a link that leads out of the archive", "hint: pack what it leads to"];
    assert!(!output.status.success() && said.iter().all(|said| error.contains(said)), "{error}");
}

#[test]
fn a_path_in_the_manifest_chooses_the_interpreter() {
    const SYSTEM: &str = "/usr/bin/python3";
    if !Path::new(SYSTEM).exists() {
        assert!(std::env::var_os("CI").is_none(), "there is no `{SYSTEM}`, which this test needs");
        eprintln!("SKIPPED: there is no `{SYSTEM}`, which this test needs");
        return;
    }
    let place = Place::new();
    let manifest = format!("run = ['{SYSTEM}', 'prologin.py']\n");
    place.write("mine", &[("prologin.py", PLAIN), ("agon.toml", &manifest)]);
    assert_eq!(log(&place), format!("of {}\n", executable(SYSTEM)));
}

/// A champion must not make others' files visible, and what it asks for is not left out in silence.
#[test]
fn options_that_no_champion_takes_are_refused() {
    let place = Place::new();
    place.write("mine", &[("prologin.py", PLAIN), ("bot.py", "")]);
    if !have(&["python3"]) || !environment(&place, "other/.venv") {
        return;
    }
    let other = place.0.join("other/.venv/bin/python3").display().to_string();
    for (run, said) in [
        (format!("'{other}', 'prologin.py'"), format!("`run` names `{other}`, which is no installed Python")),
        (
            "'../place/.venv/bin/python', 'prologin.py'".into(),
            "`run` names `../place/.venv/bin/python`, which is no installed Python".into(),
        ),
        ("'./python3', 'prologin.py'".into(), "`run` names `./python3`, which is no installed Python".into()),
        ("'python3', '-m', 'prologin.py'".into(), "cannot be started with `-m`".into()),
        ("'python3' 'prologin.py'".into(), "`agon.toml`: line 1".into()),
    ] {
        place.write("mine", &[("agon.toml", &format!("run = [{run}]\n"))]);
        let output = place.run(&["match", "portals", "champion:mine", "@random"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && output.stdout.is_empty() && error.contains(&said), "{run}: {error}");
    }
    for run in ["'python3', 'bot.py'", "'python3', 'bot.py', 'prologin.py'", "'bash', 'prologin.py'"] {
        place.write("mine", &[("agon.toml", &format!("run = [{run}]\n"))]);
        let output = place.run(&["match", "portals", "champion:mine", "@random", "--rounds", "1"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && error.contains("`run` does not start `prologin.py`"), "{run}: {error}");
    }
}

/// An error of the interpreter that the user names is told as it is.
#[test]
fn an_interpreter_that_the_user_names_and_does_not_have_is_named() {
    let place = Place::new();
    place.write("mine", &[("prologin.py", PLAIN)]);
    for python in ["no-such-python", "/no/such/.venv/bin/python"] {
        let mut command = place.command(&["match", "portals", "champion:mine", "@random"]);
        let output = command.env("PYTHON", python).output().expect("agon can be started");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(&format!("no interpreter `{python}`")), "{error}");
    }
}

#[test]
fn the_users_own_choice_may_be_any_environment() {
    let place = Place::new();
    place.write("mine", &[("prologin.py", USES)]);
    if !have(&["python3"]) || !environment(&place, "elsewhere/.venv") {
        return;
    }
    let play = |python: &str| {
        let mut command = place.match_of(LONG, ["mine", "@random"]);
        let (result, _) = played(command.args(["--rounds", "1"]).env("PYTHON", python));
        assert_eq!(fault(&result).0, "none", "{result:#}");
        place.said(1, "err")
    };
    let absolute = place.0.join("elsewhere/.venv/bin/python").display().to_string();
    for python in [&absolute, "./elsewhere/.venv/bin/python"] {
        let said = play(python);
        assert!(said.contains(MARK) && said.contains(&absolute), "{said}");
    }
}
