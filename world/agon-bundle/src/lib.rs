//! What a bot needs to play on another machine, as one archive under its hash.
//!
//! A *bundle* is an uncompressed tar archive in a canonical form: the same files give the same bytes on every machine, so the
//! SHA-256 of the bytes names it. The paths in it begin in the folder of the tournament. A worker that unpacks all bundles of a
//! tournament into one folder and enters it understands the same words of the same tournament file, and computes the same
//! [`ContentHash`](agon_play::ContentHash), which stays the identity of the bot: the hash of a bundle only moves bytes.
//!
//! [`plan`] finds the files of a bot, or says why it cannot travel. [`BundlePlan::write`] writes the bundle, and [`unpack()`]
//! reads it again; neither ever holds more than a piece of it in memory. [`store_bundle`] divides a bundle
//! into pieces for a store or a network.
//!
//! # The format
//!
//! For each file, in the order of the bytes of its path:
//!
//! 1. if the path has more than 100 bytes, a header of the type `L` with the name `././@LongLink` and the mode 644, whose data is
//!    the path and a NUL byte;
//! 2. a header of the type `0` with the first 100 bytes of the path, the mode 644 or 755, and the size;
//! 3. the bytes of the file.
//!
//! A header is that of GNU tar: 512 bytes that begin with the name; mode, owner and group with 7 octal digits and a NUL byte,
//! size and time with 11; the checksum with 6, a NUL byte and a blank; `ustar`, two blanks and a NUL byte. Owner, group and time
//! are 0, and all other bytes are NUL. Zeros fill data up to a multiple of 512 bytes. Two blocks of 512 zeros end the bundle.
//! There are no entries for folders, no links and nothing else, and nothing follows the end. Every bundle that differs from this
//! in one byte is refused.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `hash` | [`BundleHash`], [`PieceHash`] |
//! | `limits` | [`Limits`]: how large a bundle may be |
//! | `error` | [`BundleError`] |
//! | `header` | the header of an entry |
//! | `write`, `read` | [`BundleWriter`], [`BundleReader`]: the canonical form, as streams |
//! | `unpack` | [`unpack()`]: a bundle becomes files |
//! | `pieces` | [`PieceSink`], [`store_bundle`]: a bundle in pieces |
//! | `travel` | [`plan`], [`Traveller`], [`CannotTravel`] |
//! | `bundle_plan` | [`BundlePlan`]: the files of a bot |
//! | `folder_files`, `command_files`, `listing` | which files these are |
//! | `inside`, `search_path` | paths and programs that are the same on every machine |

mod bundle_plan;
mod command_files;
mod error;
mod folder_files;
mod hash;
mod header;
mod inside;
mod limits;
mod listing;
mod pieces;
mod read;
mod search_path;
mod travel;
mod unpack;
mod write;

pub use bundle_plan::BundlePlan;
pub use error::BundleError;
pub use hash::{BundleHash, PieceHash};
pub use limits::Limits;
pub use pieces::{PIECE, PieceSink, PieceWriter, StoredBundle, store_bundle};
pub use read::{BundleReader, Entry};
pub use travel::{CannotTravel, Traveller, plan};
pub use unpack::{Unpacked, unpack};
pub use write::BundleWriter;

pub(crate) use listing::{Listed, Listing};
