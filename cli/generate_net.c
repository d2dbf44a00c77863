/* generate_net.c - a net of boxes joined by springs, let go on a floor.
 *
 * Boxes of side s lie in a square grid of pitch 2 s, in 2D in one row. Neighbours are joined by a spring with a damper, from the
 * middle of one face to the middle of the face opposite:
 *   stiffness  k = m OMEGA^2             in-plane waves travel at 2 s OMEGA; the fastest vibration is sqrt(8) OMEGA (2D: 2 OMEGA)
 *   damping    c = 2 ZETA m OMEGA
 *   length     s (TAUT +- SPREAD)        at random: every spring is stretched at first, none as much as another
 * Every other quarter of a wave (WAVE pitches long) the net is raised to a hill of height s/2, elsewhere it touches the floor:
 *   z = s/2 + s/2 max(0, sin(2 pi i/WAVE) sin(2 pi j/WAVE))       column i, row j; 2D: max(0, sin(2 pi i/WAVE))
 * Let go, the hills fall, the net contracts from its border inwards, boxes slide, tilt, lift off and land again.
 * Everything repeats with the wave: the contacts of a box do not depend on the number of boxes. */
#include "generate.h"

#include <math.h>

enum { WAVE = 8 };
static const double OMEGA = 60, ZETA = 0.02, TAUT = 0.8, SPREAD = 0.1;

typedef struct net {
    const gen_options *o;
    int columns;
    double mass, pitch;
} net;

/* ---- boxes --------------------------------------------------------------------------------------- */

static double wave(int k) { return sin(2 * acos(-1) * k / WAVE); }

static gen_vec centre(const net *n, int dimension, int k)
{
    int row = k / n->columns, column = k % n->columns, rows = (n->o->bodies + n->columns - 1) / n->columns;
    double hill = fmax(0, dimension == 2 ? wave(column) : wave(column) * wave(row));
    return (gen_vec){ .x = (column - 0.5 * (n->columns - 1)) * n->pitch,
                      .y = (row - 0.5 * (rows - 1)) * n->pitch,
                      .z = 0.5 * n->o->side * (1 + hill) };
}

static void put_box(gen *g, const net *n, int k)
{
    gen_shape box = { .type = "box", .size = { n->o->side, n->o->side, n->o->side } };
    gen_put_body(g, &(gen_body){ .name = "box",
                                 .number = k + 1,
                                 .type = "rigid",
                                 .density = n->o->density,
                                 .position = centre(n, g->dimension, k),
                                 .shapes = 1,
                                 .shape = &box });
}

/* ---- springs ------------------------------------------------------------------------------------- */

/* from box k to the box at the end of the direction, along x or y */
static void put_spring(gen *g, const net *n, int *number, int k, int other, gen_vec direction)
{
    char from[24], to[24];
    double half = n->o->side / 2, length = n->o->side * (TAUT + SPREAD * gen_uniform(g));
    snprintf(from, sizeof from, "box%d", k + 1);
    snprintf(to, sizeof to, "box%d", other + 1);
    gen_put_spring(g, &(gen_spring){ .type = "spring_damper",
                                     .number = ++*number,
                                     .bodies = { from, to },
                                     .anchors = { { .x = half * direction.x, .y = half * direction.y },
                                                  { .x = -half * direction.x, .y = -half * direction.y } },
                                     .stiffness = n->mass * OMEGA * OMEGA,
                                     .damping = 2 * ZETA * n->mass * OMEGA,
                                     .length = length });
}

static void put_springs(gen *g, const net *n)
{
    int number = 0, bodies = n->o->bodies;
    for (int k = 0; k < bodies; k++) {
        if ((k + 1) % n->columns != 0 && k + 1 < bodies) {
            put_spring(g, n, &number, k, k + 1, (gen_vec){ .x = 1 });
        }
        if (k + n->columns < bodies) {
            put_spring(g, n, &number, k, k + n->columns, (gen_vec){ .y = 1 });
        }
    }
}

/* ---- scene --------------------------------------------------------------------------------------- */

static bool write_net(gen *g, const gen_options *o)
{
    char title[64];
    net n = { .o = o, .columns = o->columns, .mass = o->density * pow(o->side, g->dimension), .pitch = 2 * o->side };
    if (g->dimension == 2 && o->columns > 0) {
        cli_say("--columns: a net in 2D is one row");
        return false;
    }
    if (n.columns < 0) {
        n.columns = g->dimension == 2 ? o->bodies : (int)ceil(sqrt(o->bodies));
    }
    snprintf(title, sizeof title, "net of %d boxes, %d in a row", o->bodies, n.columns);
    if (!gen_begin(g, title, 1, o->mu, NULL)) {
        return false;
    }
    gen_put_floor(g);
    for (int k = 0; k < o->bodies; k++) {
        put_box(g, &n, k);
    }
    gen_section(g, "forces");
    put_springs(g, &n);
    return gen_end(g);
}

const gen_kind gen_net = {
    .name = "net",
    .doc = "boxes in a grid joined by stretched springs, let go on a floor",
    .takes = (const gen_default[]){ { "bodies", 100 },
                                    { "columns", NAN },
                                    { "seed", 0 },
                                    { "dimension", 3 },
                                    { "mu", 0.5 },
                                    { "density", 1000 },
                                    { "side", 0.1 },
                                    { NULL, 0 } },
    .step = "1/240",
    .scheme = "moreau",
    .tol = 1e-8,
    .circular = true,
    .write = write_net,
};
