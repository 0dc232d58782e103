//! The cores of this machine, which the matches of one user share. A match that is pinned to cores claims them, so
//! that no other pinned match uses them and disturbs its clocks.
//!
//! A claim is a lock on a file. The system releases the lock when its owner ends, however it ends.

use crate::{Part, TermsError};
use agon_core::Flaw;
use agon_run::{PhysicalCore, cores, physical_cores};
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock},
    process::geteuid,
};
use std::{
    env,
    fs::{self, DirBuilder, File},
    io,
    num::NonZeroUsize,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    str::FromStr,
};

/// The cores on which a match and its bots run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CorePlacement {
    /// The system chooses the cores. Bots that are processes are asked one after the other.
    Anywhere,
    /// Cores that no other match of this user has claimed. Each bot has its own if there are enough. Else the bots share
    /// one and are asked one after the other. If none is left, the system chooses.
    #[default]
    Auto,
    /// Like [`Auto`](Self::Auto), but bots share a core unless they need more. This suits many matches at once.
    Dense,
    /// The cores with these numbers. Each bot has its own if there are enough.
    These(Vec<usize>),
}

impl FromStr for CorePlacement {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "off" => return Ok(Self::Anywhere),
            "auto" => return Ok(Self::Auto),
            _ => {}
        }
        let numbers: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse()).collect();
        let mut numbers = numbers.map_err(|_| "write `auto`, `off`, or the numbers of cores separated by commas")?;
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self::These(numbers))
    }
}

/// The cores that all matches of this user share, in this process and in others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorePool {
    folder: PathBuf,
    known: Vec<usize>,
}

/// A claim of cores for one match. It ends when this value is dropped or its process ends.
#[derive(Debug)]
#[must_use = "the cores are free again when this is dropped"]
pub struct CoreClaim {
    cores: Vec<usize>,
    /// The locks of these cores. A core that the user asked for by number may have none.
    _locks: Vec<File>,
}

impl CorePool {
    /// Opens the pool of the cores on which this thread may run. The claims of this user are in the folder
    /// `agon/cores` of `XDG_RUNTIME_DIR`, or else in a private folder of this user in the temporary folder.
    ///
    /// # Errors
    /// If the folder cannot be created, or other users have access to it.
    pub fn of_user() -> io::Result<Self> {
        let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let runtime = runtime.filter(|path| path.is_absolute() && is_ours_alone(path).unwrap_or(false));
        let base = runtime
            .map_or_else(|| env::temp_dir().join(format!("agon-{}", geteuid().as_raw())), |path| path.join("agon"));
        private_folder(&base)?;
        Self::at(&base.join("cores"), cores())
    }

    /// Opens a pool of these cores, with the claims in `folder`. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be created, or other users have access to it.
    pub fn at(folder: &Path, known: Vec<usize>) -> io::Result<Self> {
        private_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), known })
    }

    /// Claims `count` free cores. Prefers the last ones, because the first ones serve most interrupts. Returns `None`
    /// if fewer cores are free.
    ///
    /// # Errors
    /// If the locks cannot be used.
    pub fn claim(&self, count: usize) -> io::Result<Option<CoreClaim>> {
        let (mut cores, mut locks) = (Vec::new(), Vec::new());
        for core in self.known.iter().rev() {
            if cores.len() == count {
                break;
            }
            if let Some(lock) = self.lock(*core)? {
                cores.push(*core);
                locks.push(lock);
            }
        }
        cores.sort_unstable();
        Ok((cores.len() == count).then_some(CoreClaim { cores, _locks: locks }))
    }

    /// Returns these cores even if other matches have claimed some of them. Claims those that are still free.
    ///
    /// # Errors
    /// If the locks cannot be used.
    pub fn claim_these(&self, cores: &[usize]) -> io::Result<CoreClaim> {
        let locks: io::Result<Vec<Option<File>>> = cores.iter().map(|core| self.lock(*core)).collect();
        Ok(CoreClaim { cores: cores.to_vec(), _locks: locks?.into_iter().flatten().collect() })
    }

    /// Takes the lock of a core. Returns `None` if another claim has it.
    fn lock(&self, core: usize) -> io::Result<Option<File>> {
        // `CLOEXEC`: no started program inherits the lock.
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::open(self.folder.join(core.to_string()), flags, Mode::RUSR | Mode::WUSR)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file.into())),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }
}

impl CoreClaim {
    /// Returns the numbers of the cores, in ascending order.
    #[must_use]
    pub fn cores(&self) -> &[usize] {
        &self.cores
    }
}

impl CorePlacement {
    /// Chooses the cores of a match in which `bots` processes play. Each of them gets `each` cores, or one if that is `None`
    /// and there is one. Bots that `ponder` must have cores of their own.
    ///
    /// # Errors
    /// If this program may not run on one of the cores, or if there are fewer than asked for. Locks that cannot be used are
    /// not an error: a single match does not need them.
    pub fn place(&self, bots: usize, each: Option<u32>, ponder: bool) -> Result<Placed, TermsError> {
        if bots == 0 && !matches!(self, Self::These(_)) {
            // Looking at the cores takes longer than a short match of built-in bots.
            return Ok(Placed { apart: true, ..Placed::default() });
        }
        let known = self.known().map_err(|flaw| Part::Cores.wrong(flaw))?;
        let count = each.unwrap_or(1).max(1) as usize;
        let wanted = if ponder { count * bots } else { count };
        if (each.is_some() || ponder) && bots > 0 && known.len() < wanted {
            let part = if ponder { Part::Ponder } else { Part::CoresOfBot };
            return Err(part.wrong(too_few(&known, wanted, ponder)));
        }
        if bots == 0 {
            return Ok(Placed { apart: true, ..Placed::default() });
        }
        for (groups, apart) in self.divisions(bots, each.is_some() || ponder) {
            if let Some((cores, claim)) = self.claim(&known, groups * count) {
                let threads = |cores: &[&PhysicalCore]| sorted(cores.iter().flat_map(|core| core.threads.clone()));
                let groups: Vec<_> = cores.chunks(count).map(threads).collect();
                return Ok(Placed {
                    referee: threads(&cores),
                    bots: (0..bots).map(|i| groups[i % groups.len()].clone()).collect(),
                    apart,
                    each: u32::try_from(count).ok(),
                    _claim: claim,
                });
            }
            if ponder {
                let what = format!("{wanted} cores are needed and other matches have claimed them");
                let hint = "bots that ponder need a core each: wait for the other matches";
                return Err(Part::Ponder.wrong(Flaw::new(what).hint(hint)));
            }
        }
        Ok(Placed::default())
    }

    /// Returns into how many groups the bots of a match are divided, each with cores of its own, and whether that sets all bots
    /// apart. What is preferred comes first. Bots may have to be `apart`.
    fn divisions(&self, bots: usize, apart: bool) -> impl Iterator<Item = (usize, bool)> {
        let dense = *self == Self::Dense && !apart;
        [(bots, true), (1, bots == 1)].into_iter().skip(usize::from(dense))
    }

    /// Returns how many matches can run at once so that each has the cores that it needs, at least 1. In each match `bots`
    /// processes play, with `each` cores for each of them if that is not `None`. Bots that `ponder` need cores of their own.
    /// Matches without processes need one core each.
    ///
    /// # Errors
    /// If this program may not run on one of the cores.
    pub fn matches_at_once(&self, bots: usize, each: Option<u32>, ponder: bool) -> Result<NonZeroUsize, TermsError> {
        let known = match self {
            Self::Anywhere => physical_cores().len(),
            _ => self.known().map_err(|flaw| Part::Cores.wrong(flaw))?.len(),
        };
        let apart = ponder || each.is_some();
        let wanted = each.unwrap_or(1).max(1) as usize * if apart { bots.max(1) } else { 1 };
        Ok(NonZeroUsize::new(known / wanted).unwrap_or(NonZeroUsize::MIN))
    }

    /// Returns the placement of each of `count` matches at once, so that they share no core of a list. Cores that Agon
    /// chooses need no division, because matches claim them.
    #[must_use]
    pub fn divided(&self, count: NonZeroUsize) -> Vec<Self> {
        match self {
            Self::These(cores) => {
                // If there are more matches than cores, some share one.
                let own = |match_: usize| cores.iter().skip(match_ % cores.len().max(1)).step_by(count.get()).copied();
                (0..count.get()).map(|match_| Self::These(own(match_).collect())).collect()
            }
            _ => vec![self.clone(); count.get()],
        }
    }

    /// The cores to choose from.
    fn known(&self) -> Result<Vec<PhysicalCore>, Flaw> {
        match self {
            Self::Anywhere => Ok(Vec::new()),
            Self::Auto | Self::Dense => Ok(physical_cores()),
            Self::These(wanted) => {
                let known = cores();
                if let Some(core) = wanted.iter().find(|core| !known.contains(core)) {
                    let hint = if known.is_empty() {
                        "this system cannot pin a match to cores; use `off`".to_owned()
                    } else {
                        format!("it may run on: {}", crate::game::joined(known.iter().map(usize::to_string)))
                    };
                    return Err(Flaw::new(format!("this program may not run on core {core}")).hint(hint));
                }
                let mut these = physical_cores();
                // A list says more than a quota does.
                these.extend(
                    wanted
                        .iter()
                        .filter(|core| !these.iter().any(|known| known.threads.contains(core)))
                        .map(|core| PhysicalCore { number: *core, threads: vec![*core] })
                        .collect::<Vec<_>>(),
                );
                for core in &mut these {
                    core.threads.retain(|thread| wanted.contains(thread));
                }
                these.retain(|core| !core.threads.is_empty());
                Ok(these)
            }
        }
    }

    /// Claims `count` of these cores. The claim is missing if locks cannot be used. `None` if there are not enough cores.
    fn claim<'a>(&self, known: &'a [PhysicalCore], count: usize) -> Option<Claimed<'a>> {
        if known.len() < count {
            return None;
        }
        let numbers = known.iter().map(|core| core.number).collect();
        let pool = CorePool::of_user().map(|pool| CorePool { known: numbers, ..pool });
        let by_number = |claim: &CoreClaim| -> Vec<&'a PhysicalCore> {
            known.iter().filter(|core| claim.cores.contains(&core.number)).collect()
        };
        let last: Vec<&PhysicalCore> = known[known.len() - count..].iter().collect();
        match self {
            Self::Anywhere => None,
            Self::Auto | Self::Dense => match pool.and_then(|pool| pool.claim(count)) {
                Ok(Some(claim)) => Some((by_number(&claim), Some(claim))),
                Ok(None) => None,
                Err(_) => Some((last, None)),
            },
            Self::These(_) => {
                let numbers: Vec<usize> = last.iter().map(|core| core.number).collect();
                let claim = pool.and_then(|pool| pool.claim_these(&numbers)).ok();
                Some((last, claim))
            }
        }
    }
}

/// Cores and the claim to them.
type Claimed<'a> = (Vec<&'a PhysicalCore>, Option<CoreClaim>);

fn sorted(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

fn too_few(known: &[PhysicalCore], wanted: usize, ponder: bool) -> Flaw {
    let there = match known.len() {
        0 => "no core can be given to it".to_owned(),
        1 => "there is 1".to_owned(),
        many => format!("there are {many}"),
    };
    let what = if ponder {
        format!("bots that ponder need cores of their own, {wanted} together; {there}")
    } else {
        format!("not enough cores for {wanted} a bot; {there}")
    };
    let flaw = Flaw::new(what);
    if ponder { flaw.hint("without `--ponder` bots that share a core are asked one after the other") } else { flaw }
}

/// The cores of a match and of its bots. They are claimed until this is dropped.
#[derive(Debug, Default)]
#[must_use = "the cores are free again when this is dropped"]
pub struct Placed {
    /// The numbers of the cores of the referee's thread. If there are none, the system chooses.
    pub referee: Vec<usize>,
    /// The numbers of the cores of each bot that is a process, in the order of their seats. If there are none, the system
    /// chooses.
    pub bots: Vec<Vec<usize>>,
    /// Whether each of these bots has cores of its own, so that they may compute at the same time.
    pub apart: bool,
    /// The number of cores of each bot. `None` if the match is not kept on any.
    pub each: Option<u32>,
    _claim: Option<CoreClaim>,
}

/// Creates a folder to which only this user has access, or checks that an existing one is so.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => return Err(why),
        _ => {}
    }
    if is_ours_alone(path)? {
        return Ok(());
    }
    let what = format!("`{}` must be a folder that only this user owns and can access", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
}

fn is_ours_alone(path: &Path) -> io::Result<bool> {
    let about = fs::symlink_metadata(path)?;
    Ok(about.is_dir() && about.uid() == geteuid().as_raw() && about.mode() & 0o077 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};

    fn pool(name: &str, known: &[usize]) -> CorePool {
        let folder = env::temp_dir().join(format!("agon-cores-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        CorePool::at(&folder, known.to_vec()).expect("a folder of our own")
    }

    #[test]
    fn the_grammar_of_placements() {
        use CorePlacement::{Anywhere, Auto, These};
        for (text, placement) in [("off", Anywhere), ("auto", Auto), ("3,1, 3", These(vec![1, 3]))] {
            assert_eq!(text.parse(), Ok(placement));
        }
        for bad in ["", "1,,2", "-1", "all", "1;2", "99999999999999999999999"] {
            assert!(bad.parse::<CorePlacement>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_core_is_claimed_once_until_its_claim_ends() {
        let pool = pool("once", &[0, 1, 2, 5]);
        let first = pool.claim(1).expect("locks work").expect("all are free");
        assert_eq!(first.cores(), [5]);
        let second = pool.claim(2).expect("locks work").expect("three are free");
        assert_eq!(second.cores(), [1, 2]);
        assert!(pool.claim(2).expect("locks work").is_none(), "one is left");
        let last = pool.claim(1).expect("locks work").expect("what could not be used is free again");
        assert_eq!(last.cores(), [0]);
        drop(first);
        assert_eq!(pool.claim_these(&[1, 5]).expect("locks work").cores(), [1, 5]);
        assert_eq!(pool.claim(1).expect("locks work").map(|claim| claim.cores().to_vec()), Some(vec![5]));
        let _ = fs::remove_dir_all(&pool.folder);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn bots_get_a_core_each_or_share_one() {
        let core = *cores().first().expect("Linux tells its cores");
        let one = CorePlacement::These(vec![core]);
        let alone = one.place(1, None, true).expect("one core is enough for one bot");
        assert_eq!((alone.bots, alone.apart, alone.each), (vec![vec![core]], true, Some(1)));
        let shared = one.place(3, None, false).expect("bots may share a core");
        assert_eq!((shared.bots, shared.apart), (vec![vec![core]; 3], false));
        assert_eq!((shared.referee, shared.each), (vec![core], Some(1)));
        let anywhere = CorePlacement::Anywhere.place(2, None, false).expect("the system chooses");
        assert!(anywhere.bots.is_empty() && !anywhere.apart && anywhere.each.is_none());
        let builtin = one.place(0, Some(4000), true).expect("built-in bots need no cores");
        assert!(builtin.apart && builtin.referee.is_empty());
        if let [first, .., last] = &physical_cores()[..] {
            let (first, last) = (first.threads[0], last.threads[0]);
            let two = CorePlacement::These(vec![first, last]).place(2, None, true).expect("a core for each");
            assert_eq!((two.bots, two.apart), (vec![vec![first], vec![last]], true));
        }
    }

    #[test]
    fn matches_at_once_divide_the_cores() {
        use CorePlacement::{Auto, Dense, These};
        let first = |placement: CorePlacement, apart| placement.divisions(2, apart).next();
        assert_eq!((first(Auto, false), first(Dense, false)), (Some((2, true)), Some((1, false))));
        assert_eq!((first(Auto, true), first(Dense, true)), (Some((2, true)), Some((2, true))));
        let divided =
            |cores: &[usize], count| These(cores.to_vec()).divided(NonZeroUsize::new(count).expect("not zero"));
        assert_eq!(divided(&[0, 1, 2], 1), [These(vec![0, 1, 2])]);
        assert_eq!(divided(&[0, 1, 2], 2), [These(vec![0, 2]), These(vec![1])]);
        assert_eq!(divided(&[4, 5], 3), [These(vec![4]), These(vec![5]), These(vec![4])]);
        assert_eq!(Dense.divided(NonZeroUsize::MIN), [Dense]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn as_many_matches_as_there_are_cores_for() {
        let cores: Vec<usize> = physical_cores().iter().map(|core| core.threads[0]).take(2).collect();
        let there = cores.len();
        let at_once = |each, ponder| {
            let placement = CorePlacement::These(cores.clone());
            placement.matches_at_once(2, each, ponder).expect("they are there").get()
        };
        assert_eq!([at_once(None, false), at_once(None, true)], [there, (there / 2).max(1)]);
        assert_eq!([at_once(Some(1), false), at_once(Some(40), false)], [(there / 2).max(1), 1]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn too_few_cores_name_the_option() {
        let core = *cores().first().expect("Linux tells its cores");
        let one = CorePlacement::These(vec![core]);
        let part = |placed: Result<Placed, TermsError>| placed.map(|_| ()).map_err(|error| error.part);
        assert_eq!(part(one.place(2, None, true)), Err(Part::Ponder));
        assert_eq!(part(one.place(2, Some(2), false)), Err(Part::CoresOfBot));
        assert_eq!(part(CorePlacement::Anywhere.place(2, None, true)), Err(Part::Ponder));
        assert_eq!(part(CorePlacement::These(vec![100_000]).place(2, None, false)), Err(Part::Cores));
    }

    #[test]
    fn claims_are_kept_where_nobody_else_writes() {
        let pool = pool("open", &[0]);
        fs::set_permissions(&pool.folder, Permissions::from_mode(0o777)).expect("it is ours");
        assert!(CorePool::at(&pool.folder, vec![0]).is_err());
        let _ = fs::remove_dir_all(&pool.folder);
    }
}
