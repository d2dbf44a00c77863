#!/usr/bin/env python3
"""The controller of docs/control.md in C and in Python: few lines, the same trajectory to the last bit, no memory per step."""
import subprocess
import sys

from package import BUILD, ROOT, check, finish, slipstick
from slipstick import _native

sources = {name: (ROOT / "examples" / name).read_text().splitlines() for name in ("cart_pole.c", "cart_pole.py")}
for name, most in (("cart_pole.c", 60), ("cart_pole.py", 25)):
    check(f"{name} has {len(sources[name])} lines, at most {most}", len(sources[name]) <= most)


def said_by(*words):
    result = subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=ROOT, check=False)
    check(f"{words[-1]} succeeds: {result.stderr}", result.returncode == 0)
    return result.stdout.splitlines()


in_c = said_by(BUILD / "examples" / "cart_pole")
path = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); exec(open('examples/cart_pole.py').read())"
in_python = said_by(sys.executable, "-B", "-c", path)
check("C and Python print the same digits", in_c == in_python and len(in_c) == 13)
check("a restarted run has the same bits", in_c[-1:] == ["restarted: the same bits"])

# the example's own controller, watched
space = {}
exec("\n".join(sources["cart_pole.py"]).split("\nwith ")[0], space)  # pylint: disable=exec-used
with space["start"]() as sim:
    at_stop, largest = 0, 0
    while sim.t < 6 - 1e-9:
        sim.step()
        contacts = sim.contacts()
        at_stop += bool((contacts.force[abs(contacts.normal[:, 0]) > 0.5, 0] > 0).any())
        largest = max(largest, abs(sim.q[5]))
    check(f"the pole stays up: its angle is at most {largest:.3f}", largest < 0.2)
    check("the cart has met a stop", at_stop > 0)
    check("every step is certified", sim.summary.unconverged_steps == 0 and sim.ledger.contact_friction < 0)
    context = sim._owner.context.pointer
    before = _native.lib.ss_context_allocations(context)
    sim.advance(7)
    check("steps take no memory", _native.lib.ss_context_allocations(context) == before)
with slipstick.Simulation("scenes/howto/cart_pole.json") as alone:
    alone.advance(1.5)
    check("without the controller the pole falls", abs(alone.q[5]) > 1)

finish()
