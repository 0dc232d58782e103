//! From files to a bot: what it is taken for, what is planned, what is kept.

mod detection;
mod folders;
mod keeping;
mod place;
mod plans;
mod trust;
