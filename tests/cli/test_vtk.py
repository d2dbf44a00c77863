#!/usr/bin/python3
"""Results for ParaView: VTK's own reader finds bodies, times and forces; interrupts and full disks leave a list that can be read."""
import json
import resource
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from common import PROGRAM, ROOT, TEMP, check, failures, finish, run, run_json

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError:
    vtkXMLPolyDataReader = None

SCENE = ROOT / "scenes" / "arm.json"  # 3D: boxes, joints, a driven base, a half space
END = b"</AppendedData>\n</VTKFile>\n"
LIMIT = lambda size: lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def listed(path):
    """[(time, kind, file)] of a .pvd file."""
    return [(float(d.get("timestep")), d.get("name"), path.parent / d.get("file")) for d in ElementTree.parse(path).iter("DataSet")]


def files(path, kind):
    return [(t, file) for t, name, file in listed(path) if name == kind]


def points(file):
    """What the XML part of a .vtp file says, without VTK."""
    head = file.read_bytes().split(b"<AppendedData")[0].decode() + "</VTKFile>"
    return int(ElementTree.fromstring(head).find("PolyData/Piece").get("NumberOfPoints"))


def is_whole(path):
    """Both files of every frame are there, complete, and belong to one time."""
    frames = listed(path)
    pairs = all(a[0] == b[0] and (a[1], b[1]) == ("bodies", "contacts") for a, b in zip(frames[::2], frames[1::2]))
    return len(frames) % 2 == 0 and pairs and all(f.read_bytes().endswith(END) for _, _, f in frames)


def every_output_is_chosen_by_its_name():
    out = [TEMP / ("run" + e) for e in (".csv", ".h5", ".pvd")]
    value = run_json("run", SCENE, "--until", ".1", "--every", ".02", *(w for o in out for w in ("-o", o)))
    check("three files in one run", value["files"] == [str(o) for o in out] and all(o.stat().st_size > 0 for o in out))
    times = [float(line.split(",")[0]) for line in out[0].read_text().splitlines()[1:]]
    check("frames at the times of the rows", [t for t, _ in files(out[2], "bodies")] == times and len(times) > 3)
    check("whole", is_whole(out[2]) and points(files(out[2], "bodies")[0][1]) > 20)
    result = run("run", SCENE, "--until", ".1", "-o", TEMP / "run.vtk")
    check("another extension", result.returncode == 2 and ".pvd" in result.stderr)


def read(file):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(file))
    reader.Update()
    return reader.GetOutput()


def paraviews_reader_finds_bodies_and_times():
    out = TEMP / "run.pvd"
    names = [b["name"] for b in json.loads(SCENE.read_text())["bodies"]]
    value = run_json("run", SCENE, "-o", out, "--every", ".25")
    time_of, file = files(out, "bodies")[-1]
    data = read(file)
    field = data.GetFieldData()
    strings = field.GetAbstractArray("names")
    check("names of all bodies", [strings.GetValue(k) for k in range(strings.GetNumberOfValues())] == names)
    body = vtk_to_numpy(data.GetCellData().GetArray("body"))
    check("all bodies have cells", set(body) == set(range(len(names))))
    check("the time", vtk_to_numpy(field.GetArray("TimeValue"))[0] == time_of == value["t"])
    place = vtk_to_numpy(data.GetPoints().GetData())
    for k, name in enumerate(names):
        corners = {data.GetCell(c).GetPointId(i) for c in range(data.GetNumberOfCells()) if body[c] == k
                   for i in range(data.GetCell(c).GetNumberOfPoints())}
        position = value["bodies"].get(name, {}).get("position")
        if name in ("column", "forearm", "base"):  # symmetric about their origins: the mean of the corners
            check("%s is where it is" % name, max(abs(place[sorted(corners)].mean(axis=0) - position)) < 1e-5)


def paraviews_reader_finds_forces():
    out, ball = TEMP / "ball.pvd", ROOT / "scenes" / "slip_to_roll.json"  # a ball that slides on a floor
    value = run_json("run", ball, "--until", ".1", "-o", out)
    contacts = read(files(out, "contacts")[-1][1])
    force = vtk_to_numpy(contacts.GetPointData().GetArray("force"))
    check("one vector", force.shape == (1, 3) and contacts.GetFieldData().GetAbstractArray("names").GetValue(0) == value["contacts"][0]["name"])
    friction = (force[0][0] ** 2 + force[0][1] ** 2) ** 0.5
    normal, *tangent = value["contacts"][0]["force"]
    check("the normal force points up: %s" % force, abs(force[0][2] - normal) < 1e-5 * normal and normal > 1)
    check("friction lies in the floor", abs(friction - sum(f * f for f in tangent) ** 0.5) < 1e-5 * normal and friction > 0.01 * normal)


def a_full_disk_leaves_a_list_of_whole_frames():
    """The list outgrows the limit on the size of a file, which no frame does."""
    size = max(f.stat().st_size for f in (TEMP / "run_vtk").iterdir())
    out = TEMP / "full.pvd"
    result = run("run", SCENE, "--until", "1000", "--step", ".01", "-o", out, "--quiet", preexec_fn=LIMIT(size + 2000))
    check("it is an error: %s" % result.stderr, result.returncode == 1 and "File too large" in result.stderr)
    check("the frames before are listed", is_whole(out) and len(listed(out)) > 4)
    check("nothing half-written is left", all(f.read_bytes().endswith(END) for f in (TEMP / "full_vtk").iterdir())
          and not (TEMP / "full.pvd.new").exists())


def kill_and_interrupt_leave_a_list_of_whole_frames():
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        out = TEMP / ("ended%d.pvd" % number)
        process = subprocess.Popen([PROGRAM, "run", SCENE, "--step", "1e-4", "--until", "1000", "-o", out, "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (out.exists() and out.stat().st_size > 5000):
            time.sleep(0.05)
        process.send_signal(number)
        check("status after signal %d" % number, process.wait(60) == code)
        check("whole after signal %d" % number, is_whole(out) and len(listed(out)) > 20)


def names_are_written_so_that_the_list_stays_xml():
    out = TEMP / "a&b<c>\"d.pvd"
    run("run", SCENE, "--until", ".02", "-o", out, "--quiet")
    check("signs of XML in the file's name", is_whole(out) and len(listed(out)) >= 4)


every_output_is_chosen_by_its_name()
a_full_disk_leaves_a_list_of_whole_frames()
kill_and_interrupt_leave_a_list_of_whole_frames()
names_are_written_so_that_the_list_stays_xml()
if vtkXMLPolyDataReader is None:
    print("SKIP: reading by VTK itself needs python3-vtk9")
    sys.exit(1 if failures else 77)
paraviews_reader_finds_bodies_and_times()
paraviews_reader_finds_forces()
finish()
