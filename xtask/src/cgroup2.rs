//! `cargo xtask cgroup2` boots a kernel of Debian with control groups of version 2 in an emulated machine, and lets Agon show
//! there that it uses them: as root, and as an ordinary user who is alone in a delegated group. It needs neither root nor KVM, and
//! takes about six minutes. No test runs it. The peak of a group is read five times a second, so the last moments of a bot that was
//! killed are missing.

mod archive;

use crate::{root, tools};
use archive::Archive;
use std::{
    fs, io,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

/// The tools for it. Only the emulator has to be installed; packages of the machine itself are unpacked into a folder.
const TOOLS: &[tools::Tool] = &[
    tools::Tool { program: "qemu-system-x86_64", package: "qemu-system-x86" },
    tools::Tool { program: "apt-get", package: "apt" },
    tools::Tool { program: "dpkg-deb", package: "dpkg" },
    tools::Tool { program: "ldd", package: "libc-bin" },
    tools::Tool { program: "timeout", package: "coreutils" },
];
/// The package that depends on the newest kernel.
const KERNEL: &str = "linux-image-cloud-amd64";
/// The package with the commands of the machine.
const COMMANDS: &str = "busybox-static";
/// The first process of the machine.
const INIT: &str = include_str!("cgroup2/init.sh");
/// The users of the machine.
const USERS: &str = "root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n";
/// After this time the machine is switched off.
const TIMEOUT: &str = "1800";

/// Runs the task.
pub fn run() -> ExitCode {
    let missing = tools::missing(TOOLS);
    if !missing.is_empty() {
        eprintln!("error: not installed: {}", missing.join(", "));
        return ExitCode::FAILURE;
    }
    match build().and_then(|(kernel, disk)| boot(&kernel, &disk)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the machine: a kernel, and the files of its first root.
fn build() -> io::Result<(PathBuf, PathBuf)> {
    let build = Command::new("cargo")
        .args([
            "build",
            "--package",
            "agon",
            "--package",
            "agon-hostile",
            "--message-format",
            "json-render-diagnostics",
        ])
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()?;
    if !build.status.success() {
        return Err(io::Error::other("agon cannot be built"));
    }
    let programs: Vec<PathBuf> = ["agon", "agon-selftest"]
        .map(|name| executable(&String::from_utf8_lossy(&build.stdout), name))
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| io::Error::other("cargo does not say where agon is"))?;
    let folder = programs[0].with_file_name("cgroup2");
    fs::create_dir_all(&folder)?;

    let depends = text_of(Command::new("apt-cache").args(["depends", KERNEL]))?;
    let image = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: linux-image-"));
    let image = image.ok_or_else(|| io::Error::other(format!("apt knows no `{KERNEL}`; `apt-get update` may help")))?;
    let kernel = unpack(&folder, &format!("linux-image-{image}"))?.join("boot").join(format!("vmlinuz-{image}"));
    let commands = unpack(&folder, COMMANDS)?.join("bin/busybox");

    let mut archive = Archive::default();
    for name in ["bin", "dev", "etc"] {
        archive.folder(name);
    }
    archive.file("init", 0o755, INIT.as_bytes());
    archive.file("etc/passwd", 0o644, USERS.as_bytes());
    archive.file("bin/busybox", 0o755, &fs::read(commands)?);
    let mut libraries = Vec::new();
    for program in &programs {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        archive.file(&format!("bin/{name}"), 0o755, &fs::read(program)?);
        let listed = text_of(Command::new("ldd").arg(program))?;
        let paths = listed.split_whitespace().filter(|word| word.starts_with('/')).map(str::to_owned);
        libraries.extend(paths);
    }
    libraries.sort();
    libraries.dedup();
    for library in libraries {
        archive.folders_of(&library[1..]);
        archive.file(&library[1..], 0o755, &fs::read(&library)?);
    }
    let disk = folder.join("root.cpio");
    fs::write(&disk, archive.end())?;
    Ok((kernel, disk))
}

/// Boots the machine and prints what it prints. Returns whether everything there was as expected.
fn boot(kernel: &Path, disk: &Path) -> io::Result<bool> {
    let mut machine = Command::new("timeout")
        .args([TIMEOUT, "qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "2", "-m", "2048"])
        .arg("-kernel")
        .arg(kernel)
        .arg("-initrd")
        .arg(disk)
        .args(["-append", "console=ttyS0 quiet panic=-1", "-display", "none", "-serial", "stdio", "-monitor", "none"])
        .args(["-no-reboot", "-nic", "none"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut passed = false;
    for line in BufReader::new(machine.stdout.take().expect("stdout is piped")).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        println!("{line}");
        passed |= line.ends_with(" passed, 0 failed");
    }
    machine.wait()?;
    Ok(passed)
}

/// Returns the path of a program from the messages of cargo.
fn executable(messages: &str, name: &str) -> Option<PathBuf> {
    let end = format!("/{name}\"");
    let paths = messages.lines().filter_map(|line| line.split_once("\"executable\":\"")?.1.split_once(','));
    paths.map(|(path, _)| path).find(|path| path.ends_with(&end)).map(|path| path.trim_end_matches('"').into())
}

/// Downloads a package and unpacks it, if that has not been done. Returns the folder with its files.
fn unpack(folder: &Path, package: &str) -> io::Result<PathBuf> {
    let unpacked = folder.join(package);
    if !unpacked.is_dir() {
        text_of(Command::new("apt-get").args(["download", "-qq", package]).current_dir(folder))?;
        let begin = format!("{package}_");
        let is_package =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin));
        let archive = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).find(is_package);
        let archive = archive.ok_or_else(|| io::Error::other(format!("`{package}` was not downloaded")))?;
        text_of(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(&unpacked))?;
        fs::remove_file(archive)?;
    }
    Ok(unpacked)
}

/// Runs a command that must succeed, and returns what it prints.
fn text_of(command: &mut Command) -> io::Result<String> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{}: {}", command.get_program().display(), output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_the_messages_of_cargo() {
        let messages = "{\"reason\":\"x\",\"executable\":null}\n\
                        {\"filenames\":[\"/t/agon-other\"],\"executable\":\"/t/agon-other\",\"fresh\":true}\n\
                        {\"filenames\":[\"/t/agon\"],\"executable\":\"/t/agon\",\"fresh\":true}\n";
        assert_eq!(executable(messages, "agon"), Some("/t/agon".into()));
        assert_eq!(executable(messages, "agon-selftest"), None);
    }
}
