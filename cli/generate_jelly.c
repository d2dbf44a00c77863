/* generate_jelly.c - a block of balls joined by stiff springs, dropped on a floor.
 *
 * Balls of diameter s/2 stand in a lattice of pitch s, twice as long as it is deep, sheared upwards by a tenth of its length, so
 * that it falls on an edge; the lowest ball is s/2 above the floor. Springs of stiffness k join neighbours along the axes, then
 * along the diagonals of the faces, in this order, until there are SPRINGS for each ball. All are relaxed at the start. With k =
 * 1e6 N/m and balls of 0.5 kg the fastest vibrations have omega = 6000 rad/s, which no step of a useful length resolves. */
#include "generate.h"

#include <math.h>

enum { SPRINGS = 5 };
static const double SHEAR = 0.1;

typedef struct jelly {
    const gen_options *o;
    int nx, ny, nz;
} jelly;

/* ---- balls --------------------------------------------------------------------------------------- */

/* the number of a place of the lattice, from 0; -1: no ball is there */
static int ball_at(const jelly *b, int x, int y, int z)
{
    const bool inside = x >= 0 && x < b->nx && y >= 0 && y < b->ny && z >= 0 && z < b->nz;
    const int k = inside ? x + b->nx * (y + b->ny * z) : b->o->bodies;
    return k < b->o->bodies ? k : -1;
}

static gen_vec centre(const jelly *b, int k)
{
    const double s = b->o->side;
    const int x = k % b->nx, y = k / b->nx % b->ny, z = k / b->nx / b->ny;
    return (gen_vec){ .x = (x - 0.5 * (b->nx - 1)) * s, .y = (y - 0.5 * (b->ny - 1)) * s, .z = (0.75 + z + SHEAR * x) * s };
}

static void put_balls(gen *g, const jelly *b)
{
    const gen_shape ball = { .type = "sphere", .radius = b->o->side / 4 };
    for (int k = 0; k < b->o->bodies; k++) {
        gen_put_body(g, &(gen_body){ .name = "ball",
                                     .number = k + 1,
                                     .type = "rigid",
                                     .density = b->o->density,
                                     .position = centre(b, k),
                                     .shapes = 1,
                                     .shape = &ball });
    }
}

/* ---- springs ------------------------------------------------------------------------------------- */

static void put_spring(gen *g, const jelly *b, int number, int from, int to)
{
    const gen_vec a = centre(b, from), c = centre(b, to);
    char names[2][24];
    snprintf(names[0], sizeof names[0], "ball%d", from + 1);
    snprintf(names[1], sizeof names[1], "ball%d", to + 1);
    gen_put_spring(g, &(gen_spring){ .type = "spring",
                                     .number = number,
                                     .bodies = { names[0], names[1] },
                                     .stiffness = b->o->stiffness,
                                     .length = hypot(hypot(c.x - a.x, c.y - a.y), c.z - a.z) });
}

static void put_springs(gen *g, const jelly *b)
{
    static const int to[][3] = { { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 },  { 1, 1, 0 }, { 1, 0, 1 },
                                 { 0, 1, 1 }, { -1, 1, 0 }, { -1, 0, 1 }, { 0, -1, 1 } };
    int number = 0;
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        for (int k = 0; k < b->o->bodies && number < SPRINGS * b->o->bodies; k++) {
            const int x = k % b->nx, y = k / b->nx % b->ny, z = k / b->nx / b->ny;
            const int other = ball_at(b, x + to[i][0], y + to[i][1], z + to[i][2]);
            if (other >= 0) {
                put_spring(g, b, ++number, k, other);
            }
        }
    }
}

/* ---- scene --------------------------------------------------------------------------------------- */

static bool write_jelly(gen *g, const gen_options *o)
{
    char title[64];
    jelly b = { .o = o, .ny = 1 };
    if (g->dimension == 2) {
        b.nz = (int)ceil(sqrt(o->bodies) / 2);
    } else {
        b.nz = (int)ceil(cbrt(o->bodies) / 1.5);
        b.ny = (int)ceil(sqrt(0.5 * o->bodies / b.nz));
    }
    b.nx = (o->bodies + b.ny * b.nz - 1) / (b.ny * b.nz);
    snprintf(title, sizeof title, "block of %d balls joined by springs of %g N/m", o->bodies, o->stiffness);
    if (!gen_begin(g, title, 1, o->mu, NULL)) {
        return false;
    }
    gen_put_floor(g);
    put_balls(g, &b);
    gen_section(g, "forces");
    put_springs(g, &b);
    return gen_end(g);
}

const gen_kind gen_jelly = {
    .name = "jelly",
    .doc = "balls in a block joined by stiff springs, dropped on a floor",
    .takes = (const gen_default[]){ { "bodies", 200 },
                                    { "dimension", 3 },
                                    { "mu", 0.5 },
                                    { "density", 1000 },
                                    { "side", 0.2 },
                                    { "stiffness", 1e6 },
                                    { NULL, 0 } },
    .step = "1/100",
    .scheme = "trapezoidal",
    .tol = 1e-8,
    .circular = true,
    .write = write_jelly,
};
