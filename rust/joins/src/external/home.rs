//! The spill buffer of numbers: memory first, then files without names. Threads share it.

use crate::error::KernelError;
use crate::parallel::lock;
use crate::reserve;
use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// The memory that all numbers share, and the folder for those that do not fit.
#[derive(Debug)]
pub struct Home<'a> {
    folder: &'a Path,
    /// Bytes that are free.
    reserve: AtomicUsize,
    /// Files that were made.
    files: AtomicU32,
}

impl<'a> Home<'a> {
    /// A home with `reserve` bytes in memory; files are made in `folder`, once they are needed.
    #[must_use]
    pub fn new(folder: &'a Path, reserve: usize) -> Self {
        Self { folder, reserve: AtomicUsize::new(reserve), files: AtomicU32::new(0) }
    }

    /// Takes memory from the reserve, if there is as much.
    fn try_take(&self, bytes: usize) -> bool {
        let (order, less) = (Ordering::Relaxed, |free: usize| free.checked_sub(bytes));
        self.reserve.fetch_update(order, order, less).is_ok()
    }

    /// Gives memory back to the reserve.
    fn give_back(&self, bytes: usize) {
        self.reserve.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A file that is gone when the process ends, however it ends.
    fn make_file(&self) -> io::Result<File> {
        loop {
            let number = self.files.fetch_add(1, Ordering::Relaxed);
            let path = self.folder.join(format!("spill-{}-{number}", process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => {
                    let file = made?;
                    remove_file(&path)?;
                    return Ok(file);
                }
            }
        }
    }
}

/// The error of a file that cannot be written or read.
fn storage_error(error: io::Error) -> KernelError {
    KernelError::Storage(error.to_string())
}

/// A number as bytes.
pub(super) trait HomeNumber: Copy + Default {
    const BYTES: usize;
    fn append_bytes(self, to: &mut Vec<u8>);
    /// The number of [`Self::BYTES`] bytes.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($kind:ty),*) => {$(
        impl HomeNumber for $kind {
            const BYTES: usize = size_of::<$kind>();
            #[inline]
            fn append_bytes(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn from_bytes(bytes: &[u8]) -> Self {
                bytes.try_into().map_or(0, Self::from_le_bytes)
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64);

/// A number below 2^24, which takes three bytes at home.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct U24(pub(super) u32);

impl HomeNumber for U24 {
    const BYTES: usize = 3;
    #[inline]
    fn append_bytes(self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.0.to_le_bytes()[..Self::BYTES]);
    }
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Self {
        let (mut all, bytes) = ([0; 4], &bytes[..Self::BYTES]);
        all[..Self::BYTES].copy_from_slice(bytes);
        Self(u32::from_le_bytes(all))
    }
}

/// Lists of numbers, each in memory as long as there is room, or else in one file.
pub(super) struct HomeLists<'h> {
    home: &'h Home<'h>,
    file: OnceLock<File>,
    /// Held by the thread that makes the file.
    file_making: Mutex<()>,
    /// Bytes of the file that are written or about to be: what is appended next begins there.
    file_bytes: AtomicU64,
    /// Bytes of the lists in memory.
    bytes_in_memory: AtomicUsize,
}

/// A list at home.
pub(super) enum List<T> {
    InMemory(Vec<T>),
    /// The byte of the file at which it begins.
    InFile(u64),
}

impl<'h> HomeLists<'h> {
    /// No list yet.
    pub(super) fn new(home: &'h Home<'h>) -> Self {
        Self {
            home,
            file: OnceLock::new(),
            file_making: Mutex::new(()),
            file_bytes: AtomicU64::new(0),
            bytes_in_memory: AtomicUsize::new(0),
        }
    }

    /// Keeps a list.
    ///
    /// # Errors
    /// [`KernelError::Storage`] and [`KernelError::NoReserve`].
    pub(super) fn store<T: HomeNumber>(&self, mut list: Vec<T>) -> Result<List<T>, KernelError> {
        if self.home.try_take(size_of_val(&list[..])) {
            self.bytes_in_memory.fetch_add(size_of_val(&list[..]), Ordering::Relaxed);
            // What was taken from the reserve is the length, not the capacity.
            list.shrink_to_fit();
            return Ok(List::InMemory(list));
        }
        let mut bytes = reserve::new_list(T::BYTES * list.len())?;
        list.iter().for_each(|&number| number.append_bytes(&mut bytes));
        self.append_to_file(&bytes).map(List::InFile).map_err(storage_error)
    }

    /// Appends the numbers of a list at some places to another list.
    ///
    /// # Errors
    /// As [`Self::store`].
    pub(super) fn append_numbers_at<T: HomeNumber>(
        &self,
        list: &List<T>,
        places: Range<usize>,
        to: &mut Vec<T>,
    ) -> Result<(), KernelError> {
        reserve::make_room(to, places.len())?;
        match list {
            List::InMemory(list) => to.extend_from_slice(&list[places]),
            List::InFile(_) if places.is_empty() => {}
            List::InFile(begin) => {
                let mut bytes = reserve::repeat_value(0, T::BYTES * places.len())?;
                let begin = begin + (T::BYTES * places.start) as u64;
                self.read_from_file(begin, &mut bytes).map_err(storage_error)?;
                to.extend(bytes.chunks_exact(T::BYTES).map(T::from_bytes));
            }
        }
        Ok(())
    }

    /// Appends bytes to the file, which is made first; returns where they begin. Threads append at
    /// places of their own, and none waits for another.
    fn append_to_file(&self, bytes: &[u8]) -> io::Result<u64> {
        let file = self.file_made_if_missing()?;
        let begin = self.file_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        positioned::write_all_at(file, bytes, begin)?;
        Ok(begin)
    }

    fn file_made_if_missing(&self) -> io::Result<&File> {
        if self.file.get().is_none() {
            let _making = lock(&self.file_making);
            if self.file.get().is_none() {
                let file = self.home.make_file()?;
                return Ok(self.file.get_or_init(|| file));
            }
        }
        self.file.get().ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn read_from_file(&self, begin: u64, bytes: &mut [u8]) -> io::Result<()> {
        match self.file.get() {
            Some(file) => positioned::read_exact_at(file, bytes, begin),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

impl Drop for HomeLists<'_> {
    /// Gives back the memory of the lists, which their owner drops too.
    fn drop(&mut self) {
        self.home.give_back(*self.bytes_in_memory.get_mut());
    }
}

/// Bytes at a place of a file that threads share: nobody moves a cursor.
#[cfg(unix)]
mod positioned {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;

    pub fn write_all_at(file: &File, bytes: &[u8], begin: u64) -> io::Result<()> {
        file.write_all_at(bytes, begin)
    }

    pub fn read_exact_at(file: &File, bytes: &mut [u8], begin: u64) -> io::Result<()> {
        file.read_exact_at(bytes, begin)
    }
}

/// Without such calls of the system, one thread at a time moves the cursor.
#[cfg(not(unix))]
mod positioned {
    use crate::parallel::lock;
    use std::fs::File;
    use std::io::{self, Read, Seek, SeekFrom, Write};
    use std::sync::Mutex;

    static CURSOR: Mutex<()> = Mutex::new(());

    pub fn write_all_at(mut file: &File, bytes: &[u8], begin: u64) -> io::Result<()> {
        let _alone = lock(&CURSOR);
        file.seek(SeekFrom::Start(begin))?;
        file.write_all(bytes)
    }

    pub fn read_exact_at(mut file: &File, bytes: &mut [u8], begin: u64) -> io::Result<()> {
        let _alone = lock(&CURSOR);
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(bytes)
    }
}
