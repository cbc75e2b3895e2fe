"""The integer generator that golden data is made with, defined here so that anybody can write it again in C.

Only 64-bit unsigned arithmetic modulo 2^64 is used, no floating-point operation rounds, and element i depends
on the key and i alone: the same elements come out on any machine, in any order, at any count.

    seed(key)         the first 8 bytes of SHA-256(key in UTF-8), little-endian
    word(key, i)      mix(seed(key) + (i + 1) * 0x9E3779B97F4A7C15)                     i = 0, 1, 2, …
    mix(z)            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
                      z = (z ^ (z >> 27)) * 0x94D049BB133111EB
                      z ^ (z >> 31)                                      (this is SplitMix64, counted)
    bits(i, width)    word(i) >> (64 - width)
    integer(i)        low + floor(word(i) * (high - low + 1) / 2^64)       the product has 128 bits
    uniform(i)        integer(i) from low * 2^s to high * 2^s, times 2^-s, where s is the largest number
                      with max(|low|, |high|) * 2^s <= 2^24
    normal(i)         (mean * 2^16 + deviation * (h - 393210)) * 2^-26, where mean and deviation count in
                      2^-10 and h is the sum of the twelve 16-bit quarters of word(3i), word(3i+1), word(3i+2)

h has the mean 393210 = 12 * 65535 / 2 and the variance 2^32 - 1 (Irwin and Hall's sum of twelve uniforms), so
that (h - 393210) * 2^-16 has the deviation 1 to ten digits and never leaves [-6, 6].
"""

import hashlib

import numpy as np
import numpy.typing as npt

from aclnn_spec.spec.errors import InputError

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_WORD = 64
_MIN, _MAX = -(2**63), 2**63 - 1
_SIGNIFICANT = 24
_HALF, _LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
_QUARTER, _LOW_QUARTER = 16, np.uint64(0xFFFF)
_NORMAL_CENTRE = 393210
_NORMAL_BITS = 26
_NORMAL_LIMIT = 2**20
_BLOCK = 2**16  # elements whose words stay near the processor
_STORAGE = ((8, np.uint8), (16, np.uint16), (32, np.uint32), (64, np.uint64))

Words = npt.NDArray[np.uint64]


def words(key: str, count: int) -> Words:
    """Give the first `count` words of the key's stream, shape (count,); InputError for a negative count."""
    return _words(key, count)


def bits(key: str, count: int, width: int) -> npt.NDArray[np.unsignedinteger]:
    """Give the top `width` bits (1 to 64) of each word, in the smallest unsigned dtype that fits."""
    if not 1 <= width <= _WORD:
        raise InputError(f"bits({key!r}): found a width of {width}, expected 1 to {_WORD}")
    top = _words(key, count) >> np.uint64(_WORD - width)
    return top.astype(next(dtype for size, dtype in _STORAGE if width <= size))


def integers(key: str, count: int, low: int, high: int) -> npt.NDArray[np.int64]:
    """Give int64 integers from low to high, both included; InputError if that is no range of int64.

    Each value's probability is right to within 2^-64: no word is rejected, so elements keep their places.
    """
    if not _MIN <= low <= high <= _MAX:
        raise InputError(f"integers({key!r}): found {low} to {high}, expected a rising range of int64")
    _check_count(key, count)
    values = np.empty(count, np.int64)
    for start in range(0, count, _BLOCK):
        block = values[start : start + _BLOCK].view(np.uint64)
        block[...] = _upper_half(_words(key, block.size, first=start), high - low + 1)
        block += np.uint64(low % 2**_WORD)
    return values


def uniform(key: str, count: int, low: int, high: int) -> npt.NDArray[np.float64]:
    """Give float64 values between two whole numbers, on a lattice that float32 holds exactly.

    Both ends are included. InputError unless -2^24 <= low < high <= 2^24.
    """
    if not -(2**_SIGNIFICANT) <= low < high <= 2**_SIGNIFICANT:
        raise InputError(f"uniform({key!r}): found {low} to {high}, expected a rising range within 2^24")
    scale = _SIGNIFICANT - (max(abs(low), abs(high)) - 1).bit_length()
    return integers(key, count, low << scale, high << scale) * np.float64(2.0**-scale)


def normal(key: str, count: int, mean: int, deviation: int) -> npt.NDArray[np.float64]:
    """Give float64 values, nearly normal, none further than 6 deviations from the mean.

    `mean` and `deviation` count in 2^-10: 512 is 0.5. Every value is exact in float64, a multiple of 2^-26;
    narrower types round it. InputError unless |mean| <= 2^20 and 1 <= deviation <= 2^20.
    """
    if not (abs(mean) <= _NORMAL_LIMIT and 1 <= deviation <= _NORMAL_LIMIT):
        raise InputError(f"normal({key!r}): found mean {mean}, deviation {deviation}, expected at most 2^20")
    first, second, third = (_quarters(_words(key, count, first=first, step=3)) for first in range(3))
    lattice = ((first + second + third).view(np.int64) - _NORMAL_CENTRE) * deviation + (mean << _QUARTER)
    return lattice * np.float64(2.0**-_NORMAL_BITS)


def _words(key: str, count: int, *, first: int = 0, step: int = 1) -> Words:
    """Give every `step`-th word of the key's stream, from the word `first` on."""
    _check_count(key, count)
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
    z = np.arange(count, dtype=np.uint64)
    z *= np.uint64(step)
    z += np.uint64(first + 1)
    z *= _GAMMA
    z += np.uint64(seed)
    z ^= z >> np.uint64(30)
    z *= _MIX_1
    z ^= z >> np.uint64(27)
    z *= _MIX_2
    z ^= z >> np.uint64(31)
    return z


def _check_count(key: str, count: int) -> None:
    if count < 0:
        raise InputError(f"stream {key!r}: found a count of {count}, expected 0 or more")


def _quarters(stream: Words) -> Words:
    """Give the sum of each word's four 16-bit quarters."""
    total = stream & _LOW_QUARTER
    for shift in range(_QUARTER, _WORD, _QUARTER):
        total += stream >> np.uint64(shift) & _LOW_QUARTER
    return total


def _upper_half(stream: Words, factor: int) -> Words:
    """Give the upper 64 bits of each word times the factor (1 to 2^64), from products of 32-bit halves."""
    factor_high, factor_low = np.uint64(factor >> 32), np.uint64(factor & 0xFFFFFFFF)
    high, low = stream >> _HALF, stream & _LOW_HALF
    cross = high * factor_low
    # No sum here reaches 2^64: (2^32 - 1)^2 + 2 * (2^32 - 1) is the most, or (2^32 - 1) * 2^32 for 2^64.
    middle = (low * factor_low >> _HALF) + (cross & _LOW_HALF) + low * factor_high
    upper: Words = high * factor_high + (cross >> _HALF) + (middle >> _HALF)
    return upper
