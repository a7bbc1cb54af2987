//! Nothing. ethercrab-wire-derive 0.3.0 names criterion among what it is built from and uses it in its benchmarks alone; this takes its place, and
//! nobody waits for a benchmark harness, its plots and its statistics.
