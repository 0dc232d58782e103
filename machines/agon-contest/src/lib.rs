//! What a contest of people is, without the world: no file, no socket, no clock. Times come in as milliseconds since 1970.
//!
//! | module | what it defines |
//! | --- | --- |
