#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]
mod support;
use manipulation::*;
use nalgebra::Isometry3;
use support::*;
#[test]
#[ignore = "prints"]
fn look() {
    for name in ["centaur", "humanoid"] {
        let robot = robot(name);
        let model = model(&robot);
        let n = |l: usize| robot.tree.links[l].name.clone();
        for e in model.excluded() { if e.reason != Reason::HangTogether { println!("{name} {} {} {:?}", n(e.one), n(e.two), e.reason); } }
        for (i, l) in robot.tree.links.iter().enumerate() { let s = model.spheres(i).len(); if s > 0 { print!("{} {s}, ", l.name); } }
        println!();
        let groups: Vec<Vec<&str>> = vec![vec!["left_arm"], vec![if name=="centaur" {"spine"} else {"waist"}, "left_arm", "right_arm"]];
        for g in groups {
            let g: Vec<&str> = g.into_iter().filter(|l| robot.description.limb(l).is_some()).collect();
            let group = joints(&robot, &g);
            let standing = standing(&robot);
            let mut c = Checker::new(&model, &table(0.45, 0.1), &Isometry3::identity(), &group, &standing).unwrap();
            let q: Vec<f64> = group.iter().map(|j| standing[*j]).collect();
            for e in c.excluded() { println!("{name} {} {} {:?}", n(e.one), n(e.two), e.reason); } println!("{g:?} {} joints {} spheres, standing {:?}", group.len(), c.spheres(), c.hit(&q).unwrap());
            let mut r = Random(1);
            let lim = c.limits().to_vec();
            let mut free = 0;
            let mut hits = std::collections::BTreeMap::new();
            for _ in 0..2000 { match c.hit(&r.within(&lim)).unwrap() { None => free += 1, Some(h) => *hits.entry(format!("{h:?}")).or_insert(0) += 1 } }
            println!("free {free} of 2000");
            let mut h: Vec<_> = hits.into_iter().collect(); h.sort_by_key(|x| -x.1);
            for (k, v) in h.iter().take(12) { println!("  {v} {k}"); }
        }
        for l in &robot.description.limbs { print!("{} ", l.name); } println!();
    }
}
#[test]
#[ignore = "prints"]
fn jerk() {
    let mut r = Random(5);
    for _ in 0..3000 {
        let n = 2 + (r.share() * 5.0) as usize;
        let corners: Vec<Vec<f64>> = (0..n).map(|_| r.within(&[[-2.0, 2.0]; 4])).collect();
        let stops: Vec<bool> = (0..n).map(|_| r.share() < 0.5).collect();
        let l = MotionLimits { velocity: r.within(&[[0.3, 3.0]; 4]), acceleration: r.within(&[[1.0, 10.0]; 4]), jerk: r.within(&[[10.0, 200.0]; 4]) };
        let t = Trajectory::new(JointPath::through(&corners, &stops, &PathSettings::default(), None).unwrap(), &l).unwrap();
        let (mut a, mut b) = (JointStates::new(4), JointStates::new(4));
        t.at(0.0, &mut b).unwrap();
        let mut time = 1e-3;
        while time < t.duration() {
            t.at(time, &mut a).unwrap();
            for j in 0..4 { let je = (a.accelerations[j] - b.accelerations[j]).abs() / 1e-3;
                if je > l.jerk[j] * 1.0001 { println!("joint {j} {je} of {} at {time}: {:?} {:?} of {} -- {:?} {:?}", l.jerk[j], t.along(time - 1e-3), t.along(time), t.path().length(), t.path().stops().collect::<Vec<_>>(), a.accelerations[j]); } }
            core::mem::swap(&mut a, &mut b); time += 1e-3;
        }
    }
}
