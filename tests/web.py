"""A web server for tests: it publishes a folder, remembers what it was asked for, and can be made ill."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Web:
    """A server, the folder it is asked for, and what it was asked for."""

    url: str = ""
    folder: Path = Path()
    asked: list[str] = field(default_factory=list)
    ill: dict[str, str] = field(default_factory=dict)  # what happens to the file of this name
    released: threading.Event = field(default_factory=threading.Event)


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *given: Any, web: Web, **options: Any) -> None:
        self.web = web
        super().__init__(*given, **options)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.web.asked.append(name)
        ill = self.web.ill.get(name)
        if ill is None or self.path.startswith("/elsewhere/"):
            super().do_GET()
            return
        self.send_response(302 if ill in ("moved", "circle") else 200)
        if ill in ("moved", "circle"):
            self.send_header("Location", f"/elsewhere/{name}" if ill == "moved" else self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        data = (self.web.folder / name).read_bytes()
        if ill in ("halfway", "stalled"):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if ill == "endless":
            data += bytes(2**20)
        self.wfile.write(data[: len(data) // 2] if ill in ("halfway", "stalled", "unmeasured") else data)
        if ill == "stalled":
            self.wfile.flush()
            self.web.released.wait(20)


@contextmanager
def serving(root: Path, path: str = "") -> Iterator[Web]:
    """Serve `root`; the address and the folder given are those of `path` below it."""
    web = Web(folder=root / path)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, web=web, directory=str(root))) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hangs up is a test's wish
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        web.url = f"http://127.0.0.1:{server.server_port}/{path}"
        yield web
        web.released.set()
        server.shutdown()
        thread.join()
