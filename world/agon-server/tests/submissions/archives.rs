//! Archives, good ones and hostile ones.

use std::io::Write as _;

/// An entry of a tar archive of this kind: `0` is a file, `2` a link to `target`.
pub fn entry(name: &str, kind: u8, size: u64, target: &str, data: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 512];
    head[..name.len()].copy_from_slice(name.as_bytes());
    head[100..108].copy_from_slice(b"0000644\0");
    head[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    head[156] = kind;
    head[157..157 + target.len()].copy_from_slice(target.as_bytes());
    head[257..265].copy_from_slice(b"ustar\x0000");
    head[148..156].copy_from_slice(b"        ");
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head.extend(data);
    head.resize(head.len().next_multiple_of(512), 0);
    head
}

/// A file of a tar archive.
pub fn file(name: &str, data: &[u8]) -> Vec<u8> {
    entry(name, b'0', data.len() as u64, "", data)
}

/// A packed tar archive.
pub fn packed(entries: &[Vec<u8>]) -> Vec<u8> {
    gzip(&[entries.concat(), vec![0; 1024]].concat())
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes everything")
}

/// A zip archive of one stored file that says that it has `says` bytes.
pub fn zip(name: &str, data: &[u8], says: u32) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(data);
    let numbers = |flags: &[u16]| -> Vec<u8> {
        let sizes = [crc.sum(), data.len() as u32, says];
        flags.iter().flat_map(|n| n.to_le_bytes()).chain(sizes.iter().flat_map(|n| n.to_le_bytes())).collect()
    };
    let length = (name.len() as u16).to_le_bytes();
    let local =
        [b"PK\x03\x04\x14\0".to_vec(), numbers(&[0; 4]), length.to_vec(), vec![0; 2], name.into(), data.to_vec()]
            .concat();
    let directory = [
        b"PK\x01\x02\x1e\x03\x14\0".to_vec(),
        numbers(&[0; 4]),
        length.to_vec(),
        vec![0; 8],
        0x81a4_0000u32.to_le_bytes().to_vec(),
        vec![0; 4],
        name.into(),
    ]
    .concat();
    let end = [
        b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec(),
        (directory.len() as u32).to_le_bytes().to_vec(),
        (local.len() as u32).to_le_bytes().to_vec(),
        vec![0; 2],
    ]
    .concat();
    [local, directory, end].concat()
}
