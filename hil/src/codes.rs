//! Numbers by which a board says what is wrong: constants for those that this crate uses, words for all of the standard.

/// Gives a type of numbers its constants, `text` and `Display`; the first line is how a number and its text are shown.
macro_rules! codes {
    (
        $code:ident, $shown:literal;
        $($(#[$doc:meta])+ $name:ident = $number:literal, $text:literal;)+
        $($other:literal, $words:literal;)+
    ) => {
        impl $code {
            $($(#[$doc])+ pub const $name: $code = $code($number);)+

            /// What the number means.
            pub const fn text(self) -> &'static str {
                match self.0 {
                    $($number => $text,)+
                    $($other => $words,)+
                    _ => "a code that is not in the standard",
                }
            }
        }

        impl core::fmt::Display for $code {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, $shown, self.0, self.text())
            }
        }
    };
}

pub(crate) use codes;
