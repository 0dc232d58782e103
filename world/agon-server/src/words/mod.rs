//! The strings of pages: one file a language.

use crate::http::Language;
use serde::Deserialize;

const ENGLISH: &str = include_str!("en.toml");
const SPANISH: &str = include_str!("es.toml");

macro_rules! words {
    ($($key:ident),* $(,)?) => {
        /// The strings of pages in one language. Each has the name that it has in the files.
        #[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(missing_docs, reason = "the files say what each string is")]
        pub struct Words {
            $(pub $key: String,)*
        }

        #[cfg(test)]
        impl Words {
            /// Returns every string with its name.
            fn all(&self) -> Vec<(&'static str, &str)> {
                vec![$((stringify!($key), self.$key.as_str())),*]
            }
        }
    };
}

words! {
    skip, menu, teams, account, organise, log_in, log_out, join, made_by, insecure, name, password,
    password_again, password_now, password_new, password_rule, name_rule, code, code_rule, code_hidden, code_open,
    game, role, reason, reason_needed, team, role_visitor, role_player, role_member, role_captain, role_auditor,
    role_organiser, no_contest, no_contest_organiser, no_contest_visitor, make_contest, plays, next_step,
    step_join, step_closed, step_join_code, step_team, step_ready, step_organise, teams_count, join_title,
    join_do, log_in_title, log_in_do, have_account, no_account, first_title, first_about, first_do, recover_title,
    your_account, you_are, sessions, session_this, session_began, session_used, session_until, session_what,
    session_browser, session_end, session_end_label, sessions_end_others, tokens, tokens_about, token_scope,
    token_submit, token_read, token_make, token_made, token_once, token_label, token_label_rule, token_end_label,
    change_password, change_password_about, no_teams, team_make, team_name, team_rule, team_enter, team_enter_do,
    members, captain, member_since, member_until, members_now, former_members, team_code, team_code_rule,
    team_code_about, team_code_new, team_rename, team_rename_do, team_leave, team_leave_about, team_remove,
    team_remove_label, team_promote, team_promote_label, team_hidden_short, team_visibility, team_hidden,
    team_hide, team_show, organise_title, contest_title, contest_name, contest_from_file, contest_rule,
    registration, registration_open, registration_invited, registration_closed, registration_save, invites,
    invites_none, invite_used, invite_address, invite_make, invite_uses, invite_days, invite_left, invite_until,
    invite_end, invite_end_label, accounts, account_disable, account_enable, account_disable_label,
    account_enable_label, account_link, account_link_label, account_link_made, account_link_about, account_state,
    account_since, account_active, account_disabled, audit, audit_about, audit_none, audit_when, audit_by,
    audit_act, any_time, no_limit, wrong_title, not_found_title, not_found, not_allowed_title, not_allowed,
    log_in_first, stale_form, unavailable_title, unavailable, wrong_password, disabled, spent_link, spent_code,
    taken, too_often, too_large, passwords_differ, password_common, code_needed,
    game_unknown, in_a_team, last_organiser, own_account, registration_over,
    team_full, in_no_team, only_players, too_many_tokens, only_accepted, only_held, too_many_wait, invalid,
    versions, versions_of, versions_see, versions_hints, versions_none, version, version_number, version_name, version_received,
    version_state, version_size, version_hash, version_send, version_send_about, version_archive,
    version_folder, version_send_command, version_waits, version_runs, version_accepted, version_refused,
    version_held, version_plays, version_taken_back, version_reload, version_choose, version_take_back,
    version_again, version_log, version_replay, version_files, version_compare, versions_compared,
    versions_equal, step_intake, step_build, step_check, step_trial, step_runs, step_passed, step_refused,
    step_trouble, step_broken_off, file, file_change, file_added, file_removed, file_changed, files_same,
    files_more, held_title, held_about, held_none, copies_title, copies_about, copies_none, copy_other,
    copy_share, copy_same,
}

/// The strings of every language.
#[derive(Clone, Debug)]
pub struct Dictionary {
    english: Words,
    spanish: Words,
}

impl Dictionary {
    /// Reads the files, which are part of the program.
    ///
    /// # Errors
    /// A file is wrong. Tests make sure that it is not.
    pub fn load() -> Result<Self, toml::de::Error> {
        Ok(Self { english: toml::from_str(ENGLISH)?, spanish: toml::from_str(SPANISH)? })
    }

    /// Returns the strings of a language.
    #[must_use]
    pub fn of(&self, language: Language) -> &Words {
        match language {
            Language::English => &self.english,
            Language::Spanish => &self.spanish,
        }
    }
}

/// Puts values where a string has their names in braces. What a value has in braces stays as it is.
#[must_use]
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let value = after.split_once('}').and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(given, _)| *given == name)?;
            Some((*value, after))
        });
        if let Some((value, after)) = value {
            filled.push_str(value);
            rest = after;
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the names in braces.
    fn gaps(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
    }

    #[test]
    fn every_language_has_every_string_with_the_same_gaps() {
        let dictionary = Dictionary::load().expect("the files fit");
        let (english, spanish) = (dictionary.of(Language::English), dictionary.of(Language::Spanish));
        let mut same = 0;
        for ((name, one), (_, other)) in english.all().into_iter().zip(spanish.all()) {
            assert!(!one.trim().is_empty() && !other.trim().is_empty(), "{name}");
            assert_eq!(gaps(one), gaps(other), "{name}");
            same += usize::from(one == other);
        }
        assert!(same <= 3, "{same} strings are not translated");
        let keys = |text: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| line.split_once(" = "));
            lines.map(|(key, _)| key.to_owned()).collect()
        };
        assert_eq!(keys(ENGLISH), keys(SPANISH), "the files have the same order");
        assert_eq!(keys(ENGLISH), english.all().into_iter().map(|(key, _)| key.to_owned()).collect::<Vec<_>>());
    }

    #[test]
    fn only_the_gaps_of_the_string_are_filled() {
        assert_eq!(fill("{a} and {b}{c}", &[("a", "{b}"), ("b", "x")]), "{b} and x{c}");
        assert_eq!(fill("no gap, { and }", &[]), "no gap, { and }");
    }
}
