"""The random numbers of ChaCha8, from which the program draws: for scripts that train what it trains."""

import numpy as np

LOW_32 = 0xFFFFFFFF


def bits(key, stream, count):
    """So many 64-bit numbers of a ChaCha8 stream."""
    n = -(-count // 8)
    start = np.zeros((16, n), np.uint32)
    for at, word in enumerate([0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key]):
        start[at] = word
    start[12] = np.arange(n)
    start[14], start[15] = stream & LOW_32, stream >> 32
    x = start.copy()

    def quarter(a, b, c, d):
        for i, j, k, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[i] += x[j]
            mixed = x[k] ^ x[i]
            x[k] = (mixed << np.uint32(turn)) | (mixed >> np.uint32(32 - turn))

    for _ in range(4):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    words = (x + start).T.reshape(-1).astype(np.uint64)
    return (words[0::2] | (words[1::2] << np.uint64(32)))[:count]


def seeded(seed):
    """The key that Rust's `seed_from_u64` makes of a seed, by PCG32."""
    key = []
    for _ in range(8):
        seed = (seed * 0x5851F42D4C957F2D + 0xA17654E46FBE17F3) % 2**64
        mixed, turn = (((seed >> 18) ^ seed) >> 27) & LOW_32, seed >> 59
        key.append(((mixed >> turn) | (mixed << (32 - turn))) & LOW_32)
    return key


def unit(seed):
    """The first f32 from 0 to 1 of a generator with this seed."""
    return ((int(bits(seeded(seed), 0, 1)[0]) & LOW_32) >> 8) / 2**24
