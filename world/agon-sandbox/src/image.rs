//! What the system needs to execute a program, in a form that takes no work to use.

use crate::{ProgramError, script::Script};
use rustix::io::Errno;
use std::{io, os::unix::ffi::OsStrExt, path::Path};

/// A program, its words and its environment variables. All texts are in one piece of memory, because a copy of a process
/// has to fetch every page that it uses.
#[derive(Debug)]
pub(crate) struct Image {
    /// Where the words begin, then a null pointer, the variables, and a null pointer.
    pointers: Vec<*const libc::c_char>,
    variables: usize,
    /// The program, the words and the variables. Each text ends with NUL.
    texts: Vec<u8>,
}

impl Image {
    pub(crate) fn new(script: &Script) -> Self {
        let texts = Self::encode(script);
        Self::decode(&texts).unwrap_or_else(|| Self {
            pointers: vec![std::ptr::null(); 2],
            variables: 1,
            texts: vec![0],
        })
    }

    /// The texts as they are sent: the number of words, and all texts. A text that contains NUL is empty.
    pub(crate) fn encode(script: &Script) -> Vec<u8> {
        let mut bytes = (script.words.len() as u32).to_le_bytes().to_vec();
        let mut add = |parts: &[&[u8]]| {
            if parts.iter().all(|part| !part.contains(&0)) {
                parts.iter().for_each(|part| bytes.extend_from_slice(part));
            }
            bytes.push(0);
        };
        add(&[script.program.as_os_str().as_bytes()]);
        script.words.iter().for_each(|word| add(&[word.as_bytes()]));
        script.environment.iter().for_each(|(name, value)| add(&[name.as_bytes(), b"=", value.as_bytes()]));
        bytes
    }

    /// `None` if the bytes are not those of texts.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (words, texts) = bytes.split_first_chunk()?;
        let words = u32::from_le_bytes(*words) as usize;
        // A text begins behind the end of another one.
        let ends = texts.iter().filter(|byte| **byte == 0).count();
        if texts.last() != Some(&0) || ends <= words {
            return None;
        }
        let texts = texts.to_vec();
        let starts = texts[..texts.len() - 1].iter().enumerate().filter(|(_, byte)| **byte == 0).map(|(at, _)| at + 1);
        let mut pointers = Vec::with_capacity(ends + 1);
        for (nth, at) in starts.enumerate() {
            if nth == words {
                pointers.push(std::ptr::null());
            }
            pointers.push(texts[at..].as_ptr().cast());
        }
        if ends - 1 == words {
            pointers.push(std::ptr::null());
        }
        pointers.push(std::ptr::null());
        Some(Self { pointers, variables: words + 1, texts })
    }

    /// Executes the program, which has this path. Returns only if that fails, with the reason.
    pub(crate) fn execute(&self, program: &Path) -> ProgramError {
        let (words, variables) = (self.pointers.as_ptr(), self.pointers[self.variables..].as_ptr());
        // SAFETY: both lists end with a null pointer and point to texts of this value, which end with NUL.
        unsafe { libc::execve(self.texts.as_ptr().cast(), words, variables) };
        let errno = Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO);
        ProgramError::of_execution(program, errno)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    /// The bytes of an image with this many words.
    fn bytes(words: u32, texts: &[u8]) -> Vec<u8> {
        [&words.to_le_bytes(), texts].concat()
    }

    fn lists(image: &Image) -> [Vec<String>; 2] {
        let list = |from: usize| {
            let pointers = image.pointers[from..].iter().take_while(|pointer| !pointer.is_null());
            // SAFETY: they point to texts of the image, which end with NUL.
            pointers.map(|text| unsafe { CStr::from_ptr(*text) }.to_string_lossy().into_owned()).collect()
        };
        [list(0), list(image.variables)]
    }

    #[test]
    fn words_and_variables_are_lists_of_their_own() {
        let image = Image::decode(&bytes(2, b"/bin/x\0x\0\0A=1\0B=\0")).expect("an image");
        assert_eq!(lists(&image), [vec!["x".to_owned(), String::new()], vec!["A=1".to_owned(), "B=".to_owned()]]);
        assert_eq!(image.pointers.len(), 6);
        let bare = Image::decode(&bytes(1, b"/bin/x\0x\0")).expect("an image");
        assert_eq!(lists(&bare), [vec!["x".to_owned()], vec![]]);
        let nothing = Image::decode(&bytes(0, b"/bin/x\0")).expect("an image");
        assert_eq!((lists(&nothing), nothing.pointers.len()), ([vec![], vec![]], 2));
    }

    #[test]
    fn bytes_that_are_cut_off_are_no_image() {
        for wrong in
            [&b""[..], &[0; 3], &bytes(0, b""), &bytes(0, b"/bin/x"), &bytes(1, b"/bin/x\0"), &bytes(9, b"a\0b\0")]
        {
            assert!(Image::decode(wrong).is_none(), "{wrong:?}");
        }
    }
}
