//! Who asks, from where, and when.

use crate::{Refusal, Result};
use agon_contest::{Act, Asker, Viewer, may};
use std::net::{IpAddr, Ipv6Addr};

/// Who asks, from where, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ask {
    /// Who asks.
    pub viewer: Viewer,
    /// From where, if it is known.
    pub address: Option<IpAddr>,
    /// When, in milliseconds since 1970.
    pub now: i64,
}

impl Ask {
    /// Returns what a visitor asks.
    #[must_use]
    pub fn visitor(address: Option<IpAddr>, now: i64) -> Self {
        Self { viewer: Viewer::VISITOR, address, now }
    }

    /// Makes sure that the person may do something.
    ///
    /// # Errors
    /// If they may not: a visitor is told to log in.
    pub fn must(&self, act: &Act) -> Result<()> {
        match &self.viewer.0 {
            _ if may(&self.viewer, act) => Ok(()),
            None => Err(Refusal::LogIn.into()),
            Some(_) => Err(Refusal::NotAllowed.into()),
        }
    }

    /// Returns the account that asks.
    ///
    /// # Errors
    /// If a visitor asks.
    pub fn asker(&self) -> Result<&Asker> {
        self.viewer.0.as_ref().ok_or_else(|| Refusal::LogIn.into())
    }

    /// Returns from where, as it is counted: an IPv6 address without its second half, which one machine may choose as it likes.
    #[must_use]
    pub fn network(&self) -> Option<String> {
        Some(match self.address?.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_machine_has_one_network() {
        let network = |address: &str| Ask::visitor(address.parse().ok(), 0).network();
        assert_eq!(network("10.0.0.7").as_deref(), Some("10.0.0.7"));
        assert_eq!(network("::ffff:10.0.0.7"), network("10.0.0.7"));
        assert_eq!(network("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1:2::/64"));
        assert_eq!(network("2001:db8:1:2:ffff::1"), network("2001:db8:1:2:3:4:5:6"));
        assert_ne!(network("2001:db8:1:3::1"), network("2001:db8:1:2::1"));
        assert_eq!(Ask::visitor(None, 0).network(), None);
    }
}
