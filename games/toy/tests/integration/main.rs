//! Tests the toy, and the laws with toys that break them.

mod broken;
mod laws;
