//! The rules of all games and a reader of replays as a WASM module. The viewer runs it, so a page computes what the referee
//! computed.
//!
//! The module has a few exports that take and give numbers and bytes; `docs/viewer.md` lists them. They only pass bytes to
//! the [`Engine`], which can be used without WASM, too. Nothing here refers to bots, dialogues or generators, so the linker
//! leaves them out. The feature `play` adds what people need to play in the page, with built-in bots and generators.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `engine` | [`Engine`]: a replay that is open, and the position that is shown |
//! | `engine::answers` | what the page reads of it |
//! | `timeline` | [`Timeline`]: the turns of a replay that count, with all that it says about them |
//! | `verifier` | plays the replay again in portions |
//! | `survey` | the numbers for charts and the marks of the time bar, collected in portions |
//! | `known` | a match as one seat knew it, for a page that holds nothing else |
//! | `branch` | other turns than the recorded ones, played by hand |
//! | `hand` | with `play`: a match that is played in the page, which is a replay that grows |
//! | `opponents` | with `play`: decisions of built-in bots, and rollouts |
//! | `told` | what happened in a turn: incidents, changes of lead, faults, refusals |
//! | `encoder` | [`Encoder`]: how all of this is written for the page |
//! | `exports` | the exports of the module |

mod branch;
mod encoder;
mod engine;
#[cfg(any(target_arch = "wasm32", test))]
mod exports;
#[cfg(feature = "play")]
mod hand;
mod known;
#[cfg(feature = "play")]
mod opponents;
mod survey;
mod timeline;
mod told;
mod verifier;

pub use encoder::Encoder;
pub use engine::{Engine, Failed};
#[cfg(feature = "play")]
pub use opponents::games;
pub use timeline::{State, Timeline};
pub use verifier::Verdict;
