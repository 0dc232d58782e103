//! Reports of tournaments whose results are made up.

mod archive;
mod made;
mod page;
mod rated;
mod sums;
