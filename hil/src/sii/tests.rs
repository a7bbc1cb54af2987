//! Images there and back, and images that nobody built.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

fn example() -> Sii {
    let identity = SiiIdentity { vendor: 0x664, product: 0x402, revision: 3, serial: 4 };
    let mailbox = Mailboxes { out_start: 0x1000, out_size: 128, in_start: 0x1080, in_size: 128, protocols: 4 };
    let mut sii = Sii { configuration: [0x0c05, 0, 0, 0], alias: 0x1234, identity, mailbox, ..Sii::default() };
    let (order, group) = (sii.add_string("KNEE"), sii.add_string("legs"));
    sii.general =
        Some(General { order, group, name: order, coe_details: 0x23, current: -5, ports: 0x11, ..General::default() });
    sii.fmmus = vec![1, 2, 3, 0xff];
    sii.sync_managers = vec![SyncManager { start: 0x1000, length: 128, control: 0x26, enable: 1, usage: 1 }];
    let entry = SiiEntry { index: 0x6040, sub: 0, name: 0, data_type: 6, bits: 16 };
    sii.rx_pdos = vec![SiiPdo { index: 0x1600, sync_manager: 2, name: group, flags: 1, entries: vec![entry] }];
    sii.clocks = vec![Clock { activate: 0x300, sync0_shift: -7, ..Clock::default() }];
    sii
}

#[test]
fn the_image_is_laid_out_as_the_standard_says() {
    let image = example().build();
    assert_eq!(image.len(), 2048);
    assert_eq!(image[..10], [0x05, 0x0c, 0, 0, 0, 0, 0, 0, 0x34, 0x12]);
    assert_eq!(image[0x10..0x20], [0x64, 0x06, 0, 0, 0x02, 0x04, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
    assert_eq!(image[0x30..0x3a], [0x00, 0x10, 0x80, 0, 0x80, 0x10, 0x80, 0, 4, 0]);
    assert_eq!(image[0x7c..0x80], [15, 0, 1, 0], "16 kbit, version 1");
    // strings: two of them, an odd byte filled up
    assert_eq!(image[0x80..0x90], [10, 0, 6, 0, 2, 4, b'K', b'N', b'E', b'E', 4, b'l', b'e', b'g', b's', 0xff]);
    // general information: 16 words
    assert_eq!(image[0x90..0xa0], [30, 0, 16, 0, 2, 0, 1, 1, 0, 0x23, 0, 0, 0, 0, 0, 0]);
    assert_eq!(image[0xa0..0xa6], [0xfb, 0xff, 2, 0, 0x11, 0], "current, group again, ports");
    assert_eq!(image[0xb4..0xbc], [40, 0, 2, 0, 1, 2, 3, 0xff]);
    assert_eq!(image[0xbc..0xc8], [41, 0, 4, 0, 0x00, 0x10, 0x80, 0, 0x26, 0, 1, 1]);
    assert_eq!(image[0xc8..0xdc], [51, 0, 8, 0, 0x00, 0x16, 1, 2, 0, 2, 1, 0, 0x40, 0x60, 0, 0, 6, 16, 0, 0]);
    assert_eq!(image[0xdc..0xe0], [60, 0, 12, 0]);
    assert_eq!(image[0xf8..0xfa], [0xff, 0xff]);
}

/// Words 0 to 7 of a Beckhoff EL2828, as dumped from one by ethercrab's authors (`dumps/eeprom/el2828.hex`).
#[test]
fn the_checksum_of_a_real_board_is_right() {
    let bytes = [0x04, 0x01, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xe2, 0];
    assert_eq!(checksum(&bytes[..14]), bytes[14]);
}

#[test]
fn errors_name_the_word() {
    let image = example().build();
    let word = |image: &[u8]| Sii::parse(image).unwrap_err().word;
    assert_eq!(word(&image[..100]), 0);
    assert_eq!(word(&[&image[..8], &[0; 2], &image[10..]].concat()), 7, "checksum");
    assert_eq!(word(&image[..0x84]), 0x42, "category cut");
    assert_eq!(word(&image[..0xf8]), 0x7c, "no end");
    let changed = |at: usize, value: u8| [&image[..at], &[value], &image[at + 1..]].concat();
    assert_eq!(word(&changed(0x83, 0xff)), 0x42, "length beyond the image");
    assert_eq!(word(&changed(0x84, 9)), 0x47, "a third string");
    assert_eq!(word(&changed(0xce, 2)), 0x66, "a second entry");
    let message = Sii::parse(&changed(0xce, 2)).unwrap_err().to_string();
    assert_eq!(message, "EEPROM word 0x0066: expected 2 entries of 0x1600, found 1");
}

#[test]
fn blank_and_empty_images_end() {
    let blank = [0xff; 2048];
    assert_eq!(Sii::parse(&blank).unwrap_err().word, 7);
    let mut empty = vec![0; 2048];
    empty[14] = checksum(&empty[..14]);
    // zeros are empty categories of type 0 up to the image's end
    assert_eq!(Sii::parse(&empty).unwrap_err().word, 1024);
}

fn text() -> impl Strategy<Value = String> {
    "[ -~]{1,40}"
}

prop_compose! {
    fn pdo()(index: u16, sync_manager: u8, name: u8, flags: u16,
             entries in prop::collection::vec(any::<(u16, u8, u8, u8, u8)>(), 0..12)) -> SiiPdo {
        let entry = |(index, sub, name, data_type, bits)| SiiEntry { index, sub, name, data_type, bits };
        SiiPdo { index, sync_manager, name, flags, entries: entries.into_iter().map(entry).collect() }
    }
}

prop_compose! {
    fn any_sii()(configuration: [u16; 4], alias: u16, identity: [u32; 4], mailbox: [u16; 5],
                 strings in prop::collection::vec(text(), 0..8),
                 general in prop::option::of(any::<([u8; 6], i16, u16)>()),
                 fmmus in prop::collection::vec(any::<[u8; 2]>(), 0..8),
                 managers in prop::collection::vec(any::<(u16, u16, [u8; 3])>(), 0..8),
                 tx_pdos in prop::collection::vec(pdo(), 0..4),
                 rx_pdos in prop::collection::vec(pdo(), 0..4),
                 clocks in prop::collection::vec(any::<(u32, [i32; 2], i16, u16, i16, [u8; 2])>(), 0..3)) -> Sii {
        let [vendor, product, revision, serial] = identity;
        let [out_start, out_size, in_start, in_size, protocols] = mailbox;
        let general = general.map(|([group, image, order, name, coe_details, flags], current, ports)| General {
            group, image, order, name, coe_details, flags, current, ports,
        });
        let manager = |(start, length, [control, enable, usage]): (u16, u16, [u8; 3])| SyncManager { start, length, control, enable, usage };
        let clock = |(sync0_cycle, [sync0_shift, sync1_shift], sync1_factor, activate, sync0_factor, names): (
            u32, [i32; 2], i16, u16, i16, [u8; 2],
        )| Clock {
            sync0_cycle, sync0_shift, sync1_shift, sync1_factor, activate, sync0_factor, name: names[0], description: names[1],
        };
        Sii {
            configuration, alias, strings, general, tx_pdos, rx_pdos,
            identity: SiiIdentity { vendor, product, revision, serial },
            mailbox: Mailboxes { out_start, out_size, in_start, in_size, protocols },
            fmmus: fmmus.concat(),
            sync_managers: managers.into_iter().map(manager).collect(),
            clocks: clocks.into_iter().map(clock).collect(),
        }
    }
}

proptest! {
    #[test]
    fn what_is_built_is_parsed(sii in any_sii()) {
        prop_assert_eq!(Sii::parse(&sii.build()).unwrap(), sii);
    }

    #[test]
    fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..600), right: bool) {
        if right && bytes.len() > 16 {
            bytes[14] = checksum(&bytes[..14]);
        }
        let _ = Sii::parse(&bytes);
    }

    #[test]
    fn any_damage_is_survived(sii in any_sii(), damage in prop::collection::vec((128_usize..2048, any::<u8>()), 1..8)) {
        let mut image = sii.build();
        damage.iter().for_each(|(at, byte)| image[*at] = *byte);
        let _ = Sii::parse(&image);
    }
}
