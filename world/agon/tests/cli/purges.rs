//! Tests `agon tournament workers`: what the machines have played, and a worker that nobody trusts any more.

use crate::{
    agon::Place,
    many_machines::{Server, alone, cup, export, leaves, worker},
    schemas::assert_valid,
};
use std::process::{Command, Stdio};

/// Plays a tournament on a worker `lab`, led by this machine.
fn played_by_lab(text: &str) -> Place {
    let place = Place::new();
    place.write("cup.toml", text);
    let server = Server::start(&place, "0", &["--cores", "0"]);
    let lab = worker(&place, &server.port, "lab");
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    assert_eq!(leaves(lab), 0);
    place
}

const PURGE: [&str; 7] = ["tournament", "workers", "cup.toml", "purge", "lab", "--why", "it \u{1b}[31mlies"];

#[test]
fn a_worker_is_put_aside_and_its_matches_are_played_again() {
    let text = cup(2);
    let place = played_by_lab(&text);
    let before = place.json(&["tournament", "export", "cup.toml"]);
    let matches = before["matches"].as_array().expect("a list");
    assert!(matches.iter().all(|row| row["worker"] == "lab") && matches.len() == 12, "{before:#}");
    assert_valid(&place, "tournament-export", &before);

    let preview = place.run(&PURGE);
    assert_eq!(preview.code, 0, "{preview:?}");
    assert!(
        preview.out.starts_with("12 results of `lab` are void, and their matches are played again\n"),
        "{preview:?}"
    );
    assert!(preview.out.contains("results lost") && preview.err.contains("`--yes` does it"), "{preview:?}");
    assert_eq!(place.json(&["tournament", "export", "cup.toml"]), before, "nothing has changed");
    let purge = place.json(&[&PURGE[..], &["--format", "json"]].concat());
    assert_valid(&place, "tournament-purge", &purge);
    assert_eq!((&purge["done"], purge["results"].as_array().map(Vec::len)), (&false.into(), Some(12)));
    place.fails(
        1,
        &["tournament", "workers", "cup.toml", "purge", "nobody", "--why", "x"],
        &["no worker `nobody`", "`lab`"],
    );
    place.fails(2, &PURGE[..5], &["--why"]);
    place.fails(1, &["tournament", "workers", "cup.toml", "readmit", "lab", "--why", "x"], &["is not put aside"]);

    let yes = [&PURGE[..], &["--yes"]].concat();
    let done = place.run(&yes);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("`agon tournament run cup.toml` plays its matches again"), "{done:?}");
    let status = place.run(&["tournament", "status", "cup.toml"]).out;
    assert!(status.starts_with("0 of 12 matches finished, 12 drawn and waiting\n"), "{status}");
    assert!(status.contains("  worker lab was put aside: it \\x1b[31mlies\n"), "{status:?}");
    assert_valid(&place, "tournament-status", &place.json(&["tournament", "status", "cup.toml", "--format", "json"]));

    let server = Server::start(&place, "0", &["--cores", "0"]);
    let url = format!("http://127.0.0.1:{}", server.port);
    let mut lab: Command =
        place.command(&["worker", &url, "--key", "cup.key", "--pin", "off", "--once", "--name", "lab"]);
    let refused =
        lab.env("XDG_CACHE_HOME", place.path("cache-lab")).stdin(Stdio::null()).output().expect("it can be started");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("put this worker aside") && said.contains("readmit"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    // It has the store by then.
    let busy = place.run(&yes);
    assert_eq!((busy.code, busy.err.contains("is in use by process")), (1, true), "{busy:?}");
    let ben = worker(&place, &server.port, "ben");
    let (code, told) = server.end();
    assert_eq!(code, 0, "{told}");
    assert_eq!(leaves(ben), 0);

    let mut now = export(&place);
    assert_eq!(now["earlier"].as_array().map(Vec::len), Some(12));
    assert_eq!(now["decisions"][0]["decision"], "put_aside");
    let fair = alone(&text);
    for key in ["earlier", "decisions"] {
        now[key] = fair[key].clone();
    }
    assert_eq!(now, fair, "what counts is what one machine would have played");
    let workers = place.run(&["tournament", "workers", "cup.toml"]);
    assert_eq!(workers.code, 0, "{workers:?}");
    assert!(workers.out.contains("lab is put aside: it \\x1b[31mlies\n"), "{workers:?}");
    let workers = place.json(&["tournament", "workers", "cup.toml", "--format", "json"]);
    assert_valid(&place, "tournament-workers", &workers);
    let counts = workers["workers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["name"].as_str(), one["matches"].as_u64()));
    let counts: Vec<_> = counts.filter(|(name, _)| ["lab", "ben"].map(Some).contains(name)).collect();
    assert_eq!(counts, [(Some("lab"), Some(0)), (Some("ben"), Some(12))]);

    let report = place.run(&["tournament", "report", "cup.toml"]);
    assert!(
        report.code == 0 && report.out.contains("Machines") && report.out.contains("put aside: it \\x1b"),
        "{report:?}"
    );
    let report = place.json(&["tournament", "report", "cup.toml", "--format", "json"]);
    assert_valid(&place, "tournament-report", &report);
    assert_eq!(place.run(&["tournament", "report", "cup.toml", "--html", "cup.html"]).code, 0);
    let page = place.read("cup.html");
    assert!(page.contains("id=\"machines\"") && page.contains("ben") && !page.contains('\u{1b}'), "{page}");
    let csv = place.run(&["tournament", "export", "cup.toml", "--format", "csv"]).out;
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",ben")), "{csv}");
    let replayed = place.run(&["tournament", "replay", "cup.toml", "1"]);
    assert!(replayed.out.contains(", played on ben\n"), "{replayed:?}");
    assert_valid(
        &place,
        "tournament-replay",
        &place.json(&["tournament", "replay", "cup.toml", "1", "--format", "json"]),
    );

    let back = place.run(&["tournament", "workers", "cup.toml", "readmit", "lab", "--why", "it is mended"]);
    assert_eq!(back.code, 0, "{back:?}");
    let status = place.run(&["tournament", "status", "cup.toml"]).out;
    assert!(status.contains("  worker lab was taken back: it is mended\n"), "{status}");
    let verified = place.run(&["tournament", "verify", "cup.toml"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn machines_that_are_alike_play_together() {
    let text = cup(1).replacen("rounds", "machines = \"alike\"\nrounds", 1);
    let place = played_by_lab(&text);
    let done = place.run(&["tournament", "check", "cup.toml"]);
    assert!(done.code == 0 && done.out.contains("only machines with one processor play"), "{done:?}");
    place.write("wrong.toml", text.replace("alike", "same"));
    place.fails(1, &["tournament", "check", "wrong.toml"], &["alike"]);
}
