//! A bot of the toy game for every way in which bots misbehave: `agon-badbot MODE [ANYTHING]`.

use std::{
    fs::File,
    io::{BufRead, Read, Write, stdin, stdout},
    os::{
        fd::{AsFd, FromRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Command, Stdio, abort, exit},
    thread::sleep,
    time::Duration,
};

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_default();
    match mode.as_str() {
        // Neither reads nor writes anything.
        "mute" => forever(),
        // Reads everything and never answers.
        "never-answers" => for _ in stdin().lock().lines() {},
        // Answers its greeting and nothing else.
        "greets-only" => turns(|_| {}),
        // Plays, but does not exit at the end of its input.
        "lingers" => {
            turns(|_| say("take 1\n"));
            forever();
        }
        "spins" => {
            turns(|_| say("take 1\n"));
            loop {
                std::hint::spin_loop();
            }
        }
        // Allocates more and more memory, 4 MB at a time.
        "eats-memory" => {
            say("ok\n");
            let mut eaten = Vec::new();
            loop {
                eaten.push(vec![1u8; 4 << 20]);
                std::hint::black_box(&eaten);
                sleep(Duration::from_millis(1));
            }
        }
        // Uses three quarters of its limit for a while, and gives up like Python does.
        "gives-up-memory" => {
            say("ok\n");
            let _eaten = three_quarters();
            eprintln!("MemoryError");
            std::process::exit(1);
        }
        // Does the same like Java's virtual machine, which says so on stdout, and in pieces.
        "gives-up-memory-on-stdout" => {
            say("ok\n");
            let _eaten = three_quarters();
            say("#");
            sleep(Duration::from_millis(2));
            say("\n# There is insufficient memory for the Java Runtime Environment to continue.\n");
            std::process::exit(1);
        }
        // Says so and does not end.
        "does-not-give-up" => {
            say("ok\n");
            let _eaten = three_quarters();
            say("MemoryError\n");
            forever();
        }
        // Only says that it lacks memory.
        "says-memory" => {
            say("ok\n");
            eprintln!("MemoryError");
            std::process::exit(1);
        }
        // Eats in a second thread after the first one has ended.
        #[cfg(target_os = "linux")]
        "eats-memory-headless" => {
            say("ok\n");
            std::thread::spawn(|| {
                let mut eaten = Vec::new();
                loop {
                    eaten.push(vec![1u8; 4 << 20]);
                    std::hint::black_box(&eaten);
                    sleep(Duration::from_millis(1));
                }
            });
            // SAFETY: ends this thread alone. Nothing that the other thread uses is on this stack.
            unsafe { libc::syscall(libc::SYS_exit, 0) };
        }
        // Sleeps before each answer.
        "naps" => turns(|_| {
            sleep(Duration::from_millis(120));
            say("take 1\n");
        }),
        // Sleeps before each answer in a child, for which it waits as after `vfork`.
        #[cfg(target_os = "linux")]
        "naps-in-a-child" => turns(|_| {
            extern "C" fn nap(_: *mut libc::c_void) -> libc::c_int {
                sleep(Duration::from_millis(300));
                0
            }
            let mut stack = vec![0u128; 4096];
            let top = stack.as_mut_ptr_range().end.cast();
            // SAFETY: the child has memory of its own, and a stack in its copy of ours.
            unsafe { libc::clone(nap, top, libc::CLONE_VFORK | libc::SIGCHLD, std::ptr::null_mut()) };
            say("take 1\n");
        }),
        // Computes before each answer.
        "computes" => turns(|_| {
            compute(Duration::from_millis(60));
            say("take 1\n");
        }),
        // Computes all the time, even if it is not its turn.
        "ponders" => {
            std::thread::spawn(|| compute(Duration::MAX));
            turns(|_| say("take 1\n"));
        }
        // Lets a child compute all the time. The child has its own process group and ends with its parent.
        "has-a-pondering-child" => {
            let mut child = Command::new(std::env::current_exe().unwrap());
            let own = std::process::id().to_string();
            child.args(["ponders-while-its-parent-lives", &own]).args(std::env::args().skip(2)).process_group(0);
            drop(child.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
            turns(|_| say("take 1\n"));
        }
        "ponders-while-its-parent-lives" => {
            // The parent is compared by its ID, because it may be gone before this process starts.
            let parent = std::env::args().nth(2).and_then(|number| number.parse().ok());
            while rustix::process::getppid().map(|pid| pid.as_raw_pid()) == parent {
                compute(Duration::from_millis(1));
            }
        }
        "honest" => turns(|_| say("take 1\n")),
        // Answers twice in each turn. The second answer is that to the next question.
        "twice" => turns(|_| say("take 1\ntake 1\n")),
        // Answers for ever without being asked.
        "floods-stdout" => {
            say("ok\n");
            let answers = "take 1\n".repeat(1000);
            loop {
                say(&answers);
            }
        }
        // A line of 400 MB.
        "endless-line" => {
            say("ok\n");
            let part = "9".repeat(1 << 20);
            for _ in 0..400 {
                say(&part);
            }
            forever();
        }
        // Plays, writes to stderr without a pause, and writes more than a pipe holds before each answer.
        "floods-stderr" => {
            // Each thread has its own descriptor: with one lock, the endless thread could keep the other one out.
            let complain = |stderr: &mut File| {
                let _ = stderr.write_all(&[b'e'; 1 << 17]);
            };
            let stderr = || File::from(std::io::stderr().as_fd().try_clone_to_owned().unwrap());
            let (mut first, mut second) = (stderr(), stderr());
            std::thread::spawn(move || {
                loop {
                    complain(&mut first);
                }
            });
            turns(|_| {
                complain(&mut second);
                say("take 1\n");
            });
        }
        // Exits, and leaves a child that holds its pipes.
        "forks" => turns(|_| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(std::env::args().skip(1).map(|arg| if arg == "forks" { "mute".into() } else { arg }));
            drop(child.spawn().unwrap());
            exit(0);
        }),
        "dies-mid-line" => turns(|_| {
            say("take");
            exit(0);
        }),
        "exits-3" => turns(|_| {
            eprintln!("first line\nI give up");
            exit(3);
        }),
        "exits-at-once" => exit(7),
        "aborts" => turns(|_| abort()),
        "segfaults" => turns(|_| {
            // SAFETY: this is not safe: the bot has a bug on purpose.
            unsafe { std::ptr::null_mut::<u32>().write_volatile(1) };
        }),
        "closes-stdout" => turns(|_| {
            // SAFETY: nothing uses this descriptor any more.
            drop(unsafe { OwnedFd::from_raw_fd(1) });
            forever();
        }),
        "closes-stdin" => {
            let mut line = String::new();
            stdin().lock().read_line(&mut line).unwrap();
            // SAFETY: nothing uses this descriptor any more.
            drop(unsafe { OwnedFd::from_raw_fd(0) });
            say("ok\n");
            forever();
        }
        // Writes a byte from time to time, and never a whole line.
        "drips" => turns(|_| {
            for byte in "take 000000000".chars() {
                say(&byte.to_string());
                sleep(Duration::from_millis(15));
            }
            forever();
        }),
        // Writes dots to stderr for a second or more, then gives an unlawful order.
        "mutters" => turns(|_| {
            mutter(100);
            say("take 4\n");
        }),
        // Exits, and leaves a child that keeps writing to the same stderr.
        "leaves-a-mutterer" => turns(|_| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.arg("mutters-for-ever").args(std::env::args().skip(2));
            drop(child.spawn().unwrap());
            exit(0);
        }),
        "mutters-for-ever" => mutter(u32::MAX),
        // Moves to the process group of its parent, and does not exit at the end of its input.
        "leaves-its-group" => {
            let parent = rustix::process::getppid();
            rustix::process::setpgid(None, Some(rustix::process::getpgid(parent).unwrap())).unwrap();
            turns(|_| say("take 1\n"));
            forever();
        }
        "stops-itself" => turns(|_| {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP).unwrap();
        }),
        // Writes the answers for the whole match in one go, without reading the questions.
        "answers-ahead" => {
            say("ok\n");
            say(&"take 1\n".repeat(200));
        }
        // Answers thousands of turns ahead and never reads a question.
        "never-reads" => {
            say("ok\n");
            say(&"take 1\n".repeat(9000));
            forever();
        }
        // Discards everything that it has read beyond a line, as a real bot of a contest did.
        "throws-input-away" => {
            let mut buffer = [0; 4096];
            while let Ok(bytes @ 1..) = stdin().lock().read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..bytes]).into_owned();
                match text.lines().next().and_then(|line| line.split(' ').next()) {
                    Some("toy") => say("ok\n"),
                    Some("heap") => say("take 1\n"),
                    _ => {}
                }
                // Is busy while the verdict and the next question arrive.
                sleep(Duration::from_millis(5));
            }
        }
        "nonsense" => turns(|_| say("\u{1b}[2Jhello\n")),
        "unlawful" => turns(|_| say("take 4\n")),
        // Writes its working directory and its environment to stderr, then plays.
        "shows-surroundings" => {
            let here = std::env::current_dir().unwrap();
            let variables: Vec<_> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            eprintln!("{} [{}]", here.display(), variables.join(" "));
            turns(|_| say("take 1\n"));
        }
        other => {
            eprintln!("unknown mode `{other}`");
            exit(64);
        }
    }
}

/// Answers the greeting, and calls `answer` for every question, until the end of the input.
fn turns(mut answer: impl FnMut(&str)) {
    for line in stdin().lock().lines() {
        let Ok(line) = line else { return };
        match line.split(' ').next() {
            Some("toy") => say("ok\n"),
            Some("heap") => answer(&line),
            _ => {}
        }
    }
}

fn say(text: &str) {
    let mut out = stdout().lock();
    // Most programs exit if nothing reads their output any more.
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        exit(1);
    }
}

/// Writes `times` bytes to stderr, with pauses shorter than those between two polls of everything by the referee.
fn mutter(times: u32) {
    for _ in 0..times {
        eprint!(".");
        sleep(Duration::from_millis(10));
    }
}

/// Computes until this thread has used this much CPU time.
fn compute(time: Duration) {
    let clock = || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let now = || {
        let now = clock();
        Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
    };
    let end = now().saturating_add(time);
    while now() < end {
        std::hint::spin_loop();
    }
}

/// Uses three quarters of the limit for a while.
fn three_quarters() -> Vec<u8> {
    let mut eaten = vec![1u8; 48 << 20];
    for round in 0..60 {
        eaten.iter_mut().step_by(4096).for_each(|byte| *byte = round);
        std::hint::black_box(&eaten);
        sleep(Duration::from_millis(1));
    }
    eaten
}

fn forever() -> ! {
    loop {
        sleep(Duration::from_secs(1000));
    }
}
