"""Each example does what the README and its own docstring say."""

import subprocess
import sys
from pathlib import Path

import pytest

import aclnn_spec

EXAMPLES = Path(__file__).parents[1] / "examples"
COMMAND = Path(sys.executable).with_name("aclnn-spec")
HUGE = "aclnnL1LossBackward/mean/FLOAT-2x8388609-huge-n"
TIE = "aclnnL1LossBackward/basic/BFLOAT16-3x3-mean-signs"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program in the checkout."""
    return subprocess.run(
        list(map(str, arguments)), cwd=EXAMPLES.parent, capture_output=True, encoding="utf-8", check=False
    )


def certify(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command `certify`, in English."""
    return run(COMMAND, "certify", *arguments, "--lang", "en")


def test_the_function_is_conformant_in_its_values() -> None:
    """The dozen lines of the README pass, judged by their values alone, and write nothing to standard error."""
    done = certify("examples/my_function.py:implementation")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Scope: numerics alone" in done.stdout
    assert done.stdout.rstrip().endswith("Verdict: conformant")


def test_the_kernel_is_conformant_in_full() -> None:
    """The two-phase kernel passes, and no case is skipped or off by more than 1/N may be."""
    done = certify("examples/my_kernel.py:MyKernel")
    assert (done.returncode, done.stderr) == (0, "")
    total = next(line for line in done.stdout.splitlines() if line.startswith("total")).split()
    assert total[2:] == ["0", "0", "0", "1"]
    assert "Scope" not in done.stdout
    assert done.stdout.rstrip().endswith("Verdict: conformant")


def test_the_kernel_passes_among_tests_of_ones_own() -> None:
    """The decorated function runs once for each case of the tier."""
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/test_my_kernel.py")
    assert done.returncode == 0, done.stdout
    rows = map(str.split, run(COMMAND, "list", "--lang", "en").stdout.splitlines())
    cases = next(row[2] for row in rows if row[0] == "aclnnL1LossBackward")
    assert done.stdout.splitlines()[-1].startswith(f"{cases} passed in ")


def test_the_waivers_are_what_the_faulty_function_needs() -> None:
    """With them it is conformant, which the verdict qualifies; without them it is not."""
    waived = certify("examples/short_count.py:implementation", "--waivers", "examples/waivers.json")
    assert (waived.returncode, waived.stderr) == (0, "")
    assert waived.stdout.splitlines()[-1].startswith("Verdict: conformant, with ")
    with pytest.raises(AssertionError, match="hunts: N is 16777218: "):
        aclnn_spec.check(f"{EXAMPLES}/short_count.py:implementation", HUGE)


def test_the_waivers_are_stale_where_nothing_fails() -> None:
    """The function without the fault does not get through with waivers for it."""
    waivers = ("--waivers", "examples/waivers.json")
    done = certify("examples/my_function.py:implementation", *waivers, "--case", TIE)
    assert done.returncode == 1
    assert "the waiver for aclnnL1LossBackward/mean/*-huge-n is stale" in done.stdout


def test_golden_data_is_read_without_the_package() -> None:
    """The page's own example comes out as its definition has it, without an import of aclnn_spec or ml_dtypes."""
    script = EXAMPLES / "read_golden.py"
    assert "aclnn_spec" not in script.read_text(encoding="utf-8")
    done = run(sys.executable, script)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "aclnnL1LossBackward/basic/FLOAT-2x2-mean-page-example: the example the official page gives",
        "gradOutput FLOAT [[0.0, 1.0], [2.0, 3.0]]",
        "self FLOAT [[0.0, 1.0], [2.0, 3.0]]",
        "target FLOAT [[1.0, 1.0], [1.0, 1.0]]",
        "reduction 1",
        "gradInput {'dtype': 'FLOAT', 'shape': [2, 2]}",
        "expected FLOAT [[-0.0, 0.0], [0.5, 0.75]]",
    ]


def test_golden_data_of_bfloat16_is_read_without_the_package() -> None:
    """Sixteen bits become a number: a third of 3 nines, rounded to eight significant bits."""
    done = run(sys.executable, EXAMPLES / "read_golden.py", TIE)
    third = 3 / 9
    nearest = round(third * 2**9) / 2**9
    row = f"[{-nearest}, 0.0, {nearest}]"
    assert done.stdout.splitlines()[-1].endswith(f"{row}]")


def test_a_case_that_does_not_exist_is_refused() -> None:
    """The reader says what it did not find."""
    done = run(sys.executable, EXAMPLES / "read_golden.py", "aclnnAdd/basic/none")
    assert (done.returncode, done.stderr.strip()) == (1, "found no case 'aclnnAdd/basic/none'")


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_an_example_says_how_it_is_run(name: str) -> None:
    """Its docstring holds the command line."""
    head = (EXAMPLES / name).read_text(encoding="utf-8").split('"""')[1]
    assert f"examples/{name}" in head
