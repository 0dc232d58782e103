//! Passwords, from where other programs for PostgreSQL take them: `PGPASSWORD`, or a line of `~/.pgpass`.

use postgres::{Config, config::Host};
use std::{env, fs, os::unix::fs::MetadataExt, path::PathBuf};

/// Returns the password for this connection, if there is one.
pub(crate) fn of(config: &Config) -> Option<String> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(password) = variable("PGPASSWORD") {
        return Some(password);
    }
    let file = env::var_os("PGPASSFILE").map(PathBuf::from);
    let file = file.or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".pgpass")))?;
    // Like `psql`, it trusts no file that others can read.
    if fs::metadata(&file).ok()?.mode() & 0o077 != 0 {
        return None;
    }
    let host = match config.get_hosts().first()? {
        Host::Tcp(name) => name.clone(),
        Host::Unix(_) => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let name = config.get_dbname().unwrap_or(user);
    found(&fs::read_to_string(file).ok()?, &[&host, &port, name, user])
}

/// Returns the password in the first line that fits: host, port, database, user and password, separated by colons. `*` fits
/// everything.
fn found(text: &str, wanted: &[&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).map(fields).find_map(|mut fields| {
        let fits = fields.len() == 5 && fields.iter().zip(wanted).all(|(field, word)| field == "*" || field == word);
        if fits { fields.pop() } else { None }
    })
}

/// Splits a line at its colons. A backslash takes the meaning of what follows.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, fields.last_mut()) {
            (':', _) => fields.push(String::new()),
            ('\\', Some(field)) => field.extend(letters.next()),
            (other, Some(field)) => field.push(other),
            (_, None) => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text =
            "# host:port:database:user:password\ndb:5432:other:cup:no\ndb:*:contest:cup:a\\:b\\\\c\n*:*:*:*:last\n";
        let of = |host: &str, user: &str| found(text, &[host, "5432", "contest", user]);
        assert_eq!(of("db", "cup").as_deref(), Some("a:b\\c"));
        assert_eq!(of("db", "else").as_deref(), Some("last"));
        assert_eq!(found("db:5432:contest:cup", &["db", "5432", "contest", "cup"]), None, "there is no password");
    }
}
