//! Tests stores in files: crashes of their process, damaged and older files, media that are full or read-only.

mod audit;
mod crash;
mod files;
mod folder;
mod media;
mod older;
mod several;
