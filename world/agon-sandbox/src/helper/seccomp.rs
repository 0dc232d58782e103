//! The filter of system calls for programs in a sandbox. It lists the calls that are refused, not those that are
//! allowed: an arena must run bots in any language, and the next runtime would need a call that no list of allowed
//! calls has.
//!
//! A refused call returns an error that a program can handle. Only calls with the numbers of another architecture
//! kill.

use super::calls::{
    ABOUT_FILES, ABOUT_FILES_HERE, ALWAYS, EXIT_SIGNAL, FCNTLS, FORKS, HERE, IOCTLS, IOCTLS_OF_FILES, NEW_NAMESPACES,
    OPENING, PRCTLS, SIGNALLING,
};
use super::permits;
use crate::Cause;
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpArgLen::Qword, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, sock_filter,
};
use std::{collections::BTreeMap, sync::OnceLock};

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
    /// Whether the process sees the host's files at their usual paths and has no files of its own to change. Landlock
    /// has no right for changing the attributes of a file, so the filter refuses these calls.
    pub among_hosts_files: bool,
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The options for a bot in namespaces, where it is the second process and has no children.
const USUAL: FilterOptions =
    FilterOptions { own_pid: 2, children: false, signals_scoped: true, stay_in_group: false, among_hosts_files: false };
static PREPARED: OnceLock<Vec<BpfProgram>> = OnceLock::new();

/// Makes the BPF programs for the usual options in advance. All copies of this process then have them.
pub(crate) fn prepare() {
    if PREPARED.get().is_none()
        && let Ok(programs) = programs(USUAL)
    {
        let _ = PREPARED.set(programs);
    }
}

/// Installs the filter for this thread and for all threads and processes that it starts.
pub(crate) fn install(how: FilterOptions) -> Result<(), Cause> {
    let made;
    let programs = match PREPARED.get().filter(|_| how == USUAL) {
        Some(prepared) => prepared,
        None => {
            made = programs(how).map_err(Cause::Other)?;
            &made
        }
    };
    programs.iter().try_for_each(|program| apply_filter(program).map_err(|e| Cause::of_error(&e)))
}

fn programs(how: FilterOptions) -> Result<Vec<BpfProgram>, String> {
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(|e| format!("{e}"))?;
    let compiled = |rules: Rules| -> Result<BpfProgram, String> {
        let errno = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, errno, arch);
        filter.and_then(TryInto::try_into).map_err(|e| e.to_string())
    };
    // Where several of them refuse, the last one counts.
    Ok(vec![missing(), permits::program(!how.children), by_number(forbidden(how)?, compiled)?])
}

/// How many calls one part of a BPF program checks.
const PART: usize = 12;

/// Makes one BPF program for many calls. A program of the library checks one call after the other, and at the
/// installation the kernel runs through all of it once for every call that exists. Therefore this makes a part for
/// every few calls, and puts a head before them that jumps to the part for the number of the call.
fn by_number(rules: Rules, compiled: impl Fn(Rules) -> Result<BpfProgram, String>) -> Result<BpfProgram, String> {
    let mut rules = rules.into_iter().peekable();
    let mut parts = Vec::new();
    while let Some((last, _)) = rules.peek() {
        let mut last = *last;
        let part: Rules = rules.by_ref().take(PART).inspect(|(call, _)| last = *call).collect();
        parts.push((last as u32, compiled(part)?));
    }
    let Some((_, end)) = parts.pop() else { return compiled(Rules::new()) };
    // The head compares the number of the call with the last number of each part but the last. All other numbers
    // belong to the last part, which directly follows the head.
    let head = 1 + 2 * parts.len();
    let mut program = vec![step(LOAD, 0, 0, 0)];
    let mut at = head + end.len();
    for (last, part) in &parts {
        program.push(step(GREATER, 1, 0, *last));
        program.push(step(GO, 0, 0, (at - program.len() - 1) as u32));
        at += part.len();
    }
    program.extend(end);
    parts.into_iter().for_each(|(_, part)| program.extend(part));
    Ok(program)
}

/// Loads the number of the call, which is the first word of a filter's input.
pub(super) const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
pub(super) const IS: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const FROM: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const GREATER: u16 = (libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K) as u16;
const GO: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;
pub(super) const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

pub(super) const fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// Calls that fail as on a kernel that does not have them, so that runtimes fall back to calls that the filter can
/// check. The flags of `clone3` and `openat2` are behind a pointer, which a filter cannot follow.
const UNIMPLEMENTED: [c_long; 4] = [libc::SYS_clone3, libc::SYS_openat2, libc::SYS_memfd_create, MAP_SHADOW_STACK];
/// Maps memory that no limit counts.
const MAP_SHADOW_STACK: c_long = 453;

fn forbidden(how: FilterOptions) -> Result<Rules, String> {
    let mut rules: Rules = ALWAYS.iter().chain(HERE).map(|call| (*call, Vec::new())).collect();
    let mut add = |call: c_long, conditions: &[Condition]| -> Result<(), String> {
        let conditions = conditions.iter().map(|c| c.built()).collect::<Result<Vec<_>, _>>()?;
        let rule = SeccompRule::new(conditions).map_err(|e| e.to_string())?;
        rules.entry(call).or_default().push(rule);
        Ok(())
    };

    for flag in NEW_NAMESPACES {
        add(libc::SYS_clone, &[Condition::has(0, *flag)])?;
    }
    // With this flag the new process would be a child of the referee.
    add(libc::SYS_clone, &[Condition::has(0, libc::CLONE_PARENT as u64)])?;
    // A thread with its own table of descriptors would have its own limit, and with it more pipes and sockets.
    let own_table = (libc::CLONE_THREAD | libc::CLONE_FILES) as u64;
    add(libc::SYS_clone, &[Condition::masked(0, own_table, libc::CLONE_THREAD as u64)])?;
    // Huge pages stay off where they are.
    add(libc::SYS_prctl, &[Condition::is(0, libc::PR_SET_THP_DISABLE as u64), Condition::is(1, 0)])?;
    // Whoever is stopped outside its turn stays stopped, also by the end of a child.
    add(libc::SYS_clone, &[Condition::masked(0, EXIT_SIGNAL, libc::SIGCONT as u64)])?;
    for (call, signal) in SIGNALLING {
        add(*call, &[Condition::is(*signal, libc::SIGCONT as u64)])?;
    }
    // The kernel merges such pages with equal pages of other processes. The time of a write would reveal their
    // contents.
    add(libc::SYS_madvise, &[Condition::is(2, libc::MADV_MERGEABLE as u64)])?;
    // A Unix socket pair is allowed: it acts as a pair of pipes, and Python's event loop needs it.
    add(libc::SYS_socketpair, &[Condition::is_not(0, libc::AF_UNIX as u64)])?;
    // A datagram socket could send to any socket that has a name.
    for letters in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        add(libc::SYS_socketpair, &[Condition::masked(1, 0xf, letters as u64)])?;
    }
    // The buffers of a pair are memory of the kernel that no limit counts. They keep their default size.
    for option in [libc::SO_SNDBUF, libc::SO_SNDBUFFORCE] {
        add(libc::SYS_setsockopt, &[Condition::is(1, libc::SOL_SOCKET as u64), Condition::is(2, option as u64)])?;
    }
    // Only 32 bits are compared, because the kernel ignores the others.
    for request in IOCTLS {
        add(libc::SYS_ioctl, &[Condition::is(1, *request)])?;
    }
    for command in FCNTLS {
        add(libc::SYS_fcntl, &[Condition::is(1, *command as u64)])?;
    }
    for option in PRCTLS {
        add(libc::SYS_prctl, &[Condition::is(0, *option as u64)])?;
    }
    // Only the usual policy is allowed, for any thread. Others could be real-time policies, or make other processes
    // idle.
    add(libc::SYS_sched_setscheduler, &[Condition::is_not(1, libc::SCHED_OTHER as u64)])?;
    // Reading the present value is allowed.
    add(libc::SYS_personality, &[Condition::is_not(0, 0xffff_ffff)])?;
    add(libc::SYS_prlimit64, &[Condition::is_not(0, 0), Condition::is_not(0, u64::from(how.own_pid))])?;
    // Memory that the limit on data does not count.
    let shared_nobody = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
    for flags in [shared_nobody, libc::MAP_GROWSDOWN as u64, libc::MAP_HUGETLB as u64] {
        add(libc::SYS_mmap, &[Condition::has(3, flags)])?;
    }
    if !how.children {
        add(libc::SYS_clone, &[Condition::lacks(0, libc::CLONE_THREAD as u64)])?;
    }
    // With children a signal must reach them; then a namespace or Landlock keeps it from everybody else.
    if how.children && how.signals_scoped {
        // Only the referee may tell the first process of the namespace to stop or to go on.
        for call in [libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
            add(call, &[Condition::is(0, 1)])?;
        }
    } else {
        for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
            add(call, &[Condition::is_not(0, u64::from(how.own_pid))])?;
        }
    }

    if !how.children {
        // These calls send descriptors, which do not count as open while they are in transit.
        rules.extend([libc::SYS_sendmsg, libc::SYS_sendmmsg].map(|call| (call, Vec::new())));
        rules.extend(FORKS.iter().map(|call| (*call, Vec::new())));
    }
    if !how.signals_scoped {
        // `tkill` takes only the ID of a thread, and a filter cannot tell to which process the thread belongs.
        rules.insert(libc::SYS_tkill, Vec::new());
    }
    if how.among_hosts_files {
        rules.extend(ABOUT_FILES.iter().chain(ABOUT_FILES_HERE).map(|call| (*call, Vec::new())));
        for (call, flags) in OPENING {
            // These flags empty a file that is opened only for reading. Older versions of Landlock do not check that.
            let emptying = Condition::masked(*flags, (libc::O_ACCMODE | libc::O_TRUNC) as u64, libc::O_TRUNC as u64);
            rules.entry(*call).or_default().push(emptying.alone()?);
        }
        for kind in IOCTLS_OF_FILES {
            let rule = Condition::masked(1, 0xff00, u64::from(*kind) << 8).alone()?;
            rules.entry(libc::SYS_ioctl).or_default().push(rule);
        }
    }
    if how.stay_in_group {
        rules.extend([libc::SYS_setsid, libc::SYS_setpgid].map(|call| (call, Vec::new())));
    }
    Ok(rules)
}

/// A condition on one argument of a call.
#[derive(Clone, Copy, Debug)]
struct Condition {
    argument: u8,
    wide: bool,
    op: Op,
    value: u64,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Is,
    IsNot,
    Masked(u64),
}

impl Condition {
    const fn is(argument: u8, value: u64) -> Self {
        Self { argument, wide: false, op: Op::Is, value }
    }

    const fn is_not(argument: u8, value: u64) -> Self {
        Self { argument, wide: false, op: Op::IsNot, value }
    }

    /// All of these bits are set in the argument.
    const fn has(argument: u8, bits: u64) -> Self {
        Self { argument, wide: true, op: Op::Masked(bits), value: bits }
    }

    /// The argument has exactly this value under the mask.
    const fn masked(argument: u8, mask: u64, value: u64) -> Self {
        Self { argument, wide: false, op: Op::Masked(mask), value }
    }

    /// None of these bits is set in the argument.
    const fn lacks(argument: u8, bits: u64) -> Self {
        Self { argument, wide: true, op: Op::Masked(bits), value: 0 }
    }

    /// Makes a rule with only this condition.
    fn alone(self) -> Result<SeccompRule, String> {
        SeccompRule::new(vec![self.built()?]).map_err(|e| e.to_string())
    }

    fn built(self) -> Result<SeccompCondition, String> {
        let op = match self.op {
            Op::Is => SeccompCmpOp::Eq,
            Op::IsNot => SeccompCmpOp::Ne,
            Op::Masked(mask) => SeccompCmpOp::MaskedEq(mask),
        };
        let width = if self.wide { Qword } else { Dword };
        SeccompCondition::new(self.argument, width, op, self.value).map_err(|e| e.to_string())
    }
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

/// Makes the BPF program for calls that shall fail as on a kernel without them. They include every call that is newer
/// than the lists, however new the kernel is, such as those for file attributes by path (463 to 469). They also
/// include the numbers from 2^30, which are the calls of x32 on some kernels: the same calls by other numbers, to
/// which no rule applies.
fn missing() -> BpfProgram {
    let named = UNIMPLEMENTED.len() as u8;
    let mut program = vec![step(LOAD, 0, 0, 0)];
    match GAP {
        None => program.push(step(FROM, named, 0, UNKNOWN)),
        Some((first, last)) => {
            program.push(step(FROM, named + 2, 0, UNKNOWN));
            // Numbers behind the gap skip the check whether they are behind its start.
            program.push(step(GREATER, 1, 0, last));
            program.push(step(FROM, named, 0, first));
        }
    }
    for (left, call) in (0..UNIMPLEMENTED.len() as u8).rev().zip(UNIMPLEMENTED) {
        // If the last comparison fails, the next instruction, to which the others jump, is skipped.
        program.push(step(IS, left, u8::from(left == 0), call as u32));
    }
    program.push(step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32));
    program.push(step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW));
    program
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn every_set_of_options_compiles_to_what_the_kernel_takes() {
        for bits in 0..16 {
            let [children, signals_scoped, stay_in_group] = [bits & 1 > 0, bits & 2 > 0, bits & 4 > 0];
            let among_hosts_files = bits & 8 > 0;
            let how = FilterOptions { own_pid: 2, children, signals_scoped, stay_in_group, among_hosts_files };
            let rules = forbidden(how).expect("lawful conditions");
            assert_eq!(
                children,
                FORKS.iter().all(|call| !rules.contains_key(call)) && !FORKS.is_empty() || FORKS.is_empty()
            );
            // Without conditions it is refused whatever the arguments.
            assert_eq!(signals_scoped, !rules[&libc::SYS_tkill].is_empty());
            assert_eq!(among_hosts_files, rules.contains_key(&libc::SYS_fchmodat));
            assert_eq!(stay_in_group, rules.contains_key(&libc::SYS_setsid));
            let program = by_number(rules, plain).expect("it compiles");
            // The kernel accepts at most 4096 instructions.
            assert!(program.len() < 4096, "{} instructions", program.len());
        }
    }

    fn plain(rules: Rules) -> Result<BpfProgram, String> {
        let arch = std::env::consts::ARCH.try_into().expect("a known architecture");
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(1), arch);
        filter.and_then(TryInto::try_into).map_err(|e| e.to_string())
    }

    /// Executes a BPF program for a call with these arguments, and returns its result.
    pub(in super::super) fn answer(program: &BpfProgram, number: u32, arguments: [u64; 6]) -> u32 {
        let arch: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
        let mut seen = [number.to_le_bytes(), arch.to_le_bytes(), [0; 4], [0; 4]].concat();
        seen.extend(arguments.iter().flat_map(|argument| argument.to_le_bytes()));
        let (mut at, mut word) = (0usize, 0u32);
        loop {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            at += 1;
            let jump = |taken: bool| usize::from(if taken { jt } else { jf });
            match code {
                LOAD => word = u32::from_le_bytes(seen[k as usize..k as usize + 4].try_into().expect("four bytes")),
                GO => at += k as usize,
                FROM => at += jump(word >= k),
                GREATER => at += jump(word > k),
                IS => at += jump(word == k),
                0x45 => at += jump(word & k != 0),
                0x54 => word &= k,
                RETURN => return k,
                other => panic!("an instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn in_parts_a_program_answers_as_in_one_piece() {
        for children in [false, true] {
            let how = FilterOptions {
                own_pid: 2,
                children,
                signals_scoped: !children,
                stay_in_group: children,
                among_hosts_files: children,
            };
            let whole = plain(forbidden(how).expect("lawful conditions")).expect("it compiles");
            let parts = by_number(forbidden(how).expect("lawful conditions"), plain).expect("it compiles");
            let mut refused = 0;
            for number in (0..700).chain([0x3fff_ffff, 0x4000_0001, u32::MAX]) {
                for argument in [0, 1, 2, 3, 10, 0x22, 0x5412, 0x1000_0000, 0x4_0000, u64::from(u32::MAX), u64::MAX] {
                    let one = answer(&whole, number, [argument; 6]);
                    assert_eq!(one, answer(&parts, number, [argument; 6]), "call {number}, arguments {argument:#x}");
                    refused += u32::from(one != libc::SECCOMP_RET_ALLOW);
                }
            }
            assert!(refused > 1000);
        }
    }

    #[test]
    fn what_is_refused_is_not_also_called_missing() {
        let how = FilterOptions {
            own_pid: 2,
            children: false,
            signals_scoped: true,
            stay_in_group: false,
            among_hosts_files: true,
        };
        let refused = forbidden(how).expect("lawful conditions");
        assert!(UNIMPLEMENTED.iter().all(|call| !refused.contains_key(call)));
    }

    #[test]
    fn a_call_is_missing_that_is_named_or_too_new_and_no_other() {
        let missing = missing();
        let enosys = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
        for number in (0..700).chain([0x3fff_ffff, 0x4000_0001, u32::MAX]) {
            let in_gap = GAP.is_some_and(|(first, last)| (first..=last).contains(&number));
            let expected = in_gap || number >= UNKNOWN || UNIMPLEMENTED.contains(&c_long::from(number));
            let expected = if expected { enosys } else { libc::SECCOMP_RET_ALLOW };
            assert_eq!(answer(&missing, number, [0; 6]), expected, "call {number}");
        }
    }
}
