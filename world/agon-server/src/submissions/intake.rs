//! The intake: what was sent is unpacked and looked into by a process of its own, in a sandbox. The server never does.
//!
//! The process is this program, started with the argument [`INTAKE`]. It works on a copy of the upload in a folder of its own,
//! sees the system and its own program and nothing else, and leaves the files of the bot with a [description](super::taken).

use super::{
    step::{LOG, StepReport},
    taken::{DESCRIPTION, Description, FileDescription, MOST_PRINTS, PRINTS, Taken},
    upload::UploadForm,
};
use agon_build::intake::{Kind, Limits, Packing, SourceTree, Submission};
use agon_bundle::{BundleReader, Limits as BundleLimits};
use agon_contest::{copies::Fingerprints, submission::StepEnd};
use agon_core::{
    Flaw,
    text::{clean, counted},
};
use agon_play::Cancel;
use agon_sandbox::{Confinement, Job, JobExit, Work, environment};
use agon_spec::Isolation;
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

/// The first argument of the process that takes an upload in. It is not a command, and no help text mentions it.
const INTAKE: &str = "submission-intake";
/// The exit code of an intake that refuses what was sent.
const REFUSED: i32 = 3;
/// How long an intake may take. Its limits bound what it does, so that only a busy machine needs as long.
const WALL: Duration = Duration::from_secs(120);
/// The memory of the process and the room for its files, in MiB: the upload, what is unpacked of a bundle, and the bot.
const MEMORY_MIB: u32 = 512;
const ROOM_MIB: u32 = 768;
/// The folder in the sandbox.
const PLACE: &str = "/agon-intake";
/// A source that is larger is none that somebody has written, in bytes.
const LARGEST_SOURCE: u64 = 512 << 10;
/// Folders of packages of others.
const PACKAGES: &[&str] = &["node_modules", "site-packages", "vendor", "third_party"];

/// Returns the name of the file with an upload, in the folder of the intake.
pub(super) fn file_name(title: &str, form: UploadForm) -> String {
    format!("{title}.{}", form.name())
}

/// Takes in the upload that is the only file in `from`, and puts what it takes into the new folder `into`.
pub(super) fn run(program: &Path, level: Isolation, from: &Path, into: &Path, cancel: &Cancel) -> StepReport {
    let confinement = Confinement {
        read: vec![program.to_owned()],
        memory_mib: Some(MEMORY_MIB),
        file_mib: 256,
        work: Some(Work { from: from.to_owned(), at: PLACE.into(), mib: ROOM_MIB }),
        ..Confinement::new(level)
    };
    let job = Job {
        words: vec![program.as_os_str().to_owned(), INTAKE.into()],
        environment: environment(&confinement),
        confinement,
        wall: WALL,
        log_bytes: LOG,
        keep_mib: ROOM_MIB,
        keep_files: super::upload::FILES_LIMIT as u32 + 2,
    };
    let end = match job.run(into, &|| cancel.is_killed(), &mut |_| ()) {
        Ok(end) => end,
        Err(why) => return StepReport::host_trouble(format!("the sandbox cannot be set up: {why}")),
    };
    let log: String = String::from_utf8_lossy(&end.log).lines().map(|line| clean(line) + "\n").collect();
    let refused = |why: &str| StepReport::new(StepEnd::Refused(why.to_owned()), log.clone());
    match end.how {
        JobExit::Code(0) => match Taken::read(into) {
            Ok(taken) => StepReport { taken: Some(taken), ..StepReport::new(StepEnd::Passed, log) },
            Err(why) => StepReport::host_trouble(format!("the intake has left nothing to read: {why}")),
        },
        JobExit::Code(REFUSED) => refused(log.lines().next().unwrap_or("it is refused")),
        JobExit::Cancelled => StepReport::new(StepEnd::BrokenOff, log),
        // Its own limits are lower than those of the job, so that this is the disk of the host.
        JobExit::NotKept(why) => StepReport::host_trouble(clean(&why)),
        JobExit::TooMuchMemory => StepReport::host_trouble(format!("the intake needs more than {MEMORY_MIB} MiB")),
        JobExit::TimedOut => StepReport::host_trouble(format!("the intake takes longer than {} s", WALL.as_secs())),
        JobExit::Code(code) => StepReport::host_trouble(format!("the intake ends with the exit code {code}: {log}")),
        JobExit::Signal(signal) => StepReport::host_trouble(format!("the intake was killed by signal {signal}")),
    }
}

/// Runs this process as an intake if it was started for that. In this case the function does not return. Call it early in
/// `main`, behind [`agon_play::helper()`].
pub fn intake_helper() {
    if std::env::args_os().nth(1) == Some(OsString::from(INTAKE)) {
        std::process::exit(match take_here(Path::new(".")) {
            Ok(()) => 0,
            Err(flaw) => {
                let hint = flaw.hint.as_deref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
                // Nobody reads it if it cannot be written.
                let _ = writeln!(io::stderr(), "{}{hint}", flaw.what);
                REFUSED
            }
        });
    }
}

/// Takes in the only file of a folder.
fn take_here(folder: &Path) -> Result<(), Flaw> {
    let failed = |what: &'static str| move |why: io::Error| Flaw::new(format!("cannot {what}: {why}"));
    let only = |folder: &Path| -> io::Result<Option<PathBuf>> {
        let mut entries = fs::read_dir(folder)?;
        let first = entries.next().transpose()?;
        Ok(first.filter(|_| entries.next().is_none()).map(|entry| entry.path()))
    };
    let sent = only(folder).map_err(failed("look for what was sent"))?;
    let sent = sent.ok_or_else(|| Flaw::new("there is not one file to take in"))?;
    let name = sent.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let form = UploadForm::of_file(&name).ok_or_else(|| Flaw::new("this kind of file is not taken"))?;
    let title = name[..name.len() - form.name().len() - 1].to_owned();
    let unpacked = folder.join("unpacked");
    let taken_into = folder.join("taken");
    fs::create_dir(&unpacked).and_then(|()| fs::create_dir(&taken_into)).map_err(failed("make a folder"))?;
    let (path, kind) = match form {
        UploadForm::Bundle => {
            unpack(&sent, &unpacked)?;
            let top = only(&unpacked).map_err(failed("look into the bundle"))?;
            let top = top.ok_or_else(|| {
                Flaw::new("the bundle has not one folder or one file at its top")
                    .hint("`agon submit` makes such a bundle")
            })?;
            let kind = Kind::of(&top).ok_or_else(|| {
                Flaw::new("the bundle has neither a folder nor an archive")
                    .hint("send the folder of the bot, or an archive of it")
            })?;
            (top, kind)
        }
        UploadForm::Zip => (sent.clone(), Kind::Archive(Packing::Zip)),
        UploadForm::Tar => (sent.clone(), Kind::Archive(Packing::Tar)),
        UploadForm::TarGz => (sent.clone(), Kind::Archive(Packing::TarGz)),
        UploadForm::TarZst => (sent.clone(), Kind::Archive(Packing::TarZst)),
        UploadForm::Jar => (sent.clone(), Kind::File),
    };
    let submission = Submission::open(&path, kind)?;
    let mut tree = submission.take(&taken_into, Limits::default())?;
    // Where the bot starts may follow from the name of its folder.
    let bot = tree.called().iter().find(|name| is_plain(name)).cloned().unwrap_or(title);
    tree.move_to(&folder.join("bot-files"))?;
    let prints = prints(&tree);
    describe(&tree, &format!("./{bot}"), &prints, folder)?;
    [&unpacked, &taken_into, &sent]
        .into_iter()
        .try_for_each(|left| agon_sandbox::remove_tree(left))
        .and_then(|()| fs::rename(folder.join("bot-files"), folder.join(&bot)))
        .map_err(failed("put the files in order"))?;
    let (count, bytes) = tree.files().fold((0, 0), |(count, bytes), (_, entry)| (count + 1, bytes + entry.size));
    println!("taken in: {}, {bytes} bytes", counted(count, "file"));
    for (path, entry) in tree.files().take(200) {
        println!("{:>10}  {}", entry.size, clean(path));
    }
    if count > 200 {
        println!("            and {} more", count - 200);
    }
    Ok(())
}

fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let reserved = [DESCRIPTION, PRINTS, "unpacked", "taken", "bot-files"].contains(&name);
    !reserved
        && name.len() <= 64
        && name.chars().all(is_plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && UploadForm::of_file(name).is_none()
}

/// Makes files of a bundle.
fn unpack(path: &Path, into: &Path) -> Result<(), Flaw> {
    let failed = |why: &dyn std::fmt::Display| Flaw::new(format!("the bundle is refused: {why}"));
    // The hash of the whole bundle is known only at its end, and the server has computed it before.
    let mut reader = BundleReader::new(File::open(path).map_err(|why| failed(&why))?, BundleLimits::default());
    while reader.next_entry().map_err(|why| failed(&why))?.is_some() {}
    let (hash, _) = reader.finish();
    let mut stream = File::open(path).map_err(|why| failed(&why))?;
    agon_bundle::unpack(&mut stream, hash, into).map_err(|why| failed(&why))?;
    Ok(())
}

/// Returns the fingerprints of the sources among files, each with its path and its bytes. Packages of others and what is too
/// large to be written by hand do not count. A server is given those of the starter kits in this way.
pub fn source_prints<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Fingerprints {
    let mut all = Vec::new();
    let mut count = 0;
    for (path, bytes) in files {
        if bytes.len() as u64 <= LARGEST_SOURCE && is_own_source(path) && count < MOST_PRINTS {
            let prints = Fingerprints::of(&String::from_utf8_lossy(&bytes));
            count += prints.count();
            all.push(prints);
        }
    }
    Fingerprints::together(all)
}

fn is_own_source(path: &str) -> bool {
    let is_source = agon_languages::TABLE.iter().any(|entry| entry.is_source(path)) || path.ends_with(".h");
    is_source && !path.split('/').any(|part| PACKAGES.contains(&part))
}

/// Returns the fingerprints of an imported bot.
fn prints(tree: &SourceTree) -> Fingerprints {
    let sources = tree.files().filter(|(path, entry)| entry.size <= LARGEST_SOURCE && is_own_source(path));
    source_prints(sources.map(|(path, _)| (path, tree.head(path, LARGEST_SOURCE))))
}

fn describe(tree: &SourceTree, bot: &str, prints: &Fingerprints, folder: &Path) -> Result<(), Flaw> {
    let file = |(path, entry): (&str, &agon_build::intake::Entry)| FileDescription {
        path: path.to_owned(),
        size: i64::try_from(entry.size).unwrap_or(i64::MAX),
        executable: entry.executable,
        hash: entry.sha256,
    };
    let description =
        Description { bot: bot.to_owned(), content: tree.content(), files: tree.files().map(file).collect() };
    let failed = |why: &dyn std::fmt::Display| Flaw::new(format!("the files cannot be described: {why}"));
    let json = serde_json::to_vec(&description).map_err(|why| failed(&why))?;
    fs::write(folder.join(DESCRIPTION), json).map_err(|why| failed(&why))?;
    fs::write(folder.join(PRINTS), prints.to_bytes()).map_err(|why| failed(&why))
}
