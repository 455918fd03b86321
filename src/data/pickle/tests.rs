//! Tests of the pickle reader.

use proptest::prelude::*;

use super::*;

/// `{'data': array, 'fine_labels': [7, 300, -1]}` as written by Python 2 with numpy.
const CIFAR_LIKE: &[u8] = b"\x80\x02}q\x01(U\x04dataq\x02cnumpy.core.multiarray\n_reconstruct\nq\x03\
    cnumpy\nndarray\nq\x04K\x00\x85U\x01b\x87Rq\x05(K\x01K\x02K\x03\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R\
    (K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89U\x06abcdeftbU\x0bfine_labelsq\x06]q\x07\
    (K\x07M\x2c\x01J\xff\xff\xff\xffeu.";

#[test]
fn reads_numpy_array_and_list() {
    let pickle = read(CIFAR_LIKE).unwrap();
    let labels = pickle.get("fine_labels").unwrap();
    assert_eq!(pickle.numbers(labels).unwrap(), [7, 300, -1]);
    let data = pickle.get("data").unwrap();
    assert_eq!(&CIFAR_LIKE[pickle.array_range(data).unwrap()], b"abcdef");
    assert!(pickle.get("absent").is_none());
    assert!(pickle.strings(labels, 3).is_none());
}

#[test]
fn rejects_truncated_files_and_unsupported_opcodes() {
    for keep in 0..CIFAR_LIKE.len() {
        assert!(read(&CIFAR_LIKE[..keep]).is_err(), "cut to {keep}");
    }
    // Persistent ids and inst are not plain data.
    assert!(read(b"Pid\n.").is_err());
    let problem = read(b"(iposix\nsystem\n.").err().unwrap();
    assert!(problem.is("problem-pickle-unreadable"), "{problem}");
    assert!(problem.what.contains("0x69"), "{problem}");
    // Lists may contain themselves, which is harmless without recursion.
    assert!(read(b"]q\x00h\x00a.").is_ok());
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(pickle) = read(&bytes) {
            let _ = pickle.get("data").and_then(|id| pickle.array_range(id));
        }
    }

    #[test]
    fn changed_byte_does_not_panic(position in 0..CIFAR_LIKE.len(), value in any::<u8>()) {
        let mut bytes = CIFAR_LIKE.to_vec();
        bytes[position] = value;
        if let Ok(pickle) = read(&bytes) {
            let _ = pickle.get("fine_labels").and_then(|id| pickle.numbers(id));
        }
    }
}
