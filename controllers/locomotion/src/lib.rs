//! locomotion
