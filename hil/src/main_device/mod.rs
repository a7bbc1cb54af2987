//! The MainDevice: ethercrab, driven by a loop of our own.
