//! Instructions, memory, the stack.

use crate::bots::{PLENTY, Talk, end, leaves, module, play, start};
use agon_spec::Fuel;
use agon_wasi::End;
use std::thread;

/// Answers every line with `x`, and thinks a thousand rounds longer every time.
const THINKER: &str = r#"(func (export "_start") (local $turns i32)
    (i32.store8 (i32.const 16) (i32.const 120))
    (loop $more
        (if (i32.eqz (call $hear)) (then (return)))
        (local.set $turns (i32.add (local.get $turns) (i32.const 1)))
        (call $burn (i32.mul (local.get $turns) (i32.const 1000)))
        (drop (call $say (i32.const 16) (i32.const 1)))
        (br $more)))"#;

const THINKING: Fuel = Fuel { turn: 100_000, start: 200_000 };

/// How many turns the thinker lasts if its lines come in such pieces.
fn turns(pieces: &[&str]) -> (usize, End) {
    let talk = Talk::new(pieces.iter().copied().cycle().take(pieces.len() * 100));
    let end = play(&module(THINKER), THINKING, &talk);
    (talk.said().len(), end)
}

#[test]
fn a_bot_that_thinks_longer_every_turn_fails_at_the_same_turn_always() {
    let first = turns(&["line\n"]);
    assert_eq!(first.1, End::UsedUp { budget: 100_000, start: false });
    // A round is six or seven instructions, a read and a write cost a thousand each.
    assert!((10..20).contains(&first.0), "{first:?}");
    for pieces in [&["line\n"][..], &["li", "ne\n"], &["l", "i", "n", "e", "\n"]] {
        assert_eq!(turns(pieces), first, "{pieces:?}");
    }
}

#[test]
fn it_fails_at_the_same_turn_on_a_machine_that_is_busy() {
    let alone = turns(&["line\n"]);
    let many: Vec<_> = thread::scope(|scope| {
        let playing: Vec<_> = (0..16).map(|_| scope.spawn(|| turns(&["line\n"]))).collect();
        playing.into_iter().map(|one| one.join().expect("it plays")).collect()
    });
    assert!(many.iter().all(|one| *one == alone), "{many:?}, alone {alone:?}");
}

#[test]
fn a_bot_that_means_well_plays_to_the_end() {
    let talk = Talk::new(["one\n", "two\n", "three"]);
    assert_eq!(play(&module(THINKER), PLENTY, &talk), End::Done(0));
    assert_eq!(talk.said(), b"xxx");
}

#[test]
fn reading_without_an_answer_is_no_turn() {
    // The start is all that it has for a hundred lines.
    let reader = start(r#"(loop $more (call $burn (i32.const 1000)) (br_if $more (call $hear)))"#);
    let end = play(&reader, THINKING, &Talk::new(["line\n"; 100]));
    assert_eq!(end, End::UsedUp { budget: 200_000, start: true });
    // What it does not say is no answer either.
    let silent = start(
        r#"(loop $more
            (call $burn (i32.const 1000))
            (drop (call $say (i32.const 0) (i32.const 0)))
            (br_if $more (call $hear)))"#,
    );
    assert_eq!(play(&silent, THINKING, &Talk::new(["line\n"; 100])), end);
}

#[test]
fn unread_input_is_no_reason_for_a_new_turn() {
    // All lines in one piece: an answer before each is read.
    let lines = "line\n".repeat(100);
    let end = play(&module(THINKER), THINKING, &Talk::new([lines.as_str()]));
    assert_eq!(end, End::UsedUp { budget: 200_000, start: true });
}

#[test]
fn an_endless_loop_ends() {
    assert_eq!(end(&start("(loop $more (br $more))")), End::UsedUp { budget: PLENTY.start, start: true });
    let told = end(&start("(loop $more (br $more))")).to_string();
    assert_eq!(told, "used up its 10M instructions of the start");
}

#[test]
fn an_endless_start_of_the_module_itself_ends() {
    let bot = module(r#"(func $first (loop $more (br $more))) (start $first) (func (export "_start"))"#);
    assert_eq!(end(&bot), End::UsedUp { budget: PLENTY.start, start: true });
}

#[test]
fn a_flood_uses_instructions_by_the_byte() {
    let flood = start("(loop $more (drop (call $say (i32.const 0) (i32.const 60000))) (br $more))");
    let talk = Talk::default();
    assert_eq!(play(&flood, PLENTY, &talk), End::UsedUp { budget: PLENTY.start, start: true });
    let said = talk.said().len() as u64;
    assert!(said > PLENTY.start / 2 && said < PLENTY.start, "{said}");
}

#[test]
fn filling_memory_uses_instructions_by_the_byte() {
    let fill = start("(loop $more (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) (br $more))");
    assert_eq!(end(&fill), End::UsedUp { budget: PLENTY.start, start: true });
}

#[test]
fn memory_beyond_the_limit_is_refused_at_the_same_page_always() {
    // 16 MiB are 256 pages, of which it has one. Exit codes end at 125, so that the count is halved.
    let grow = r#"(loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))"#;
    assert_eq!(
        end(&leaves(&format!("(block (result i32) {grow} (i32.div_u (memory.size) (i32.const 4)))"))),
        End::Done(64)
    );
    let bomb = end(&start(&format!("{grow} unreachable")));
    let End::Trapped(what) = bomb else { panic!("{bomb:?}") };
    assert!(what.contains("unreachable") && what.contains("refused memory beyond 16 MiB"), "{what}");
}

#[test]
fn tables_do_not_grow_for_ever() {
    let bot = module(
        r#"(table $t 1 funcref)
        (func (export "_start")
            (if (i32.ne (table.grow $t (ref.null func) (i32.const 2000000)) (i32.const -1)) (then (call $exit (i32.const 1)))))"#,
    );
    assert_eq!(end(&bot), End::Done(0));
}

#[test]
fn calls_without_end_overflow_the_stack_and_nothing_else() {
    let bot = module(
        r#"(func $deep (param i64) (result i64) (i64.add (call $deep (local.get 0)) (i64.const 1)))
        (func (export "_start") (drop (call $deep (i64.const 0))))"#,
    );
    assert_eq!(play(&bot, Fuel::default(), &Talk::default()), End::Trapped("trapped: call stack exhausted".to_owned()));
}
