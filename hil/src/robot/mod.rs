//! The robot as a controller sees it over a bus: [`RobotIo`](robot_io::RobotIo) and [`Clock`](robot_io::Clock).
