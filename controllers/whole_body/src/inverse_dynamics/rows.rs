//! The equation of motion, the contacts, the limits and the tasks as rows over (accelerations, wrenches).

use robot_model::{BASE_DOF, JointLimits};

use crate::dense::add_scaled;
use crate::inverse_dynamics::{InverseDynamics, Meaning};
use crate::joint_limits::{acceleration_range, most_towards};
use crate::tasks::Goal;

impl InverseDynamics {
    /// All of the problem, for the state that was observed.
    pub(super) fn write_problem(&mut self) {
        let dof = self.state.tree.velocity_dof();
        let active = self.contacts.iter().filter(|bound| bound.is_active);
        self.problem.begin(dof + active.map(|bound| bound.contact.dimension()).sum::<usize>());
        self.meanings.clear();
        self.write_contacts();
        self.write_base();
        self.write_accelerations();
        self.write_torques();
        self.write_cones();
        self.write_distances();
        self.write_tasks();
    }

    /// J a = wanted.
    fn write_contacts(&mut self) {
        for bound in self.contacts.iter().filter(|bound| bound.is_active) {
            for axis in 0..bound.contact.dimension() {
                let row = self.problem.equalities.push(bound.acceleration[axis]);
                row.iter_mut().zip(bound.jacobian.row(axis).iter()).for_each(|(to, from)| *to = *from);
            }
        }
    }

    /// M_b a − J_bᵀ f = −h_b, per kilogram of the robot.
    fn write_base(&mut self) {
        let (variables, per_mass) = (self.problem.variables, 1.0 / self.state.mass.max(1e-9));
        let mut row = core::mem::take(&mut self.row);
        for coordinate in 0..BASE_DOF {
            self.write_motion(coordinate, &mut row[..variables]);
            let target = -per_mass * self.state.data.efforts[coordinate];
            add_scaled(self.problem.equalities.push(target), per_mass, &row[..variables]);
        }
        self.row = row;
    }

    /// The row of M a − Jᵀ f that belongs to a velocity coordinate.
    fn write_motion(&self, coordinate: usize, row: &mut [f64]) {
        let dof = self.state.tree.velocity_dof();
        let (accelerations, mut wrenches) = row.split_at_mut(dof);
        // the mass matrix is symmetric: a column is a row
        accelerations.copy_from_slice(&self.state.data.mass_matrix.as_slice()[coordinate * dof..][..dof]);
        for bound in self.contacts.iter().filter(|bound| bound.is_active) {
            let (here, rest) = wrenches.split_at_mut(bound.contact.dimension());
            for (axis, number) in here.iter_mut().enumerate() {
                *number = -bound.jacobian[(axis, coordinate)] * self.units.of(axis);
            }
            wrenches = rest;
        }
    }

    fn write_accelerations(&mut self) {
        let settings = &self.settings;
        for (number, joint) in self.state.tree.joints.iter().enumerate() {
            let limits = JointLimits { velocity: joint.limits.velocity * settings.speed_share, ..joint.limits };
            let position = self.state.configuration.joints[number];
            let velocity = self.state.velocity[BASE_DOF + number];
            let (ahead, most) = (settings.look_ahead, settings.joint_acceleration);
            let (lower, upper) = acceleration_range(&limits, position, velocity, ahead, most);
            self.problem.limits.bound(BASE_DOF + number, lower, upper);
        }
    }

    fn write_torques(&mut self) {
        let variables = self.problem.variables;
        let mut row = core::mem::take(&mut self.row);
        for number in 0..self.state.tree.dof() {
            let most = self.state.tree.joints[number].limits.effort * self.settings.effort_share;
            if most.is_infinite() {
                continue;
            }
            let coordinate = BASE_DOF + number;
            let bias = self.state.data.efforts[coordinate];
            self.write_motion(coordinate, &mut row[..variables]);
            self.problem.limits.push(0, -most - bias, most - bias, row[..variables].iter().copied());
            self.meanings.push(Meaning::Torque(number));
        }
        self.row = row;
    }

    fn write_cones(&mut self) {
        let mut first = self.state.tree.velocity_dof();
        for (number, bound) in self.contacts.iter().enumerate().filter(|(_, bound)| bound.is_active) {
            let count = bound.contact.limit(first, self.units.force, self.units.arm, &mut self.problem.limits);
            self.meanings.extend(core::iter::repeat_n(Meaning::Contact(number), count));
            first += bound.contact.dimension();
        }
    }

    /// A distance is kept like a joint's limit: gradient · a + bias ≥ −approach. One that may be approached with all that it
    /// could be stopped with is no limit.
    fn write_distances(&mut self) {
        if self.lets_touch {
            return;
        }
        let most = self.settings.distance_braking;
        for (number, pair) in self.pairs.iter_mut().enumerate() {
            for found in pair.look(&self.state).iter().flatten() {
                let room = found.distance - self.settings.least_distance;
                let approach = most_towards(room, f64::INFINITY, -found.speed, self.settings.look_ahead, most);
                if approach < most {
                    pair.differentiate(found, &mut self.state);
                    let row = pair.gradient.iter().copied();
                    self.problem.limits.push(0, -approach - found.bias, f64::INFINITY, row);
                    self.meanings.push(Meaning::Distance(number));
                }
            }
        }
    }

    /// a* + 2ζω (v* − v) + ω² (p* − p) − J̇ v of each task, times the root of its weight.
    fn write_tasks(&mut self) {
        for bound in self.tasks.iter().filter(|bound| bound.task.weight > 0.0) {
            self.observation.observe(bound, &mut self.state);
            let task = &bound.task;
            let stiffness = task.frequency * task.frequency;
            let damping = match task.goal {
                Goal::AngularMomentum(_) => task.frequency,
                _ => 2.0 * task.damping_ratio * task.frequency,
            };
            let root = task.weight.max(0.0).sqrt();
            let level = &mut self.problem.levels[bound.level];
            for (number, sight) in self.observation.sights.iter().enumerate() {
                let wanted = sight.forward + damping * sight.rate + stiffness * sight.error - sight.bias;
                add_scaled(level.push(root * wanted), root, self.observation.jacobian.row(number));
            }
        }
    }
}
