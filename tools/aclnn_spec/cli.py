"""The command `aclnn-spec`: it parses, hands over to one module per command, and turns errors into exit codes.

Exit codes: 0 all is well, 1 the answer is no, 2 a wrong call or unusable input.
"""

from __future__ import annotations

import argparse
import importlib
import io
import locale
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from aclnn_spec.spec.errors import InputError, line
from aclnn_spec.spec.model import TIERS

WRONG_CALL = 2
INTERRUPTED = 130
_MOST_WORKERS = 1024
_LONGEST_SECONDS = 1e6
_MOST_FAULTS = 50


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_CALL, f"{self.prog}: {line(message)}\n")


def parser() -> argparse.ArgumentParser:
    """The whole command line; each command's module is named `aclnn_spec.commands.<command>`."""
    top = _Parser(prog="aclnn-spec", description="Specification, golden data and certification of aclnn operators.")
    top.add_argument("--version", action="version", version=f"aclnn-spec {version('aclnn-spec')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    _certify(commands.add_parser("certify", help="judge an implementation by the golden data"))

    one = commands.add_parser("verify", help="recompute a certificate's verdict offline")
    one.add_argument("certificate", metavar="CERTIFICATE", help="the certificate's file")
    one.add_argument("--golden", metavar="DIR", help="where the golden data lies, if not in its usual place")
    _lang(one)

    _report(commands.add_parser("report", help="a certificate as a page, a badge, or in the terminal"))

    one = commands.add_parser(
        "build", help="write everything that is generated: golden data, headers, validators and pages"
    )
    _tier(one)
    one.add_argument("--output", metavar="DIR", help="write the golden data there instead of its usual place")
    one.add_argument("--check", action="store_true", help="write nothing; exit 1 naming what is stale")
    one.add_argument("--shard", metavar="I/N", help="only the I-th of N shares of the full tier")

    one = commands.add_parser("diagnose", help="the status code of a call, and every clause it breaks")
    one.add_argument("operator", metavar="OPERATOR", help="the operator's name")
    one.add_argument(
        "arguments",
        nargs="*",
        metavar="PARAM=VALUE",
        help="VALUE is null, an integer, or DTYPE[d0,d1,…] as in FLOAT16[2,3]",
    )
    one.add_argument("--product", metavar="ID", help="diagnose for this product")
    _lang(one)

    one = commands.add_parser("list", help="the operators that are covered")
    _lang(one)

    one = commands.add_parser("show", help="an operator as a page")
    one.add_argument("operator", metavar="OPERATOR", help="the operator's name")
    _lang(one)

    one = commands.add_parser("host", help="the API's C interface on a CPU")
    actions = one.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)
    one = actions.add_parser("build", help="compile the host library with the system's C compiler; print its path")
    one.add_argument("--output", metavar="FILE", help="write the library there instead of the user's cache")
    one.add_argument("--fault", metavar="NAME", help="compile a fault in, to see it condemned (see src/faults.h)")
    one.add_argument("--sanitize", action="store_true", help="with AddressSanitizer and UndefinedBehaviorSanitizer")

    _page(commands.add_parser("page", help="read official pages: show, lint, import, drift, render"))

    one = commands.add_parser("fetch", help="download golden data and verify it")
    _tier(one)
    one.add_argument("--url", metavar="URL", help="the published tier's address, that of the folder with manifest.json")
    one.add_argument("--output", metavar="DIR", help="write the golden data there instead of its usual place")
    return top


def _certify(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "implementation",
        metavar="IMPLEMENTATION",
        help="a registered name, module:attribute, or path/to/file.py:attribute",
    )
    one.add_argument(
        "--operator",
        action="append",
        default=[],
        metavar="NAME",
        help="only this operator, may be repeated; without it all that the product supports",
    )
    _tier(one)
    one.add_argument("--golden", metavar="DIR", help="where the golden data lies, if not in its usual place")
    one.add_argument("--product", metavar="ID", help="judge by what holds on this product")
    one.add_argument("--policy", default="strict", metavar="NAME", help="strict or community")
    one.add_argument("--certificate", metavar="FILE", help="write the certificate to this file")
    one.add_argument("--waivers", metavar="FILE", help="failures to waive, with their reasons")
    one.add_argument("--shard", metavar="I/N", help="only the I-th of N shares of the full tier")
    one.add_argument("--device", metavar="N", help="the device to run on; each worker takes its own if left out")
    one.add_argument(
        "--library",
        action="append",
        default=[],
        metavar="PATH",
        help="for cann: a library to look symbols up in, host (built if need be) or cann; may be repeated",
    )
    one.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="ID",
        help="only this case, for debugging: the run is then incomplete; may be repeated",
    )
    one.add_argument("-n", "--workers", type=_positive, default=1, metavar="N", help="processes that run cases")
    one.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="time a case may take, 60 if left out")
    _lang(one)


def _page(one: argparse.ArgumentParser) -> None:
    actions = one.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)
    pages: dict[str, Any] = {"nargs": "+", "metavar": "PAGE", "help": "a Markdown file, or a folder of them"}

    one = actions.add_parser("show", help="what pages say, each fact with its line")
    one.add_argument("pages", **pages)
    one.add_argument("--json", action="store_true", help="as JSON, on one line for each page")
    _lang(one)

    one = actions.add_parser("lint", help="defects of pages")
    one.add_argument("pages", **pages | {"nargs": "*"})
    formats = ("text", "json", "sarif", "github")
    one.add_argument("--format", choices=formats, default="text", help="how to print what was found")
    one.add_argument(
        "--fail-on",
        choices=("note", "warning", "error", "never"),
        default="warning",
        help="exit 1 for a finding at or above this",
    )
    one.add_argument("--config", metavar="FILE", help="findings to silence, each with a reason")
    one.add_argument("--tree", action="store_true", help="all files that relative links lead to should be there")
    one.add_argument("--codes", action="store_true", help="list all codes instead")
    _lang(one)

    one = actions.add_parser("import", help="a draft of an operator file, made from a page")
    one.add_argument("page", metavar="PAGE", help="the page, a Markdown file")
    one.add_argument("--operator", metavar="NAME", help="which one, of a page with several")
    one.add_argument("--cann", default="0.0.0", metavar="VERSION", help="the CANN version of the page")
    one.add_argument("--output", metavar="FILE", help="write the draft there instead of printing it")

    one = actions.add_parser("drift", help="what a page says otherwise than the spec; exit 1 if anything")
    one.add_argument("operator", metavar="OPERATOR", help="the operator's name")
    one.add_argument("page", metavar="PAGE", help="the page, a Markdown file")
    one.add_argument("--json", action="store_true", help="as JSON")
    one.add_argument("--known", metavar="FILE", help="an earlier --json output, whose changes are no news")
    _lang(one)

    one = actions.add_parser("render", help="a page in the official form, made from the spec")
    one.add_argument("operator", metavar="OPERATOR", help="the operator's name")
    one.add_argument("--output", metavar="FILE", help="write the page there instead of printing it")
    _lang(one)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show Chinese shows escapes, not a traceback
            stream.reconfigure(errors="backslashreplace")
    given = parser().parse_args(arguments)
    # A command's imports are paid for when it runs: `list` needs no NumPy, `diagnose` no golden data.
    command = importlib.import_module(f"aclnn_spec.commands.{given.command}")
    try:
        code: int = command.run(given)
        sys.stdout.flush()
    except InputError as error:
        more = len(error.faults) - _MOST_FAULTS
        for fault in (*error.faults[:_MOST_FAULTS], *([f"… and {more} more"] if more > 0 else [])):
            print(f"aclnn-spec {given.command}: {fault}", file=sys.stderr)
        return WRONG_CALL
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = error.filename or "input/output"
        print(f"aclnn-spec {given.command}: {where}: {error.strerror or error}", file=sys.stderr)
        return WRONG_CALL
    except KeyboardInterrupt:
        print(f"aclnn-spec {given.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code


def _report(one: argparse.ArgumentParser) -> None:
    one.add_argument("certificate", metavar="CERTIFICATE", help="the certificate's file")
    one.add_argument("--html", metavar="FILE", help="write a page that needs no other file")
    one.add_argument("--badge", metavar="FILE", help="write a badge, an SVG drawing")
    one.add_argument("--golden", metavar="DIR", help="where the golden data lies, if not in its usual place")
    _lang(one)


def _tier(one: argparse.ArgumentParser) -> None:
    one.add_argument("--tier", choices=TIERS, default="core", help="which tier of golden data")


def _lang(one: argparse.ArgumentParser) -> None:
    chinese = (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese"))
    one.add_argument("--lang", choices=("zh", "en"), default="zh" if chinese else "en", help="language of the output")


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number from 1 to {_MOST_WORKERS}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < _LONGEST_SECONDS:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of seconds above 0")
    return value
