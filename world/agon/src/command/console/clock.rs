//! `agon console --time CLOCK`.

use crate::error::{Error, Result};
use agon_core::{ClockPolicy, TimePolicy};
use agon_games::AnyGame;
use agon_play::parse_clock;

/// Reads the clock that every seat of a session has: the same words as for a match. The console measures wall time, and
/// programs are greeted while their clocks stand. `None` if nothing has a limit.
///
/// # Errors
/// The words are no clock, or name a policy that a console does not support.
pub fn read(game: &dyn AnyGame, words: &str) -> Result<Option<ClockPolicy>> {
    let clock = parse_clock(game, game.info().clock, words).map_err(|flaw| Error::from(flaw).context("time"))?;
    let named = words.rsplit(',').find_map(|part| part.trim().strip_prefix("policy="));
    if let Some(policy) = named.filter(|policy| *policy != TimePolicy::Wall.name()) {
        return Err(Error::user(format!(
            "time: a console measures wall time, so it does not support `policy={policy}`"
        ))
        .hint("write `policy=wall`, or leave the policy out"));
    }
    let clock = ClockPolicy { greeting: None, policy: TimePolicy::Wall, ..clock };
    Ok((!clock.is_off()).then_some(clock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_that_of_a_match_by_wall_time() {
        let triangles = agon_games::find("triangles").expect("a game");
        for (words, clock) in [
            ("off", None),
            ("off,greeting=2s", None),
            ("move=1s", Some("off,move=1s,bank=180s,policy=wall")),
            ("15min,increment=2s", Some("off,bank=900s,increment=2s,policy=wall")),
            ("off,move=1s,first=+2s,soft=100ms,policy=wall", Some("off,move=1s,soft=100ms,first=+2s,policy=wall")),
        ] {
            let read = read(triangles, words).expect(words);
            assert_eq!(read.map(|clock| clock.to_string()).as_deref(), clock, "{words}");
        }
        for (words, part) in [("policy=cpu", "policy=cpu"), ("move=1s,policy=fair", "policy=fair"), ("7", "`7`")] {
            let error = read(triangles, words).expect_err(words).flaw();
            assert!(error.text.starts_with("time: ") && error.text.contains(part) && error.hint.is_some(), "{error:?}");
        }
    }
}
