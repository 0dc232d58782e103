//! Compiled modules, kept for the next match. They are the machine's code: what is loaded must be what was written, so
//! that the folder is the user's alone.

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
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

/// A sandbox may be another user's, who reads what this one has written.
const READABLE: Mode = Mode::RUSR.union(Mode::RGRP).union(Mode::ROTH);
const FOLDER: u32 = 0o755;

/// What the compiler may take: a module that needs more is made to need more.
const COMPILER_BYTES: u64 = 4 << 30;
const COMPILER_SECONDS: u64 = 300;

/// A compiled module in the cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    path: PathBuf,
}

impl Compiled {
    /// Compiles the module in a file, unless that was done before.
    ///
    /// # Errors
    /// It cannot be read or played, or there is no folder for caches that is the user's alone.
    pub(crate) fn of(module: &Path) -> Result<Self, ModuleError> {
        let bytes = read(module)?;
        let engine = Engine::new()?;
        let folder = folder()?;
        let path = folder.join(name(&engine, &bytes));
        if !path.is_file() {
            limit_ourselves();
            let bot = Bot::compile(&engine, &bytes)?;
            let code = bot.module().serialize();
            let code =
                code.map_err(|why| ModuleError::new(format!("the compiled module cannot be kept: {why:#}"), ""))?;
            keep(&folder, &path, &code).map_err(|why| {
                let what = format!("the compiled module cannot be kept in `{}`: {why}", folder.display());
                ModuleError::new(what, "set XDG_CACHE_HOME to a folder that can be written to")
            })?;
        }
        Ok(Self { path })
    }

    /// The compiled module at a path that [`Compiled::path`] has told.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Loads it.
    ///
    /// # Errors
    /// It is gone, or was compiled for another machine.
    pub(crate) fn load<'a>(&self, engine: &'a Engine) -> Result<Bot<'a>, ModuleError> {
        // SAFETY: the path was made by `of`, in a folder that only this user (and the system's administrator) can write
        // to; files in it are written whole under another name first and never changed.
        let module = unsafe { engine.load(&self.path) };
        module.map(|module| Bot::of_module(engine, module)).map_err(|why| {
            ModuleError::new(format!("the compiled module `{}` cannot be loaded: {why:#}", self.path.display()), "")
        })
    }
}

/// The whole file, if it is not too large for a module.
fn read(module: &Path) -> Result<Vec<u8>, ModuleError> {
    let mut bytes = Vec::new();
    let file = fs::File::open(module);
    let read = file.and_then(|file| file.take(MODULE_LIMIT as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|why| ModuleError::new(format!("cannot read `{}`: {why}", module.display()), ""))?;
    Ok(bytes)
}

/// Changes with every byte of the module, with the version of the engine and with what this processor can do.
fn name(engine: &Engine, bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    engine.0.precompile_compatibility_hash().hash(&mut hasher);
    let digest = Sha256::digest(bytes);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest}-{:016x}", hasher.finish())
}

/// `agon/wasm` in `XDG_CACHE_HOME` or `~/.cache`, made if it is not there; nobody but this user can write to it.
fn folder() -> Result<PathBuf, ModuleError> {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache"))).ok_or_else(|| {
        let hint = "set XDG_CACHE_HOME to a folder that can be written to";
        ModuleError::new("there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set", hint)
    })?;
    let folder = cache.join("agon/wasm");
    let shown = folder.display();
    let made = fs::create_dir_all(cache.join("agon")).and_then(|()| {
        match fs::DirBuilder::new().mode(FOLDER).create(&folder) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    });
    let about = made.and_then(|()| fs::symlink_metadata(&folder)).map_err(|why| {
        let hint = "set XDG_CACHE_HOME to a folder that can be written to";
        ModuleError::new(format!("the folder for compiled modules, `{shown}`, cannot be made: {why}"), hint)
    })?;
    if about.is_dir() && about.uid() == geteuid().as_raw() && about.mode() & 0o022 == 0 {
        return Ok(folder);
    }
    let what = format!("`{shown}` holds programs for this machine and can be written to by others than this user");
    Err(ModuleError::new(what, "remove it: it is made anew"))
}

/// Under its name only when it is whole and on disk: half of a module must never be loaded.
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

/// Bounds what the compiler takes. A limit that cannot be set was set lower before.
fn limit_ourselves() {
    for (resource, most) in [(Resource::Data, COMPILER_BYTES), (Resource::Cpu, COMPILER_SECONDS)] {
        let maximum = getrlimit(resource).maximum;
        let _ = setrlimit(resource, Rlimit { current: Some(maximum.map_or(most, |it| it.min(most))), maximum });
    }
}
