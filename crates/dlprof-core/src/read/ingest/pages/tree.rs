//! The tree of a table: its leaf pages in row order, and the cells of a leaf.

use super::{PageFile, Unreadable, varint, word};

const INTERIOR: u8 = 5;
const LEAF: u8 = 13;

/// SQLite's own limit.
const DEEPEST: usize = 20;

/// Numbers of the leaf pages below `root`, in row order.
pub(super) fn leaves(file: &mut PageFile, root: u32) -> Result<Vec<u32>, Unreadable> {
    let mut found = Vec::new();
    // Page 1 begins with the file's header and holds the schema, never a table of its own.
    if root < 2 {
        return Err(Unreadable);
    }
    let mut page = Vec::new();
    file.read_pages(root, root, &mut page)?;
    match page[0] {
        LEAF => found.push(root),
        INTERIOR => collect(file, &page, 1, &mut found)?,
        _ => return Err(Unreadable),
    }
    Ok(found)
}

/// Adds the leaves below an interior page. All leaves of a tree have the same depth, so one child shows what all
/// are; [`cells`] checks it.
fn collect(
    file: &mut PageFile,
    interior: &[u8],
    depth: usize,
    found: &mut Vec<u32>,
) -> Result<(), Unreadable> {
    let children = children(interior)?;
    let mut page = Vec::new();
    file.read_pages(children[0], children[0], &mut page)?;
    if page[0] == LEAF {
        found.extend(children);
        // A page that is in the tree twice could be read forever.
        return if found.len() > file.pages as usize { Err(Unreadable) } else { Ok(()) };
    }
    if depth == DEEPEST {
        return Err(Unreadable);
    }
    for child in children {
        file.read_pages(child, child, &mut page)?;
        collect(file, &page, depth + 1, found)?;
    }
    Ok(())
}

/// The children of an interior page, in order.
fn children(page: &[u8]) -> Result<Vec<u32>, Unreadable> {
    const HEADER: usize = 12;
    let cells = number_of_cells(page, INTERIOR)?;
    if cells == 0 {
        return Err(Unreadable);
    }
    let mut children = Vec::with_capacity(cells + 1);
    for cell in 0..cells {
        let at = pointer(page, HEADER + 2 * cell)?;
        if at < HEADER + 2 * cells {
            return Err(Unreadable);
        }
        children.push(word(page, at)?);
    }
    children.push(word(page, 8)?);
    Ok(children)
}

/// A row in a leaf page.
pub(super) struct Cell<'a> {
    pub(super) row_id: i64,
    /// Length of the whole record.
    pub(super) payload_bytes: usize,
    /// From the start of the record to the end of the page.
    pub(super) bytes: &'a [u8],
    /// How much of the record is in this page.
    pub(super) local_bytes: usize,
    /// The page on which it continues.
    pub(super) overflow: Option<u32>,
}

/// The positions of the cells of a leaf page, in row order. Only a page without siblings may be empty.
pub(super) fn cells(
    page: &[u8],
    has_siblings: bool,
) -> Result<impl Iterator<Item = Result<usize, Unreadable>>, Unreadable> {
    const HEADER: usize = 8;
    let count = number_of_cells(page, LEAF)?;
    if count == 0 && has_siblings {
        return Err(Unreadable);
    }
    let pointers = page.get(HEADER..HEADER + 2 * count).ok_or(Unreadable)?;
    let first_cell_at = HEADER + 2 * count;
    Ok(pointers.chunks_exact(2).map(move |pointer| {
        let at = usize::from(u16::from_be_bytes([pointer[0], pointer[1]]));
        if at < first_cell_at { Err(Unreadable) } else { Ok(at) }
    }))
}

fn number_of_cells(page: &[u8], kind: u8) -> Result<usize, Unreadable> {
    if page[0] != kind {
        return Err(Unreadable);
    }
    let cells = usize::from(u16::from_be_bytes([page[3], page[4]]));
    if cells > (page.len() - 8) / 6 { Err(Unreadable) } else { Ok(cells) }
}

fn pointer(page: &[u8], at: usize) -> Result<usize, Unreadable> {
    let bytes = page.get(at..at + 2).ok_or(Unreadable)?;
    Ok(usize::from(u16::from_be_bytes([bytes[0], bytes[1]])))
}

/// The cell at a position in a leaf page.
#[inline(always)]
pub(super) fn cell(page: &[u8], at: usize, usable_bytes: usize) -> Result<Cell<'_>, Unreadable> {
    let bytes = page.get(at..).ok_or(Unreadable)?;
    let (payload_bytes, length) = varint(bytes)?;
    let (row_id, id_length) = varint(&bytes[length..])?;
    let payload_bytes = usize::try_from(payload_bytes).map_err(|_| Unreadable)?;
    let bytes = &bytes[length + id_length..];
    let row_id = row_id.cast_signed();
    let is_whole = payload_bytes <= usable_bytes - 35;
    let local_bytes = if is_whole { payload_bytes } else { local_bytes(payload_bytes, usable_bytes) };
    let end = page.len() - bytes.len() + local_bytes + if is_whole { 0 } else { 4 };
    if end > usable_bytes {
        return Err(Unreadable);
    }
    let overflow = if is_whole { None } else { Some(word(bytes, local_bytes)?) };
    Ok(Cell { row_id, payload_bytes, bytes, local_bytes, overflow })
}

/// How much of a payload with overflow is in the leaf page.
fn local_bytes(payload_bytes: usize, usable_bytes: usize) -> usize {
    let least = (usable_bytes - 12) * 32 / 255 - 23;
    let most = usable_bytes - 35;
    let even = least + (payload_bytes - least) % (usable_bytes - 4);
    if even <= most { even } else { least }
}
