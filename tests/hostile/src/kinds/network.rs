//! Attacks through the network and through sockets of every family.

use crate::{
    attack::{address_mut, raw},
    errno::{EACCES, ECONNREFUSED, ENOENT, ENOSYS, EPERM, EPROTONOSUPPORT, Errno},
    kind::{End, Kind},
};
use std::{
    io::Write,
    net::{TcpListener, TcpStream, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream},
    },
};

const REFUSED: &[End] = &[End::Refused(&[EPERM, EACCES, ENOSYS])];

pub const KINDS: &[Kind] = &[
    Kind::attack(52, "tcp", "the network: a TCP connection to this machine, and a listening port", |attack| {
        let port = attack.facts.tcp;
        attack.io("connect", TcpStream::connect(("127.0.0.1", port)));
        attack.io("listen", TcpListener::bind(("127.0.0.1", 0)));
        attack.io("connect by 6", TcpStream::connect(("::1", port)));
    })
    .ends(REFUSED),
    Kind::attack(52, "udp", "the network: UDP", |attack| {
        let port = attack.facts.udp;
        if let Some(socket) = attack.io("bind", UdpSocket::bind(("127.0.0.1", 0))) {
            attack.io("send", socket.send_to(b"hello", ("127.0.0.1", port)));
        }
        attack.by_number("socket by 6", libc::SYS_socket, [libc::AF_INET6.into(), libc::SOCK_DGRAM.into(), 0]);
    })
    .ends(REFUSED),
    Kind::attack(52, "raw-sockets", "the network: raw packets", |attack| {
        let (inet, packet) = (libc::AF_INET.into(), libc::AF_PACKET.into());
        attack.by_number("ICMP", libc::SYS_socket, [inet, libc::SOCK_RAW.into(), 1]);
        attack.by_number("ping", libc::SYS_socket, [inet, libc::SOCK_DGRAM.into(), 1]);
        attack.by_number("packet", libc::SYS_socket, [packet, libc::SOCK_RAW.into(), 0]);
    })
    .ends(REFUSED),
    Kind::attack(52, "netlink", "the kernel: netlink messages", |attack| {
        for (name, protocol) in [("route", 0), ("audit", 9), ("uevent", 15)] {
            attack.by_number(name, libc::SYS_socket, [libc::AF_NETLINK.into(), libc::SOCK_RAW.into(), protocol]);
        }
    })
    .ends(REFUSED),
    Kind::attack(52, "vsock", "the network: the host of a virtual machine", |attack| {
        attack.by_number("vsock", libc::SYS_socket, [40, libc::SOCK_STREAM.into(), 0]);
    })
    .ends(REFUSED),
    Kind::attack(52, "crypto-sockets", "the kernel: ciphers through sockets", |attack| {
        attack.by_number("alg", libc::SYS_socket, [38, libc::SOCK_SEQPACKET.into(), 0]);
    })
    .ends(REFUSED),
    Kind::attack(52, "rare-sockets", "the kernel: rare socket families", |attack| {
        for (name, family) in [("bluetooth", 31), ("can", 29), ("tipc", 30), ("kcm", 41), ("xdp", 44), ("rds", 21)] {
            attack.by_number(name, libc::SYS_socket, [family, libc::SOCK_RAW.into(), 0]);
        }
    })
    .ends(REFUSED),
    Kind::attack(53, "unix-socket", "services of this machine: a socket in the file system", |attack| {
        let path = attack.facts.stream_socket();
        attack.io("connect", UnixStream::connect(&path));
        attack.io("listen", UnixListener::bind(attack.facts.own().join("own.sock")));
    })
    .ends(REFUSED),
    Kind::attack(53, "abstract-socket", "services of this machine: an abstract socket", |attack| {
        match SocketAddr::from_abstract_name(attack.facts.marker.as_bytes()) {
            Ok(name) => {
                attack.io("connect", UnixStream::connect_addr(&name));
            }
            Err(error) => attack.refused("name", Errno::of(&error)),
        }
    })
    .ends(REFUSED),
    Kind::attack(
        53,
        "datagram-by-socket-pair",
        "services of this machine: a datagram sent from a socket pair",
        |attack| {
            let (one, _other) = match UnixDatagram::pair() {
                Ok(pair) => pair,
                Err(error) => return attack.refused("pair", Errno::of(&error)),
            };
            match one.send_to(b"hello", attack.facts.datagram_socket()) {
                Ok(_) => attack.succeeded("send", ""),
                Err(error) => attack.refused("send", Errno::of(&error)),
            }
        },
    )
    .ends(&[End::Refused(&[EPERM, EACCES, ENOENT, ECONNREFUSED, ENOSYS])]),
    Kind::attack(52, "pairs-of-other-families", "the kernel: socket pairs of other families", |attack| {
        let mut pair = [0i32; 2];
        let place = address_mut(&mut pair);
        for (name, family, kind) in [("inet", libc::AF_INET, libc::SOCK_STREAM), ("tipc", 30, libc::SOCK_SEQPACKET)] {
            attack.by_number(name, libc::SYS_socketpair, [family.into(), kind.into(), 0, place]);
        }
    })
    .ends(&[End::Refused(&[EPERM, ENOSYS, EPROTONOSUPPORT])]),
    Kind::attack(52, "standard-streams-as-sockets", "the network: socket calls on the standard streams", |attack| {
        for (name, call) in [("bind", libc::SYS_bind), ("connect", libc::SYS_connect)] {
            attack.by_number(name, call, [1, 0, 0]);
        }
        attack.by_number("listen", libc::SYS_listen, [1, 1]);
        attack.by_number("accept", libc::SYS_accept4, [0, 0, 0, 0]);
        let _ = (raw(libc::SYS_getpid, []), std::io::stderr().flush());
    })
    .ends(REFUSED),
];
