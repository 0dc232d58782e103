//! The address of the machine that leads a tournament.

use agon_spec::WORKER_PATH;
use std::{fmt, net::IpAddr};
use ureq::http::Uri;

/// The address of a server: `http://HOST[:PORT][/PATH]`, or `https://…` in a build with the feature `tls`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ServerAddress {
    base: String,
    encrypted: bool,
    loopback: bool,
}

/// Why a text is no address of a server, and the way out.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no address of a server: {why}")]
pub struct AddressError {
    text: String,
    why: &'static str,
    /// How an address looks, or what else to do.
    pub hint: &'static str,
}

impl ServerAddress {
    /// Reads an address as a user writes it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        const FORM: &str = "write it as `http://HOST:PORT`, as the machine that leads the tournament has told it";
        let wrong = |why, hint| AddressError { text: text.to_owned(), why, hint };
        let uri: Uri = text.parse().map_err(|_| wrong("it is not an URL", FORM))?;
        let encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") if cfg!(feature = "tls") => true,
            Some("https") => {
                let hint = "build Agon with `--features tls`, or let a proxy on this machine speak `https` for it";
                return Err(wrong("this build of Agon does not speak `https`", hint));
            }
            _ => return Err(wrong("it does not begin with `http://`", FORM)),
        };
        let authority = uri.authority().ok_or_else(|| wrong("it names no host", FORM))?;
        if authority.as_str().contains('@') {
            return Err(wrong("it has a user or a password", "the key of a worker stands in a file: `--key FILE`"));
        }
        let has_port = authority.as_str().len() > authority.host().len();
        if authority.host().is_empty() || (has_port && authority.port_u16().is_none_or(|port| port == 0)) {
            return Err(wrong("it names no host or no port", FORM));
        }
        if text.contains(['?', '#']) {
            return Err(wrong("it has more than a path", FORM));
        }
        let scheme = if encrypted { "https" } else { "http" };
        let base = format!("{scheme}://{authority}{}", uri.path().trim_end_matches('/'));
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        Ok(Self { base, encrypted, loopback })
    }

    /// Returns whether others on the way can read what is sent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.encrypted && !self.loopback
    }

    /// Returns the URL of a request. `path` follows the version.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{WORKER_PATH}/{path}", self.base)
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_perhaps_a_path() {
        for (text, url, open) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/worker/1/beat", false),
            ("http://localhost:8080/", "http://localhost:8080/worker/1/beat", false),
            ("http://[::1]:80/cup/", "http://[::1]:80/cup/worker/1/beat", false),
            ("http://10.0.0.7:8080", "http://10.0.0.7:8080/worker/1/beat", true),
            ("http://arena", "http://arena/worker/1/beat", true),
        ] {
            let address = ServerAddress::parse(text).expect("it is one");
            assert_eq!((address.url("beat").as_str(), address.is_open()), (url, open), "{text}");
        }
    }

    #[test]
    fn an_address_with_anything_else_is_refused() {
        for text in [
            "",
            "arena:8080",
            "ftp://arena",
            "http://",
            "http://me:secret@arena",
            "http://me@arena",
            "http://arena?key=1",
            "http://arena#1",
            "http://arena:0",
            "http://arena:99999",
            "http://a b",
            "file:///etc/passwd",
            "/worker",
        ] {
            assert!(ServerAddress::parse(text).is_err(), "{text}");
        }
        let refused = ServerAddress::parse("http://me:secret@arena").expect_err("a password");
        assert!(refused.hint.contains("--key"), "{refused}");
    }

    #[test]
    #[cfg(not(feature = "tls"))]
    fn https_needs_a_feature() {
        let refused = ServerAddress::parse("https://arena").expect_err("it is not built in");
        assert!(refused.hint.contains("--features tls"), "{refused}");
    }
}
