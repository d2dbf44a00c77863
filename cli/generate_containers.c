/* generate_containers.c - grains in containers: pile, silo, column, drum, brazil_nut.
 *
 *   pile    a box open at the top, of floor and walls; the grains fall into it
 *   silo    walls, a hopper whose outlet a gate closes until it drops, a floor below. In 3D the outlet is a slot
 *   column  grains between a wall and a gate, which is drawn away: the collapse of a column. In 3D between two panes
 *   drum    a ring of boxes with ribs that turns about the depth axis; in 3D between two panes
 *   brazil_nut  a box that is shaken up and down, with one large grain at the bottom of many small ones
 *
 * Gates and panes have no friction. A gate goes straight away from the grains, faster than they can follow: one that slides
 * along them strikes corners with its own. Grains are placed loosely and settle first: from the height H that takes about
 * sqrt(2 H/g). */
#include "generate.h"

#include <math.h>

#define GRAVITY 9.81
#define SMOOTH  "smooth" /* the material without friction */

enum { MOST_CELLS = 40000 }; /* across; its square is still an int */

static double fall_time(double height) { return sqrt(2 * height / GRAVITY); }

/* a time in which grains that fill this height come to rest, in twentieths of a second */
static double settling_time(double height) { return ceil(20 * (1.5 * fall_time(height) + 0.1)) / 20; }

/* cells for a width, or for its default; false: said that not one fits */
static bool cells_across(const char *option, double given, const gen_grains *s, double wanted, int *n)
{
    double cells = isnan(given) ? ceil(wanted) : floor(given / s->cell);
    if (cells < 1 || cells > MOST_CELLS) {
        cli_say("--%s %g: between 1 and %d grains must fit, each in a cell of %g m", option, given, MOST_CELLS, s->cell);
        return false;
    }
    *n = (int)cells;
    return true;
}

static double width_of(double given, double cells, const gen_grains *s) { return isnan(given) ? cells * s->cell : given; }

/* layers that hold all grains */
static int layers_of(const gen_grains *s, int per_layer) { return (s->o->bodies + per_layer - 1) / per_layer; }

/* what lies between lo and hi along a direction, as two half spaces */
static int add_walls(gen_shape *at, const char *material, gen_vec normal, double lo, double hi)
{
    at[0] = (gen_shape){ .type = "half_space", .material = material, .normal = normal, .offset = lo };
    at[1] =
        (gen_shape){ .type = "half_space", .material = material, .normal = { -normal.x, -normal.y, -normal.z }, .offset = -hi };
    return 2;
}

/* floor at z, walls at x0 and x1, in 3D also at +-depth/2; all moved upwards by `shake`, an expression in t (NULL: not) */
static void put_container(gen *g, double z, double x0, double x1, double depth, const char *pane, const char *shake)
{
    gen_shape shape[5] = { { .type = "half_space", .normal = { 0, 0, 1 }, .offset = z } };
    int n = 1;
    n += add_walls(shape + n, NULL, (gen_vec){ 1, 0, 0 }, x0, x1);
    if (g->dimension == 3) {
        n += add_walls(shape + n, pane, (gen_vec){ 0, 1, 0 }, -depth / 2, depth / 2);
    }
    gen_body body = { .name = "container", .type = shake ? "driven" : "fixed", .shapes = n, .shape = shape };
    if (shake) {
        body.motion[0] = body.motion[1] = "0";
        body.motion[2] = shake;
    }
    gen_put_body(g, &body);
}

/* a smooth box that goes from `from` by `way` in the time `lasts` after t = opens_at */
static void put_gate(gen *g, gen_vec size, gen_vec from, gen_vec way, double opens_at, double lasts)
{
    char text[3][96];
    const double start[] = { from.x, from.y, from.z }, move[] = { way.x, way.y, way.z };
    gen_shape box = { .type = "box", .material = SMOOTH, .size = size };
    for (int k = 0; k < 3; k++) {
        if (move[k] != 0) {
            snprintf(text[k], sizeof text[k], "%.9g + %.9g*min(1, max(0, (t - %.9g)/%.9g))", start[k], move[k], opens_at, lasts);
        } else {
            snprintf(text[k], sizeof text[k], "%.9g", start[k]);
        }
    }
    gen_put_body(
        g, &(gen_body){ .name = "gate", .type = "driven", .motion = { text[0], text[1], text[2] }, .shapes = 1, .shape = &box });
}

/* ---- pile ---------------------------------------------------------------------------------------- */

static bool write_pile(gen *g, const gen_options *o)
{
    gen_grains s;
    gen_lattice l = { .ny = 1 };
    char title[64];
    if (!gen_grains_check(o, &s) || !cells_across("width", o->width, &s, pow(o->bodies, 1.0 / g->dimension), &l.nx)) {
        return false;
    }
    l.ny = g->dimension == 3 ? l.nx : 1;
    l.layers = layers_of(&s, l.nx * l.ny);
    double w = width_of(o->width, l.nx, &s);
    snprintf(title, sizeof title, "pile of %d grains", o->bodies);
    if (!gen_begin(g, title, 2 * settling_time(l.layers * s.cell), o->mu, NULL)) {
        return false;
    }
    put_container(g, 0, -w / 2, w / 2, w, NULL, NULL);
    gen_put_grains(g, &s, &l);
    return gen_end(g);
}

const gen_kind gen_pile = {
    .name = "pile",
    .doc = "grains that fall into a box",
    .takes = (const gen_default[]){ { "bodies", 1000 }, { "dimension", 3 }, { "width", NAN }, GEN_GRAIN_OPTIONS, { NULL, 0 } },
    GEN_GRANULAR,
    .circular = true,
    .write = write_pile,
};

/* ---- silo ---------------------------------------------------------------------------------------- */

typedef struct silo {
    double width, depth, outlet, slope, hopper; /* hopper: its height */
    double opens_at;
} silo;

/* plates from the edges of the outlet up to the walls, the inner face of each along the line of the slope */
static void put_hopper(gen *g, const silo *s)
{
    double run = (s->width - s->outlet) / 2, length = run / cos(s->slope), thick = s->outlet / 4;
    for (int side = -1; side <= 1; side += 2) {
        double x = (s->outlet + run) / 2 + sin(s->slope) * thick / 2, z = s->hopper / 2 - cos(s->slope) * thick / 2;
        gen_shape plate = { .type = "box", .size = { length, s->depth, thick } };
        gen_put_body(g, &(gen_body){ .name = side < 0 ? "left plate" : "right plate",
                                     .type = "fixed",
                                     .position = { side * x, 0, z },
                                     .angle = side * s->slope,
                                     .shapes = 1,
                                     .shape = &plate });
    }
}

static bool silo_sizes(const gen_options *o, const gen_grains *grains, gen_lattice *l, silo *s)
{
    double wanted = o->dimension == 2 ? sqrt(o->bodies / 2.0) : cbrt(o->bodies);
    s->outlet = isnan(o->outlet) ? 10 * o->radius : o->outlet;
    s->slope = o->slope;
    if (!cells_across("width", o->width, grains, fmax(wanted, 2 * s->outlet / grains->cell), &l->nx) ||
        (o->dimension == 3 && !cells_across("depth", o->depth, grains, l->nx / 2.0, &l->ny))) {
        return false;
    }
    s->width = width_of(o->width, l->nx, grains);
    s->depth = width_of(o->depth, l->ny, grains);
    s->hopper = (s->width - s->outlet) / 2 * tan(s->slope);
    if (s->outlet >= s->width || s->slope > 1.5) {
        cli_say("a silo of width %g needs an outlet below that and a slope of at most 1.5 rad, got %g and %g", s->width,
                s->outlet, s->slope);
        return false;
    }
    l->z = s->hopper;
    l->layers = layers_of(grains, l->nx * l->ny);
    return true;
}

static bool write_silo(gen *g, const gen_options *o)
{
    gen_grains grains;
    gen_lattice l = { .ny = 1 };
    silo s;
    char title[64];
    if (!gen_grains_check(o, &grains) || !silo_sizes(o, &grains, &l, &s)) {
        return false;
    }
    double height = s.hopper + l.layers * grains.cell, thick = s.outlet / 4;
    s.opens_at = isnan(o->opens_at) ? settling_time(height) : o->opens_at;
    snprintf(title, sizeof title, "silo of %d grains", o->bodies);
    if (!gen_begin(g, title, s.opens_at + ceil(3 * s.width / s.outlet * fall_time(height)), o->mu, SMOOTH)) {
        return false;
    }
    put_container(g, -height, -s.width / 2, s.width / 2, s.depth, SMOOTH, NULL);
    put_hopper(g, &s);
    put_gate(g, (gen_vec){ 1.5 * s.outlet, s.depth, thick }, (gen_vec){ 0, 0, -thick / 2 }, (gen_vec){ 0, 0, -height - thick },
             s.opens_at, fall_time(height) / 4);
    gen_put_grains(g, &grains, &l);
    return gen_end(g);
}

const gen_kind gen_silo = {
    .name = "silo",
    .doc = "grains in a silo whose outlet opens",
    .takes = (const gen_default[]){ { "bodies", 500 },
                                    { "dimension", 2 },
                                    { "width", NAN },
                                    { "depth", NAN },
                                    { "outlet", NAN },
                                    { "slope", 0.7853981633974483 },
                                    { "opens-at", NAN },
                                    GEN_GRAIN_OPTIONS,
                                    { NULL, 0 } },
    GEN_GRANULAR,
    .scheme = "anitescu_convex",
    .write = write_silo,
};

/* ---- column -------------------------------------------------------------------------------------- */

static bool column_cells(const gen_options *o, const gen_grains *grains, gen_lattice *l)
{
    double wanted = o->dimension == 2 ? sqrt(o->bodies / o->aspect) : cbrt(2 * o->bodies / o->aspect);
    if (!cells_across("width", o->width, grains, wanted, &l->nx) ||
        (o->dimension == 3 && !cells_across("depth", o->depth, grains, l->nx / 2.0, &l->ny))) {
        return false;
    }
    l->layers = layers_of(grains, l->nx * l->ny);
    return true;
}

/* the column stands about x = 0; the floor goes on to the right as far as a collapse may reach */
static bool write_column(gen *g, const gen_options *o)
{
    gen_grains grains;
    gen_lattice l = { .ny = 1 };
    char title[64];
    if (!gen_grains_check(o, &grains) || !column_cells(o, &grains, &l)) {
        return false;
    }
    double height = l.layers * grains.cell, w = width_of(o->width, l.nx, &grains), depth = width_of(o->depth, l.ny, &grains);
    double opens_at = isnan(o->opens_at) ? settling_time(height) : o->opens_at, thick = 2 * grains.cell, reach = 5 * height;
    snprintf(title, sizeof title, "collapse of a column of %d grains", o->bodies);
    if (!gen_begin(g, title, opens_at + ceil(4 * fall_time(height)), o->mu, SMOOTH)) {
        return false;
    }
    put_container(g, 0, -w / 2, w / 2 + thick + reach, depth, SMOOTH, NULL);
    put_gate(g, (gen_vec){ thick, depth, height }, (gen_vec){ w / 2 + thick / 2, 0, height / 2 },
             (gen_vec){ thick + reach, 0, 0 }, opens_at, fall_time(height));
    gen_put_grains(g, &grains, &l);
    return gen_end(g);
}

const gen_kind gen_column = {
    .name = "column",
    .doc = "a column of grains that collapses when a gate is drawn away",
    .takes = (const gen_default[]){ { "bodies", 500 },
                                    { "dimension", 2 },
                                    { "width", NAN },
                                    { "depth", NAN },
                                    { "aspect", 2 },
                                    { "opens-at", NAN },
                                    GEN_GRAIN_OPTIONS,
                                    { NULL, 0 } },
    GEN_GRANULAR,
    .scheme = "anitescu_convex",
    .write = write_column,
};

/* ---- drum ---------------------------------------------------------------------------------------- */

enum { SIDES = 36 };

/* Boxes whose inner faces are the sides of a polygon about the circle of radius r, every other one set back by `rib`: in a
 * smooth drum the grains slide to and fro as one body. A quarter of a grain's radius: a grain between two ribs touches their
 * edges well below its middle, so it cannot be wedged in. Wide enough to close outside. */
static void put_ring(gen *g, double r, double rib, double depth, double speed)
{
    char angle[48];
    gen_shape side[SIDES];
    double pi = acos(-1), thick = r / 10 + rib, width = 2 * (r + thick) * tan(pi / SIDES);
    for (int k = 0; k < SIDES; k++) {
        double a = 2 * pi * k / SIDES, middle = r + thick / 2 + (k % 2) * rib;
        side[k] = (gen_shape){
            .type = "box", .size = { thick, depth, width }, .position = { middle * cos(a), 0, middle * sin(a) }, .angle = a
        };
    }
    snprintf(angle, sizeof angle, "2*pi*%.9g*t", speed);
    gen_put_body(g, &(gen_body){ .name = "drum",
                                 .type = "driven",
                                 .motion = { "0", "0", "0" },
                                 .motion_angle = angle,
                                 .shapes = SIDES,
                                 .shape = side });
}

static void fit_circle(const gen_grains *grains, double r, gen_lattice *l)
{
    l->nx = l->layers = (int)floor(2 * r / grains->cell);
    l->round = r;
    l->z = -l->layers * grains->cell / 2;
}

/* the radius: given, or the smallest of a growing sequence in which the share `fill` of the cells holds all grains */
static bool drum_radius(const gen_options *o, const gen_grains *grains, gen_lattice *l, double *r)
{
    double wanted = pow(o->bodies, 1.0 / o->dimension) / 2;
    int across;
    if (!cells_across("width", o->width, grains, 2 * wanted, &across) ||
        (o->dimension == 3 && !cells_across("depth", o->depth, grains, wanted, &l->ny))) {
        return false;
    }
    *r = isnan(o->width) ? wanted * grains->cell : o->width / 2;
    fit_circle(grains, *r, l);
    while (isnan(o->width) && gen_lattice_count(grains, l) * o->fill < o->bodies) {
        *r *= 1.03;
        fit_circle(grains, *r, l);
    }
    double held = gen_lattice_count(grains, l);
    if (held < o->bodies) {
        cli_say("--width %g: a drum of that diameter holds %.0f grains, not %d", o->width, held, o->bodies);
    }
    return held >= o->bodies;
}

static void put_panes(gen *g, double depth)
{
    gen_shape pane[2];
    int n = add_walls(pane, SMOOTH, (gen_vec){ 0, 1, 0 }, -depth / 2, depth / 2);
    gen_put_body(g, &(gen_body){ .name = "panes", .type = "fixed", .shapes = n, .shape = pane });
}

static bool write_drum(gen *g, const gen_options *o)
{
    gen_grains grains;
    gen_lattice l = { .ny = 1 };
    char title[64];
    double r;
    if (o->fill > 0.9) {
        cli_say("--fill: expected a number of at most 0.9, got %g", o->fill);
        return false;
    }
    if (!gen_grains_check(o, &grains) || !drum_radius(o, &grains, &l, &r)) {
        return false;
    }
    double depth = width_of(o->depth, l.ny, &grains);
    snprintf(title, sizeof title, "rotating drum with %d grains", o->bodies);
    if (!gen_begin(g, title, ceil(1 / o->speed), o->mu, SMOOTH)) {
        return false;
    }
    put_ring(g, r, o->radius / 4, depth, o->speed);
    if (g->dimension == 3) {
        put_panes(g, depth);
    }
    gen_put_grains(g, &grains, &l);
    return gen_end(g);
}

const gen_kind gen_drum = {
    .name = "drum",
    .doc = "grains in a rotating drum",
    .takes = (const gen_default[]){ { "bodies", 500 },
                                    { "dimension", 2 },
                                    { "width", NAN },
                                    { "depth", NAN },
                                    { "speed", 0.1 },
                                    { "fill", 0.5 },
                                    GEN_GRAIN_OPTIONS,
                                    { NULL, 0 } },
    GEN_GRANULAR,
    .scheme = "anitescu_convex",
    .write = write_drum,
};

/* ---- brazil_nut ---------------------------------------------------------------------------------- */

/* Lengths go with the mean radius R of the small grains; the times suit R = 0.5 m and steps of 0.1 s: with a smaller R the
 * grains would cross each other's size many times in a step. */
#define NUT   6.0  /* radius of the large grain over R                        */
#define BOX   28.0 /* width of the box over R                                 */
#define SHAKE 8.0  /* amplitude over R: the floor goes up by twice that, 35 times after 2 s */

static void put_nut(gen *g, const gen_options *o)
{
    gen_shape sphere = { .type = "sphere", .radius = NUT * o->radius };
    gen_put_body(g, &(gen_body){ .name = "nut",
                                 .type = "rigid",
                                 .density = o->density,
                                 .position = { 0, 0, NUT * o->radius },
                                 .shapes = 1,
                                 .shape = &sphere });
}

static bool write_brazil_nut(gen *g, const gen_options *o)
{
    gen_options small = *o;
    gen_grains grains;
    gen_lattice l = { .ny = 1, .hole = NUT * o->radius, .hole_z = NUT * o->radius };
    char title[64], shake[96];
    small.bodies = o->bodies - 1;
    double w = isnan(o->width) ? BOX * o->radius : o->width;
    if (!gen_grains_check(&small, &grains) || !cells_across("width", w, &grains, 0, &l.nx)) {
        return false;
    }
    if (w < 2 * NUT * o->radius) {
        cli_say("--width %g: the large grain has the diameter %g", w, 2 * NUT * o->radius);
        return false;
    }
    l.ny = g->dimension == 3 ? l.nx : 1;
    l.layers = layers_of(&grains, l.nx * l.ny) + (int)ceil(2 * NUT * o->radius / grains.cell) + 2;
    snprintf(title, sizeof title, "one large grain and %d small ones in a shaken box", small.bodies);
    snprintf(shake, sizeof shake, "%.9g*(1 - cos(2*pi*min(max(t - 2, 0), 70)/2))", SHAKE * o->radius);
    if (!gen_begin(g, title, 75, o->mu, NULL)) {
        return false;
    }
    put_container(g, 0, -w / 2, w / 2, w, NULL, shake);
    put_nut(g, o);
    gen_put_grains(g, &grains, &l);
    return gen_end(g);
}

const gen_kind gen_brazil_nut = {
    .name = "brazil_nut",
    .doc = "a large grain below small ones in a box that is shaken",
    .takes = (const gen_default[]){ { "bodies", 201 },
                                    { "dimension", 2 },
                                    { "width", NAN },
                                    { "seed", 0 },
                                    { "mu", 0.5 },
                                    { "density", 1000 },
                                    { "radius", 0.5 },
                                    { "size-spread", 0.1 },
                                    { "sizes", NAN },
                                    { "shape", NAN },
                                    { NULL, 0 } },
    .shapes = GEN_GRAIN_SHAPES,
    .step = "0.1",
    .scheme = "anitescu_convex",
    .tol = 1e-8,
    .granular = true,
    .write = write_brazil_nut,
};
