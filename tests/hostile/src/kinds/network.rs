//! Attacks by way of the network and of sockets of every kind.

use crate::{
    errno::{EACCES, ECONNREFUSED, ENOENT, ENOSYS, EPERM, EPROTONOSUPPORT, Errno},
    kind::{End, Kind},
    tries::{address_mut, raw},
};
use std::{
    io::Write,
    net::{TcpListener, TcpStream, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream},
    },
};

const SHUT: &[End] = &[End::Refused(&[EPERM, EACCES, ENOSYS])];

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(52, "tcp", "the network: TCP to this machine, and a port of its own", |tries| {
        let port = tries.facts.tcp;
        tries.io("connect", TcpStream::connect(("127.0.0.1", port)));
        tries.io("listen", TcpListener::bind(("127.0.0.1", 0)));
        tries.io("connect by 6", TcpStream::connect(("::1", port)));
    })
    .brief()
    .ends(SHUT),
    Kind::tries(52, "udp", "the network: UDP, and with it the names of machines", |tries| {
        let port = tries.facts.udp;
        if let Some(socket) = tries.io("bind", UdpSocket::bind(("127.0.0.1", 0))) {
            tries.io("send", socket.send_to(b"hello", ("127.0.0.1", port)));
        }
        tries.by_number("socket by 6", libc::SYS_socket, [libc::AF_INET6.into(), libc::SOCK_DGRAM.into(), 0]);
    })
    .brief()
    .ends(SHUT),
    Kind::tries(52, "raw-sockets", "the network: packets of its own making", |tries| {
        let (inet, packet) = (libc::AF_INET.into(), libc::AF_PACKET.into());
        tries.by_number("ICMP", libc::SYS_socket, [inet, libc::SOCK_RAW.into(), 1]);
        tries.by_number("ping", libc::SYS_socket, [inet, libc::SOCK_DGRAM.into(), 1]);
        tries.by_number("packet", libc::SYS_socket, [packet, libc::SOCK_RAW.into(), 0]);
    })
    .brief()
    .ends(SHUT),
    Kind::tries(52, "netlink", "the kernel: its own messages", |tries| {
        for (name, protocol) in [("route", 0), ("audit", 9), ("uevent", 15)] {
            tries.by_number(name, libc::SYS_socket, [libc::AF_NETLINK.into(), libc::SOCK_RAW.into(), protocol]);
        }
    })
    .brief()
    .ends(SHUT),
    Kind::tries(52, "vsock", "the network: the machine beneath a virtual one", |tries| {
        tries.by_number("vsock", libc::SYS_socket, [40, libc::SOCK_STREAM.into(), 0]);
    })
    .brief()
    .ends(SHUT),
    Kind::tries(52, "crypto-sockets", "the kernel: ciphers by way of sockets", |tries| {
        tries.by_number("alg", libc::SYS_socket, [38, libc::SOCK_SEQPACKET.into(), 0]);
    })
    .brief()
    .ends(SHUT),
    Kind::tries(52, "rare-sockets", "the kernel: families that nobody uses", |tries| {
        for (name, family) in [("bluetooth", 31), ("can", 29), ("tipc", 30), ("kcm", 41), ("xdp", 44), ("rds", 21)] {
            tries.by_number(name, libc::SYS_socket, [family, libc::SOCK_RAW.into(), 0]);
        }
    })
    .brief()
    .ends(SHUT),
    Kind::tries(53, "unix-socket", "services of this machine: a socket in the file system", |tries| {
        let path = tries.facts.socket();
        tries.io("connect", UnixStream::connect(&path));
        tries.io("listen", UnixListener::bind(tries.facts.own().join("own.sock")));
    })
    .brief()
    .ends(SHUT),
    Kind::tries(53, "abstract-socket", "services of this machine: a socket without a file", |tries| {
        match SocketAddr::from_abstract_name(tries.facts.marker.as_bytes()) {
            Ok(name) => {
                tries.io("connect", UnixStream::connect_addr(&name));
            }
            Err(error) => tries.refused("name", Errno::of(&error)),
        }
    })
    .brief()
    .ends(SHUT),
    Kind::tries(53, "letters-by-a-pair", "services of this machine: a letter by one of a pair of sockets", |tries| {
        let (one, _other) = match UnixDatagram::pair() {
            Ok(pair) => pair,
            Err(error) => return tries.refused("pair", Errno::of(&error)),
        };
        match one.send_to(b"hello", tries.facts.letterbox()) {
            Ok(_) => tries.succeeded("send", ""),
            Err(error) => tries.refused("send", Errno::of(&error)),
        }
    })
    .brief()
    .ends(&[End::Refused(&[EPERM, EACCES, ENOENT, ECONNREFUSED, ENOSYS])]),
    Kind::tries(52, "pairs-of-other-families", "the kernel: pairs of sockets that are no pipes", |tries| {
        let mut pair = [0i32; 2];
        let place = address_mut(&mut pair);
        for (name, family, kind) in [("inet", libc::AF_INET, libc::SOCK_STREAM), ("tipc", 30, libc::SOCK_SEQPACKET)] {
            tries.by_number(name, libc::SYS_socketpair, [family.into(), kind.into(), 0, place]);
        }
    })
    .brief()
    .ends(&[End::Refused(&[EPERM, ENOSYS, EPROTONOSUPPORT])]),
    Kind::tries(52, "standard-streams-as-sockets", "the network: calls on the streams that it has", |tries| {
        for (name, call) in [("bind", libc::SYS_bind), ("connect", libc::SYS_connect)] {
            tries.by_number(name, call, [1, 0, 0]);
        }
        tries.by_number("listen", libc::SYS_listen, [1, 1]);
        tries.by_number("accept", libc::SYS_accept4, [0, 0, 0, 0]);
        let _ = (raw(libc::SYS_getpid, []), std::io::stderr().flush());
    })
    .brief()
    .ends(SHUT),
];
