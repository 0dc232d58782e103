//! Champions in OCaml.

use super::place::{Place, against_random, fixture, fixtures, have, kit};
use std::{fs, path::Path, process::Command};

#[test]
fn a_champion_in_ocaml_plays_like_the_kits() {
    if !have(&["gcc", "g++", "ocamlopt"]) {
        return;
    }
    let (result, orders) = against_random(&fixture("ocaml"));
    assert_eq!(result["seats"][0]["kind"], "champion");
    assert_eq!(orders, against_random(&format!("champion:{}", kit("c").display())).1);
}

/// No makefile gives the order, and that of the alphabet is wrong.
#[test]
fn modules_of_ocaml_are_compiled_in_the_order_of_their_needs() {
    if !have(&["gcc", "g++", "ocamlopt"]) {
        return;
    }
    let place = Place::new();
    let folder = place.0.join("mine");
    fs::create_dir(&folder).expect("the folder for tests can be written to");
    for entry in fs::read_dir(fixtures().join("ocaml")).expect("it is there").flatten() {
        if entry.file_name() != "Makefile" {
            fs::copy(entry.path(), folder.join(entry.file_name())).expect("it can be copied");
        }
    }
    let text = fs::read_to_string(folder.join("prologin.ml")).expect("it is there");
    place.write(
        "mine",
        &[
            ("aaa.ml", "let two = Last.one + 1\n"),
            ("last.ml", "let one = 1\n"),
            ("last.mli", "val one : int\n"),
            // Nobody names it.
            ("zzz.ml", "let () = prerr_endline (\"it acts \" ^ string_of_int Aaa.two)\n"),
            ("prologin.ml", &format!("{text}\nlet _ = Aaa.two\n")),
        ],
    );
    let played = place.play("4", ["champion:mine", "@random"]);
    assert!(played["seats"][0]["fault"].is_null(), "{played:#}");
    assert!(place.said(1, "err").contains("it acts 2\n"));
    place.write("mine", &[("last.ml", "let one = Aaa.two\n")]);
    let output = place.run(&["champion", "build", "mine"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.to_lowercase().contains("cycl"), "{said}");
}

/// Without the compiler, or without the glue of the contest, the message says where to get it.
#[test]
fn parts_that_a_champion_in_ocaml_lacks_are_named() {
    let place = Place::new();
    place.write("bare", &[("prologin.ml", "let () = ()\n")]);
    let build = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(["champion", "build"]).arg(folder).env("XDG_CACHE_HOME", place.0.join("cache"));
        let output = command.env("PATH", &place.0).output().expect("agon can be started");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(build(&place.0.join("bare")).contains("has no `interface.cc`"));
    let said = build(&fixtures().join("ocaml"));
    assert!(said.contains("there is no compiler `ocamlopt`") && said.contains("apt install ocaml-nox"), "{said}");
}
