//! The files that every root has of the system: programs and libraries, settings, and devices.

use super::site::{self, HOST, under};
use crate::{Refused, Step, system};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What the host has of the system.
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
    /// What the host has, whose root is in [`HOST`].
    pub fn of_host() -> Self {
        Self::under(HOST)
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
pub(super) fn show(places: &[(&Path, Kind)]) -> Result<(), Refused> {
    places.iter().try_for_each(|(place, kind)| match kind {
        Kind::Link(target) => site::link(target, place),
        Kind::Folder => site::show(place, true),
        Kind::File => site::show(place, false),
    })
}

/// Writes the files of `/etc` that programs need to read. They say nothing about the host.
pub(super) fn made_up_settings(user: u32) -> Result<(), Refused> {
    let home = system::HOME;
    let write = |name: &str, text: &str| {
        let place = Path::new("/etc").join(name);
        fs::write(&place, text).map_err(Refused::about(Step::Root, &place))
    };
    site::folder(Path::new("/etc"))?;
    write("hostname", "agon\n")?;
    write("hosts", "127.0.0.1 localhost\n")?;
    write("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")?;
    write("passwd", &format!("bot:x:{user}:{user}:bot:{home}:/bin/false\n"))?;
    write("group", &format!("bot:x:{user}:\n"))
}

pub(super) fn devices(devices: &[&Path]) -> Result<(), Refused> {
    devices.iter().try_for_each(|device| site::device(device))?;
    [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ]
    .into_iter()
    .try_for_each(|(name, target)| site::link(Path::new(target), &Path::new("/dev").join(name)))
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
