//! `chiron bus import`: a maker's ESI file as the beginning of a `[[board]]`.

use hil::esi::{self, EsiDevice};

use crate::ScenarioError;
use crate::cli::ImportArgs;
use crate::outcome::Outcome;

/// Prints the board, or the list of devices.
pub fn import(args: &ImportArgs) -> Result<Outcome, ScenarioError> {
    let bytes = std::fs::read(&args.file).map_err(|error| ScenarioError::file(&args.file, "read", &error))?;
    let devices = esi::read(&bytes, &args.file.display().to_string())?;
    if args.list {
        devices.iter().for_each(|device| println!("{}", row(device)));
        return Ok(Outcome::Passed);
    }
    let device = chosen(&devices, args)?;
    println!("# from {}:{}", args.file.display(), device.line);
    print!("{}", esi::board_text(device, &args.name));
    Ok(Outcome::Passed)
}

fn row(device: &EsiDevice) -> String {
    let EsiDevice { type_name, product, revision, name, line, .. } = device;
    format!("{type_name:24}  product {product:#010x}  revision {revision:#010x}  line {line:6}  {name}")
}

/// The one device that fits; of several revisions the newest.
fn chosen<'d>(devices: &'d [EsiDevice], args: &ImportArgs) -> Result<&'d EsiDevice, ScenarioError> {
    let number = |text: &str, flag: &str| {
        let wrong = || ScenarioError::Usage(format!("{flag}: expected a number (0x1A2B or decimal), found '{text}'"));
        esi::number(text).and_then(|number| u32::try_from(number).ok()).ok_or_else(wrong)
    };
    let revision = args.revision.as_ref().map(|text| number(text, "--revision")).transpose()?;
    let fits = |device: &&EsiDevice| {
        let wanted = args.device.as_ref().is_none_or(|wanted| {
            device.type_name.eq_ignore_ascii_case(wanted) || esi::number(wanted) == Some(device.product.into())
        });
        wanted && revision.is_none_or(|revision| device.revision == revision)
    };
    let found: Vec<&EsiDevice> = devices.iter().filter(fits).collect();
    let newest = found.iter().copied().max_by_key(|device| device.revision);
    match newest {
        Some(newest) if found.iter().all(|device| device.product == newest.product) => Ok(newest),
        _ => {
            let expected = if found.is_empty() { "a device of the file" } else { "one of several devices" };
            let listed = if found.is_empty() { devices.iter().collect() } else { found };
            let rows: Vec<String> = listed.into_iter().map(|device| format!("\n  {}", row(device))).collect();
            let file = args.file.display();
            Err(ScenarioError::Usage(format!(
                "{file}: expected {expected} by --device and --revision; there are:{}",
                rows.concat()
            )))
        }
    }
}
