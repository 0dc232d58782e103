//! Where the names of bots and the numbers of matches lead.

use super::{Archive, name};
use agon_spec::{ReportBotMatch, TournamentReportDocument};
use maud::{Markup, html};
use std::collections::{HashMap, HashSet};

/// The most matches that a page lists for all bots together: it must stay small enough for a phone.
const LISTED: usize = 2_000;
/// The number of matches that it lists for each bot if there are that many, whatever the number of bots.
const EACH: usize = 64;

/// What a page can link to.
pub(super) struct Links<'a> {
    archive: Option<&'a Archive>,
    /// The place of each bot among the parts of the page about one bot.
    bots: HashMap<&'a str, usize>,
    /// The pairs of bots with a match that the page lists.
    pairs: HashSet<(usize, usize)>,
    /// The matches of each bot that the page lists.
    listed: Vec<Vec<&'a ReportBotMatch>>,
}

impl<'a> Links<'a> {
    pub(super) fn of(report: &'a TournamentReportDocument, archive: Option<&'a Archive>) -> Self {
        let most = (LISTED / report.bot_matches.len().max(1)).max(EACH);
        let listed: Vec<Vec<&ReportBotMatch>> =
            report.bot_matches.iter().map(|of| last_of_each(&of.matches, most)).collect();
        let bots: HashMap<&str, usize> =
            report.bot_matches.iter().enumerate().map(|(number, of)| (of.bot.as_str(), number)).collect();
        let mut pairs = HashSet::new();
        for (number, matches) in listed.iter().enumerate() {
            let others = matches.iter().flat_map(|one| &one.against).filter_map(|other| bots.get(other.as_str()));
            pairs.extend(others.map(|other| (number, *other)));
        }
        Self { archive, bots, pairs, listed }
    }

    /// Returns the matches that the page lists of a bot, in the order of the schedule.
    pub(super) fn listed(&self, bot: usize) -> &[&'a ReportBotMatch] {
        self.listed.get(bot).map_or(&[], Vec::as_slice)
    }

    /// Returns the name of a bot, which leads to the part about it.
    pub(super) fn bot(&self, bot: &str) -> Markup {
        match self.bots.get(bot) {
            Some(number) => html! { a.bot href={ "#" (of_bot(*number)) } { (name(bot)) } },
            None => name(bot),
        }
    }

    /// Returns the place of a bot among the parts about one bot.
    pub(super) fn number(&self, bot: &str) -> Option<usize> {
        self.bots.get(bot).copied()
    }

    /// Returns where the first listed match of a bot against another one is.
    pub(super) fn pair(&self, bot: usize, other: usize) -> Option<String> {
        self.pairs.contains(&(bot, other)).then(|| format!("#{}", of_pair(bot, other)))
    }

    /// Returns the number of a match, which leads to its page or its replay, if there is one.
    pub(super) fn game(&self, id: u64) -> Markup {
        match self.file(id, None) {
            Some(file) => html! { a href=(file) { (id) } },
            None => html! { (id) },
        }
    }

    /// Returns the file of a match: its page, at a turn, or else its replay.
    pub(super) fn file(&self, id: u64, ply: Option<u32>) -> Option<String> {
        let archive = self.archive?;
        if archive.watched.contains(&id) {
            return Some(ply.map_or_else(|| format!("watch/{id}.html"), |ply| format!("watch/{id}.html#ply={ply}")));
        }
        archive.replays.binary_search(&id).is_ok().then(|| format!("replays/{id}.jsonl"))
    }
}

/// Returns at most so many matches of a bot: the last ones against each opponent, about as many of each.
fn last_of_each(matches: &[ReportBotMatch], most: usize) -> Vec<&ReportBotMatch> {
    if matches.len() <= most {
        return matches.iter().collect();
    }
    let opponents: HashSet<&[String]> = matches.iter().map(|one| &one.against[..]).collect();
    let each = (most / opponents.len()).max(1);
    let mut taken: HashMap<&[String], usize> = HashMap::new();
    let mut last = Vec::new();
    for one in matches.iter().rev() {
        let count = taken.entry(&one.against).or_default();
        if *count < each && last.len() < most {
            *count += 1;
            last.push(one);
        }
    }
    last.reverse();
    last
}

/// Returns the anchor of the part about a bot.
pub(super) fn of_bot(number: usize) -> String {
    format!("bot-{number}")
}

/// Returns the anchor of the first listed match of a bot against another one.
pub(super) fn of_pair(bot: usize, other: usize) -> String {
    format!("bot-{bot}-{other}")
}
