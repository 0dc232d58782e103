//! Temporary caches, for a user whose own cache cannot be trusted.

use super::{ownership::others_decide, part::Part};
use agon_core::Flaw;
use agon_sandbox::TemporaryFolder;
use rustix::process::geteuid;
use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// A temporary folder to which only this user can write. It is removed on drop.
#[derive(Debug)]
pub(super) struct PrivateFolder(Part);

impl PrivateFolder {
    /// Returns the folder of this process. Creates it if it does not exist.
    pub(super) fn of_process() -> Result<Arc<Self>, Flaw> {
        static SHARED: Mutex<Weak<PrivateFolder>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shared.upgrade() {
            return Ok(known);
        }
        let made = Arc::new(Self::new()?);
        *shared = Arc::downgrade(&made);
        Ok(made)
    }

    fn new() -> Result<Self, Flaw> {
        let prefix = format!("agon-cache-{}-", geteuid().as_raw());
        let places = [env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
        for place in places.iter().filter_map(|place| fs::canonicalize(place).ok()) {
            if others_decide(&place).is_ok_and(|why| why.is_none()) {
                TemporaryFolder::sweep(&place, &prefix);
                if let Ok(part) = Part::new(&place, &prefix, super::folder_mode()) {
                    return Ok(Self(part));
                }
            }
        }
        Err(Flaw::new("there is no folder for results of builds that is yours alone")
            .hint("set XDG_CACHE_HOME to a folder that only you can write to"))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.root()
    }
}
