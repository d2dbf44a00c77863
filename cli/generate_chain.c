/* generate_chain.c - N rigid rods of length L and 1 kg/m, joined end to end by revolute joints, the first hinged to the
 * world, released at rest from the horizontal. With --seed each rod is tilted by up to 0.05 rad, so that no two chains are
 * alike. Rods have no shapes: nothing touches. */
#include "generate.h"

#include <math.h>

static void put_rod(gen *g, int number, double length, gen_vec centre, double angle)
{
    double mass = length, moment = mass * length * length / 12, radius = length / 20;
    gen_put_body(g, &(gen_body){ .name = "rod",
                                 .number = number,
                                 .type = "rigid",
                                 .mass = mass,
                                 .inertia = { mass * radius * radius / 2, moment, moment },
                                 .position = centre,
                                 .angle = angle });
}

static void put_rods(gen *g, const gen_options *o)
{
    gen_vec end = { 0 };
    for (int k = 0; k < o->bodies; k++) {
        double angle = o->seed < 0 ? 0 : 0.05 * gen_uniform(g), dx = cos(angle) * o->link, dz = sin(angle) * o->link;
        put_rod(g, k + 1, o->link, (gen_vec){ .x = end.x + dx / 2, .z = end.z + dz / 2 }, angle);
        end = (gen_vec){ .x = end.x + dx, .z = end.z + dz };
    }
}

static void put_hinges(gen *g, const gen_options *o)
{
    char before[24] = "world", name[24];
    for (int k = 0; k < o->bodies; k++) {
        snprintf(name, sizeof name, "rod%d", k + 1);
        gen_put_hinge(g, k + 1, (const char *const[]){ before, name }, (double[]){ k > 0 ? o->link / 2 : 0, -o->link / 2 });
        snprintf(before, sizeof before, "%s", name);
    }
}

static bool write_chain(gen *g, const gen_options *o)
{
    char title[64];
    snprintf(title, sizeof title, "chain of %d rods", o->bodies);
    if (!gen_begin(g, title, 10, NAN, NULL)) {
        return false;
    }
    put_rods(g, o);
    gen_section(g, "joints");
    put_hinges(g, o);
    return gen_end(g);
}

const gen_kind gen_chain = {
    .name = "chain",
    .doc = "rods joined end to end, released from the horizontal",
    .takes = (const gen_default[]){ { "bodies", 100 }, { "seed", NAN }, { "dimension", 2 }, { "link", 0.1 }, { NULL, 0 } },
    .step = "1/960",
    .tol = 1e-10,
    .write = write_chain,
};
