/* generate_grains.c - grains in loose order: each somewhere in its own cell of a lattice, so that none overlap whatever
 * their sizes, in time proportional to their number.
 *
 * Sizes: r = R (1 + S u), u uniform in [-1, 1), or r = R exp(S x), x normal, cut at CUT standard deviations. A grain lies
 * within the sphere of radius r, whatever its shape; those that are not round are turned at random. */
#include "generate.h"

#include <math.h>
#include <string.h>

#define CUT   2.5  /* standard deviations                              */
#define SLACK 1.05 /* side of a cell over the largest diameter          */

static bool lognormal(const gen_options *o) { return strcmp(o->sizes, "lognormal") == 0; }

static double largest(const gen_options *o)
{
    return o->radius * (lognormal(o) ? exp(CUT * o->size_spread) : 1 + o->size_spread);
}

bool gen_grains_check(const gen_options *o, gen_grains *out)
{
    double limit = lognormal(o) ? 3 : 1; /* a ratio of sizes of 1e6; no grain of size zero */
    if (o->size_spread >= limit) {
        cli_say("--size-spread: expected a number below %g for %s sizes, got %g", limit, o->sizes, o->size_spread);
        return false;
    }
    *out = (gen_grains){ .o = o, .cell = 2 * SLACK * largest(o) };
    return true;
}

static double draw_radius(gen *g, const gen_options *o)
{
    if (lognormal(o)) {
        return o->radius * exp(o->size_spread * fmin(fmax(gen_normal(g), -CUT), CUT));
    }
    return o->radius * (1 + o->size_spread * gen_uniform(g));
}

/* ---- shapes inside the sphere of radius r ---------------------------------------------------------- */

/* corners of a regular hexagon, of an octahedron */
static int corners(int dimension, double r, gen_vec corner[6])
{
    const gen_vec solid[6] = { { r, 0, 0 }, { -r, 0, 0 }, { 0, r, 0 }, { 0, -r, 0 }, { 0, 0, r }, { 0, 0, -r } };
    for (int k = 0; k < 6; k++) {
        double angle = k * acos(-1) / 3;
        corner[k] = dimension == 3 ? solid[k] : (gen_vec){ r * cos(angle), 0, r * sin(angle) };
    }
    return 6;
}

static gen_shape grain_shape(const gen_options *o, double r, gen_vec corner[6])
{
    gen_shape s = { .type = o->shape };
    double side = 2 * r / sqrt(o->dimension);
    if (strcmp(o->shape, "sphere") == 0) {
        s.radius = r;
    } else if (strcmp(o->shape, "box") == 0) {
        s.size = (gen_vec){ side, side, side };
    } else if (strcmp(o->shape, "capsule") == 0) {
        s.radius = r / 2;
        s.length = r;
    } else if (strcmp(o->shape, "cylinder") == 0) {
        s.radius = r / sqrt(2);
        s.length = r * sqrt(2);
    } else {
        s.points = corners(o->dimension, r, corner);
        s.point = corner;
    }
    return s;
}

/* uniform on the unit quaternions [Shoemake 1992] */
static void draw_orientation(gen *g, double q[4])
{
    double pi = acos(-1), u = (1 + gen_uniform(g)) / 2, a = pi * gen_uniform(g), b = pi * gen_uniform(g);
    q[0] = sqrt(1 - u) * sin(a);
    q[1] = sqrt(1 - u) * cos(a);
    q[2] = sqrt(u) * sin(b);
    q[3] = sqrt(u) * cos(b);
}

/* ---- the lattice ----------------------------------------------------------------------------------- */

static gen_vec cell_centre(const gen_grains *s, const gen_lattice *l, int i, int j, int layer)
{
    return (gen_vec){ (i - 0.5 * (l->nx - 1)) * s->cell, (j - 0.5 * (l->ny - 1)) * s->cell, l->z + (layer + 0.5) * s->cell };
}

static bool inside(const gen_grains *s, const gen_lattice *l, gen_vec centre)
{
    double from_hole = hypot(hypot(centre.x, centre.y), centre.z - l->hole_z) - s->cell * sqrt(s->o->dimension) / 2;
    return (!(l->round > 0) || hypot(centre.x, centre.z) + s->cell * sqrt(0.5) <= l->round) &&
           (!(l->hole > 0) || from_hole >= l->hole);
}

double gen_lattice_count(const gen_grains *s, const gen_lattice *l)
{
    double n = l->round > 0 ? 0 : (double)l->nx * l->layers;
    for (int layer = 0; layer < l->layers && l->round > 0; layer++) {
        for (int i = 0; i < l->nx; i++) {
            n += inside(s, l, cell_centre(s, l, i, 0, layer));
        }
    }
    return n * l->ny;
}

static void put_grain(gen *g, const gen_grains *s, gen_vec centre, int number)
{
    gen_vec corner[6];
    double q[4], r = draw_radius(g, s->o), slack = s->cell / 2 - r;
    gen_shape shape = grain_shape(s->o, r, corner);
    gen_body body = {
        .name = "grain", .number = number, .type = "rigid", .density = s->o->density, .shapes = 1, .shape = &shape
    };
    body.position.x = centre.x + slack * gen_uniform(g);
    body.position.y = centre.y + slack * gen_uniform(g);
    body.position.z = centre.z + slack * gen_uniform(g);
    if (strcmp(s->o->shape, "sphere") != 0) {
        draw_orientation(g, q);
        body.orientation = q;
        body.angle = acos(-1) * gen_uniform(g);
    }
    gen_put_body(g, &body);
}

void gen_put_grains(gen *g, const gen_grains *s, const gen_lattice *l)
{
    int placed = 0;
    for (int layer = 0; layer < l->layers; layer++) {
        for (int cell = 0; cell < l->nx * l->ny && placed < s->o->bodies; cell++) {
            gen_vec centre = cell_centre(s, l, cell % l->nx, cell / l->nx, layer);
            if (inside(s, l, centre)) {
                put_grain(g, s, centre, ++placed);
            }
        }
    }
}
