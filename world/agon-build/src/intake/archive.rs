//! The import of bots from archives.

use super::{
    Limits, SourceTree,
    import::{Intake, broken},
    size, tarball, zip,
};
use agon_core::Flaw;
use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

/// The format of an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// `.zip`, with files that are stored or deflated.
    Zip,
    /// `.tar`.
    Tar,
    /// `.tar.gz` or `.tgz`.
    TarGz,
    /// `.tar.zst`.
    TarZst,
}

/// The maximum window of zstd, as a power of two: 8 MiB, which level 19 uses.
const ZSTD_WINDOW: u32 = 23;

/// Returns the format of an archive with this file name. `None` if it is not the name of an archive.
#[must_use]
pub fn packing(name: &str) -> Option<Packing> {
    const ENDINGS: &[(&str, Packing)] = &[
        (".zip", Packing::Zip),
        (".tar", Packing::Tar),
        (".tar.gz", Packing::TarGz),
        (".tgz", Packing::TarGz),
        (".tar.zst", Packing::TarZst),
    ];
    let name = name.to_lowercase();
    ENDINGS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, packing)| *packing)
}

/// Unpacks an archive into the empty folder `into`. If a single folder contains all files, this folder is the bot.
/// `path` is the name of the archive in messages.
pub(super) fn unpack(
    file: &File,
    path: &Path,
    packing: Packing,
    into: &Path,
    limits: Limits,
) -> Result<SourceTree, Flaw> {
    let failed = |why: std::io::Error| broken(path.as_os_str().as_encoded_bytes(), &why);
    let packed = file.metadata().map_err(failed)?.len();
    if packed > limits.archive {
        return Err(Flaw::new(format!("the archive is larger than {}", size(limits.archive)))
            .hint("leave out what the bot does not need"));
    }
    let most = limits.unpacked(packed);
    let mut intake = Intake::new(into, limits, most)?;
    // The limits were checked for this length. Do not read more if the file grows.
    let stream = BufReader::new(file.take(packed));
    // The overhead of a tar archive: headers, names and padding.
    let beside = u64::from(limits.entries) * 4096;
    let whole: Box<dyn Read> = match packing {
        Packing::Zip => {
            let file = stream.into_inner().into_inner();
            zip::read(file, packed, &mut intake)?;
            return intake.finish(true);
        }
        Packing::Tar => Box::new(stream),
        Packing::TarGz => Box::new(flate2::bufread::MultiGzDecoder::new(stream)),
        Packing::TarZst => {
            let mut decoder = zstd::Decoder::with_buffer(stream).map_err(failed)?;
            decoder.window_log_max(ZSTD_WINDOW).map_err(failed)?;
            Box::new(decoder)
        }
    };
    tarball::read(whole, most.saturating_add(beside), &mut intake)?;
    intake.finish(true)
}
