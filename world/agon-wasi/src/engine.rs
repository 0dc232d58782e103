//! Compiles modules, and selects the enabled features of WebAssembly.

use std::{fmt, path::Path};
use thiserror::Error;
use wasmtime::{Config, ExternType, Module};

/// The maximum size of a module in bytes. A Python interpreter with its library needs a third of it.
pub(crate) const MODULE_LIMIT: usize = 64 << 20;

/// The limit of the machine's stack for calls, in bytes. The stack that a compiler creates in the bot's memory does not
/// count.
pub(crate) const STACK: usize = 8 << 20;

/// The name of the module with the functions of WASI preview 1.
pub(crate) const PREVIEW1: &str = "wasi_snapshot_preview1";

/// Compiles modules, always with the same settings.
pub struct Engine(pub(crate) wasmtime::Engine);

/// Why a module cannot be played, in words for people, with a hint.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what}")]
pub struct ModuleError {
    /// The reason, as a lower-case fragment. It may quote the module, so clean it before printing it on a terminal.
    pub what: String,
    /// A hint on how to fix the problem. May be empty.
    pub hint: String,
}

impl ModuleError {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Engine")
    }
}

impl Engine {
    /// Creates the engine.
    ///
    /// # Errors
    /// If modules cannot be compiled for this processor.
    pub fn new() -> Result<Self, ModuleError> {
        let mut config = Config::new();
        config.consume_fuel(true);
        // Two things differ between processors: the bits of a NaN, and the instructions of "relaxed" SIMD.
        config.cranelift_nan_canonicalization(true);
        config.relaxed_simd_deterministic(true);
        config.max_wasm_stack(STACK);
        // We do not use async, but wasmtime compares this size with that of the stack.
        config.async_stack_size(STACK);
        // Compilers do not use these features for WASI preview 1. With fewer features there are fewer possible errors.
        config.wasm_memory64(false);
        config.wasm_multi_memory(false);
        // A backtrace is useless for a bot that was built without names.
        config.wasm_backtrace_max_frames(None);
        config.generate_address_map(false);
        let engine = wasmtime::Engine::new(&config);
        engine.map(Self).map_err(|why| ModuleError::new(format!("this machine cannot run WASM: {why:#}"), ""))
    }

    /// Compiles a module.
    ///
    /// # Errors
    /// If the bytes are not a WASM module, or the module cannot be played.
    pub(crate) fn compile(&self, bytes: &[u8]) -> Result<Module, ModuleError> {
        const HINT: &str = "build it for `wasm32-wasip1` (Rust), or with `--target=wasm32-wasi` and wasi-libc (C)";
        if bytes.starts_with(b"\0asm\x0d\0\x01\0") {
            return Err(ModuleError::new("a component, not a module: WASI preview 2 is not played", HINT));
        }
        if !bytes.starts_with(b"\0asm") {
            return Err(ModuleError::new("not a WASM module: it does not begin with `\\0asm`", HINT));
        }
        if bytes.len() > MODULE_LIMIT {
            let what = format!("the module has more than {} MiB", MODULE_LIMIT >> 20);
            return Err(ModuleError::new(what, "build it with optimisation and without debug information"));
        }
        let module = Module::from_binary(&self.0, bytes);
        let module = module.map_err(|why| ModuleError::new(format!("the module cannot be compiled: {why:#}"), HINT))?;
        check(&module)?;
        Ok(module)
    }

    /// Loads a module that was compiled earlier.
    ///
    /// # Safety
    /// The file contains machine code. It must come from [`Engine::compile`] and `serialize`, no one else may have
    /// changed it, and it must not change later.
    pub(crate) unsafe fn load(&self, path: &Path) -> wasmtime::Result<Module> {
        // SAFETY: promised by the caller.
        unsafe { Module::deserialize_file(&self.0, path) }
    }
}

/// Checks that a module imports only what exists, and exports what a bot needs.
fn check(module: &Module) -> Result<(), ModuleError> {
    const LIBRARY: &str = "build a program with `main`, not a library";
    if let Some(import) = module.imports().find(|import| import.module() != PREVIEW1) {
        let what = format!("the module needs `{}.{}`, which is not of WASI preview 1", import.module(), import.name());
        return Err(ModuleError::new(
            what,
            "build it for `wasm32-wasip1`; code for browsers and Emscripten cannot be played",
        ));
    }
    match module.get_export("_start") {
        Some(ExternType::Func(f)) if f.params().len() == 0 && f.results().len() == 0 => {}
        _ => return Err(ModuleError::new("the module has no function `_start` to begin with", LIBRARY)),
    }
    match module.get_export("memory") {
        Some(ExternType::Memory(_)) => Ok(()),
        _ => Err(ModuleError::new("the module does not export its `memory`", LIBRARY)),
    }
}
