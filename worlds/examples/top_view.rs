//! Renders a world from above:
//! `cargo run --release -p worlds --example top_view -- worlds/spacebot.toml /tmp/spacebot.png 40`

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [world, picture, scale] = arguments.as_slice() else {
        return Err("expected: WORLD.toml PICTURE.png PIXELS_PER_METRE".into());
    };
    let world = worlds::World::load(Path::new(world))?;
    world.top_view(scale.parse()?).save(picture)?;
    let (low, high) = world.terrain.height_range();
    println!("{}: {} × {} samples, {low:.3} to {high:.3} m", world.name, world.terrain.columns, world.terrain.rows);
    Ok(())
}
