//! The columns of nsys's tables, by name.

/// Declares the columns that are read of a table, each by a name for the code and its name in SQL; `after` another list,
/// whose columns come first.
macro_rules! columns {
    ($($name:ident $sql:literal;)+) => {
        columns! { after []; $($name $sql;)+ }
    };
    (after $first:expr; $($name:ident $sql:literal;)+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants made of them")]
        enum Place { $($name,)+ }
        $(
            #[doc = concat!("The place of column `", $sql, "` among those that are read.")]
            const $name: usize = { const FIRST: &[&str] = &$first; FIRST.len() } + Place::$name as usize;
        )+
        /// Names of the columns in SQL.
        pub(super) const COLUMNS: &[&str] = &[$($sql),+];
    };
}
pub(super) use columns;
