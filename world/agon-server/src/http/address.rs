//! Where a server listens.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs as _},
    str::FromStr,
};

/// Where to listen: `PORT` on the loopback address, or `HOST:PORT`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListenAddress {
    host: Option<String>,
    port: u16,
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "it is neither PORT nor HOST:PORT, as in 7700, 192.168.1.5:7700 or [::1]:7700".to_owned();
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (Some(host), port),
            None => (None, text),
        };
        let port = port.parse().map_err(|_| wrong())?;
        match host {
            Some("") => Err(wrong()),
            // The parts of an IPv6 address are separated by colons, too.
            Some(host) if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) => Err(wrong()),
            host => Ok(Self { host: host.map(str::to_owned), port }),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Some(host) => write!(f, "{host}:{}", self.port),
            None => write!(f, "port {}", self.port),
        }
    }
}

impl ListenAddress {
    /// Starts to listen. Port 0 stands for any free one.
    ///
    /// # Errors
    /// The host is not known or not of this machine, or the port is taken or not allowed.
    pub fn listen(&self) -> io::Result<TcpListener> {
        let listener = match &self.host {
            None => TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)),
            Some(host) => {
                let host = host.trim_start_matches('[').trim_end_matches(']');
                let found: Vec<SocketAddr> = (host, self.port).to_socket_addrs()?.collect();
                TcpListener::bind(&found[..])
            }
        }?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Returns the host, if it was named.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// Returns whether only this machine can reach it. What a name means is found out by asking.
    pub fn is_loopback(&self) -> bool {
        let Some(host) = &self.host else { return true };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => (host, self.port)
                .to_socket_addrs()
                .is_ok_and(|mut found| found.all(|address| address.ip().is_loopback())),
        }
    }

    /// Returns what others write to reach a listener at this address, as in `http://192.168.1.5:7700`.
    pub fn url(&self, bound: SocketAddr) -> String {
        match &self.host {
            Some(host) if !bound.ip().is_unspecified() => format!("http://{host}:{}", bound.port()),
            // Every address of this machine is one, and it is not known which one others reach.
            Some(_) => format!("http://HOST:{}", bound.port()),
            None => format!("http://{bound}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_only_those_of_this_machine_are_loopback() {
        for (text, loopback, url) in [
            ("0", true, "http://127.0.0.1:"),
            ("127.0.0.1:0", true, "http://127.0.0.1:"),
            ("localhost:0", true, "http://localhost:"),
            ("[::1]:0", true, "http://[::1]:"),
            ("0.0.0.0:0", false, "http://HOST:"),
        ] {
            let address: ListenAddress = text.parse().expect(text);
            assert_eq!(address.is_loopback(), loopback, "{text}");
            // A machine may have no IPv6.
            let Ok(listener) = address.listen() else { continue };
            let bound = listener.local_addr().expect("it listens");
            assert_eq!(address.url(bound), format!("{url}{}", bound.port()));
        }
        assert!(!"192.168.1.5:7700".parse::<ListenAddress>().expect("it is one").is_loopback());
        for wrong in ["", ":", ":7", "x", "a:b", "::1:7", "1:65536", "-1"] {
            assert!(wrong.parse::<ListenAddress>().is_err(), "{wrong}");
        }
    }
}
