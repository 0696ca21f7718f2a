//! Files: what the system knows of each, and the digests of their bytes.
//!
//! The value of a file that cannot be read is null, without a reason: the caller tries it once more
//! by its own means, and so learns why. On systems other than Unix all values are null.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use arrow_array::Array;
use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_pyarrow::PyArrowType;
use ilk_joins::simd::xxh3::Pieces;
use ilk_joins::stop;
use ilk_kernels::digest;
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};
use crate::watch::run_infallible;

/// Bytes of a file to read at once.
const PIECE: usize = 1 << 18;

/// A file as the system knows it: its bytes, its last change in µs, its device and number there.
struct SizeMtimeIdentity {
    size: i64,
    modified: i64,
    identity: u128,
}

/// The sizes, the last changes in µs and the identities (16 bytes) of files; null for one that is
/// not there. A link is looked at itself unless its row says to follow it.
#[pyfunction]
pub fn stat_sizes_mtimes_and_identities(
    py: Python<'_>,
    paths: Column,
    follow_links: Column,
) -> PyResult<(Column, Column, Column)> {
    let (paths, follow) = (Texts::from_large_binary(paths)?, columns::to_bools(follow_links)?);
    let facts: Vec<Option<SizeMtimeIdentity>> = run_infallible(py, || {
        follow
            .iter()
            .enumerate()
            .map(|(row, &follow)| {
                stop::count_work_or_unwind(1 << 10);
                system::stat_file(system::path_of_bytes(paths.bytes(row)?), follow).ok()
            })
            .collect()
    })?;
    Ok((
        columns::from_numbers_or_nulls::<Int64Type>(
            facts.iter().map(|f| Some(f.as_ref()?.size)).collect(),
        ),
        columns::from_numbers_or_nulls::<Int64Type>(
            facts.iter().map(|f| Some(f.as_ref()?.modified)).collect(),
        ),
        columns::from_digests(
            &facts.iter().map(|f| Some(f.as_ref()?.identity)).collect::<Vec<_>>(),
        )?,
    ))
}

/// The digests of files, or of the first `most_bytes` of each; null for one that has another size
/// by now, is no file, or cannot be read. `open_flags`: those with which each is opened.
#[pyfunction]
pub fn digest_file_beginnings(
    py: Python<'_>,
    paths: Column,
    open_flags: Column,
    expected_sizes: Column,
    most_bytes: u64,
) -> PyResult<Column> {
    let paths = Texts::from_large_binary(paths)?;
    let flags = columns::number_array::<Int32Type>(open_flags)?;
    let sizes = columns::number_array::<Int64Type>(expected_sizes)?;
    let digests: Vec<Option<u128>> = run_infallible(py, || {
        let longest = sizes.values().iter().max().map_or(0, |&size| size.max(0) as u64);
        let mut buffer = vec![0; longest.min(most_bytes).min(PIECE as u64) as usize + 1];
        (0..paths.len().min(flags.len()).min(sizes.len()))
            .map(|row| {
                let file = system::open_with_flags(
                    system::path_of_bytes(paths.bytes(row)?),
                    flags.value(row),
                )
                .ok()?;
                let size = u64::try_from(sizes.value(row)).ok()?;
                digest_beginning_if_size_matches(file, size, most_bytes, &mut buffer).ok().flatten()
            })
            .collect()
    })?;
    columns::from_digests(&digests)
}

/// The digest of the first `most_bytes` of a file; `None` if it has another size, or is something
/// else than a file.
fn digest_beginning_if_size_matches(
    mut file: File,
    expected_size: u64,
    most_bytes: u64,
    buffer: &mut [u8],
) -> io::Result<Option<u128>> {
    let known = file.metadata()?;
    if !known.is_file() || known.len() != expected_size {
        return Ok(None);
    }
    let wanted = expected_size.min(most_bytes);
    if wanted <= buffer.len() as u64 {
        let block = &mut buffer[..wanted as usize];
        return match file.read_exact(block) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            read => read.map(|()| Some(digest::digest_bytes(block))),
        };
    }
    let (mut pieces, mut file, mut read) = (Pieces::new(), file.take(wanted), 0);
    loop {
        match file.read(buffer)? {
            0 => break,
            count => {
                stop::count_work_or_unwind(count);
                pieces.update(&buffer[..count]);
                read += count as u64;
            }
        }
    }
    Ok((read == wanted).then(|| pieces.digest128()))
}

/// The whole contents of files of fewer than `bytes_below` bytes, and their last changes in µs;
/// null for one that is empty, has as many or more, changes its size while it is read, is no file,
/// or cannot be read, and for all others once `bytes_together` are read. `open_flags`: those with
/// which each is opened.
///
/// A file that seems to be empty may be one of `/proc`, whose files have no known size.
#[pyfunction]
pub fn read_small_nonempty_files(
    py: Python<'_>,
    paths: Column,
    open_flags: Column,
    bytes_below: usize,
    bytes_together: usize,
) -> PyResult<(Column, Column)> {
    let paths = Texts::from_large_binary(paths)?;
    let flags = columns::number_array::<Int32Type>(open_flags)?;
    let (contents, modified) = run_infallible(py, || {
        let mut buffer = vec![0; bytes_below];
        let mut contents = LargeBinaryBuilder::new();
        let mut modified = Vec::with_capacity(paths.len());
        for row in 0..paths.len().min(flags.len()) {
            stop::count_work_or_unwind(1 << 10);
            let some = paths.bytes(row).filter(|_| contents.values_slice().len() < bytes_together);
            let read = some.and_then(|path| {
                let file = system::open_with_flags(system::path_of_bytes(path), flags.value(row));
                read_small_nonempty_file(file.ok()?, &mut buffer).ok()?
            });
            contents.append_option(read.as_ref().map(|file| &buffer[..file.size]));
            modified.push(read.map(|file| file.modified));
        }
        (contents.finish(), modified)
    })?;
    Ok((PyArrowType(contents.to_data()), columns::from_numbers_or_nulls::<Int64Type>(modified)))
}

/// A file that was read: its bytes, and its last change in µs.
struct SmallFile {
    size: usize,
    modified: i64,
}

/// Reads a file of fewer bytes than the buffer; `None` if it is empty, has more, changes its size
/// meanwhile, or is something else than a file.
fn read_small_nonempty_file(mut file: File, buffer: &mut [u8]) -> io::Result<Option<SmallFile>> {
    let known = file.metadata()?;
    let size = known.len() as usize;
    if !known.is_file() || size == 0 || size >= buffer.len() {
        return Ok(None);
    }
    let mut read = 0;
    // One byte more than there should be shows whether the file has grown.
    while let count @ 1.. = file.read(&mut buffer[read..=size])? {
        stop::count_work_or_unwind(count);
        read += count;
        if read > size {
            break;
        }
    }
    let modified = system::mtime_in_microseconds(&known);
    Ok((read == size).then_some(SmallFile { size, modified }))
}

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::fs::OpenOptions;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

    use super::{File, Metadata, Path, SizeMtimeIdentity, io};

    pub fn path_of_bytes(name: &[u8]) -> &Path {
        Path::new(OsStr::from_bytes(name))
    }

    pub fn stat_file(path: &Path, follow_link: bool) -> io::Result<SizeMtimeIdentity> {
        let known = if follow_link { path.metadata() } else { path.symlink_metadata() }?;
        Ok(SizeMtimeIdentity {
            size: known.size() as i64,
            modified: mtime_in_microseconds(&known),
            identity: u128::from(known.dev()) << 64 | u128::from(known.ino()),
        })
    }

    /// The last change of a file, in µs since 1970.
    pub fn mtime_in_microseconds(known: &Metadata) -> i64 {
        known.mtime() * 1_000_000 + known.mtime_nsec() / 1000
    }

    pub fn open_with_flags(path: &Path, flags: i32) -> io::Result<File> {
        OpenOptions::new().read(true).custom_flags(flags).open(path)
    }
}

#[cfg(not(unix))]
mod system {
    use super::{File, Metadata, Path, SizeMtimeIdentity, io};

    pub fn path_of_bytes(_: &[u8]) -> &Path {
        Path::new("")
    }

    pub fn stat_file(_: &Path, _: bool) -> io::Result<SizeMtimeIdentity> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The last change of a file, in µs since 1970.
    pub fn mtime_in_microseconds(_: &Metadata) -> i64 {
        0
    }

    pub fn open_with_flags(_: &Path, _: i32) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
