#!/usr/bin/env python3
"""slipstick plot: curves where the numbers are, labels with units, events, several results, and everything that is refused."""
import csv
import re
import xml.etree.ElementTree as tree

from common import ROOT, TEMP, check, finish, refused, run, write

SVG = "{http://www.w3.org/2000/svg}"
CHATTER = ROOT / "papers" / "ap97" / "chatter.json"
H5, CSV, COARSE = TEMP / "chatter.h5", TEMP / "chatter.csv", TEMP / "coarse.h5"
COLOUR = "#0072B2"  # of the first curve


def plot(*words):
    """Run slipstick plot; the SVG as a tree, or None."""
    out = TEMP / "plot.svg"
    out.unlink(missing_ok=True)
    result = run("plot", *words, "-o", out)
    check("plot %s succeeds: %s" % (" ".join(map(str, words)), result.stderr), result.returncode == 0 and result.stdout.startswith("%s: a plot of " % out))
    return tree.parse(out).getroot() if out.is_file() else None


def texts(svg):
    return ["".join(t.itertext()) for t in svg.iter(SVG + "text")]


def first_curve(svg):
    path = next(p for p in svg.iter(SVG + "path") if p.get("stroke") == COLOUR)
    return [tuple(map(float, pair)) for pair in re.findall(r"[ML](\S+) ([^ML]+)", path.get("d"))]


def scale(svg, axis):
    """From pixels to numbers, by the labels of an axis."""
    anchor = "middle" if axis == "x" else "end"
    ticks = []
    for t in svg.iter(SVG + "text"):
        if t.get("text-anchor") == anchor and re.fullmatch(r"[−-]?[0-9.]+", t.text or ""):
            ticks.append((float(t.get(axis)) - (4 if axis == "y" else 0), float(t.text.replace("−", "-"))))
    (p, a), (q, b) = ticks[0], ticks[-1]
    return lambda pixel: a + (pixel - p) * (b - a) / (q - p)


def column(name):
    with open(CSV, newline="") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def make_results():
    run("run", CHATTER, "-o", H5, "-o", CSV, "--quiet")
    run("run", CHATTER, "-o", COARSE, "--step", ".02", "--quiet")


def the_curve_is_where_the_numbers_are():
    for result in (H5, CSV):
        svg = plot(result, "--x", "t", "--y", "ball.y")
        points, x, y = first_curve(svg), scale(svg, "x"), scale(svg, "y")
        t, height = column("t"), column("ball.y")
        # a tenth of a pixel of 570 for 2 s, and of 350 for 1.1 m, written with two digits
        check("it starts at the first state", abs(x(points[0][0])) < 1e-3 and abs(y(points[0][1]) - height[0]) < 1e-3)
        check("it ends at the last", abs(x(points[-1][0]) - t[-1]) < 1e-3 and abs(y(points[-1][1]) - height[-1]) < 1e-3)
        off = [min(abs(y(b) - height[k]) for k in (max(i - 1, 0), i, min(i + 1, len(t) - 1)))
               for a, b in points for i in [min(round(x(a) / 0.001), len(t) - 1)]]
        check("and is on the curve in between: %g" % max(off), max(off) < 5e-3)  # 4.4 m/s times a step of 1 ms
        check("axes have names and units", "t [s]" in texts(svg) and "ball.y [m]" in texts(svg))
        check("one curve needs no legend", "ball.y" not in texts(svg))


def both_formats_and_every_time_give_the_same_bytes():
    pictures = set()
    for result in (H5, CSV, H5):
        plot(result, "--y", "ball,energy")
        pictures.add((TEMP / "plot.svg").read_bytes())
    check("the same bytes", len(pictures) == 1)


def names_mean_columns_and_bodies():
    labels = texts(plot(H5, "--y", "ball"))
    check("a body is where it is: %s" % labels, "ball.x" in labels and "ball.y" in labels and "ball.angle" not in labels)
    check("curves of one unit share the axis", "ball.x, ball.y [m]" in labels)
    labels = texts(plot(H5, "--y", "ball.y,ball.vy", "--y", "ball.omega"))
    check("others have their unit in the legend", {"ball.y [m]", "ball.vy [m/s]", "ball.omega [rad/s]"} <= set(labels))
    labels = texts(plot(H5, "--x", "ball.y", "--y", "ball.vy"))
    check("any column may be x", "ball.y [m]" in labels and "ball.vy [m/s]" in labels)
    labels = texts(plot(H5, "--y", "energy,kinetic,potential,gravity"))
    check("many of one unit are called by what they are", "energy [J]" in labels and "gravity" in labels)
    labels = texts(plot(H5, "--y", "ball.y,ball.y,ball"))
    check("a column is drawn once", labels.count("ball.y") == 1)


def names_may_hold_commas_and_quotes():
    scene = write("names.json", {"slipstick": 1, "dimension": 2, "gravity": [0, 0], "time": {"until": 0.1, "step": 0.01},
                                 "bodies": [{"name": 'a "b", <c>', "type": "particle", "mass": 1, "position": [0, 0], "velocity": [1, 2]}]})
    for name in ("names.csv", "names.h5"):
        run("run", scene, "-o", TEMP / name, "--quiet")
        check("as given", 'a "b", <c>.x [m]' in texts(plot(TEMP / name, "--y", 'a "b", <c>.x')))


def events_are_thin_lines():
    svg = plot(H5, "--y", "ball.y", "--events")
    check("with a legend", {"impact", "ball.y"} <= set(texts(svg)))
    x = scale(svg, "x")
    line = next(p for p in svg.iter(SVG + "path") if p.get("stroke") == "#555555")
    at = [x(float(m)) for m in re.findall(r"M(\S+) ", line.get("d"))]
    check("the first impact is when the ball is down: %s" % at[:1], abs(at[0] - (2 / 9.81) ** 0.5) < 2e-3)
    svg = plot(H5, "--y", "ball.y", "--events", "--from", ".1", "--to", ".2")
    check("none in a window without any", "impact" not in texts(svg))


def windows_steps_and_scales():
    svg = plot(H5, "--y", "ball.y", "--from", "1/4", "--to", ".75")
    points, x = first_curve(svg), scale(svg, "x")
    check("the window is all", abs(x(points[0][0]) - 0.25) < 2e-3 and abs(x(points[-1][0]) - 0.75) < 2e-3)
    check("a limit counts as reached up to round-off", "1.40" in texts(plot(H5, "--y", "ball.vy", "--from", "1.2", "--to", "1.4")))
    points = first_curve(plot(H5, "--y", "contacts", "--step"))
    slopes = [a for a, b in zip(points, points[1:]) if abs(a[0] - b[0]) > 0.5 and a[1] != b[1]]  # half a pixel is one column
    check("steps have no slopes, and there are some", not slopes and len({y for _, y in points}) > 1)
    svg = plot(H5, "--y", "kinetic", "--log-x", "--log-y", "--title", "Fall & rise")
    check("powers of ten", "10−3" in texts(svg) or "10-3" in texts(svg))
    check("what a logarithm does not take is counted", any(t.startswith("Left out: ") for t in texts(svg)))
    check("the title", "Fall & rise" in texts(svg))


def several_results_are_laid_over_each_other():
    labels = texts(plot(H5, COARSE, "--y", "ball.y"))
    check("told apart by their files", {str(H5), str(COARSE), "ball.y [m]"} <= set(labels))
    labels = texts(plot(H5, CSV, "--y", "ball"))
    check("and by their columns", {"ball.x, %s" % H5, "ball.y, %s" % CSV} <= set(labels))


def numbers_that_are_not_finite_break_the_line():
    lines = CSV.read_text().splitlines()
    for k in range(100, 200):
        lines[k] = lines[k].replace(lines[k].split(",")[2], "nan", 1)
    part = write("part.csv", "\n".join(lines) + "\n")
    svg = plot(part, "--y", "ball.y")
    check("and are counted", any("100 not finite" in t for t in texts(svg)))


def cut_results_are_drawn_as_far_as_they_go():
    text = CSV.read_text()
    cut = write("cut.csv", text[: len(text) // 2])
    result = run("plot", cut, "--y", "ball.y", "-o", TEMP / "cut.svg")
    check("with a warning: %r" % result.stderr, result.returncode == 0 and "is cut off and left out" in result.stderr)


def bad_input_is_refused():
    out = TEMP / "bad.svg"
    header = CSV.read_text().splitlines()[0] + "\n"
    words = ("--y", "ball.y", "-o", out)
    refused("no result", run("plot", *words), "no result given", "usage")
    refused("no --y", run("plot", H5, "-o", out), "no --y given")
    refused("no -o", run("plot", H5, "--y", "ball.y"), "no -o given")
    refused("another format", run("plot", H5, "--y", "ball.y", "-o", TEMP / "a.png"), "a.png", ".svg")
    refused("near a column", run("plot", H5, "--y", "ball.yy", "-o", out), "--y", '"ball.yy"', "did you mean ball.y?")
    refused("near a body", run("plot", H5, "--y", "bal", "-o", out), "did you mean ball?")
    refused("near nothing", run("plot", H5, "--y", "qqqqqqqqq", "-o", out), "valid: ball, t, ball.x")
    refused("an empty name", run("plot", H5, "--y", "ball.y,", "-o", out), 'unknown column ""')
    refused("unknown x", run("plot", H5, "--x", "time", *words), "--x", '"time"')
    refused("a scene", run("plot", CHATTER, *words), "chatter.json", "expected a result", ".csv, .h5 or .hdf5")
    refused("a file that is absent", run("plot", TEMP / "none.h5", *words), "none.h5", "No such file")
    refused("a CSV file that is absent", run("plot", TEMP / "none.csv", *words), "none.csv", "No such file")
    refused("an empty file", run("plot", write("empty.csv", ""), *words), "empty.csv", "the file is empty")
    refused("an empty HDF5 file", run("plot", write("empty.h5", ""), *words), "empty.h5", "the file is empty")
    refused("no rows", run("plot", write("rows.csv", header), *words), "rows.csv", "no states")
    refused("another table", run("plot", write("other.csv", "a,b\n1,2\n"), *words), "other.csv: line 1", "not the header of a result")
    refused("short line", run("plot", write("short.csv", header + "1,2\n"), *words), "short.csv: line 2: 2 columns, expected 14")
    endless = TEMP / "endless.csv"
    endless.symlink_to("/dev/zero")
    refused("a file without an end", run("plot", endless, *words), "endless.csv: line 1: the name of column 1 is too long or not a text")
    refused("a long number", run("plot", write("long.csv", header + "1" * 10**6), *words), "line 2: column 1 has more than 1023 characters")
    refused("a long line", run("plot", write("wide.csv", header + "1," * 10**6), *words), "wide.csv: line 2: more than 14 columns")
    refused("a long quote", run("plot", write("quote.csv", header + '"' + "1" * 10**6), *words), "line 2: column 1 has more than 1023 characters")
    row = ",".join(["0"] * 14)
    refused("text", run("plot", write("text.csv", header + row.replace("0", "zero", 1) + "\n"), *words), "line 2: column 1 (t)", '"zero"')
    refused("nothing finite", run("plot", write("nan.csv", header + row.replace(",0", ",nan") + "\n"), *words), "nan.csv: ball.y over t", "finite")
    refused("nothing positive", run("plot", H5, "--y", "ball.x", "--log-y", "-o", out), "ball.x", "logarithmic axis takes numbers > 0")
    refused("an empty window", run("plot", H5, "--from", "7", *words), "no state is in the range", "0 to 2 s")
    refused("events of CSV", run("plot", CSV, "--events", *words), "no events", ".h5")
    refused("events along no time", run("plot", H5, "--x", "ball.x", "--events", *words), "--events", "--x t")
    refused("too many results", run("plot", *[H5] * 17, *words), "unexpected")
    refused("a negative time", run("plot", H5, "--from", "-1", *words), "--from", "a number >= 0")
    check("none of them left a file", not out.exists())
    refused("a path that cannot be written", run("plot", H5, "--y", "ball.y", "-o", TEMP / "nowhere" / "a.svg"), "a.svg", "cannot be written")


make_results()
the_curve_is_where_the_numbers_are()
both_formats_and_every_time_give_the_same_bytes()
names_mean_columns_and_bodies()
names_may_hold_commas_and_quotes()
events_are_thin_lines()
windows_steps_and_scales()
several_results_are_laid_over_each_other()
numbers_that_are_not_finite_break_the_line()
cut_results_are_drawn_as_far_as_they_go()
bad_input_is_refused()
finish()
