//! Whether the X server that DISPLAY names lets this program in.
//!
//! The window library only says that it could not connect, and the library below it writes the
//! server's own words on standard error. So the server is greeted once beforehand, as the X protocol
//! says: byte order, version, and the cookie that ~/.Xauthority holds for this display.

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream, ToSocketAddrs};
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fmt};

use crate::files;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The one kind of password that can be tried here.
const COOKIE: &[u8] = b"MIT-MAGIC-COOKIE-1";
/// Display 0 listens at this port.
const FIRST_PORT: u16 = 6000;
/// Numbers that ssh gives the displays it relays: from 10 on, one for each connection.
const RELAYED: Range<u16> = 10..100;
/// Families of addresses in an Xauthority file: what a record is for.
const INTERNET: [u8; 2] = [0, 0];
const INTERNET_6: [u8; 2] = [0, 6];
const ANY: [u8; 2] = [0xff, 0xff];

/// A connection that was let in, or was not asked further. A bare server that loses its last
/// connection begins anew, so it is kept until the window has its own.
pub struct Held {
    _stream: Option<Box<dyn Talk + Send>>,
}

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nobody listens, or does not answer.
    Nobody,
    /// It wants a password that is not known here.
    Refuses,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nobody => "no X server answers at",
            Self::Refuses => "the X server lets nobody in without its cookie (XAUTHORITY) at",
        })
    }
}

trait Talk: Read + Write {}
impl<T: Read + Write> Talk for T {}

/// Greets the server of this display. What cannot be understood is left to the window library.
///
/// # Errors
/// Nobody answers, or no cookie at hand is accepted.
pub fn greet(display: &str) -> Result<Held, Why> {
    let Some(place) = Place::of(display) else {
        return Ok(Held { _stream: None });
    };
    let (stream, peer) = place.connect().map_err(|_| Why::Nobody)?;
    // A cookie that a relay such as ssh refuses makes it complain on its own terminal.
    if place.host.is_some() && RELAYED.contains(&place.number) {
        return Ok(Held {
            _stream: Some(stream),
        });
    }
    let (cookies, others) = cookies(place.number, peer);
    let mut stream = Some(stream);
    for (name, cookie) in cookies
        .iter()
        .map(|cookie| (COOKIE, cookie.as_slice()))
        .chain([(&b""[..], &b""[..])])
    {
        let mut asked = match stream.take() {
            Some(stream) => stream,
            None => place.connect().map_err(|_| Why::Nobody)?.0,
        };
        match answer(&mut asked, name, cookie) {
            Ok(true) => {
                return Ok(Held {
                    _stream: Some(asked),
                });
            }
            Ok(false) => {}
            Err(_) => return Err(Why::Nobody),
        }
    }
    if others {
        return Ok(Held { _stream: None });
    }
    Err(Why::Refuses)
}

/// Where a server listens.
struct Place {
    /// None on this computer.
    host: Option<String>,
    number: u16,
}

impl Place {
    /// Reads `[host]:number[.screen]`; none for other forms.
    fn of(display: &str) -> Option<Self> {
        let (host, rest) = display.rsplit_once(':')?;
        let number = rest.split('.').next()?.parse().ok()?;
        let host = host.strip_prefix("tcp/").unwrap_or(host);
        if host.contains('/') {
            return None;
        }
        let here = host.is_empty() || host == "unix";
        Some(Self {
            host: (!here).then(|| host.trim_matches(['[', ']']).to_owned()),
            number,
        })
    }

    /// A connection, and the address of the other computer where it is one.
    fn connect(&self) -> io::Result<(Box<dyn Talk + Send>, Option<IpAddr>)> {
        if let Some(host) = &self.host {
            let port = FIRST_PORT.saturating_add(self.number);
            let mut last = io::ErrorKind::AddrNotAvailable.into();
            for address in (host.as_str(), port).to_socket_addrs()? {
                match TcpStream::connect_timeout(&address, PATIENCE) {
                    Ok(stream) => {
                        stream.set_read_timeout(Some(PATIENCE))?;
                        return Ok((Box::new(stream), Some(address.ip())));
                    }
                    Err(error) => last = error,
                }
            }
            return Err(last);
        }
        let name = format!("/tmp/.X11-unix/X{}", self.number);
        let stream = without_file(&name).or_else(|_| UnixStream::connect(&name))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok((Box::new(stream), None))
    }
}

/// Linux knows sockets that are no files; X servers listen there first.
#[cfg(target_os = "linux")]
fn without_file(name: &str) -> io::Result<UnixStream> {
    use std::os::linux::net::SocketAddrExt;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    UnixStream::connect_addr(&address)
}

#[cfg(not(target_os = "linux"))]
fn without_file(_name: &str) -> io::Result<UnixStream> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Sends the first words of the protocol; gives whether the server lets us in.
fn answer(stream: &mut dyn Talk, name: &[u8], cookie: &[u8]) -> io::Result<bool> {
    let mut words = vec![b'l', 0, 11, 0, 0, 0];
    for part in [name, cookie] {
        let length = u16::try_from(part.len()).map_err(io::Error::other)?;
        words.extend(length.to_le_bytes());
    }
    words.extend([0, 0]);
    for part in [name, cookie] {
        words.extend(part);
        words.resize(words.len().next_multiple_of(4), 0);
    }
    stream.write_all(&words)?;
    let mut first = [0];
    stream.read_exact(&mut first)?;
    // 0 says no, 1 yes, 2 asks for more than a cookie: that is for the library.
    Ok(first[0] != 0)
}

/// The cookies for this display, and whether there are passwords of another kind.
fn cookies(number: u16, peer: Option<IpAddr>) -> (Vec<Vec<u8>>, bool) {
    let file = env::var_os("XAUTHORITY").map(PathBuf::from).or_else(|| {
        let home = env::var_os("HOME")?;
        Some(PathBuf::from(home).join(".Xauthority"))
    });
    let bytes = file.and_then(|file| files::read(&file, files::TEXT).ok());
    of_display(&bytes.unwrap_or_default(), number, peer)
}

/// Whether a record is for the server at this address. Another computer is shown no cookie that is not its own.
fn is_for(peer: Option<IpAddr>, family: [u8; 2], address: &[u8]) -> bool {
    match peer.map(|peer| peer.to_canonical()) {
        None => true,
        Some(peer) if peer.is_loopback() => true,
        Some(_) if family == ANY => true,
        Some(IpAddr::V4(peer)) => family == INTERNET && address == peer.octets(),
        Some(IpAddr::V6(peer)) => family == INTERNET_6 && address == peer.octets(),
    }
}

/// The records of an Xauthority file that are for this display: family, then address, number, name
/// and password, each with its length before it, all big-endian. What is cut off is left out.
fn of_display(mut bytes: &[u8], number: u16, peer: Option<IpAddr>) -> (Vec<Vec<u8>>, bool) {
    let (mut found, mut others) = (Vec::new(), false);
    let number = number.to_string();
    while let Some((family, rest)) = bytes.split_first_chunk::<2>() {
        bytes = rest;
        let mut part = || {
            let (length, rest) = bytes.split_first_chunk::<2>()?;
            let (part, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
            bytes = rest;
            Some(part)
        };
        let (Some(address), Some(of), Some(name), Some(data)) = (part(), part(), part(), part())
        else {
            break;
        };
        // Without a number it is for all of them.
        let of_this_number = of.is_empty() || of == number.as_bytes();
        if !of_this_number || !is_for(peer, *family, address) {
            continue;
        }
        if name == COOKIE {
            found.push(data.to_vec());
        } else {
            others = true;
        }
    }
    (found, others)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn record(number: &str, name: &[u8], data: &[u8]) -> Vec<u8> {
        of([1, 0], b"host", [number.as_bytes(), name, data])
    }

    fn of(family: [u8; 2], address: &[u8], [number, name, data]: [&[u8]; 3]) -> Vec<u8> {
        let mut bytes = family.to_vec();
        for part in [address, number, name, data] {
            bytes.extend(u16::try_from(part.len()).unwrap().to_be_bytes());
            bytes.extend(part);
        }
        bytes
    }

    #[test]
    fn the_cookies_of_a_display_are_found_among_others() {
        let file = [
            record("7", COOKIE, b"of another"),
            record("12", COOKIE, b"ours"),
            record("", COOKIE, b"of all"),
        ]
        .concat();
        let ours = vec![b"ours".to_vec(), b"of all".to_vec()];
        assert_eq!(of_display(&file, 12, None), (ours.clone(), false));
        // Something else than a cookie, and a record that is cut off.
        let more = [
            file,
            record("12", b"XDM-AUTHORIZATION-1", b"x"),
            vec![1, 0, 0, 9, 1],
        ]
        .concat();
        assert_eq!(of_display(&more, 12, None), (ours, true));
        assert_eq!(of_display(&[], 12, None), (Vec::new(), false));
    }

    #[test]
    fn another_computer_is_shown_its_own_cookies_alone() {
        let own = |cookie| [&b"2"[..], COOKIE, cookie];
        let file = [
            record("2", COOKIE, b"here"),
            of(INTERNET, &[10, 0, 0, 7], own(b"seven")),
            of(INTERNET, &[10, 0, 0, 8], own(b"eight")),
            of(ANY, &[], own(b"any")),
        ]
        .concat();
        let shown = |peer: &str| {
            let (cookies, _) = of_display(&file, 2, Some(peer.parse().unwrap()));
            String::from_utf8(cookies.join(&b' ')).unwrap()
        };
        assert_eq!(shown("10.0.0.7"), "seven any");
        assert_eq!(shown("::ffff:10.0.0.8"), "eight any");
        assert_eq!(shown("fd00::7"), "any");
        assert_eq!(shown("127.0.0.1"), "here seven eight any");
    }

    #[test]
    fn displays_are_read_as_x_reads_them() {
        let place = |display| Place::of(display).map(|place| (place.host, place.number));
        assert_eq!(place(":12.0"), Some((None, 12)));
        assert_eq!(place("unix:3"), Some((None, 3)));
        assert_eq!(
            place("localhost:10.0"),
            Some((Some("localhost".into()), 10))
        );
        assert_eq!(place("[::1]:2"), Some((Some("::1".into()), 2)));
        assert_eq!(place("/private/tmp/launchd/org:0"), None);
        assert_eq!(place("nonsense"), None);
    }

    #[test]
    fn a_server_that_is_not_there_is_nobody() {
        assert_eq!(greet(":65000").err(), Some(Why::Nobody));
        assert!(greet("nonsense").is_ok());
    }
}
