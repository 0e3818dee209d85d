//! Writes what the corpora begin with: `cargo run --no-default-features --bin seeds` in the folder `fuzz`.

use dlprof_fuzz::{TARGETS, seeds};
use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let names = TARGETS.iter().map(|(name, _)| *name).chain(["database_file", "readers", "range_texts"]);
    for name in names {
        let folder = Path::new("corpus").join(name);
        fs::create_dir_all(&folder)?;
        for (at, seed) in seeds(name)?.iter().enumerate() {
            fs::write(folder.join(format!("seed{at:02}")), seed)?;
        }
    }
    Ok(())
}
