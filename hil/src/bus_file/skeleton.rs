//! The beginning of a bus file for the boards that were found on a cable.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Found, Reactions};

/// A bus file with the identity of every board that was found, in the order of the cable. What only its owner knows, types
/// and joints, is left open: until it is filled in the file is refused, line by line.
pub fn skeleton(found: &[Found]) -> String {
    let Reactions { ride_through, stale_after, command_age, .. } = Reactions::default();
    let types: Vec<&str> = crate::board::TYPES.iter().map(|(word, _)| *word).collect();
    let types = types.join(", ");
    let mut text = format!(
        "# What was found on the cable, {} boards. To do for each: its type and what that type wants to know\n\
         # (hil/README.md). Types: {types}.\n\n\
         name = \"my bus\"\n\
         watchdog_ms = 20 # without outputs for so long, a board does what its bus_loss says\n\n\
         [reactions]\n\
         ride_through = {ride_through} # cycles\n\
         stale_after = {stale_after} # cycles\n\
         command_age = {command_age} # cycles\n\
         stop = \"damp\" # what healthy boards do once the robot is stopped: hold, damp or off\n",
        found.len()
    );
    let mut aliases = BTreeSet::new();
    for (index, board) in found.iter().enumerate() {
        // a second board with the same alias could not be found by it
        let alias = Some(board.alias).filter(|alias| *alias != 0 && aliases.insert(*alias));
        text.push_str(&board_text(index + 1, board, alias));
    }
    text
}

fn board_text(place: usize, board: &Found, alias: Option<u16>) -> String {
    let Found { vendor, product, revision, serial, .. } = board;
    // the EEPROM's text may hold anything, a comment may not
    let name: String = board.name.chars().filter(|letter| !letter.is_control()).collect();
    let mut text = format!(
        "\n[[board]] # place {place}: {name}\n\
         name = \"board_{place}\"\n\
         type = \"\" # to do\n\
         vendor = {vendor:#x}\n\
         product = {product:#x}\n\
         revision = {revision:#x} # leave out if any will do\n"
    );
    // writing to a String cannot fail
    if *serial != 0 {
        let _ = writeln!(text, "serial = {serial} # leave out if any will do");
    }
    if let Some(alias) = alias {
        let _ = writeln!(text, "alias = {alias} # leave out if the place on the cable counts");
    }
    text.push_str("joint = \"\" # to do\n");
    text
}
