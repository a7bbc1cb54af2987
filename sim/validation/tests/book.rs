//! Every case of the book is within its limit, and the book is whole.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use validation::book;

#[test]
fn every_case_is_within_its_limit() {
    let mut wrong = Vec::new();
    for case in book() {
        let error = (case.error)().unwrap();
        println!("{:22} {error:10.2e} {:5} limit {:.0e}", case.name, case.unit, case.limit);
        if error.is_nan() || error > case.limit {
            wrong.push(format!("{}: {error:.3e} {}, limit {:.0e}", case.name, case.unit, case.limit));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_two_cases_have_one_name() {
    let names: BTreeSet<&str> = book().map(|case| case.name).collect();
    assert_eq!(names.len(), book().count());
}
