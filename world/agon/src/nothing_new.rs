//! The way out when bots that always play the same have played all that is new on some maps.

use agon_games::AnyGame;
use agon_play::MapSource;

/// Says how such bots play something new. Names no map that they play on already.
pub fn nothing_new(game: &dyn AnyGame, maps: &[MapSource]) -> String {
    let kinds = game.info().map_kinds;
    let usual =
        |kind: &Option<String>| kind.as_deref().is_none_or(|kind| kinds.first().is_some_and(|k| k.name == kind));
    let is_usual = |map: &MapSource| matches!(map, MapSource::Generated { kind, seed: None } if usual(kind));
    let is_played = |name: &str| {
        let same =
            |map: &MapSource| matches!(map, MapSource::Generated { kind: Some(kind), seed: None } if kind == name);
        maps.iter().any(same)
    };
    if !maps.iter().any(is_usual) {
        return "bots that always play the same need more maps: `--map gen` has a new one for each pair, and `--map` may be \
                given several times"
            .to_owned();
    }
    // The first kind is what `gen` means.
    let others = kinds.iter().skip(1).filter(|kind| !is_played(kind.name)).take(2);
    let others: Vec<String> = others.map(|kind| format!("`--map gen:{}`", kind.name)).collect();
    let more = match &others[..] {
        [] => "`--map FILE`".to_owned(),
        others => format!("{} or `--map FILE`", others.join(", ")),
    };
    format!(
        "these bots play the same again and again: add maps ({more}; `--map` may be given several times), or let them decide \
         something at random"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_map_is_named_that_is_played_on() {
        for game in agon_games::all() {
            let kinds: Vec<&str> = game.info().map_kinds.iter().map(|kind| kind.name).collect();
            let first = format!("gen:{}", kinds[0]);
            let mut lists = vec![vec!["gen"], vec![&first], vec!["m.txt"], vec!["gen:7"], vec!["m.txt", "gen"]];
            let all: Vec<String> = kinds.iter().map(|kind| format!("gen:{kind}")).collect();
            lists.push(all.iter().map(String::as_str).collect());
            for list in lists {
                let maps: Vec<MapSource> = list.iter().map(|map| map.parse().expect("a map")).collect();
                let hint = nothing_new(*game, &maps);
                for map in &list {
                    assert!(!hint.contains(&format!("`--map {map}`")), "{list:?}: {hint}");
                }
                let has_usual = list.contains(&"gen") || list.contains(&&*first);
                assert_eq!(hint.contains("`--map gen`"), !has_usual, "{list:?}: {hint}");
                assert!(!hint.contains(&format!("`--map {first}`")), "{list:?}: {hint}");
            }
        }
    }
}
