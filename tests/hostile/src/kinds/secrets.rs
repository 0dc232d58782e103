//! Attacks on other people's secrets: files, environments, command lines, descriptors.

use super::storage::c_path;
use crate::{
    Attack,
    attack::{address, raw},
    errno::{EACCES, EBADF, EIO, ELOOP, ENOENT, ENOTDIR, EPERM, EROFS, ESRCH, Errno},
    kind::{End, Kind, Scenario, TOY},
};
use agon_spec::Isolation;
use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// The errors of a file that is out of reach.
pub(crate) const HIDDEN: &[Errno] = &[ENOENT, EACCES, EPERM, EROFS, ENOTDIR, ELOOP];
const OUT_OF_REACH: &[End] = &[End::Refused(HIDDEN)];
/// The process cannot be seen, or must not be inspected.
const UNSEEN: &[End] = &[End::Refused(&[ENOENT, EACCES, EPERM, ESRCH, EIO])];

/// The same bot in both seats; the suite compares their reports.
const SAME_BOT: Scenario = Scenario { both_seats: true, ..TOY };

pub const KINDS: &[Kind] = &[
    Kind::attack(45, "reads-a-key", "secrets: a key in the user's home", |attack| {
        let key = attack.facts.key();
        read(attack, "key", &key);
    })
    .ends(OUT_OF_REACH),
    Kind::attack(45, "reads-system-secrets", "secrets: passwords and settings of the system", |attack| {
        for path in ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/machine-id", "/root", "/var/log", "/boot"] {
            let path = Path::new(path);
            let name = path.display().to_string();
            if path.is_dir() {
                attack.io(&name, fs::read_dir(path));
            } else {
                read(attack, &name, path);
            }
        }
    })
    .ends(OUT_OF_REACH),
    Kind::attack(45, "path-traversal", "secrets: `..` from its own folder, and the root in /proc", |attack| {
        let key = attack.facts.key();
        read(attack, "dot dot", Path::new("../home/.ssh/id_secret"));
        let inner = key.strip_prefix("/").unwrap_or(&key).to_owned();
        for root in ["/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../../../../..", "/proc/thread-self/root"]
        {
            read(attack, root, &Path::new(root).join(&inner));
        }
    })
    .ends(&[End::Refused(&[ENOENT, EACCES, EPERM, ENOTDIR, ELOOP, EROFS, ESRCH])]),
    Kind::attack(46, "reads-environment", "secrets: the user's environment variables", |attack| {
        /// The variables that every bot gets, and those that keep runtimes within the memory limit.
        const EXPECTED: [&str; 9] = [
            "PATH",
            "HOME",
            "LANG",
            "TMPDIR",
            "JDK_JAVA_OPTIONS",
            "NODE_OPTIONS",
            "DOTNET_GCHeapHardLimit",
            "MALLOC_ARENA_MAX",
            "LC_ALL",
        ];
        let foreign: Vec<String> = std::env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .filter(|name| !EXPECTED.contains(&name.as_str()))
            .collect();
        for name in &foreign {
            attack.succeeded("variable", name);
        }
        if foreign.is_empty() {
            attack.refused("variables", ENOENT);
        }
    })
    .ends(&[End::Refused(&[ENOENT])]),
    Kind::attack(46, "lists-keys", "secrets: the user's keys in the kernel", |attack| {
        for file in ["/proc/keys", "/proc/key-users"] {
            match fs::read(file) {
                Ok(bytes) if bytes.is_empty() => attack.refused(file, ENOENT),
                Ok(bytes) => attack.succeeded(file, format!("{} bytes", bytes.len())),
                Err(error) => attack.refused(file, Errno::of(&error)),
            }
        }
    })
    .ends(OUT_OF_REACH),
    Kind::attack(47, "reads-opponent", "secrets: the folder of another bot", |attack| {
        let folder = attack.facts.opponent();
        attack.io("list", fs::read_dir(&folder));
        read(attack, "read", &folder.join("bot.py"));
        attack.io("write", fs::OpenOptions::new().append(true).open(folder.join("bot.py")));
        attack.io("create", File::create(folder.join("planted")));
        attack.io("remove", fs::remove_file(folder.join("bot.py")));
    })
    .ends(OUT_OF_REACH),
    Kind::attack(47, "reads-environ", "secrets: the environment of another process", |attack| {
        look_at(attack, attack.facts.victim, "environ");
        look_at(attack, attack.facts.driver, "environ");
    })
    .ends(UNSEEN),
    Kind::attack(47, "reads-cmdline", "secrets: the command line of another process", |attack| {
        look_at(attack, attack.facts.victim, "cmdline");
        look_at(attack, attack.facts.driver, "cmdline");
    })
    .ends(UNSEEN),
    Kind::attack(47, "reads-memory-file", "secrets: the memory of another process as a file", |attack| {
        let path = format!("/proc/{}/mem", attack.facts.victim);
        let address = attack.facts.address;
        let mut secret = [0; 8];
        let read = File::open(path).and_then(|mut memory| {
            memory.seek(SeekFrom::Start(address))?;
            memory.read_exact(&mut secret)
        });
        match read {
            // In its own namespace, the number may belong to another process, which has no secret.
            Ok(()) if u64::from_ne_bytes(secret) == crate::victim_process::SECRET => {
                attack.succeeded("mem", "its secret")
            }
            Ok(()) => attack.refused("mem", ENOENT),
            Err(error) => attack.refused("mem", Errno::of(&error)),
        }
    })
    .ends(UNSEEN),
    Kind::attack(47, "opens-descriptors", "secrets: the open files of another process", |attack| {
        let path = format!("/proc/{}/fd", attack.facts.victim);
        attack.io("list", fs::read_dir(&path));
        attack.io("stdin", fs::OpenOptions::new().write(true).open(format!("{path}/0")));
    })
    .ends(UNSEEN),
    Kind::attack(47, "lists-processes", "secrets: the list of processes", |attack| {
        let Ok(folder) = fs::read_dir("/proc") else { return attack.refused("processes", Errno::last()) };
        let number = |entry: fs::DirEntry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // The bot itself and the first process of its namespace do not count.
        let others = folder.flatten().filter_map(number).filter(|pid| *pid > 1 && *pid != std::process::id()).count();
        if others == 0 { attack.refused("processes", ESRCH) } else { attack.succeeded("processes", others.to_string()) }
    })
    .ends(UNSEEN),
    Kind::attack(47, "reads-its-ancestors", "secrets: memory and files of the processes that created it", |attack| {
        // The parent and all processes created since: those that bots are copies of, and other bots.
        // SAFETY: no arguments.
        let (parent, own) = unsafe { (libc::getppid().max(1), libc::getpid()) };
        for file in
            ["mem", "environ", "maps", "auxv", "fd", "fd/0", "fd/3", "root", "cwd", "exe", "ns/mnt", "map_files"]
        {
            let mut why = None;
            for process in (parent..own).take(64) {
                match File::open(format!("/proc/{process}/{file}")) {
                    Ok(_) => return attack.succeeded(file, format!("of {process}")),
                    Err(error) => drop(why.get_or_insert(Errno::of(&error))),
                }
            }
            attack.refused(file, why.unwrap_or(ESRCH));
        }
    })
    .ends(UNSEEN),
    Kind::attack(50, "inherited-descriptors", "secrets: inherited open files", |attack| {
        let mut found = 0;
        for descriptor in 3..4096 {
            // SAFETY: numbers alone.
            if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } != -1 {
                found += 1;
                let target = fs::read_link(format!("/proc/self/fd/{descriptor}")).unwrap_or_default();
                attack.succeeded("descriptor", format!("{descriptor} {}", target.display()));
            }
        }
        if found == 0 {
            attack.refused("descriptors", EBADF);
        }
    })
    .ends(&[End::Refused(&[EBADF])]),
    Kind::attack(51, "shared-pipes", "a channel to the opponent: a stream that both share", |attack| {
        for descriptor in 0..3 {
            // SAFETY: a structure of numbers, for which zeroes are lawful.
            let mut about: libc::stat = unsafe { std::mem::zeroed() };
            // SAFETY: the kernel writes one `stat`.
            unsafe { libc::fstat(descriptor, &mut about) };
            attack.unlike(format!("{}:{}", about.st_dev, about.st_ino));
        }
    })
    .scenario(SAME_BOT)
    .ends(&[End::Plays]),
    Kind::attack(45, "watches-a-home", "secrets: which files others use", |attack| {
        let home = c_path(&attack.facts.home());
        let watch = raw(libc::SYS_inotify_init1, [0]);
        if watch == -1 {
            attack.refused("inotify_init1", Errno::last());
        } else {
            attack.by_number(
                "inotify_add_watch",
                libc::SYS_inotify_add_watch,
                [watch, address(home.as_c_str()), 0xfff],
            );
        }
    })
    .ends(OUT_OF_REACH),
    Kind::attack(61, "links-to-secrets", "secrets: links in its own folder that point outside", |attack| {
        let own = attack.facts.own();
        for link in ["shadow", "key", "folder/home/.ssh/id_secret"] {
            let path = own.join(link);
            read(attack, link, &path);
        }
    })
    .ends(OUT_OF_REACH),
    Kind::attack(77, "detects-its-seat", "fairness: differences by which a bot could tell its seat", |attack| {
        let mut seen: Vec<String> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
        seen.sort();
        seen.push(format!("{:?} {:?}", std::env::args().count(), std::env::current_dir()));
        // SAFETY: no arguments.
        seen.push(unsafe { format!("{} {}", libc::getpid(), libc::getppid()) });
        seen.push(fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default());
        for folder in ["/", "/tmp", "/home", "/proc/self/fd"] {
            let mut names: Vec<_> =
                fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
            names.sort();
            seen.push(format!("{folder} {names:?}"));
        }
        attack.alike(format!("{seen:?}"));
    })
    .needs(Isolation::Full)
    .scenario(SAME_BOT)
    .ends(&[End::Plays]),
];

/// Reads a file and reports the result.
fn read(attack: &mut Attack<'_>, what: &str, path: &Path) {
    match fs::read(path) {
        Ok(bytes) => attack.succeeded(what, format!("{} bytes", bytes.len())),
        Err(error) => attack.refused(what, Errno::of(&error)),
    }
}

/// Reads a file in /proc about a process outside. Inside the sandbox, its number may belong to another process, which
/// has no secret.
fn look_at(attack: &mut Attack<'_>, process: i32, file: &str) {
    let what = format!("{file} of {}", if process == attack.facts.victim { "the victim" } else { "the driver" });
    match fs::read(format!("/proc/{process}/{file}")) {
        Ok(bytes) if is_foreign(&bytes, file) => attack.succeeded(&what, format!("{} bytes", bytes.len())),
        Ok(_) => attack.refused(&what, ENOENT),
        Err(error) => attack.refused(&what, Errno::of(&error)),
    }
}

/// Whether the content differs from that of the same file about this process.
fn is_foreign(bytes: &[u8], file: &str) -> bool {
    !bytes.is_empty() && fs::read(format!("/proc/self/{file}")).is_ok_and(|own| own != bytes)
}
