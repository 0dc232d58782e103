//! The filter of system calls for programs in a sandbox. It lists the calls that are refused, not those that are
//! allowed: an arena must run bots in any language, and the next runtime would need a call that no list of allowed
//! calls has.
//!
//! A refused call returns an error that a program can handle. Only calls with the numbers of another architecture
//! kill.

use super::{
    bpf::{Condition, IS, LOAD, RETURN, answer_if, by_number, step},
    calls::{
        ABOUT_FILES, ABOUT_FILES_HERE, ALWAYS, EXIT_SIGNAL, FCNTLS, FORKS, HERE, IOCTLS, IOCTLS_OF_FILES,
        NEW_NAMESPACES, OPENING, PRCTLS, SIGNALLING,
    },
    permits,
};
use crate::Cause;
use libc::c_long;
use seccompiler::{BpfProgram, TargetArch, apply_filter, sock_filter};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

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

/// The options for a bot in namespaces, where it is the second process and has no children.
const USUAL: FilterOptions = FilterOptions {
    own_pid: 2,
    children: false,
    signals_scoped: true,
    stay_in_group: false,
    stay_in_session: true,
    among_hosts_files: false,
};
static PREPARED: OnceLock<BpfProgram> = OnceLock::new();

/// Makes the BPF program for the usual options in advance. All copies of this process then have it.
pub(crate) fn prepare() {
    if PREPARED.get().is_none()
        && let Ok(program) = program(USUAL)
    {
        let _ = PREPARED.set(program);
    }
}

/// Installs the filter for this thread and for all threads and processes that it starts.
pub(crate) fn install(how: FilterOptions) -> Result<(), Cause> {
    let made;
    let program = match PREPARED.get().filter(|_| how == USUAL) {
        Some(prepared) => prepared,
        None => {
            made = program(how).map_err(Cause::Other)?;
            &made
        }
    };
    apply_filter(program).map_err(|e| Cause::of_error(&e))
}

/// Makes the whole filter. It is one program: for each one the kernel has to find out, at every start of a bot, what it
/// answers to each call that exists.
fn program(how: FilterOptions) -> Result<BpfProgram, String> {
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(|e| format!("{e}"))?;
    let Refusals { always, mut checks } = forbidden(how);
    for (call, steps) in permits::checks(!how.children) {
        checks.entry(call).or_default().extend(steps);
    }
    let answer = |number: u32| {
        if always.contains(&number) {
            vec![EPERM]
        } else if is_missing(number) {
            vec![ENOSYS]
        } else {
            let checks = checks.get(&number).into_iter().flatten();
            checks.chain([&ALLOW]).cloned().collect()
        }
    };
    let known = (0..UNKNOWN).map(|number| (number, answer(number)));
    let answers = by_number(known.chain([(UNKNOWN, vec![ENOSYS])]));
    Ok([is_native(arch), vec![step(LOAD, 0, 0, 0)], answers].concat())
}

const ALLOW: sock_filter = step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW);
const EPERM: sock_filter = step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32);
const ENOSYS: sock_filter = step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);

/// Kills whoever makes a call by the numbers of another architecture.
fn is_native(arch: TargetArch) -> BpfProgram {
    let arch = match arch {
        TargetArch::x86_64 => 0xc000_003e,
        TargetArch::aarch64 => 0xc000_00b7,
        TargetArch::riscv64 => 0xc000_00f3,
    };
    vec![step(LOAD, 0, 0, 4), step(IS, 1, 0, arch), step(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS)]
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
    /// The steps that check the arguments of the others.
    checks: BTreeMap<u32, BpfProgram>,
}

fn forbidden(how: FilterOptions) -> Refusals {
    let mut checks: BTreeMap<u32, BpfProgram> = BTreeMap::new();
    for (call, conditions) in conditional(how) {
        checks.entry(number(call)).or_default().extend(answer_if(&conditions, EPERM));
    }
    Refusals { always: unconditional(how).into_iter().map(number).collect(), checks }
}

/// Returns the number of a call as the filter sees it.
const fn number(call: c_long) -> u32 {
    call as u32
}

/// Returns the calls that are refused with any arguments.
fn unconditional(how: FilterOptions) -> Vec<c_long> {
    let mut calls = [ALWAYS, HERE].concat();
    if !how.children {
        // These calls send descriptors, which do not count as open while they are in transit.
        calls.extend([libc::SYS_sendmsg, libc::SYS_sendmmsg]);
        calls.extend(FORKS);
    }
    if !how.signals_scoped {
        // `tkill` takes only the ID of a thread, and a filter cannot tell to which process the thread belongs.
        calls.push(libc::SYS_tkill);
    }
    if how.among_hosts_files {
        calls.extend([ABOUT_FILES, ABOUT_FILES_HERE].concat());
    }
    if how.stay_in_group {
        calls.push(libc::SYS_setpgid);
    }
    if how.stay_in_group || how.stay_in_session {
        calls.push(libc::SYS_setsid);
    }
    calls
}

/// Returns the calls that are refused if all of the conditions hold.
fn conditional(how: FilterOptions) -> Vec<(c_long, Vec<Condition>)> {
    let own_pid = how.own_pid.cast_signed();
    let mut rules: Vec<(c_long, Vec<Condition>)> = Vec::new();
    let mut add = |call: c_long, conditions: &[Condition]| rules.push((call, conditions.to_vec()));

    for flag in NEW_NAMESPACES {
        add(libc::SYS_clone, &[Condition::has(0, *flag)]);
    }
    // With this flag the new process would be a child of the referee.
    add(libc::SYS_clone, &[Condition::has(0, libc::CLONE_PARENT)]);
    // A thread with its own table of descriptors would have its own limit, and with it more pipes and sockets.
    let own_table = libc::CLONE_THREAD | libc::CLONE_FILES;
    add(libc::SYS_clone, &[Condition::masked(0, own_table, libc::CLONE_THREAD)]);
    // Huge pages stay off where they are.
    add(libc::SYS_prctl, &[Condition::is(0, libc::PR_SET_THP_DISABLE), Condition::is(1, 0)]);
    // Whoever is stopped outside its turn stays stopped, also by the end of a child.
    add(libc::SYS_clone, &[Condition::masked(0, EXIT_SIGNAL, libc::SIGCONT)]);
    for (call, signal) in SIGNALLING {
        add(*call, &[Condition::is(*signal, libc::SIGCONT)]);
    }
    // The kernel merges such pages with equal pages of other processes. The time of a write would reveal their
    // contents.
    add(libc::SYS_madvise, &[Condition::is(2, libc::MADV_MERGEABLE)]);
    // A Unix socket pair is allowed: it acts as a pair of pipes, and Python's event loop needs it.
    add(libc::SYS_socketpair, &[Condition::is_not(0, libc::AF_UNIX)]);
    // A datagram socket could send to any socket that has a name.
    for letters in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        add(libc::SYS_socketpair, &[Condition::masked(1, 0xf, letters)]);
    }
    // The buffers of a pair are memory of the kernel that no limit counts. They keep their default size.
    for option in [libc::SO_SNDBUF, libc::SO_SNDBUFFORCE] {
        add(libc::SYS_setsockopt, &[Condition::is(1, libc::SOL_SOCKET), Condition::is(2, option)]);
    }
    // Only 32 bits are compared, because the kernel ignores the others.
    for request in IOCTLS {
        add(libc::SYS_ioctl, &[Condition::is(1, *request)]);
    }
    for command in FCNTLS {
        add(libc::SYS_fcntl, &[Condition::is(1, *command)]);
    }
    for option in PRCTLS {
        add(libc::SYS_prctl, &[Condition::is(0, *option)]);
    }
    // Only the usual policy is allowed, for any thread. Others could be real-time policies, or make other processes
    // idle.
    add(libc::SYS_sched_setscheduler, &[Condition::is_not(1, libc::SCHED_OTHER)]);
    // Reading the present value is allowed.
    add(libc::SYS_personality, &[Condition::is_not(0, -1)]);
    add(libc::SYS_prlimit64, &[Condition::is_not(0, 0), Condition::is_not(0, own_pid)]);
    // Memory that the limit on data does not count.
    let shared_nobody = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    for flags in [shared_nobody, libc::MAP_GROWSDOWN, libc::MAP_HUGETLB] {
        add(libc::SYS_mmap, &[Condition::has(3, flags)]);
    }
    if !how.children {
        add(libc::SYS_clone, &[Condition::lacks(0, libc::CLONE_THREAD)]);
    }
    // With children a signal must reach them; then a namespace or Landlock keeps it from everybody else.
    if how.children && how.signals_scoped {
        // Only the referee may tell the first process of the namespace to stop or to go on.
        for call in [libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
            add(call, &[Condition::is(0, 1)]);
        }
    } else {
        for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
            add(call, &[Condition::is_not(0, own_pid)]);
        }
    }
    if how.among_hosts_files {
        for (call, flags) in OPENING {
            // These flags empty a file that is opened only for reading. Older versions of Landlock do not check that.
            add(*call, &[Condition::masked(*flags, libc::O_ACCMODE | libc::O_TRUNC, libc::O_TRUNC)]);
        }
        for kind in IOCTLS_OF_FILES {
            add(libc::SYS_ioctl, &[Condition::masked(1, 0xff00, i32::from(*kind) << 8)]);
        }
    }
    rules
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
    use super::{super::bpf::tests::run, *};
    use seccompiler::{
        SeccompAction,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::{MaskedEq, Ne},
        SeccompCondition, SeccompFilter, SeccompRule,
    };

    const ALLOWED: u32 = libc::SECCOMP_RET_ALLOW;
    const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const MISSING: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

    /// Returns the answer of a filter to a call on this architecture.
    pub(in super::super) fn answer(program: &BpfProgram, number: u32, arguments: [u64; 6]) -> u32 {
        let arch: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
        run(program, number, arch, arguments)
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

    /// Has the library make a filter of what is refused.
    fn by_library(how: FilterOptions) -> BpfProgram {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        for (call, conditions) in conditional(how) {
            let built = conditions.iter().map(|condition| {
                let Condition { argument, mask, value, equal } = *condition;
                let op = if equal { MaskedEq(mask.into()) } else { Ne };
                SeccompCondition::new(argument, Dword, op, value.into()).expect("a lawful condition")
            });
            let rule = SeccompRule::new(built.collect()).expect("it has conditions");
            rules.entry(call).or_default().push(rule);
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
            let permits = permits::checks(!how.children);
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
                            ALLOWED if is_missing(number) => MISSING,
                            ALLOWED => permits.get(&number).map_or(ALLOWED, |steps| {
                                let steps = [vec![step(LOAD, 0, 0, 0)], steps.clone(), vec![ALLOW]].concat();
                                answer(&steps, number, arguments)
                            }),
                            refused => refused,
                        };
                        let got = answer(&whole, number, arguments);
                        assert_eq!(got, expected, "{how:?}: call {number}, arguments {arguments:#x?}");
                        *kinds.entry(got).or_default() += 1;
                    }
                }
            }
            assert!(kinds[&ALLOWED] > 1000 && kinds[&REFUSED] > 1000 && kinds[&MISSING] > 1000, "{kinds:?}");
        }
    }

    #[test]
    fn its_size_is_far_below_what_the_kernel_takes() {
        for how in every_set_of_options() {
            let size = program(how).expect("a known architecture").len();
            assert!(size < 1000, "{how:?}: {size} instructions of at most 4096");
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
        let program = program(USUAL).expect("a known architecture");
        let huge_pages = libc::PR_SET_THP_DISABLE as u64;
        let prctl = |option, on| answer(&program, number(libc::SYS_prctl), [option, on, 0, 0, 0, 0]);
        assert_eq!((prctl(huge_pages, 0), prctl(huge_pages, 1)), (REFUSED, ALLOWED));
        assert_eq!(prctl(libc::PR_GET_NAME as u64, 0), ALLOWED);
        let prlimit = |pid| answer(&program, number(libc::SYS_prlimit64), [pid, 0, 0, 0, 0, 0]);
        assert_eq!([prlimit(0), prlimit(2), prlimit(1), prlimit(3)], [ALLOWED, ALLOWED, REFUSED, REFUSED]);
    }

    #[test]
    fn numbers_of_another_architecture_kill() {
        let program = program(USUAL).expect("a known architecture");
        assert_eq!(run(&program, 0, 0x4000_0003, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
    }
}
