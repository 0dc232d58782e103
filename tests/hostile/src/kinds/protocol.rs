//! Attacks on the parsers of answers: bytes, lines, numbers and documents that are slightly or completely wrong.

use crate::{
    client::{Question, write},
    kind::{End, ExpectedFault, GRID, Kind, LIGHTHOUSES},
};

const NONSENSE: &[End] = &[End::Fails(ExpectedFault::Nonsense)];
const UNLAWFUL: &[End] = &[End::Fails(ExpectedFault::Unlawful)];
const PLAYS: &[End] = &[End::Plays];

pub const KINDS: &[Kind] = &[
    Kind::answer(
        2,
        "line-just-in-limit",
        "the length of a line: 16 bytes where 16 are the most",
        b"take 000000001\r\n",
    )
    .ends(PLAYS),
    Kind::program(2, "line-just-over-limit", "the length of a line: 17 bytes where 16 are the most", |bot| {
        bot.client.wait_for_move();
        write([b'9'; 17]);
        bot.client.wait_for_move();
    })
    .ends(&[End::Fails(ExpectedFault::LongLine)]),
    Kind::program(2, "document-just-in-limit", "the length of a line: a document of exactly 64 KiB", |bot| {
        bot.client.play_turns(|_| write(document(64 << 10)));
    })
    .scenario(LIGHTHOUSES)
    .ends(PLAYS),
    Kind::program(2, "document-just-over-limit", "the length of a line: a document of 64 KiB and a byte", |bot| {
        bot.client.play_turns(|_| write(document((64 << 10) + 1)));
    })
    .scenario(LIGHTHOUSES)
    .ends(&[End::Fails(ExpectedFault::Nonsense), End::Fails(ExpectedFault::LongLine)]),
    Kind::answer(5, "nul-bytes", "the parser of lines: NUL", b"take 1\0\n").ends(NONSENSE),
    Kind::answer(5, "control-bytes", "the parser of lines: a terminal control sequence", b"\x1b[2Jtake 1\n")
        .ends(NONSENSE),
    Kind::answer(5, "broken-utf-8", "the parser of lines: bytes that are not UTF-8", b"\xff\xfe\xc0\xaf\n")
        .ends(NONSENSE),
    Kind::answer(
        5,
        "broken-utf-8-in-json",
        "the parser of documents: bytes that are not UTF-8",
        b"{\"command\": \"\xc3\x28\"}\n",
    )
    .scenario(LIGHTHOUSES)
    .ends(NONSENSE),
    Kind::answer(6, "carriage-return", "the grammar: a line end with a carriage return", b"take 1\r\n").ends(PLAYS),
    Kind::answer(6, "two-carriage-returns", "the grammar: one carriage return too many", b"take 1\r\r\n")
        .ends(NONSENSE),
    Kind::answer(6, "trailing-blank", "the grammar: a blank at the end", b"take 1 \n").ends(NONSENSE),
    Kind::answer(6, "empty-line", "the grammar: an empty line", b"\n").ends(NONSENSE),
    Kind::answer(6, "byte-order-mark", "the grammar: a byte order mark before the answer", b"\xef\xbb\xbftake 1\n")
        .ends(NONSENSE),
    Kind::answer(6, "arabic-digits", "the grammar: digits that are not ASCII", "take ١\n".as_bytes()).ends(NONSENSE),
    Kind::answer(6, "unicode-minus", "the grammar: a minus sign that is not ASCII", "take −1\n".as_bytes())
        .ends(NONSENSE),
    Kind::program(20, "json-just-in-depth", "the parser of documents: brackets as deep as allowed", |bot| {
        bot.client.play_turns(|_| write(nested(979)));
    })
    .scenario(LIGHTHOUSES)
    .ends(PLAYS),
    Kind::program(
        20,
        "json-just-over-depth",
        "the parser of documents: brackets one level deeper than allowed",
        |bot| {
            bot.client.play_turns(|_| write(nested(980)));
        },
    )
    .scenario(LIGHTHOUSES)
    .ends(NONSENSE),
    Kind::program(20, "json-very-deep", "the stack of the referee: 60,000 open brackets", |bot| {
        bot.client.play_turns(|_| write(format!("{}\n", "[".repeat(60_000))));
    })
    .scenario(LIGHTHOUSES)
    .ends(NONSENSE),
    Kind::program(20, "json-numbers", "numbers in documents: 400 digits, 1e9999, NaN, -0", |bot| {
        let digits = "9".repeat(400);
        let numbers = [&digits, "-1e9999", "1e-9999", "NaN", "Infinity", "-0", "9223372036854775808"];
        let mut at = 0;
        bot.client.play_turns(|_| {
            let number = numbers[at % numbers.len()];
            at += 1;
            write(format!("{{\"command\": \"attack\", \"energy\": {number}}}\n"));
        });
    })
    .scenario(LIGHTHOUSES)
    .ends(PLAYS),
    Kind::program(
        21,
        "many-messages",
        "the time of the referee: 1024 messages in every turn, the most that are allowed",
        |bot| {
            bot.client.play_turns(|client| {
                chat(1024, 78);
                client.answer(Question::Move);
            });
        },
    )
    .scenario(GRID)
    .ends(PLAYS),
    Kind::program(21, "too-many-messages", "the time of the referee: one message more than allowed", |bot| {
        bot.client.play_turns(|client| {
            chat(1025, 78);
            client.answer(Question::Move);
        });
    })
    .scenario(GRID)
    .ends(NONSENSE),
    Kind::program(21, "long-messages", "the memory of the referee: 4 MB of messages that are too long", |bot| {
        bot.client.play_turns(|client| {
            chat(1024, 4090);
            client.answer(Question::Move);
        });
    })
    .scenario(GRID)
    .ends(UNLAWFUL),
    Kind::program(21, "endless-decision", "the memory of the referee: a decision that never ends", |bot| {
        bot.client.play_turns(|_| {
            loop {
                write("C 1 1\n".repeat(1000));
            }
        });
    })
    .scenario(crate::kind::Scenario { alone: true, clock: "greeting=30s,move=600ms", ..GRID })
    .ends(&[End::Fails(ExpectedFault::Late), End::Fails(ExpectedFault::Silent)]),
    Kind::answer(22, "negative-coordinate", "numbers: a coordinate below zero", b"C -1 0\n.\n")
        .scenario(GRID)
        .ends(NONSENSE),
    Kind::answer(
        22,
        "huge-coordinate",
        "numbers: 2^64 and more",
        b"C 18446744073709551616 99999999999999999999999\n.\n",
    )
    .scenario(GRID)
    .ends(UNLAWFUL),
    Kind::answer(22, "wrapped-coordinate", "numbers: 2^32, which would be 0", b"C 4294967296 65536\n.\n")
        .scenario(GRID)
        .ends(UNLAWFUL),
    Kind::answer(22, "takes-too-many", "numbers: more than there are", b"take 999999999\n").ends(UNLAWFUL),
    Kind::answer(22, "takes-nothing", "numbers: nothing", b"take 0\n").ends(UNLAWFUL),
    Kind::answer(23, "debug-line", "the order of turns: debug output in place of an answer", b"depth 7, +0.31\n")
        .ends(NONSENSE),
];

/// A lawful decision of Lighthouses with this many bytes, including the line end.
fn document(bytes: usize) -> String {
    let (head, tail) = ("{\"command\": \"pass\"", "}\n");
    format!("{head}{}{tail}", " ".repeat(bytes - head.len() - tail.len()))
}

/// A lawful decision of Lighthouses with an extra value of this many nested brackets.
fn nested(depth: usize) -> String {
    format!("{{\"command\": \"pass\", \"x\": {}{}}}\n", "[".repeat(depth), "]".repeat(depth))
}

fn chat(messages: usize, characters: usize) {
    let line = format!("S {}\n", "x".repeat(characters));
    for _ in 0..messages {
        write(&line);
    }
}
