//! The boards on a cable against those of the file.

use hil::bus_file::{BusPlan, Found, compare, skeleton};
use proptest::prelude::*;

use super::board::plan;

/// A bus of five: three motors with serial numbers, one with an alias instead, and a sensor that any of its kind may be.
fn five() -> BusPlan {
    let board = |name: &str, rest: &str| format!("[[board]]\nname = \"{name}\"\nvendor = 0x664\n{rest}\n");
    let motor = "type = \"motor\"\nproduct = 0x10\nencoder.counts = 9\n";
    let text = [
        "name = \"five\"\nwatchdog_ms = 10\n".to_owned(),
        board("hip", &format!("{motor}joint = \"hip\"\nserial = 1\nrevision = 3")),
        board("knee", &format!("{motor}joint = \"knee\"\nserial = 2")),
        board("wheel", &format!("{motor}joint = \"wheel\"\nserial = 3")),
        board("body", "type = \"sensor\"\nproduct = 0x20\nalias = 9"),
        board("foot", "type = \"sensor\"\nproduct = 0x30"),
    ];
    plan(&text.concat()).unwrap()
}

fn found(product: u32, serial: u32, alias: u16) -> Found {
    let name = if product == 0x10 { "motor" } else { "sensor" };
    Found { alias, vendor: 0x664, product, revision: 3, serial, name: name.to_owned() }
}

/// The cable as the file wants it.
fn cable() -> Vec<Found> {
    vec![found(0x10, 1, 0), found(0x10, 2, 0), found(0x10, 3, 0), found(0x20, 0, 9), found(0x30, 0, 0)]
}

/// What `compare` tells, without its heading.
fn told(cable: &[Found]) -> Vec<String> {
    let message = compare(cable, &five()).unwrap_err().to_string();
    let mut lines = message.lines();
    assert_eq!(lines.next(), Some("the boards on the cable are not those of bus.toml:"));
    lines.map(|line| line.strip_prefix("  ").unwrap().to_owned()).collect()
}

#[test]
fn boards_in_order_are_found_and_an_alias_wherever_it_is() {
    assert_eq!(compare(&cable(), &five()), Ok(vec![0, 1, 2, 3, 4]));
    let mut moved = cable();
    let body = moved.remove(3);
    moved.insert(0, body);
    assert_eq!(compare(&moved, &five()), Ok(vec![1, 2, 3, 0, 4]));
}

#[test]
fn swapped_boards_are_told_each_with_its_place() {
    let mut swapped = cable();
    swapped.swap(0, 2);
    assert_eq!(
        told(&swapped),
        [
            "board 'hip' sits at place 3, where 'wheel' belongs: expected place 1",
            "board 'wheel' sits at place 1, where 'hip' belongs: expected place 3",
        ]
    );
    let mut turned = cable();
    turned[..3].rotate_left(1);
    assert_eq!(
        told(&turned),
        [
            "board 'hip' sits at place 3, where 'wheel' belongs: expected place 1",
            "board 'knee' sits at place 1, where 'hip' belongs: expected place 2",
            "board 'wheel' sits at place 2, where 'knee' belongs: expected place 3",
        ]
    );
}

#[test]
fn a_missing_board_is_told_once_although_all_later_ones_move_up() {
    for (index, line) in [
        (0, "board 'hip' is missing: expected at the beginning of the cable"),
        (1, "board 'knee' is missing: expected behind board 'hip'"),
        (4, "board 'foot' is missing: expected behind board 'wheel'"),
    ] {
        let mut short = cable();
        short.remove(index);
        assert_eq!(told(&short), [line]);
    }
    assert_eq!(told(&[]).len(), 5);
}

#[test]
fn an_extra_board_is_told() {
    let mut long = cable();
    long.insert(1, found(0x77, 12, 0));
    let extra = "not in the file: 'sensor', vendor 0x664, product 0x77, revision 0x3, serial 12";
    assert_eq!(told(&long), [format!("place 2: {extra}")]);
}

#[test]
fn a_wrong_board_and_a_wrong_revision_or_serial_are_told() {
    let mut wrong = cable();
    wrong[1] = found(0x77, 12, 0);
    assert_eq!(
        told(&wrong),
        ["board 'knee', place 2: expected vendor 0x664, product 0x10, found 'sensor', vendor 0x664, product 0x77, \
         revision 0x3, serial 12"]
    );
    let mut other = cable();
    (other[0].revision, other[0].serial, other[2].serial) = (4, 11, 0);
    assert_eq!(
        told(&other),
        [
            "board 'hip', place 1: expected revision 0x3, found 0x4; expected serial 1, found 11",
            "board 'wheel', place 3: expected serial 3, found 0",
        ]
    );
}

#[test]
fn aliases_that_nobody_or_somebody_else_has_are_told() {
    let mut none = cable();
    none[3].alias = 0;
    assert_eq!(told(&none), ["board 'body': no board has alias 9; the board at place 4 would fit, its alias is 0"]);
    none.remove(3);
    assert_eq!(told(&none), ["board 'body' is missing: no board has alias 9"]);
    let mut wrong = cable();
    wrong[3].product = 0x21;
    assert_eq!(
        told(&wrong),
        ["board 'body', place 4: expected vendor 0x664, product 0x20, found 'sensor', vendor 0x664, product 0x21, \
         revision 0x3, serial 0"]
    );
    let mut twice = cable();
    twice[4].alias = 9;
    assert_eq!(told(&twice), ["board 'body': alias 9 is given twice, at place 4 and place 5"]);
}

#[test]
fn all_is_told_at_once() {
    let mut bad = cable();
    bad.swap(0, 1);
    bad[2].serial = 30;
    bad[3].revision = 8;
    bad.push(found(0x20, 5, 0));
    assert_eq!(
        told(&bad),
        [
            "board 'hip' sits at place 2: expected at the beginning of the cable",
            "board 'wheel', place 3: expected serial 3, found 30",
            "place 6: not in the file: 'sensor', vendor 0x664, product 0x20, revision 0x3, serial 5",
        ]
    );
}

#[test]
fn a_skeleton_asks_for_what_only_the_owner_knows_and_then_fits_the_cable() {
    let cable = [found(0x10, 1, 0), found(0x10, 2, 4), Found { name: "odd\nname".to_owned(), ..found(0x10, 0, 4) }];
    let text = skeleton(&cable);
    let error = plan(&text).unwrap_err().to_string();
    assert!(
        error.contains("board 'board_1'.type: expected one of \"motor\", \"sensor\", found string `\"\"`"),
        "{error}"
    );
    let mut filled = text.replace("type = \"\"", "type = \"motor\"\nencoder.counts = 9");
    for joint in ["hip", "knee", "wheel"] {
        filled = filled.replacen("joint = \"\"", &format!("joint = \"{joint}\""), 1);
    }
    assert_eq!(compare(&cable, &plan(&filled).unwrap()).unwrap_err().to_string().lines().count(), 2, "alias 4 twice");
    let one = [cable[0].clone(), cable[1].clone(), Found { alias: 0, ..cable[2].clone() }];
    assert_eq!(compare(&one, &plan(&filled).unwrap()), Ok(vec![0, 1, 2]));
}

proptest! {
    /// Whatever is on the cable: no panic, and an answer only if every board is really there.
    #[test]
    fn any_cable_is_judged(boards in prop::collection::vec((0_u32..3, 0_u32..5, 0_u16..10), 0..9)) {
        let cable: Vec<Found> = boards.iter().map(|(kind, serial, alias)| found(0x10 << kind, *serial, *alias)).collect();
        let plan = five();
        match compare(&cable, &plan) {
            Ok(places) => {
                prop_assert_eq!(places.len(), plan.boards.len());
                for (board, place) in plan.boards.iter().zip(places) {
                    prop_assert_eq!(cable[place].product, board.identity.product);
                    prop_assert!(board.identity.serial.is_none_or(|serial| serial == cable[place].serial));
                }
            }
            Err(error) => prop_assert!(error.to_string().lines().count() > 1),
        }
    }
}
