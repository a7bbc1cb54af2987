//! Addresses of an EtherCAT SubDevice controller's registers (ETG.1000.4, section 6).

/// Type of the controller [1 byte].
pub const TYPE: u16 = 0x0000;
/// Number of FMMUs [1 byte].
pub const FMMU_COUNT: u16 = 0x0004;
/// Number of sync managers [1 byte].
pub const SYNC_MANAGER_COUNT: u16 = 0x0005;
/// Size of the process memory [KiB, 1 byte].
pub const RAM_SIZE: u16 = 0x0006;
/// What each port is made of [1 byte].
pub const PORT_DESCRIPTOR: u16 = 0x0007;
/// What the controller can do [2 bytes].
pub const FEATURES: u16 = 0x0008;
/// The station address that the MainDevice gives [2 bytes].
pub const STATION_ADDRESS: u16 = 0x0010;
/// The second address, from the EEPROM [2 bytes].
pub const STATION_ALIAS: u16 = 0x0012;
/// Data link control: forwarding, ports, and bit 24: the alias counts too [4 bytes].
pub const DL_CONTROL: u16 = 0x0100;
/// Data link status: links, loops [2 bytes].
pub const DL_STATUS: u16 = 0x0110;
/// The state asked for [2 bytes].
pub const AL_CONTROL: u16 = 0x0120;
/// The state [2 bytes].
pub const AL_STATUS: u16 = 0x0130;
/// Why a state was refused [2 bytes].
pub const AL_STATUS_CODE: u16 = 0x0134;
/// How the processor is connected [2 bytes].
pub const PDI_CONTROL: u16 = 0x0140;
/// Settings of that [4 bytes].
pub const PDI_CONFIGURATION: u16 = 0x0150;
/// Which events datagrams report [2 bytes].
pub const EVENT_MASK: u16 = 0x0200;
/// The controller's events for the MainDevice [2 bytes].
pub const EVENT_REQUEST: u16 = 0x0210;
/// The controller's events for its processor [4 bytes].
pub const AL_EVENT_REQUEST: u16 = 0x0220;
/// Broken frames, two bytes for each port [8 bytes].
pub const RX_ERRORS: u16 = 0x0300;
/// Frames that were already broken, for each port [4 bytes].
pub const FORWARDED_ERRORS: u16 = 0x0308;
/// Frames that could not be processed [1 byte].
pub const PROCESSING_ERRORS: u16 = 0x030c;
/// How often each port lost its link [4 bytes].
pub const LOST_LINKS: u16 = 0x0310;
/// The watchdogs' clock: (divider + 2) · 40 ns [2 bytes].
pub const WATCHDOG_DIVIDER: u16 = 0x0400;
/// The processor's watchdog [ticks, 2 bytes].
pub const WATCHDOG_PDI: u16 = 0x0410;
/// The outputs' watchdog [ticks, 2 bytes].
pub const WATCHDOG_OUTPUTS: u16 = 0x0420;
/// Bit 0: the outputs' watchdog has not expired [2 bytes].
pub const WATCHDOG_STATUS: u16 = 0x0440;
/// How often the outputs' watchdog expired [1 byte].
pub const WATCHDOG_OUTPUTS_EXPIRED: u16 = 0x0442;
/// How often the processor's watchdog expired [1 byte].
pub const WATCHDOG_PDI_EXPIRED: u16 = 0x0443;
/// Who has the EEPROM [1 byte].
pub const SII_CONFIGURATION: u16 = 0x0500;
/// The EEPROM's command and errors [2 bytes].
pub const SII_CONTROL: u16 = 0x0502;
/// Address in the EEPROM [words, 4 bytes].
pub const SII_ADDRESS: u16 = 0x0504;
/// What was read or is to be written [8 bytes].
pub const SII_DATA: u16 = 0x0508;
/// The first FMMU; each has 16 bytes.
pub const FMMU: u16 = 0x0600;
/// The first sync manager; each has 8 bytes.
pub const SYNC_MANAGER: u16 = 0x0800;
/// When a frame was received at port 0; a write latches all ports [4 bytes for each].
pub const RECEIVE_TIMES: u16 = 0x0900;
/// The system time; a write is compared with it [8 bytes].
pub const SYSTEM_TIME: u16 = 0x0910;
/// When a frame was received by the processing unit [8 bytes].
pub const RECEIVE_TIME: u16 = 0x0918;
/// System time minus local time [8 bytes].
pub const SYSTEM_TIME_OFFSET: u16 = 0x0920;
/// How long a frame takes from the reference clock [ns, 4 bytes].
pub const TRANSMISSION_DELAY: u16 = 0x0928;
/// Mean of local minus received system time: sign and magnitude [ns, 4 bytes].
pub const TIME_DIFFERENCE: u16 = 0x092c;
/// Start of the speed counter; a write restarts the control loop [2 bytes].
pub const SPEED_COUNTER_START: u16 = 0x0930;
/// The speed counter's difference [2 bytes].
pub const SPEED_COUNTER_DIFFERENCE: u16 = 0x0932;
/// Depth of the filter on the difference [1 byte].
pub const DIFFERENCE_FILTER: u16 = 0x0934;
/// Depth of the filter on the speed [1 byte].
pub const SPEED_FILTER: u16 = 0x0935;
/// Who controls the sync unit [1 byte].
pub const SYNC_CONTROL: u16 = 0x0980;
/// Which sync signals are on: bit 0 the unit, bit 1 SYNC0, bit 2 SYNC1 [1 byte].
pub const SYNC_ACTIVATION: u16 = 0x0981;
/// When SYNC0 fires first; read: when it fires next [8 bytes].
pub const SYNC0_START: u16 = 0x0990;
/// When SYNC1 fires next [8 bytes].
pub const SYNC1_NEXT: u16 = 0x0998;
/// SYNC0's period [ns, 4 bytes].
pub const SYNC0_CYCLE: u16 = 0x09a0;
/// SYNC1's period or shift [ns, 4 bytes].
pub const SYNC1_CYCLE: u16 = 0x09a4;
/// Memory for any use [128 bytes].
pub const USER_RAM: u16 = 0x0f80;
/// The first byte of process memory.
pub const PROCESS_RAM: u16 = 0x1000;
/// The byte behind process memory.
pub const PROCESS_RAM_END: u16 = 0x3000;
