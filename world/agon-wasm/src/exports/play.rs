//! The exports that only the module *play* has.

use super::{MODULE, answer};
use crate::{Engine, games};
use agon_core::Seed;

/// Reads a seed. A page has no integers beyond 2^53.
fn seed(number: f64) -> Seed {
    Seed(number as u64)
}

/// Answers every game with its bots and kinds of maps, as JSON.
#[unsafe(no_mangle)]
extern "C" fn agon_games() -> i32 {
    MODULE.with_borrow_mut(|module| {
        module.output.clear();
        module.output.text(&games());
        module.finish(Ok(()))
    })
}

/// Begins the match that the input describes, and answers what describes it.
#[unsafe(no_mangle)]
extern "C" fn agon_start() -> i32 {
    MODULE.with_borrow_mut(|module| module.open(Engine::start))
}

/// Plays the decisions in the input at the end of the match, and answers what came of them.
#[unsafe(no_mangle)]
extern "C" fn agon_give() -> i32 {
    answer(|engine, input, out| engine.write_given(input, out))
}

/// Takes turns back until `ply` are left.
#[unsafe(no_mangle)]
extern "C" fn agon_rewind(ply: u32) -> i32 {
    answer(|engine, _, _| engine.rewind(ply))
}

/// Answers what describes the match, as `agon_open` does.
#[unsafe(no_mangle)]
extern "C" fn agon_match() -> i32 {
    answer(|engine, _, out| {
        engine.write_match(out);
        Ok(())
    })
}

/// Answers the shown position as a map.
#[unsafe(no_mangle)]
extern "C" fn agon_map() -> i32 {
    answer(|engine, _, out| {
        engine.write_map(out);
        Ok(())
    })
}

/// Answers whether the match is over in the shown position, and the standing.
#[unsafe(no_mangle)]
extern "C" fn agon_standing() -> i32 {
    answer(|engine, _, out| {
        engine.write_standing(out);
        Ok(())
    })
}

/// Answers the match as it stands as a whole replay, with a footer.
#[unsafe(no_mangle)]
extern "C" fn agon_record() -> i32 {
    answer(|engine, _, out| {
        out.text(&String::from_utf8_lossy(&engine.record()?));
        Ok(())
    })
}

/// Answers what the built-in bot that the input names decides for a seat.
#[unsafe(no_mangle)]
extern "C" fn agon_decide(number: u32, random: f64) -> i32 {
    answer(|engine, input, out| {
        let seat = engine.seat(number)?;
        out.text(&engine.decide(seat, &String::from_utf8_lossy(input), seed(random))?);
        Ok(())
    })
}

/// Plays `count` matches of the bots in the input from the shown position, and answers how they ended.
#[unsafe(no_mangle)]
extern "C" fn agon_rollout(count: u32, random: f64) -> i32 {
    answer(|engine, input, out| engine.write_rollouts(input, seed(random), count, out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exports::tests::call;

    #[test]
    fn a_match_that_cannot_begin_leaves_the_one_that_is_played() {
        let terms = |map: &str| {
            let map = serde_json::to_string(map).expect("a text");
            format!(
                r#"{{"game":"triangles","seed":1,"map":{map},"seats":[{{"name":"a","bot":""}},{{"name":"b","bot":""}}]}}"#
            )
        };
        let points = "point 1 1\npoint 9 1\npoint 9 9\npoint 1 9\n";
        call(terms(points).as_bytes(), || agon_start()).expect("a match");
        call(br#"[{"seat":1,"orders":[[1,2]]}]"#, || agon_give()).expect("a lawful turn");
        let mark = call(b"", || super::super::agon_fingerprint());
        let why = call(terms("nonsense").as_bytes(), || agon_start()).expect_err("a map with a flaw");
        assert!(why.contains("line 1"), "{why}");
        assert_eq!(call(b"", || super::super::agon_fingerprint()), mark);
        call(br#"[{"seat":2,"orders":[[3,4]]}]"#, || agon_give()).expect("the match goes on");
        let saved = call(b"", || agon_record()).expect("a replay");
        assert_eq!(Engine::open(&saved[4..]).expect("it opens").plies(), 2);
    }
}
