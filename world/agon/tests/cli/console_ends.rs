//! Tests how a console ends: what its transcript has then, and what is kept.

use crate::{
    agon::Place,
    consoles::{Talk, run},
    terminal::on_terminal,
};
use serde_json::Value;

/// Returns what a transcript has of a stream of seat 2.
fn of_seat_2(transcript: &str, stream: &str) -> String {
    let lines = transcript.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let of = lines.filter(|line| line["stream"] == stream && line["seat"] == 2);
    of.filter_map(|line| line["bytes"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_transcript_has_what_went_both_ways() {
    let place = Place::new();
    place.write(
        "bot.py",
        "import sys\nprint('thinking', file=sys.stderr)\nsys.stderr.flush()\nfor line in sys.stdin: print('= ok\\n')\n",
    );
    let args = [
        "console",
        "triangles",
        "human",
        "python3 bot.py",
        "--terminal",
        "--seed",
        "1",
        "--sandbox",
        "none",
        "--transcript",
        "talk.jsonl",
    ];
    let done = run(&place, &args, "raw 2 hello there\nsave replay s.jsonl\n");
    assert_eq!(done.code, 0, "{done:?}");
    let talk = place.read("talk.jsonl");
    let of = |stream| of_seat_2(&talk, stream);
    assert!(of("in").contains("hello there\n"), "{talk}");
    assert!(of("out").contains("= ok\n"), "{talk}");
    assert_eq!(of("err"), "thinking\n");
    let page = place.run(&["replay", "html", "s.jsonl", "--transcript", "talk.jsonl", "-o", "s.html"]);
    assert_eq!(page.code, 0, "{page:?}");
    let refused = run(&place, &[&args[..10], &["bot.py"]].concat(), "");
    assert!(refused.code != 0 && refused.err.contains("bot.py"), "{refused:?}");
}

#[test]
fn a_transcript_has_what_a_bot_writes_at_the_end_of_its_input() {
    let place = Place::new();
    // All of it fits into the pipe, so the process has ended before it is read.
    place.write("bot.sh", "cat > /dev/null\nhead -c 60000 /dev/zero | tr '\\0' x\n");
    let args = ["console", "triangles", "human", "sh bot.sh", "--terminal", "--seed", "1", "--sandbox", "none"];
    let done =
        run(&place, &[&args[..], &["--keep-going", "--transcript", "talk.jsonl"]].concat(), "raw 2 name --wait 1ms\n");
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(of_seat_2(&place.read("talk.jsonl"), "out").len(), 60_000);
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_hides_no_error_of_the_transcript() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    let bot = "agon bot triangles random";
    let args = ["console", "triangles", "human", bot, "--terminal", "--format", "json", "--sandbox", "none"];
    let mut command = place.command(&[&args[..], &["--transcript", "/dev/full"]].concat());
    let mut talk = Talk::start(command.stderr(std::process::Stdio::piped()));
    talk.say("raw 2 name");
    kill_process(Pid::from_child(&talk.child), Signal::TERM).expect("it lives");
    let mut said = String::new();
    let mut stderr = talk.child.stderr.take().expect("a pipe");
    std::io::Read::read_to_string(&mut stderr, &mut said).expect("text");
    assert_eq!(talk.end(), 130, "{said}");
    assert!(said.contains("cannot write the transcript `/dev/full`") && said.contains("interrupted"), "{said}");
}

#[test]
fn turns_at_a_prompt_are_kept() {
    let place = Place::new();
    let args = ["console", "triangles", "human", "@greedy", "--terminal", "--seed", "1", "--sandbox", "none"];
    let ends = [("\\x03", 130), ("\\x04", 0), ("quit\\r", 0), ("SIGTERM", 130), ("SIGINT", 130)];
    for (number, (end, code)) in ends.into_iter().enumerate() {
        let steps = ["console> ", "play 1 [1,2]\\r", "seat 2 decides", "", "console> ", end];
        if on_terminal(&place, &args, &steps, code).is_none() {
            return;
        }
        let name = format!("triangles-console-{}.jsonl", number + 1);
        assert_eq!(place.json(&["replay", "verify", &name, "--format", "json"])["plies"], 1, "{end}");
    }
}
