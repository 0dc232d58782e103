//! Bots as archives: which kinds there are, and the way from the file to the `Intake`.

use super::{
    Limits, Tree, size, tarball,
    tree::{Intake, broken},
    zip,
};
use agon_core::Flaw;
use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
};

/// How an archive is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// `.zip`, stored or deflated.
    Zip,
    /// `.tar`.
    Tar,
    /// `.tar.gz` or `.tgz`.
    TarGz,
    /// `.tar.zst`.
    TarZst,
}

/// The largest window of zstd that is taken, as a power of two: 8 MiB, that of its level 19.
const ZSTD_WINDOW: u32 = 23;

/// How an archive of this name is packed; `None` if the name is none of an archive.
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

/// Unpacks an archive, which was named `path`, into the empty folder `into`. A single folder that holds all of it is looked through.
pub(super) fn unpack(file: &File, path: &Path, packing: Packing, into: &Path, limits: Limits) -> Result<Tree, Flaw> {
    let failed = |why: std::io::Error| broken(path.as_os_str().as_encoded_bytes(), &why);
    let packed = file.metadata().map_err(failed)?.len();
    if packed > limits.archive {
        return Err(Flaw::new(format!("the archive is larger than {}", size(limits.archive)))
            .hint("leave out what the bot does not need"));
    }
    let most = limits.unpacked(packed);
    let mut intake = Intake::new(into, limits, most)?;
    // Of a file that grows no more is read than was looked at.
    let stream = BufReader::new(file.take(packed));
    // What a tar holds beside the files: heads, names and what fills blocks up.
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
