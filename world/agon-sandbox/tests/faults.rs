//! Faults at every step of a start: the process at that step is killed or stopped, or the kernel returns an error. A
//! fault never leads to a lower level than the host supports, no wait is without bound, and the reported reason is the
//! true one.
#![cfg(target_os = "linux")]

use agon_sandbox::{
    Cause, Confinement, Job, RefusalKind, Refused, StartRequest, Step, Work, attempt,
    faults::{Armed, Fault, Point, arm, left, set_timeout, try_all},
    start, start_by,
};
use agon_spec::Isolation;
use rustix::io::Errno;
use std::{fs, thread, time::Duration};

const PROBE: &str = env!("CARGO_BIN_EXE_agon-sandbox-probe");
/// The time limit for answers that never come: a tenth of a second instead of two.
const SHORT: Duration = Duration::from_millis(100);
/// More tries than any start makes.
const ALWAYS: u32 = 1000;

const ERRNOS: &[Errno] = &[
    Errno::PERM,
    Errno::NOENT,
    Errno::IO,
    Errno::AGAIN,
    Errno::NOMEM,
    Errno::ACCESS,
    Errno::BUSY,
    Errno::INVAL,
    Errno::NFILE,
    Errno::MFILE,
    Errno::NOSPC,
    Errno::NOSYS,
    Errno::OPNOTSUPP,
    Errno::USERS,
];

/// Runs a case on a new thread with its own helper program, and asserts that the case leaves no other process behind.
fn case<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> T {
    start_by(PROBE.into());
    let thread = thread::spawn(move || {
        let done = what();
        arm(None, 0);
        set_timeout(None);
        let left = fs::read_to_string("/proc/thread-self/children").expect("a kernel that lists children");
        (done, left.split_whitespace().count())
    });
    let (done, left) = thread.join().expect("it does not panic");
    assert!(left <= 1, "{left} processes are left");
    done
}

/// The levels that this host supports without faults.
fn levels() -> Vec<Isolation> {
    let tried = [Isolation::Full, Isolation::Restricted].map(|level| (level, case(move || attempt(level))));
    for (level, attempt) in &tried {
        if let Err(why) = attempt {
            assert!(std::env::var_os("CI").is_none(), "`{level}` does not work here: {why}");
            eprintln!("NOT TESTED: `{level}` does not work here: {why}");
        }
    }
    tried.into_iter().filter(|(_, attempt)| attempt.is_ok()).map(|(level, _)| level).collect()
}

/// The steps that a start at a level goes through if it has no work folder and executes no script.
fn steps(level: Isolation) -> Vec<Step> {
    let root = rustix::process::geteuid().is_root();
    let full = level == Isolation::Full;
    let comes_to = |step: &Step| match step {
        // The start of the helper program has its own points, two steps exist only in jobs, and one only with a script.
        Step::Start | Step::Work | Step::Wait | Step::Interpreted => false,
        Step::User => root,
        Step::Users => full && !root,
        Step::Namespaces | Step::Network | Step::Pipes | Step::Proc | Step::Root => full,
        _ => true,
    };
    Step::ALL.into_iter().filter(comes_to).collect()
}

/// Every point of a start at a level at which a process may be killed or stopped.
fn points(level: Isolation) -> Vec<Point> {
    let steps = steps(level).into_iter().map(Point::Step);
    [Point::Greeting, Point::Copying, Point::Copied, Point::Ready].into_iter().chain(steps).collect()
}

/// Tries a level with a fault. Returns the result and how many tries it took.
fn attempt_with(
    level: Isolation,
    point: Point,
    fault: Fault,
    tries: u32,
    timeout: Option<Duration>,
) -> (Result<(), Refused>, u32) {
    case(move || {
        set_timeout(timeout);
        arm(Some(Armed { point, fault }), tries);
        let done = attempt(level);
        (done, tries - left())
    })
}

#[test]
fn each_answer_of_the_kernel_is_told_with_its_step() {
    for level in levels() {
        for step in steps(level) {
            for errno in ERRNOS {
                let fault = Fault::Errno(errno.raw_os_error());
                let (done, tries) = attempt_with(level, Point::Step(step), fault, ALWAYS, None);
                let refused = done.expect_err("the step was not done");
                assert_eq!((refused.step, refused.errno()), (step, Some(errno.raw_os_error())), "{level}: {refused}");
                let again = refused.kind() == RefusalKind::Shortage;
                assert_eq!(tries, if again { 2 } else { 1 }, "{level}: {refused}");
            }
        }
    }
}

#[test]
fn only_what_is_not_supported_lowers_the_level() {
    let levels = levels();
    let Some(strongest) = levels.first().copied() else { return };
    for step in steps(strongest) {
        for errno in ERRNOS {
            let armed = Armed { point: Point::Step(step), fault: Fault::Errno(errno.raw_os_error()) };
            let found = case(move || {
                arm(Some(armed), ALWAYS);
                try_all()
            });
            let is_it = |refused: &Refused| (refused.step, refused.errno()) == (step, Some(errno.raw_os_error()));
            match (step.kind(*errno, false), found) {
                (RefusalKind::Unsupported, Ok(found)) => {
                    let below = levels.iter().find(|level| **level < strongest && !steps(**level).contains(&step));
                    assert_eq!(found.level, below.copied().unwrap_or(Isolation::None), "`{step}`, {errno}");
                    let reasons: Vec<_> = [&found.full, &found.restricted].into_iter().flatten().collect();
                    assert!(reasons.iter().any(|refused| is_it(refused)), "`{step}`, {errno}: {reasons:?}");
                }
                (RefusalKind::Shortage | RefusalKind::Unknown, Err(refused)) => {
                    assert!(is_it(&refused), "`{step}`, {errno}: {refused}");
                }
                (kind, found) => panic!("`{step}`, {errno}, {kind:?}: {found:?}"),
            }
        }
    }
}

#[test]
fn whoever_kills_a_process_of_a_start_does_not_lower_the_level() {
    for level in levels() {
        for point in points(level) {
            // A helper program with this fault kills every copy that it makes, so that the second try fails too.
            let every_copy = point == Point::Copied;
            if !every_copy {
                let (done, tries) = attempt_with(level, point, Fault::Kill, 1, None);
                assert_eq!((done, tries), (Ok(()), 1), "{level}, {point:?}: the second try works");
            }
            let (done, tries) = attempt_with(level, point, Fault::Kill, ALWAYS, None);
            let refused = done.expect_err("it was killed twice");
            let killed = Refused { step: Step::Start, what: refused.what.clone(), cause: Cause::Signal(9) };
            let expected = if every_copy { 1 } else { 2 };
            assert_eq!((refused, tries), (killed, expected), "{level}, {point:?}");
            let found = case(move || {
                arm(Some(Armed { point, fault: Fault::Kill }), ALWAYS);
                try_all()
            });
            assert_eq!(found.map_err(|refused| refused.cause), Err(Cause::Signal(9)), "{level}, {point:?}");
        }
    }
}

#[test]
fn whoever_stops_a_process_of_a_start_neither_lowers_the_level_nor_is_waited_for() {
    for level in levels() {
        for point in points(level) {
            let (done, tries) = attempt_with(level, point, Fault::Stop, ALWAYS, Some(SHORT));
            let refused = done.expect_err("it was stopped twice");
            assert_eq!(refused.cause, Cause::NoAnswer(SHORT), "{level}, {point:?}");
            // On a loaded machine, so short a time can be over before the process reaches the point.
            assert!(tries <= 2, "{level}, {point:?}: {tries}");
            let found = case(move || {
                set_timeout(Some(SHORT));
                arm(Some(Armed { point, fault: Fault::Stop }), ALWAYS);
                try_all()
            });
            assert_eq!(found.map_err(|refused| refused.cause), Err(Cause::NoAnswer(SHORT)), "{level}, {point:?}");
        }
        for point in [Point::Greeting, Point::Step(Step::Script), Point::Step(Step::Seccomp)] {
            let (done, tries) = attempt_with(level, point, Fault::Stop, 1, None);
            assert_eq!((done, tries), (Ok(()), 1), "{level}, {point:?}: the second try works");
        }
    }
}

#[test]
fn a_program_is_started_by_the_second_try_as_by_the_first() {
    for level in levels() {
        let interpreted = Point::Step(Step::Interpreted);
        for point in points(level).into_iter().filter(|point| *point != Point::Ready).chain([interpreted]) {
            let end = |tries: u32| {
                case(move || {
                    let request = StartRequest {
                        program: "/bin/true".into(),
                        words: vec!["true".into()],
                        environment: Vec::new(),
                        dir: "/".into(),
                        confinement: Confinement { script: Some("/bin/true".into()), ..Confinement::new(level) },
                    };
                    arm(Some(Armed { point, fault: Fault::Kill }), tries);
                    let mut process = start(request)?.confirm()?;
                    Ok::<_, Refused>(process.child.wait().expect("it ends").code())
                })
            };
            if point != Point::Copied {
                assert_eq!(end(1), Ok(Some(0)), "{level}, {point:?}");
            }
            assert_eq!(end(ALWAYS).map_err(|refused| refused.cause), Err(Cause::Signal(9)), "{level}, {point:?}");
        }
    }
}

/// A pipe takes 64 KiB, so that sending more waits for the reader.
#[test]
fn a_long_script_is_not_waited_for_if_its_reader_is_stopped() {
    for level in levels().into_iter().chain([Isolation::None]) {
        let (refused, tries) = case(move || {
            set_timeout(Some(SHORT));
            arm(Some(Armed { point: Point::Copied, fault: Fault::Stop }), ALWAYS);
            let request = StartRequest {
                program: "/bin/true".into(),
                words: vec!["true".into()],
                environment: vec![("LONG".into(), "x".repeat(200_000).into())],
                dir: "/".into(),
                confinement: Confinement::new(level),
            };
            let refused = start(request).expect_err("nobody reads");
            (refused, ALWAYS - left())
        });
        assert_eq!((refused.step, refused.cause, tries), (Step::Start, Cause::NoAnswer(SHORT), 1), "{level}");
    }
}

#[test]
fn a_long_script_arrives() {
    for level in levels().into_iter().chain([Isolation::None]) {
        let end = case(move || {
            let request = StartRequest {
                program: "/bin/true".into(),
                words: vec!["true".into()],
                environment: vec![("LONG".into(), "x".repeat(100_000).into())],
                dir: "/".into(),
                confinement: Confinement::new(level),
            };
            start(request).and_then(|starting| starting.confirm()).map(|mut process| process.child.wait())
        });
        assert!(matches!(end, Ok(Ok(status)) if status.success()), "{level}: {end:?}");
    }
}

#[test]
fn the_work_of_a_job_is_a_step_as_any_other() {
    if !levels().contains(&Isolation::Full) {
        return;
    }
    let top = std::env::temp_dir().join(format!("agon-faults-{}", std::process::id()));
    let _ = fs::remove_dir_all(&top);
    fs::create_dir_all(top.join("from")).expect("a folder");
    for errno in ERRNOS {
        let fault = Fault::Errno(errno.raw_os_error());
        let (from, into) = (top.join("from"), top.join("into"));
        let ended = case(move || {
            arm(Some(Armed { point: Point::Step(Step::Work), fault }), ALWAYS);
            let work = Some(Work { from, at: "/work".into(), mib: 1 });
            let job = Job {
                words: vec!["/bin/true".into()],
                environment: Vec::new(),
                confinement: Confinement { work, ..Confinement::new(Isolation::Full) },
                wall: Duration::from_secs(20),
                log_bytes: 100,
                keep_mib: 1,
                keep_files: 1,
            };
            job.run(&into, &|| false, &mut |_| ())
        });
        let refused = ended.expect_err("its files were not copied");
        assert_eq!((refused.step, refused.errno()), (Step::Work, Some(errno.raw_os_error())), "{refused}");
    }
    let _ = fs::remove_dir_all(&top);
}
