//! Reports of tournaments whose results are made up.

mod made;
mod page;
mod sums;
