//! Chooses the file in which a bot starts.

use crate::sources::is_no_start;

/// Usual names of the file in which a bot starts, without the ending. The best comes first.
pub(crate) const USUAL: &[&str] = &["main", "bot", "mybot"];

/// The files in which a bot may start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    /// The files, the best first.
    pub candidates: Vec<String>,
    /// Why the first one is the start, as words after its name. `None` if nothing tells that it is.
    pub why: Option<&'static str>,
}

/// Chooses the start among `files`, which could all be it. `is_imported` says of which others import them, `more` are further
/// usual names in this language, and `folder` are the names of the bot's folder.
pub(crate) fn choose(files: &[&str], is_imported: impl Fn(&str) -> bool, more: &[&str], folder: &[String]) -> Choice {
    let own: Vec<&str> = files.iter().copied().filter(|file| !is_no_start(file)).collect();
    let files = if own.is_empty() { files } else { &own };
    let free: Vec<&str> = files.iter().copied().filter(|file| !is_imported(file)).collect();
    // If all of them are imported by others, that tells nothing.
    let is_free = |file: &&str| free.is_empty() || free.contains(file);
    let usual: Vec<&str> = USUAL.iter().chain(more).copied().collect();
    let rank_of_name = |file: &&str| usual.iter().position(|name| *name == stem(file)).unwrap_or(usual.len());
    let is_named = |file: &&str| folder.iter().any(|name| plain(name) == plain(&stem(file)));
    let depth = |file: &&str| file.matches('/').count();
    let mut candidates: Vec<&str> = files.to_vec();
    candidates.sort_by_key(|file| {
        let is_usual = rank_of_name(file) < usual.len();
        let rule = match (is_usual && is_free(file), is_named(file), is_free(file)) {
            (true, _, _) => 0,
            (_, true, _) => 1,
            (_, _, true) => 2,
            _ => 3,
        };
        (rule, rank_of_name(file), depth(file))
    });
    let alone =
        |matching: &dyn Fn(&&str) -> bool| candidates.iter().copied().filter(|file| matching(file)).count() == 1;
    let why = candidates.first().and_then(|best| {
        let same_name =
            |file: &&str| is_free(file) && rank_of_name(file) == rank_of_name(best) && depth(file) == depth(best);
        if candidates.len() == 1 {
            Some("is the only one")
        } else if is_free(best) && rank_of_name(best) < usual.len() && alone(&same_name) {
            Some("has the usual name, and no other file imports it")
        } else if is_named(best) && alone(&is_named) {
            Some("is named like the folder")
        } else if free.len() == 1 && free.contains(best) {
            Some("is the only one that no other file imports")
        } else {
            None
        }
    });
    Choice { candidates: candidates.into_iter().map(str::to_owned).collect(), why }
}

/// Returns the name of a file without its folder and endings, in lower case.
pub(crate) fn stem(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or_default().to_lowercase()
}

/// Reduces a name to its letters and digits, because people write `my-bot`, `my_bot` and `MyBot` for one another.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
