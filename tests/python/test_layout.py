#!/usr/bin/env python3
"""The structs of the Python package have the sizes and offsets of the headers, and its functions are those of the library."""
import subprocess

from package import BUILD, COMPILER, ROOT, TEMP, check, finish, write
from slipstick import _native


def program():
    lines = ["#include <slipstick/slipstick.h>", "#include <stdio.h>", "int main(void) {"]
    for name, struct in _native.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field[0]} %zu\\n", offsetof({name}, {field[0]}));' for field in struct._fields_]
    return "\n".join(lines + ["return 0; }"])


source = write("layout.c", program())
subprocess.run([COMPILER, "-std=c17", "-I", ROOT / "include", source, "-o", TEMP / "layout"], check=True)
expected = subprocess.run([TEMP / "layout"], capture_output=True, text=True, check=True).stdout.split()
for key, number in zip(expected[::2], expected[1::2]):
    name, _, field = key.partition(".")
    struct = _native.STRUCTS[name]
    ours = getattr(struct, field).offset if field else __import__("ctypes").sizeof(struct)
    check(f"{key} is {number} in the headers, {ours} in Python", ours == int(number))

# every argument list is as long as in the headers
text = "".join(" ".join(path.read_text().split()) for path in sorted((ROOT / "include" / "slipstick").glob("*.h")))
for name, (_, *arguments) in _native._FUNCTIONS.items():
    start = text.index(f"{name}(", text.index("SS_API")) + len(name) + 1
    inside = text[start:text.index(")", start)]
    count = 0 if inside == "void" else inside.count(",") + 1
    check(f"{name} has {count} arguments in the headers, {len(arguments)} in Python", count == len(arguments))
check("the library is that of the build folder", str(BUILD) in _native.lib._name)

finish()
