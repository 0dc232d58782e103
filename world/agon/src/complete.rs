//! What a shell offers while somebody types a command: built-in bots, rule sets, maps and formats of the game in the line.
//! The scripts of `agon completions` know the commands and options, and ask for these.

use agon_games::AnyGame;
use std::{ffi::OsString, io::Write as _};

/// The first argument of a process that a script asks. It is not a command, and no help text mentions it.
const WORD: &str = "complete-words";

/// Prints what completes the last of the words, a line each, if a script has asked this process for that. Returns whether it
/// has.
pub fn asked_for(arguments: &[OsString]) -> bool {
    let Some((_, words)) = arguments.split_first().filter(|(word, _)| *word == WORD) else { return false };
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let lines: String = offers(&words).into_iter().map(|offer| offer + "\n").collect();
    // A shell that does not listen any more needs no answer.
    let _ = std::io::stdout().write_all(lines.as_bytes());
    true
}

/// Returns what completes the last of the words of a command line.
fn offers(words: &[String]) -> Vec<String> {
    let Some((typed, before)) = words.split_last() else { return Vec::new() };
    let game = before.iter().find_map(|word| agon_games::find(word));
    let option = before.last().map_or("", String::as_str);
    // What stands before the value and stays: `--rules=` or the name in `me=@rage`.
    let (kept, typed, option) = match typed.split_once('=') {
        Some((name, value)) if name.starts_with("--") => (format!("{name}="), value, name),
        Some((name, value)) if value.starts_with('@') => (format!("{name}="), value, ""),
        _ => (String::new(), &typed[..], option),
    };
    let of_all = |values: fn(&dyn AnyGame) -> Vec<String>| -> Vec<String> {
        let games = agon_games::all().iter().filter(|one| game.is_none_or(|game| game.name() == one.name()));
        let mut values: Vec<String> = games.flat_map(|game| values(*game)).collect();
        values.sort();
        values.dedup();
        values
    };
    let values = match option {
        "--rules" => of_all(|game| game.rule_sets().iter().map(|set| (*set).to_owned()).collect()),
        "--map" => of_all(|game| game.info().map_kinds.iter().map(|kind| format!("gen:{}", kind.name)).collect()),
        "--to" | "--from" if before.first().is_some_and(|command| command == "replay") => {
            of_all(|game| game.formats().iter().map(|format| format.name.to_owned()).collect())
        }
        _ if typed.starts_with('@') => {
            of_all(|game| game.info().bots.iter().map(|bot| format!("@{}", bot.name)).collect())
        }
        _ => return Vec::new(),
    };
    values.into_iter().filter(|value| value.starts_with(typed)).map(|value| kept.clone() + &value).collect()
}

/// Returns what makes the script of a shell ask for such values. `None` if its scripts do not.
pub fn script(shell: clap_complete::Shell) -> Option<&'static str> {
    match shell {
        clap_complete::Shell::Bash => Some(BASH),
        clap_complete::Shell::Zsh => Some(ZSH),
        clap_complete::Shell::Fish => Some(FISH),
        _ => None,
    }
}

/// Bash takes a word apart at `=` and `:`, and at `@` unless it completes names of hosts (`shopt hostcomplete`). It replaces only the
/// last part, which is the second argument.
const BASH: &str = r#"
_agon_values() {
    local line=${COMP_LINE:0:COMP_POINT} words found
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local typed=${words[-1]}
    mapfile -t found < <("${words[0]}" complete-words "${words[@]:1}" 2> /dev/null)
    if ((${#found[@]})); then
        COMPREPLY=("${found[@]#"${typed%"$2"}"}")
        return 0
    fi
    _agon "$@"
}
complete -F _agon_values -o nosort -o bashdefault -o default agon
"#;

const ZSH: &str = r#"
_agon_values() {
    local -a found
    found=(${(f)"$(${words[1]} complete-words "${(@)words[2,CURRENT]}" 2> /dev/null)"})
    if (( ${#found} )); then
        compadd -- $found
    else
        _agon "$@"
    fi
}
compdef _agon_values agon
"#;

const FISH: &str = r#"
function __agon_values
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete-words $words[2..] 2> /dev/null
end
complete -c agon -n 'count (__agon_values) > /dev/null' -f -a '(__agon_values)'
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_fit_the_game_and_the_option() {
        for (line, expected) in [
            ("match grid @r", &["@random"][..]),
            ("match grid me=@wa", &["me=@warden"]),
            ("match portals --rules ", &["original", "spec"]),
            ("match planet-wars --rules=pl", &["--rules=playgame"]),
            ("match planet-wars --map gen:f", &["gen:final", "gen:first"]),
            ("replay export x.jsonl --to play", &["playback"]),
            ("match grid ./", &[]),
            ("match", &[]),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(offers(&words), expected, "{line}");
        }
        assert_eq!(offers(&[]), Vec::<String>::new());
        let everywhere = offers(&["match".to_owned(), "@".to_owned()]);
        assert!(everywhere.iter().any(|bot| bot == "@warden") && everywhere.is_sorted(), "{everywhere:?}");
    }
}
