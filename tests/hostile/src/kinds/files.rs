//! Attacks on files: the bot's own folder, files of the system, devices, and files for the next match.

use super::storage::c_path;
use crate::{
    Attack,
    attack::address,
    errno::{EACCES, EEXIST, EISDIR, ENODEV, ENOENT, ENOSYS, ENOTSUP, ENXIO, EPERM, EROFS, ETXTBSY, EXDEV, Errno},
    kind::{End, Kind, Scenario, TOY},
};
use std::{
    fs::{self, File, OpenOptions},
    os::{
        fd::AsRawFd,
        unix::fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
};

/// The file cannot be written to, or does not exist.
const READ_ONLY: &[End] = &[End::Refused(&[EROFS, EACCES, EPERM, ENOENT, ETXTBSY, EXDEV, EEXIST, EISDIR])];
/// Two matches, one after the other.
const TWO_MATCHES: Scenario = Scenario { matches: 2, ..TOY };

pub const KINDS: &[Kind] = &[
    Kind::attack(40, "writes-its-own-folder", "the next match: its own folder", |attack| {
        let own = attack.facts.own();
        let bot = own.join("bot.txt");
        attack.io("create", File::create(own.join("planted")));
        attack.io("overwrite", OpenOptions::new().write(true).open(&bot));
        attack.io("remove", fs::remove_file(&bot));
        attack.io("rename", fs::rename(&bot, own.join("other")));
        attack.io("link", fs::hard_link(&bot, own.join("hard")));
        attack.io("symlink", symlink("/etc/passwd", own.join("soft")));
        attack.io("make a folder", fs::create_dir(own.join("folder2")));
        attack.io("chmod", fs::set_permissions(&bot, fs::Permissions::from_mode(0o777)));
        attack.io("truncate", OpenOptions::new().write(true).truncate(true).open(&bot));
        // This is the same file, reached through the root of the bot's own process.
        attack.io("by /proc", OpenOptions::new().write(true).open(Path::new("/proc/self/root").join(&bot)));
    })
    .ends(READ_ONLY),
    Kind::attack(40, "overwrites-its-program", "the next match: its own program", |attack| {
        match std::env::current_exe() {
            Ok(program) => {
                attack.io("open", OpenOptions::new().write(true).open(program));
            }
            Err(error) => attack.refused("find", Errno::of(&error)),
        }
        attack.io("by /proc", OpenOptions::new().write(true).open("/proc/self/exe"));
    })
    .ends(READ_ONLY),
    Kind::attack(40, "changes-file-metadata", "the user's files: rights, owners, times, attributes", |attack| {
        for (name, path) in [("key", attack.facts.key()), ("home", attack.facts.home()), ("own", attack.facts.own())] {
            let path = c_path(&path);
            let place = address(path.as_c_str());
            let (times, label) = ([0i64; 4], *b"x");
            attack.by_number(&format!("fchmodat {name}"), libc::SYS_fchmodat, [-100, place, 0o777]);
            // fchmodat2, which only newer kernels have.
            attack.by_number(&format!("fchmodat2 {name}"), 452, [-100, place, 0o777, 0]);
            attack.by_number(&format!("utimensat {name}"), libc::SYS_utimensat, [-100, place, address(&times), 0]);
            let attribute = address(c"user.agon");
            attack.by_number(
                &format!("setxattr {name}"),
                libc::SYS_setxattr,
                [place, attribute, address(&label), 1, 0],
            );
            // SAFETY: no arguments.
            let (uid, gid) = unsafe { (i64::from(libc::getuid()), i64::from(libc::getgid())) };
            attack.by_number(&format!("fchownat {name}"), libc::SYS_fchownat, [-100, place, uid, gid, 0]);
        }
        let key = c_path(&attack.facts.key());
        attack.by_number("truncate", libc::SYS_truncate, [address(key.as_c_str()), 3]);
        if let Ok(bot) = File::open(attack.facts.own().join("bot.txt")) {
            attack.by_number("fchmod", libc::SYS_fchmod, [bot.as_raw_fd().into(), 0o777]);
        }
    })
    .ends(&[End::Refused(&[EPERM, EACCES, EROFS, ENOENT, ENOSYS, ENOTSUP])]),
    Kind::attack(40, "truncates-by-opening", "the user's files: opened for reading and truncated at once", |attack| {
        let flags = i64::from(libc::O_RDONLY | libc::O_TRUNC);
        for (name, path) in [("key", attack.facts.key()), ("own", attack.facts.own().join("bot.txt"))] {
            let path = c_path(&path);
            attack.by_number(name, libc::SYS_openat, [-100, address(path.as_c_str()), flags, 0]);
        }
        // openat2 passes its flags behind a pointer, which a filter cannot read.
        let (path, how) = (c_path(&attack.facts.own().join("bot.txt")), [flags as u64, 0, 0]);
        attack.by_number("openat2", libc::SYS_openat2, [-100, address(path.as_c_str()), address(&how), 24]);
    })
    .ends(&[End::Refused(&[EPERM, EACCES, EROFS, ENOENT, ENOSYS])]),
    Kind::attack(40, "newest-calls", "the system call filter: calls newer than the filter", |attack| {
        let path = c_path(&attack.facts.own());
        let (place, attribute, value) = (address(path.as_c_str()), address(c"user.agon"), [0u64; 8]);
        attack.by_number("setxattrat", 463, [-100, place, 0, attribute, address(&value), 16]);
        attack.by_number("open_tree_attr", 467, [-100, place, 1, 0, 0]);
        attack.by_number("file_setattr", 469, [-100, place, address(&value), 24, 0]);
        attack.by_number("the next one", 480, []);
    })
    .ends(&[End::Refused(&[ENOSYS])]),
    Kind::attack(40, "writes-the-home", "the user's files: start files of shells, keys", |attack| {
        let home = attack.facts.home();
        attack.io("create", File::create(home.join(".bashrc")));
        attack.io("append", OpenOptions::new().append(true).open(attack.facts.key()));
        attack.io("remove", fs::remove_file(attack.facts.key()));
    })
    .ends(READ_ONLY),
    Kind::attack(40, "writes-the-system", "the system: programs and settings", |attack| {
        for path in ["/usr/bin/agon-planted", "/usr/lib/agon-planted", "/etc/agon-planted", "/bin/agon-planted"] {
            attack.io(path, File::create(path));
        }
        attack.io("/etc/passwd", OpenOptions::new().append(true).open("/etc/passwd"));
    })
    .ends(READ_ONLY),
    Kind::attack(60, "opens-devices", "the machine: its devices", |attack| {
        for path in [
            "/dev/kmsg",
            "/dev/mem",
            "/dev/port",
            "/dev/kvm",
            "/dev/fuse",
            "/dev/loop-control",
            "/dev/net/tun",
            "/dev/vda",
            "/dev/sda",
            "/dev/ptmx",
            "/dev/tty",
            "/dev/console",
            "/dev/mapper/control",
            "/dev/vsock",
            "/dev/userfaultfd",
        ] {
            attack.io(path, OpenOptions::new().read(true).write(true).open(path));
        }
    })
    .ends(&[End::Refused(&[EACCES, EPERM, ENOENT, ENXIO, ENODEV, EROFS])]),
    Kind::attack(60, "writes-kernel-settings", "the machine: kernel settings", |attack| {
        for path in [
            "/proc/sys/kernel/core_pattern",
            "/proc/sys/kernel/hostname",
            "/proc/sys/vm/overcommit_memory",
            "/proc/sysrq-trigger",
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "/sys/fs/cgroup/cgroup.procs",
            "/proc/self/uid_map",
            "/proc/self/setgroups",
        ] {
            attack.io(path, OpenOptions::new().write(true).open(path));
        }
        attack.io("/sys", fs::read_dir("/sys"));
        attack.io("/proc/kcore", File::open("/proc/kcore"));
    })
    .ends(&[End::Refused(&[EACCES, EPERM, ENOENT, EROFS])]),
    Kind::attack(44, "leaves-files", "the next match: files in every folder that it can write to", |attack| {
        let mut found = false;
        for place in places(attack) {
            if place.exists() {
                found = true;
                attack.succeeded("find", place.display().to_string());
            }
            // The next match looks for this file. If the system refuses it, there is nothing to find.
            let _ = fs::write(&place, "left by a bot");
        }
        if !found {
            attack.refused("find", ENOENT);
        }
    })
    .scenario(TWO_MATCHES)
    .ends(&[End::Refused(&[ENOENT])]),
];

/// The files that a bot could leave.
fn places(attack: &Attack<'_>) -> Vec<PathBuf> {
    let marker = &attack.facts.marker;
    let home = std::env::var_os("HOME").map_or_else(|| PathBuf::from("/home"), PathBuf::from);
    let folders =
        ["/tmp".into(), "/dev/shm".into(), "/var/tmp".into(), home, attack.facts.own(), attack.facts.folder.clone()];
    folders.into_iter().map(|folder: PathBuf| folder.join(marker)).collect()
}
