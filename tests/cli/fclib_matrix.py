"""Matrices of FCLIB files."""
import numpy


def matrix(group):
    """A sparse matrix of a file, dense."""
    m, n, nz = (int(group[key][0]) for key in ("m", "n", "nz"))
    p, i, x = group["p"][:], group["i"][:], group["x"][:]
    dense = numpy.zeros((m, n))
    lines = numpy.repeat(numpy.arange(len(p) - 1), numpy.diff(p)) if nz < 0 else None
    rows, columns = (i[:nz], p[:nz]) if nz >= 0 else (lines, i) if nz == -2 else (i, lines)
    numpy.add.at(dense, (rows, columns), x[:len(rows)])
    return dense
