//! The cache of compiled modules. They contain machine code, so a module must be loaded exactly as it was written. For
//! this reason only the user may write to the folder.

use crate::{
    bot::Bot,
    engine::{Engine, MODULE_LIMIT, ModuleError},
};
use rustix::{
    fs::{Mode, OFlags},
    process::{Resource, Rlimit, geteuid, getrlimit, setrlimit},
};
use sha2::{Digest, Sha256};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The permissions of a compiled module. A bot may run as another user inside a sandbox, and must be able to read it.
const READABLE: Mode = Mode::RUSR.union(Mode::RGRP).union(Mode::ROTH);

/// The limits of the compiler. Only a malicious module needs more.
const COMPILER_BYTES: u64 = 4 << 30;
const COMPILER_SECONDS: u64 = 300;

/// A compiled module in the cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    path: PathBuf,
}

impl Compiled {
    /// Compiles the module in a file, unless `folder` already has the result. Only this user may be able to write to that
    /// folder. Calls `warn` if a result there cannot be used.
    ///
    /// # Errors
    /// If the file cannot be read, the module cannot be played, or the folder cannot be written.
    pub(crate) fn of(module: &Path, folder: &Path, warn: &mut dyn FnMut(String)) -> Result<Self, ModuleError> {
        let bytes = read(module)?;
        let engine = Engine::new()?;
        let path = folder.join(name(&engine, &bytes));
        if !is_usable(&path, warn) {
            limit_ourselves();
            let bot = Bot::compile(&engine, &bytes)?;
            let code = bot.module().serialize();
            let code =
                code.map_err(|why| ModuleError::new(format!("the compiled module cannot be kept: {why:#}"), ""))?;
            keep(folder, &path, &code).map_err(|why| {
                let what = format!("the compiled module cannot be kept in `{}`: {why}", folder.display());
                ModuleError::new(what, "set XDG_CACHE_HOME to a folder that can be written to")
            })?;
        }
        Ok(Self { path })
    }

    /// Returns the compiled module at a path that comes from [`Compiled::path`].
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the path of the compiled module.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Loads the module.
    ///
    /// # Errors
    /// If the file no longer exists, or was compiled for another machine.
    pub(crate) fn load<'a>(&self, engine: &'a Engine) -> Result<Bot<'a>, ModuleError> {
        // SAFETY: the path was made by `of`, in a folder that only this user (and the system's administrator) can write
        // to; files in it are written whole under another name first and never changed.
        let module = unsafe { engine.load(&self.path) };
        module.map(|module| Bot::of_module(engine, module)).map_err(|why| {
            ModuleError::new(format!("the compiled module `{}` cannot be loaded: {why:#}", self.path.display()), "")
        })
    }
}

/// Reads a file, but at most one byte more than a module may have.
fn read(module: &Path) -> Result<Vec<u8>, ModuleError> {
    let mut bytes = Vec::new();
    let file = fs::File::open(module);
    let read = file.and_then(|file| file.take(MODULE_LIMIT as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|why| ModuleError::new(format!("cannot read `{}`: {why}", module.display()), ""))?;
    Ok(bytes)
}

/// Returns the file name of a compiled module. It depends on every byte of the module, on the version of the engine,
/// and on the features of this processor.
fn name(engine: &Engine, bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    engine.0.precompile_compatibility_hash().hash(&mut hasher);
    let digest = Sha256::digest(bytes);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest}-{:016x}", hasher.finish())
}

/// Returns whether the cache has a compiled module that only this user can have written. If another user can, removes it
/// and calls `warn`.
fn is_usable(path: &Path, warn: &mut dyn FnMut(String)) -> bool {
    let Ok(about) = fs::symlink_metadata(path) else { return false };
    if about.is_file() && about.uid() == geteuid().as_raw() && about.mode() & 0o022 == 0 {
        return true;
    }
    warn(format!(
        "a module in the cache is not used and is compiled again: others could write to `{}`",
        path.display()
    ));
    // `keep` replaces a file, but not a folder.
    let _ = if about.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    false
}

/// Writes a compiled module to the cache. The file gets its name only when it is complete and on disk, so that an
/// incomplete module is never loaded.
fn keep(folder: &Path, path: &Path, code: &[u8]) -> io::Result<()> {
    let half = folder.join(format!(".{}.half", std::process::id()));
    let flags = OFlags::CREATE | OFlags::TRUNC | OFlags::WRONLY | OFlags::CLOEXEC;
    let kept = rustix::fs::open(&half, flags, READABLE).map_err(io::Error::from).and_then(|file| {
        let mut file = fs::File::from(file);
        file.write_all(code)?;
        file.sync_all()?;
        fs::rename(&half, path)
    });
    if kept.is_err() {
        let _ = fs::remove_file(&half);
    }
    kept
}

/// Limits the memory and the time of the compiler. If a limit cannot be set, a lower one is already in place.
fn limit_ourselves() {
    for (resource, most) in [(Resource::Data, COMPILER_BYTES), (Resource::Cpu, COMPILER_SECONDS)] {
        let maximum = getrlimit(resource).maximum;
        let _ = setrlimit(resource, Rlimit { current: Some(maximum.map_or(most, |it| it.min(most))), maximum });
    }
}
