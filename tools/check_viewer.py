#!/usr/bin/python3
"""check_viewer.py - is viewer/page.html, which is committed, built from the sources of the viewer as they are?

  The page says the hash of the sources that it was built from (viewer/vite.config.js writes it); it must be that of the files
  now. It must also have the place where `slipstick view` puts data, once.

Prints one line per violation and exits 1; --self-test proves on a made-up viewer that it can."""
import hashlib
import re
import sys
import tempfile
from pathlib import Path

SOURCES = ("index.html", "package-lock.json", "vite.config.js", "tsconfig.json")
PLACE = "<!-- slipstick data -->"


def hash_of_sources(viewer):
    names = sorted([*SOURCES, *(f"src/{path.name}" for path in (viewer / "src").iterdir())])
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name}\n".encode() + (viewer / name).read_bytes())
    return digest.hexdigest()


def violations(viewer):
    page = (viewer / "page.html").read_text(encoding="utf-8")
    found = []
    built = re.search(r'<meta name="source" content="([0-9a-f]*)">', page)
    if not built or built[1] != hash_of_sources(viewer):
        found.append("viewer/page.html is not built from the present sources: run `make viewer`")
    if page.count(PLACE) != 1:
        found.append(f"viewer/page.html has {page.count(PLACE)} places for data, expected 1")
    return found


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        viewer = Path(folder)
        (viewer / "src").mkdir()
        for name in (*SOURCES, "src/main.ts"):
            (viewer / name).write_text(name)
        good = f'<meta name="source" content="{hash_of_sources(viewer)}">{PLACE}'
        (viewer / "page.html").write_text(good)
        assert violations(viewer) == []
        (viewer / "page.html").write_text(good + PLACE)
        assert len(violations(viewer)) == 1
        (viewer / "page.html").write_text(good)
        (viewer / "src/main.ts").write_text("changed")
        assert len(violations(viewer)) == 1
        (viewer / "src/main.ts").write_text("src/main.ts")
        (viewer / "src/new.ts").write_text("")
        assert len(violations(viewer)) == 1
    print("check_viewer: self-test passed")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        sys.exit(0)
    lines = violations(Path(__file__).resolve().parents[1] / "viewer")
    print("\n".join(lines) if lines else "check_viewer: the page is up to date")
    sys.exit(1 if lines else 0)
