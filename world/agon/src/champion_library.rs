//! The library for champions in Python, which the program carries: `cargo install` installs programs alone.
//!
//! The assembler includes the file when the program is compiled, which is after all that it depends on. `include_bytes!`
//! would need the file for `cargo check` too, which does not make it.

#[cfg(carries_champion_library)]
#[cfg(not(target_vendor = "apple"))]
std::arch::global_asm!(
    ".pushsection .rodata.agon_champion_library, \"a\"",
    ".globl agon_champion_library",
    ".globl agon_champion_library_end",
    "agon_champion_library:",
    concat!(".incbin \"", env!("AGON_CHAMPION_LIBRARY_FILE"), "\""),
    "agon_champion_library_end:",
    ".popsection",
    options(raw)
);

#[cfg(carries_champion_library)]
#[cfg(target_vendor = "apple")]
std::arch::global_asm!(
    ".section __TEXT,__const",
    ".globl _agon_champion_library",
    ".globl _agon_champion_library_end",
    "_agon_champion_library:",
    concat!(".incbin \"", env!("AGON_CHAMPION_LIBRARY_FILE"), "\""),
    "_agon_champion_library_end:",
    ".text",
    options(raw)
);

/// Returns the bytes of the library. `None` if this build has none.
#[cfg(carries_champion_library)]
pub fn carried() -> Option<&'static [u8]> {
    unsafe extern "C" {
        safe static agon_champion_library: u8;
        safe static agon_champion_library_end: u8;
    }
    let (first, end) = (&raw const agon_champion_library, &raw const agon_champion_library_end);
    // SAFETY: the assembler puts the bytes of the file between these two, where nobody can write.
    Some(unsafe { std::slice::from_raw_parts(first, end.addr() - first.addr()) })
}

/// Returns the bytes of the library: this build has none.
#[cfg(not(carries_champion_library))]
pub fn carried() -> Option<&'static [u8]> {
    None
}
