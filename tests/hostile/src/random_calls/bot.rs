//! The bot that makes random system calls.

use super::{
    calls::{Call, Calls, Names},
    memory::Memory,
    signatures::FORKING,
};
use crate::{Bot, Facts, attack::line, client::Question};
use agon_core::Seed;
use std::{
    fs::File,
    mem,
    os::unix::{ffi::OsStrExt, thread::JoinHandleExt},
    ptr,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The calls that a thread or a process makes before each answer.
const CALLS: u64 = 256;
/// The calls between two looks at the memory.
const REFILL: u64 = 32;
/// How many threads or processes make calls.
const WORKERS: u64 = 3;
/// A call that waits for longer is interrupted.
const PATIENCE_US: i64 = 2000;
/// How long threads and children may take for their calls.
const WORKERS_TIMEOUT: Duration = Duration::from_millis(50);
/// Prefix of the line that says how many calls were made so far, and how many of them were refused.
pub(super) const COUNTS: &str = "fuzz ";

/// The process that makes the calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Workers {
    /// The thread that plays.
    Itself,
    /// Several threads beside it, at the same time.
    Threads,
    /// Several children, which are replaced.
    Children,
}

impl Workers {
    /// Returns the process that makes the calls of the match with this seed. `children` says whether the bot may have any.
    pub(super) fn of(seed: Seed, children: bool) -> Self {
        match seed.derive("workers", 0).0 % 4 {
            0 => Self::Itself,
            1 => Self::Threads,
            _ if children => Self::Children,
            2 => Self::Itself,
            _ => Self::Threads,
        }
    }
}

/// What has been counted, in memory that children share.
#[derive(Debug)]
struct Counts {
    made: AtomicU64,
    refused: AtomicU64,
}

/// Plays a match, with random calls in front of each answer.
pub(super) fn play(bot: &mut Bot, workers: Workers) {
    let (Some(counts), Ok(memory)) = (counts(), Memory::new(&bot.facts, &paths(&bot.facts))) else {
        line("the memory for random calls is refused");
        return;
    };
    let names: &'static Names = Box::leak(Box::new(names(&bot.facts)));
    let memory: &'static Memory = Box::leak(Box::new(memory));
    open_files();
    catch_signals();
    let seed = Seed(bot.facts.seed);
    bot.client.wait_for_move();
    for turn in 0.. {
        let work = move |worker: u64| {
            let mut calls = Calls::new(seed.derive("calls", turn * WORKERS + worker), names, memory);
            make(&mut calls, counts);
        };
        match workers {
            Workers::Itself => work(0),
            Workers::Threads => with_threads(work),
            Workers::Children => with_children(&work),
        }
        let [made, refused] = [&counts.made, &counts.refused].map(|count| count.load(Ordering::Relaxed));
        line(&format!("\n{COUNTS}{made} {refused}"));
        bot.client.answer(Question::Move);
        if bot.client.next_question().is_none() {
            return;
        }
    }
}

fn make(calls: &mut Calls<'_>, counts: &Counts) {
    for number in 0..CALLS {
        if number % REFILL == 0 {
            calls.refill();
        }
        let call = calls.next();
        counts.made.fetch_add(1, Ordering::Relaxed);
        let refused = [libc::EPERM, libc::EACCES, libc::ENOSYS].map(|errno| -i64::from(errno));
        if refused.contains(&issue(call)) {
            counts.refused.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Lets threads make the calls, and interrupts those that wait. A thread that cannot be interrupted is left alone.
fn with_threads(work: impl Fn(u64) + Clone + Send + 'static) {
    let start = Instant::now();
    let started = (0..WORKERS).map(|worker| {
        let work = work.clone();
        thread::Builder::new().stack_size(64 << 10).spawn(move || work(worker))
    });
    let threads: Vec<_> = started.flatten().collect();
    while start.elapsed() < WORKERS_TIMEOUT && threads.iter().any(|thread| !thread.is_finished()) {
        for thread in threads.iter().filter(|thread| !thread.is_finished()) {
            // SAFETY: the thread has not been joined, so its handle is alive.
            unsafe { libc::pthread_kill(thread.as_pthread_t() as libc::pthread_t, libc::SIGALRM) };
        }
        // SAFETY: numbers alone.
        unsafe { libc::usleep(PATIENCE_US as u32) };
    }
}

/// Lets children make the calls, and kills those that do not end.
fn with_children(work: &dyn Fn(u64)) {
    let start = Instant::now();
    let mut children = Vec::new();
    for worker in 0..WORKERS {
        // SAFETY: this process has one thread, so the child may do anything.
        match unsafe { libc::fork() } {
            0 => {
                interrupt_calls();
                work(worker);
                // SAFETY: ends this process without running anything of the parent's.
                unsafe { libc::_exit(0) };
            }
            child => children.push(child),
        }
    }
    for child in children.into_iter().filter(|child| *child > 0) {
        // SAFETY: numbers alone; the child has not been waited for.
        unsafe {
            while libc::waitpid(child, ptr::null_mut(), libc::WNOHANG) == 0 {
                if start.elapsed() > WORKERS_TIMEOUT {
                    libc::kill(child, libc::SIGKILL);
                }
                libc::usleep(500);
            }
        }
    }
}

/// Makes a call. What a fork makes of this process ends at once, because it may use the same stack.
#[cfg(target_arch = "x86_64")]
fn issue(call: Call) -> i64 {
    let [a, b, c, d, e, f] = call.arguments;
    // The kernel looks at 32 bits of a number, without the bit of x32.
    let number = (call.number & 0xbfff_ffff) as libc::c_long;
    let forks = i64::from(FORKING.contains(&number));
    let result: i64;
    // SAFETY: every argument that is an address points to memory which may have any content, or the kernel refuses it.
    // A process that comes of the call touches no memory before it ends.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "test r12, r12",
            "jz 2f",
            "mov eax, 60",
            "xor edi, edi",
            "syscall",
            "2:",
            inlateout("rax") call.number => result,
            inlateout("rdi") a => _,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            in("r9") f,
            in("r12") forks,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

/// Makes a call, unless it forks: that could need code for this processor.
#[cfg(not(target_arch = "x86_64"))]
fn issue(call: Call) -> i64 {
    let number = i64::from(call.number as u32);
    if FORKING.contains(&(number as libc::c_long)) {
        return -i64::from(libc::ENOSYS);
    }
    match crate::attack::raw(call.number as libc::c_long, call.arguments) {
        -1 => -i64::from(crate::errno::Errno::last().0),
        result => result,
    }
}

/// Makes counts that this process shares with its children. A sandbox may refuse to share memory with a bot that has none.
fn counts() -> Option<&'static Counts> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: makes a new mapping of zeroes, which is never given back and is a lawful value.
    let made = |shared| unsafe {
        let page = libc::mmap(ptr::null_mut(), mem::size_of::<Counts>(), rights, shared | libc::MAP_ANONYMOUS, -1, 0);
        (page != libc::MAP_FAILED).then(|| &*page.cast::<Counts>())
    };
    made(libc::MAP_SHARED).or_else(|| made(libc::MAP_PRIVATE))
}

/// The paths that calls can name. Whatever could be changed there belongs to a victim or has its marker in its name.
fn paths(facts: &Facts) -> Vec<Vec<u8>> {
    let folders = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/dev/mqueue"];
    let mut paths: Vec<Vec<u8>> =
        folders.iter().map(|folder| format!("{folder}/{}-fuzz", facts.marker).into_bytes()).collect();
    let known = [facts.key(), facts.home(), facts.opponent().join("bot.py"), facts.own(), facts.stream_socket()];
    paths.extend(known.iter().map(|path| path.as_os_str().as_bytes().to_vec()));
    let system = [
        "",
        ".",
        "..",
        "bot.txt",
        "shadow",
        "/",
        "/proc/self/fd",
        "/proc/self/mem",
        "/proc/self/exe",
        "/proc/self/ns/net",
        "/proc/self/oom_score_adj",
        "/proc/sys/kernel/domainname",
        "/dev/null",
        "/dev/full",
        "/dev/ptmx",
        "/bin/true",
        "tmpfs",
        "proc",
        "user",
        "keyring",
        "agon-hostile",
    ];
    paths.extend(system.map(|path| path.as_bytes().to_vec()));
    paths.push(format!("/proc/{}/mem", facts.victim).into_bytes());
    paths.push(format!("{}-fuzz", facts.marker).into_bytes());
    paths
}

/// What else calls can name.
fn names(facts: &Facts) -> Names {
    let own = std::process::id().into();
    Names { processes: vec![0, 1, -1, own, own + 1, -own, facts.victim.into(), facts.driver.into()], files: 20 }
}

/// Opens files of many kinds, for calls that take one.
fn open_files() {
    for path in ["/", "/proc/self", "/proc/self/status", "/dev/null", "/dev/zero", "bot.txt", "/proc/self/ns/user"] {
        File::open(path).map(mem::forget).ok();
    }
    let mut two = [0; 2];
    // SAFETY: the kernel writes two numbers, or refuses. The files stay open until the process ends.
    unsafe {
        libc::pipe2(two.as_mut_ptr(), libc::O_NONBLOCK);
        libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0, two.as_mut_ptr());
        libc::eventfd(1, libc::EFD_NONBLOCK);
        libc::epoll_create1(0);
        libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK);
    }
}

extern "C" fn ignore(_signal: i32) {}

/// Keeps signals that end a process from doing so, unless they tell of a mistake, and lets a timer interrupt calls that
/// wait.
fn catch_signals() {
    let mistakes = [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGILL,
        libc::SIGFPE,
        libc::SIGTRAP,
        libc::SIGSYS,
        libc::SIGABRT,
        libc::SIGCHLD,
    ];
    for signal in (1..=libc::SIGRTMAX()).filter(|signal| !mistakes.contains(signal)) {
        // SAFETY: zeroes are a lawful action, and the handler touches nothing. What cannot be caught is refused.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = ignore as extern "C" fn(i32) as libc::sighandler_t;
            libc::sigaction(signal, &action, ptr::null_mut());
        }
    }
    interrupt_calls();
}

/// Starts the timer, which a child does not inherit.
fn interrupt_calls() {
    let time = libc::timeval { tv_sec: 0, tv_usec: PATIENCE_US };
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: the kernel reads one timer.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, ptr::null_mut()) };
}
