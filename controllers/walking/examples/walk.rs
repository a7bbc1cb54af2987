//! dbg
#[path = "../tests/pendulum/mod.rs"]
mod pendulum;
use pendulum::*;
use walking::*;
fn main() {
    for twist in [(0.0,0.0,0.0),(0.3,0.,0.),(0.6,0.,0.),(0.,0.15,0.),(0.,0.,0.3)] {
        let mut p = Pendulum::new(GaitSettings::default(), 1);
        p.gait.walk(Twist{forward:twist.0, sideways:twist.1, turning:twist.2});
        let ok = p.run(6.0);
        let (m0,y0)=(p.middle(), p.gait.feet_when_landed()[0].yaw);
        let mut worst=0.0_f64; let mut adj=0; let mut n=0;
        for _ in 0..7200 { p.step(); n+=1; worst=worst.max((p.dcm()-p.output.reference.dcm).norm()); adj+=p.output.adjusted as usize; }
        let d = p.middle()-m0; let t=p.gait.feet_when_landed()[0].yaw-y0;
        println!("{twist:?} ok {ok} speed {:.3} {:.3} turn {:.3} worst {worst:.3} adj {adj}/{n} outside {:.4} fallen {}", d.x/7.2,d.y/7.2,t/7.2,p.outside,p.fallen());
        p.gait.stop();
        println!("  stop {} stands {} {:?} v {:.3}", p.run(6.0), p.stands(), p.output.phase, p.velocity.norm());
    }
}
