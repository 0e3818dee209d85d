//! Standard output and standard error. What a test prints is recorded instead.

#[cfg(not(test))]
pub(super) use real::{is_terminal, out, styled_out, write_aside};
#[cfg(test)]
pub(crate) use recorded::recorded;
#[cfg(test)]
pub(super) use recorded::{is_terminal, out, styled_out, write_aside};

#[cfg(not(test))]
mod real {
    use std::fmt::Arguments;
    use std::io::{self, IsTerminal, Write};

    /// Standard output as it is.
    pub(crate) fn out() -> impl Write + Send {
        io::stdout()
    }

    /// Standard output without styles if it shows none.
    pub(crate) fn styled_out() -> impl Write {
        anstream::stdout().lock()
    }

    /// Whether standard output is a terminal.
    pub(crate) fn is_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Writes a line to standard error. If that fails, the error is ignored, because it cannot be printed either.
    pub(crate) fn write_aside(line: Arguments<'_>) {
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}

#[cfg(test)]
mod recorded {
    use std::cell::RefCell;
    use std::fmt::Arguments;
    use std::io::{self, Write};

    thread_local! {
        static SAID: RefCell<(Vec<u8>, String)> = RefCell::default();
    }

    /// What was printed, without styles.
    #[derive(Debug)]
    pub(crate) struct Said {
        pub(crate) out: String,
        pub(crate) aside: String,
    }

    /// Does something, and returns what it printed.
    pub(crate) fn recorded<T>(work: impl FnOnce() -> T) -> (T, Said) {
        SAID.take();
        let done = work();
        let (out, aside) = SAID.take();
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        let out = String::from_utf8(out).expect("text");
        (done, Said { out: plain(&out), aside: plain(&aside) })
    }

    /// Takes what is written to standard output.
    struct Recorder;

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            SAID.with_borrow_mut(|said| said.0.extend_from_slice(bytes));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub(crate) fn out() -> impl Write + Send {
        Recorder
    }

    pub(crate) fn styled_out() -> impl Write {
        Recorder
    }

    pub(crate) fn is_terminal() -> bool {
        false
    }

    pub(crate) fn write_aside(line: Arguments<'_>) {
        SAID.with_borrow_mut(|said| said.1.push_str(&format!("{line}\n")));
    }
}
