//! The functions of WASI preview 1. A bot has three streams, a clock and random numbers. It has no arguments, no
//! environment, no files and no network. The functions for these return the error number that a system would return.

mod clocks;
mod descriptors;

use crate::{
    engine::PREVIEW1,
    fuel_meter::CALL,
    guest::{Call, Errno, Fail, Guest, Stop},
    streams::Streams,
};
use wasmtime::{Caller, Linker};

/// Defines functions that no bot can use. For an open descriptor they return the given error number, otherwise `BADF`.
macro_rules! refuse {
    ($linker:ident, $S:ident: $($name:literal ($($more:ty),*) => $errno:ident;)+) => {$(
        $linker.func_wrap(PREVIEW1, $name, refuse!(@ $S, $errno, $($more),*))?;
    )+};
    (@ $S:ident, $errno:ident, $($more:ty),*) => {
        |caller: Caller<'_, Guest<$S>>, fd: i32, $(_: $more),*| {
            answer(caller, |call| {
                call.stream(fd)?;
                Err(Fail::Told(Errno::$errno))
            })
        }
    };
}

/// Defines all 46 functions.
///
/// # Errors
/// Never: all names differ.
pub(crate) fn link<S: Streams>(linker: &mut Linker<Guest<S>>) -> wasmtime::Result<()> {
    streams(linker)?;
    surroundings(linker)?;
    absent(linker)
}

/// Runs a call and converts its outcome to an error number of WASI preview 1.
fn answer<S: Streams>(
    caller: Caller<'_, Guest<S>>,
    run: impl FnOnce(&mut Call<'_, S>) -> Result<(), Fail>,
) -> wasmtime::Result<i32> {
    let mut call = Call::new(caller)?;
    match call.charge(CALL).and_then(|()| run(&mut call)) {
        Ok(()) => Ok(0),
        Err(Fail::Told(errno)) => Ok(errno.0),
        Err(Fail::Over(error)) => Err(error),
    }
}

/// Defines the functions for stdin, stdout and stderr.
fn streams<S: Streams>(linker: &mut Linker<Guest<S>>) -> wasmtime::Result<()> {
    type C<'a, S> = Caller<'a, Guest<S>>;
    linker.func_wrap(PREVIEW1, "fd_read", |c: C<'_, S>, fd: i32, list: i32, count: i32, size: i32| {
        answer(c, |call| call.fd_read(fd, list as u32, count as u32, size as u32))
    })?;
    linker.func_wrap(PREVIEW1, "fd_write", |c: C<'_, S>, fd: i32, list: i32, count: i32, size: i32| {
        answer(c, |call| call.fd_write(fd, list as u32, count as u32, size as u32))
    })?;
    linker.func_wrap(PREVIEW1, "fd_close", |c: C<'_, S>, fd: i32| answer(c, |call| call.fd_close(fd)))?;
    linker.func_wrap(PREVIEW1, "fd_fdstat_get", |c: C<'_, S>, fd: i32, at: i32| {
        answer(c, |call| call.fd_fdstat_get(fd, at as u32))
    })?;
    linker.func_wrap(PREVIEW1, "fd_fdstat_set_flags", |c: C<'_, S>, fd: i32, flags: i32| {
        answer(c, |call| call.fd_fdstat_set_flags(fd, flags))
    })?;
    linker.func_wrap(PREVIEW1, "fd_filestat_get", |c: C<'_, S>, fd: i32, at: i32| {
        answer(c, |call| call.fd_filestat_get(fd, at as u32))
    })?;
    Ok(())
}

/// Defines the functions for arguments and environment (both empty), clocks, random numbers and exit.
fn surroundings<S: Streams>(linker: &mut Linker<Guest<S>>) -> wasmtime::Result<()> {
    type C<'a, S> = Caller<'a, Guest<S>>;
    for (sizes, list) in [("args_sizes_get", "args_get"), ("environ_sizes_get", "environ_get")] {
        linker.func_wrap(PREVIEW1, sizes, |c: C<'_, S>, count: i32, size: i32| {
            answer(c, |call| {
                call.write_u32(count as u32, 0)?;
                Ok(call.write_u32(size as u32, 0)?)
            })
        })?;
        linker.func_wrap(PREVIEW1, list, |c: C<'_, S>, _: i32, _: i32| answer(c, |_| Ok(())))?;
    }
    linker.func_wrap(PREVIEW1, "clock_res_get", |c: C<'_, S>, clock: i32, at: i32| {
        answer(c, |call| call.clock_res_get(clock, at as u32))
    })?;
    linker.func_wrap(PREVIEW1, "clock_time_get", |c: C<'_, S>, clock: i32, _: i64, at: i32| {
        answer(c, |call| call.clock_time_get(clock, at as u32))
    })?;
    linker.func_wrap(PREVIEW1, "poll_oneoff", |c: C<'_, S>, asked: i32, told: i32, count: i32, size: i32| {
        answer(c, |call| call.poll_oneoff(asked as u32, told as u32, count as u32, size as u32))
    })?;
    linker.func_wrap(PREVIEW1, "random_get", |c: C<'_, S>, at: i32, size: i32| {
        answer(c, |call| {
            // Each block of 32 bytes takes one hash.
            call.charge((size as u32 as u64) * 32)?;
            let (part, guest) = call.part(at as u32, size as u32)?;
            guest.random.fill(part);
            Ok(())
        })
    })?;
    linker.func_wrap(PREVIEW1, "sched_yield", |c: C<'_, S>| answer(c, |_| Ok(())))?;
    linker.func_wrap(PREVIEW1, "proc_exit", |_: C<'_, S>, code: i32| -> wasmtime::Result<()> {
        Err(wasmtime::Error::new(Stop::Exit(code as u32)))
    })?;
    linker.func_wrap(PREVIEW1, "proc_raise", |c: C<'_, S>, _: i32| answer(c, |_| Err(Fail::Told(Errno::NOSYS))))?;
    Ok(())
}

/// Defines the functions for files, folders and sockets, all of which fail.
fn absent<S: Streams>(linker: &mut Linker<Guest<S>>) -> wasmtime::Result<()> {
    type C<'a, S> = Caller<'a, Guest<S>>;
    refuse! { linker, S:
        "fd_advise" (i64, i64, i32) => SPIPE;
        "fd_allocate" (i64, i64) => SPIPE;
        "fd_datasync" () => INVAL;
        "fd_fdstat_set_rights" (i64, i64) => NOTSUP;
        "fd_filestat_set_size" (i64) => INVAL;
        "fd_filestat_set_times" (i64, i64, i32) => INVAL;
        "fd_pread" (i32, i32, i64, i32) => SPIPE;
        "fd_pwrite" (i32, i32, i64, i32) => SPIPE;
        "fd_readdir" (i32, i32, i64, i32) => NOTDIR;
        "fd_renumber" (i32) => NOTSUP;
        "fd_seek" (i64, i32, i32) => SPIPE;
        "fd_sync" () => INVAL;
        "fd_tell" (i32) => SPIPE;
        "path_create_directory" (i32, i32) => NOTDIR;
        "path_filestat_get" (i32, i32, i32, i32) => NOTDIR;
        "path_filestat_set_times" (i32, i32, i32, i64, i64, i32) => NOTDIR;
        "path_link" (i32, i32, i32, i32, i32, i32) => NOTDIR;
        "path_open" (i32, i32, i32, i32, i64, i64, i32, i32) => NOTDIR;
        "path_readlink" (i32, i32, i32, i32, i32) => NOTDIR;
        "path_remove_directory" (i32, i32) => NOTDIR;
        "path_rename" (i32, i32, i32, i32, i32) => NOTDIR;
        "path_unlink_file" (i32, i32) => NOTDIR;
        "sock_accept" (i32, i32) => NOTSOCK;
        "sock_recv" (i32, i32, i32, i32, i32) => NOTSOCK;
        "sock_send" (i32, i32, i32, i32) => NOTSOCK;
        "sock_shutdown" (i32) => NOTSOCK;
    }
    linker.func_wrap(PREVIEW1, "path_symlink", |c: C<'_, S>, _: i32, _: i32, fd: i32, _: i32, _: i32| {
        answer(c, |call| {
            call.stream(fd)?;
            Err(Fail::Told(Errno::NOTDIR))
        })
    })?;
    // The bot has no open folders. With this answer the startup code of a C or Rust program stops searching for them.
    linker.func_wrap(PREVIEW1, "fd_prestat_get", |c: C<'_, S>, _: i32, _: i32| {
        answer(c, |_| Err(Fail::Told(Errno::BADF)))
    })?;
    linker.func_wrap(PREVIEW1, "fd_prestat_dir_name", |c: C<'_, S>, _: i32, _: i32, _: i32| {
        answer(c, |_| Err(Fail::Told(Errno::BADF)))
    })?;
    Ok(())
}
