//! What Agon has chosen of the files of a bot, for people.

use crate::clean::clean;
use agon_build::Plan;
use std::path::Path;

/// Says what of a bot's files is played, for people who asked for a match and not for the build.
pub fn chosen(bot: &Path, plan: &Plan) -> String {
    let language = plan.language.map(|language| format!("{language}: ")).unwrap_or_default();
    let mut text = format!("{}: {language}{}", bot.display(), plan.why);
    if let Some(others) = plan.candidates.get(1..).filter(|others| !others.is_empty()) {
        text.push_str(&format!("; others: {}", listed(others)));
    }
    if !plan.left_out.is_empty() {
        text.push_str(&format!("; left out: {}", listed(&plan.left_out)));
    }
    clean(&text)
}

/// Lists some files for people.
pub fn listed(files: &[String]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = files.iter().take(MOST).map(|file| clean(file)).collect();
    let more = files.len().saturating_sub(MOST);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
