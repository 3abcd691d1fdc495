"""The released MMPB data from a hub: a real server on 127.0.0.1 that speaks its protocol."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from eyeprint.errors import DataError, ModelUnavailable
from eyeprint.people.mmpb_hub import LICENCE, REPOSITORY, fetch_mmpb, open_mmpb
from eyeprint.records.concept_files import open_concepts
from tests.records.made_concepts import ROWS, write_parquet

COMMIT = "c0ffee" * 6 + "beef"


class Hub(BaseHTTPRequestHandler):
    """A dataset with one commit, on the branch main."""

    files: ClassVar[dict[str, bytes]] = {}
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
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    file = write_parquet(tmp_path / "made.parquet").read_bytes()
    monkeypatch.setattr(Hub, "files", {"data/train-0.parquet": file, "README.md": b"# MMPB"})
    Hub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_m5_m49_main_is_fetched_with_its_commit_and_licence(hub: str, tmp_path: Path):
    found = fetch_mmpb(endpoint=hub, cache=tmp_path / "cache")
    assert found.revision == COMMIT
    assert "which can change" in found.notes[0]
    assert found.notes[-1] == LICENCE
    assert "CC BY-NC-SA 4.0" in LICENCE
    data = open_concepts(found.root)
    assert len(data) == len(ROWS)
    assert data.root == found.root / "unpacked"
    again = open_mmpb(endpoint=hub, cache=tmp_path / "cache")
    assert again.notes == (*data.notes, *found.notes)
    assert again.fingerprint() == data.fingerprint()
    # What was unpacked does not make the snapshot another.
    same = fetch_mmpb(COMMIT, endpoint=hub, cache=tmp_path / "cache")
    assert (same.root, same.notes) == (found.root, (LICENCE,))


def test_m5_a_commit_in_the_cache_is_not_asked_for_again(hub: str, tmp_path: Path):
    first = fetch_mmpb(COMMIT, endpoint=hub, cache=tmp_path / "cache")
    Hub.asked.clear()
    assert fetch_mmpb(COMMIT, endpoint=hub, cache=tmp_path / "cache") == first
    assert Hub.asked == []


def test_m5_without_a_network_it_says_what_to_do(tmp_path: Path):
    with pytest.raises(ModelUnavailable) as caught:
        fetch_mmpb(endpoint="http://127.0.0.1:9", cache=tmp_path)
    assert "hf download SNU-AIDAS/MMPB --repo-type dataset --revision main" in str(caught.value)
    with pytest.raises(ModelUnavailable, match="could not be fetched"):
        fetch_mmpb(download=False, cache=tmp_path)


def test_m5_another_layout_is_told(hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Hub, "files", {"README.md": b"x"})
    with pytest.raises(DataError, match=r"holds no \.parquet or \.csv file"):
        fetch_mmpb(endpoint=hub, cache=tmp_path / "cache")
