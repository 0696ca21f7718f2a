"""The feature hash, SimHash and 1-bit MinHash, from their definitions."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

import mmh3
import xxhash

from ilk.fingerprints.recipe_options import RABIN_HASH
from ilk_papers import hashes, rabin
from tests.reference import text as reference

Hash = Callable[[bytes], int]

#: The hashes of other tools, of the UTF-8 of a text.
TOOL_HASHES: dict[str, Hash] = {
    "md5": lambda data: int.from_bytes(hashlib.md5(data).digest(), "big"),
    "sha1": lambda data: int.from_bytes(hashlib.sha1(data).digest()[-16:], "big"),
    "fnv1a32": lambda data: hashes.fnv1a(data, 32),
    "fnv1a64": lambda data: hashes.fnv1a(data, 64),
    "murmur32": lambda data: int(mmh3.hash(data, 0, signed=False)),
    "murmur128": lambda data: int(mmh3.hash128(data, 0, x64arch=True, signed=False)),
    "oaat": lambda data: hashes.one_at_a_time(data, 32),
    "oaat64": lambda data: hashes.one_at_a_time(data, 64),
    "lookup2": lambda data: hashes.lookup2(data, 64),
    "lookup3": lambda data: hashes.lookup3(data, 64),
    "java": lambda data: java(data.decode()),
}

MASK = (1 << 64) - 1


def _root_bits(prime: int) -> int:
    """The first 64 fractional bits of the square root of a prime, the lowest set."""
    return math.isqrt(prime << 128) & MASK | 1


K = [_root_bits(prime) for prime in (2, 3, 5, 7, 11, 13)]


def mix(x: int) -> int:
    """Spread every bit over the upper half."""
    x = (x ^ x >> 32) * K[4] & MASK
    return x ^ x >> 32


def ilk64(data: bytes) -> int:
    """The hash of some bytes."""
    state = 0
    for start in range(0, max(1, len(data)), 16):
        block = data[start : start + 16].ljust(16, b"\0")
        low, high = (int.from_bytes(block[i : i + 8], "little") for i in (0, 8))
        total = ((low ^ low >> 32) * K[0] + (high ^ high >> 32) * K[1]) & MASK
        state = (state * K[2] + (total ^ total >> 29)) & MASK
    return mix((state + len(data) * K[3]) & MASK)


def java(text: str) -> int:
    """Java's ``String.hashCode``: s[0] * 31^(n-1) + ... + s[n-1], in 32 bits."""
    data = text.encode("utf-16-be")
    value = 0
    for at in range(0, len(data), 2):
        value = (31 * value + int.from_bytes(data[at : at + 2], "big")) % (1 << 32)
    return value


def siphash(key: bytes) -> Hash:
    """SipHash-2-4 (Aumasson and Bernstein 2012, section 2)."""

    def rounds(v: list[int], count: int) -> None:
        for _ in range(count):
            for a, b, turn in ((0, 1, 13), (2, 3, 16), (2, 1, 17), (0, 3, 21)):
                v[a] = (v[a] + v[b]) & MASK
                v[b] = (v[b] << turn | v[b] >> 64 - turn) & MASK ^ v[a]
                if (a, b) in ((0, 1), (2, 1)):
                    v[a] = (v[a] << 32 | v[a] >> 32) & MASK

    def of(data: bytes) -> int:
        k = [int.from_bytes(key[i : i + 8], "little") for i in (0, 8)]
        start = b"somepseudorandomlygeneratedbytes"
        v = [int.from_bytes(start[i : i + 8], "big") ^ k[i // 8 % 2] for i in range(0, 32, 8)]
        padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
        for i in range(0, len(padded), 8):
            word = int.from_bytes(padded[i : i + 8], "little")
            v[3] ^= word
            rounds(v, 2)
            v[0] ^= word
        v[2] ^= 255
        rounds(v, 4)
        return v[0] ^ v[1] ^ v[2] ^ v[3]

    return of


def hash_function(name: str, key: bytes | None = None) -> Hash:
    """The function by which the kernels number features."""
    if key is not None:
        return siphash(key)
    return xxhash.xxh3_64_intdigest if name == "xxh3" else ilk64


def token(word: str, of: Hash = ilk64) -> int:
    """The hash of a word or a run of characters."""
    return of(word.encode())


def shingle(tokens: tuple[str, ...], of: Hash = ilk64) -> int:
    """The hash of a shingle of words."""
    if len(tokens) == 1:
        return token(tokens[0], of)
    state = 0
    for word in tokens:
        state = (state * K[2] + token(word, of)) & MASK
    return mix(state)


def expand(feature: int) -> int:
    """The 128 bits that a feature's id adds to a fingerprint."""
    halves = []
    for factor, summand in ((K[0], K[1]), (K[2], K[3])):
        x = (feature * factor + summand) & MASK
        x = (x ^ x >> 32) * K[5] & MASK
        x = (x ^ x >> 29) * K[4] & MASK
        halves.append(x ^ x >> 32)
    return halves[0] | halves[1] << 64


#: What the bits of a SimHash become in a tie.
TIES = {"zero": 0, "one": (1 << 128) - 1, "fixed": K[1] | K[3] << 64}


def feature_id(feature: tuple[str, ...], unit: str, of: Hash = ilk64) -> int:
    """The number of a feature."""
    return (shingle(feature, of) if unit == "words" else token("".join(feature), of)) >> 32


def feature_ids(text: str, unit: str, width: int, masks: Collection[str] = ()) -> list[int]:
    """The ids of a text's shingles, repetitions included."""
    features = reference.features(text, unit, width, masks=masks)
    return [feature_id(feature, unit) for feature in features]


def weigh(weight: str, tf: int) -> int:
    """What a feature counts that occurs tf times."""
    return {"binary": 1, "tf": tf, "log": round(8 * (1 + math.log(tf)))}[weight]


def accumulate(features: Iterable[tuple[int, int]], bits: int, ties: int) -> int:
    """SimHash of (feature hash, weight) pairs (Charikar 2002, section 3)."""
    sums = [0] * bits
    for feature, weight in features:
        for j in range(bits):
            sums[j] += weight if feature >> j & 1 else -weight
    return sum((1 if s > 0 else ties >> j & 1 if s == 0 else 0) << j for j, s in enumerate(sums))


def permutation(j: int) -> tuple[int, int]:
    """Factor and summand of a permutation of MinHash."""
    return (expand(j) >> 32) % 2**32 | 1, expand(j) % 2**32


def signature(ids: Iterable[int], size: int) -> list[int]:
    """The MinHash signature of a set of ids (Broder 1997, section 3)."""
    ids = set(ids)
    permutations = [permutation(j) for j in range(size)]
    return [min((x * factor + add) % 2**32 for x in ids) for factor, add in permutations]


def sketch(ids: list[int], method: str, number: int) -> dict[int, int]:
    """The chosen ids and their places, by the definition."""
    places = list(range(len(ids)))
    if method == "modulo":
        places = [at for at in places if ids[at] % number == 0]
    if method == "winnow":
        window = min(number, len(ids))
        windows = [range(i, i + window) for i in range(len(ids) - window + 1)] if ids else []
        places = [min(window, key=lambda at: (ids[at], -at)) for window in windows]
    first: dict[int, int] = {}
    for at in places:
        first.setdefault(ids[at], at)
    chosen = sorted(first, reverse=method == "highest")
    if method in ("lowest", "highest"):
        chosen = chosen[:number]
    return {number: first[number] for number in sorted(chosen)}


def minhash(ids: Iterable[int], bits: int) -> int:
    """Packed 1-bit MinHash of a set of ids (Li and Koenig 2010, section 2)."""
    packed = 0
    for j, minimum in enumerate(signature(ids, bits)):
        x = minimum ^ permutation(j)[0]
        x = (x ^ x >> 16) * (K[0] >> 32 | 1) % 2**32
        x = (x ^ x >> 15) * (K[4] >> 32 | 1) % 2**32
        packed |= (x >> 31) << j
    return packed


def stop_words(
    entries: Iterable[str], normalisation: str, masks: Collection[str]
) -> frozenset[str]:
    """The words that a list stops, cut as texts are."""
    cut = (
        reference.features(e, "words", 1, normalisation=normalisation, masks=masks) for e in entries
    )
    return frozenset(found[0][0] for found in cut if len(found) == 1)


def common_crawl(text: str) -> int | None:
    """The SimHash of the set of 4 UTF-16 units, each as its upper and its lower byte; ties zero."""
    data = text.encode("utf-16-be", "surrogatepass")
    runs = {data[at : at + 8] for at in range(0, len(data) - 7, 2)}
    if not runs or text.isspace():
        return None
    return accumulate(((rabin_remainder(run), 1) for run in runs), 64, 0)


def is_irreducible_of_degree_64(polynomial: int) -> bool:
    """Whether a polynomial is irreducible (Rabin 1980): x^(2^64) = x, and x^(2^32) - x has no
    factor in common with it.

    Bit i of a number is the coefficient, over GF(2), of x^i.
    """
    power = 2
    for step in range(64):
        if step == 32:
            divisor, rest = polynomial, power ^ 2
            while rest:
                divisor, rest = rest, remainder(divisor, rest)
            if divisor != 1:
                return False
        # Over GF(2), squaring puts a zero between every two bits.
        power = remainder(int("0".join(f"{power:b}"), 2), polynomial)
    return power == 2


def remainder(value: int, divisor: int) -> int:
    """A polynomial over GF(2) modulo another, by long division; bit i is x^i."""
    while value.bit_length() >= divisor.bit_length():
        value ^= divisor << (value.bit_length() - divisor.bit_length())
    return value


def rabin_remainder(data: bytes) -> int:
    """A one and the bits of all bytes, the lowest of each first, times x^64, by long division."""
    polynomial = int("1" + f"{rabin.POLYNOMIAL:064b}"[::-1], 2)
    value = int("1" + "".join(f"{byte:08b}"[::-1] for byte in data), 2) << 64
    return int(f"{remainder(value, polynomial):064b}"[::-1], 2)


def fingerprint(
    text: str,
    *,
    kind: str,
    bits: int,
    unit: str,
    width: int,
    weight: str,
    normalisation: str,
    minimum: int,
    hash_name: str = "ilk64",
    key: bytes | None = None,
    ties: str = "fixed",
    masks: Collection[str] = (),
    stop: Collection[str] = (),
    table: Mapping[int, int] | None = None,
) -> int | None:
    """The fingerprint of a text; none if it has too few distinct features.

    ``stop`` are entries of a list, ``table`` the weights of all features by their ids.
    """
    if hash_name == RABIN_HASH:
        return common_crawl(text)
    stop = stop_words(stop, normalisation, masks)
    of = hash_function(hash_name, key)
    found = reference.features(
        text, unit, width, normalisation=normalisation, masks=masks, stop=stop
    )
    weights = {}
    for feature, tf in Counter(found).items():
        number = feature_id(feature, unit, of)
        weights[feature] = weigh(weight, tf) * (1 if table is None else table[number])
    weights = {feature: heavy for feature, heavy in weights.items() if heavy}
    if len(weights) < minimum:
        return None
    if kind == "minhash":
        return minhash((feature_id(feature, unit, of) for feature in weights), bits)
    if hash_name in TOOL_HASHES:
        joint = " " if unit == "words" else ""
        values = [TOOL_HASHES[hash_name](joint.join(feature).encode()) for feature in weights]
    else:
        values = [expand(feature_id(feature, unit, of)) for feature in weights]
    return accumulate(zip(values, weights.values(), strict=True), bits, TIES[ties])
