//! The counters of real bots: that they are read, and what follows from them. How long a bot waits for a core depends
//! on the machine, so that no test here sets a bound on that.

use crate::hall::{self, BADBOT, Hall, numbers_of, spec};
use agon_referee::{Fault, Settings};
use agon_run::Program;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// A short match.
fn short(clock: &str) -> agon_spec::MatchSpec {
    let mut spec = spec(clock);
    spec.map = "heap 6\nmost 3\n".into();
    spec
}

#[test]
fn a_quick_answer_is_not_measured() {
    let hall = Hall::play("honest", "move=60s");
    assert!(hall.entries().filter(|entry| entry.wall_us < 20_000).all(|entry| entry.cpu_us.is_none()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_sleeper_has_slept_and_a_worker_has_computed() {
    for (mode, computed) in [("naps", false), ("computes", true)] {
        let hall = Hall::play_spec(|marker| Program::new([BADBOT, mode, marker]), &short("move=60s"));
        assert_eq!(hall.outcome.seats[0].fault, None);
        assert_eq!(hall.entries().count(), 3);
        for entry in hall.entries() {
            let (cpu, time) = (entry.cpu_us.unwrap(), entry.time());
            // The bot computes for 60 ms. On a loaded machine the kernel may not have counted all of them yet.
            assert_eq!(cpu >= 40_000, computed, "{mode}: {time:?}");
            assert!(cpu <= entry.wall_us && time.idle_us().unwrap() <= entry.wall_us, "{mode}: {time:?}");
            assert!(time.busy_us.is_none(), "it has one thread: {time:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_waits_for_its_own_child_is_not_blocked_by_the_system() {
    let hall = Hall::play_spec(|marker| Program::new([BADBOT, "naps-in-a-child", marker]), &short("move=150ms"));
    let fault = &hall.outcome.seats[0].fault.as_ref().expect("it is late").fault;
    let Fault::Late { time: Some(time), .. } = fault else { panic!("{fault}") };
    assert_eq!((time.is_measured(), time.blocked_us), (true, None), "{fault}");
}

#[test]
#[cfg(target_os = "linux")]
fn cpu_time_is_limited_whatever_the_wall_says() {
    for (limit, late) in [("30ms", true), ("10s", false)] {
        let clock = format!("move={limit},policy=cpu");
        let hall = Hall::play_spec(|marker| Program::new([BADBOT, "computes", marker]), &short(&clock));
        let fault = hall.outcome.seats[0].fault.as_ref().map(|record| &record.fault);
        assert_eq!(matches!(fault, Some(Fault::Late { .. })), late, "{limit}: {fault:?}");
        let first = hall.entries().next().unwrap();
        assert!(first.cpu_us.unwrap() >= 30_000, "{first:?}");
    }
    // This bot sleeps instead and needs almost no CPU time.
    let hall = Hall::play_spec(|marker| Program::new([BADBOT, "naps", marker]), &short("move=100ms,policy=cpu"));
    assert_eq!(hall.outcome.seats[0].fault, None, "120 ms of sleep are no CPU time");
}

#[test]
fn the_certificate_of_a_late_bot_is_in_its_fault() {
    let hall =
        Hall::play_spec(|marker| Program::new([BADBOT, "never-answers", marker]), &short("move=60ms,greeting=60ms"));
    let fault = &hall.outcome.seats[0].fault.as_ref().unwrap().fault;
    let Fault::Late { time: Some(time), .. } = fault else { panic!("{fault}") };
    assert!(time.wall_us >= 60_000);
    assert_eq!(time.is_measured(), cfg!(target_os = "linux"), "{fault}");
}

const FROZEN: Settings =
    Settings { recording: agon_referee::Recording::Orders, undo: false, freeze: true, in_turn: false };

#[test]
#[cfg(target_os = "linux")]
fn nobody_computes_while_it_is_stopped() {
    for (mode, in_turn) in [("ponders", true), ("has-a-pondering-child", true), ("ponders", false)] {
        let program = |marker: &str| Program::new([BADBOT, mode, marker]);
        let hall = Hall::play_settings(program, "naps", &short("move=60s"), Settings { in_turn, ..FROZEN });
        assert_eq!(hall.outcome.seats[0].fault, None);
        // A bot that does not share its core is stopped when it was seen, and from then on whenever it has answered.
        let told: Vec<u64> = hall.entries().filter_map(|entry| entry.off_turn_us).collect();
        assert!(told.len() <= usize::from(!in_turn) && told.iter().all(|used| *used > 2_000), "{mode}: {told:?}");
        hall.assert_nobody_is_left();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_computes_although_it_was_frozen_is_told() {
    let (done, marker) = (AtomicBool::new(false), Mutex::new(String::new()));
    let hall = thread::scope(|scope| {
        // This thread lets the frozen bot continue again and again.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let marker = marker.lock().unwrap().clone();
                for process in if marker.is_empty() { Vec::new() } else { numbers_of(&marker) } {
                    let _ = Pid::from_raw(process).map(|process| kill_process(process, Signal::CONT));
                }
                thread::sleep(Duration::from_millis(1));
            }
        });
        let program = |name: &str| {
            name.clone_into(&mut marker.lock().unwrap());
            Program::new([BADBOT, "ponders", name])
        };
        let hall = Hall::play_settings(program, "naps", &short("move=60s"), FROZEN);
        done.store(true, Ordering::Relaxed);
        hall
    });
    assert!(hall.entries().any(|entry| entry.off_turn_us.is_some_and(|used| used > 1000)), "{:?}", hall.events);
    hall::assert_nobody_is_left(&marker.lock().unwrap());
}
