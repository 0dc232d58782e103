//! Who may reach a server, and which requests come from its own pages.

use axum::http::{
    HeaderMap, Method, Uri,
    header::{HOST, HeaderName, ORIGIN},
    uri::Authority,
};
use std::{fmt, net::IpAddr};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Who can reach a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Openness {
    /// Programs of this machine.
    Loopback,
    /// A proxy, which encrypts what goes between it and browsers.
    BehindProxy,
    /// Everybody in the network, who can also read what goes through it.
    InsecureLan,
}

/// Which requests a server answers.
#[derive(Clone, Debug)]
pub struct Access {
    openness: Openness,
    /// The names of the server, in lower case and without ports. Any name is right if there are none.
    names: Vec<String>,
}

/// Why a request is refused before anybody looks at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outsider {
    /// It is meant for another server, or for several.
    Host,
    /// A page of another site sent it.
    Site,
}

impl fmt::Display for Outsider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Host => "this server has another address",
            Self::Site => "a page of another site sent this request",
        })
    }
}

impl Access {
    /// Makes the rules of a server. `names` are the hosts by which it is known beside those that every machine has. With none
    /// of them, a server behind a proxy leaves the check of its name to the proxy.
    #[must_use]
    pub fn new(openness: Openness, names: impl IntoIterator<Item = String>) -> Self {
        Self { openness, names: names.into_iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Returns who can reach the server.
    #[must_use]
    pub fn openness(&self) -> Openness {
        self.openness
    }

    /// Returns whether browsers reach the server through TLS.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.openness == Openness::BehindProxy
    }

    /// Checks the address of a request, and that no page of another site sent it.
    ///
    /// # Errors
    /// It is refused.
    pub fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Outsider> {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else {
            return Err(Outsider::Host);
        };
        let authority: Authority = host.parse().map_err(|_| Outsider::Host)?;
        let is_other = |named: &Authority| !named.as_str().eq_ignore_ascii_case(host);
        if uri.authority().is_some_and(is_other) || !self.is_known(authority.host()) {
            return Err(Outsider::Host);
        }
        let scheme = if self.is_encrypted() { "https" } else { "http" };
        let own = format!("{scheme}://{host}");
        let is_own = |origin: &[u8]| origin.eq_ignore_ascii_case(own.as_bytes());
        if !headers.get_all(ORIGIN).iter().all(|origin| is_own(origin.as_bytes())) {
            return Err(Outsider::Site);
        }
        // A link on another site may lead to a page. Nothing else of another site is welcome.
        let from_here = |site: &[u8]| site == b"same-origin" || site == b"none";
        if !method.is_safe() && !headers.get_all(FETCH_SITE).iter().all(|site| from_here(site.as_bytes())) {
            return Err(Outsider::Site);
        }
        Ok(())
    }

    /// Returns whether a host of a request is this server. A site that gives its own name the address of this server is not:
    /// therefore addresses in numbers are taken, and of names only those that are known.
    fn is_known(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_named = || self.names.iter().any(|name| name.eq_ignore_ascii_case(host));
        match (self.openness, bare.parse::<IpAddr>()) {
            (Openness::BehindProxy, _) => self.names.is_empty() || is_named(),
            (Openness::InsecureLan, Ok(_)) => true,
            (Openness::Loopback, Ok(address)) => address.is_loopback(),
            (Openness::InsecureLan | Openness::Loopback, Err(_)) => {
                host.eq_ignore_ascii_case("localhost") || is_named()
            }
        }
    }

    /// Returns from which address a request comes, as far as that is known. A proxy tells it in the last `X-Forwarded-For`.
    #[must_use]
    pub fn address(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        if self.openness != Openness::BehindProxy {
            return peer;
        }
        let last = headers.get_all(FORWARDED_FOR).iter().next_back();
        let told = last.and_then(|text| text.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        told.or(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(given: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    fn check(access: &Access, method: &Method, given: &[(&'static str, &str)]) -> Result<(), Outsider> {
        access.check(method, &Uri::from_static("/"), &headers(given))
    }

    #[test]
    fn only_the_names_of_the_server_are_answered() {
        let loopback = Access::new(Openness::Loopback, []);
        let lan = Access::new(Openness::InsecureLan, ["Server".to_owned(), "server.local".to_owned()]);
        let proxy = Access::new(Openness::BehindProxy, []);
        let named = Access::new(Openness::BehindProxy, ["cup.example".to_owned()]);
        for (host, expected) in [
            ("127.0.0.1:8080", [true, true, true, false]),
            ("localhost:8080", [true, true, true, false]),
            ("LOCALHOST", [true, true, true, false]),
            ("[::1]:8080", [true, true, true, false]),
            ("192.168.1.5:8080", [false, true, true, false]),
            ("server:8080", [false, true, true, false]),
            ("server.local:8080", [false, true, true, false]),
            ("cup.example", [false, false, true, true]),
            ("evil.example:8080", [false, false, true, false]),
            ("127.0.0.1.evil.example", [false, false, true, false]),
            ("", [false; 4]),
            ("a b", [false; 4]),
        ] {
            for (access, expected) in [&loopback, &lan, &proxy, &named].into_iter().zip(expected) {
                let is_answered = check(access, &Method::GET, &[("host", host)]).is_ok();
                assert_eq!(is_answered, expected, "{host} {access:?}");
            }
        }
        let host = ("host", "localhost");
        assert_eq!(check(&loopback, &Method::GET, &[]), Err(Outsider::Host));
        assert_eq!(check(&loopback, &Method::GET, &[host, host]), Err(Outsider::Host));
        let elsewhere = Uri::from_static("http://evil.example/");
        assert_eq!(loopback.check(&Method::GET, &elsewhere, &headers(&[host])), Err(Outsider::Host));
    }

    #[test]
    fn what_pages_of_other_sites_send_is_refused() {
        let (loopback, proxy) = (Access::new(Openness::Loopback, []), Access::new(Openness::BehindProxy, []));
        let host = ("host", "localhost:8080");
        for (method, given, expected) in [
            (Method::POST, ("origin", "http://localhost:8080"), [true, false]),
            (Method::POST, ("origin", "https://localhost:8080"), [false, true]),
            (Method::POST, ("origin", "http://localhost:8081"), [false, false]),
            (Method::POST, ("origin", "null"), [false, false]),
            (Method::GET, ("origin", "http://evil.example"), [false, false]),
            (Method::POST, ("sec-fetch-site", "same-origin"), [true, true]),
            (Method::POST, ("sec-fetch-site", "same-site"), [false, false]),
            (Method::POST, ("sec-fetch-site", "cross-site"), [false, false]),
            (Method::DELETE, ("sec-fetch-site", "cross-site"), [false, false]),
            (Method::GET, ("sec-fetch-site", "cross-site"), [true, true]),
        ] {
            for (access, expected) in [&loopback, &proxy].into_iter().zip(expected) {
                assert_eq!(check(access, &method, &[host, given]).is_ok(), expected, "{method} {given:?} {access:?}");
            }
        }
        assert_eq!(check(&loopback, &Method::POST, &[host]), Ok(()), "a program is no page");
    }

    #[test]
    fn only_a_proxy_tells_where_a_request_comes_from() {
        let given = headers(&[("x-forwarded-for", "1.1.1.1, 2.2.2.2"), ("x-forwarded-for", "3.3.3.3,4.4.4.4")]);
        let peer: IpAddr = "10.0.0.1".parse().expect("an address");
        let address = |openness, given: &HeaderMap| Access::new(openness, []).address(Some(peer), given);
        assert_eq!(address(Openness::InsecureLan, &given), Some(peer));
        assert_eq!(address(Openness::BehindProxy, &given), "4.4.4.4".parse().ok());
        assert_eq!(address(Openness::BehindProxy, &headers(&[("x-forwarded-for", "x")])), Some(peer));
    }
}
