//! The environment of a bot: three streams, a clock, random numbers, and nothing else.

use crate::bots::{PLENTY, Talk, bare, end, leaves, module, play, start};
use agon_wasi::{Bot, End, Engine, Random};

#[test]
fn ends_are_told_apart() {
    assert_eq!(end(&start("")), End::Done(0));
    assert_eq!(end(&leaves("(i32.const 3)")), End::Done(3));
    assert_eq!(end(&leaves("(i32.const 126)")), End::Trapped("its exit code 126 is not below 126".to_owned()));
    for (text, what) in [
        ("unreachable", "trapped: wasm `unreachable` instruction executed"),
        ("(drop (i32.div_s (i32.const 1) (i32.const 0)))", "trapped: integer divide by zero"),
        ("(drop (i32.load (i32.const -4)))", "trapped: out of bounds memory access"),
    ] {
        assert_eq!(end(&start(text)), End::Trapped(what.to_owned()));
    }
}

/// A call of a function of WASI with these numbers (those marked `L` have 64 bits), and the code that it leaves.
fn call_wasi(name: &str, numbers: &str) -> End {
    let (mut kinds, mut values) = (String::new(), String::new());
    for number in numbers.split_whitespace() {
        let (kind, number) = number.strip_prefix('L').map_or(("i32", number), |number| ("i64", number));
        kinds += &format!(" {kind}");
        values += &format!(" ({kind}.const {number})");
    }
    end(&bare(&format!(
        r#"(import "wasi_snapshot_preview1" "{name}" (func $f (param{kinds}) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1)
        (func (export "_start") (call $exit (call $f{values})))"#
    )))
}

#[test]
fn there_are_no_files_and_no_sockets() {
    const BADF: u8 = 8;
    const INVAL: u8 = 28;
    const NOSYS: u8 = 52;
    const NOTDIR: u8 = 54;
    const NOTSOCK: u8 = 57;
    const NOTSUP: u8 = 58;
    const SPIPE: u8 = 70;
    for (name, numbers, code) in [
        // The first folder that a bot would be given.
        ("fd_prestat_get", "3 0", BADF),
        ("fd_prestat_dir_name", "3 0 8", BADF),
        ("path_open", "3 0 0 4 0 L0 L0 0 16", BADF),
        ("path_open", "0 0 0 4 0 L0 L0 0 16", NOTDIR),
        ("path_create_directory", "3 0 4", BADF),
        ("path_filestat_get", "3 0 0 4 64", BADF),
        ("path_filestat_set_times", "3 0 0 4 L0 L0 0", BADF),
        ("path_link", "3 0 0 4 3 8 4", BADF),
        ("path_readlink", "3 0 4 8 4 16", BADF),
        ("path_remove_directory", "3 0 4", BADF),
        ("path_rename", "3 0 4 3 8 4", BADF),
        ("path_symlink", "0 4 3 8 4", BADF),
        ("path_symlink", "0 4 1 8 4", NOTDIR),
        ("path_unlink_file", "3 0 4", BADF),
        ("sock_accept", "3 0 0", BADF),
        ("sock_recv", "0 0 0 0 0 0", NOTSOCK),
        ("sock_send", "1 0 0 0 0", NOTSOCK),
        ("sock_shutdown", "9 0", BADF),
        ("fd_read", "1 0 0 0", BADF),
        ("fd_read", "-1 0 0 0", BADF),
        ("fd_write", "0 0 0 0", BADF),
        ("fd_write", "3 0 0 0", BADF),
        ("fd_advise", "0 L0 L0 0", SPIPE),
        ("fd_allocate", "1 L0 L9", SPIPE),
        ("fd_datasync", "1", INVAL),
        ("fd_sync", "3", BADF),
        ("fd_fdstat_set_flags", "0 0", 0),
        ("fd_fdstat_set_flags", "0 4", NOTSUP),
        ("fd_fdstat_set_rights", "0 L0 L0", NOTSUP),
        ("fd_filestat_set_size", "1 L0", INVAL),
        ("fd_filestat_set_times", "1 L0 L0 0", INVAL),
        ("fd_pread", "0 0 0 L0 0", SPIPE),
        ("fd_pwrite", "1 0 0 L0 0", SPIPE),
        ("fd_readdir", "0 0 0 L0 0", NOTDIR),
        ("fd_renumber", "1 0", NOTSUP),
        ("fd_seek", "0 L0 0 0", SPIPE),
        ("fd_tell", "1 0", SPIPE),
        ("fd_fdstat_get", "2 64", 0),
        ("fd_fdstat_get", "3 64", BADF),
        ("fd_filestat_get", "0 64", 0),
        ("proc_raise", "9", NOSYS),
        ("clock_res_get", "0 64", 0),
        ("clock_time_get", "4 L0 64", INVAL),
        ("sched_yield", "", 0),
    ] {
        assert_eq!(call_wasi(name, numbers), End::Done(code), "{name} {numbers}");
    }
}

#[test]
fn a_place_outside_of_the_memory_is_told_and_breaks_nothing() {
    const FAULT: u8 = 21;
    for (name, numbers) in [
        ("fd_write", "1 -8 1 0"),
        ("fd_read", "0 0 1 -2"),
        ("args_sizes_get", "65533 0"),
        ("random_get", "65000 1000"),
        ("clock_time_get", "0 L0 65530"),
        ("fd_filestat_get", "0 65500"),
        ("poll_oneoff", "65535 0 1 0"),
    ] {
        assert_eq!(call_wasi(name, numbers), End::Done(FAULT), "{name} {numbers}");
    }
}

#[test]
fn there_are_no_arguments_and_no_environment() {
    for name in ["args_sizes_get", "environ_sizes_get"] {
        let bot = bare(&format!(
            r#"(import "wasi_snapshot_preview1" "{name}" (func $sizes (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 1)
            (func (export "_start")
                (i64.store (i32.const 0) (i64.const -1))
                (drop (call $sizes (i32.const 0) (i32.const 4)))
                (call $exit (i32.or (i32.load (i32.const 0)) (i32.load (i32.const 4)))))"#
        ));
        assert_eq!(end(&bot), End::Done(0), "{name}");
    }
    assert_eq!(call_wasi("args_get", "0 0"), End::Done(0));
    assert_eq!(call_wasi("environ_get", "0 0"), End::Done(0));
}

#[test]
fn a_closed_stdout_is_closed_outside_too() {
    let talk = Talk::default();
    let bot =
        leaves("(block (result i32) (drop (call $fd_close (i32.const 1))) (call $say (i32.const 0) (i32.const 1)))");
    assert_eq!(play(&bot, PLENTY, &talk), End::Done(8));
    assert!(talk.said().is_empty() && *talk.silent.lock().expect("nobody failed with it"));
}

#[test]
fn several_parts_of_the_memory_are_written_as_one() {
    let talk = Talk::default();
    let bot = module(
        r#"(data (i32.const 100) "ab--cd")
        (func (export "_start")
            (i32.store (i32.const 16) (i32.const 100)) (i32.store (i32.const 20) (i32.const 2))
            (i32.store (i32.const 24) (i32.const 0)) (i32.store (i32.const 28) (i32.const 0))
            (i32.store (i32.const 32) (i32.const 104)) (i32.store (i32.const 36) (i32.const 2))
            (drop (call $fd_write (i32.const 1) (i32.const 16) (i32.const 3) (i32.const 8)))
            (drop (call $fd_write (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 8))))"#,
    );
    assert_eq!(play(&bot, PLENTY, &talk), End::Done(0));
    assert_eq!(talk.said(), b"abcd");
    assert_eq!(*talk.complained.lock().expect("nobody failed with it"), b"ab");
}

/// Says 8 random bytes and what the clock shows then.
const WITNESS: &str = r#"
    (drop (call $random (i32.const 16) (i32.const 8)))
    (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 24)))
    (drop (call $say (i32.const 16) (i32.const 16)))"#;

#[test]
fn random_numbers_and_the_clock_are_the_same_in_every_run() {
    let engine = Engine::new().expect("this machine runs WASM");
    let bytes = start(WITNESS);
    let bot = Bot::compile(&engine, &bytes).expect("it compiles");
    let run = |seed, seat| {
        let talk = Talk::default();
        assert_eq!(bot.play(PLENTY, 16, Random::new(seed, seat), talk.clone()), End::Done(0));
        let said = talk.said();
        assert_eq!(said.len(), 16);
        (said[..8].to_vec(), u64::from_le_bytes(said[8..].try_into().expect("eight bytes")))
    };
    let (random, clock) = run(1, 0);
    assert_eq!(run(1, 0), (random.clone(), clock));
    for (seed, seat) in [(2, 0), (1, 1)] {
        let other = run(seed, seat);
        assert!(other.0 != random && other.1 == clock, "the clock counts instructions, whatever the seed");
    }
    // A hash of the random bytes, and the few instructions before.
    assert!((300..1_000).contains(&clock), "{clock}");
}

/// Asks for one event and leaves its error and kind, or the error of the call.
fn polled(kind: u8, which: u32, time: u64, flags: u16) -> (Vec<u8>, End) {
    let bot = start(&format!(
        r#"(i64.store (i32.const 100) (i64.const 77))
        (i32.store8 (i32.const 108) (i32.const {kind}))
        (i32.store (i32.const 116) (i32.const {which}))
        (i64.store (i32.const 124) (i64.const {time}))
        (i32.store16 (i32.const 140) (i32.const {flags}))
        (if (call $poll (i32.const 100) (i32.const 200) (i32.const 1) (i32.const 16)) (then (call $exit (i32.const 99))))
        (drop (call $say (i32.const 200) (i32.const 32)))
        (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 24)))
        (drop (call $say (i32.const 24) (i32.const 8)))"#
    ));
    let talk = Talk::default();
    let end = play(&bot, PLENTY, &talk);
    (talk.said(), end)
}

#[test]
fn waiting_for_a_clock_uses_up_what_it_waits_for() {
    let (said, end) = polled(0, 1, 5_000_000, 0);
    assert_eq!((said.len(), end), (40, End::Done(0)));
    assert_eq!((said[0], said[8], said[10]), (77, 0, 0), "{said:?}");
    let clock = u64::from_le_bytes(said[32..].try_into().expect("eight bytes"));
    assert!((5_000_000..5_010_000).contains(&clock), "{clock}");
    // Until a time that has passed.
    let (said, _) = polled(0, 1, 1, 1);
    assert!(u64::from_le_bytes(said[32..].try_into().expect("eight bytes")) < 10_000);
    // Longer than it has instructions for.
    assert_eq!(polled(0, 1, 1 << 60, 0), (Vec::new(), End::UsedUp { budget: PLENTY.start, start: true }));
}

#[test]
fn streams_are_ready_and_everything_else_is_an_error() {
    for (kind, which, error) in [(1, 0, 0), (2, 1, 0), (2, 2, 0), (1, 1, 8), (2, 0, 8), (1, 3, 8), (0, 9, 28)] {
        let (said, end) = polled(kind, which, 0, 0);
        assert_eq!(end, End::Done(0));
        assert_eq!((said[8], said[10]), (error, kind), "{kind} {which}");
    }
    assert_eq!(polled(3, 0, 0, 0), (Vec::new(), End::Done(99)));
}

#[test]
fn a_nan_has_one_pattern() {
    // The square root of -1, of which processors make a NaN of either sign: its upper seven bits.
    let bot = start(
        r#"(f32.store (i32.const 40) (f32.const -1))
        (call $exit (i32.shr_u (i32.reinterpret_f32 (f32.sqrt (f32.load (i32.const 40)))) (i32.const 25)))"#,
    );
    assert_eq!(end(&bot), End::Done((0x7fc0_0000_u32 >> 25) as u8));
}

#[test]
fn asking_for_the_time_takes_time() {
    let talk = Talk::default();
    let look = "(drop (call $clock (i32.const 1) (i64.const 0) (i32.const 24)))";
    let bot = start(&format!("{look} {look} (drop (call $say (i32.const 24) (i32.const 8)))"));
    assert_eq!(play(&bot, PLENTY, &talk), End::Done(0));
    let clock = u64::from_le_bytes(talk.said().try_into().expect("eight bytes"));
    assert!((200..250).contains(&clock), "{clock}");
}

#[test]
fn the_last_line_of_stderr_is_not_the_bot_s() {
    for (text, kept) in [("what", &b"what\n"[..]), ("what\\0a", b"what\n"), ("", b"")] {
        let talk = Talk::default();
        let bot = module(&format!(
            r#"(data (i32.const 100) "{text}")
            (func (export "_start")
                (i32.store (i32.const 16) (i32.const 100))
                (i32.store (i32.const 20) (i32.const {}))
                (drop (call $fd_write (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 8)))
                unreachable)"#,
            text.replace("\\0a", "n").len(),
        ));
        assert!(matches!(play(&bot, PLENTY, &talk), End::Trapped(_)));
        assert_eq!(*talk.complained.lock().expect("nobody failed with it"), kept);
    }
}
