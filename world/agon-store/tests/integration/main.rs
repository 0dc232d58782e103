//! Tests stores in files: crashes of their process, damaged files, media that are full or read-only.

mod crash;
mod files;
mod folder;
mod media;
