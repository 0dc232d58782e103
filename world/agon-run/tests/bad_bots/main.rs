//! What must happen for each kind of misbehaving bot: the fault, the opponent's result, a bound on the time, and that
//! no process of the bot is left.

mod clocks;
mod hall;

use agon_core::{Ending, Seat};
use agon_referee::{Exit, Fault, MatchEvent, SeatKind, Settings, open};
use agon_run::{CancelFlag, Ended, Environment, Launch, Options, Program, StartFault, Stream, cores, play};
use agon_toy::Position as Toy;
use hall::{Hall, bot, machine, spec};
use std::{
    os::unix::fs::PermissionsExt,
    sync::mpsc,
    time::{Duration, Instant},
};

/// The clock of these tests, and how long a whole match may take on a loaded machine.
const CLOCK: &str = "greeting=300ms,move=300ms";
const SLACK: Duration = Duration::from_secs(8);

/// Plays a bot with this mode in seat 1 against an honest one, and asserts the places and the fault.
fn expect(mode: &str, places: [u8; 2], fault: impl Fn(Option<&Fault>) -> bool) {
    let hall = Hall::play(mode, CLOCK);
    let seen = hall.outcome.seats[0].fault.as_ref().map(|record| &record.fault);
    assert!(fault(seen), "{mode}: {seen:?}");
    assert_eq!(hall.outcome.ended, Ended::Finished, "{mode}");
    assert_eq!(hall.outcome.standing.places, places, "{mode}: {seen:?}");
    assert_eq!(hall.outcome.seats[1].fault, None, "{mode}: the opponent did nothing wrong");
    assert!(hall.outcome.wall < SLACK, "{mode} took {:?}", hall.outcome.wall);
    hall.assert_nobody_is_left();
}

const LOST: [u8; 2] = [2, 1];
/// The places if both bots take one stone per turn from a heap of 30: seat 2 takes the last one.
const PLAYED: [u8; 2] = [2, 1];

#[test]
fn silent_bots_are_late() {
    for mode in ["mute", "never-answers", "greets-only", "stops-itself"] {
        expect(mode, LOST, |fault| {
            matches!(fault, Some(Fault::Late { limit_us: 300_000, heard: 0, unread: false, .. }))
        });
    }
}

#[test]
fn a_dripping_bot_is_late_with_what_was_heard() {
    expect("drips", LOST, |fault| matches!(fault, Some(Fault::Late { heard, .. }) if *heard > 0));
}

#[test]
fn floods_and_endless_lines_end_at_once() {
    expect("endless-line", LOST, |fault| matches!(fault, Some(Fault::LongLine { limit: 16 })));
    // Answers in advance are lawful as long as they fit into the inbox: only a long match shows a flood.
    let mut long = spec(CLOCK);
    long.map = "heap 1000000\nmost 3\n".into();
    long.limits.inbox = 70_000;
    let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, "floods-stdout", marker]), &long);
    let fault = hall.outcome.seats[0].fault.as_ref().map(|record| &record.fault);
    assert_eq!((fault, &hall.outcome.standing.places[..]), (Some(&Fault::Flood { limit: 70_000 }), &LOST[..]));
    hall.assert_nobody_is_left();
}

#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_takes_more_memory_than_allowed_is_out() {
    let mut tight = spec("greeting=20s,move=20s");
    tight.limits.memory_mib = Some(64);
    let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, "eats-memory", marker]), &tight);
    let fault = hall.outcome.seats[0].fault.as_ref().map(|record| &record.fault);
    assert_eq!(
        (fault, &hall.outcome.standing.places[..]),
        (Some(&Fault::OutOfMemory { limit_mib: 64, used_mib: None }), &LOST[..])
    );
    hall.assert_nobody_is_left();
    tight.limits.memory_mib = Some(4096);
    let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, "honest", marker]), &tight);
    assert_eq!(hall.outcome.seats[0].fault, None);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_also_counts_after_the_first_thread_has_ended() {
    let mut tight = spec("greeting=20s,move=20s");
    tight.limits.memory_mib = Some(64);
    let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, "eats-memory-headless", marker]), &tight);
    let fault = hall.outcome.seats[0].fault.as_ref().map(|record| &record.fault);
    assert_eq!(
        (fault, &hall.outcome.standing.places[..]),
        (Some(&Fault::OutOfMemory { limit_mib: 64, used_mib: None }), &LOST[..])
    );
    hall.assert_nobody_is_left();
}

#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_gives_up_for_lack_of_memory_is_told_so_as_far_as_it_is_sure() {
    let end = |mode: &str| {
        let mut tight = spec("greeting=20s,move=20s");
        tight.seats[0].memory_mib = Some(64);
        let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, mode, marker]), &tight);
        hall.assert_nobody_is_left();
        hall.outcome.seats[0].fault.clone().map(|record| record.fault)
    };
    let fault = end("gives-up-memory");
    assert!(matches!(fault, Some(Fault::OutOfMemory { limit_mib: 64, used_mib: Some(48..=64) })), "{fault:?}");
    let fault = end("says-memory");
    assert!(matches!(fault, Some(Fault::Crashed { memory_mib: Some(0..=16), .. })), "{fault:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn whatever_stdout_says_is_an_answer_at_once() {
    let end = |mode: &str| {
        let mut tight = spec("greeting=20s,move=20s");
        tight.seats[0].memory_mib = Some(64);
        let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, mode, marker]), &tight);
        hall.assert_nobody_is_left();
        let seat = &hall.outcome.seats[0];
        assert!(seat.peak_mib.is_some_and(|peak| (48..=64).contains(&peak)), "{:?}", seat.peak_mib);
        seat.fault.clone().map(|record| record.fault)
    };
    // The first goes on, the second ends in the way in which Java ends.
    for (mode, said) in [("does-not-give-up", "MemoryError"), ("gives-up-memory-on-stdout", "#")] {
        let fault = end(mode);
        assert!(matches!(&fault, Some(Fault::Nonsense { line, .. }) if line == said), "{mode}: {fault:?}");
    }
}

#[test]
fn a_stderr_flood_disturbs_nobody_and_is_bounded() {
    let hall = Hall::play("floods-stderr", CLOCK);
    let seat = &hall.outcome.seats[0];
    assert_eq!((hall.outcome.ended.clone(), &seat.fault), (Ended::Finished, &None));
    assert!(seat.stderr.head().len() + seat.stderr.tail().len() <= 64 << 10);
    assert!(seat.stderr.total() > 64 << 10);
    hall.assert_nobody_is_left();
}

#[test]
fn bots_that_do_not_end_are_killed_without_a_fault() {
    for mode in ["lingers", "spins", "leaves-its-group"] {
        expect(mode, PLAYED, |fault| fault.is_none());
    }
}

#[test]
fn a_bot_that_ignores_every_polite_signal_is_killed() {
    let script = format!("trap '' TERM HUP INT QUIT PIPE; exec '{}' lingers \"$0\"", hall::BADBOT);
    let hall = Hall::play_program(|marker| Program::new(["sh", "-c", &script, marker]), CLOCK);
    assert_eq!((hall.outcome.ended.clone(), &hall.outcome.seats[0].fault), (Ended::Finished, &None));
    hall.assert_nobody_is_left();
}

#[test]
fn a_bot_that_never_reads_is_late_when_its_pipe_is_full() {
    let mut long = spec(CLOCK);
    long.map = "heap 1000000\nmost 3\n".into();
    let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, "never-reads", marker]), &long);
    let fault = hall.outcome.seats[0].fault.as_ref().unwrap();
    assert!(fault.ply > 4096, "what fits into a pipe counts as read: {fault}");
    assert!(matches!(fault.fault, Fault::Late { unread: true, .. }), "{fault}");
    hall.assert_nobody_is_left();
}

#[test]
fn a_bot_that_throws_input_away_is_asked_when_it_has_read_the_verdict() {
    let mut confirmed = spec("move=5s,greeting=5s");
    confirmed.seats[0].dialect = vec![("confirm".into(), "yes".into())];
    let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, "throws-input-away", marker]), &confirmed);
    assert_eq!((&hall.outcome.ended, &hall.outcome.seats[0].fault), (&Ended::Finished, &None));
    assert_eq!(hall.outcome.plies, 30);
}

#[test]
fn bots_play_frozen_on_one_core_and_beside_built_in_ones() {
    let marker = hall::marker();
    let cancel = CancelFlag::new().unwrap();
    let kinds = [SeatKind::Process, SeatKind::Builtin("finisher")];
    let settings = Settings { freeze: true, ..Settings::default() };
    let mut machine = open::<Toy>(&spec(CLOCK), &kinds, settings).unwrap();
    let before = cores();
    let options = Options { cores: before.first().copied().into_iter().collect(), ..Options::default() };
    let launches = [bot("honest", &marker), Launch::Builtin];
    let outcome = play(&mut machine, &launches, &mut |_| {}, &cancel, options).unwrap();
    assert_eq!((outcome.ended, outcome.standing.places), (Ended::Finished, vec![2, 1]));
    assert!(outcome.seats.iter().all(|seat| seat.fault.is_none()));
    assert_eq!(outcome.seats[0].exit, Some(Exit::Code(0)), "it was thawed to end");
    assert_eq!(cores(), before, "the thread is free again");
    hall::assert_nobody_is_left(&marker);
}

#[test]
fn a_panic_in_the_middle_leaves_nobody_behind() {
    let marker = hall::marker();
    let cancel = CancelFlag::new().unwrap();
    let launches = [bot("lingers", &marker), bot("lingers", &marker)];
    let broken = std::panic::catch_unwind(|| {
        let mut observer = |event: &MatchEvent| assert!(!matches!(event, MatchEvent::Ply(_)), "a bug in a display");
        play(&mut *machine(&spec(CLOCK)), &launches, &mut observer, &cancel, Options::default())
    });
    assert!(broken.is_err());
    hall::assert_nobody_is_left(&marker);
}

#[test]
fn surplus_answers_are_the_next_ones() {
    expect("twice", PLAYED, |fault| fault.is_none());
    expect("answers-ahead", PLAYED, |fault| fault.is_none());
}

#[test]
fn deaths_are_told_apart() {
    let crashed = |expected: Exit| move |fault: Option<&Fault>| matches!(fault, Some(Fault::Crashed { exit, .. }) if *exit == expected);
    expect("dies-mid-line", LOST, crashed(Exit::Code(0)));
    expect("exits-at-once", LOST, crashed(Exit::Code(7)));
    expect("aborts", LOST, crashed(Exit::Signal("SIGABRT".into())));
    expect("segfaults", LOST, crashed(Exit::Signal("SIGSEGV".into())));
    expect("exits-3", LOST, |fault| match fault {
        Some(Fault::Crashed { exit: Exit::Code(3), stderr, memory_mib: None }) => stderr == "first line\nI give up",
        _ => false,
    });
}

#[test]
fn a_child_that_keeps_the_pipes_keeps_nobody_waiting() {
    for mode in ["forks", "leaves-a-mutterer"] {
        expect(mode, LOST, |fault| matches!(fault, Some(Fault::Crashed { exit: Exit::Code(0), .. })));
    }
}

#[test]
fn closed_pipes_are_told_apart() {
    expect("closes-stdout", LOST, |fault| fault == Some(&Fault::ClosedOutput));
    expect("closes-stdin", LOST, |fault| fault == Some(&Fault::ClosedInput));
}

#[test]
fn words_of_a_bot_are_quoted() {
    expect("nonsense", LOST, |fault| matches!(fault, Some(Fault::Nonsense { line, .. }) if line == "\u{1b}[2Jhello"));
    expect("unlawful", LOST, |fault| matches!(fault, Some(Fault::Unlawful { index: 0, .. })));
}

#[test]
fn a_bot_that_reads_on_after_its_fault_keeps_nobody_busy() {
    let mut confirmed = spec(CLOCK);
    confirmed.seats[0].dialect = vec![("confirm".into(), "yes".into())];
    let hall = Hall::play_spec(|marker| Program::new([hall::BADBOT, "unlawful", marker]), &confirmed);
    assert_eq!((hall.outcome.ended.clone(), &hall.outcome.standing.places[..]), (Ended::Finished, &LOST[..]));
    assert!(hall.outcome.wall < SLACK);
    hall.assert_nobody_is_left();
}

#[test]
fn without_a_limit_a_dead_bot_still_ends_the_match() {
    for mode in ["exits-3", "forks", "closes-stdout", "closes-stdin"] {
        let hall = Hall::play(mode, "off");
        assert_eq!(hall.outcome.standing.places, LOST, "{mode}");
        hall.assert_nobody_is_left();
    }
}

#[test]
fn programs_that_cannot_be_started_are_no_result_and_the_reason_is_told() {
    let folder = std::env::temp_dir().join(format!("agon-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.into_os_string()
    };
    let plain = file("plain", "#!/bin/sh\n", 0o644);
    let orphan = file("orphan", "#!/no/such/interpreter\n", 0o755);
    let garbage = file("garbage", "\u{1}\u{2}\u{3}", 0o755);
    let cases = [
        (Program::new(["agon-no-such-program"]), "search path"),
        (Program::new([folder.join("missing")]), "there is no file"),
        (Program::new([plain]), "not executable"),
        (Program::new([orphan]), "interpreter"),
        (Program::new([garbage]), "neither a program"),
        (Program::new([&folder]), "is a folder"),
        (Program::new(Vec::<String>::new()), "empty"),
        (Program { dir: Some(folder.join("gone")), ..Program::new(["sh"]) }, "working directory"),
    ];
    for (program, reason) in cases {
        let hall = Hall::play_program(|_| program.clone(), CLOCK);
        match &hall.outcome.ended {
            Ended::NeverStarted(seats) => {
                assert_eq!((seats.len(), seats[0].0), (1, Seat::new(0)));
                assert!(seats[0].1.to_string().contains(reason), "{reason}: {}", seats[0].1);
                assert_eq!(seats[0].1.fault(), StartFault::Bot, "{reason}");
            }
            other => panic!("{reason}: {other:?}"),
        }
        assert_eq!(hall.outcome.standing.ending, Ending::Unfinished);
        assert!(!hall.events.iter().any(|event| matches!(event, MatchEvent::Finished { .. })));
        hall.assert_nobody_is_left();
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_bot_runs_where_and_with_what_it_was_told() {
    let folder = std::env::temp_dir().canonicalize().unwrap();
    let program = |marker: &str| Program {
        dir: Some(folder.clone()),
        environment: Environment::Only(vec![("COLOUR".into(), "blue".into())]),
        ..Program::new([hall::BADBOT, "shows-surroundings", marker])
    };
    let hall = Hall::play_program(program, CLOCK);
    let expected = format!("{} [COLOUR=blue]", folder.display());
    assert_eq!(hall.outcome.seats[0].stderr.text().trim_end(), expected);
    assert_eq!(hall.outcome.seats[0].exit, Some(Exit::Code(0)), "it ended by itself");
}

#[test]
fn an_interrupt_ends_a_match_at_once_and_kills_everybody() {
    for mode in ["greets-only", "mutters"] {
        interrupt(mode);
    }
}

/// Interrupts a match while a bot with this mode is being asked.
fn interrupt(mode: &'static str) {
    let cancel = CancelFlag::new().unwrap();
    let (sender, receiver) = mpsc::channel();
    let remote = cancel.clone();
    let thread = std::thread::spawn(move || {
        let marker = hall::marker();
        let launches = [bot(mode, &marker), bot("honest", &marker)];
        let mut machine = machine(&spec("off"));
        let mut observer = |event: &MatchEvent| {
            // After both have answered the greeting, seat 1 is asked.
            if matches!(event, MatchEvent::Greeted { .. }) {
                sender.send(()).unwrap();
            }
        };
        let outcome = play(&mut *machine, &launches, &mut observer, &remote, Options::default()).unwrap();
        (outcome, marker)
    });
    receiver.recv().unwrap();
    receiver.recv().unwrap();
    let asked = Instant::now();
    cancel.cancel();
    let (outcome, marker) = thread.join().unwrap();
    assert!(asked.elapsed() < SLACK);
    assert_eq!(outcome.ended, Ended::Interrupted, "{mode}");
    hall::assert_nobody_is_left(&marker);
}

#[test]
fn a_transcript_has_every_byte_of_every_stream() {
    let marker = hall::marker();
    let launches = [bot("honest", &marker), bot("exits-3", &marker)];
    let mut streams: [[String; 3]; 2] = Default::default();
    let mut last = Duration::ZERO;
    let mut transcript = |chunk: agon_run::Chunk<'_>| {
        assert!(chunk.at >= last);
        last = chunk.at;
        let stream = match chunk.stream {
            Stream::In => 0,
            Stream::Out => 1,
            Stream::Err => 2,
        };
        streams[chunk.seat.index()][stream].push_str(std::str::from_utf8(chunk.bytes).unwrap());
    };
    let options = Options { transcript: Some(&mut transcript), ..Options::default() };
    let cancel = CancelFlag::new().unwrap();
    play(&mut *machine(&spec(CLOCK)), &launches, &mut |_| {}, &cancel, options).unwrap();
    let honest = ["toy wins\nheap 30 3\nend\n", "ok\ntake 1\n", ""];
    assert_eq!(streams[0], honest);
    assert_eq!(streams[1], ["toy wins\nheap 29 3\n", "ok\n", "first line\nI give up\n"]);
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let cancel = CancelFlag::new().unwrap();
    for launches in [vec![Launch::Builtin], vec![Launch::Builtin, Launch::Builtin]] {
        let error = play(&mut *machine(&spec(CLOCK)), &launches, &mut |_| {}, &cancel, Options::default());
        assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    }
}
