//! Things that move by themselves, on rails: where they are is a function of time alone.

use crate::fields::COORDINATE;
use page::{Fault, Fields, Range};

/// How an object moves over the ground. It begins at its own place, keeps its attitude and its height over the ground, and
/// nothing can hold it up.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Where it goes, corner by corner, world x and y [m].
    pub way: Vec<[f64; 2]>,
    /// How fast [m/s].
    pub speed: f64,
    /// When it sets out [s].
    pub begin: f64,
    /// How long it rests at each end of its way [s].
    pub rest: f64,
    /// Whether it comes back, and goes again; else it stays at the end.
    pub back_and_forth: bool,
}

const SPEED: Range = Range::new(0.001, 20.0, "m/s");
const SECONDS: Range = Range::new(0.0, 1e6, "s");

/// Reads `motion = { way = [[x, y], …], speed = …, begin = …, rest = …, back_and_forth = … }`.
pub(crate) fn read(mut fields: Fields<'_>) -> Result<Motion, Fault> {
    let list = fields.need("way", "a list of [x, y]")?;
    let corners = list.list("a list of [x, y]")?;
    if corners.is_empty() {
        return Err(list.error("at least one corner [x, y]", "none"));
    }
    let way = corners.iter().map(|corner| corner.vector(COORDINATE)).collect::<Result<_, _>>()?;
    let motion = Motion {
        way,
        speed: fields.number("speed", SPEED)?,
        begin: fields.number_or("begin", SECONDS, 0.0)?,
        rest: fields.number_or("rest", SECONDS, 0.0)?,
        back_and_forth: fields.get("back_and_forth").map_or(Ok(false), |value| value.flag())?,
    };
    fields.finish()?;
    Ok(motion)
}

impl Motion {
    /// Where it is on its way from `start` after `time` [s], world x and y [m].
    pub fn place_at(&self, start: [f64; 2], time: f64) -> [f64; 2] {
        let corners = || core::iter::once(start).chain(self.way.iter().copied());
        let legs = || corners().zip(corners().skip(1));
        let length: f64 = legs().map(|(from, to)| distance(from, to)).sum();
        let mut left = self.travelled(length, time);
        for (from, to) in legs() {
            let leg = distance(from, to);
            if left <= leg && leg > 0.0 {
                let share = left / leg;
                return [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
            }
            left -= leg;
        }
        self.way.last().copied().unwrap_or(start)
    }

    /// How far along its way of `length` [m] it is after `time` [s].
    fn travelled(&self, length: f64, time: f64) -> f64 {
        let drive = length / self.speed;
        let since = time - self.begin;
        if since <= 0.0 {
            return 0.0;
        }
        if !self.back_and_forth {
            return (since * self.speed).min(length);
        }
        let turn = 2.0 * (drive + self.rest);
        let phase = since - libm::floor(since / turn) * turn;
        let back = phase - drive - self.rest;
        if back <= 0.0 { (phase * self.speed).min(length) } else { (length - back * self.speed).max(0.0) }
    }
}

fn distance(from: [f64; 2], to: [f64; 2]) -> f64 {
    libm::hypot(to[0] - from[0], to[1] - from[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(back_and_forth: bool) -> Motion {
        Motion { way: vec![[2.0, 0.0], [2.0, 2.0]], speed: 0.5, begin: 10.0, rest: 1.0, back_and_forth }
    }

    #[test]
    fn it_waits_goes_round_the_corner_and_stays() {
        let place = |time| motion(false).place_at([0.0, 0.0], time);
        assert_eq!(place(9.0), [0.0, 0.0]);
        assert_eq!(place(12.0), [1.0, 0.0]);
        assert_eq!(place(16.0), [2.0, 1.0]);
        assert_eq!(place(100.0), [2.0, 2.0]);
    }

    #[test]
    fn it_comes_back_after_a_rest_and_goes_again() {
        let place = |time| motion(true).place_at([0.0, 0.0], time);
        assert_eq!(place(18.5), [2.0, 2.0], "rests");
        assert_eq!(place(21.0), [2.0, 1.0], "on the way back");
        assert_eq!(place(27.5), [0.0, 0.0], "rests at home");
        assert_eq!(place(30.0), place(12.0), "again");
    }
}
