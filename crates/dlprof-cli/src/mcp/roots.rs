//! Which files a client may name: regular ones below the roots, wherever symbolic links lead.

use crate::exit::Failure;
use std::path::{Component, Path, PathBuf};

/// Folders below which captures lie, without symbolic links.
pub(super) struct Roots(Vec<PathBuf>);

impl Roots {
    pub(super) fn new(folders: &[PathBuf]) -> Result<Self, Failure> {
        let real = |folder: &PathBuf| {
            folder.canonicalize().map_err(|source| Failure::Input {
                message: format!("cannot use `{}` as a root", folder.display()),
                cause: Some(source.to_string()),
                hint: Some("give a folder that exists: `--root DIR`".into()),
            })
        };
        Ok(Self(folders.iter().map(real).collect::<Result<_, _>>()?))
    }

    /// The file or folder that a client names, without symbolic links. What lies outside of the roots is refused in the same
    /// words whether it exists or not.
    pub(super) fn find(&self, named: &str) -> Result<PathBuf, Failure> {
        let wanted = Path::new(named);
        let goes_up = wanted.components().any(|part| part == Component::ParentDir);
        if named.is_empty() || named.contains('\0') || goes_up {
            return Err(outside());
        }
        let mut is_below = false;
        for root in &self.0 {
            let path = root.join(wanted);
            match path.canonicalize() {
                Ok(real) if real.starts_with(root) && (real.is_file() || real.is_dir()) => return Ok(real),
                Ok(_) => {}
                Err(_) => is_below |= self.holds_folder_of(&path),
            }
        }
        Err(if is_below {
            Failure::Analysis(dlprof_core::Error::NotFound { path: wanted.to_owned() })
        } else {
            outside()
        })
    }

    /// Whether a file that does not exist would lie below a root.
    fn holds_folder_of(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        folder.is_some_and(|folder| self.0.iter().any(|root| folder.starts_with(root)))
            && path.symlink_metadata().is_err()
    }
}

fn outside() -> Failure {
    Failure::Usage {
        message: "the path is outside of the roots".into(),
        hint: Some(
            "name a capture below a folder that `--root` gave; links that leave it do not count".into(),
        ),
    }
}
