//! What is grasped: props that ship, as shapes, and how they stand on a table.

use manipulation::{GraspObject, ObjectPart, PartShape};
use nalgebra::{Isometry3, Vector3};

/// A prop on a table.
pub struct Thing {
    pub name: &'static str,
    pub prop: &'static str,
    pub object: GraspObject,
    /// The shapes' frame in the prop's.
    pub object_in_prop: Isometry3<f64>,
    /// How it stands: roll of the prop [°], and how high its origin is over the table [m].
    pub roll: f64,
    pub over: f64,
    /// With how much the fingers of either side press [N].
    pub force: f64,
}

pub fn battery(lies: bool) -> Thing {
    let object = GraspObject::of(PartShape::Box { size: Vector3::new(0.05, 0.05, 0.12) }).unwrap();
    let (name, roll, over) = if lies { ("battery lying", 90.0, 0.025) } else { ("battery standing", 0.0, 0.06) };
    Thing { name, prop: "battery", object, object_in_prop: Isometry3::identity(), roll, over, force: 30.0 }
}

pub fn cup() -> Thing {
    let object = GraspObject::of(PartShape::Cup { radius: 0.04, height: 0.1, wall: 0.004 }).unwrap();
    let object_in_prop = Isometry3::translation(0.0, 0.0, 0.05);
    Thing { name: "cup", prop: "cup", object, object_in_prop, roll: 0.0, over: 0.0, force: 8.0 }
}

/// The scoop as `assets/props/make.py` has it.
pub fn scoop() -> Thing {
    let part = |low: [f64; 3], high: [f64; 3]| {
        let (low, high) = (Vector3::from(low), Vector3::from(high));
        let middle = 0.5 * (low + high);
        let pose = Isometry3::translation(middle.x, middle.y, middle.z);
        ObjectPart { shape: PartShape::Box { size: high - low }, pose }
    };
    let parts = vec![
        part([-0.12, -0.015, -0.015], [0.0, 0.015, 0.015]),
        part([0.0, -0.01, -0.01], [0.057, 0.01, 0.01]),
        part([0.057, -0.045, -0.02], [0.06, 0.045, 0.02]),
        part([0.06, -0.045, -0.02], [0.17, 0.045, -0.017]),
        part([0.06, -0.045, -0.017], [0.17, -0.042, 0.02]),
        part([0.06, 0.042, -0.017], [0.17, 0.045, 0.02]),
    ];
    let object = GraspObject::new(parts, None).unwrap();
    let object_in_prop = Isometry3::identity();
    Thing { name: "scoop", prop: "scoop", object, object_in_prop, roll: 0.0, over: 0.0202, force: 24.0 }
}
