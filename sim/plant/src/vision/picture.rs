//! What colour and depth cameras have in common: when a picture is taken, and what its pixels meet.

use core::ops::Range;

use nalgebra::{Isometry3, Vector3};
use robot_io::{Intrinsics, Period, RandomStream, State, Time};

use super::ray::{Hit, Ray};
use super::scene::Scene;
use super::watch::{Leg, Mounted};

/// Edge of a tile [px]. Its pixels share a list of what they may meet.
const TILE: usize = 16;

/// When a camera exposes which rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shutter {
    pub rows: usize,
    /// From one row to the next; zero if all are exposed at once.
    pub row_period: Period,
    /// From one picture to the next, at least.
    pub interval: Period,
}

/// What a shutter remembers.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct ShutterMemory {
    /// Whether a picture is asked for and not begun.
    pub asked: bool,
    /// When the next picture may begin.
    next: Time,
    /// When the first row of the picture in hand was exposed.
    pub stamp: Option<Time>,
    /// How many pictures were begun.
    pub taken: u64,
}

impl Shutter {
    /// The rows that are exposed in a step, after the `done` ones, and the time of the picture; none if none is taken. A
    /// picture begins in the step in which it is asked for, or as soon as the camera is ready again.
    pub fn expose(&self, memory: &mut ShutterMemory, done: usize, leg: &Leg) -> Option<(Time, Range<usize>)> {
        if memory.stamp.is_none() && memory.asked && leg.begin >= memory.next {
            memory.asked = false;
            memory.next = leg.begin + self.interval;
            memory.stamp = Some(leg.begin);
            memory.taken += 1;
        }
        let stamp = memory.stamp?;
        let is_due = |row: &usize| self.exposed_at(stamp, *row) < leg.end;
        let last = (done..self.rows).take_while(is_due).count() + done;
        Some((stamp, done..last))
    }

    /// When a row is exposed.
    pub fn exposed_at(&self, stamp: Time, row: usize) -> Time {
        stamp + Period::from_nanoseconds(row as u64 * self.row_period.nanoseconds())
    }
}

/// Casts the rays of pixels, tile by tile.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    intrinsics: Intrinsics,
    /// Farthest that it looks [m].
    reach: f64,
    tile: Tile,
    /// Where the camera is in each row of a band.
    poses: Vec<Isometry3<f64>>,
    /// Solids that a band may meet: number, middle in the camera's frame and radius.
    near: Vec<(usize, Vector3<f64>, f64)>,
    candidates: Vec<usize>,
}

/// Some rows of some columns, and what their pixels meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    /// Row after row.
    pub pixels: Vec<Pixel>,
}

/// A pixel and what it meets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixel {
    pub column: usize,
    pub row: usize,
    pub ray: Ray,
    /// Length of the ray per depth along the optical axis [1].
    pub slant: f64,
    pub hit: Option<Hit>,
}

impl Lens {
    /// A lens that looks so far.
    pub fn new(intrinsics: Intrinsics, reach: f64, solids: usize) -> Lens {
        Lens {
            intrinsics,
            reach,
            tile: Tile { pixels: Vec::with_capacity(TILE * TILE) },
            poses: Vec::with_capacity(TILE),
            near: Vec::with_capacity(solids),
            candidates: Vec::with_capacity(solids),
        }
    }

    /// Casts the pixels of `rows` and shows each tile.
    pub fn look(
        &mut self,
        scene: &Scene,
        mounted: &Mounted,
        leg: &Leg,
        rows: Range<usize>,
        exposed_at: impl Fn(usize) -> Time,
        mut show: impl FnMut(&Tile),
    ) {
        let (shift, turn) = leg.extent();
        self.near.clear();
        for (index, solid) in scene.solids.iter().enumerate().filter(|(index, _)| !mounted.housing[*index]) {
            let at = leg.from.inverse_transform_point(&solid.centre.into()).coords;
            let distance = at.norm();
            if at.x + solid.radius + shift > 0.0 && distance - solid.radius < self.reach {
                self.near.push((index, at, solid.radius + shift + turn * distance));
            }
        }
        let end = rows.end;
        for top in rows.step_by(TILE) {
            let bottom = (top + TILE).min(end);
            self.poses.clear();
            self.poses.extend((top..bottom).map(|row| leg.pose_at(exposed_at(row))));
            for left in (0..self.intrinsics.width).step_by(TILE) {
                let right = (left + TILE).min(self.intrinsics.width);
                self.find_candidates([left, right - 1], [top, bottom - 1]);
                self.cast(scene, left..right, top..bottom);
                show(&self.tile);
            }
        }
    }

    fn cast(&mut self, scene: &Scene, columns: Range<usize>, rows: Range<usize>) {
        self.tile.pixels.clear();
        for row in rows.clone() {
            let pose = &self.poses[row - rows.start];
            for column in columns.clone() {
                let along = self.intrinsics.ray(column as f64, row as f64);
                let slant = along.norm();
                let ray = Ray { origin: pose.translation.vector, direction: pose.rotation * (along / slant) };
                let hit = scene.cast(&ray, self.reach * slant, &self.candidates);
                self.tile.pixels.push(Pixel { column, row, ray, slant, hit });
            }
        }
    }

    /// The solids whose balls touch the cone around a tile.
    fn find_candidates(&mut self, columns: [usize; 2], rows: [usize; 2]) {
        let ray = |column: f64, row: f64| self.intrinsics.ray(column, row).normalize();
        let [left, right] = columns.map(|column| column as f64);
        let [top, bottom] = rows.map(|row| row as f64);
        let axis = ray(0.5 * (left + right), 0.5 * (top + bottom));
        let corners = [ray(left, top), ray(right, top), ray(left, bottom), ray(right, bottom)];
        let cosine = corners.iter().map(|corner| corner.dot(&axis)).fold(1.0, f64::min);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        self.candidates.clear();
        for (index, at, radius) in &self.near {
            let along = at.dot(&axis);
            let beside = (at.norm_squared() - along * along).max(0.0).sqrt();
            if beside * cosine - along * sine <= radius + 1e-6 {
                self.candidates.push(*index);
            }
        }
    }
}

/// A nearly normal number from one draw: the sum of four uniform ones (Irwin and Hall), which is cheap enough for
/// every pixel. Within 4 % of the normal distribution up to two deviations, and none beyond 3.5.
pub(crate) fn nearly_normal(noise: &RandomStream, counter: u64, index: u32) -> f64 {
    let bits = noise.bits(counter, index);
    let sum: u64 = (0..4).map(|part| bits >> (16 * part) & 0xffff).sum();
    // variance of one: a twelfth
    (sum as f64 / 65_536.0 - 2.0) * 1.732_050_807_568_877_2
}
