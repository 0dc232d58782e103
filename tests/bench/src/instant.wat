;; The instant bot of the toy game (bot.rs) for WASM: one line a read, and its first letter says what to answer.
(module
    (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 32) "ok\0atake 000000001\0d\0a")
    (func $say (param $at i32) (param $size i32)
        (i32.store (i32.const 0) (local.get $at))
        (i32.store (i32.const 4) (local.get $size))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
    (func (export "_start")
        (loop $more
            (i32.store (i32.const 0) (i32.const 64))
            (i32.store (i32.const 4) (i32.const 64))
            (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
            ;; The end of the input, or a line `end`.
            (br_if 1 (i32.eqz (i32.load (i32.const 8))))
            (br_if 1 (i32.eq (i32.load8_u (i32.const 64)) (i32.const 0x65)))
            ;; `toy wins`, `heap 9 9`.
            (if (i32.eq (i32.load8_u (i32.const 64)) (i32.const 0x74))
                (then (call $say (i32.const 32) (i32.const 3))))
            (if (i32.eq (i32.load8_u (i32.const 64)) (i32.const 0x68))
                (then (call $say (i32.const 35) (i32.const 16))))
            (br $more))))
