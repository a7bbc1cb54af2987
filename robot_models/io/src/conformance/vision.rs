//! Scans and pictures: there in one cycle, complete, of the size that the layout promises.

use super::bench::Plain;
use super::{Check, Subject, Verdict, always};
use crate::{Digest, Period, Readings, RobotIo, RobotLayout, Sealed, Time};

/// A laser or camera that shows nothing for so long is blind.
const PATIENCE: Period = Period::from_milliseconds(1_000);

pub(super) const CHECKS: &[Check] = &[Check {
    name: "scans and pictures come once and in order, complete, of the right size",
    hindrance: always,
    run: come_once,
}];

/// What a scan or picture has in common with others.
struct Measurement {
    what: String,
    stamp: Time,
    complete: Time,
    digest: Digest,
    /// What it has another number of than the layout.
    size: Option<&'static str>,
}

fn measurements(readings: &Readings, layout: &RobotLayout) -> Vec<Option<Measurement>> {
    let rows = |count: usize, period: Period| Period::from_nanoseconds(count as u64 * period.nanoseconds());
    let scans = readings.scans.iter().zip(&layout.lasers).map(|(scan, laser)| {
        scan.as_ref().map(|scan| Measurement {
            what: format!("the scan of '{}'", laser.name),
            stamp: scan.stamp,
            complete: scan.stamp + scan.geometry.duration(),
            digest: scan.digest(),
            size: [
                ("geometry", scan.geometry == laser.geometry),
                ("number of distances", scan.ranges.len() == laser.geometry.beams),
                ("number of intensities", scan.intensities.len() == laser.geometry.beams),
            ]
            .into_iter()
            .find_map(|(what, same)| (!same).then_some(what)),
        })
    });
    let images = readings.images.iter().zip(&layout.cameras).map(|(image, camera)| {
        let (width, height) = (camera.intrinsics.width, camera.intrinsics.height);
        let fits = |image: &Sealed<crate::Image>| {
            (image.width, image.height, image.rgb.len()) == (width, height, 3 * width * height)
        };
        image.as_ref().map(|image| Measurement {
            what: format!("the picture of '{}'", camera.name),
            stamp: image.stamp,
            complete: image.stamp + rows(image.height, image.row_period),
            digest: image.digest(),
            size: (!fits(image)).then_some("number of pixels"),
        })
    });
    let depths = readings.depth_images.iter().zip(&layout.depth_cameras).map(|(image, camera)| {
        let (width, height) = (camera.intrinsics.width, camera.intrinsics.height);
        let fits = |image: &Sealed<crate::DepthImage>| {
            (image.width, image.height, image.depths.len()) == (width, height, width * height)
        };
        image.as_ref().map(|image| Measurement {
            what: format!("the depth picture of '{}'", camera.name),
            stamp: image.stamp,
            complete: image.stamp + rows(image.height, image.row_period),
            digest: image.digest(),
            size: (!fits(image)).then_some("number of pixels"),
        })
    });
    scans.chain(images).chain(depths).collect()
}

fn come_once(subject: &mut Subject<'_>, found: &mut Vec<String>) -> Verdict {
    let mut bench = Plain::active(subject)?;
    let layout = bench.robot.layout().clone();
    if layout.lasers.is_empty() && layout.cameras.is_empty() && layout.depth_cameras.is_empty() {
        return Ok(());
    }
    let mut last: Vec<Option<(Time, Digest)>> = vec![None; measurements(&Readings::new(&layout), &layout).len()];
    for _ in 0..PATIENCE.cycles_of(layout.period).max(1) {
        bench.cycle(|commands| {
            commands.take_image.fill(true);
            commands.take_depth_image.fill(true);
        })?;
        let now = bench.readings.time;
        for (seen, last) in measurements(&bench.readings, &layout).into_iter().zip(&mut last) {
            let Some(Measurement { what, stamp, complete, digest, size }) = seen else { continue };
            match last.replace((stamp, digest)) {
                Some((before, same)) if before == stamp && same == digest => {
                    found.push(format!("{what} of {stamp:?} is there again at {now:?}"));
                }
                Some((before, _)) if before >= stamp => {
                    found.push(format!("{what} is stamped {stamp:?} after {before:?}: backwards"));
                }
                _ => {}
            }
            if complete > now {
                found.push(format!("{what} is there at {now:?}, before it is complete at {complete:?}"));
            }
            if let Some(part) = size {
                found.push(format!("{what} has another {part} than the layout"));
            }
        }
        if !found.is_empty() {
            return Ok(());
        }
    }
    let blind = last.iter().filter(|last| last.is_none()).count();
    if blind > 0 {
        Err(format!("{blind} of {} lasers and cameras show nothing in {PATIENCE:?}", last.len()))
    } else {
        Ok(())
    }
}
