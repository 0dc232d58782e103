//! Gives up the privileges of a process, so that it cannot get them back.

use super::begin;
use crate::{Refused, Step};
use rustix::{
    fd::AsFd,
    fs::{FileType, fchown, fstat},
    process::{Gid, Uid},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
        set_capabilities, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    },
};
use std::io::{stderr, stdin, stdout};

/// Changes to a user ID that no other process has, and to the group with the same ID.
pub(crate) fn become_user(id: u32) -> Result<(), Refused> {
    begin(Step::User)?;
    let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
    // A process that opens `/dev/stdin` opens the pipe itself, which must then be that user's. Other files stay as they are.
    for stream in [stdin().as_fd(), stdout().as_fd(), stderr().as_fd()] {
        if fstat(stream).is_ok_and(|about| FileType::from_raw_mode(about.st_mode) == FileType::Fifo) {
            let _ = fchown(stream, Some(uid), Some(gid));
        }
    }
    set_thread_groups(&[]).map_err(Refused::call(Step::User, "groups"))?;
    set_thread_res_gid(gid, gid, gid).map_err(Refused::call(Step::User, "group"))?;
    set_thread_res_uid(uid, uid, uid).map_err(Refused::call(Step::User, "user"))
}

/// Gives up every capability for good. Programs with the set-user-ID bit cannot give them back.
pub(crate) fn drop_all() -> Result<(), Refused> {
    begin(Step::Capabilities)?;
    let failed = |what: &'static str| Refused::call(Step::Capabilities, what);
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            // A process without capabilities may not shrink the bounding set, and need not do so.
            Err(rustix::io::Errno::PERM) => break,
            Err(e) => return Err(failed("the bounding set")(e)),
        }
    }
    match clear_ambient_capability_set() {
        Ok(()) | Err(rustix::io::Errno::INVAL) => {}
        Err(e) => return Err(failed("the ambient set")(e)),
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(failed("the sets of the process"))?;
    set_no_new_privs(true).map_err(failed("no new privileges"))
}
