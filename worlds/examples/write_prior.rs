//! Writes the prior height map that a world file asks for, beside it:
//! `cargo run --release -p worlds --example write_prior -- spacebot`

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in std::env::args().skip(1) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{name}.toml"));
        let (file, bytes) = worlds::make_prior_map(&path)?;
        std::fs::write(&file, &bytes)?;
        println!("{}: {} bytes", file.display(), bytes.len());
    }
    Ok(())
}
