"""The generator of golden data, held against its docstring's definition written again in plain Python."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aclnn_spec.golden import generator
from aclnn_spec.spec.errors import InputError

Array = npt.NDArray[Any]
MASK = 2**64 - 1


def splitmix(seed: int, index: int) -> int:
    """Give a word of SplitMix64, in Python's own integers."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def word(key: str, index: int) -> int:
    """Give a word of the key's stream."""
    return splitmix(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little"), index)


def integer(key: str, index: int, low: int, high: int) -> int:
    """Give an element of `integers`."""
    return low + (word(key, index) * (high - low + 1) >> 64)


def uniform(key: str, index: int, low: int, high: int) -> float:
    """Give an element of `uniform`, from the largest scale that keeps 24 bits."""
    scale = max(s for s in range(25) if max(abs(low), abs(high)) << s <= 2**24)
    return integer(key, index, low << scale, high << scale) / (1 << scale)


def normal(key: str, index: int, mean: int, deviation: int) -> float:
    """Give an element of `normal`; Python's division of integers rounds once, and here not at all."""
    joined = b"".join(word(key, 3 * index + part).to_bytes(8, "little") for part in range(3))
    total = sum(int.from_bytes(joined[at : at + 2], "little") for at in range(0, 24, 2))
    return (mean * 2**16 + deviation * (total - 393210)) / 2**26


DRAWS: dict[str, Callable[[int], Array]] = {
    "words": lambda count: generator.words("k", count),
    "bits": lambda count: generator.bits("k", count, 16),
    "integers": lambda count: generator.integers("k", count, -3, 7),
    "uniform": lambda count: generator.uniform("k", count, -5, 5),
    "normal": lambda count: generator.normal("k", count, 512, 1024),
}


def test_the_plain_mixer_is_splitmix64() -> None:
    """The mixer that these tests trust gives the published first outputs for the seeds 0 and 1234567."""
    assert splitmix(0, 0) == 0xE220A8397B1DCDAF
    assert [splitmix(1234567, index) for index in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_the_first_words_never_change() -> None:
    """The stream of a key is the same in every version: golden data hangs on it."""
    assert [f"{value:016x}" for value in generator.words("aclnn-spec", 4).tolist()] == [
        "e46450d175641715",
        "a09a812c5473b78a",
        "bb8294bcccedfc02",
        "0663d3bf4e8fd0c4",
    ]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_words_follow_the_definition(key: str) -> None:
    """Every key, Chinese and empty ones included, has its own stream."""
    assert generator.words(key, 20).tolist() == [word(key, index) for index in range(20)]


@pytest.mark.parametrize(
    ("width", "dtype"),
    [(1, "u1"), (8, "u1"), (9, "u2"), (16, "u2"), (17, "u4"), (32, "u4"), (33, "u8"), (64, "u8")],
)
def test_bits_are_the_top_of_the_words(width: int, dtype: str) -> None:
    """The bits come in the smallest dtype that holds them."""
    bits = generator.bits("k", 100, width)
    assert bits.dtype == np.dtype(dtype)
    assert bits.tolist() == [word("k", index) >> (64 - width) for index in range(100)]


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_integers_follow_the_definition(one: int, other: int) -> None:
    """Any range of int64 is drawn from by the upper half of a 128-bit product."""
    low, high = sorted((one, other))
    drawn = generator.integers("k", 20, low, high)
    assert drawn.tolist() == [integer("k", index, low, high) for index in range(20)]


@pytest.mark.parametrize(
    ("low", "high"),
    [(-(2**63), 2**63 - 1), (-(2**63), 2**63 - 2), (0, 2**32 - 1), (0, 2**32), (7, 7), (-(2**63), -(2**63))],
)
def test_integers_of_special_ranges(low: int, high: int) -> None:
    """The whole of int64, spans about 2^32 and single values follow the definition, too."""
    drawn = generator.integers("k", 200, low, high)
    assert drawn.dtype == np.int64
    assert drawn.tolist() == [integer("k", index, low, high) for index in range(200)]


def test_integers_reach_every_value_about_equally_often() -> None:
    """Of 70000 draws from 7 values, each value gets about 10000: four deviations are 370."""
    values, counts = np.unique(generator.integers("fair", 70000, -3, 3), return_counts=True)
    assert values.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert np.abs(counts - 10000).max() < 370


@given(st.integers(-(2**24), 2**24), st.integers(-(2**24), 2**24))
def test_uniform_follows_the_definition(one: int, other: int) -> None:
    """Any range of whole numbers up to 2^24 is drawn from, within it, and exactly in 24 bits."""
    low, high = sorted((one, other)) if one != other else (-1, 1)
    drawn = generator.uniform("k", 20, low, high)
    assert drawn.tolist() == [uniform("k", index, low, high) for index in range(20)]
    assert drawn.astype(np.float32).astype(np.float64).tolist() == drawn.tolist()


def test_uniform_fills_its_range_evenly() -> None:
    """In [-5, 5] the mean is about 0, the deviation about 10 / sqrt(12), and both ends are nearly reached."""
    drawn = generator.uniform("even", 100_000, -5, 5)
    assert drawn.dtype == np.float64
    assert abs(drawn.mean()) < 0.04
    assert abs(drawn.std() - 10 / 12**0.5) < 0.02
    assert -5 <= drawn.min() < -4.999
    assert 4.999 < drawn.max() <= 5


@given(st.integers(-(2**20), 2**20), st.integers(1, 2**20))
def test_normal_follows_the_definition(mean: int, deviation: int) -> None:
    """Any mean and deviation give the values of the definition, bit for bit."""
    drawn = generator.normal("k", 10, mean, deviation)
    assert drawn.tolist() == [normal("k", index, mean, deviation) for index in range(10)]


@pytest.mark.parametrize(("mean", "deviation"), [(-5120, 103), (0, 1024), (5120, 2048)])
def test_normal_has_its_mean_and_deviation(mean: int, deviation: int) -> None:
    """Of 100000 values, mean and deviation are right to five standard errors, and two thirds lie near."""
    drawn = generator.normal("bell", 100_000, mean, deviation)
    z = (drawn - mean / 1024) / (deviation / 1024)
    assert abs(z.mean()) < 5 / 100_000**0.5
    assert abs(z.std() - 1) < 5 / 200_000**0.5
    assert abs((np.abs(z) < 1).mean() - 0.683) < 0.01
    assert np.abs(z).max() <= 6


@pytest.mark.parametrize("kind", DRAWS)
def test_an_element_does_not_depend_on_the_count(kind: str) -> None:
    """A longer array begins with the shorter one, down to none at all."""
    draw = DRAWS[kind]
    longest = draw(1000)
    assert longest.shape == (1000,)
    for count in (0, 1, 2, 3, 17, 999):
        assert draw(count).tolist() == longest[:count].tolist()
    assert draw(0).dtype == longest.dtype


@pytest.mark.parametrize("kind", DRAWS)
def test_a_negative_count_is_refused(kind: str) -> None:
    """No array has -1 elements."""
    with pytest.raises(InputError, match=r"^stream 'k': found a count of -1, expected 0 or more$"):
        DRAWS[kind](-1)


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (generator.bits, (0,)),
        (generator.bits, (65,)),
        (generator.integers, (1, 0)),
        (generator.integers, (0, 2**63)),
        (generator.integers, (-(2**63) - 1, 0)),
        (generator.uniform, (1, 1)),
        (generator.uniform, (0, 2**24 + 1)),
        (generator.uniform, (-(2**24) - 1, 0)),
        (generator.normal, (0, 0)),
        (generator.normal, (2**20 + 1, 1)),
        (generator.normal, (0, 2**20 + 1)),
    ],
)
def test_ranges_that_do_not_exist_are_refused(draw: Callable[..., Array], arguments: tuple[int, ...]) -> None:
    """An empty range, or one that would have to round, is an InputError that names the key."""
    with pytest.raises(InputError, match=r"^[a-z]+\('k'\): found .*, expected "):
        draw("k", 5, *arguments)
