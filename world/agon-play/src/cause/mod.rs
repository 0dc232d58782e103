//! Why a bot failed, in the words of a beginner: what, where in the conversation, and what to do.
//!
//! [`cause`] is a function of what is left when a match is over, so it costs an exchange nothing. First the last words, the
//! end of the process and its stderr are weighed ([`explain`], a pure function). Only if they point to a file or a module,
//! there is a look at the host (`outside`).

mod limits;
mod nonsense;
mod other_rules;
mod outside;
mod place;
mod signs;
mod silence;
mod slow;

use crate::PreparedBot;
use agon_games::AnyGame;
use agon_languages::{Entry, Language, of_words};
use agon_referee::{Exit, Fault, LastWords, PlyRecord};
use agon_run::{InputState, SeatOutcome, has_used_half, speaks_of_memory};
use agon_spec::{FaultCause, Isolation, MatchSpec};
use limits::{MemoryLimit, out_of_memory};
use nonsense::{begins_with_word, perhaps_prose, spoken};
use place::{place, quote};
use signs::{Sign, Wanted};
use silence::waiting;

/// What ends an answer of a game in which a turn has several, each to a command of its own.
const EMPTY_LINE: &str = "the empty line after it";

/// The likely cause of a fault. The texts may quote the bot, so clean them before you show them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The cause as documents name it.
    pub code: FaultCause,
    /// What is wrong, as a lower-case fragment. It says "perhaps" if that is not certain.
    pub what: String,
    /// The place in the conversation: what the bot was last told and what it last said.
    pub place: String,
    /// What the bot's author can do.
    pub hint: String,
}

/// What is known about a failed bot without a look at the host.
struct Failure<'a> {
    fault: &'a Fault,
    words: &'a LastWords,
    /// The end of its stderr.
    stderr: &'a str,
    /// How far it had read its input when it was killed.
    input: InputState,
    /// Whether a sandbox confined it.
    is_confined: bool,
    /// The most memory that it was seen to use, in MiB. `None` if nobody looked.
    peak_mib: Option<u64>,
    /// Its memory limit. `None` if it has none.
    memory: Option<MemoryLimit>,
    /// Its level of isolation.
    isolation: Option<Isolation>,
    /// How many processes it may be.
    processes: u32,
    language: Option<&'static Entry>,
    /// Whether its source flushes, or its command makes that needless.
    flushes: bool,
    /// What ends a decision.
    decision_end: &'a str,
    /// The turn in which it failed. 0 is the greeting.
    ply: u32,
}

impl Failure<'_> {
    /// Returns what was heard of the answer that is missing. The answers to earlier commands of a turn are complete.
    fn pending(&self) -> &[u8] {
        let heard = &self.words.heard[..];
        let ends = |at: &usize| heard[..*at].ends_with(b"\n\n") || heard[..*at].ends_with(b"\n\r\n");
        let end = (0..=heard.len()).rev().find(ends).filter(|_| self.decision_end == EMPTY_LINE);
        &heard[end.unwrap_or(0)..]
    }

    /// Returns how much memory the bot used, in MiB, if it used much and its last answer is what runtimes write for lack of
    /// memory. Some write that to stdout, where it was heard as an answer.
    fn speaks_of_memory(&self) -> Option<u64> {
        let (used, limit) = (self.peak_mib?, u64::from(self.memory?.mib));
        let heard = String::from_utf8_lossy(&self.words.heard);
        // Java's report begins with this line, and the referee may have heard no more.
        let begins = heard.trim_end().lines().last() == Some("#");
        (has_used_half(used, limit) && (begins || speaks_of_memory(&heard))).then_some(used)
    }

    /// Returns the way out for a bot that writes a file.
    fn where_to_write(&self) -> String {
        let writable = match self.isolation {
            Some(Isolation::Full) => {
                "it may write in the folders that `$TMPDIR` and `$HOME` name, and they are empty in every match"
            }
            _ => "at this level it may write no file; `--sandbox full` gives it empty folders, where that works",
        };
        format!("a log belongs on stderr (`--stderr`, `--transcript FILE`); {writable}")
    }
}

/// What the weighing says.
#[derive(Debug)]
enum Verdict {
    Cause(Guess),
    /// The host must be looked at first.
    Look(Sign),
}

/// A cause without its place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Guess {
    code: FaultCause,
    what: String,
    hint: String,
}

impl Guess {
    fn new(code: FaultCause, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, what: what.into(), hint: hint.into() }
    }
}

/// Returns why the bot of `seat` failed, as far as that can be told. `turns` are the turns of the match, up to the fault or
/// longer; without them, other rule sets are not tried.
#[must_use]
pub fn cause(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    bot: &PreparedBot,
    seat: &SeatOutcome,
    turns: Option<&[PlyRecord]>,
) -> Option<Cause> {
    let record = seat.fault.as_ref()?;
    if !bot.spec().is_process() {
        return None;
    }
    let nothing = LastWords::default();
    let words = seat.last_words.as_ref().unwrap_or(&nothing);
    let stderr = seat.stderr.last_lines(60);
    let language = written_in(bot);
    let own = spec.seats.get(record.seat.index()).and_then(|seat| seat.memory_mib);
    let failure = Failure {
        fault: &record.fault,
        words,
        stderr: &stderr,
        input: seat.input,
        peak_mib: seat.peak_mib,
        isolation: bot.isolation(),
        is_confined: bot.isolation().is_some_and(|level| level > Isolation::None),
        memory: spec.memory_mib(record.seat).map(|mib| MemoryLimit { mib, seat: own.map(|_| record.seat) }),
        processes: bot.confinement().map_or(1, |confinement| confinement.processes),
        language,
        ply: record.ply,
        flushes: seat.input == InputState::Waiting && language.is_some_and(|language| outside::flushes(bot, language)),
        decision_end: match game.info().decision_end {
            end if record.ply > 0 || end == EMPTY_LINE => end,
            _ => "the end of its line",
        },
    };
    let guess = match explain(&failure) {
        Some(Verdict::Cause(guess)) => Some(guess),
        Some(Verdict::Look(sign)) => outside::look(&sign, bot, &failure.where_to_write()),
        None => other_rules::find(game, spec, record, words, turns).map(|guess| match failure.fault {
            // Other rules may skip such a line, but the author did not mean it as an order.
            Fault::Nonsense { line, .. } if begins_with_word(line) => perhaps_prose(),
            _ => guess,
        }),
    }?;
    let place = place(record, words, &stderr);
    Some(Cause { code: guess.code, what: guess.what, place, hint: guess.hint })
}

/// Returns the language of a bot, as far as its build or its command says.
fn written_in(bot: &PreparedBot) -> Option<&'static Entry> {
    let words = bot.program().into_iter().flat_map(|program| &program.words).filter_map(|word| word.to_str());
    bot.language().filter(|it| *it != Language::Program).map(Language::entry).or_else(|| of_words(words))
}

/// Weighs what is known about a failure.
fn explain(failure: &Failure<'_>) -> Option<Verdict> {
    let guess = match failure.fault {
        Fault::Late { unread: false, .. } if failure.input == InputState::Waiting => waiting(failure),
        Fault::Late { time, .. } => slow::late(failure, time.as_ref())?,
        Fault::Nonsense { line, .. } => match failure.speaks_of_memory() {
            Some(mib) => perhaps_out_of_memory(failure, mib),
            None => spoken(failure, line)?,
        },
        Fault::Flood { .. } => {
            let what = "perhaps it writes answers without reading what it is told";
            let hint = "read up to the end of a turn, answer once, and read again";
            Guess::new(FaultCause::NeverReads, what, hint)
        }
        Fault::OutOfMemory { limit_mib, used_mib: None } => {
            out_of_memory(failure.memory, format!("it used more memory than its {limit_mib} MiB"))
        }
        Fault::OutOfMemory { limit_mib, used_mib: Some(used) } => {
            let what = format!("it ran out of memory: it used {used} of its {limit_mib} MiB");
            out_of_memory(failure.memory, what)
        }
        Fault::Crashed { exit: Exit::Stopped(_), .. } => return None,
        Fault::Crashed { exit, memory_mib, .. } => return crashed(failure, exit, *memory_mib),
        Fault::ClosedOutput => return crashed(failure, &Exit::Unknown, None),
        _ => return None,
    };
    Some(Verdict::Cause(guess))
}

/// The bot may have had too little memory.
fn perhaps_out_of_memory(failure: &Failure<'_>, used_mib: u64) -> Guess {
    out_of_memory(failure.memory, format!("perhaps it ran out of memory: it used {used_mib} MiB"))
}

/// The process of the bot has ended.
fn crashed(failure: &Failure<'_>, exit: &Exit, memory_mib: Option<u64>) -> Option<Verdict> {
    let sign = signs::read(failure.stderr);
    // A bot that may start no more processes has used much memory, too.
    let said = || failure.speaks_of_memory().filter(|_| *exit != Exit::Code(0));
    if let Some(mib) = memory_mib.or_else(said).filter(|_| sign != Some(Sign::Process)) {
        return Some(Verdict::Cause(perhaps_out_of_memory(failure, mib)));
    }
    if *exit == Exit::Code(0) {
        let heard = failure.pending();
        if !failure.words.is_answer || heard.is_empty() {
            return None;
        }
        let missing = if heard.ends_with(b"\n") { failure.decision_end } else { "the end of the line" };
        let what = format!("it ended by itself after `{}`; {missing} is missing", quote(heard));
        let hint = match failure.decision_end {
            EMPTY_LINE => "an empty line ends each answer".to_owned(),
            end => format!("a decision ends with {end}"),
        };
        return Some(Verdict::Cause(Guess::new(FaultCause::NoEndOfAnswer, what, hint)));
    }
    let guess = match sign? {
        Sign::Python2 => {
            let hint = "translate it with `2to3 -w FILE`, or start it with `python2` where that is installed";
            Guess::new(FaultCause::Python2, "it is written in Python 2, but Python 3 runs it", hint)
        }
        Sign::Tabs => {
            let what = "its indentation mixes tabs and spaces, as Python 2 allows and Python 3 does not";
            let hint = "`python3 -m tabnanny FILE` names the line; write only spaces, or start it with `python2` where that is \
                        installed";
            Guess::new(FaultCause::Python2, what, hint)
        }
        Sign::Memory => out_of_memory(failure.memory, "perhaps it ran out of memory"),
        Sign::Network if failure.is_confined => {
            let hint = "bots have no network; put what it loads into its folder";
            Guess::new(FaultCause::NoNetwork, "it used the network, which the sandbox does not have", hint)
        }
        Sign::Process if failure.is_confined => limits::too_many_processes(failure.processes, failure.isolation),
        Sign::SharedMemory if failure.is_confined => {
            let what = "it used `multiprocessing`, whose locks need shared memory, which the sandbox does not have";
            Guess::new(
                FaultCause::Processes,
                what,
                "use threads, or start processes that speak over pipes (`subprocess`)",
            )
        }
        Sign::Network | Sign::Process | Sign::SharedMemory => return None,
        // A wrong folder is no matter of the sandbox.
        Sign::NoVersion(wanted) => no_interpreter(&wanted),
        sign if failure.is_confined || matches!(sign, Sign::NoFile(_) | Sign::NoModule(..)) => {
            return Some(Verdict::Look(sign));
        }
        _ => return None,
    };
    Some(Verdict::Cause(guess))
}

/// A tool chooses the interpreter, and has not the version that it wants.
fn no_interpreter(wanted: &Wanted) -> Guess {
    let tool = &wanted.tool;
    let what = match &wanted.version {
        Some(version) => {
            format!("{tool} starts its interpreter, and the version {version} that it wants is not installed")
        }
        None => format!("{tool} starts its interpreter, and no installed version is chosen"),
    };
    let install = match &wanted.version {
        Some(version) if tool != "asdf" && tool != "rustup" => format!("`{tool} install {version}`"),
        _ => format!("choose a version that {tool} has installed"),
    };
    Guess::new(
        FaultCause::NoInterpreter,
        what,
        format!("{install}, or name the interpreter by its path, as /usr/bin/python3"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(fault: &Fault, heard: &[u8], stderr: &str, words: &str) -> Option<Verdict> {
        weigh_told(b"go\n", fault, heard, stderr, words)
    }

    fn weigh_told(told: &[u8], fault: &Fault, heard: &[u8], stderr: &str, words: &str) -> Option<Verdict> {
        let is_answer = !heard.is_empty();
        let words_heard = LastWords { told: told.to_vec(), heard: heard.to_vec(), is_answer, is_whole: is_answer };
        let language = of_words(words.split(' '));
        explain(&Failure { stderr, language, ..failure(fault, &words_heard) })
    }

    fn failure<'a>(fault: &'a Fault, words: &'a LastWords) -> Failure<'a> {
        Failure {
            fault,
            words,
            stderr: "",
            input: InputState::Waiting,
            peak_mib: None,
            is_confined: true,
            memory: Some(MemoryLimit { mib: 400, seat: None }),
            isolation: Some(Isolation::Full),
            processes: 1,
            language: None,
            flushes: false,
            decision_end: "the line `go`",
            ply: 7,
        }
    }

    #[test]
    fn a_busy_bot_is_told_from_one_that_has_not_begun_to_read() {
        use agon_spec::TimeRecord;
        let computed =
            |cpu_us: u64| Some(TimeRecord { wall_us: 1_000_000, cpu_us: Some(cpu_us), ..TimeRecord::default() });
        use InputState::{Read, Unread};
        for (ply, input, time, code) in [
            (7, Read, computed(950_000), Some(FaultCause::EndlessLoop)),
            (7, Unread, computed(950_000), Some(FaultCause::EndlessLoop)),
            (1, Read, computed(950_000), Some(FaultCause::EndlessLoop)),
            (1, Unread, computed(950_000), Some(FaultCause::SlowStart)),
            (0, Unread, computed(10_000), Some(FaultCause::SlowStart)),
            (1, Unread, None, Some(FaultCause::SlowStart)),
            (1, Read, computed(10_000), None),
            (7, Read, computed(300_000), None),
            (7, Unread, computed(10_000), None),
            (7, Read, None, None),
        ] {
            let fault = Fault::Late { limit_us: 1_000_000, heard: 0, unread: false, time };
            let nothing = LastWords::default();
            let failure = Failure { ply, input, ..failure(&fault, &nothing) };
            assert_eq!(guessed(explain(&failure)).map(|guess| guess.code), code, "turn {ply}, {input:?}, {time:?}");
        }
    }

    fn guessed(verdict: Option<Verdict>) -> Option<Guess> {
        match verdict {
            Some(Verdict::Cause(guess)) => Some(guess),
            _ => None,
        }
    }

    #[test]
    fn a_waiting_bot_has_not_flushed_or_not_ended_its_answer() {
        let late = Fault::Late { limit_us: 1_000_000, heard: 0, unread: false, time: None };
        for (heard, words, code, said) in [
            (&b""[..], "python3 x.py", FaultCause::NoFlush, "print(…, flush=True)"),
            (b"", "node x.js", FaultCause::ExtraRead, "writes at once"),
            (b"", "java -jar x.jar", FaultCause::NoFlush, "`out.flush()`"),
            (b"", "./bot", FaultCause::NoFlush, "fflush(stdout)"),
            (b"1 2 3\n", "./bot", FaultCause::NoEndOfAnswer, "the line `go` is missing"),
            (b"1 2 3\ngo", "./bot", FaultCause::NoEndOfAnswer, "the end of the line is missing"),
            (b"1 2 3\rgo\r", "./bot", FaultCause::LineEnds, "`\\r`"),
            (b"1 2 3\ngo\r", "./bot", FaultCause::LineEnds, "`\\r`"),
        ] {
            let guess = guessed(weigh(&late, heard, "", words)).expect("a cause");
            assert_eq!(guess.code, code, "{guess:?}");
            assert!(guess.what.contains(said) || guess.hint.contains(said), "{guess:?}");
        }
        let unread = Fault::Late { limit_us: 1_000_000, heard: 0, unread: true, time: None };
        assert!(weigh(&unread, b"", "", "./bot").is_none(), "in a later turn");
    }

    /// A turn may have several commands. What was answered to the first ones is complete.
    #[test]
    fn an_answer_that_was_not_begun_has_no_end_to_miss() {
        let fault = Fault::Late { limit_us: 1_000_000, heard: 3, unread: false, time: None };
        for (heard, code, said) in [
            (&b"=\n\n"[..], FaultCause::NoFlush, "nothing of its last answer arrived"),
            (b"=\r\n\r\n", FaultCause::NoFlush, "did you forget to flush?"),
            (b"=\n\n= 1 2\n", FaultCause::NoEndOfAnswer, "`= 1 2\\n` arrived"),
            (b"=\n", FaultCause::NoEndOfAnswer, "an empty line ends each answer"),
        ] {
            let words =
                LastWords { told: b"gen_move\n".to_vec(), heard: heard.to_vec(), is_answer: true, is_whole: true };
            let guess = waiting(&Failure { decision_end: EMPTY_LINE, ..failure(&fault, &words) });
            assert_eq!(guess.code, code, "{guess:?}");
            assert!(guess.what.contains(said) || guess.hint.contains(said), "{guess:?}");
        }
    }

    #[test]
    fn words_of_a_runtime_about_memory_are_no_prose() {
        let nonsense = |line: &str| Fault::Nonsense { line: line.to_owned(), why: "no order".into() };
        let crashed = |exit| Fault::Crashed { exit, stderr: String::new(), memory_mib: None };
        const JAVA: &str = "# There is insufficient memory for the Java Runtime Environment to continue.\n";
        let memory = Some(FaultCause::OutOfMemory);
        for (fault, heard, peak_mib, expected) in [
            (nonsense("#"), "#\n", Some(175), memory),
            (nonsense("#"), "1 2 3\n#\n", Some(399), memory),
            (nonsense("# There is"), JAVA, Some(175), memory),
            (nonsense("MemoryError"), "MemoryError\n", Some(390), memory),
            (nonsense("MemoryError"), "MemoryError\n", Some(90), Some(FaultCause::Prose)),
            (nonsense("MemoryError"), "MemoryError\n", None, Some(FaultCause::Prose)),
            (nonsense("Hello there"), "Hello there\n", Some(390), Some(FaultCause::Prose)),
            (crashed(Exit::Code(1)), "Out of memory!\n", Some(200), memory),
            (crashed(Exit::Code(1)), "Out of memory!\n", Some(100), None),
            (crashed(Exit::Code(0)), "Out of memory!\n", Some(200), Some(FaultCause::NoEndOfAnswer)),
            (Fault::ClosedOutput, "Out of memory!\n", Some(200), memory),
        ] {
            let words = LastWords { told: b"go\n".to_vec(), heard: heard.into(), is_answer: true, is_whole: true };
            let verdict = explain(&Failure { peak_mib, ..failure(&fault, &words) });
            assert_eq!(guessed(verdict).map(|guess| guess.code), expected, "{fault:?} {heard} {peak_mib:?}");
        }
    }

    #[test]
    fn output_that_is_no_protocol_has_a_reason() {
        let said_after = |told: &[u8], line: &str| {
            let fault = Fault::Nonsense { line: line.to_owned(), why: "no order".into() };
            guessed(weigh_told(told, &fault, line.as_bytes(), "", "./bot")).map(|guess| guess.code)
        };
        for (line, code) in [
            ("{'name': 'x'}", Some(FaultCause::Quotes)),
            ("{\"command\": 3}", None),
            ("[1, 2]", Some(FaultCause::Prose)),
        ] {
            assert_eq!(said_after(b"{\"position\": [1, 2]}\n", line), code, "{line}");
        }
        let said = |line: &str| said_after(b"go\n", line);
        for (line, code) in [
            ("\u{feff}{\"name\": \"x\"}", Some(FaultCause::Bom)),
            ("1 2 3\r4 5 6", Some(FaultCause::LineEnds)),
            ("OpenJDK 64-Bit Server VM warning: x", Some(FaultCause::Prose)),
            ("sending ships now", Some(FaultCause::Prose)),
            ("debug: 3", Some(FaultCause::Prose)),
            ("hello", Some(FaultCause::Prose)),
            ("Done!", Some(FaultCause::Prose)),
            ("Go", None),
            ("goo", None),
            ("C 1", None),
            ("S hello world", None),
            ("1 2", None),
            ("mvoe 3 4", None),
            ("1", Some(FaultCause::Prose)),
            ("[1, 2]", Some(FaultCause::Prose)),
            ("{ planets: 3 }", Some(FaultCause::Prose)),
            ("{'planets': 3}", Some(FaultCause::Prose)),
            ("", Some(FaultCause::Prose)),
        ] {
            assert_eq!(said(line), code, "{line}");
        }
    }

    #[test]
    fn a_crash_is_weighed_by_its_end() {
        let crash =
            |code: i32, memory_mib| Fault::Crashed { exit: Exit::Code(code), stderr: String::new(), memory_mib };
        let code =
            |fault: &Fault, heard: &[u8], stderr: &str| guessed(weigh(fault, heard, stderr, "./x")).map(|it| it.code);
        assert_eq!(code(&crash(1, Some(390)), b"", ""), Some(FaultCause::OutOfMemory));
        assert_eq!(code(&crash(1, None), b"", "x: Cannot fork"), Some(FaultCause::Processes));
        assert_eq!(code(&crash(1, Some(390)), b"", "x: Cannot fork"), Some(FaultCause::Processes));
        let full = Fault::OutOfMemory { limit_mib: 400, used_mib: Some(390) };
        let guess = guessed(weigh(&full, b"", "", "./x")).expect("a cause");
        assert!(guess.what.contains("used 390 of its 400 MiB") && guess.hint.contains("--memory 800"), "{guess:?}");
        assert_eq!(code(&crash(1, None), b"", "Network is unreachable"), Some(FaultCause::NoNetwork));
        assert_eq!(code(&crash(0, None), b"1 2 3\n", "Cannot fork"), Some(FaultCause::NoEndOfAnswer));
        assert_eq!(code(&crash(0, None), b"", ""), None);
        let look = weigh(&crash(1, None), b"", "cat: book: No such file or directory", "./x");
        assert!(matches!(look, Some(Verdict::Look(Sign::NoFile(_)))), "{look:?}");
    }
}
