//! What gets in and what does not: archives made byte by byte, and folders.

mod bombs;
mod folders;
mod ground;
mod mutations;
mod tars;
mod zips;
