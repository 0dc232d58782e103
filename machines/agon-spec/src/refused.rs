//! Commands that were refused and cost the bot nothing else.

use crate::{EntryRecord, JsonText};
use agon_core::{Failure, RefusedCommand};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The largest number of kinds that [`Refused::top`] names.
const TOP: usize = 3;
/// The largest number of kinds that are counted apart, and the longest text of a kind in characters. The text is that of
/// a game, but a replay may come from anybody.
const KINDS: usize = 256;
const TEXT: usize = 160;

/// Equal commands that the protocol refused, one after the other, as soon as the bot gave them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RefusedRecord {
    /// The number of orders of this turn that stood when the command came.
    pub after: u32,
    /// The command. The key is missing for further commands with this code, because only the first ones of a turn are
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<JsonText>,
    /// The error code that the bot got.
    pub code: u8,
    /// The reason, without values of the command.
    pub why: String,
    /// How often the bot gave the command. The key is missing if it was once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_once(times: &u32) -> bool {
    *times == 1
}

impl RefusedRecord {
    /// Returns approximately how many bytes of memory the record takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        size_of::<Self>() + self.why.len() + self.order.as_ref().map_or(0, |order| order.as_str().len())
    }
}

impl<O: Serialize> From<&RefusedCommand<O>> for RefusedRecord {
    fn from(command: &RefusedCommand<O>) -> Self {
        let RefusedCommand { after, ref order, code, why, times } = *command;
        Self { after, order: order.as_ref().map(JsonText::of), code, why: why.to_owned(), times }
    }
}

/// How many commands of a bot were refused without any other penalty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// The number of refused commands.
    pub count: u64,
    /// The number of all commands, without those that the bot took back.
    pub of: u64,
    /// The most frequent reasons, at most three, most frequent first.
    pub top: Vec<RefusedKind>,
}

/// A reason for which commands were refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RefusedKind {
    /// The reason in the words of the game, without values of the command.
    pub text: String,
    /// The number of commands that were refused for it.
    pub count: u64,
}

/// Counts the refused commands of one seat.
#[derive(Clone, Debug, Default)]
pub struct RefusedCount {
    count: u64,
    of: u64,
    kinds: BTreeMap<String, u64>,
}

impl RefusedCount {
    /// Adds the commands of one decision.
    pub fn add(&mut self, entry: &EntryRecord) {
        // A refusal that made the bot fail is a fault.
        let unlawful = matches!(entry.failure, Some(Failure::Unlawful(_)));
        let mistake = entry.mistake.as_ref().or(entry.refusal.as_ref()).filter(|_| !unlawful);
        let commands = entry.refused.iter().map(|record| (&*record.why, record.times));
        self.add_decision(entry.orders.len(), mistake.map(String::as_str), commands);
    }

    /// Adds the commands of one decision: the number of its orders, why the rules refused one of them, and the commands
    /// that the protocol refused, each with how often.
    pub fn add_decision<'a>(
        &mut self,
        orders: usize,
        mistake: Option<&str>,
        commands: impl Iterator<Item = (&'a str, u32)>,
    ) {
        self.of = self.of.saturating_add(orders as u64);
        if let Some(mistake) = mistake {
            self.of = self.of.saturating_add(u64::from(orders == 0));
            self.kind(mistake, 1);
        }
        for (why, times) in commands {
            self.of = self.of.saturating_add(times.into());
            self.kind(why, times.into());
        }
    }

    /// Adds a summary. Of the kinds it has only the most frequent.
    pub fn add_summary(&mut self, summary: &Refused) {
        let all = self.count.saturating_add(summary.count);
        self.of = self.of.saturating_add(summary.of);
        for kind in &summary.top {
            self.kind(&kind.text, kind.count);
        }
        self.count = all;
    }

    fn kind(&mut self, text: &str, times: u64) {
        self.count = self.count.saturating_add(times);
        let text: String = text.chars().take(TEXT).collect();
        let room = self.kinds.len() < KINDS;
        match self.kinds.get_mut(&text) {
            Some(count) => *count = count.saturating_add(times),
            None if room => _ = self.kinds.insert(text, times),
            None => {}
        }
    }

    /// Adds what another count has counted.
    pub fn merge(&mut self, other: &Self) {
        (self.count, self.of) = (self.count.saturating_add(other.count), self.of.saturating_add(other.of));
        let all = self.count;
        for (text, times) in &other.kinds {
            self.kind(text, *times);
        }
        self.count = all;
    }

    /// Returns the counts with the most frequent kinds. Kinds with the same count are in alphabetic order.
    #[must_use]
    pub fn summary(&self) -> Refused {
        let mut top: Vec<_> = self.kinds.iter().map(|(text, count)| (text, *count)).collect();
        top.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let kind = |(text, count): (&String, u64)| RefusedKind { text: text.clone(), count };
        Refused { count: self.count, of: self.of, top: top.into_iter().take(TOP).map(kind).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seat;

    fn entry(orders: usize, refusal: Option<&str>, mistake: Option<&str>) -> EntryRecord {
        EntryRecord {
            orders: (0..orders).collect(),
            refusal: refusal.map(str::to_owned),
            mistake: mistake.map(str::to_owned),
            ..EntryRecord::new(Seat::new(0))
        }
    }

    #[test]
    fn refusals_are_counted_by_mistake() {
        let mut count = RefusedCount::default();
        count.add(&entry(1, None, None));
        for i in 0..5 {
            count.add(&entry(1, Some(&format!("(0, {i}) is sea")), Some("it is sea")));
        }
        count.add(&entry(0, Some("nothing was said"), None));
        let fault = EntryRecord { failure: Some(Failure::Unlawful(0)), ..entry(2, Some("unlawful"), None) };
        count.add(&fault);
        let refused = |times| RefusedRecord { after: 0, order: None, code: 3, why: "outside".into(), times };
        count.add(&EntryRecord { refused: vec![refused(1), refused(8)], ..entry(2, None, None) });
        let summary = count.summary();
        assert_eq!((summary.count, summary.of), (15, 20));
        let top: Vec<_> = summary.top.iter().map(|kind| (kind.text.as_str(), kind.count)).collect();
        assert_eq!(top, [("outside", 9), ("it is sea", 5), ("nothing was said", 1)]);
        let mut twice = count.clone();
        twice.merge(&count);
        assert_eq!((twice.summary().count, twice.summary().of, twice.summary().top[0].count), (30, 40, 18));
        count.add_summary(&summary);
        assert_eq!(count.summary(), twice.summary());
    }

    #[test]
    fn a_replay_with_many_texts_needs_little_memory() {
        let mut count = RefusedCount::default();
        for i in 0..1000 {
            count.add(&entry(1, Some(&format!("{i}{}", "x".repeat(1000))), None));
        }
        assert_eq!((count.summary().count, count.kinds.len(), count.summary().top.len()), (1000, KINDS, TOP));
        assert!(count.kinds.keys().all(|text| text.chars().count() == TEXT));
    }
}
