//! What a server cannot make a worker do, and why a worker leaves one.

use super::{
    BUILTIN, ended, files, place,
    server::{Fault, Server, hash_of},
    worker,
};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

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
