//! Colour classes by lookup, and what is of one colour in a picture.
//!
//! After Momaro (Schwarz et al. 2016, section 7): each class is a collection of ellipses in the plane of U and V, and limits of the brightness
//! Y; a table made once says of each pair (U, V) which classes it can be of.

mod blobs;
mod classes;
mod ellipse;
mod file;
mod training;
mod yuv;

pub use blobs::{Blob, BlobFinder};
pub use classes::{ColourClass, ColourTable, MOST_CLASSES};
pub use ellipse::Ellipse;
pub(crate) use file::read_classes;
pub use yuv::yuv_of;
