"""The command line: what each command prints, how it exits, and what it does not import."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aclnn_spec import cli
from aclnn_spec.golden.store import Golden
from aclnn_spec.spec.read import Spec
from conftest import BACKENDS, NAME, Command

GOOD = ("gradOutput=FLOAT[2,3]", "self=FLOAT[2,3]", "target=FLOAT[2,3]", "reduction=1", "gradInput=FLOAT[2,3]")


def changed(**arguments: str) -> list[str]:
    """The good call with other arguments."""
    given = dict(text.split("=") for text in GOOD) | arguments
    return [f"{name}={value}" for name, value in given.items()]


@pytest.mark.parametrize("words", ["--help", "--version", "list", f"diagnose {NAME} {' '.join(GOOD)}", f"show {NAME}"])
def test_light_commands_import_little(words: str, python: Command) -> None:
    """Help, list, show and diagnose need neither pytest nor ml_dtypes, nor NumPy."""
    ran = python(
        "import sys\nfrom aclnn_spec import cli\n"
        f"try:\n    code = cli.main({words.split()!r})\nexcept SystemExit as error:\n    code = error.code\n"
        "heavy = {'pytest', '_pytest', 'ml_dtypes', 'numpy', 'torch'} & set(sys.modules)\n"
        "print(code, sorted(heavy), file=sys.stderr)"
    )
    assert ran.stderr.splitlines()[-1] == "0 []"


def test_diagnose_a_good_call(main: Command) -> None:
    """A call that breaks nothing exits 0, says so, and names the clauses that its data may touch."""
    english, chinese = (main("diagnose", NAME, *GOOD, "--lang", lang) for lang in ("en", "zh"))
    assert (english.returncode, chinese.returncode) == (0, 0)
    assert english.stdout.splitlines()[:3] == [
        f"{NAME}: ACLNN_SUCCESS (0) — The call succeeded.",
        "It breaks no clause.",
        "Its arguments touch no unspecified clause.",
    ]
    assert "没有违反任何条款。" in chinese.stdout.splitlines()
    assert "nan_operand" in english.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "product", "touched"),
    [
        ({"self": "FLOAT[]"}, None, ["rank_0"]),
        ({"target": "INT32[2,3]"}, None, ["integer_mix"]),
        ({"gradInput": "DOUBLE[2,3]"}, None, ["wide_output"]),
        ({"self": "FLOAT[]", "gradInput": "COMPLEX64[2,3]"}, None, ["rank_0", "wide_output"]),
        (dict.fromkeys(("gradOutput", "self", "target", "gradInput"), "BFLOAT16[2,3]"), "atlas_training", None),
        (dict.fromkeys(("gradOutput", "self", "target", "gradInput"), "BFLOAT16[2,3]"), "ascend950", []),
    ],
)
def test_diagnose_names_what_is_unspecified(
    arguments: dict[str, str], product: str | None, touched: list[str] | None, main: Command, spec: Spec
) -> None:
    """A good call that touches unspecified clauses names each, with the outcomes that are accepted."""
    options = ["--product", product] if product in spec.tables.products else []
    ran = main("diagnose", NAME, *changed(**arguments), "--lang", "en", *options)
    known = [clause.id for clause in spec.operators[NAME].clauses if clause.outcome == "unspecified"]
    lines = [line.strip().partition(":")[0] for line in ran.stdout.splitlines()]
    assert (ran.returncode, "It breaks no clause." in ran.stdout) == (0, True)
    if touched is not None:
        assert [line for line in lines if line in known] == touched
        assert ran.stdout.count("; accepted: ") == len(touched)


@pytest.mark.parametrize(
    ("arguments", "clauses"),
    [
        ({"reduction": "-1"}, ["reduction"]),
        ({"reduction": "9223372036854775807"}, ["reduction"]),
        ({"target": "FLOAT[2,4]"}, ["broadcastable"]),
        ({"self": "UINT16[2,3]"}, ["deducible"]),
        ({"gradInput": "FLOAT[3,2]"}, ["output_shape"]),
        ({"gradInput": "null", "self": "null"}, ["nullptr"]),
    ],
)
def test_diagnose_a_bad_call(arguments: dict[str, str], clauses: list[str], main: Command) -> None:
    """A call that breaks clauses exits 1, names exactly those, each with what was found and its source."""
    ran = main("diagnose", NAME, *changed(**arguments), "--lang", "en")
    lines = ran.stdout.splitlines()
    broken = [line.split(" (")[0].strip() for line in lines if line.startswith("  ") and not line.startswith("   ")]
    assert (ran.returncode, broken) == (1, clauses)
    assert [line.split(":")[0].strip() for line in lines[3:5]] == ["found", "source"]


def test_diagnose_null_handles(main: Command) -> None:
    """The outputs of phase 1 can be given as null pointers too."""
    ran = main("diagnose", NAME, *GOOD, "workspaceSize=null", "--lang", "en")
    assert (ran.returncode, "null_handles (161001)" in ran.stdout) == (1, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([NAME, *GOOD, "extra=1"], "found 'extra=1', expected PARAM=VALUE with PARAM one of gradOutput, "),
        ([NAME, *GOOD[1:]], "gradOutput: not given; null is gradOutput=null"),
        ([NAME, "self", *GOOD], "found 'self', expected PARAM=VALUE"),
        ([NAME, *GOOD, "self=null"], "self: given twice"),
        ([NAME, *changed(self="FLOAT[2,-3]")], "self: found 'FLOAT[2,-3]'"),
        ([NAME, *changed(self="FLOAT[2,3")], "self: found 'FLOAT[2,3'"),
        ([NAME, *changed(self="[2,3]")], "self: found '[2,3]'"),
        ([NAME, *changed(reduction="two")], "reduction: found 'two'"),
        ([NAME, *changed(reduction="1.5")], "reduction: found '1.5'"),
        ([NAME, *changed(reduction="9" * 5000)], "reduction: found '9"),
        (["aclnnAdd", *GOOD], "operator: found 'aclnnAdd', expected one of "),
        ([NAME, *GOOD, "--product", "mars"], "product: found 'mars', expected one of "),
    ],
)
def test_diagnose_a_call_it_cannot_read(words: list[str], message: str, main: Command) -> None:
    """An argument that cannot be read exits 2 with a line that names it."""
    ran = main("diagnose", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.splitlines()[0].startswith(f"aclnn-spec diagnose: {message}")


def test_list(main: Command, spec: Spec) -> None:
    """`list` has a row for each operator with its clauses and cases, in both languages."""
    english, chinese = (main("list", "--lang", lang).stdout.splitlines() for lang in ("en", "zh"))
    operator = spec.operators[NAME]
    assert english[0].split() == ["operator", "clauses", "cases", "status", "title"]
    assert english[1].split()[:2] == [NAME, str(len(operator.clauses))]
    assert chinese[1].endswith(operator.title.zh)
    assert len(english) == len(chinese) == 1 + len(spec.operators)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_show(lang: str, main: Command, spec: Spec) -> None:
    """`show` prints every parameter, clause, erratum and product of an operator."""
    ran = main("show", NAME, "--lang", lang)
    operator = spec.operators[NAME]
    names = [*operator.products, *(clause.id for clause in operator.clauses)]
    names += [*(erratum.id for erratum in operator.errata), *(parameter.name for parameter in operator.parameters)]
    lines = [line.strip() for line in ran.stdout.splitlines()]
    assert ran.returncode == 0
    assert [name for name in names if not any(line.startswith(name) for line in lines)] == []


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["frobnicate"],
        ["certify"],
        ["certify", "numpy", "--tier", "huge"],
        ["certify", "numpy", "-n", "0"],
        ["certify", "numpy", "-n", "two"],
        ["certify", "numpy", "--timeout", "-1"],
        ["certify", "numpy", "--timeout", "nan"],
        ["certify", "numpy", "--lang", "fr"],
        ["verify"],
        ["list", "everything"],
    ],
)
def test_wrong_calls(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong call exits 2 with one line, and no usage text around it."""
    with pytest.raises(SystemExit) as caught:
        cli.main(words)
    out, err = capsys.readouterr()
    assert (caught.value.code, out, len(err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["certify", "numpy", "--operator", "aclnnAdd"], "operator: found 'aclnnAdd', expected one of "),
        (["certify", "numpy", "--product", "mars"], "product: found 'mars', expected one of "),
        (["certify", "numpy", "--policy", "lax"], "policy: found 'lax', expected one of strict, community"),
        (["certify", "numpy", "--certificate", "no/c.json"], "--certificate: found no directory no"),
        (
            ["certify", "numpy", "--certificate", "."],
            "--certificate: found the directory ., expected the name of a file",
        ),
        (["certify", "numpy", "--certificate", "pipe"], "--certificate: found the special file pipe, expected"),
        (["build", "--shard", "1/2"], "--shard: only a build of the full tier is divided"),
        (["build", "--tier", "full", "--shard", "3/2", "--output", "x"], "shard: found '3/2', expected i/n"),
        (["show", "aclnnAdd"], "operator: found 'aclnnAdd', expected one of "),
        (["fetch"], "--url: found None, expected the http or https address of the folder of published golden data"),
        (["fetch", "--url", "file:///etc"], "--url: found 'file:///etc', expected the http or https address"),
        (["verify", "none.json"], "none.json: found No such file or directory, expected a readable file"),
    ],
)
def test_wrong_options(words: list[str], message: str, main: Command, monkeypatch: Any, tmp_path: Path) -> None:
    """What the parser cannot know to be wrong exits 2 with one line too, before anything is run."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    ran = main(*words)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert ran.stderr.startswith(f"aclnn-spec {words[0]}: {message}")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nobody", "implementation: found 'nobody', expected one of cann, numpy, torch, module:attribute or "),
        ("no_module_of_this_name:x", "no_module_of_this_name:x: found no module 'no_module_of_this_name'"),
        (f"{BACKENDS}:Nobody", f"{BACKENDS}:Nobody: {BACKENDS} has no attribute 'Nobody', expected one of "),
        (f"{BACKENDS}:NAME", f"{BACKENDS}:NAME: found a value of type str without 'name', expected an implementation"),
        (f"{BACKENDS.parent}/aborts_at_import.py:x", "ended by SIGABRT"),
    ],
)
def test_certify_what_cannot_be_loaded(given: str, message: str, main: Command) -> None:
    """An implementation that cannot be loaded exits 2 with one line."""
    ran = main("certify", given)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert message in ran.stderr


def test_certify_in_chinese_with_waivers(main: Command, small: Path, tmp_path: Path) -> None:
    """Waived failures leave the verdict conformant, say how many they are, and stand in the certificate."""
    waivers = {
        "$schema": "https://aclnn-spec.dev/schema/waivers.json",
        "waivers": [{"cases": f"{NAME}/mean/*", "reason": "N 取错，见工单 7"}],
    }
    (tmp_path / "w.json").write_text(json.dumps(waivers), encoding="utf-8")
    options = ["--golden", small, "--waivers", tmp_path / "w.json", "--certificate", tmp_path / "c.json"]
    ran = main("certify", f"{BACKENDS}:MeanBySelf", *options, "--lang", "zh")
    document = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    count = document["totals"]["waived"]
    assert (ran.returncode, document["totals"]["fail"], count > 0) == (0, 0, True)
    assert ran.stdout.splitlines()[-1] == f"结论：符合规范，其中豁免 {count} 个用例"
    assert ran.stdout.count("N 取错，见工单 7") == count


def test_interrupt(main: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's interrupt ends a command with the shell's code for it, and one line."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aclnn_spec.commands.list.load_spec", interrupted)
    ran = main("list")
    assert (ran.returncode, ran.stderr) == (130, "aclnn-spec list: interrupted\n")


def test_system_errors_are_one_line(main: Command, tmp_path: Path) -> None:
    """A place that cannot be written exits 2 with its name and the system's reason."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = main("build", "--output", tmp_path / "file")
    assert (ran.returncode, ran.stderr) == (2, f"aclnn-spec build: {tmp_path / 'file'}: File exists\n")


def test_a_reader_that_leaves(command: Command) -> None:
    """A reader that closes the pipe early, as `head` does, sees no traceback."""
    script = command("--version").args[0]
    with subprocess.Popen([script, "show", NAME], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.read(10)
        process.stdout.close()
        assert (first, process.stderr.read()) == (NAME[:10].encode(), b"")


def test_a_terminal_without_chinese(command: Command) -> None:
    """Where the terminal cannot show Chinese, escapes are printed instead of a traceback."""
    ran = command("list", "--lang", "zh", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stderr, "\\u" in ran.stdout) == (0, "", True)


def test_a_shard_of_the_full_tier(main: Command, tmp_path: Path, spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    """A share of a full tier is built, certified by --golden, verified, and is named in certificate and summary."""
    monkeypatch.setattr("aclnn_spec.golden.cases.policy.ROUNDS", 1)
    target, data = tmp_path / "c.json", tmp_path / "full"
    empty = main("build", "--tier", "full", "--shard", "3/3", "--output", data)
    assert (empty.returncode, data.exists()) == (2, False)
    assert empty.stderr == "aclnn-spec build: --shard: found 3/3, expected at most 2 shares: there are 2 parts\n"
    built = main("build", "--tier", "full", "--shard", "2/2", "--output", data)
    options = ["--tier", "full", "--golden", data]
    done = main("certify", "numpy", *options, "--shard", "2/2", "--certificate", target, "--lang", "en")
    other = main("certify", "numpy", *options, "--shard", "1/2")
    wrong = main("certify", "numpy", "--golden", data)
    held = main("verify", target, "--golden", data, "--lang", "en")
    document = json.loads(target.read_text(encoding="utf-8"))
    assert (built.returncode, done.returncode, other.returncode, wrong.returncode, held.returncode) == (0, 0, 2, 2, 0)
    assert document["shard"] == "2/2"
    assert len(document["entries"]) == len(Golden(data, spec).case_ids())
    assert done.stdout.splitlines()[-1] == "Verdict: conformant (shard 2/2 only)"
    assert "shard: found 1/2, expected 2/2: there is no more in" in other.stderr
    assert "found the full tier, expected core" in wrong.stderr
