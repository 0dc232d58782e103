//! The filter of system calls for programs in a sandbox. It lists the calls that are refused, not those that are
//! allowed: an arena must run bots in any language, and the next runtime would need a call that no list of allowed
//! calls has.
//!
//! A refused call returns an error that a program can handle. Only calls with the numbers of another architecture
//! kill.

use super::{
    bpf::{Check, Writer},
    calls::{conditional, unconditional},
    permits,
};
use crate::Cause;
use libc::c_long;
use seccompiler::{BpfProgram, TargetArch, apply_filter};
use std::collections::{BTreeMap, BTreeSet};

/// What the filter depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FilterOptions {
    /// The ID of this process. Without scoped signals and children, it may signal no other process.
    pub own_pid: u32,
    /// Whether the process may start other processes.
    pub children: bool,
    /// Whether a namespace or Landlock keeps its signals away from processes outside of the sandbox.
    pub signals_scoped: bool,
    /// Whether the process must stay in its process group, because only the group keeps its children together.
    pub stay_in_group: bool,
    /// Whether the process must stay in its session, whose processes share what the session gets of a core.
    pub stay_in_session: bool,
    /// Whether the process sees the host's files at their usual paths and has no files of its own to change. Landlock
    /// has no right for changing the attributes of a file, so the filter refuses these calls.
    pub among_hosts_files: bool,
}

/// Installs the filter for this thread and for all threads and processes that it starts.
pub(crate) fn install(how: FilterOptions) -> Result<(), Cause> {
    let program = program(how).map_err(Cause::Other)?;
    apply_filter(&program).map_err(|e| Cause::of_error(&e))
}

/// Makes the whole filter. It is one program: for each one the kernel has to find out, at every start of a bot, what it
/// answers to each call that exists.
fn program(how: FilterOptions) -> Result<BpfProgram, String> {
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(|e| format!("{e}"))?;
    let mut writer = Writer::default();
    let begin = writer.by_number(&ranges(how), ALLOW);
    let begin = writer.load_number(begin);
    writer.check_architecture(audit_number(arch), libc::SECCOMP_RET_KILL_PROCESS, begin);
    Ok(writer.finish())
}

/// The checks of all calls from a number to the one before the next.
fn ranges(how: FilterOptions) -> Vec<(u32, Vec<Check>)> {
    let Refusals { always, mut checks } = forbidden(how);
    for (call, permits) in permits::checks(!how.children) {
        checks.entry(call).or_default().extend(permits);
    }
    let of_call = |number: u32| {
        if always.contains(&number) {
            vec![Check::always(EPERM)]
        } else if is_missing(number) {
            vec![Check::always(ENOSYS)]
        } else {
            checks.get(&number).cloned().unwrap_or_default()
        }
    };
    let mut ranges: Vec<_> = (0..=UNKNOWN).map(|number| (number, of_call(number))).collect();
    ranges.dedup_by(|(_, later), (_, earlier)| later == earlier);
    ranges
}

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

/// The number of an architecture in the input of a filter.
const fn audit_number(arch: TargetArch) -> u32 {
    match arch {
        TargetArch::x86_64 => 0xc000_003e,
        TargetArch::aarch64 => 0xc000_00b7,
        TargetArch::riscv64 => 0xc000_00f3,
    }
}

/// Calls that fail as on a kernel that does not have them, so that runtimes fall back to calls that the filter can
/// check. The flags of `clone3` and `openat2` are behind a pointer, which a filter cannot follow.
const UNIMPLEMENTED: [c_long; 4] = [libc::SYS_clone3, libc::SYS_openat2, libc::SYS_memfd_create, MAP_SHADOW_STACK];
/// Maps memory that no limit counts.
const MAP_SHADOW_STACK: c_long = 453;

/// The calls that are refused.
struct Refusals {
    /// Those that are refused with any arguments.
    always: BTreeSet<u32>,
    /// The checks of the others.
    checks: BTreeMap<u32, Vec<Check>>,
}

fn forbidden(how: FilterOptions) -> Refusals {
    let mut checks: BTreeMap<u32, Vec<Check>> = BTreeMap::new();
    for (call, conditions) in conditional(how) {
        checks.entry(number(call)).or_default().push(Check::If(conditions, EPERM));
    }
    Refusals { always: unconditional(how).into_iter().map(number).collect(), checks }
}

/// Returns the number of a call as the filter sees it.
const fn number(call: c_long) -> u32 {
    call as u32
}

/// The first number of a call that the lists do not cover. New calls have the same number on every architecture.
const UNKNOWN: u32 = 463;

/// The gap in the numbers before those that all architectures share, from the first number that the lists do not cover
/// to the last free one. New calls of this architecture alone get numbers in the gap. It has had two so far, 335 and
/// 336. The kernel itself makes these calls in programs that are traced from outside, and they are of no other use.
#[cfg(target_arch = "x86_64")]
const GAP: Option<(u32, u32)> = Some((337, 423));
#[cfg(not(target_arch = "x86_64"))]
const GAP: Option<(u32, u32)> = None;

/// Returns whether a call shall fail as on a kernel without it. That includes every call that is newer than the lists,
/// however new the kernel is, such as those for file attributes by path (463 to 469). It also includes the numbers from
/// 2^30, which are the calls of x32 on some kernels: the same calls by other numbers, to which no rule applies.
fn is_missing(call: u32) -> bool {
    call >= UNKNOWN
        || GAP.is_some_and(|(first, last)| (first..=last).contains(&call))
        || UNIMPLEMENTED.contains(&c_long::from(call))
}

#[cfg(test)]
pub(super) mod tests {
    use super::{
        super::{
            bpf::{Condition, tests::run},
            calls::FORKS,
        },
        *,
    };
    use seccompiler::{
        SeccompAction,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::{MaskedEq, Ne},
        SeccompCondition, SeccompFilter, SeccompRule,
    };

    /// Makes a program of checks alone, whatever the number of the call is.
    fn program_of_checks(checks: Vec<Check>) -> BpfProgram {
        let mut writer = Writer::default();
        let begin = writer.by_number(&[(0, checks)], ALLOW);
        writer.load_number(begin);
        writer.finish()
    }

    /// Returns the answer of checks.
    pub(in super::super) fn answer_of_checks(checks: Vec<Check>, arguments: [u64; 6]) -> u32 {
        run(&program_of_checks(checks), 0, 0, arguments)
    }

    /// Returns the answer of a filter to a call on this architecture.
    fn answer(program: &BpfProgram, number: u32, arguments: [u64; 6]) -> u32 {
        let arch: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
        run(program, number, arch, arguments)
    }

    /// The options of a bot of one process in namespaces.
    fn usual() -> FilterOptions {
        FilterOptions {
            own_pid: 2,
            children: false,
            signals_scoped: true,
            stay_in_group: false,
            stay_in_session: true,
            among_hosts_files: false,
        }
    }

    fn every_set_of_options() -> impl Iterator<Item = FilterOptions> {
        (0..32).map(|bits| FilterOptions {
            own_pid: 2,
            children: bits & 1 > 0,
            signals_scoped: bits & 2 > 0,
            stay_in_group: bits & 4 > 0,
            among_hosts_files: bits & 8 > 0,
            stay_in_session: bits & 16 > 0,
        })
    }

    /// The library knows no condition for any of several bits. A rule with a single one is a rule for each bit.
    fn by_bit(conditions: Vec<Condition>) -> Vec<Vec<Condition>> {
        match conditions[..] {
            [Condition { half, mask, value: 0, equal: false }] => {
                let bits = (0..32).map(|bit| 1 << bit).filter(|bit| mask & bit > 0);
                bits.map(|bit: u32| vec![Condition::has(half / 2, bit.cast_signed())]).collect()
            }
            _ => vec![conditions],
        }
    }

    /// Has the library make a filter of what is refused.
    fn by_library(how: FilterOptions) -> BpfProgram {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        for (call, conditions) in conditional(how) {
            for conditions in by_bit(conditions) {
                let built = conditions.iter().map(|condition| {
                    let Condition { half, mask, value, equal } = *condition;
                    let op = if equal { MaskedEq(mask.into()) } else { Ne };
                    SeccompCondition::new(half / 2, Dword, op, value.into()).expect("a lawful condition")
                });
                let rule = SeccompRule::new(built.collect()).expect("it has conditions");
                rules.entry(call).or_default().push(rule);
            }
        }
        rules.extend(unconditional(how).into_iter().map(|call| (call, Vec::new())));
        let arch = std::env::consts::ARCH.try_into().expect("a known architecture");
        let refused = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch);
        filter.and_then(TryInto::try_into).expect("it compiles")
    }

    #[test]
    fn it_refuses_what_the_library_refuses_and_permits_what_is_listed() {
        for how in every_set_of_options() {
            let whole = program(how).expect("a known architecture");
            let refused = by_library(how);
            let permits: BTreeMap<_, _> = permits::checks(!how.children)
                .into_iter()
                .map(|(call, checks)| (call, program_of_checks(checks)))
                .collect();
            let mut values: Vec<u64> = conditional(how)
                .iter()
                .flat_map(|(_, conditions)| conditions.iter().map(|condition| u64::from(condition.value)))
                .chain([0, 1, 2, 3, 10, 0x22, 0x5412, 0x1000_0000, 0x4_0000, u64::from(u32::MAX), u64::MAX, 1 << 32])
                .collect();
            values.sort_unstable();
            values.dedup();
            let (mut kinds, mut calls) = (BTreeMap::<u32, u32>::new(), (0..700).collect::<Vec<u32>>());
            calls.extend([0x3fff_ffff, 0x4000_0001, u32::MAX]);
            for number in calls {
                for value in &values {
                    // All arguments alike, and each one beside others.
                    let mut all = vec![[*value; 6]];
                    for other in [0, 1] {
                        all.extend((0..6).map(|at| std::array::from_fn(|i| if i == at { *value } else { other })));
                    }
                    for arguments in all {
                        let expected = match answer(&refused, number, arguments) {
                            ALLOW if is_missing(number) => ENOSYS,
                            ALLOW => permits.get(&number).map_or(ALLOW, |permits| run(permits, 0, 0, arguments)),
                            refused => refused,
                        };
                        let got = answer(&whole, number, arguments);
                        assert_eq!(got, expected, "{how:?}: call {number}, arguments {arguments:#x?}");
                        *kinds.entry(got).or_default() += 1;
                    }
                }
            }
            assert!(kinds[&ALLOW] > 1000 && kinds[&EPERM] > 1000 && kinds[&ENOSYS] > 1000, "{kinds:?}");
        }
    }

    #[test]
    fn its_size_is_far_below_what_the_kernel_takes() {
        for how in every_set_of_options() {
            let size = program(how).expect("a known architecture").len();
            assert!(size < 500, "{how:?}: {size} instructions of at most 4096");
        }
    }

    #[test]
    fn the_options_decide_which_calls_are_refused_with_any_arguments() {
        for how in every_set_of_options() {
            let always = forbidden(how).always;
            assert_eq!(how.children, FORKS.iter().all(|call| !always.contains(&number(*call))));
            assert_eq!(how.signals_scoped, !always.contains(&number(libc::SYS_tkill)));
            assert_eq!(how.among_hosts_files, always.contains(&number(libc::SYS_fchmodat)));
            assert_eq!(how.stay_in_group, always.contains(&number(libc::SYS_setpgid)));
            let stays = how.stay_in_group || how.stay_in_session;
            assert_eq!(stays, always.contains(&number(libc::SYS_setsid)));
            assert!(UNIMPLEMENTED.iter().all(|call| !always.contains(&number(*call))));
        }
    }

    #[test]
    fn a_rule_with_two_conditions_needs_both() {
        let program = program(usual()).expect("a known architecture");
        let huge_pages = libc::PR_SET_THP_DISABLE as u64;
        let prctl = |option, on| answer(&program, number(libc::SYS_prctl), [option, on, 0, 0, 0, 0]);
        assert_eq!((prctl(huge_pages, 0), prctl(huge_pages, 1)), (EPERM, ALLOW));
        assert_eq!(prctl(libc::PR_GET_NAME as u64, 0), ALLOW);
        let prlimit = |pid| answer(&program, number(libc::SYS_prlimit64), [pid, 0, 0, 0, 0, 0]);
        assert_eq!([prlimit(0), prlimit(2), prlimit(1), prlimit(3)], [ALLOW, ALLOW, EPERM, EPERM]);
    }

    #[test]
    fn numbers_of_another_architecture_kill() {
        let program = program(usual()).expect("a known architecture");
        assert_eq!(run(&program, 0, 0x4000_0003, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
    }
}
