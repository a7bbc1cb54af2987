//! station
