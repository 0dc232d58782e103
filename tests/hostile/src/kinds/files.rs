//! Attacks on files: its own folder, the system's, devices, and what a next match finds.

use super::room::c_path;
use crate::{
    Tries,
    errno::{EACCES, EEXIST, EISDIR, ENODEV, ENOENT, ENOSYS, ENOTSUP, ENXIO, EPERM, EROFS, ETXTBSY, EXDEV, Errno},
    kind::{End, Kind, PATIENT, Stage},
    tries::address,
};
use std::{
    fs::{self, File, OpenOptions},
    os::{
        fd::AsRawFd,
        unix::fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
};

/// A file that cannot be written to, or is not there.
const READ_ONLY: &[End] = &[End::Refused(&[EROFS, EACCES, EPERM, ENOENT, ETXTBSY, EXDEV, EEXIST, EISDIR])];
/// Two matches, one after the other.
const TWICE: Stage = Stage { times: 2, ..PATIENT };

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(40, "writes-its-own-folder", "the next match: its own folder", |tries| {
        let own = tries.facts.own();
        let bot = own.join("bot.txt");
        tries.io("create", File::create(own.join("planted")));
        tries.io("overwrite", OpenOptions::new().write(true).open(&bot));
        tries.io("remove", fs::remove_file(&bot));
        tries.io("rename", fs::rename(&bot, own.join("other")));
        tries.io("link", fs::hard_link(&bot, own.join("hard")));
        tries.io("symlink", symlink("/etc/passwd", own.join("soft")));
        tries.io("make a folder", fs::create_dir(own.join("folder2")));
        tries.io("chmod", fs::set_permissions(&bot, fs::Permissions::from_mode(0o777)));
        tries.io("truncate", OpenOptions::new().write(true).truncate(true).open(&bot));
        // By way of its own root and descriptors the file is the same.
        tries.io("by /proc", OpenOptions::new().write(true).open(Path::new("/proc/self/root").join(&bot)));
    })
    .ends(READ_ONLY),
    Kind::tries(40, "overwrites-its-program", "the next match: the program that it runs", |tries| {
        match std::env::current_exe() {
            Ok(program) => {
                tries.io("open", OpenOptions::new().write(true).open(program));
            }
            Err(error) => tries.refused("find", Errno::of(&error)),
        }
        tries.io("by /proc", OpenOptions::new().write(true).open("/proc/self/exe"));
    })
    .brief()
    .ends(READ_ONLY),
    Kind::tries(
        40,
        "changes-what-files-are",
        "the files of whoever runs the match: rights, owners, times, attributes",
        |tries| {
            for (name, path) in [("key", tries.facts.key()), ("home", tries.facts.home()), ("own", tries.facts.own())] {
                let path = c_path(&path);
                let place = address(path.as_c_str());
                let (times, label) = ([0i64; 4], *b"x");
                tries.by_number(&format!("fchmodat {name}"), libc::SYS_fchmodat, [-100, place, 0o777]);
                // fchmodat2, of newer kernels.
                tries.by_number(&format!("fchmodat2 {name}"), 452, [-100, place, 0o777, 0]);
                tries.by_number(&format!("utimensat {name}"), libc::SYS_utimensat, [-100, place, address(&times), 0]);
                let attribute = address(c"user.agon");
                tries.by_number(
                    &format!("setxattr {name}"),
                    libc::SYS_setxattr,
                    [place, attribute, address(&label), 1, 0],
                );
                // SAFETY: no arguments.
                let (uid, gid) = unsafe { (i64::from(libc::getuid()), i64::from(libc::getgid())) };
                tries.by_number(&format!("fchownat {name}"), libc::SYS_fchownat, [-100, place, uid, gid, 0]);
            }
            let key = c_path(&tries.facts.key());
            tries.by_number("truncate", libc::SYS_truncate, [address(key.as_c_str()), 3]);
            if let Ok(bot) = File::open(tries.facts.own().join("bot.txt")) {
                tries.by_number("fchmod", libc::SYS_fchmod, [bot.as_raw_fd().into(), 0o777]);
            }
        },
    )
    .ends(&[End::Refused(&[EPERM, EACCES, EROFS, ENOENT, ENOSYS, ENOTSUP])]),
    Kind::tries(
        40,
        "empties-by-opening",
        "the files of whoever runs the match: opened for reading, and emptied by it",
        |tries| {
            let flags = i64::from(libc::O_RDONLY | libc::O_TRUNC);
            for (name, path) in [("key", tries.facts.key()), ("own", tries.facts.own().join("bot.txt"))] {
                let path = c_path(&path);
                tries.by_number(name, libc::SYS_openat, [-100, address(path.as_c_str()), flags, 0]);
            }
            // As many programs open files today: flags behind a pointer, which a filter cannot follow.
            let (path, how) = (c_path(&tries.facts.own().join("bot.txt")), [flags as u64, 0, 0]);
            tries.by_number("openat2", libc::SYS_openat2, [-100, address(path.as_c_str()), address(&how), 24]);
        },
    )
    .ends(&[End::Refused(&[EPERM, EACCES, EROFS, ENOENT, ENOSYS])]),
    Kind::tries(40, "newest-calls", "the filter of calls: those that are younger than it", |tries| {
        let path = c_path(&tries.facts.own());
        let (place, attribute, value) = (address(path.as_c_str()), address(c"user.agon"), [0u64; 8]);
        tries.by_number("setxattrat", 463, [-100, place, 0, attribute, address(&value), 16]);
        tries.by_number("open_tree_attr", 467, [-100, place, 1, 0, 0]);
        tries.by_number("file_setattr", 469, [-100, place, address(&value), 24, 0]);
        tries.by_number("the next one", 480, []);
    })
    .ends(&[End::Refused(&[ENOSYS])]),
    Kind::tries(40, "writes-the-home", "the files of whoever runs the match: shells' start files, keys", |tries| {
        let home = tries.facts.home();
        tries.io("create", File::create(home.join(".bashrc")));
        tries.io("append", OpenOptions::new().append(true).open(tries.facts.key()));
        tries.io("remove", fs::remove_file(tries.facts.key()));
    })
    .brief()
    .ends(READ_ONLY),
    Kind::tries(40, "writes-the-system", "the system: programs and settings", |tries| {
        for path in ["/usr/bin/agon-planted", "/usr/lib/agon-planted", "/etc/agon-planted", "/bin/agon-planted"] {
            tries.io(path, File::create(path));
        }
        tries.io("/etc/passwd", OpenOptions::new().append(true).open("/etc/passwd"));
    })
    .ends(READ_ONLY),
    Kind::tries(60, "opens-devices", "the machine: its devices", |tries| {
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
            tries.io(path, OpenOptions::new().read(true).write(true).open(path));
        }
    })
    .brief()
    .ends(&[End::Refused(&[EACCES, EPERM, ENOENT, ENXIO, ENODEV, EROFS])]),
    Kind::tries(60, "turns-the-kernels-knobs", "the machine: settings of its kernel", |tries| {
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
            tries.io(path, OpenOptions::new().write(true).open(path));
        }
        tries.io("/sys", fs::read_dir("/sys"));
        tries.io("/proc/kcore", File::open("/proc/kcore"));
    })
    .brief()
    .ends(&[End::Refused(&[EACCES, EPERM, ENOENT, EROFS])]),
    Kind::tries(44, "leaves-garbage", "the next match: files in every place where some can be left", |tries| {
        let mut found = false;
        for place in places(tries) {
            if place.exists() {
                found = true;
                tries.succeeded("find", place.display().to_string());
            }
            // For the next match. Where that is refused nothing can be found either.
            let _ = fs::write(&place, "here I was");
        }
        if !found {
            tries.refused("find", ENOENT);
        }
    })
    .on(TWICE)
    .ends(&[End::Refused(&[ENOENT])]),
];

/// Where a bot could leave something.
fn places(tries: &Tries<'_>) -> Vec<PathBuf> {
    let marker = &tries.facts.marker;
    let home = std::env::var_os("HOME").map_or_else(|| PathBuf::from("/home"), PathBuf::from);
    let folders =
        ["/tmp".into(), "/dev/shm".into(), "/var/tmp".into(), home, tries.facts.own(), tries.facts.folder.clone()];
    folders.into_iter().map(|folder: PathBuf| folder.join(marker)).collect()
}
