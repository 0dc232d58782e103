//! What the helper program answers: a greeting that identifies it, and the result of each start.

use crate::{Cause, ProgramError, Refused, Step};
use rustix::io::Errno;
use std::{
    io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::ExitStatus,
};

/// The first message of a helper program: what it is, its version, and the version of this protocol.
#[cfg(not(feature = "faults"))]
pub(crate) const GREETING: &[u8] = concat!("agon-sandbox-helper ", env!("CARGO_PKG_VERSION"), " 9").as_bytes();
/// The greeting of a helper with faults differs, so that it does not work for a program without faults, or the
/// reverse.
#[cfg(feature = "faults")]
pub(crate) const GREETING: &[u8] = concat!("agon-sandbox-helper ", env!("CARGO_PKG_VERSION"), " 9 faults").as_bytes();

/// The result of a start, which is sent as one line. If the program cannot be executed after all, a second line says so. The
/// stream ends when the program is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The program is about to be executed. If the system refuses to execute it after all, [`Answer::Refused`] follows.
    Ready {
        /// The ID of its process.
        pid: i32,
        /// The ID of the first process of the sandbox, which reaps the others. 0 if there is none.
        init: i32,
    },
    /// The program will not be executed.
    Refused(Refused),
}

impl Answer {
    /// The line as it is sent, including the newline.
    pub(crate) fn encode(&self) -> String {
        let refused = match self {
            Self::Ready { pid, init } => return format!("ready {pid} {init}\n"),
            Self::Refused(refused) => refused,
        };
        let (cause, more) = match &refused.cause {
            Cause::Errno(errno) => (format!("errno:{}", errno.raw_os_error()), refused.what.clone()),
            Cause::Program(error) => {
                let (code, more) = encode_program(error);
                let file = if refused.step == Step::Interpreted { "script" } else { "program" };
                (format!("{file}:{code}"), more)
            }
            other if refused.what.is_empty() => ("other".to_owned(), other.to_string()),
            other => ("other".to_owned(), format!("{}: {other}", refused.what)),
        };
        format!("failed {} {cause} {}\n", refused.step, more.replace('\n', " "))
    }

    /// Reads a line without its newline. `program` is the file to execute, and `script` the file that it interprets.
    pub(crate) fn decode(line: &str, program: &Path, script: Option<&Path>) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        if word == "ready" {
            let (pid, init) = rest.split_once(' ')?;
            return Some(Self::Ready { pid: pid.parse().ok()?, init: init.parse().ok()? });
        }
        let (step, rest) = rest.split_once(' ')?;
        let (cause, more) = rest.split_once(' ')?;
        let step = Step::named(step).filter(|_| word == "failed")?;
        let refused = match cause.split_once(':').unwrap_or((cause, "")) {
            ("errno", number) => Refused::new(step, more, Cause::Errno(errno(number)?)),
            ("program", code) => Refused::new(step, "", Cause::Program(decode_program(code, more, program)?)),
            ("script", code) => Refused::new(step, "", Cause::Program(decode_program(code, more, script?)?)),
            ("other", "") => Refused::new(step, "", Cause::Other(more.to_owned())),
            _ => return None,
        };
        Some(Self::Refused(refused))
    }
}

fn errno(number: &str) -> Option<Errno> {
    // The kernel returns no other numbers.
    let number: i32 = number.parse().ok().filter(|number| (1..4096).contains(number))?;
    Some(Errno::from_raw_os_error(number))
}

/// Encodes what is wrong with a file. Its name is not sent, because both sides know it.
fn encode_program(error: &ProgramError) -> (&'static str, String) {
    match error {
        ProgramError::NotFound(_) | ProgramError::NotShown(_) | ProgramError::NotInPath(_) => {
            ("not-found", String::new())
        }
        ProgramError::ClosedFolder(_) => ("closed-folder", String::new()),
        ProgramError::Folder(_) => ("folder", String::new()),
        ProgramError::NotRegular(_) => ("not-regular", String::new()),
        ProgramError::NotExecutable(_) => ("not-executable", String::new()),
        ProgramError::Forbidden(_) => ("forbidden", String::new()),
        ProgramError::Unreadable(_) => ("unreadable", String::new()),
        ProgramError::LineEnds { looked_for, .. } => ("line-ends", looked_for.clone()),
        ProgramError::NoInterpreter { interpreter, .. } => ("no-interpreter", interpreter.clone()),
        ProgramError::BadInterpreter { why, .. } => ("bad-interpreter", why.clone()),
        ProgramError::NoLoader { loader, .. } => ("no-loader", loader.clone()),
        ProgramError::OtherMachine { machine, .. } => ("other-machine", machine.clone()),
        ProgramError::Foreign { what, .. } => ("foreign", what.clone()),
        ProgramError::NoExec(_) => ("no-exec", String::new()),
        ProgramError::Format(_) => ("format", String::new()),
        ProgramError::NotExecuted { errno, .. } => ("not-executed", errno.raw_os_error().to_string()),
        ProgramError::System { errno, .. } => ("system", errno.raw_os_error().to_string()),
    }
}

fn decode_program(code: &str, more: &str, program: &Path) -> Option<ProgramError> {
    let file = program.to_owned();
    Some(match code {
        // The helper has looked from inside the sandbox.
        "not-found" if program.exists() => ProgramError::NotShown(file),
        "not-found" => ProgramError::NotFound(file),
        "closed-folder" => ProgramError::ClosedFolder(file),
        "folder" => ProgramError::Folder(file),
        "not-regular" => ProgramError::NotRegular(file),
        "not-executable" => ProgramError::NotExecutable(file),
        "forbidden" => ProgramError::Forbidden(file),
        "unreadable" => ProgramError::Unreadable(file),
        "line-ends" => ProgramError::LineEnds { file, looked_for: more.to_owned() },
        "no-interpreter" => ProgramError::NoInterpreter { file, interpreter: more.to_owned() },
        "bad-interpreter" => ProgramError::BadInterpreter { file, why: more.to_owned() },
        "no-loader" => ProgramError::NoLoader { file, loader: more.to_owned() },
        "other-machine" => ProgramError::OtherMachine { file, machine: more.to_owned() },
        "foreign" => ProgramError::Foreign { file, what: more.to_owned() },
        "no-exec" => ProgramError::NoExec(file),
        "format" => ProgramError::Format(file),
        "not-executed" => ProgramError::NotExecuted { file, errno: errno(more)? },
        "system" => ProgramError::System { file, errno: errno(more)? },
        _ => return None,
    })
}

impl Refused {
    /// A refusal because of an I/O error at a step. `what` is what the error is about.
    pub(crate) fn io(step: Step, what: impl Into<String>, error: &io::Error) -> Self {
        Self::new(step, what, Cause::of_io(error))
    }

    /// Makes refusals because of an I/O error with a path.
    pub(crate) fn about(step: Step, path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::io(step, format!("`{}`", path.display()), &error)
    }

    /// Makes refusals because of an error number of the kernel. `what` is what the error is about.
    pub(crate) fn call(step: Step, what: &str) -> impl Fn(Errno) -> Self {
        move |errno| Self::new(step, what, Cause::Errno(errno))
    }

    /// A refusal for a reason that has no error number.
    pub(crate) fn other(step: Step, why: impl Into<String>) -> Self {
        Self::new(step, "", Cause::Other(why.into()))
    }

    pub(crate) fn of_program(error: ProgramError) -> Self {
        Self::new(Step::Program, "", Cause::Program(error))
    }

    pub(crate) fn of_script(error: ProgramError) -> Self {
        Self::new(Step::Interpreted, "", Cause::Program(error))
    }

    /// If the cause is `ENOSPC` and a limit of the step reads 0, makes that limit the cause. Call this outside of the
    /// sandbox: in a user namespace these settings have other values.
    pub(crate) fn with_limit(mut self, folder: &Path) -> Self {
        let is_zero = |name: &&&str| {
            let text = std::fs::read_to_string(folder.join(name));
            text.is_ok_and(|text| text.trim() == "0")
        };
        if self.cause == Cause::Errno(Errno::NOSPC)
            && let Some(name) = self.step.limits().iter().find(is_zero)
        {
            self.cause = Cause::Off(name);
        }
        self
    }
}

impl Cause {
    /// The cause if a process ended although it should have answered.
    pub(crate) fn of_status(status: ExitStatus) -> Self {
        status.signal().map_or_else(|| Self::Ended(status.code().unwrap_or_default()), Self::Signal)
    }

    pub(crate) fn of_io(error: &io::Error) -> Self {
        Errno::from_io_error(error).map_or_else(|| Self::Other(error.to_string()), Self::Errno)
    }

    /// The error number among the sources of a library's error, or the text of that error if there is none.
    pub(crate) fn of_error(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(this) = next {
            if let Some(errno) = this.downcast_ref::<io::Error>().and_then(Errno::from_io_error) {
                return Self::Errno(errno);
            }
            next = this.source();
        }
        Self::Other(error.to_string())
    }
}

/// The folder with the kernel's limits of namespaces.
pub(crate) fn limits_of_user() -> PathBuf {
    PathBuf::from("/proc/sys/user")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn there_and_back(refused: &Refused) -> Refused {
        let line = Answer::Refused(refused.clone()).encode();
        let line = line.strip_suffix('\n').expect("one line");
        assert!(!line.contains('\n'));
        match Answer::decode(line, Path::new("/no/such/file"), Some(Path::new("/no/such/script"))) {
            Some(Answer::Refused(refused)) => refused,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn steps_and_numbers_arrive_as_they_are() {
        for step in Step::ALL {
            for number in 1..134 {
                let refused = Refused::new(step, "`/a b`", Cause::Errno(Errno::from_raw_os_error(number)));
                assert_eq!(there_and_back(&refused), refused);
            }
        }
        for (pid, init) in [(7, 0), (i32::MAX, 10), (4_194_304, 123_456)] {
            let ready = Answer::Ready { pid, init };
            assert_eq!(ready.encode(), format!("ready {pid} {init}\n"));
            assert_eq!(Answer::decode(ready.encode().trim_end(), Path::new("/"), None), Some(ready));
        }
    }

    #[test]
    fn so_does_what_is_wrong_with_a_program() {
        let file = || PathBuf::from("/no/such/file");
        for error in [
            ProgramError::NotFound(file()),
            ProgramError::ClosedFolder(file()),
            ProgramError::Folder(file()),
            ProgramError::NotRegular(file()),
            ProgramError::NotExecutable(file()),
            ProgramError::Forbidden(file()),
            ProgramError::LineEnds { file: file(), looked_for: "-u -B".into() },
            ProgramError::NoInterpreter { file: file(), interpreter: "/usr/bin/my env".into() },
            ProgramError::BadInterpreter { file: file(), why: "`/x` is not executable".into() },
            ProgramError::NoLoader { file: file(), loader: "/lib/ld-musl.so.1".into() },
            ProgramError::OtherMachine { file: file(), machine: "ARM with 64 bits".into() },
            ProgramError::Foreign { file: file(), what: "is a program for Windows".into() },
            ProgramError::NoExec(file()),
            ProgramError::Format(file()),
            ProgramError::NotExecuted { file: file(), errno: Errno::TXTBSY },
            ProgramError::System { file: file(), errno: Errno::LOOP },
        ] {
            let refused = Refused::of_program(error);
            assert_eq!(there_and_back(&refused), refused);
        }
        for error in
            [ProgramError::NotFound("/no/such/script".into()), ProgramError::Unreadable("/no/such/script".into())]
        {
            let refused = Refused::of_script(error);
            assert_eq!(there_and_back(&refused), refused);
        }
        let other = Refused::other(Step::Folder, "two\nlines");
        assert_eq!(there_and_back(&other), Refused::other(Step::Folder, "two lines"));
    }

    #[test]
    fn a_file_that_is_there_is_only_not_shown() {
        let decoded = Answer::decode("failed program program:not-found ", Path::new("/proc/self/exe"), None);
        let expected = ProgramError::NotShown("/proc/self/exe".into());
        assert_eq!(decoded, Some(Answer::Refused(Refused::of_program(expected))));
    }

    #[test]
    fn no_other_line_is_an_answer() {
        for line in [
            "",
            "ready",
            "ready 1",
            "ready x 1",
            "failed",
            "failed root",
            "failed nothing errno:1 x",
            "failed root errno:0 x",
            "failed root errno:99999 x",
            "failed root errno:-1 x",
            "failed root other:1 x",
            "failed program program:new x",
            "failed interpreted script:folder ",
            "done root errno:1 x",
        ] {
            assert_eq!(Answer::decode(line, Path::new("/"), None), None, "{line}");
        }
    }

    #[test]
    fn the_limit_of_the_right_kind_is_read() {
        let folder = std::env::temp_dir().join(format!("agon-limits-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for step in Step::ALL {
            for limit in step.limits() {
                fs::write(folder.join(limit), "15000\n").expect("a file");
            }
        }
        for step in Step::ALL {
            let no_space = Refused::new(step, "", Cause::Errno(Errno::NOSPC));
            assert_eq!(no_space.clone().with_limit(&folder), no_space, "nothing is 0");
            for limit in step.limits() {
                fs::write(folder.join(limit), "0\n").expect("a file");
                for other in Step::ALL {
                    let refused = Refused::new(other, "", Cause::Errno(Errno::NOSPC)).with_limit(&folder);
                    let expected = if other == step { Cause::Off(limit) } else { Cause::Errno(Errno::NOSPC) };
                    assert_eq!(refused.cause, expected, "{other} while {limit} is 0");
                }
                let denied = Refused::new(step, "", Cause::Errno(Errno::PERM));
                assert_eq!(denied.clone().with_limit(&folder), denied);
                fs::write(folder.join(limit), "15000\n").expect("a file");
            }
        }
        let _ = fs::remove_dir_all(&folder);
        let no_space = Refused::new(Step::Users, "", Cause::Errno(Errno::NOSPC));
        assert_eq!(no_space.clone().with_limit(&folder), no_space, "a kernel without these settings");
    }
}
