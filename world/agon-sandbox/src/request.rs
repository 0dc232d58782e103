//! A request to start a program, and the script that the helper gets for it.

use crate::{
    Confinement, Refused, Step, open_files, privacy,
    script::{Script, ScriptLimits, ScriptWork},
    system,
};
use agon_spec::Isolation;
use std::{
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

/// A request to start a program in a sandbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartRequest {
    /// The absolute path of the file to execute.
    pub program: PathBuf,
    /// The arguments of the program. The first is its name.
    pub words: Vec<OsString>,
    /// All environment variables of the program.
    pub environment: Vec<(OsString, OsString)>,
    /// The absolute path of the working directory. If the program may not see this folder, it is empty in the sandbox.
    pub dir: PathBuf,
    /// What the program may see and use.
    pub confinement: Confinement,
}

/// Makes the script for the helper. `trial` only sets up the sandbox and executes no program.
///
/// # Errors
/// A path now leads to a file or folder that a bot may not see.
pub(crate) fn script(request: StartRequest, trial: bool) -> Result<Script, Refused> {
    let limits = request.confinement;
    let mut shown = Vec::new();
    let mut links = Vec::new();
    let mut folders = Vec::new();
    let homes = if limits.read.is_empty() { Vec::new() } else { privacy::homes() };
    for path in &limits.read {
        let Ok(real) = path.canonicalize() else { continue };
        // The path may now lead to another place than when it was checked first. From here on it contains no links, and
        // the helper follows none when it opens it.
        privacy::is_open(path, &real, &homes).map_err(|why| Refused::other(Step::Folder, why.what))?;
        let name = plain(path, &mut folders);
        if real != name && !system::is_system(&name) {
            links.push((name, real.clone()));
        }
        if !system::is_system(&real) && !shown.contains(&real) {
            shown.push(real);
        }
    }
    // A folder must come before its contents.
    shown.sort();
    let work = limits.work.as_ref().map(|work| ScriptWork {
        from: work.from.canonicalize().unwrap_or_else(|_| work.from.clone()),
        at: work.at.clone(),
        mib: work.mib,
        keep_mib: 0,
        keep_files: 0,
    });
    let is_free = limits.level == Isolation::None && work.is_none();
    let open_files = if is_free { open_files::of_user() } else { limits.open_files };
    Ok(Script {
        level: limits.level,
        parent: std::process::id(),
        trial,
        program: request.program,
        interpreted: limits.script,
        words: request.words,
        environment: request.environment,
        dir: request.dir,
        shown,
        links,
        folders,
        cgroups: Vec::new(),
        #[cfg(feature = "faults")]
        fault: (0, 0),
        limits: ScriptLimits {
            memory_mib: limits.memory_mib,
            reserved_mib: limits.reserved_mib,
            processes: limits.processes,
            threads: limits.threads,
            open_files,
            file_mib: limits.file_mib,
            scratch_mib: limits.scratch_mib,
        },
        work,
    })
}

/// Removes `..` from a path. The folders before each `..` must exist in the sandbox for the path to work, so they are
/// added to `folders`.
fn plain(path: &Path, folders: &mut Vec<PathBuf>) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            folders.push(plain.clone());
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// The environment variables of a program in a sandbox. They depend only on the confinement.
///
/// They are `PATH`, `HOME`, `LANG` and `TMPDIR`. If memory is limited, they also have the size of the heap for Java and .NET,
/// because these runtimes would otherwise reserve a share of the host's memory. A script may start them, so every program
/// gets these variables.
#[must_use]
pub fn environment(confinement: &Confinement) -> Vec<(OsString, OsString)> {
    let own = confinement.search.iter().map(|folder| folder.as_os_str().to_owned());
    let usual = ["/usr/local/bin", "/usr/bin", "/bin"].map(OsString::from);
    let search = std::env::join_paths(own.chain(usual)).unwrap_or_else(|_| "/usr/bin:/bin".into());
    let (home, scratch) = if confinement.level == Isolation::Full { (system::HOME, "/tmp") } else { ("/", "/") };
    let mut all: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), search),
        ("HOME".into(), home.into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("TMPDIR".into(), scratch.into()),
    ];
    if let Some(mib) = confinement.memory_mib {
        // The rest is for everything outside of the heap: threads, code, the runtime itself. The serial collector needs the
        // least of it. What the virtual machine says about itself belongs on stderr: on stdout it would be an answer.
        let heap = u64::from(mib) / 2;
        let java = format!("-XX:+UseSerialGC -Xmx{heap}m -XX:-UsePerfData -XX:+DisplayVMOutputToStderr");
        all.push(("JDK_JAVA_OPTIONS".into(), java.into()));
        all.push(("DOTNET_GCHeapHardLimit".into(), format!("{:#x}", heap << 20).into()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_now_leads_to_a_closed_folder_is_refused() {
        let link = std::env::temp_dir().join(format!("agon-request-{}", std::process::id()));
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink("/", &link).expect("a link");
        let confinement = Confinement { read: vec![link.clone()], ..Confinement::new(Isolation::Full) };
        let program = PathBuf::from("/bin/true");
        let dir = PathBuf::from("/");
        let request = StartRequest { program, words: Vec::new(), environment: Vec::new(), dir, confinement };
        let refused = script(request, false).expect_err("it leads to everything");
        assert_eq!(refused.step, Step::Folder);
        std::fs::remove_file(&link).expect("it is ours");
    }
}
