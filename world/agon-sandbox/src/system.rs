//! The part of the system that every program in a sandbox sees: enough for any runtime, and no user's files.

/// The home of a program at full isolation.
pub(crate) const HOME: &str = "/home/bot";

/// Folders of programs and libraries.
pub(crate) const FOLDERS: &[&str] = &["/usr", "/opt", "/nix/store", "/gnu/store", "/snap"];

/// Paths that are links into [`FOLDERS`] on most systems and folders on others.
pub(crate) const LINKS: &[&str] = &["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/run/current-system"];

/// What loaders and runtimes read in `/etc`. Programs see nothing else of it.
pub(crate) const SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
    "/etc/localtime",
    "/etc/java-8-openjdk",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
    "/etc/mono",
    "/etc/dotnet",
    "/etc/static",
];

/// What runtimes read about the machine and about themselves. This applies at the restricted level, where a program
/// sees the host's `/proc` and `/sys`.
pub(crate) const ABOUT: &[&str] = &[
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
];

/// The devices that a program sees, and whether it may write to them.
pub(crate) const DEVICES: &[(&str, bool)] =
    &[("/dev/null", true), ("/dev/full", true), ("/dev/zero", false), ("/dev/random", false), ("/dev/urandom", false)];

/// Returns the files and folders of the system that every program in a sandbox can read, whether they exist here or not.
pub fn system_places() -> impl Iterator<Item = &'static std::path::Path> {
    FOLDERS.iter().chain(LINKS).chain(SETTINGS).map(std::path::Path::new)
}

/// Whether a canonical path is part of the system, which every program in a sandbox can see.
#[must_use]
pub fn is_system(path: &std::path::Path) -> bool {
    system_places().any(|place| path.starts_with(place))
}
