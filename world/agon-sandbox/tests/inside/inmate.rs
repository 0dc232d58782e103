//! A program that looks around inside and says what it sees, one line for each word of its command line.

#[cfg(target_os = "linux")]
fn main() {
    if let Some(inside) = agon_sandbox::Inside::asked_for() {
        inside.run();
    }
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
            }
            mib.to_string()
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
        "crash" => std::process::abort(),
        "exit" => std::process::exit(rest.parse().unwrap_or(0)),
        "print" => rest.to_owned(),
        _ => "unknown".to_owned(),
    }
}
