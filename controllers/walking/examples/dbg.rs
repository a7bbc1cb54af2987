#![allow(dead_code, missing_docs)]
#[path = "../tests/pendulum/mod.rs"]
mod pendulum;
use pendulum::*;
use walking::*;
fn main() {
    for f in [0.0, 0.3, 0.6] {
        let mut w = (0.0_f64, 0.0, Phase::Standing, Phase::Standing);
        let mut adj = 0;
        let mut worst_out = 0;
        for k in 0..30 {
            let mut p = Pendulum::new(GaitSettings::default(), 3);
            p.gait.walk(Twist { forward: f, sideways: 0., turning: 0. });
            p.run(4.0 + 0.07 * k as f64);
            p.gait.stop();
            let mut b = p.output;
            let mut n = 0;
            for _ in 0..6000 {
                p.step();
                let d = (p.output.reference.dcm - b.reference.dcm).norm();
                if d > w.0 {
                    w = (d, p.time, b.phase, p.output.phase);
                }
                adj += p.output.adjusted as usize;
                if p.output.phase != b.phase && p.output.phase == Phase::SingleSupport {
                    n += 1;
                }
                b = p.output;
            }
            worst_out = worst_out.max(n);
        }
        println!("{f}: {w:?} adj {adj} steps {worst_out}");
    }
}
