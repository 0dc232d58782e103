//! Tests champions of Prologin 2015 in matches of real processes: those of the starter kits, and some that misbehave.
//!
//! On a machine without a compiler or an interpreter, the tests that need it are left out and say so. In CI, where `CI`
//! is set, this is a failure.

mod any_language;
mod c_and_cpp;
mod interpreters;
mod ocaml;
mod place;
mod python;
