//! Champions in C and C++.

use super::place::{Place, fault, fixture, have, kit};
use std::{
    fs,
    process::{Command, Stdio},
};

#[test]
fn both_flavours_of_headers_give_the_same_orders() {
    if !have(&["gcc", "g++"]) {
        return;
    }
    for (language, main, edits) in [
        ("c", ["prologin.c", "champion.c"], [("prologin.h", "api.h"), (".datas", ".items")]),
        ("cpp", ["prologin.cc", "champion.cc"], [("prologin.hh", "api.hh"), ("\nvoid ", "\nextern \"C\" void ")]),
    ] {
        let place = Place::new();
        let mut text = fs::read_to_string(kit(language).join(main[0])).expect("the kit is there");
        for (old, new) in edits {
            assert!(text.contains(old), "{old}");
            text = text.replace(old, new);
        }
        place.write("of-2020", &[(main[1], &text)]);
        let of_2015 = place.play("20", [&format!("champion:{}", kit(language).display()), "@random"]);
        let orders = place.orders();
        let of_2020 = place.play("20", ["champion:of-2020", "@random"]);
        assert_eq!((fault(&of_2015).0, fault(&of_2020).0), ("none", "none"));
        assert_eq!(of_2015["seats"][0]["score"], of_2020["seats"][0]["score"]);
        assert!(orders == place.orders() && orders.iter().flatten().count() > 50);
    }
}

#[test]
fn a_library_is_played_like_its_sources_and_against_itself() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let sources = kit("cpp").display().to_string();
    let output = place.run(&["champion", "build", &sources, "--out", "mine.so"]);
    assert!(output.status.success() && output.stdout == b"mine.so\n", "{output:?}");
    let result = place.play("10", ["champion:mine.so", &format!("champion:{sources}")]);
    assert_eq!(fault(&result).0, "none");
    assert_eq!((&result["seats"][0]["name"], &result["seats"][1]["name"]), (&"mine".into(), &"champion-cpp".into()));
    assert!(result["seats"][1]["fault"].is_null());
}

#[test]
fn the_champions_own_header_wins() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let source = "#include \"prologin.hh\"\nvoid partie_init() {}\nvoid jouer_tour() { prendre(); }\n\
                  void partie_fin() {}\n";
    place.write("own", &[("prologin.cc", source)]);
    let output = place.run(&["champion", "build", "own"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{said}");
    // The message must contain the compiler's own words and the place.
    assert!(said.contains("own/prologin.cc:3") && said.contains("prendre"), "{said}");
    // A bot that cannot be built gives no result.
    let played = place.run(&["match", "portals", "champion:own", "@random"]);
    assert!(played.status.code() == Some(20) && played.stdout.is_empty(), "{played:?}");
    let header = "enum erreur { OK };\nextern \"C\" erreur api_capturer();\n\
                  static inline erreur prendre() { return api_capturer(); }\n\
                  extern \"C\" {\nvoid partie_init();\nvoid jouer_tour();\nvoid partie_fin();\n}\n";
    place.write("own", &[("prologin.hh", header)]);
    let result = place.play("2", ["champion:own", "@random"]);
    assert_eq!((fault(&result).0, &result["seats"][0]["score"]), ("none", &10.into()));
}

/// A folder of one user's must not decide what is kept for another's with the same sources.
#[test]
fn kept_builds_cannot_be_poisoned() {
    if !have(&["gcc"]) {
        return;
    }
    const MARK: &[u8] = b"agon-poison-of-a-test";
    let place = Place::new();
    let champion = "#include \"prologin.h\"\nvoid partie_init(void) {}\nvoid jouer_tour(void) {}\n\
                    void partie_fin(void) {}\n";
    let poison = format!(
        "static const char mark[] __attribute__((used)) = \"{}\";\n#include <api.h>\n",
        String::from_utf8_lossy(MARK)
    );
    let folder = |name: &str| {
        place.write(name, &[("prologin.c", champion)]);
        place.0.join(name)
    };
    let build = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(["champion", "build", name]).current_dir(&place.0).env("XDG_CACHE_HOME", place.0.join("cache"));
        command.stdin(Stdio::null()).output().expect("agon can be started")
    };
    // It dangles here, and where the compiler works it leads to a header.
    let link = folder("link");
    place.write("link", &[(".h", &poison)]);
    let inside = format!("/proc/self/cwd/include/../..{}/.h", link.display());
    std::os::unix::fs::symlink(inside, link.join("prologin.h")).expect("links can be made");
    let pipe = folder("pipe");
    let made = Command::new("mkfifo").arg(pipe.join("prologin.h")).status().expect("every system has it");
    assert!(made.success());
    for (name, why) in [("link", "the link `prologin.h` leads"), ("pipe", "`prologin.h` is neither a file")] {
        let output = build(name);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(why), "{name}: {said}");
    }
    // What is hidden counts like every other file.
    folder("hidden");
    place.write("hidden", &[("prologin.h", "#include \".h\"\n")]);
    let marked = |name: &str| {
        let output = build(name);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let library = fs::read(String::from_utf8_lossy(&output.stdout).trim()).expect("it was printed");
        library.windows(MARK.len()).any(|bytes| bytes == MARK)
    };
    place.write("hidden", &[(".h", &poison)]);
    assert!(marked("hidden"));
    place.write("hidden", &[(".h", "#include <api.h>\n")]);
    assert!(!marked("hidden"));
    folder("honest");
    assert!(!marked("honest"));
}

#[test]
fn a_crash_is_named_and_its_fields_keep_scoring() {
    if !have(&["gcc"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("9", [&fixture("crash"), "@random"]);
    let (kind, text) = fault(&result);
    assert_eq!(kind, "crashed");
    assert!(text.contains("SIGSEGV"), "{text}");
    assert_eq!(result["seats"][0]["fault"]["ply"], 5);
    // There are three captures, and a field of area 2 in each of nine turns.
    assert_eq!(result["seats"][0]["score"], 30 + 9 * 4);
    let orders = place.orders();
    assert_eq!((orders[0].len(), orders.iter().step_by(2).skip(2).flatten().count()), (8, 0));
    assert!(result["seats"][1]["fault"].is_null());
}

#[test]
fn a_champion_that_does_not_come_back_is_late() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let result = place.play_in("greeting=60s,move=1500ms,policy=wall", "4", [&fixture("hang"), "@random"]);
    assert_eq!((fault(&result).0, &result["seats"][0]["fault"]["ply"]), ("late", &3.into()));
    assert_eq!(result["seats"][0]["score"], 10);
}

#[test]
fn an_exception_of_cpp_ends_the_process_and_is_named() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("throw"), "@random"]);
    assert_eq!(fault(&result).0, "crashed");
    assert!(fault(&result).1.contains("SIGABRT"));
    let said = result["seats"][0]["fault"]["stderr"].as_str().unwrap_or_default();
    assert!(said.contains("std::out_of_range") && said.contains("does not play"), "{said}");
    assert_eq!(result["seats"][0]["score"], 10);
}

#[test]
fn a_champions_output_is_its_log() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("print"), "@random"]);
    assert!(fault(&result).1.contains("SIGABRT"));
    assert_eq!(result["seats"][0]["fault"]["ply"], 3);
    assert_eq!(place.said(1, "out"), "ready\nmove 0 1\nend\n");
    let log = place.said(1, "err");
    assert!(log.starts_with("ready\nend\ncapture\n") && log.contains("move 3 3\n"), "{log}");
    assert!(log.ends_with("{ extr1={ x=1, y=2 }, extr2={ x=3, y=-4 }, joueur_l=1 }\nAUCUN_PORTAIL\n"), "{log}");
}

#[test]
fn actions_before_the_first_turn_and_after_the_last_are_refused() {
    if !have(&["gcc"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("early"), "@random"]);
    assert_eq!(fault(&result).0, "none");
    assert_eq!(place.said(1, "out"), "ready\nmove 0 1\nend\nmove 0 2\nend\nmove 0 3\nend\nmove 0 4\nend\n");
    assert_eq!(place.said(1, "err"), "round 5, row 4\n");
}

#[test]
#[cfg(target_os = "linux")]
fn sources_cannot_include_what_is_not_the_champions() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let secret = place.0.join("secret.txt");
    place.write("", &[("secret.txt", "the marker of a secret\n")]);
    let source = format!("#include \"prologin.hh\"\n#include \"{}\"\n", secret.display());
    place.write("nosy", &[("prologin.cc", &source)]);
    let output = place.run(&["champion", "build", "nosy"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("does not compile"), "{said}");
    assert!(!said.contains("the marker of"), "{said}");
}
