//! The files that every root has of the system: programs and libraries, settings, and devices.

use super::site::{HOST, Site, under};
use crate::{Refused, system};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// What the host has of the system. The fork server looks once, and its copies make the root of it.
static SYSTEM: OnceLock<System> = OnceLock::new();
/// Where the files are that name the bot's user, if `/etc` is the same for all bots.
const OF_THE_BOT: &str = "/run";

#[derive(Debug)]
pub(super) struct System {
    /// Programs and libraries.
    pub programs: Vec<(&'static Path, Kind)>,
    /// What loaders and runtimes read in `/etc`.
    pub settings: Vec<(&'static Path, Kind)>,
    pub devices: Vec<&'static Path>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Folder,
    File,
    /// A link with this target.
    Link(PathBuf),
}

impl System {
    /// What the host has. In a copy that was made before the fork server has looked, the host's root is in [`HOST`].
    pub fn get() -> &'static Self {
        SYSTEM.get_or_init(|| Self::under(HOST))
    }

    /// Looks at what the host has, for all copies that are made from now on.
    pub fn prepare() -> &'static Self {
        SYSTEM.get_or_init(|| Self::under("/"))
    }

    fn under(root: &str) -> Self {
        let there = |place: &Path| under(root, place);
        let kind = |place: &'static &'static str| {
            let place = Path::new(*place);
            let about = there(place).symlink_metadata().ok()?;
            let kind = match about.file_type() {
                kind if kind.is_symlink() => Kind::Link(fs::read_link(there(place)).ok()?),
                kind if kind.is_dir() => Kind::Folder,
                _ => Kind::File,
            };
            Some((place, kind))
        };
        let devices = system::DEVICES.iter().map(|(device, _)| Path::new(*device));
        Self {
            programs: system::FOLDERS.iter().chain(system::LINKS).filter_map(kind).collect(),
            settings: system::SETTINGS.iter().filter_map(kind).collect(),
            devices: devices.filter(|device| there(device).exists()).collect(),
        }
    }
}

/// Shows files and folders at the paths that they have on the host.
pub(super) fn show(site: Site<'_>, places: &[(&Path, Kind)]) -> Result<(), Refused> {
    places.iter().try_for_each(|(place, kind)| match kind {
        Kind::Link(target) => site.link(target, place),
        Kind::Folder => site.show(place, true),
        Kind::File => site.show(place, false),
    })
}

/// Writes the files of `/etc` that programs need to read, and that are the same for all bots. They say nothing about the
/// host.
pub(super) fn made_up_settings(site: Site<'_>) -> Result<(), Refused> {
    [
        ("/etc/hostname", "agon\n"),
        ("/etc/hosts", "127.0.0.1 localhost\n"),
        ("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
    ]
    .into_iter()
    .try_for_each(|(name, text)| site.write(Path::new(name), text))
}

/// Makes links to the files that [`users`] writes outside of a shared `/etc`.
pub(super) fn links_to_users(site: Site<'_>) -> Result<(), Refused> {
    ["passwd", "group"]
        .into_iter()
        .try_for_each(|name| site.link(&Path::new(OF_THE_BOT).join(name), &Path::new("/etc").join(name)))
}

/// Writes the files that name the bot's user.
pub(super) fn users(user: u32, is_etc_shared: bool) -> Result<(), Refused> {
    let folder = Path::new(if is_etc_shared { OF_THE_BOT } else { "/etc" });
    Site::ROOT.folder(folder)?;
    let home = system::HOME;
    Site::ROOT.write(&folder.join("passwd"), &format!("bot:x:{user}:{user}:bot:{home}:/bin/false\n"))?;
    Site::ROOT.write(&folder.join("group"), &format!("bot:x:{user}:\n"))
}

pub(super) fn devices(site: Site<'_>, devices: &[&Path]) -> Result<(), Refused> {
    devices.iter().try_for_each(|device| site.device(device))?;
    [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ]
    .into_iter()
    .try_for_each(|(name, target)| site.link(Path::new(target), &Path::new("/dev").join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_system_is_what_the_host_has_of_it() {
        let top = std::env::temp_dir().join(format!("agon-system-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        for folder in ["usr/bin", "etc", "dev"] {
            fs::create_dir_all(top.join(folder)).expect("a folder");
        }
        symlink("usr/bin", top.join("bin")).expect("a link");
        for file in ["etc/ld.so.cache", "dev/null", "etc/shadow"] {
            fs::write(top.join(file), "").expect("a file");
        }
        let System { programs, settings, devices } = System::under(top.to_str().expect("text"));
        let _ = fs::remove_dir_all(&top);
        assert_eq!(devices, [Path::new("/dev/null")]);
        assert!(
            matches!(&programs[..], [(usr, Kind::Folder), (bin, Kind::Link(to))]
                if *usr == Path::new("/usr") && *bin == Path::new("/bin") && to == Path::new("usr/bin")),
            "{programs:?}"
        );
        assert!(
            matches!(&settings[..], [(cache, Kind::File)] if *cache == Path::new("/etc/ld.so.cache")),
            "{settings:?}"
        );
    }
}
