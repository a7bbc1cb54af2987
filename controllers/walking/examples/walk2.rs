#![allow(dead_code)]
#[path = "../tests/pendulum/mod.rs"]
mod pendulum;
use pendulum::*;
use walking::*;
fn main() {
    for twist in [(0.0,0.0,0.0),(0.,0.15,0.)] {
        let mut p = Pendulum::new(GaitSettings::default(), 1);
        p.gait.walk(Twist{forward:twist.0, sideways:twist.1, turning:twist.2});
        p.run(6.0);
        for k in 0..1500 { p.step(); let e=p.dcm()-p.output.reference.dcm; if k%30==0 { let o=&p.output;
          println!("{:.3} {:?} {:?} t {:.3}/{:.3} dcm {:.3} {:.3} e {:.3} {:.3} {:.3} f {:.3} zmp {:.3} {:.3} ref {:.3} {:.3} feet {:.3} {:.3} {:?} {}", p.time, o.phase, o.side, o.elapsed[0], o.elapsed[1], p.dcm().x,p.dcm().y, e.x,e.y,e.z,(o.dcm-p.dcm()).norm(), o.wanted.zmp.x,o.wanted.zmp.y,o.reference.vrp.x,o.reference.vrp.y, o.feet[0].pose.translation.vector.y, o.feet[1].pose.translation.vector.y,o.capture, o.adjusted);} }
    }
}
