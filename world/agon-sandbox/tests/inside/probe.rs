//! A program that looks around in a sandbox. It prints what it finds, one line for each word of its command line.

#[cfg(target_os = "linux")]
fn main() {
    agon_sandbox::helper();
    for word in std::env::args().skip(1) {
        println!("{word}: {}", look(&word));
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn look(word: &str) -> String {
    use std::{fs, io};
    let (what, rest) = word.split_once('=').unwrap_or((word, ""));
    let told = |done: io::Result<()>| match done {
        Ok(()) => "done".to_owned(),
        Err(e) => format!("refused ({})", e.raw_os_error().unwrap_or(0)),
    };
    let list = |path: &str| -> io::Result<String> {
        let mut names: Vec<_> = fs::read_dir(path)?
            .map(|e| e.map(|e| e.file_name().to_string_lossy().into_owned()))
            .collect::<Result<_, _>>()?;
        names.sort();
        Ok(names.join(" "))
    };
    match what {
        "read" => told(fs::read(rest).map(drop)),
        "text" => fs::read_to_string(rest).unwrap_or_else(|e| told(Err(e))),
        "write" => told(fs::write(rest, "x")),
        "list" => list(rest).unwrap_or_else(|e| told(Err(e))),
        "cwd" => std::env::current_dir().map_or_else(|e| told(Err(e)), |path| path.display().to_string()),
        "environment" => {
            let mut all: Vec<_> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            all.sort();
            all.join(" ")
        }
        "descriptors" => list("/proc/self/fd").unwrap_or_else(|e| told(Err(e))),
        "user" => rustix::process::getuid().as_raw().to_string(),
        "pid" => std::process::id().to_string(),
        "child" => told(std::process::Command::new("/bin/true").status().map(drop)),
        "thread" => told(
            std::thread::Builder::new()
                .spawn(|| ())
                .and_then(|t| t.join().map_err(|_| io::Error::other("it panicked"))),
        ),
        "socket" => told(std::net::TcpListener::bind("127.0.0.1:0").map(drop)),
        "signal" => told(
            rustix::process::Pid::from_raw(rest.parse().unwrap_or(1))
                .map_or(Ok(()), |pid| rustix::process::kill_process(pid, rustix::process::Signal::TERM))
                .map_err(Into::into),
        ),
        "memory" => {
            let mut mib = 0;
            let mut all: Vec<Vec<u8>> = Vec::new();
            while mib < 4096 {
                let mut piece = Vec::new();
                if piece.try_reserve_exact(1 << 20).is_err() {
                    break;
                }
                piece.resize(1 << 20, 1);
                all.push(piece);
                mib += 1;
                println!("{mib}");
            }
            "refused".into()
        }
        "reserve" => {
            let bytes = rest.parse::<usize>().unwrap_or(0) << 20;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping.
            let reserved = unsafe { libc::mmap(std::ptr::null_mut(), bytes, rights, flags, -1, 0) };
            if reserved == libc::MAP_FAILED { "refused".into() } else { "done".into() }
        }
        "huge-pages" => {
            let off = rustix::thread::transparent_huge_pages_are_disabled().unwrap_or(false);
            if off { "off".into() } else { "on".into() }
        }
        "call" => {
            let mut numbers = rest.split(':').map(|number| number.parse().unwrap_or(0));
            let mut next = || numbers.next().unwrap_or(0);
            let (call, [a, b, c, d]): (libc::c_long, [libc::c_long; 4]) = (next(), [next(), next(), next(), next()]);
            // SAFETY: the tests name calls and numbers that touch no memory, or null, which the kernel refuses to touch.
            let done = unsafe { libc::syscall(call, a, b, c, d) };
            told(if done == -1 { Err(io::Error::last_os_error()) } else { Ok(()) })
        }
        "cores" => match rustix::thread::sched_getaffinity(None) {
            Ok(set) => (0..rustix::thread::CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).count().to_string(),
            Err(e) => told(Err(e.into())),
        },
        "wait" => loop {
            std::thread::park();
        },
        // The kernel does not kill the program with its parent any more.
        "execute-in-a-thread" => {
            use std::os::unix::process::CommandExt;
            let thread = std::thread::spawn(|| std::process::Command::new("/bin/sleep").arg("100").exec());
            thread.join().map_or_else(|_| "it panicked".to_owned(), |error| told(Err(error)))
        }
        "session" => {
            let own = rustix::process::getsid(None).is_ok_and(|session| session == rustix::process::getpid());
            if own { "its own" } else { "another" }.to_owned()
        }
        "leave-session" => {
            let left = std::process::Command::new("/bin/sh").args(["-c", "setsid true 2>&-"]).status();
            left.map_or_else(|e| e.to_string(), |left| if left.success() { "done" } else { "refused" }.to_owned())
        }
        // Tells the ID of a process whose parent, group and session are others.
        "leave-a-daemon" => {
            let words = ["-c", "setsid sleep 100 <&- >&- 2>&- & echo $!"];
            let told = std::process::Command::new("/bin/sh").args(words).output();
            told.map_or_else(|e| e.to_string(), |told| String::from_utf8_lossy(&told.stdout).trim().to_owned())
        }
        // Runs outside of a sandbox, starts itself in one, and never ends that program.
        "hold" => {
            let mut process = started(rest).expect("a level that works");
            println!("{} {}", process.pid, process.reaper);
            let mut bytes = Vec::new();
            use std::io::Read;
            let read = process.child.stdout.take().map(|mut stdout| stdout.read_to_end(&mut bytes));
            read.map_or_else(String::new, |read| told(read.map(drop)))
        }
        // Runs outside of a sandbox, and starts itself in one with a single word.
        "start" => ended(rest),
        "start-in-a-fork" => {
            let before = ended(rest);
            // SAFETY: this program has one thread, so that the new process may do everything.
            let within = match unsafe { libc::fork() } {
                0 => std::process::exit(ended(rest).parse().unwrap_or(99)),
                child => {
                    let mut status = 0;
                    // SAFETY: the kernel writes one number.
                    unsafe { libc::waitpid(child, &raw mut status, 0) };
                    libc::WEXITSTATUS(status)
                }
            };
            format!("{within}, and before and after it {before} and {}", ended(rest))
        }
        "crash" => std::process::abort(),
        "exit" => std::process::exit(rest.parse().unwrap_or(0)),
        "print" => rest.to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// Starts this program in a sandbox. `how` is `LEVEL:WORD,WORD…`.
#[cfg(target_os = "linux")]
fn started(how: &str) -> Result<agon_sandbox::SandboxedProcess, agon_sandbox::Refused> {
    use agon_sandbox::{Confinement, StartRequest, start};
    let (level, word) = how.split_once(':').expect("a level and a word");
    let program = std::env::current_exe().expect("it is a file");
    let confinement = Confinement { read: vec![program.clone()], ..Confinement::new(level.parse().expect("a level")) };
    let words = ["probe"].into_iter().chain(word.split(',')).map(Into::into).collect();
    let request = StartRequest { program, words, environment: Vec::new(), dir: "/".into(), confinement };
    start(request).and_then(|starting| starting.confirm())
}

/// How this program ends if it is started in a sandbox. `how` is `LEVEL:WORD`.
#[cfg(target_os = "linux")]
fn ended(how: &str) -> String {
    use std::os::unix::process::ExitStatusExt;
    match started(how).map(|mut process| process.child.wait()) {
        Ok(Ok(status)) => match (status.code(), status.signal()) {
            (Some(code), _) => code.to_string(),
            (None, Some(libc::SIGABRT)) => "SIGABRT".to_owned(),
            (None, signal) => format!("signal {signal:?}"),
        },
        Ok(Err(e)) => e.to_string(),
        Err(refused) => refused.to_string(),
    }
}
