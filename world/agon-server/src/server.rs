//! The server of a contest.

use crate::{
    Clock, Result,
    contest::Contest,
    database::Database,
    http::{Access, Connections, Cookies, ListenAddress, Openness, Running},
    routes::{Site, router},
    words::Dictionary,
};
use axum::{Router, http::Uri};
use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

/// How a server is reached.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Where it listens.
    pub listen: ListenAddress,
    /// Who can reach it.
    pub openness: Openness,
    /// The address that people open, if it is another one than where it listens.
    pub url: Option<PublicUrl>,
}

/// The address of a server that people open, as in `https://cup.example/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicUrl {
    text: String,
    host: String,
}

impl std::str::FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write it as `https://cup.example`: a server cannot be in a folder of another one".to_owned();
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(wrong()) };
        let is_plain = uri.path() == "/" && uri.query().is_none() && !authority.as_str().contains('@');
        if !is_plain || !matches!(scheme, "http" | "https") {
            return Err(wrong());
        }
        Ok(Self { text: format!("{scheme}://{authority}/"), host: authority.host().to_owned() })
    }
}

impl PublicUrl {
    /// Returns whether browsers encrypt what they send there.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.text.starts_with("https:")
    }
}

/// A server that listens, but does not answer yet.
pub struct Server {
    listener: TcpListener,
    bound: SocketAddr,
    reach: Reach,
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    /// The address is not known, not of this machine, taken or not allowed.
    pub fn listen(reach: Reach) -> io::Result<Self> {
        let listener = reach.listen.listen()?;
        let bound = listener.local_addr()?;
        Ok(Self { listener, bound, reach })
    }

    /// Returns the address that people open, with a `/` at the end.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.reach.url {
            Some(url) => url.text.clone(),
            None => format!("{}/", self.reach.listen.url(self.bound)),
        }
    }

    /// Returns the hosts by which the server is known.
    fn names(&self) -> Vec<String> {
        let public = self.reach.url.as_ref().map(|url| url.host.clone());
        if self.reach.openness == Openness::BehindProxy {
            return public.into_iter().collect();
        }
        let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let local = format!("{machine}.local");
        public.into_iter().chain(self.reach.listen.host().map(str::to_owned)).chain([machine, local]).collect()
    }

    /// Returns what the pages of the server need to know.
    ///
    /// # Errors
    /// The strings of the pages cannot be read.
    pub fn site(&self, database: Database, clock: Arc<dyn Clock>) -> io::Result<Arc<Site>> {
        let access = Access::new(self.reach.openness, self.names());
        let cookies = if access.is_encrypted() { Cookies::encrypted() } else { Cookies::plain(self.bound.port()) };
        let (url, is_everywhere) = (self.url(), self.reach.url.is_none() && self.bound.ip().is_unspecified());
        let dictionary = Dictionary::load().map_err(io::Error::other)?;
        Ok(Arc::new(Site { database, clock, access, cookies, dictionary, url, is_everywhere }))
    }

    /// Answers from now on, with further routes beside those of this crate.
    ///
    /// # Errors
    /// The system has no room for a server.
    pub fn serve(self, site: &Arc<Site>, more: Router) -> io::Result<Running> {
        let mut connections = Connections::default();
        if self.reach.openness == Openness::BehindProxy {
            // All of them come from the proxy.
            connections.most_of_one = connections.most;
        }
        connections.serve(self.listener, router(site, more))
    }
}

/// Keeps the contest of a file in the database, in the place of the one that is there.
///
/// # Errors
/// The database cannot be written, or has a contest of another game.
pub fn set_contest(database: &Database, contest: Contest, now: i64) -> Result<()> {
    database.transact(move |sql| contest.write(sql, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_is_one_of_a_whole_server() {
        for (text, url, host) in [
            ("https://cup.example", "https://cup.example/", "cup.example"),
            ("http://192.168.1.5:8080/", "http://192.168.1.5:8080/", "192.168.1.5"),
            ("https://[::1]:8443", "https://[::1]:8443/", "[::1]"),
        ] {
            let public: PublicUrl = text.parse().expect(text);
            assert_eq!((public.text.as_str(), public.host.as_str()), (url, host));
            assert_eq!(public.is_https(), text.starts_with("https"), "{text}");
        }
        for wrong in
            ["", "cup.example", "ftp://cup.example", "https://a@cup.example", "https://cup.example/a", "https://x/?y"]
        {
            assert!(wrong.parse::<PublicUrl>().is_err(), "{wrong}");
        }
    }
}
