//! What a refusal means for the host: `docs/sandbox.md` has the table, and the code must agree with it.

use agon_sandbox::{Cause, RefusalKind, Refused, Step};
use rustix::io::Errno;
use std::time::Duration;

const DOCUMENT: &str = include_str!("../../../docs/sandbox.md");

/// The error numbers that the document names.
const NAMES: &[(&str, Errno)] = &[
    ("EPERM", Errno::PERM),
    ("EACCES", Errno::ACCESS),
    ("EAGAIN", Errno::AGAIN),
    ("ENOMEM", Errno::NOMEM),
    ("ENOBUFS", Errno::NOBUFS),
    ("ENOLCK", Errno::NOLCK),
    ("EDQUOT", Errno::DQUOT),
    ("EFBIG", Errno::FBIG),
    ("EMFILE", Errno::MFILE),
    ("ENFILE", Errno::NFILE),
    ("ENOSPC", Errno::NOSPC),
    ("EINVAL", Errno::INVAL),
    ("ENOSYS", Errno::NOSYS),
    ("EOPNOTSUPP", Errno::OPNOTSUPP),
];

/// The rows of the table with this heading, as cells.
fn rows(head: &str) -> Vec<Vec<&'static str>> {
    let mut lines = DOCUMENT.lines().skip_while(|line| *line != head);
    assert!(lines.next().is_some(), "the document has no table `{head}`");
    lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// The words in backticks in a cell.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// A row of the table of refusals.
struct Rule {
    /// The steps to which the rule applies. `None` means any step.
    steps: Option<Vec<Step>>,
    errnos: Vec<Errno>,
    /// Whether the rule applies only while a limit is 0.
    off: bool,
    /// Whether the rule is about a process that does not answer.
    silent: bool,
    rest: bool,
    kind: &'static str,
}

fn rules() -> Vec<Rule> {
    let rules: Vec<Rule> = rows("| step | answer | kind |")
        .into_iter()
        .map(|row| {
            let [steps, answer, kind] = row[..] else { panic!("{row:?}") };
            let steps = (steps != "any").then(|| {
                quoted(steps).into_iter().map(|name| Step::named(name).expect("a step of the code")).collect()
            });
            let errno = |name: &str| {
                let known = NAMES.iter().find(|(known, _)| *known == name);
                known.unwrap_or_else(|| panic!("`{name}` is no number that this test knows")).1
            };
            let errnos: Vec<Errno> = quoted(answer).into_iter().map(errno).collect();
            let off = answer.ends_with("while a limit of that step is 0");
            let silent = answer == "death by a signal, no answer within 2 s";
            let rest = answer == "anything else";
            assert!(silent || rest || !errnos.is_empty(), "{answer}");
            Rule { steps, errnos, off, silent, rest, kind }
        })
        .collect();
    assert!(rules.iter().any(|rule| rule.silent) && rules.last().is_some_and(|rule| rule.rest));
    rules
}

fn refused(step: Step, cause: Cause) -> Refused {
    Refused { step, what: String::new(), cause }
}

/// The kind of a refusal according to the document.
fn expected(rules: &[Rule], step: Step, errno: Errno, off: bool) -> &'static str {
    let fits = |rule: &&Rule| {
        rule.steps.as_ref().is_none_or(|steps| steps.contains(&step))
            && (rule.rest || rule.errnos.contains(&errno) && (off || !rule.off))
    };
    rules.iter().find(fits).expect("the last row fits all").kind
}

#[test]
fn every_answer_at_every_step_means_what_the_document_says() {
    let rules = rules();
    let mut seen = Vec::new();
    for step in Step::ALL {
        for number in 1..134 {
            let errno = Errno::from_raw_os_error(number);
            let plain = refused(step, Cause::Errno(errno)).kind();
            assert_eq!(plain.name(), expected(&rules, step, errno, false), "`{step}`, {errno}");
            seen.push(plain);
        }
        for limit in step.limits() {
            let off = refused(step, Cause::Off(limit)).kind();
            assert_eq!(off.name(), expected(&rules, step, Errno::NOSPC, true), "`{step}` while `{limit}` is 0");
        }
        if step.limits().is_empty() {
            let kind = step.kind(Errno::NOSPC, true).name();
            assert_eq!(kind, expected(&rules, step, Errno::NOSPC, false), "`{step}` has no limit");
        }
    }
    for kind in [RefusalKind::Unsupported, RefusalKind::Shortage, RefusalKind::Unknown] {
        assert!(seen.contains(&kind), "{kind:?}");
    }
}

#[test]
fn silence_means_what_the_document_says_and_nothing_else_lowers_a_level() {
    let silent = rules().into_iter().find(|rule| rule.silent).expect("it is there").kind;
    for step in Step::ALL {
        for cause in [Cause::Signal(9), Cause::NoAnswer(Duration::from_secs(2))] {
            assert_eq!(refused(step, cause).kind().name(), silent, "`{step}`");
        }
        for cause in [
            Cause::Ended(1),
            Cause::Protocol("x".into()),
            Cause::NoHelper,
            Cause::NotHelper("/x".into()),
            Cause::Other("x".into()),
        ] {
            assert_eq!(refused(step, cause).kind(), RefusalKind::Unknown, "`{step}`");
        }
    }
}

#[test]
fn the_document_has_every_step_with_its_limits_and_no_other() {
    let steps: Vec<(Step, Vec<&str>)> = rows("| step | what it does | limits |")
        .into_iter()
        .map(|row| {
            let [step, _, limits] = row[..] else { panic!("{row:?}") };
            (Step::named(quoted(step)[0]).expect("a step of the code"), quoted(limits))
        })
        .collect();
    let code: Vec<_> = Step::ALL.into_iter().map(|step| (step, step.limits().to_vec())).collect();
    assert_eq!(steps, code);
}
