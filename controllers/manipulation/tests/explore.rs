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
