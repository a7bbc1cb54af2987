//! What a wrapper passes on unchanged, said once.

/// Writes methods of [`RobotIo`](crate::RobotIo) that pass everything on to the robot in a field.
///
/// A wrapper names its field and the methods that are not its own; it writes the others itself.
///
/// ```
/// use robot_io::{Commands, DummyRobot, Events, IoError, Lifecycle, Readings, RobotIo, RobotLayout};
///
/// /// A robot that counts how often it was told something.
/// struct Counted<R> {
///     inner: R,
///     writes: u64,
/// }
///
/// impl<R: RobotIo> RobotIo for Counted<R> {
///     robot_io::delegate_robot_io!(inner: layout, lifecycle, transition, read, drain_events);
///
///     fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
///         self.writes += 1;
///         self.inner.write(commands)
///     }
/// }
///
/// let layout = RobotLayout::example();
/// let mut robot = Counted { inner: DummyRobot::new(layout.clone()), writes: 0 };
/// robot.write(&Commands::new(&layout)).unwrap();
/// assert_eq!(robot.writes, 1);
/// ```
#[macro_export]
macro_rules! delegate_robot_io {
    ($field:tt: $($method:ident),+ $(,)?) => {
        $($crate::delegate_robot_io!(@ $field $method);)+
    };
    (@ $field:tt layout) => {
        fn layout(&self) -> &$crate::RobotLayout {
            $crate::RobotIo::layout(&self.$field)
        }
    };
    (@ $field:tt lifecycle) => {
        fn lifecycle(&self) -> $crate::Lifecycle {
            $crate::RobotIo::lifecycle(&self.$field)
        }
    };
    (@ $field:tt transition) => {
        fn transition(&mut self, to: $crate::Lifecycle) -> ::core::result::Result<(), $crate::IoError> {
            $crate::RobotIo::transition(&mut self.$field, to)
        }
    };
    (@ $field:tt read) => {
        fn read(&mut self, readings: &mut $crate::Readings) -> ::core::result::Result<(), $crate::IoError> {
            $crate::RobotIo::read(&mut self.$field, readings)
        }
    };
    (@ $field:tt write) => {
        fn write(&mut self, commands: &$crate::Commands) -> ::core::result::Result<(), $crate::IoError> {
            $crate::RobotIo::write(&mut self.$field, commands)
        }
    };
    (@ $field:tt drain_events) => {
        fn drain_events(&mut self, events: &mut $crate::Events) {
            $crate::RobotIo::drain_events(&mut self.$field, events);
        }
    };
}
