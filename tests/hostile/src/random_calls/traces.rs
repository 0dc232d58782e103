//! A bot that leaves something behind wherever it can. It plays only without isolation, and shows that what a bot leaves
//! is found.

use crate::{Bot, client::Question};
use std::{fs, path::Path};

/// Leaves two files and a segment of System V.
pub(super) fn play(bot: &mut Bot) {
    bot.client.wait_for_move();
    for folder in ["/tmp", "/dev/shm"] {
        let _ = fs::write(Path::new(folder).join(format!("{}-trace", bot.facts.marker)), "left");
    }
    // SAFETY: makes a segment that nobody attaches.
    unsafe { libc::shmget(segment(bot.facts.driver), 4096, libc::IPC_CREAT | 0o600) };
    bot.client.answer(Question::Move);
    bot.client.play_turns(|client| client.answer(Question::Move));
}

/// The key of the segment.
fn segment(driver: i32) -> i32 {
    0x4147_2000 ^ driver
}

/// Removes the segment, which nothing else would remove.
pub(super) fn remove(driver: i32) {
    // SAFETY: numbers alone; the key is that of the segment.
    unsafe {
        let segment = libc::shmget(segment(driver), 0, 0);
        if segment >= 0 {
            libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut());
        }
    }
}
