//! Good files, bad files, and files that a monkey typed.
