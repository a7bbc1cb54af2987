//! The board's identity card: the EEPROM image that a MainDevice reads first (ETG.1000.6 5.4, ETG.2010).
