//! Attacks on what others know: files, environments, command lines, descriptors.

use super::room::c_path;
use crate::{
    Tries,
    errno::{EACCES, EBADF, EIO, ELOOP, ENOENT, ENOTDIR, EPERM, EROFS, ESRCH, Errno},
    kind::{End, Kind, PATIENT, Stage},
    tries::{address, raw},
};
use agon_spec::Isolation;
use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// How a file that is out of reach looks.
pub(crate) const HIDDEN: &[Errno] = &[ENOENT, EACCES, EPERM, EROFS, ENOTDIR, ELOOP];
const OUT_OF_REACH: &[End] = &[End::Refused(HIDDEN)];
/// Processes that are not there, or that must not be looked at.
const UNSEEN: &[End] = &[End::Refused(&[ENOENT, EACCES, EPERM, ESRCH, EIO])];

/// Both seats are the same program, and what they find is compared.
const TWINS: Stage = Stage { both: true, ..PATIENT };

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(45, "reads-a-key", "secrets: a key in the home of whoever runs the match", |tries| {
        let key = tries.facts.key();
        read(tries, "key", &key);
    })
    .brief()
    .ends(OUT_OF_REACH),
    Kind::tries(45, "reads-system-secrets", "secrets: passwords and settings of the system", |tries| {
        for path in ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/machine-id", "/root", "/var/log", "/boot"] {
            let path = Path::new(path);
            let name = path.display().to_string();
            if path.is_dir() {
                tries.io(&name, fs::read_dir(path));
            } else {
                read(tries, &name, path);
            }
        }
    })
    .brief()
    .ends(OUT_OF_REACH),
    Kind::tries(45, "climbs-out", "secrets: `..` from its own folder, and the root of its own process", |tries| {
        let key = tries.facts.key();
        read(tries, "dot dot", Path::new("../home/.ssh/id_secret"));
        let inner = key.strip_prefix("/").unwrap_or(&key).to_owned();
        for root in ["/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../../../../..", "/proc/thread-self/root"]
        {
            read(tries, root, &Path::new(root).join(&inner));
        }
    })
    .brief()
    .ends(&[End::Refused(&[ENOENT, EACCES, EPERM, ENOTDIR, ELOOP, EROFS, ESRCH])]),
    Kind::tries(46, "reads-environment", "secrets: variables of whoever runs the match", |tries| {
        /// What a bot is told, and what one runtime needs for keeping within its memory.
        const TOLD: [&str; 9] = [
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
            .filter(|name| !TOLD.contains(&name.as_str()))
            .collect();
        for name in &foreign {
            tries.succeeded("variable", name);
        }
        if foreign.is_empty() {
            tries.refused("variables", ENOENT);
        }
    })
    .brief()
    .ends(&[End::Refused(&[ENOENT])]),
    Kind::tries(46, "lists-keys", "secrets: which keys whoever runs the match has in the kernel", |tries| {
        for file in ["/proc/keys", "/proc/key-users"] {
            match fs::read(file) {
                Ok(bytes) if bytes.is_empty() => tries.refused(file, ENOENT),
                Ok(bytes) => tries.succeeded(file, format!("{} bytes", bytes.len())),
                Err(error) => tries.refused(file, Errno::of(&error)),
            }
        }
    })
    .brief()
    .ends(OUT_OF_REACH),
    Kind::tries(47, "reads-opponent", "secrets: the folder of another bot", |tries| {
        let folder = tries.facts.opponent();
        tries.io("list", fs::read_dir(&folder));
        read(tries, "read", &folder.join("bot.py"));
        tries.io("write", fs::OpenOptions::new().append(true).open(folder.join("bot.py")));
        tries.io("create", File::create(folder.join("planted")));
        tries.io("remove", fs::remove_file(folder.join("bot.py")));
    })
    .brief()
    .ends(OUT_OF_REACH),
    Kind::tries(47, "reads-environ", "secrets: the environment of another process", |tries| {
        look_at(tries, tries.facts.canary, "environ");
        look_at(tries, tries.facts.driver, "environ");
    })
    .brief()
    .ends(UNSEEN),
    Kind::tries(47, "reads-cmdline", "secrets: the command line of another process", |tries| {
        look_at(tries, tries.facts.canary, "cmdline");
        look_at(tries, tries.facts.driver, "cmdline");
    })
    .brief()
    .ends(UNSEEN),
    Kind::tries(47, "reads-memory-file", "secrets: the memory of another process as a file", |tries| {
        let path = format!("/proc/{}/mem", tries.facts.canary);
        let address = tries.facts.address;
        let mut secret = [0; 8];
        let read = File::open(path).and_then(|mut memory| {
            memory.seek(SeekFrom::Start(address))?;
            memory.read_exact(&mut secret)
        });
        match read {
            // Within a namespace of its own the number may be another process's, which has no secret.
            Ok(()) if u64::from_ne_bytes(secret) == crate::canary::SECRET => tries.succeeded("mem", "its secret"),
            Ok(()) => tries.refused("mem", ENOENT),
            Err(error) => tries.refused("mem", Errno::of(&error)),
        }
    })
    .brief()
    .ends(UNSEEN),
    Kind::tries(47, "opens-descriptors", "secrets: the open files of another process", |tries| {
        let path = format!("/proc/{}/fd", tries.facts.canary);
        tries.io("list", fs::read_dir(&path));
        tries.io("stdin", fs::OpenOptions::new().write(true).open(format!("{path}/0")));
    })
    .brief()
    .ends(UNSEEN),
    Kind::tries(47, "lists-processes", "secrets: who else is there", |tries| {
        let Ok(folder) = fs::read_dir("/proc") else { return tries.refused("processes", Errno::last()) };
        let number = |entry: fs::DirEntry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // Itself, and at most one that reaps.
        let others = folder.flatten().filter_map(number).filter(|pid| *pid > 1 && *pid != std::process::id()).count();
        if others == 0 { tries.refused("processes", ESRCH) } else { tries.succeeded("processes", others.to_string()) }
    })
    .brief()
    .ends(UNSEEN),
    Kind::tries(47, "reads-its-makers", "secrets: what the processes have that have made it one", |tries| {
        // The referee, or whoever reaps, and all that were made since: what bots are copies of, and other bots.
        // SAFETY: no arguments.
        let (parent, own) = unsafe { (libc::getppid().max(1), libc::getpid()) };
        for file in
            ["mem", "environ", "maps", "auxv", "fd", "fd/0", "fd/3", "root", "cwd", "exe", "ns/mnt", "map_files"]
        {
            let mut why = None;
            for process in (parent..own).take(64) {
                match File::open(format!("/proc/{process}/{file}")) {
                    Ok(_) => return tries.succeeded(file, format!("of {process}")),
                    Err(error) => drop(why.get_or_insert(Errno::of(&error))),
                }
            }
            tries.refused(file, why.unwrap_or(ESRCH));
        }
    })
    .brief()
    .ends(UNSEEN),
    Kind::tries(50, "inherited-descriptors", "secrets: open files that somebody forgot to close", |tries| {
        let mut found = 0;
        for descriptor in 3..4096 {
            // SAFETY: numbers alone.
            if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } != -1 {
                found += 1;
                let target = fs::read_link(format!("/proc/self/fd/{descriptor}")).unwrap_or_default();
                tries.succeeded("descriptor", format!("{descriptor} {}", target.display()));
            }
        }
        if found == 0 {
            tries.refused("descriptors", EBADF);
        }
    })
    .brief()
    .ends(&[End::Refused(&[EBADF])]),
    Kind::tries(51, "shared-pipes", "a channel to the opponent: a stream that both have", |tries| {
        for descriptor in 0..3 {
            // SAFETY: a structure of numbers, for which zeroes are lawful.
            let mut about: libc::stat = unsafe { std::mem::zeroed() };
            // SAFETY: the kernel writes one `stat`.
            unsafe { libc::fstat(descriptor, &mut about) };
            tries.unlike(format!("{}:{}", about.st_dev, about.st_ino));
        }
    })
    .on(TWINS)
    .ends(&[End::Plays]),
    Kind::tries(45, "watches-a-home", "secrets: the names of files as others use them", |tries| {
        let home = c_path(&tries.facts.home());
        let watch = raw(libc::SYS_inotify_init1, [0]);
        if watch == -1 {
            tries.refused("inotify_init1", Errno::last());
        } else {
            tries.by_number("inotify_add_watch", libc::SYS_inotify_add_watch, [watch, address(home.as_c_str()), 0xfff]);
        }
    })
    .ends(OUT_OF_REACH),
    Kind::tries(61, "links-to-secrets", "secrets: links in its own folder that point outside", |tries| {
        let own = tries.facts.own();
        for link in ["shadow", "key", "folder/home/.ssh/id_secret"] {
            let path = own.join(link);
            read(tries, link, &path);
        }
    })
    .brief()
    .ends(OUT_OF_REACH),
    Kind::tries(
        77,
        "knows-its-seat",
        "fairness: what tells a bot in which seat it is, or whose match it is",
        |tries| {
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
            tries.alike(format!("{seen:?}"));
        },
    )
    .needs(Isolation::Full)
    .on(TWINS)
    .ends(&[End::Plays]),
];

/// Reads a file and tells what came of it.
fn read(tries: &mut Tries<'_>, what: &str, path: &Path) {
    match fs::read(path) {
        Ok(bytes) => tries.succeeded(what, format!("{} bytes", bytes.len())),
        Err(error) => tries.refused(what, Errno::of(&error)),
    }
}

/// Reads a file about a process outside. Its number may be another process's inside, which has nothing to hide.
fn look_at(tries: &mut Tries<'_>, process: i32, file: &str) {
    let what =
        format!("{file} of {}", if process == tries.facts.canary { "a stranger" } else { "the referee's starter" });
    match fs::read(format!("/proc/{process}/{file}")) {
        Ok(bytes) if is_foreign(&bytes, file) => tries.succeeded(&what, format!("{} bytes", bytes.len())),
        Ok(_) => tries.refused(&what, ENOENT),
        Err(error) => tries.refused(&what, Errno::of(&error)),
    }
}

/// Whether this is not what the process itself has.
fn is_foreign(bytes: &[u8], file: &str) -> bool {
    !bytes.is_empty() && fs::read(format!("/proc/self/{file}")).is_ok_and(|own| own != bytes)
}
