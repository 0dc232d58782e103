//! Attacks on whoever reads the answers: bytes, lines, numbers and documents that are nearly right or far from it.

use crate::{
    kind::{End, Failing, GRID, Kind, LIGHTHOUSES},
    player::{Asked, say},
};

const NONSENSE: &[End] = &[End::Fails(Failing::Nonsense)];
const UNLAWFUL: &[End] = &[End::Fails(Failing::Unlawful)];
const PLAYS: &[End] = &[End::Plays];

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::says(2, "line-just-in-limit", "the length of a line: 16 bytes where 16 are the most", b"take 000000001\r\n")
        .ends(PLAYS),
    Kind::program(2, "line-just-over-limit", "the length of a line: one byte more than the most", |bot| {
        bot.player.until_asked();
        say([b'9'; 17]);
        bot.player.until_asked();
    })
    .ends(&[End::Fails(Failing::LongLine)]),
    Kind::program(2, "document-just-in-limit", "the length of a line: a document of exactly 64 KiB", |bot| {
        bot.player.turns(|_| say(document(64 << 10)));
    })
    .on(LIGHTHOUSES)
    .ends(PLAYS),
    Kind::program(2, "document-just-over-limit", "the length of a line: a document of 64 KiB and a byte", |bot| {
        bot.player.turns(|_| say(document((64 << 10) + 1)));
    })
    .on(LIGHTHOUSES)
    .ends(&[End::Fails(Failing::Nonsense), End::Fails(Failing::LongLine)]),
    Kind::says(5, "nul-bytes", "the reader of lines: NUL", b"take 1\0\n").ends(NONSENSE),
    Kind::says(5, "control-bytes", "the reader of lines: a terminal's control sequence", b"\x1b[2Jtake 1\n")
        .ends(NONSENSE),
    Kind::says(5, "broken-utf-8", "the reader of lines: bytes that are no text", b"\xff\xfe\xc0\xaf\n").ends(NONSENSE),
    Kind::says(
        5,
        "broken-utf-8-in-json",
        "the reader of documents: bytes that are no text",
        b"{\"command\": \"\xc3\x28\"}\n",
    )
    .on(LIGHTHOUSES)
    .ends(NONSENSE),
    Kind::says(6, "carriage-return", "the grammar: a line end with a carriage return", b"take 1\r\n").ends(PLAYS),
    Kind::says(6, "two-carriage-returns", "the grammar: one carriage return too many", b"take 1\r\r\n").ends(NONSENSE),
    Kind::says(6, "trailing-blank", "the grammar: a blank at the end", b"take 1 \n").ends(NONSENSE),
    Kind::says(6, "empty-line", "the grammar: a line of nothing", b"\n").ends(NONSENSE),
    Kind::says(6, "byte-order-mark", "the grammar: a mark before the answer", b"\xef\xbb\xbftake 1\n").ends(NONSENSE),
    Kind::says(6, "arabic-digits", "the grammar: digits that are not ASCII", "take ١\n".as_bytes()).ends(NONSENSE),
    Kind::says(6, "unicode-minus", "the grammar: a minus sign that is not ASCII", "take −1\n".as_bytes())
        .ends(NONSENSE),
    Kind::program(20, "json-just-in-depth", "the reader of documents: brackets as deep as may be", |bot| {
        bot.player.turns(|_| say(nested(979)));
    })
    .on(LIGHTHOUSES)
    .ends(PLAYS),
    Kind::program(20, "json-just-over-depth", "the reader of documents: brackets one deeper", |bot| {
        bot.player.turns(|_| say(nested(980)));
    })
    .on(LIGHTHOUSES)
    .ends(NONSENSE),
    Kind::program(20, "json-very-deep", "the stack of the referee: 60,000 open brackets", |bot| {
        bot.player.turns(|_| say(format!("{}\n", "[".repeat(60_000))));
    })
    .on(LIGHTHOUSES)
    .ends(NONSENSE),
    Kind::program(20, "json-numbers", "numbers of documents: 400 digits, 1e9999, NaN, -0", |bot| {
        let digits = "9".repeat(400);
        let numbers = [&digits, "-1e9999", "1e-9999", "NaN", "Infinity", "-0", "9223372036854775808"];
        let mut at = 0;
        bot.player.turns(|_| {
            let number = numbers[at % numbers.len()];
            at += 1;
            say(format!("{{\"command\": \"attack\", \"energy\": {number}}}\n"));
        });
    })
    .on(LIGHTHOUSES)
    .ends(PLAYS),
    Kind::program(21, "dear-answers", "time of the referee: 1024 messages in every turn", |bot| {
        bot.player.turns(|player| {
            chat(1024, 78);
            player.answer(Asked::Move);
        });
    })
    .on(GRID)
    .ends(PLAYS),
    Kind::program(21, "dear-answers-and-one", "time of the referee: one message more than may be", |bot| {
        bot.player.turns(|player| {
            chat(1025, 78);
            player.answer(Asked::Move);
        });
    })
    .on(GRID)
    .ends(NONSENSE),
    Kind::program(21, "dear-messages", "memory of the referee: 4 MB of messages that are too long", |bot| {
        bot.player.turns(|player| {
            chat(1024, 4090);
            player.answer(Asked::Move);
        });
    })
    .on(GRID)
    .ends(UNLAWFUL),
    Kind::program(21, "orders-without-end", "memory of the referee: a decision that never ends", |bot| {
        bot.player.turns(|_| {
            loop {
                say("C 1 1\n".repeat(1000));
            }
        });
    })
    .on(crate::kind::Stage { alone: true, clock: "greeting=30s,move=600ms", ..GRID })
    .ends(&[End::Fails(Failing::Late), End::Fails(Failing::Silent)]),
    Kind::says(22, "negative-coordinate", "numbers: a coordinate below zero", b"C -1 0\n.\n").on(GRID).ends(NONSENSE),
    Kind::says(22, "huge-coordinate", "numbers: 2^64 and more", b"C 18446744073709551616 99999999999999999999999\n.\n")
        .on(GRID)
        .ends(UNLAWFUL),
    Kind::says(22, "wrapped-coordinate", "numbers: 2^32, which would be 0", b"C 4294967296 65536\n.\n")
        .on(GRID)
        .ends(UNLAWFUL),
    Kind::says(22, "takes-too-many", "numbers: more than there are", b"take 999999999\n").ends(UNLAWFUL),
    Kind::says(22, "takes-nothing", "numbers: nothing", b"take 0\n").ends(UNLAWFUL),
    Kind::says(
        23,
        "debug-line",
        "the order of turns: a line for its author in place of an answer",
        b"depth 7, +0.31\n",
    )
    .ends(NONSENSE),
];

/// A lawful decision of Lighthouses of so many bytes, its line end included.
fn document(bytes: usize) -> String {
    let (head, tail) = ("{\"command\": \"pass\"", "}\n");
    format!("{head}{}{tail}", " ".repeat(bytes - head.len() - tail.len()))
}

/// A decision with so many brackets within each other beside it, all in one more.
fn nested(depth: usize) -> String {
    format!("{{\"command\": \"pass\", \"x\": {}{}}}\n", "[".repeat(depth), "]".repeat(depth))
}

fn chat(messages: usize, characters: usize) {
    let line = format!("S {}\n", "x".repeat(characters));
    for _ in 0..messages {
        say(&line);
    }
}
