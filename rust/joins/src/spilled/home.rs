//! The spill buffer of numbers: memory first, then files without names.

use crate::error::KernelError;
use std::cell::Cell;
use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process;

/// Bytes that are written together.
const TOGETHER: usize = 1 << 20;

/// The memory that all numbers share, and the folder for those that do not fit.
#[derive(Debug)]
pub struct Home<'a> {
    folder: &'a Path,
    /// Bytes that are free.
    reserve: Cell<usize>,
    /// Files that were made.
    files: Cell<u32>,
}

impl<'a> Home<'a> {
    /// A home with `reserve` bytes in memory; files are made in `folder`, once they are needed.
    #[must_use]
    pub fn new(folder: &'a Path, reserve: usize) -> Self {
        Self { folder, reserve: Cell::new(reserve), files: Cell::new(0) }
    }

    /// Takes memory from the reserve, if there is as much.
    fn takes(&self, bytes: usize) -> bool {
        let left = self.reserve.get().checked_sub(bytes);
        self.reserve.set(left.unwrap_or(self.reserve.get()));
        left.is_some()
    }

    fn gives_back(&self, bytes: usize) {
        self.reserve.set(self.reserve.get() + bytes);
    }

    /// A file that is gone when the process ends, however it ends.
    fn file(&self) -> io::Result<File> {
        loop {
            let number = self.files.replace(self.files.get() + 1);
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
pub(super) trait Number: Copy + Default {
    const BYTES: usize;
    fn put(self, to: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($kind:ty),*) => {$(
        impl Number for $kind {
            const BYTES: usize = size_of::<$kind>();
            #[inline]
            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn get(bytes: &[u8]) -> Self {
                bytes.try_into().map_or(0, Self::from_le_bytes)
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64);

/// A number below 2^24, which takes three bytes at home.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct U24(pub(super) u32);

impl Number for U24 {
    const BYTES: usize = 3;
    #[inline]
    fn put(self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.0.to_le_bytes()[..Self::BYTES]);
    }
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        let (mut all, bytes) = ([0; 4], &bytes[..Self::BYTES]);
        all[..Self::BYTES].copy_from_slice(bytes);
        Self(u32::from_le_bytes(all))
    }
}

/// Pieces of equally many numbers, the first ones in memory and the others in a file.
pub(super) struct Pieces<'h, T> {
    home: &'h Home<'h>,
    /// Numbers to a piece.
    piece: usize,
    held: Vec<Vec<T>>,
    /// Pieces that went to the file.
    filed: u32,
    file: Option<File>,
    /// Bytes to be written next.
    waiting: Vec<u8>,
    read: Vec<u8>,
}

impl<'h, T: Number> Pieces<'h, T> {
    pub(super) fn new(home: &'h Home<'h>, piece: usize) -> Self {
        let (held, waiting, read) = Default::default();
        Self { home, piece, held, filed: 0, file: None, waiting, read }
    }

    /// Bytes of a piece of the file.
    fn bytes(&self) -> usize {
        T::BYTES * self.piece
    }

    /// Adds a piece; answers its number.
    pub(super) fn add(&mut self, piece: &[T]) -> Result<u32, KernelError> {
        if self.filed == 0 && self.home.takes(size_of::<T>() * self.piece) {
            self.held.push(piece.to_vec());
            return Ok(self.held.len() as u32 - 1);
        }
        self.waiting.reserve(TOGETHER.max(self.bytes()));
        piece.iter().for_each(|number| number.put(&mut self.waiting));
        self.filed += 1;
        if self.waiting.len() >= TOGETHER {
            self.write().map_err(storage_error)?;
        }
        Ok(self.held.len() as u32 + self.filed - 1)
    }

    fn write(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(self.home.file()?);
        }
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::End(0))?;
            file.write_all(&self.waiting)?;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Reads the bytes of a piece of the file.
    fn load(&mut self, place: usize) -> io::Result<()> {
        if !self.waiting.is_empty() {
            self.write()?;
            self.waiting = Vec::new();
        }
        self.read.resize(self.bytes(), 0);
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start((place * T::BYTES * self.piece) as u64))?;
            file.read_exact(&mut self.read)?;
        }
        Ok(())
    }

    /// Appends the numbers of a piece to a list. What was in memory is read only once.
    pub(super) fn take(&mut self, number: u32, to: &mut Vec<T>) -> Result<(), KernelError> {
        if let Some(piece) = self.held.get_mut(number as usize) {
            to.extend_from_slice(piece);
            *piece = Vec::new();
            self.home.gives_back(size_of::<T>() * self.piece);
            return Ok(());
        }
        self.load(number as usize - self.held.len()).map_err(storage_error)?;
        to.extend(self.read.chunks_exact(T::BYTES).map(T::get));
        Ok(())
    }
}
