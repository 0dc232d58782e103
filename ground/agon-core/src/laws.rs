//! The laws that every game must keep, as one generic test.
