//! Tests that reading a long line takes a small multiple of its length in memory, whatever it contains.

use agon_core::laws::CountingAllocator;
use agon_referee::Mark;
use agon_replay::{FORMAT_VERSION, Header, ReadError, Replay};
use agon_spec::{MatchSpec, SeatSpec};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A length at which all other memory is negligible.
const LONG: usize = 1 << 20;
/// How many times the length of a line may be in memory. The buffer for the text grows by doubling, and so does the
/// buffer for the kept values. The rest is for the few values of a line other than a turn. The shortest entries of a turn
/// take eight times their text.
const TIMES: usize = 9;

fn header() -> String {
    let spec = MatchSpec::new("toy", "spec", "heap 21\nmost 3\n", vec![SeatSpec::default(); 2]);
    let header = Header { agon: FORMAT_VERSION, engine: "test".into(), fingerprint: Mark(1), spec };
    serde_json::to_string(&header).expect("it is plain data")
}

/// Returns a line with many copies of `piece` instead of `@`, separated by commas.
fn full(line: &str, piece: &str) -> String {
    let count = (LONG - line.len()) / (piece.len() + 1);
    line.replacen('@', &vec![piece; count].join(","), 1)
}

/// Reads a replay with this line. Returns the most bytes that it held at any time.
fn taken(line: &str) -> (Result<Replay, ReadError>, usize) {
    let replay = if line.starts_with("{\"agon\"") { format!("{line}\n") } else { format!("{}\n{line}\n", header()) };
    CountingAllocator::most_bytes(|| Replay::read(replay.as_bytes()))
}

#[test]
fn no_line_takes_much_more_memory_than_its_text() {
    let end = "\"fingerprint\":\"0123456789abcdef\"";
    let turn = |inner: &str| format!("{{\"ply\":1,\"entries\":[{inner}],{end}}}");
    let entry = |inner: &str| turn(&format!("{{\"seat\":1,\"wall_us\":0,{inner}}}"));
    let fault = |inner: &str| format!("{{\"event\":\"fault\",\"seat\":1,\"ply\":1,\"fault\":{{{inner}}}}}");
    let footer = |inner: &str| format!("{{\"end\":\"aborted\",\"plies\":0,{inner}}}");
    let unlawful = "\"kind\":\"unlawful\",\"index\":0,\"why\":\"\",\"order\":[@]";
    let header = header();
    // Arbitrary values: short texts that take much memory.
    let any = ["0", "[]", "{\"\":0}", "[0]", "\"\"", "{\"\":{\"\":[]}}"];
    let mut lines = Vec::new();
    for line in [
        entry("\"orders\":[@]"),
        entry("\"orders\":[[@]]"),
        entry("\"orders\":[],\"junk\":[@]"),
        turn("").replacen('}', ",\"events\":[@]}", 1),
        fault(unlawful),
        fault("\"kind\":\"closed_output\",\"junk\":[@]"),
        "{\"event\":\"greeted\",\"seat\":1,\"wall_us\":0,\"junk\":[@]}".into(),
        "{\"event\":\"sneezed\",\"junk\":[@]}".into(),
        footer(&format!("\"faults\":[{{\"seat\":1,\"ply\":1,\"fault\":{{{unlawful}}}}}]")),
        header.replacen(",", ",\"junk\":[@],", 1),
    ] {
        lines.extend(any.map(|piece| full(&line, piece)));
    }
    // Real records.
    let time = "{\"count\":0,\"soft_late\":0,\"p50_us\":0,\"p99_us\":0,\"max_us\":0,\"total_us\":0,\"certificate\":{}}";
    lines.extend([
        full(&turn("@"), "{\"seat\":1,\"orders\":[],\"wall_us\":0}"),
        full(&turn("").replacen('}', ",\"standing\":{\"ending\":\"limit\",\"places\":[],\"scores\":[@]}}", 1), "0"),
        full(&footer("\"faults\":[@]"), "{\"seat\":1,\"ply\":1,\"fault\":{\"kind\":\"closed_output\"}}"),
        full(&footer("\"times\":[@]"), time),
        full(&header.replacen("\"seats\":[", "\"seats\":[@,", 1), "{\"name\":\"\",\"bot\":\"\"}"),
        full(&header.replacen("\"bot\":\"\"", "\"bot\":\"\",\"dialect\":[@]", 1), "[\"\",\"\"]"),
        full(&format!("{{\"event\":\"edited\",{end},\"map\":\"@\"}}"), "\\n"),
        "[".repeat(LONG),
    ]);
    for line in lines {
        let (_, most) = taken(&line);
        let about = format!("{} … {}", &line[..120], &line[line.len() - 40..]);
        assert!(most < TIMES * LONG, "{} MiB for {about}", most >> 20);
    }
}

#[test]
fn a_line_that_is_no_turn_has_few_values_and_a_turn_any_number() {
    let orders = vec!["0"; 100_000].join(",");
    let turn =
        "{\"ply\":1,\"entries\":[{\"seat\":1,\"orders\":[@],\"wall_us\":0}],\"fingerprint\":\"0123456789abcdef\"}";
    let (replay, _) = taken(&turn.replacen('@', &orders, 1));
    assert_eq!(replay.expect("it is one").plies().next().expect("a turn").entries[0].orders.len(), 100_000);
    for line in [
        "{\"end\":\"aborted\",\"plies\":0,\"more\":[@]}",
        "{\"event\":\"greeted\",\"seat\":1,\"wall_us\":0,\"more\":[@]}",
    ] {
        let Err(ReadError::Line { line: 2, why }) = taken(&line.replacen('@', &orders, 1)).0 else { panic!("{line}") };
        assert!(why.contains("values"), "{why}");
        // Characters within a text do not count as values.
        let text = line.replacen("[@]", &format!("\"{}\\\",\"", ",[{:".repeat(10_000)), 1);
        assert!(taken(&text).0.is_ok(), "{line}");
    }
}
