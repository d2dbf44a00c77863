/* generate_blocks.c - blocks that rest on each other exactly: wall, tower.
 *
 * wall: rows of cubes; every other row is shifted by `bond` blocks, so that a block rests on two. The shift is below one
 * half: at one half the centre of a block at the end of a row would be over the edge of the block that carries it.
 * Neighbours in a row are GAP apart, so that they do not press on each other. `dampers` boxes are tied to the world.
 * tower: blocks on top of each other about one axis, their sides spread by --size-spread, their masses geometric from
 * 1 at the bottom to `mass-ratio` at the top. */
#include "generate.h"

#include <math.h>

#define GAP 0.02 /* between neighbours in a row, in sides */

/* ---- wall ---------------------------------------------------------------------------------------- */

static gen_vec cube_centre(const gen_options *o, int k)
{
    int row = k / o->columns, column = k % o->columns;
    double pitch = (1 + GAP) * o->side, shift = (row % 2 ? 0.5 : -0.5) * o->bond;
    return (gen_vec){ .x = (column - 0.5 * (o->columns - 1) + shift) * pitch, .z = (row + 0.5) * o->side };
}

static void put_cube(gen *g, const gen_options *o, int k)
{
    gen_shape cube = { .type = "box", .size = { o->side, o->side, o->side } };
    gen_put_body(g, &(gen_body){ .name = "box",
                                 .number = k + 1,
                                 .type = "rigid",
                                 .density = o->density,
                                 .position = cube_centre(o, k),
                                 .shapes = 1,
                                 .shape = &cube });
}

/* the damper of a box stands on it, up to a point two sides above the wall */
static void put_damper(gen *g, const gen_options *o, int number, int k)
{
    char box[24];
    int rows = (o->bodies + o->columns - 1) / o->columns;
    snprintf(box, sizeof box, "box%d", k + 1);
    gen_put_spring(g, &(gen_spring){ .type = "damper",
                                     .number = number,
                                     .bodies = { "world", box },
                                     .anchors[0] = { .x = cube_centre(o, k).x, .z = (rows + 2) * o->side },
                                     .damping = o->damping });
}

/* the first at the box in the middle, the others at equal distances along the rows, beginning again at the first row */
static void put_dampers(gen *g, const gen_options *o)
{
    int rows = (o->bodies + o->columns - 1) / o->columns, middle = (rows - 1) / 2 * o->columns + o->columns / 2;
    gen_section(g, "forces");
    for (int k = 0; k < o->dampers; k++) {
        int along = (int)((double)o->bodies * k / o->dampers);
        put_damper(g, o, k + 1, (middle + along) % o->bodies);
    }
}

static bool wall_can_be(const gen_options *o)
{
    if (o->bond >= 0.5) {
        cli_say("--bond: expected a number below 1/2, got %g: blocks at the ends of rows would fall", o->bond);
        return false;
    }
    if (o->dampers > o->bodies) {
        cli_say("--dampers: expected at most one for each of the %d blocks, got %d", o->bodies, o->dampers);
        return false;
    }
    return true;
}

static bool write_wall(gen *g, const gen_options *given)
{
    gen_options o = *given;
    char title[64];
    if (o.columns < 0) {
        o.columns = (int)ceil(sqrt(o.bodies));
    }
    snprintf(title, sizeof title, "wall of %d boxes, %d in a row", o.bodies, o.columns);
    if (!wall_can_be(&o) || !gen_begin(g, title, 10, o.mu, NULL)) {
        return false;
    }
    gen_put_floor(g);
    for (int k = 0; k < o.bodies; k++) {
        put_cube(g, &o, k);
    }
    if (o.dampers > 0) {
        put_dampers(g, &o);
    }
    return gen_end(g);
}

const gen_kind gen_wall = {
    .name = "wall",
    .doc = "rows of boxes in running bond",
    .takes = (const gen_default[]){ { "bodies", 100 },
                                    { "columns", NAN },
                                    { "dimension", 3 },
                                    { "mu", 0.5 },
                                    { "density", 1000 },
                                    { "side", 1 },
                                    { "bond", 0.25 },
                                    { "dampers", 0 },
                                    { "damping", 1e-3 },
                                    { NULL, 0 } },
    .step = "1/240",
    .tol = 1e-8,
    .circular = true,
    .write = write_wall,
};

/* ---- tower --------------------------------------------------------------------------------------- */

static double measure(const gen *g, const gen_shape *s)
{
    double base = g->dimension == 2 ? s->size.x : s->size.x * s->size.y;
    return s->radius > 0 ? acos(-1) * s->radius * s->radius * s->length : base * s->size.z;
}

/* the cylinder stands: its axis is its last one */
static gen_shape block_shape(const gen_options *o, double side)
{
    return o->shape[0] == 'b' ? (gen_shape){ .type = "box", .size = { side, side, side } }
                              : (gen_shape){ .type = "cylinder", .radius = side / 2, .length = side };
}

static void put_block(gen *g, const gen_options *o, int k, double side, double z)
{
    gen_shape shape = block_shape(o, side);
    double share = o->bodies > 1 ? (double)k / (o->bodies - 1) : 0, full = o->density * pow(o->side, g->dimension);
    double mass = full * pow(o->mass_ratio, share);
    gen_put_body(g, &(gen_body){ .name = "block",
                                 .number = k + 1,
                                 .type = "rigid",
                                 .density = mass / measure(g, &shape),
                                 .position = { 0, 0, z + side / 2 },
                                 .shapes = 1,
                                 .shape = &shape });
}

static bool tower_can_be(const gen_options *o)
{
    if (o->size_spread >= 1) {
        cli_say("--size-spread: expected a number below 1, got %g", o->size_spread);
        return false;
    }
    return true;
}

static bool write_tower(gen *g, const gen_options *o)
{
    char title[64];
    double z = 0;
    snprintf(title, sizeof title, "tower of %d blocks", o->bodies);
    if (!tower_can_be(o) || !gen_begin(g, title, 10, o->mu, NULL)) {
        return false;
    }
    gen_put_floor(g);
    for (int k = 0; k < o->bodies; k++) {
        double side = o->side * (1 + o->size_spread * gen_uniform(g));
        put_block(g, o, k, side, z);
        z += side;
    }
    return gen_end(g);
}

const gen_kind gen_tower = {
    .name = "tower",
    .doc = "blocks on top of each other",
    .takes = (const gen_default[]){ { "bodies", 10 },
                                    { "seed", 0 },
                                    { "dimension", 3 },
                                    { "mu", 0.5 },
                                    { "density", 1000 },
                                    { "side", 1 },
                                    { "size-spread", 0 },
                                    { "mass-ratio", 1 },
                                    { "shape", NAN },
                                    { NULL, 0 } },
    .shapes = "box|cylinder",
    .step = "1/240",
    .tol = 1e-8,
    .write = write_tower,
};
