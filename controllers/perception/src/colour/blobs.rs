//! Connected components of a picture of classes.

use nalgebra::Vector2;
use robot_io::Image;

use super::classes::{ColourClass, ColourTable};
use crate::union_find::UnionFind;

/// A patch of one colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Blob {
    /// Its class in the table.
    pub class: usize,
    /// How many pixels.
    pub pixels: usize,
    /// Column and row of its middle [px].
    pub centre: Vector2<f64>,
    /// First and last column.
    pub columns: [usize; 2],
    /// First and last row.
    pub rows: [usize; 2],
    /// True if it reaches the picture's border, so that part of it may be outside.
    pub is_cut: bool,
    /// Its name in [`BlobFinder::foot`].
    root: u32,
}

/// Pixels of one class side by side in a row.
#[derive(Clone, Copy, Debug)]
struct Run {
    class: u8,
    row: usize,
    /// First and last column.
    columns: [usize; 2],
}

/// Finds patches, row by row from runs of pixels (He, Chao and Suzuki, "A run-based two-scan labeling algorithm", 2008); pixels that touch by a
/// corner belong together. Keeps its memory from picture to picture.
#[derive(Clone, Debug, Default)]
pub struct BlobFinder {
    classes: Vec<u8>,
    runs: Vec<Run>,
    sets: UnionFind,
    blobs: Vec<Blob>,
    /// For each run the place of its blob, once it has one.
    places: Vec<u32>,
}

const NO_PLACE: u32 = u32::MAX;

impl BlobFinder {
    /// The patches of a picture that are as their classes ask, from top to bottom by their first pixel.
    pub fn find(&mut self, table: &ColourTable, image: &Image) -> &[Blob] {
        table.classify(image, &mut self.classes);
        self.find_runs(image.width);
        self.gather(image.width, image.height);
        let fits = |blob: &Blob| is_as_asked(blob, &table.classes()[blob.class]);
        self.blobs.retain(fits);
        &self.blobs
    }

    /// One of the patches of the last picture.
    pub fn blob(&self, number: usize) -> Option<&Blob> {
        self.blobs.get(number)
    }

    /// The class of each pixel of the last picture: 0 for none, otherwise one more than its place in the table.
    pub fn classes(&self) -> &[u8] {
        &self.classes
    }

    /// Where a blob ends in a direction of the picture (a unit vector: column, row), on the line through its middle [px].
    pub fn foot(&mut self, blob: &Blob, direction: &Vector2<f64>) -> Vector2<f64> {
        let mut farthest = 0.0_f64;
        for (number, run) in self.runs.iter().enumerate() {
            if self.sets.root(number as u32) == blob.root {
                for column in run.columns {
                    let off = Vector2::new(column as f64, run.row as f64) - blob.centre;
                    farthest = farthest.max(off.dot(direction));
                }
            }
        }
        // a pixel's edge is half a pixel behind its middle
        blob.centre + direction * (farthest + 0.5)
    }

    fn find_runs(&mut self, width: usize) {
        self.runs.clear();
        self.sets.reset(0);
        let (mut above, mut first) = (0..0, 0);
        let classes = core::mem::take(&mut self.classes);
        for (row, classes) in classes.chunks_exact(width.max(1)).enumerate() {
            let mut column = 0;
            while column < width {
                let class = classes[column];
                let length = classes[column..].iter().take_while(|other| **other == class).count();
                if class != 0 {
                    self.runs.push(Run { class, row, columns: [column, column + length - 1] });
                    self.sets.add();
                }
                column += length;
            }
            self.join(above.clone(), first..self.runs.len());
            above = first..self.runs.len();
            first = self.runs.len();
        }
        self.classes = classes;
    }

    /// Joins runs of a row with those of the row above that they touch; both are in order of their columns.
    fn join(&mut self, above: core::ops::Range<usize>, row: core::ops::Range<usize>) {
        let mut next = above.start;
        for number in row {
            let run = self.runs[number];
            while next < above.end && self.runs[next].columns[1] + 1 < run.columns[0] {
                next += 1;
            }
            for other in next..above.end {
                if self.runs[other].columns[0] > run.columns[1] + 1 {
                    break;
                }
                if self.runs[other].class == run.class {
                    self.sets.join(other as u32, number as u32);
                }
            }
        }
    }

    fn gather(&mut self, width: usize, height: usize) {
        self.blobs.clear();
        self.places.clear();
        self.places.resize(self.runs.len(), NO_PLACE);
        for (number, run) in self.runs.iter().enumerate() {
            let root = self.sets.root(number as u32);
            if self.places[root as usize] == NO_PLACE {
                self.places[root as usize] = self.blobs.len() as u32;
                self.blobs.push(Blob {
                    class: usize::from(run.class) - 1,
                    pixels: 0,
                    centre: Vector2::zeros(),
                    columns: [usize::MAX, 0],
                    rows: [run.row, run.row],
                    is_cut: false,
                    root,
                });
            }
            let blob = &mut self.blobs[self.places[root as usize] as usize];
            let length = run.columns[1] - run.columns[0] + 1;
            let middle = 0.5 * (run.columns[0] + run.columns[1]) as f64;
            blob.pixels += length;
            blob.centre += Vector2::new(middle, run.row as f64) * length as f64;
            blob.columns = [blob.columns[0].min(run.columns[0]), blob.columns[1].max(run.columns[1])];
            blob.rows[1] = run.row;
            blob.is_cut |= run.columns[0] == 0 || run.columns[1] + 1 == width || run.row == 0 || run.row + 1 == height;
        }
        self.blobs.iter_mut().for_each(|blob| blob.centre /= blob.pixels as f64);
    }
}

fn is_as_asked(blob: &Blob, class: &ColourClass) -> bool {
    let [wide, high] = [blob.columns, blob.rows].map(|[first, last]| (last - first + 1) as f64);
    let fill = blob.pixels as f64 / (wide * high);
    let aspect = wide.max(high) / wide.min(high);
    blob.pixels >= class.least_pixels && fill >= class.least_fill && aspect <= class.most_aspect
}
