//! Nothing inside is anybody of importance, and cannot become so.

use super::Failed;
use rustix::{
    process::{Gid, Uid},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
        set_capabilities, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    },
};

/// Becomes a user that is nobody else.
pub(crate) fn become_user(id: u32) -> Result<(), Failed> {
    let failed = |what: &str, e: rustix::io::Errno| Failed::new("user", format!("{what}: {e}"));
    let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
    set_thread_groups(&[]).map_err(|e| failed("groups", e))?;
    set_thread_res_gid(gid, gid, gid).map_err(|e| failed("group", e))?;
    set_thread_res_uid(uid, uid, uid).map_err(|e| failed("user", e))
}

/// Gives up every capability for good, and what a set-user-id program would give back.
pub(crate) fn drop_all() -> Result<(), Failed> {
    let failed = |what: &str, e: rustix::io::Errno| Failed::new("capabilities", format!("{what}: {e}"));
    // Whoever has none may not shrink the bounding set either, and need not.
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            Ok(()) | Err(rustix::io::Errno::PERM | rustix::io::Errno::INVAL) => {}
            Err(e) => return Err(failed("the bounding set", e)),
        }
    }
    match clear_ambient_capability_set() {
        Ok(()) | Err(rustix::io::Errno::INVAL) => {}
        Err(e) => return Err(failed("the ambient set", e)),
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(|e| failed("the sets of the process", e))?;
    set_no_new_privs(true).map_err(|e| failed("no new privileges", e))
}
