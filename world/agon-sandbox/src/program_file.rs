//! What the beginning of a program's file says about what the system needs to execute it.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::unix::{ffi::OsStrExt, fs::FileExt},
    path::{Path, PathBuf},
};

/// How many bytes of the first line the system reads.
const FIRST_LINE: usize = 256;
/// The most headers of parts that are read of a program. Programs have about a dozen.
const MOST_PARTS: u64 = 64;

/// What a file begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Beginning {
    /// `#!` and an interpreter.
    Script(FirstLine),
    /// The header of a program for Linux.
    Elf(Elf),
    /// Something else that is known, in words: it cannot be executed.
    Foreign(&'static str),
    /// Anything else.
    Unknown,
}

/// The first line of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FirstLine {
    /// The file that is executed instead of the script.
    pub interpreter: PathBuf,
    /// Everything behind it, which the interpreter gets as a single argument.
    argument: Vec<u8>,
}

/// The header of a program for Linux.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Elf {
    /// The number of the machine that it is for.
    machine: u16,
    /// The file that loads the program. `None` if the program needs none.
    pub loader: Option<PathBuf>,
}

impl Beginning {
    /// Reads the beginning of a file, which must be a regular one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn of(file: &Path) -> io::Result<Self> {
        let file = File::open(file)?;
        let mut head = [0; FIRST_LINE];
        let length = file.read_at(&mut head, 0)?;
        let head = &head[..length];
        if let Some(line) = head.strip_prefix(b"#!") {
            return Ok(Self::Script(FirstLine::parse(line)));
        }
        if head.starts_with(b"\x7fELF") {
            return Ok(Self::Elf(Elf::read(&file, head)));
        }
        const KNOWN: &[(&[u8], &str)] = &[
            (b"\xef\xbb\xbf#!", "begins with a byte order mark, so that the system does not see its `#!`"),
            (b"MZ", "is a program for Windows"),
            (b"\xcf\xfa\xed\xfe", "is a program for macOS"),
            (b"\xca\xfe\xba\xbe", "is a class of Java or a program for macOS"),
            (b"PK\x03\x04", "is an archive"),
        ];
        let known = KNOWN.iter().find(|(start, _)| head.starts_with(start));
        Ok(known.map_or(Self::Unknown, |(_, what)| Self::Foreign(what)))
    }
}

impl FirstLine {
    /// Takes apart what follows `#!` as the system does.
    fn parse(rest: &[u8]) -> Self {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = &line[line.iter().position(|byte| !is_blank(byte)).unwrap_or(line.len())..];
        let end = line.iter().position(|byte| is_blank(byte) || *byte == 0).unwrap_or(line.len());
        let (interpreter, argument) = line.split_at(end);
        let from = argument.iter().position(|byte| !is_blank(byte)).unwrap_or(argument.len());
        let to = argument.iter().rposition(|byte| !is_blank(byte)).map_or(from, |last| last + 1);
        Self { interpreter: OsStr::from_bytes(interpreter).into(), argument: argument[from..to].to_vec() }
    }

    /// What the system would look for if the line ends in a carriage return, as in files from Windows, and that is in the way.
    /// A few interpreters take it for a blank.
    pub(crate) fn spoilt_by_return(&self) -> Option<String> {
        let name = self.interpreter.file_name().unwrap_or_default().as_bytes();
        let ignores = name.starts_with(b"perl") || name == b"env" && self.argument.starts_with(b"-S");
        let spoilt = match &self.argument[..] {
            [] => self.interpreter.as_os_str().as_bytes().strip_suffix(b"\r")?,
            argument if !ignores => argument.strip_suffix(b"\r")?,
            _ => return None,
        };
        Some(String::from_utf8_lossy(spoilt).into_owned())
    }
}

impl Elf {
    fn read(file: &File, head: &[u8]) -> Self {
        let fields = Fields { is_wide: head.get(4) == Some(&2), is_big: head.get(5) == Some(&2) };
        let machine = fields.number(head, 18, 2).unwrap_or_default();
        Self { machine: machine as u16, loader: fields.loader(file, head) }
    }

    /// The machine that the program is for. `None` if it is for this one.
    pub(crate) fn other_machine(&self) -> Option<String> {
        let here = match std::env::consts::ARCH {
            "x86" => 3,
            "powerpc64" => 21,
            "s390x" => 22,
            "arm" => 40,
            "x86_64" => 62,
            "aarch64" => 183,
            "riscv64" => 243,
            "loongarch64" => 258,
            _ => return None,
        };
        let name = match self.machine {
            machine if machine == here => return None,
            3 => "x86 with 32 bits",
            8 => "MIPS",
            20 => "PowerPC",
            21 => "PowerPC with 64 bits",
            22 => "IBM Z",
            40 => "ARM with 32 bits",
            62 => "x86-64",
            183 => "ARM with 64 bits",
            243 => "RISC-V",
            258 => "LoongArch",
            other => return Some(format!("another machine (number {other})")),
        };
        Some(name.to_owned())
    }
}

/// How the numbers of a header are written.
#[derive(Clone, Copy)]
struct Fields {
    is_wide: bool,
    is_big: bool,
}

impl Fields {
    fn number(self, bytes: &[u8], at: usize, length: usize) -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.is_big { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) })
    }

    /// Looks for the part of the file that names the loader.
    fn loader(self, file: &File, head: &[u8]) -> Option<PathBuf> {
        const NAMES_LOADER: u64 = 3;
        let (parts, part_length, count) = if self.is_wide {
            (self.number(head, 32, 8)?, self.number(head, 54, 2)?, self.number(head, 56, 2)?)
        } else {
            (self.number(head, 28, 4)?, self.number(head, 42, 2)?, self.number(head, 44, 2)?)
        };
        let mut part = [0; 56];
        for number in 0..count.min(MOST_PARTS) {
            let length = file.read_at(&mut part, parts.checked_add(number.checked_mul(part_length)?)?).ok()?;
            let part = &part[..length];
            if self.number(part, 0, 4)? == NAMES_LOADER {
                let (at, size) = if self.is_wide {
                    (self.number(part, 8, 8)?, self.number(part, 32, 8)?)
                } else {
                    (self.number(part, 4, 4)?, self.number(part, 16, 4)?)
                };
                let mut name = vec![0; usize::try_from(size).ok()?.min(4096)];
                let length = file.read_at(&mut name, at).ok()?;
                let name = name[..length].split(|byte| *byte == 0).next()?;
                return Some(OsStr::from_bytes(name).into());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_are_read_as_the_system_reads_them() {
        for (rest, interpreter, argument) in [
            ("/bin/sh\n", "/bin/sh", ""),
            (" \t/bin/sh -e \n", "/bin/sh", "-e"),
            ("/usr/bin/env python3\r\n", "/usr/bin/env", "python3\r"),
            ("/usr/bin/env -S a  b\nrest", "/usr/bin/env", "-S a  b"),
            ("/bin/sh", "/bin/sh", ""),
            ("\n", "", ""),
        ] {
            let line = FirstLine::parse(rest.as_bytes());
            assert_eq!(
                (line.interpreter.to_str(), &line.argument[..]),
                (Some(interpreter), argument.as_bytes()),
                "{rest:?}"
            );
        }
    }

    #[test]
    fn a_carriage_return_is_seen_where_it_is_in_the_way() {
        for (rest, spoilt) in [
            ("/bin/sh\r\n", Some("/bin/sh")),
            ("/usr/bin/env python3\r\n", Some("python3")),
            ("/usr/bin/env python3 \r\n", Some("python3 ")),
            ("/usr/bin/python3 -u\r\n", Some("-u")),
            ("/bin/sh \r\n", Some("")),
            // These were seen to start.
            ("/usr/bin/perl -w\r\n", None),
            ("/usr/bin/env -S python3 -u\r\n", None),
            ("/bin/sh\n", None),
            ("/bin/sh -e\n", None),
            ("/bin/sh", None),
        ] {
            assert_eq!(FirstLine::parse(rest.as_bytes()).spoilt_by_return().as_deref(), spoilt, "{rest:?}");
        }
        assert_eq!(FirstLine::parse(b"/usr/bin/perl\r\n").spoilt_by_return().as_deref(), Some("/usr/bin/perl"));
    }

    #[test]
    fn this_program_is_for_this_machine() {
        let own = Beginning::of(&std::env::current_exe().expect("this program")).expect("it can be read");
        let Beginning::Elf(own) = own else { panic!("{own:?}") };
        assert_eq!(own.other_machine(), None);
        if let Some(loader) = &own.loader {
            assert!(loader.is_absolute() && loader.exists(), "{loader:?}");
        }
        assert!(Elf { machine: 8, loader: None }.other_machine().is_some_and(|name| name == "MIPS"));
    }

    #[test]
    fn a_header_that_is_cut_or_lies_is_no_trouble() {
        let path = std::env::temp_dir().join(format!("agon-program-file-{}", std::process::id()));
        let whole = std::fs::read(std::env::current_exe().expect("this program")).expect("it can be read");
        let mut lies = whole[..256].to_vec();
        lies[32..40].fill(0xff);
        lies[54..58].fill(0xff);
        for bytes in [&whole[..4], &whole[..20], &whole[..60], &whole[..200], &lies] {
            std::fs::write(&path, bytes).expect("a file");
            assert!(matches!(Beginning::of(&path), Ok(Beginning::Elf(_))));
        }
        let _ = std::fs::remove_file(&path);
    }
}
