//! How many matches at once there is room for: what each of them takes of the open files of this process, and of the processes of
//! its user.

use agon_run::Shortage;
use agon_spec::Isolation;
use rustix::process::{Resource, getrlimit, getuid};
use std::{
    fmt, fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// The open files of a match beside those of its bots: the socket of the fork server of its thread, the locks of its cores, its replay,
/// and the counters that are read during it.
const FILES_OF_MATCH: u64 = 10;
/// The open files of a bot: three pipes, handles of its processes, their counters, and what a look at them opens.
const FILES_OF_BOT: u64 = 8;
/// The open files that are needed beside matches, such as those of builds and stores.
const FILES_BESIDE: u64 = 16;
/// The threads and processes of a match beside those of its bots: its thread, its fork server, and a copy of that.
const TASKS_OF_MATCH: u64 = 3;
/// The threads that are needed beside matches: those that watch the memory of bots, and those of a store.
const TASKS_BESIDE: u64 = 4;

/// How many matches at once there is room for, and what bounds their number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// How many matches fit, at least 1.
    pub matches: NonZeroUsize,
    /// What there is too little of for one more.
    pub shortage: Shortage,
    /// How much of that each match takes.
    pub each: u64,
    /// How much of it is left for matches.
    pub left: u64,
}

impl Room {
    /// Looks for how many matches this process has room now, each between so many bots that are processes, at this level of
    /// isolation. `None` if nothing bounds their number.
    ///
    /// A bot counts as a single thread, because nobody knows how many it starts.
    #[must_use]
    pub fn here(processes: usize, level: Isolation) -> Option<Self> {
        let files = Self::of(Shortage::OpenFiles, files_left(), files(processes));
        let tasks = Self::of(Shortage::Processes, tasks_left(), tasks(processes, level));
        files.into_iter().chain(tasks).min_by_key(|room| room.matches)
    }

    fn of(shortage: Shortage, left: Option<u64>, each: u64) -> Option<Self> {
        let left = left?;
        let matches = usize::try_from(left / each).unwrap_or(usize::MAX);
        Some(Self { matches: NonZeroUsize::new(matches).unwrap_or(NonZeroUsize::MIN), shortage, each, left })
    }
}

/// As a fragment: what each match takes, and what is left.
impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shortage, each, left, .. } = self;
        write!(f, "each takes {each} {shortage}, and {left} are left")
    }
}

/// The open files of a match.
fn files(processes: usize) -> u64 {
    FILES_OF_MATCH + processes as u64 * FILES_OF_BOT
}

/// The threads and processes of a match.
fn tasks(processes: usize, level: Isolation) -> u64 {
    // The bot itself, and those that keep it.
    let of_bot = if level == Isolation::Full { 3 } else { 2 };
    if processes == 0 { 1 } else { TASKS_OF_MATCH + processes as u64 * of_bot }
}

/// How many files this process may still open for matches. `None` if there is no limit.
fn files_left() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile).current?;
    let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count) as u64;
    Some(limit.saturating_sub(open + FILES_BESIDE))
}

/// How many threads and processes may still start for matches. `None` if there is no limit.
#[must_use]
pub fn tasks_left() -> Option<u64> {
    let of_user = if getuid().is_root() { None } else { getrlimit(Resource::Nproc).current };
    let of_user = of_user.map(|limit| limit.saturating_sub(tasks_of(getuid().as_raw())));
    let places = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let of_groups = places.lines().filter_map(|line| left_in_groups(Path::new("/sys/fs/cgroup"), line));
    of_user.into_iter().chain(of_groups).min().map(|left| left.saturating_sub(TASKS_BESIDE))
}

/// The number of threads of a user's processes, as far as this process sees them.
fn tasks_of(user: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_process = |name: &std::ffi::OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let texts = processes
        .filter(|entry| is_process(&entry.file_name()))
        .filter_map(|entry| fs::read_to_string(entry.path().join("status")).ok());
    texts.map(|text| threads_of(&text, user)).sum()
}

/// The number of threads of a process from its `status`. 0 if it is another user's.
fn threads_of(status: &str, user: u32) -> u64 {
    let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
    match value("Uid:").and_then(|id| id.parse::<u32>().ok()) {
        Some(id) if id == user => value("Threads:").and_then(|count| count.parse().ok()).unwrap_or(1),
        _ => 0,
    }
}

/// How many tasks may still start in a control group of this process and in all around it. `line` is one of `/proc/self/cgroup`.
/// `None` if that has no limit of tasks.
fn left_in_groups(top: &Path, line: &str) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (names, path) = (parts.next()?, parts.next()?);
    let top = match names {
        "" if top.join("unified").is_dir() => top.join("unified"),
        "" => top.to_owned(),
        names if names.split(',').any(|name| name == "pids") => top.join(names),
        _ => return None,
    };
    let group = top.join(path.trim_start_matches('/'));
    let groups = group.ancestors().take_while(|group| group.starts_with(&top));
    let left = |group: &Path| {
        let number = |file: &str| fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
        Some(number("pids.max")?.saturating_sub(number("pids.current")?))
    };
    groups.map(PathBuf::from).filter_map(|group| left(&group)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_scarcer_bounds_the_number_of_matches() {
        let matches = |left, each| Room::of(Shortage::OpenFiles, left, each).map(|room| room.matches.get());
        assert_eq!([matches(Some(100), 30), matches(Some(20), 30), matches(Some(0), 30)], [Some(3), Some(1), Some(1)]);
        assert_eq!(matches(None, 30), None);
        for level in [Isolation::None, Isolation::Restricted, Isolation::Full] {
            assert!(tasks(2, level) > tasks(1, level) && tasks(1, level) > tasks(0, level), "{level:?}");
        }
        assert!(files(3) > files(2) && files(1) > files(0));
    }

    #[test]
    fn threads_are_those_of_one_user() {
        let status = "Name:\tx\nUid:\t1000\t0\t0\t0\nThreads:\t7\n";
        assert_eq!((threads_of(status, 1000), threads_of(status, 0), threads_of("", 0)), (7, 0, 0));
        assert!(tasks_of(getuid().as_raw()) >= 1);
    }

    #[test]
    fn the_narrowest_of_all_groups_counts() {
        let top = std::env::temp_dir().join(format!("agon-room-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        let group = |path: &str, max: &str, current: u32| {
            let folder = top.join(path);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("pids.max"), format!("{max}\n")).expect("a file");
            fs::write(folder.join("pids.current"), format!("{current}\n")).expect("a file");
        };
        group("user.slice/bots", "max", 9);
        group("user.slice", "50", 20);
        group("pids/docker/x", "100", 96);
        for (line, left) in [
            ("0::/user.slice/bots", Some(30)),
            ("0::/user.slice", Some(30)),
            ("0::/", None),
            ("8:pids:/docker/x", Some(4)),
            ("8:pids:/docker", None),
            ("4:memory:/docker/x", None),
            ("nonsense", None),
        ] {
            assert_eq!(left_in_groups(&top, line), left, "{line}");
        }
        let _ = fs::remove_dir_all(&top);
    }
}
