//! Files that cannot be played as bots.

use crate::bots::{PLENTY, Talk, bare, module, play};
use agon_wasi::{Bot, End, Engine};

#[test]
fn impossible_matches_are_explained() {
    let engine = Engine::new().expect("this machine runs WASM");
    let page = r#"(memory (export "memory") 1)"#;
    let wasi = r#""wasi_snapshot_preview1""#;
    let start = r#"(func (export "_start"))"#;
    for (bytes, what) in [
        (b"#!/bin/sh\n".to_vec(), "not a WASM module"),
        (Vec::new(), "not a WASM module"),
        (b"\0asm\x0d\0\x01\0".to_vec(), "a component"),
        (b"\0asm\x01\0\0\0\x01\x7f".to_vec(), "cannot be compiled"),
        (bare(&format!(r#"(import "env" "now" (func)) {page} {start}"#)), "`env.now`, which is not of WASI preview 1"),
        (bare(&format!(r#"(import {wasi} "thread_spawn" (func (result i32))) {page} {start}"#)), "thread_spawn"),
        (bare(&format!(r#"(import {wasi} "fd_close" (func)) {page} {start}"#)), "does not fit WASI preview 1"),
        (bare(&format!(r#"{page} (func (export "_initialize"))"#)), "no function `_start`"),
        (bare(&format!(r#"{page} (func (export "_start") (param i32))"#)), "no function `_start`"),
        (bare(start), "does not export its `memory`"),
        (bare(&format!(r#"(memory (export "memory") 1 1 shared) {start}"#)), "cannot be compiled"),
        (bare(&format!(r#"(memory (export "memory") i64 1) {start}"#)), "cannot be compiled"),
        (bare(&format!(r#"{page} (memory 1) {start}"#)), "cannot be compiled"),
    ] {
        let Err(why) = Bot::compile(&engine, &bytes) else { panic!("{what}") };
        assert!(why.what.contains(what), "{what}: {why}");
        assert!(!why.hint.is_empty());
    }
}

#[test]
fn a_module_that_begins_with_more_memory_than_it_may_have() {
    let bot = bare(r#"(memory (export "memory") 320) (func (export "_start"))"#);
    let End::ModuleError(why) = play(&bot, PLENTY, &Talk::default()) else { panic!("it was played") };
    assert_eq!(why.what, "the module begins with 20 MiB of memory and may have 16");
    // The limit counts from below, too.
    let bot = module(r#"(func (export "_start"))"#);
    assert_eq!(play(&bot, PLENTY, &Talk::default()), End::Done(0));
}
