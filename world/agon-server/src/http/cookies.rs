//! Cookies of a server, and how they are named.

use axum::http::{HeaderMap, HeaderValue, header::COOKIE};

/// How the cookies of a server are named and set.
///
/// Behind TLS their names begin with `__Host-`, so that browsers take them from this host alone. Without it, browsers refuse such
/// names, and mix up the cookies of all servers on one host: there the port of the server is in the name.
#[derive(Clone, Debug)]
pub struct Cookies {
    /// The port of the server if nothing is encrypted.
    plain_port: Option<u16>,
}

impl Cookies {
    /// Returns the rules of a server that browsers reach through TLS.
    #[must_use]
    pub fn encrypted() -> Self {
        Self { plain_port: None }
    }

    /// Returns the rules of a server on a port that browsers reach without TLS.
    #[must_use]
    pub fn plain(port: u16) -> Self {
        Self { plain_port: Some(port) }
    }

    fn name(&self, name: &str) -> String {
        match self.plain_port {
            None => format!("__Host-agon-{name}"),
            Some(port) => format!("agon-{port}-{name}"),
        }
    }

    /// Returns the value of a cookie. One that is sent twice counts as none: another server may have added it.
    #[must_use]
    pub fn read<'a>(&self, headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
        let name = self.name(name);
        let sent = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
        let pairs = sent.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(given, _)| *given == name).map(|(_, value)| value);
        let value = values.next()?;
        values.next().is_none().then_some(value)
    }

    /// Returns the header that sets a cookie for so many seconds, or until the browser ends. 0 seconds remove it.
    #[must_use]
    pub fn set(&self, name: &str, value: &str, seconds: Option<u64>) -> Option<HeaderValue> {
        let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
        let secure = if self.plain_port.is_none() { "; Secure" } else { "" };
        let header = format!("{}={value}; Path=/; HttpOnly; SameSite=Lax{age}{secure}", self.name(name));
        HeaderValue::try_from(header).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(given: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in given {
            headers.append(COOKIE, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    #[test]
    fn cookies_are_named_after_how_they_travel() {
        let (plain, encrypted) = (Cookies::plain(8080), Cookies::encrypted());
        let set = |cookies: &Cookies, seconds| {
            let header = cookies.set("session", "abc", seconds).expect("a header");
            header.to_str().expect("text").to_owned()
        };
        assert_eq!(set(&plain, None), "agon-8080-session=abc; Path=/; HttpOnly; SameSite=Lax");
        let with_age = "__Host-agon-session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=9; Secure";
        assert_eq!(set(&encrypted, Some(9)), with_age);
        assert_eq!(plain.set("session", "a\nb", None), None);
        let sent = headers(&["x=1; agon-8080-session=abc", "__Host-agon-session=def; agon-8081-session=no"]);
        assert_eq!(plain.read(&sent, "session"), Some("abc"));
        assert_eq!(encrypted.read(&sent, "session"), Some("def"));
        assert_eq!(plain.read(&sent, "form"), None);
    }

    #[test]
    fn a_cookie_that_is_sent_twice_is_none() {
        let cookies = Cookies::plain(1);
        assert_eq!(cookies.read(&headers(&["agon-1-session=a; agon-1-session=b"]), "session"), None);
        assert_eq!(cookies.read(&headers(&["agon-1-session=a", "agon-1-session=a"]), "session"), None);
        assert_eq!(cookies.read(&headers(&["agon-1-session"]), "session"), None);
    }
}
