//! Where a store is: `postgres://USER@HOST:PORT/DATABASE?schema=NAME&tournament=NAME`.

use crate::password;
use agon_store::{Result, StoreError};
use postgres::{
    Config,
    config::{Host, SslMode},
};
use std::{env, fmt::Write, time::Duration};

/// The schema of the tables if the address names none.
const SCHEMA: &str = "agon";
/// Where Debian's server listens.
const SOCKETS: &str = "/var/run/postgresql";
/// The port that is not shown, because it is the usual one.
const PORT: u16 = 5432;
/// How long it takes at most to notice that the other side has gone, in seconds: the first probe, and the others.
const SILENCE: (u64, u64, u32) = (10, 5, 3);

/// Where a store is, and how to get there.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) config: Config,
    /// The schema of the tables.
    pub(crate) schema: String,
    /// The name of the tournament. That of the first is empty.
    pub(crate) tournament: String,
    /// The address without passwords.
    pub(crate) shown: String,
}

/// Returns whether this is the address of a store in PostgreSQL.
#[must_use]
pub fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|start| text.starts_with(start))
}

/// Returns an address as people may see it: without a password.
#[must_use]
pub fn shown_address(address: &str) -> String {
    Place::read(address).map_or_else(|_| without_password(address), |place| place.shown)
}

impl Place {
    /// Reads an address. What it does not say is taken from `PGHOST`, `PGUSER`, and `PGPASSWORD` or `PGPASSFILE`. `PGPORT` and
    /// `PGDATABASE` are not read.
    pub(crate) fn read(address: &str) -> Result<Self> {
        let wrong = |why: &str| StoreError::Remote {
            doing: "read the address",
            place: without_password(address),
            why: why.to_owned(),
        };
        if !is_address(address) {
            return Err(wrong("it does not begin with `postgres://`"));
        }
        // A password may have a `?`.
        let (user, rest) = address.rsplit_once('@').unwrap_or(("", address));
        if user.contains('@') || user.contains("password=") {
            return Err(wrong("an `@` in a name or a password is written `%40`"));
        }
        let (host, words) = rest.split_once('?').unwrap_or((rest, ""));
        let start = if user.is_empty() { host.to_owned() } else { format!("{user}@{host}") };
        let (mut schema, mut tournament, mut rest) = (SCHEMA.to_owned(), String::new(), Vec::new());
        for word in words.split('&').filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some(("schema", name)) => schema = unescaped(name).ok_or_else(|| wrong("it has a wrong `%`"))?,
                Some(("tournament", name)) => {
                    tournament = unescaped(name).ok_or_else(|| wrong("it has a wrong `%`"))?
                }
                _ => rest.push(word),
            }
        }
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if schema.is_empty() || schema.len() > 63 || !schema.chars().all(plain) || schema.starts_with("pg_") {
            return Err(wrong("a schema has a name of small letters, digits and `_`"));
        }
        let address = if rest.is_empty() { start } else { format!("{start}?{}", rest.join("&")) };
        // The words of the driver may quote the address.
        let mut config: Config = address.parse().map_err(|_| wrong("PostgreSQL has no such options"))?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(wrong("this program knows no TLS; use a socket, or a tunnel such as `ssh -L`"));
        }
        config.ssl_mode(SslMode::Disable);
        complete(&mut config);
        let shown = shown(&config, &schema, &tournament);
        Ok(Self { config, schema, tournament, shown })
    }

    /// Returns an error about this place.
    pub(crate) fn error(&self, doing: &'static str, why: impl Into<String>) -> StoreError {
        StoreError::Remote { doing, place: self.shown.clone(), why: why.into() }
    }
}

fn complete(config: &mut Config) {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host(&variable("PGHOST").unwrap_or_else(|| SOCKETS.to_owned()));
    }
    if config.get_user().is_none()
        && let Some(user) = variable("PGUSER").or_else(|| variable("USER"))
    {
        config.user(&user);
    }
    if config.get_password().is_none()
        && let Some(password) = password::of(config)
    {
        config.password(password);
    }
    let (first, others, probes) = SILENCE;
    let all = Duration::from_secs(first + others * u64::from(probes));
    config
        .application_name(&format!("agon {} {}", host(), std::process::id()))
        .connect_timeout(Duration::from_secs(first))
        .keepalives_idle(Duration::from_secs(first))
        .keepalives_interval(Duration::from_secs(others))
        .keepalives_retries(probes)
        .tcp_user_timeout(all);
    // The server must notice as soon that this side has gone: the lock of a dead leader is free only then. While an answer is on
    // its way, there are no probes, and only the last value counts.
    let options = format!(
        "{} -c tcp_keepalives_idle={first} -c tcp_keepalives_interval={others} -c tcp_keepalives_count={probes} \
         -c tcp_user_timeout={}",
        config.get_options().unwrap_or_default(),
        all.as_millis()
    );
    config.options(options.trim_start());
}

/// Returns the name of this machine, without spaces.
fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    name.chars().filter(|letter| !letter.is_whitespace()).take(40).collect()
}

fn shown(config: &Config, schema: &str, tournament: &str) -> String {
    let mut text = "postgres://".to_owned();
    if let Some(user) = config.get_user() {
        text += &escaped(user);
        text.push('@');
    }
    let hosts = config.get_hosts().iter().enumerate().map(|(at, host)| {
        let port = config.get_ports().get(at).or(config.get_ports().first());
        let host = match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => escaped(&folder.display().to_string()),
        };
        port.filter(|port| **port != PORT).map_or(host.clone(), |port| format!("{host}:{port}"))
    });
    text += &hosts.collect::<Vec<_>>().join(",");
    if let Some(name) = config.get_dbname() {
        text.push('/');
        text += &escaped(name);
    }
    let named = [("schema", schema, SCHEMA), ("tournament", tournament, "")];
    for (at, (word, value, _)) in named.into_iter().filter(|(_, value, usual)| value != usual).enumerate() {
        text.push(if at == 0 { '?' } else { '&' });
        text += &format!("{word}={}", escaped(value));
    }
    text
}

/// Returns an address that cannot be read, without what may be a password.
fn without_password(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let host = match rest.rsplit_once('@') {
        // The `@` may be one of this password.
        Some((before, _)) if before.contains("password=") => "",
        Some((_, host)) => host,
        None => rest,
    };
    format!("{scheme}://{}", host.split('?').next().unwrap_or_default())
}

/// Writes a word as it stands in an address.
fn escaped(word: &str) -> String {
    let mut text = String::new();
    for byte in word.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            other => drop(write!(text, "%{other:02X}")),
        }
    }
    text
}

/// Reads a word of an address. `None` if a `%` is not followed by two digits, or it is not text.
fn unescaped(word: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = word.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let place =
            Place::read("postgres://cup:s3cret@db.example:5433/contest?tournament=fi%20nal").expect("it is one");
        assert_eq!((place.schema.as_str(), place.tournament.as_str()), ("agon", "fi nal"));
        assert_eq!(place.shown, "postgres://cup@db.example:5433/contest?tournament=fi%20nal");
        assert_eq!(place.config.get_password(), Some(&b"s3cret"[..]));
        let odd = Place::read("postgres://cup:pa?ss@host/db?tournament=x").expect("it is one");
        assert_eq!((odd.shown.as_str(), odd.tournament.as_str()), ("postgres://cup@host/db?tournament=x", "x"));
        assert_eq!(odd.config.get_password(), Some(&b"pa?ss"[..]));
        let socket = Place::read("postgres://cup@%2Ftmp%2Fpg/contest?schema=s_2").expect("it is one");
        assert_eq!(socket.shown, "postgres://cup@%2Ftmp%2Fpg/contest?schema=s_2");
    }

    #[test]
    fn what_is_wrong_with_an_address_is_told_without_its_password() {
        for wrong in [
            "mysql://cup:s3cret@host/db",
            "postgres://cup:s3cret@host/db?schema=A;B",
            "postgres://cup:s3cret@host/db?sslmode=require",
            "postgres://cup:s3cret@host/db?password=s3cret&nothing=1",
            "postgres://cup:s3cret@host/db?tournament=%f",
            "postgres://cup:s3@cret@host:port/db",
            "postgres://cup:s3@cret@host/db",
            "postgres://cup:s3?cret@host/db?nothing=1",
        ] {
            let why = Place::read(wrong).err().expect("it is wrong").to_string();
            assert!(why.contains("://host") && !why.contains("cret"), "{why}");
        }
        let shown = shown_address("postgres://cup@host/db?password=s3@cret");
        assert!(!shown.contains("cret"), "{shown}");
    }
}
