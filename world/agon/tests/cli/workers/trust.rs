//! What a server cannot make a worker do, and why a worker leaves one.

use super::{
    BUILTIN, ended, files, place,
    server::{Fault, Server, hash_of},
    worker,
};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

#[test]
fn a_server_makes_no_sandbox_weaker() {
    let place = place();
    let file = |keys: &str, of_bot: &str| {
        let bots = "[[bot]]\nname = \"b\"\nrun = \"@greedy\"\n[[bot]]\nname = \"a\"\nrun = \"agon bot grid random\"\n";
        format!("game = \"grid\"\nlimit = 20\n{keys}\n{bots}{of_bot}\n")
    };
    let secret = place.path("cup.key").display().to_string();
    let of_key = file("", "").replace("agon bot grid random", &format!("cat {secret}"));
    for (file, said) in [
        (file("sandbox = \"none\"", ""), &["`sandbox = \"none\"`", "--sandbox none"][..]),
        (file("", &format!("read = [\"{secret}\"]")), &["its bot `a` is to read", "cup.key"]),
        (file("maps = [\"/etc/*.txt\"]", ""), &["its map `/etc/*.txt`"]),
        (of_key, &["its bot `a` names", "cup.key"]),
    ] {
        let server = Server::start(&file, &["b", "a"], 2);
        let done = place.run(&["worker", &server.address, "--key", "cup.key", "--pin", "off", "--once"]);
        let why = "the server asks for more than this worker allows";
        assert!(done.code == 1 && said.iter().chain([&why]).all(|said| done.err.contains(said)), "{file}: {done:?}");
        let state = server.state();
        assert!(state.ready.is_none() && state.results.is_empty(), "{:?}", state.requests);
    }
}

#[test]
fn names_of_maps_lead_nowhere() {
    for name in ["../../escaped.txt", "/tmp/agon-escaped.txt"] {
        let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 2));
        {
            let mut state = server.state();
            state.field.maps[0] = agon_spec::WorkerFieldMap { name: name.to_owned(), blob: Some(hash_of(b"map")) };
            state.blobs.insert(hash_of(b"map"), b"map".to_vec());
        }
        let output = worker(&place, &server, &["--once"]).output().expect("agon can be started");
        let (code, _, err) = ended(output);
        assert!(code == 1 && err.contains("the map") && err.contains("cannot be written"), "{err}");
        assert_eq!(files(&place.path("cache"), "txt"), 0);
        assert!(!Path::new("/tmp/agon-escaped.txt").exists());
    }
}

#[test]
fn a_wrong_key_and_another_server_end_the_worker_with_the_reason() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 4));
    let run = |words: &[&str]| place.run(&[&["worker"], words].concat());
    let refused = |words: &[&str], code: i32, said: &str| {
        let done = run(words);
        assert!(done.code == code && done.err.contains(said), "{words:?}: {done:?}");
    };
    place.write("other.key", "ffffffffffffffffffffffff\n");
    refused(&[&server.address, "--key", "other.key"], 1, "chmod 600");
    fs::set_permissions(place.path("other.key"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    refused(&[&server.address, "--key", "other.key"], 1, "refuses the key");
    refused(&[&server.address], 2, "--key FILE");
    refused(&["arena", "--key", "cup.key"], 2, "http://");
    refused(&["http://me:secret@arena", "--key", "cup.key"], 2, "--key");
    refused(&[&format!("{}/elsewhere", server.address), "--key", "cup.key"], 1, "leads no tournament");
    server.script(|name, _| (name == "register").then_some(Fault::Huge));
    refused(&[&server.address, "--key", "cup.key"], 1, "larger than");
}
