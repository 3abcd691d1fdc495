"""The released data from a hub: a real server on 127.0.0.1 that speaks its protocol."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from eyeprint.errors import DataError, ModelUnavailable
from eyeprint.people.pipbench_hub import REPOSITORY, fetch_pipbench
from eyeprint.records.case_files import open_cases

COMMIT = "c0ffee" * 6 + "beef"
ROW = {
    "id": 0,
    "image_id": 0,
    "category": "synthetic",
    "prompt": "a kite",
    "ref_images": ["images/0/1.png"],
    "gt_images": "images/0/0.png",
}
FILES = {"metadata.json": json.dumps([ROW]).encode(), "images/0/1.png": b"x"}


class Hub(BaseHTTPRequestHandler):
    """A dataset with one commit, on the branch main."""

    files = FILES
    asked: ClassVar[list[str]] = []

    def log_message(self, *_: object) -> None:
        return

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        start = f"/datasets/{REPOSITORY}/resolve/{COMMIT}/"
        if self.path.startswith(start) and self.path[len(start) :] in self.files:
            body = self.files[self.path[len(start) :]]
            etag = f'"{hashlib.sha256(body).hexdigest()}"'
            self._send(200, body, ETag=etag, X_Repo_Commit=COMMIT)
        elif self.path.split("?")[0] in (
            f"/api/datasets/{REPOSITORY}/revision/{name}" for name in ("main", COMMIT)
        ):
            siblings = [{"rfilename": name} for name in self.files]
            found = {"id": REPOSITORY, "sha": COMMIT, "siblings": siblings}
            self._send(200, json.dumps(found).encode(), Content_Type="application/json")
        elif self.path.startswith(f"/api/datasets/{REPOSITORY}/tree/{COMMIT}"):
            tree = [
                {"type": "file", "oid": "0" * 40, "size": len(body), "path": name}
                for name, body in self.files.items()
            ]
            self._send(200, json.dumps(tree).encode(), Content_Type="application/json")
        else:
            self._send(404, b"{}", X_Error_Code="RevisionNotFound")

    do_HEAD = do_GET  # noqa: N815


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    Hub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_p45_main_is_fetched_and_the_commit_behind_it_told(hub: str, tmp_path: Path):
    found = fetch_pipbench(endpoint=hub, cache=tmp_path)
    assert found.revision == COMMIT
    assert "which can change" in found.notes[0]
    assert COMMIT in found.notes[0]
    cases = open_cases(found.root)
    assert cases[0].prompt == "a kite"
    assert cases.missing_files() == ("images/0/0.png",)


def test_p45_a_commit_in_the_cache_is_not_asked_for_again(hub: str, tmp_path: Path):
    first = fetch_pipbench(COMMIT, endpoint=hub, cache=tmp_path)
    assert (first.revision, first.notes) == (COMMIT, ())
    Hub.asked.clear()
    assert fetch_pipbench(COMMIT, endpoint=hub, cache=tmp_path) == first
    assert Hub.asked == []
    assert fetch_pipbench(COMMIT, endpoint="http://127.0.0.1:9", cache=tmp_path) == first


def test_p45_without_a_network_it_says_what_to_do(tmp_path: Path):
    with pytest.raises(ModelUnavailable) as caught:
        fetch_pipbench(endpoint="http://127.0.0.1:9", cache=tmp_path)
    told = str(caught.value)
    assert "hf download AirRain03/PIPBench --repo-type dataset --revision main" in told
    assert "--data DIR" in told
    with pytest.raises(ModelUnavailable, match="could not be fetched"):
        fetch_pipbench(download=False, cache=tmp_path)


def test_p45_a_revision_that_is_not_there_is_told(hub: str, tmp_path: Path):
    with pytest.raises(ModelUnavailable, match="revision 'v9'"):
        fetch_pipbench("v9", endpoint=hub, cache=tmp_path)


def test_p45_another_layout_is_told(hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Hub, "files", {"README.md": b"x"})
    with pytest.raises(DataError, match=r"holds no metadata\.json"):
        fetch_pipbench(endpoint=hub, cache=tmp_path)
