//! Where a layer acts: a region, less some others, with a soft edge.

use crate::Route;
use crate::fields::{COORDINATE, DISTANCE, LENGTH};
use page::{Fault, Fields, Value};

use super::Site;

/// A part of the plane.
enum Region {
    Disc {
        center: [f64; 2],
        radius: f64,
    },
    Rectangle {
        min: [f64; 2],
        max: [f64; 2],
    },
    /// Everything nearer than `width` to the edge of the grid.
    Border {
        x: (f64, f64),
        y: (f64, f64),
        width: f64,
    },
    /// Everything nearer than half the width to a route.
    Corridor {
        route: Route,
    },
}

/// One region or the whole grid, less some regions.
pub(crate) struct Area {
    region: Option<Region>,
    except: Vec<Region>,
    feather: f64,
    /// By so much all of it stands elsewhere [m].
    pub(crate) shift: [f64; 2],
}

impl Area {
    /// Reads `region`, `except`, `feather` and `shift`, which every layer may have.
    pub(crate) fn read(fields: &mut Fields<'_>, site: &Site<'_, '_>) -> Result<Self, Fault> {
        let region = fields.get("region").map(|value| Region::read(value, site)).transpose()?;
        let except = fields.get("except").map_or(Ok(Vec::new()), |value| value.list("a list of regions"))?;
        let except = except.into_iter().map(|value| Region::read(value, site)).collect::<Result<_, _>>()?;
        let shift = site.shifts.of(fields)?;
        Ok(Self { region, except, feather: fields.number_or("feather", DISTANCE, 0.0)?, shift })
    }

    /// Signed distance [m] to the area's edge, negative inside.
    pub(crate) fn distance(&self, x: f64, y: f64) -> f64 {
        let (x, y) = (x - self.shift[0], y - self.shift[1]);
        let inside = self.region.as_ref().map_or(f64::NEG_INFINITY, |region| region.distance(x, y));
        self.except.iter().fold(inside, |distance, region| distance.max(-region.distance(x, y)))
    }

    /// 1 inside; outside it fades to 0 over the feather; an excepted region fades in over the same length.
    pub(crate) fn weight(&self, x: f64, y: f64) -> f64 {
        let (x, y) = (x - self.shift[0], y - self.shift[1]);
        let shown = self.region.as_ref().map_or(1.0, |region| fade(region.distance(x, y), self.feather));
        self.except.iter().fold(shown, |weight, region| weight * (1.0 - fade(region.distance(x, y), self.feather)))
    }
}

impl Region {
    fn read(value: Value<'_>, site: &Site<'_, '_>) -> Result<Self, Fault> {
        let mut fields = value.table()?;
        let region = if let Some(disc) = fields.get("disc") {
            let mut disc = disc.table()?;
            let region =
                Self::Disc { center: disc.vector("center", COORDINATE)?, radius: disc.number("radius", LENGTH)? };
            disc.finish()?;
            region
        } else if let Some(rectangle) = fields.get("rectangle") {
            read_rectangle(rectangle)?
        } else if let Some(width) = fields.get("border") {
            let (x, y) = site.terrain.extent();
            Self::Border { x, y, width: width.number(LENGTH)? }
        } else if let Some(name) = fields.get("route") {
            Self::Corridor { route: named_route(&name, site.routes)? }
        } else {
            return Err(fields.error("disc, rectangle, border or route", "none of them"));
        };
        fields.finish()?;
        Ok(region)
    }

    /// Signed distance [m], negative inside.
    fn distance(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Disc { center, radius } => libm::hypot(x - center[0], y - center[1]) - radius,
            Self::Rectangle { min, max } => {
                let outside = |p: f64, low: f64, high: f64| (low - p).max(p - high);
                let (dx, dy) = (outside(x, min[0], max[0]), outside(y, min[1], max[1]));
                libm::hypot(dx.max(0.0), dy.max(0.0)) + dx.max(dy).min(0.0)
            }
            Self::Border { x: (x0, x1), y: (y0, y1), width } => (x - x0).min(x1 - x).min(y - y0).min(y1 - y) - width,
            Self::Corridor { route } => route.distance(x, y) - 0.5 * route.width,
        }
    }
}

fn read_rectangle(value: Value<'_>) -> Result<Region, Fault> {
    let mut fields = value.table()?;
    let (min, max) = (fields.vector("min", COORDINATE)?, fields.vector::<2>("max", COORDINATE)?);
    if min[0] >= max[0] || min[1] >= max[1] {
        return Err(fields.error("min below max in both coordinates", &format!("min {min:?}, max {max:?}")));
    }
    fields.finish()?;
    Ok(Region::Rectangle { min, max })
}

fn named_route(name: &Value<'_>, routes: &[Route]) -> Result<Route, Fault> {
    let wanted = name.text()?;
    let known: Vec<&str> = routes.iter().map(|route| route.name.as_str()).collect();
    let found = routes.iter().find(|route| route.name == wanted).cloned();
    found.ok_or_else(|| name.error(&format!("a route of this file: {}", known.join(", ")), wanted))
}

/// 1 at or below 0, 0 at or beyond `length`, smooth between.
fn fade(distance: f64, length: f64) -> f64 {
    if distance <= 0.0 {
        return 1.0;
    }
    if distance >= length {
        return 0.0;
    }
    let t = 1.0 - distance / length;
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_signed_and_metric() {
        let rectangle = Region::Rectangle { min: [0.0, 0.0], max: [4.0, 2.0] };
        assert_eq!(rectangle.distance(2.0, 1.0), -1.0);
        assert_eq!(rectangle.distance(7.0, 6.0), 5.0);
        let border = Region::Border { x: (-5.0, 5.0), y: (-5.0, 5.0), width: 1.0 };
        assert_eq!((border.distance(0.0, 0.0), border.distance(4.5, 0.0)), (4.0, -0.5));
        let route = Route { name: "r".into(), width: 1.0, points: vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]] };
        let corridor = Region::Corridor { route };
        assert_eq!((corridor.distance(1.0, 1.0), corridor.distance(2.0, 3.0)), (0.5, 0.5));
    }

    #[test]
    fn an_area_is_its_region_less_its_exceptions() {
        let disc = |x, radius| Region::Disc { center: [x, 0.0], radius };
        let (region, except) = (Some(disc(0.0, 2.0)), vec![disc(1.5, 0.5)]);
        let area = Area { region, except, feather: 0.2, shift: [0.0; 2] };
        assert!(area.distance(0.0, 0.0) < 0.0 && area.distance(1.5, 0.0) > 0.0 && area.distance(3.0, 0.0) > 0.0);
        assert_eq!((area.weight(0.0, 0.0), area.weight(1.5, 0.0), area.weight(2.5, 0.0)), (1.0, 0.0, 0.0));
        assert!((area.weight(0.9, 0.0) - 0.5).abs() < 1e-12, "half way through the feather");
    }
}
