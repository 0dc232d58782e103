//! Error numbers of the system, with their names.

use std::{fmt, io};

/// An error number of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub i32);

impl Errno {
    /// Returns the error of this thread's last system call.
    #[must_use]
    pub fn last() -> Self {
        Self::of(&io::Error::last_os_error())
    }

    /// Returns the number of an error of the standard library. It is 0 if the error did not come from the system.
    #[must_use]
    pub fn of(error: &io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(0))
    }

    /// Returns the error with this name, or with the number in `errno 12`. `None` if the name is unknown.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let number = name.strip_prefix("errno ").and_then(|number| number.parse().ok());
        let known = || NAMES.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        number.or_else(known).map(Self)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(_, number)| *number == self.0) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

macro_rules! names {
    ($($name:ident)*) => {
        const NAMES: &[(&str, i32)] = &[$((stringify!($name), libc::$name)),*];
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub const $name: Errno = Errno(libc::$name);
        )*
    };
}

names! {
    EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST EXDEV ENODEV
    ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE ENOSYS ELOOP ENOTSUP
    EAFNOSUPPORT EPROTONOSUPPORT EADDRINUSE ENETUNREACH ECONNREFUSED ENOPROTOOPT ENOTCONN ETIMEDOUT EDQUOT EOVERFLOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for errno in [EPERM, EROFS, ENOSYS, Errno(9999)] {
            assert_eq!(Errno::named(&errno.to_string()), Some(errno));
        }
        assert_eq!(Errno(9999).to_string(), "errno 9999");
        assert_eq!(Errno::named("EWHATEVER"), None);
        assert_eq!(Errno::of(&io::Error::from_raw_os_error(libc::EPERM)), EPERM);
    }
}
