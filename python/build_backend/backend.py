"""Builds the wheel of the package, with nothing but Python's standard library (PEP 517 and 660).

The wheel contains the shared library of the build folder beside the package; it is built first if it is not there. Outside of
the source tree there is no library to put in: the wheel then has the package alone, which loads the library of the system.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parents[1]
SOURCE = HERE.parent
LIBRARY = SOURCE / "build" / "libslipstick.so"
EPOCH = (1980, 1, 1, 0, 0, 0)  # of all files of a wheel, so that the same sources give the same bytes


def get_requires_for_build_wheel(config_settings=None):  # pylint: disable=unused-argument
    """Nothing: that is the point of this backend."""
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


# ---- what the package is ---------------------------------------------------------------------------------

def field(name):
    """A line of pyproject.toml, which has one string or list of strings for each key."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    value = re.search(rf"^{name} = (.*)$", text, re.M).group(1)
    return re.findall(r'"([^"]*)"', value)


def version():
    """That of the library, from its header; of an unpacked sdist, from its own record."""
    header = SOURCE / "include" / "slipstick" / "base.h"
    if not header.is_file():
        return re.search(r"^Version: (.*)$", (HERE / "PKG-INFO").read_text(encoding="utf-8"), re.M).group(1)
    return ".".join(re.findall(r"#define SS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text(encoding="utf-8")))


def metadata():
    lines = ["Metadata-Version: 2.1", "Name: slipstick", f"Version: {version()}", f"Summary: {field('description')[0]}",
             f"License: {field('license')[0]}", f"Requires-Python: {field('requires-python')[0]}"]
    return "\n".join(lines + [f"Requires-Dist: {need}" for need in field("dependencies")]) + "\n"


def build_library():
    """The shared library, made if it is missing; None outside of the source tree."""
    if not (SOURCE / "CMakeLists.txt").is_file():
        return None
    if not LIBRARY.is_file():
        jobs = str(os.cpu_count() or 1)
        subprocess.run([str(SOURCE / "tools" / "build.sh"), "release", jobs, "libslipstick_shared"], check=True)
    return LIBRARY


# ---- wheels ----------------------------------------------------------------------------------------------

class Wheel:
    """A wheel that is being written; its record is the last file."""

    def __init__(self, directory, native):
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_") if native else "any"
        self.tag = f"py3-none-{platform}"
        self.info = f"slipstick-{version()}.dist-info"
        self.name = f"slipstick-{version()}-{self.tag}.whl"
        self.native = native
        self.file = zipfile.ZipFile(os.path.join(directory, self.name), "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data):
        entry = zipfile.ZipInfo(name, EPOCH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self.file.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def finish(self):
        wheel = f"Wheel-Version: 1.0\nGenerator: slipstick\nRoot-Is-Purelib: {str(not self.native).lower()}\nTag: {self.tag}\n"
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", wheel.encode())
        self.file.writestr(zipfile.ZipInfo(f"{self.info}/RECORD", EPOCH), "\n".join(self.record + [f"{self.info}/RECORD,,", ""]))
        self.file.close()
        return self.name


def sources():
    return sorted(p for p in (HERE / "slipstick").iterdir() if p.suffix in (".py", ".typed"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """The package and, in the source tree, the library."""
    library = build_library()
    wheel = Wheel(wheel_directory, library is not None)
    for path in sources():
        wheel.add(f"slipstick/{path.name}", path.read_bytes())
    if library:
        wheel.add("slipstick/libslipstick.so", library.read_bytes())
    return wheel.finish()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """A wheel that points at the source tree, where the package finds the library of the build folder."""
    build_library()
    wheel = Wheel(wheel_directory, True)
    wheel.add("slipstick.pth", f"{HERE}\n".encode())
    return wheel.finish()


# ---- source distribution -----------------------------------------------------------------------------------

def build_sdist(sdist_directory, config_settings=None):  # pylint: disable=unused-argument
    """The package without the library."""
    top = f"slipstick-{version()}"
    name = f"{top}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for path in [HERE / "pyproject.toml", HERE / "build_backend" / "backend.py", *sources()]:
            archive.add(path, f"{top}/{path.relative_to(HERE)}")
        text = metadata().encode()
        info = tarfile.TarInfo(f"{top}/PKG-INFO")
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    return name
