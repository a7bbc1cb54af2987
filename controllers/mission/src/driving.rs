/// Placeholder while locomotion is being written.
#[derive(Debug)]
pub struct Driving;
