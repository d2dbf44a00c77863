"""A controller in the loop: it balances a pole on a cart, between two stops; docs/control.md explains it."""
import slipstick


def balance(sim):
    """force = K . (position, angle, speed, rate), held for 10 ms"""
    angle, rate = sim.joint("hinge")
    sim.set_wrench("cart", (7.3 * sim.q[0] - 56 * angle + 8.4 * sim.v[0] - 14 * rate, 0))


def start():
    sim = slipstick.Simulation("scenes/howto/cart_pole.json")
    sim.control(balance, period=0.01)
    return sim


with start() as sim, start() as other:
    saved = {}
    for k in range(1, 13):
        sim.advance(0.5 * k)
        print(f"t = {sim.t:.1f} s: position {sim.q[0]:.17g}, angle {sim.q[5]:.17g}")
        saved[k] = sim.save()
    other.restore(saved[5])  # from the checkpoint at 2.5 s to the end
    other.advance(6)
    print("restarted: the same bits" if (sim.q == other.q).all() else "restarted: differs")
