//! What differs between two files of a tournament, and whether the past stays true.

use crate::TournamentFile;
use agon_tourney::Difference;

impl TournamentFile {
    /// Returns what differs in `new`, in the order of the keys. What has been played stays true under more bots at the
    /// end, more rounds, and what does not change matches: the name, which replays are kept, when bots are withdrawn.
    /// `maps` are the numbers of maps that the old and the new file mean.
    ///
    /// Whether the files of a bot have changed is not in a tournament's file. That makes a new version of the bot.
    #[must_use]
    pub fn differences(&self, new: &Self, maps: (usize, usize)) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut differ = |key, same: bool, keeps_the_past, what: String| {
            if !same {
                found.push(Difference { key, what, keeps_the_past });
            }
        };
        let become_ = |what: &str, old: &dyn std::fmt::Display, new: &dyn std::fmt::Display| {
            format!("{what} `{old}` becomes `{new}`")
        };
        differ("name", self.name == new.name, true, become_("the name", &self.name, &new.name));
        differ("game", self.game == new.game, false, become_("the game", &self.game, &new.game));
        let preset = "the contest that the file is compared with changes".to_owned();
        differ("preset", self.preset == new.preset, true, preset);
        let seeding = "the seeding comes from elsewhere".to_owned();
        differ("seeding", self.seeded_by == new.seeded_by, false, seeding);
        let seed =
            |file: &Self| file.seed.map_or_else(|| "the secret of the store".to_owned(), |seed| seed.to_string());
        differ("seed", self.seed == new.seed, false, become_("the seed", &seed(self), &seed(new)));
        differ("maps", self.maps == new.maps, false, "other maps are played".to_owned());
        let (old_rules, new_rules) = (self.full_rules(), new.full_rules());
        differ("rules", old_rules == new_rules, false, become_("the rules", &old_rules, &new_rules));
        differ("limit", self.limit == new.limit, false, "the limit of a match changes".to_owned());
        let (old_clock, new_clock) = (self.full_clock(), new.full_clock());
        differ("clock", old_clock == new_clock, false, become_("the clock", &old_clock, &new_clock));
        let replays = become_("replays", &self.replays.name(), &new.replays.name());
        differ("replays", self.replays == new.replays, true, replays);
        differ("ponder", self.ponder == new.ponder, false, become_("ponder", &self.ponder, &new.ponder));
        differ("cores", self.cores == new.cores, false, "the number of cores of each bot changes".to_owned());
        differ("sandbox", self.sandbox == new.sandbox, true, "the isolation of bots changes".to_owned());
        let machines = become_("machines", &self.machines.name(), &new.machines.name());
        differ("machines", self.machines == new.machines, true, machines);
        let processes = "the number of processes of each bot changes".to_owned();
        differ("processes", self.processes == new.processes, false, processes);
        differ("memory", self.memory == new.memory, false, "the memory limit changes".to_owned());
        let after = "when bots are withdrawn changes".to_owned();
        differ("withdraw-after", self.withdraw_after == new.withdraw_after, true, after);
        for (old, new) in self.bots.iter().zip(&new.bots) {
            let name = &old.name;
            differ("bot", old.name == new.name, false, become_("bot", &old.name, &new.name));
            differ("run", old.run == new.run, true, format!("`{name}` becomes a new version: `{}`", new.run));
            differ(
                "main",
                old.main == new.main,
                true,
                format!("`{name}` becomes a new version: it starts in another file"),
            );
            differ(
                "dir",
                old.dir == new.dir,
                true,
                format!("`{name}` becomes a new version: it starts in another folder"),
            );
            differ("env", old.env == new.env, true, format!("`{name}` becomes a new version: other variables"));
            differ("read", old.read == new.read, true, format!("`{name}` may read other files"));
            differ("clock", old.clock == new.clock, false, format!("the clock of `{name}` changes"));
            differ("memory", old.memory == new.memory, false, format!("the memory limit of `{name}` changes"));
        }
        let known = |key: &str, found: &[Difference]| found.iter().any(|difference| difference.key == key);
        for difference in self.spec(maps.0).differences(&new.spec(maps.1)) {
            if !known(difference.key, &found) || difference.key == "bot" {
                found.push(difference);
            }
        }
        found
    }
}
