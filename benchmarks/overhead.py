"""What the pytest door adds to a case: each item against an empty pytest item, in the same run.

Both runs are processes of their own with the same plug-ins; start-up and collection of nothing is taken off each. What
the suite itself costs, running and judging the same cases without pytest, is measured in the same process tree and
stands beside it: the difference is the door's own.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 3
EMPTY = "import pytest\n@pytest.mark.parametrize('case', range({count}))\ndef test_empty(case):\n    pass\n"
SUITE = """
import json, time
from aclnn_spec.api import made
from aclnn_spec.certification.session import Options, open_suite
one, given = made("numpy")
suite = open_suite(Options(), tuple(one.operators), one.name)
suite.golden.case(suite.ids[0])
start = time.process_time()
for case_id in suite.ids:
    suite.run(case_id, one)
print(json.dumps([time.process_time() - start, len(suite.ids)]))
"""


def spent() -> float:
    """Give the processor time that this process's children have used; a busy machine does not change it much."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(directory: Path, *arguments: str) -> float:
    """Give the least processor time of several pytest runs in a directory."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    times = []
    for _ in range(REPEATS):
        start = spent()
        subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, check=False)  # noqa: S603  # our own
        times.append(spent() - start)
    return min(times)


def suite() -> tuple[float, int]:
    """Give the least processor time that running and judging all cases takes without pytest, and their number."""
    runs = [subprocess.check_output([sys.executable, "-c", SUITE]) for _ in range(REPEATS)]  # noqa: S603  # our own
    times = [json.loads(run) for run in runs]
    return min(each[0] for each in times), int(times[0][1])


def main() -> None:
    """Print the table."""
    judged, count = suite()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        (directory / "test_empty.py").write_text(EMPTY.format(count=count), encoding="utf-8")
        certify = ("--aclnn-certify=numpy",)
        empty = seconds(directory) - seconds(directory, "--collect-only")
        # Collecting reads the golden data as well, as the suite does before its clock starts.
        whole = seconds(directory, *certify) - seconds(directory, *certify, "--collect-only")
    rows = (("empty pytest item", empty), ("case through pytest", whole), ("case without pytest", judged))
    for name, total in rows:
        print(f"{name:22} {total / count * 1e3:7.3f} ms")
    added = (whole - judged) / count
    print(f"{'added by the door':22} {added * 1e3:7.3f} ms, {added / (empty / count):.2f} times an empty item")


if __name__ == "__main__":
    main()
