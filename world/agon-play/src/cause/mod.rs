//! Why a bot failed, in the words of a beginner: what, where in the conversation, and what to do.
//!
//! [`cause`] is a function of what is left when a match is over, so it costs an exchange nothing. First the last words, the
//! end of the process and its stderr are weighed ([`explain`], a pure function). Only if they point to a file or a module,
//! there is a look at the host (`outside`).

mod language;
mod other_rules;
mod outside;
mod signs;

use crate::PreparedBot;
use agon_games::AnyGame;
use agon_referee::{Exit, Fault, FaultRecord, LastWords, PlyRecord, turn_name};
use agon_run::SeatOutcome;
use agon_spec::{FaultCause, Isolation, MatchSpec};
use language::BotLanguage;
use signs::Sign;

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
    /// Whether it had read everything and was not computing when it was killed.
    waiting: bool,
    /// Whether a sandbox confined it.
    is_confined: bool,
    language: Option<BotLanguage>,
    /// What ends a decision.
    decision_end: &'a str,
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
    let program = bot.program();
    let named = program.into_iter().flat_map(|program| &program.words).filter_map(|word| word.to_str());
    let failure = Failure {
        fault: &record.fault,
        words,
        stderr: &stderr,
        waiting: seat.waiting,
        is_confined: bot.isolation().is_some_and(|level| level > Isolation::None),
        language: bot.language().and_then(BotLanguage::of).or_else(|| BotLanguage::of_words(named)),
        decision_end: if record.ply == 0 { "the end of its line" } else { game.info().decision_end },
    };
    let guess = match explain(&failure) {
        Some(Verdict::Cause(guess)) => Some(guess),
        Some(Verdict::Look(sign)) => outside::look(&sign, bot),
        None => other_rules::find(game, spec, record, &words.heard, turns),
    }?;
    let place = place(record, words);
    Some(Cause { code: guess.code, what: guess.what, place, hint: guess.hint })
}

/// Weighs what is known about a failure.
fn explain(failure: &Failure<'_>) -> Option<Verdict> {
    let heard = &failure.words.heard[..];
    let guess = match failure.fault {
        Fault::Late { unread: false, .. } if failure.waiting => waiting(failure),
        Fault::Nonsense { line, .. } => spoken(line, heard)?,
        Fault::OutOfMemory { limit_mib, .. } => memory(&format!("it used more memory than its {limit_mib} MiB")),
        Fault::Crashed { exit: Exit::Stopped(_), .. } => return None,
        Fault::Crashed { exit, memory_mib, .. } => return crashed(failure, exit, *memory_mib),
        Fault::ClosedOutput => return crashed(failure, &Exit::Unknown, None),
        _ => return None,
    };
    Some(Verdict::Cause(guess))
}

/// The bot is late, has read everything and waits.
fn waiting(failure: &Failure<'_>) -> Guess {
    let LastWords { heard, is_answer, .. } = failure.words;
    if !is_answer {
        let hint = match failure.language {
            Some(BotLanguage { name, flush: Some(flush) }) => format!("in {name}, after each answer: `{flush}`"),
            Some(BotLanguage { name, flush: None }) => {
                format!("{name} writes at once: perhaps the bot waits for a line that does not come")
            }
            None => "in C `fflush(stdout);`, in C++ `std::cout << std::flush;`, after each answer".to_owned(),
        };
        let what = "nothing arrived, and it waits for input; perhaps its answer is still in a buffer: did you forget to flush?";
        return Guess::new(FaultCause::NoFlush, what, hint);
    }
    let shown = quote(heard);
    if heard.contains(&b'\r') && !heard.contains(&b'\n') {
        let what = format!("its answer `{shown}` has carriage returns (`\\r`) and no end of a line");
        return Guess::new(FaultCause::LineEnds, what, "end each line with `\\n`");
    }
    let missing = if heard.ends_with(b"\n") { failure.decision_end } else { "the end of the line" };
    let what = format!("`{shown}` arrived and the bot waits for input, but {missing} is missing");
    let hint = match failure.language {
        _ if heard.ends_with(b"\n") => format!("a decision ends with {}, also if it is empty", failure.decision_end),
        Some(BotLanguage { name, flush: Some(flush) }) => format!("end it with `\\n`, and flush; in {name}: `{flush}`"),
        _ => "end it with `\\n`, and flush".to_owned(),
    };
    Guess::new(FaultCause::NoEndOfAnswer, what, hint)
}

/// The bot wrote a line that is no protocol.
fn spoken(line: &str, heard: &[u8]) -> Option<Guess> {
    const MARK: &str = "\u{feff}";
    if line.starts_with(MARK) || heard.starts_with(MARK.as_bytes()) {
        let what = "its output begins with a byte order mark (BOM), the invisible bytes EF BB BF";
        return Some(Guess::new(
            FaultCause::Bom,
            what,
            "write UTF-8 without a BOM, for example `utf-8` and not `utf-8-sig`",
        ));
    }
    let trimmed = line.trim();
    if trimmed.starts_with(['{', '[']) && trimmed.contains('\'') && !trimmed.contains('"') {
        let what = "it wrote single quotes, but strings in JSON have double quotes";
        let hint = "use a JSON library; in Python `json.dumps(x)` in place of `str(x)`";
        return Some(Guess::new(FaultCause::Quotes, what, hint));
    }
    if line.trim_end_matches('\r').contains('\r') {
        let what = "it ends its lines with a carriage return (`\\r`) alone";
        return Some(Guess::new(FaultCause::LineEnds, what, "end each line with `\\n`"));
    }
    let of_java =
        ["OpenJDK", "Java HotSpot", "Picked up", "NOTE: Picked"].iter().any(|start| trimmed.starts_with(start));
    if of_java {
        let what = "a note of the Java virtual machine is on its stdout, where only answers belong";
        return Some(Guess::new(FaultCause::Prose, what, "start it as `java -XX:+DisplayVMOutputToStderr …`"));
    }
    is_prose(trimmed).then(|| {
        let what = "it wrote text for people to its stdout, where only answers belong";
        Guess::new(
            FaultCause::Prose,
            what,
            "debug output belongs on stderr; `--stderr` shows it while the match is played",
        )
    })
}

/// Whether a line is written for people: its first word is one, and another word or a colon follows.
fn is_prose(line: &str) -> bool {
    if line.starts_with(['{', '[', '=', '?']) {
        return false;
    }
    let is_word = |word: &str| {
        word.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !word.contains(|c: char| c.is_ascii_digit())
    };
    let mut words = line.split_whitespace();
    let Some(first) = words.next().filter(|first| is_word(first)) else { return false };
    first.ends_with([':', '=']) || line.starts_with("Traceback") || words.filter(|word| is_word(word)).count() >= 1
}

fn memory(what: &str) -> Guess {
    let hint = "let it use less, or give it more: `--memory 1024`";
    Guess::new(FaultCause::OutOfMemory, what, hint)
}

/// The process of the bot has ended.
fn crashed(failure: &Failure<'_>, exit: &Exit, memory_mib: Option<u64>) -> Option<Verdict> {
    if let Some(mib) = memory_mib {
        return Some(Verdict::Cause(memory(&format!("perhaps it ran out of memory: it used {mib} MiB"))));
    }
    if *exit == Exit::Code(0) {
        let LastWords { heard, is_answer: true, .. } = failure.words else { return None };
        let missing = if heard.ends_with(b"\n") { failure.decision_end } else { "the end of the line" };
        let what = format!("it ended by itself after `{}`; {missing} is missing", quote(heard));
        let hint = format!("a decision ends with {}", failure.decision_end);
        return Some(Verdict::Cause(Guess::new(FaultCause::NoEndOfAnswer, what, hint)));
    }
    let guess = match signs::read(failure.stderr)? {
        Sign::Python2 => {
            let hint = "translate it with `2to3 -w FILE`, or start it with `python2` where that is installed";
            Guess::new(FaultCause::Python2, "it is written in Python 2, but Python 3 runs it", hint)
        }
        Sign::Memory => memory("perhaps it ran out of memory"),
        Sign::Network if failure.is_confined => {
            let hint = "bots have no network; put what it loads into its folder";
            Guess::new(FaultCause::NoNetwork, "it used the network, which the sandbox does not have", hint)
        }
        Sign::Process if failure.is_confined => {
            let hint = "`--processes 16` lets each bot be up to 16 processes";
            Guess::new(FaultCause::Processes, "it started another process, which the sandbox does not allow", hint)
        }
        Sign::Network | Sign::Process => return None,
        sign if failure.is_confined => return Some(Verdict::Look(sign)),
        _ => return None,
    };
    Some(Verdict::Cause(guess))
}

/// Returns where in the conversation the bot failed.
fn place(record: &FaultRecord, words: &LastWords) -> String {
    let turn = match record.ply {
        0 => "in the greeting".to_owned(),
        ply => format!("in {}", turn_name(ply, record.round)),
    };
    let told = match last_line(&words.told) {
        Some(line) => format!("the last line told was `{line}`"),
        None => "nothing had been told".to_owned(),
    };
    let heard = match (&record.fault, last_line(&words.heard)) {
        (Fault::Nonsense { line, .. }, _) => format!("the last line heard `{}`", shortened(line.trim_end())),
        (_, Some(line)) if words.is_answer => format!("the last line heard `{line}`"),
        (_, Some(line)) => format!("the last line heard `{line}`, in its answer before"),
        (_, None) => "nothing was heard".to_owned(),
    };
    format!("{turn} {told}, {heard}")
}

/// Returns the last line that is not empty, shortened.
fn last_line(bytes: &[u8]) -> Option<String> {
    let line = bytes.split(|byte| *byte == b'\n').rev().find(|line| !line.trim_ascii().is_empty())?;
    Some(shortened(&String::from_utf8_lossy(line)))
}

/// Returns the last bytes with visible line ends, shortened.
fn quote(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST)..]).into_owned();
    let mark = if bytes.len() > MOST { "…" } else { "" };
    format!("{mark}{}", text.trim_start_matches('\u{fffd}').replace('\r', "\\r").replace('\n', "\\n"))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(fault: &Fault, heard: &[u8], stderr: &str, words: &str) -> Option<Verdict> {
        let is_answer = !heard.is_empty();
        explain(&Failure {
            fault,
            words: &LastWords { told: b"go\n".to_vec(), heard: heard.to_vec(), is_answer },
            stderr,
            waiting: true,
            is_confined: true,
            language: BotLanguage::of_words(words.split(' ')),
            decision_end: "the line `go`",
        })
    }

    fn guessed(verdict: Option<Verdict>) -> Option<Guess> {
        match verdict {
            Some(Verdict::Cause(guess)) => Some(guess),
            _ => None,
        }
    }

    #[test]
    fn who_waits_has_not_flushed_or_not_ended_the_answer() {
        let late = Fault::Late { limit_us: 1_000_000, heard: 0, unread: false, time: None };
        for (heard, words, code, said) in [
            (&b""[..], "python3 -u x.py", FaultCause::NoFlush, "print(…, flush=True)"),
            (b"", "java -jar x.jar", FaultCause::NoFlush, "System.out.flush()"),
            (b"", "./bot", FaultCause::NoFlush, "fflush(stdout)"),
            (b"1 2 3\n", "./bot", FaultCause::NoEndOfAnswer, "the line `go` is missing"),
            (b"1 2 3\ngo", "./bot", FaultCause::NoEndOfAnswer, "the end of the line is missing"),
            (b"1 2 3\rgo\r", "./bot", FaultCause::LineEnds, "`\\r`"),
        ] {
            let guess = guessed(weigh(&late, heard, "", words)).expect("a cause");
            assert_eq!(guess.code, code, "{guess:?}");
            assert!(guess.what.contains(said) || guess.hint.contains(said), "{guess:?}");
        }
        let unread = Fault::Late { limit_us: 1_000_000, heard: 0, unread: true, time: None };
        assert!(weigh(&unread, b"", "", "./bot").is_none());
    }

    #[test]
    fn what_is_no_protocol_has_a_reason() {
        let said = |line: &str| {
            let fault = Fault::Nonsense { line: line.to_owned(), why: "no order".into() };
            guessed(weigh(&fault, line.as_bytes(), "", "./bot")).map(|guess| guess.code)
        };
        for (line, code) in [
            ("\u{feff}{\"name\": \"x\"}", Some(FaultCause::Bom)),
            ("{'name': 'x'}", Some(FaultCause::Quotes)),
            ("1 2 3\r4 5 6", Some(FaultCause::LineEnds)),
            ("OpenJDK 64-Bit Server VM warning: x", Some(FaultCause::Prose)),
            ("sending ships now", Some(FaultCause::Prose)),
            ("debug: 3", Some(FaultCause::Prose)),
            ("C 1", None),
            ("S hello world", None),
            ("1 2", None),
            ("{\"command\": 3}", None),
            ("mvoe 3 4", None),
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
        assert_eq!(code(&crash(1, None), b"", "Network is unreachable"), Some(FaultCause::NoNetwork));
        assert_eq!(code(&crash(0, None), b"1 2 3\n", "Cannot fork"), Some(FaultCause::NoEndOfAnswer));
        assert_eq!(code(&crash(0, None), b"", ""), None);
        let look = weigh(&crash(1, None), b"", "cat: book: No such file or directory", "./x");
        assert!(matches!(look, Some(Verdict::Look(Sign::NoFile(_)))), "{look:?}");
    }

    #[test]
    fn the_place_quotes_both_sides() {
        let fault = Fault::ClosedOutput;
        let record = FaultRecord { seat: agon_core::Seat::new(0), ply: 3, round: None, fault };
        let words = LastWords { told: b"P 1\ngo\n".to_vec(), heard: Vec::new(), is_answer: false };
        assert_eq!(place(&record, &words), "in turn 3 the last line told was `go`, nothing was heard");
        let words = LastWords { heard: b"1 2 3\n".to_vec(), ..words };
        let said = "in turn 3 the last line told was `go`, the last line heard `1 2 3`, in its answer before";
        assert_eq!(place(&record, &words), said);
    }
}
