//! A robot behind boards.
