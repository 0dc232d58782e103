//! Helps these tests to write and play bots.

use agon_spec::Fuel;
use agon_wasi::{Bot, End, Engine, Random, Streams};
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex},
};

/// What every bot here begins with: the functions that it may call, a page of memory, `$hear` and `$say`, and `$burn`,
/// which goes round a loop so often.
const PRELUDE: &str = r#"
    (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_close" (func $fd_close (param i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    ;; At most 1000 bytes to 1024; how many.
    (func $hear (result i32)
        (i32.store (i32.const 0) (i32.const 1024))
        (i32.store (i32.const 4) (i32.const 1000))
        (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
        (i32.load (i32.const 8)))
    ;; From here so many; what came of it.
    (func $say (param $at i32) (param $size i32) (result i32)
        (i32.store (i32.const 0) (local.get $at))
        (i32.store (i32.const 4) (local.get $size))
        (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (func $burn (param $rounds i32)
        (loop $more
            (local.set $rounds (i32.sub (local.get $rounds) (i32.const 1)))
            (br_if $more (i32.gt_s (local.get $rounds) (i32.const 0)))))
"#;

/// Compiles a module from the prelude and this text.
pub fn module(text: &str) -> Vec<u8> {
    bare(&format!("{PRELUDE}{text}"))
}

/// Compiles a module from this text alone.
pub fn bare(text: &str) -> Vec<u8> {
    wat::parse_str(format!("(module {text})")).unwrap_or_else(|why| panic!("{why}"))
}

/// Returns a bot with this text as the body of `_start`.
pub fn start(text: &str) -> Vec<u8> {
    module(&format!(r#"(func (export "_start") {text})"#))
}

/// Returns a bot with this text as the body of `_start`. The value on the stack becomes its exit code.
pub fn leaves(text: &str) -> Vec<u8> {
    start(&format!("(call $exit {text})"))
}

/// The input of a bot, piece by piece, and its output.
#[derive(Clone, Debug, Default)]
pub struct Talk {
    pieces: Arc<Mutex<VecDeque<Vec<u8>>>>,
    pub said: Arc<Mutex<Vec<u8>>>,
    pub complained: Arc<Mutex<Vec<u8>>>,
    pub silent: Arc<Mutex<bool>>,
}

impl Talk {
    pub fn new<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let pieces = pieces.into_iter().map(|piece| piece.as_bytes().to_vec()).collect();
        Self { pieces: Arc::new(Mutex::new(pieces)), ..Self::default() }
    }

    pub fn said(&self) -> Vec<u8> {
        self.said.lock().expect("nobody failed with it").clone()
    }
}

impl Streams for Talk {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let piece = self.pieces.lock().expect("nobody failed with it").pop_front().unwrap_or_default();
        into[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }

    fn write_stdout(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.said.lock().expect("nobody failed with it").extend_from_slice(bytes);
        Ok(())
    }

    fn write_stderr(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.complained.lock().expect("nobody failed with it").extend_from_slice(bytes);
        Ok(())
    }

    fn close_stdout(&mut self) {
        *self.silent.lock().expect("nobody failed with it") = true;
    }
}

/// A turn and a start that no bot uses up that means well.
pub const PLENTY: Fuel = Fuel { turn: 1_000_000, start: 10_000_000 };

/// Plays a bot with 16 MiB of memory.
pub fn play(bytes: &[u8], fuel: Fuel, talk: &Talk) -> End {
    let engine = Engine::new().expect("this machine runs WASM");
    let bot = Bot::compile(&engine, bytes).unwrap_or_else(|why| panic!("{why}"));
    bot.play(fuel, 16, Random::new(7, 0), talk.clone())
}

/// Plays a bot without input and returns its end.
pub fn end(bytes: &[u8]) -> End {
    play(bytes, PLENTY, &Talk::default())
}
