use super::super::perceptual_hash::tests::scene;
use super::*;

#[test]
fn finds_pairs_and_limits_set_size() {
    let hashes: Vec<Option<PerceptualHash>> =
        (0..400u64).map(|at| PerceptualHash::new(&scene(1 + at % 300, 64, 64))).collect();
    let mut sets = DisjointSets::new(hashes.len());
    sets.join_near_copies(&hashes);
    for (at, hash) in hashes.iter().enumerate().skip(300) {
        assert!(hash.is_none() || sets.find(at) == sets.find(at - 300));
    }
    assert_eq!(sets.size.iter().filter(|size| **size > 2).count(), 0);
    let identical = vec![PerceptualHash::new(&scene(3, 64, 64)); 3 * MAX_SET_SIZE];
    let mut sets = DisjointSets::new(identical.len());
    sets.join_near_copies(&identical);
    assert!(sets.is_limited && sets.size.iter().all(|size| *size <= MAX_SET_SIZE));
}

#[test]
fn random_hashes_stay_in_separate_sets() {
    let original = PerceptualHash::new(&scene(5, 64, 64)).unwrap();
    let mut bits = 1u64;
    let mut random_hash = || {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        let mut hash = original.clone();
        hash.bits = bits;
        hash.luma = std::array::from_fn(|cell| {
            (bits.wrapping_mul(2 * cell as u64 + 0x9E37_79B9_7F4A_7C15) >> 40) as u8
        });
        Some(hash)
    };
    let mut hashes: Vec<Option<PerceptualHash>> = (0..100_000).map(|_| random_hash()).collect();
    // These two differ in a few bits that are spread over the whole hash.
    let mut twin = hashes[7].clone().unwrap();
    twin.bits ^= 0x0100_4000_0020_0004;
    hashes[90_000] = Some(twin);
    let mut sets = DisjointSets::new(hashes.len());
    sets.join_near_copies(&hashes);
    let size = |sets: &mut DisjointSets, at: usize| {
        let root = sets.find(at);
        sets.size[root]
    };
    assert_eq!((size(&mut sets, 7), size(&mut sets, 90_000)), (2, 2));
    assert!((0..100_000).all(|at| at == 7 || at == 90_000 || size(&mut sets, at) == 1));
}
