//! The keeper of programs that are not confined. It keeps one program after the other: to copy a process and to give the copy
//! back takes longer than everything else that such a start needs.
//!
//! For each program it sends two packets: the answer to the start, and how the program has ended, when nothing of it is left.

use super::{
    die_with, end_with, exit,
    init::end_as,
    keeper::{END, Heard, end_all},
    limits, namespaces, say, script_of,
    serve::Request,
};
use crate::{
    ProgramError, Refused, Step,
    fork_server::{Cores, core_set, cores},
    handshake::ReadyLine,
    image::Image,
    script::Script,
};
use rustix::{
    fd::{AsRawFd, BorrowedFd},
    fs::Mode,
    io::retry_on_intr,
    net::{SendFlags, send},
    process::{Pid, getpid, set_child_subreaper},
    thread::sched_setaffinity,
};
use std::{
    convert::Infallible,
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// Keeps programs until the process that asks for them closes the socket. `umask` is the mode of its user for new files.
pub(super) fn keep_all(socket: BorrowedFd<'_>, umask: Mode) -> Result<Infallible, Refused> {
    // Stdin is the socket of the fork server, whose other end must see when the server ends. Stdout leads nowhere.
    // SAFETY: takes no pointers; nothing in this program owns the first three descriptors.
    if unsafe { libc::dup2(1, 0) } == -1 {
        return Err(Refused::io(Step::Pipes, "", &io::Error::last_os_error()));
    }
    set_child_subreaper(Some(getpid())).map_err(Refused::call(Step::Parent, "adopting orphans"))?;
    let heard = Heard::new();
    let mut buffer = Request::buffer();
    let mut on = cores().ok();
    while let Some(request) = Request::receive(socket, &mut buffer) {
        // An order to end may have come from the kernel: then the thread that has asked is gone.
        if heard.wait(Some(Duration::ZERO)) == Some(END) {
            exit(end_as(END.as_raw()));
        }
        place(&mut on, request.cores)?;
        let bot = start(request, umask, &heard)?;
        heard.wait_for_end_of(bot);
        let status = end_all(bot, &heard);
        if retry_on_intr(|| send(socket, &status.to_ne_bytes(), SendFlags::NOSIGNAL)).is_err() {
            break;
        }
    }
    exit(0)
}

/// Moves this process to the cores of the next program, if it is on others. On those, the program would use the time of other
/// matches.
fn place(on: &mut Option<Cores>, wanted: Cores) -> Result<(), Refused> {
    if *on != Some(wanted) {
        sched_setaffinity(None, &core_set(&wanted)).map_err(Refused::call(Step::Start, "moving to other cores"))?;
        *on = Some(wanted);
    }
    Ok(())
}

/// Starts a program, and answers when it is executed.
fn start(mut request: Request, umask: Mode, heard: &Heard) -> Result<Pid, Refused> {
    let (script, image) = script_of(request.script.take(), request.descriptors[0].as_raw_fd())?;
    end_with(script.parent, END)?;
    let keeper = getpid().as_raw_pid().unsigned_abs();
    let executing = AtomicBool::new(false);
    let bot = namespaces::fork_within(&mut || {
        heard.forget();
        die_with(keeper)?;
        if !request.join_streams() {
            return Err(Refused::io(Step::Pipes, "", &io::Error::last_os_error()));
        }
        execute(&script, &image, umask, &executing)
    })?;
    if !executing.load(Ordering::Relaxed) {
        // It has reported the reason, or somebody has killed it.
        exit(end_as(end_all(bot, heard)));
    }
    if say(ReadyLine::new(bot.as_raw_pid(), 0).bytes()).is_err() {
        exit(end_as(end_all(bot, heard)));
    }
    Ok(bot)
}

/// Executes the program. This process is still within the memory of its keeper, which learns by `executing` whether it came
/// that far.
fn execute(script: &Script, image: &Image, umask: Mode, executing: &AtomicBool) -> Result<Infallible, Refused> {
    super::begin(Step::Group)?;
    rustix::process::setsid().map_err(Refused::call(Step::Group, ""))?;
    rustix::process::umask(umask);
    limits::set_of_user(script)?;
    super::begin(Step::Folder)?;
    rustix::process::chdir(&script.dir).map_err(|e| Refused::about(Step::Folder, &script.dir)(e.into()))?;
    if script.trial {
        executing.store(true, Ordering::Relaxed);
        exit(0);
    }
    super::begin(Step::Program)?;
    ProgramError::check_first_line(&script.program).map_err(Refused::of_program)?;
    executing.store(true, Ordering::Relaxed);
    let error = image.execute(&script.program);
    executing.store(false, Ordering::Relaxed);
    Err(Refused::of_program(error))
}
