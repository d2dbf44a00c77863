/* generate_four_bar.c - N four-bar loops in a row [IFToMM benchmark A02]: N + 1 cranks stand on the ground 1 m apart, and N
 * couplers join their ends. All are uniform rods of 1 m and 1 kg without shapes. The cranks start upright and turn clockwise at
 * 1 rad/s, so the end of the first one has 1 m/s.
 *
 * The mechanism has one freedom, except where all rods lie in one line: there it has N + 1, and its joint rows depend on each
 * other. In 3D the joints are redundant everywhere, by 3 N rows.
 *
 * Reference   M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, Multibody Syst. Dyn. 16 (2006) 179-190 */
#include "generate.h"

#include <math.h>

static const double RATE = 1; /* of the cranks, clockwise, rad/s */

static void put_rod(gen *g, const gen_body *at)
{
    const double moment = 1.0 / 12, radius = 1.0 / 20;
    gen_body rod = *at;
    rod.type = "rigid";
    rod.mass = 1;
    rod.inertia[0] = radius * radius / 2;
    rod.inertia[1] = rod.inertia[2] = moment;
    gen_put_body(g, &rod);
}

static void put_rods(gen *g, int loops)
{
    for (int k = 0; k <= loops; k++) {
        put_rod(g, &(gen_body){ .name = "crank",
                                .number = k + 1,
                                .position = { .x = k, .z = 0.5 },
                                .angle = acos(-1) / 2,
                                .velocity = { .x = RATE / 2 },
                                .rate = -RATE });
    }
    for (int k = 0; k < loops; k++) {
        put_rod(g, &(gen_body){
                       .name = "coupler", .number = k + 1, .position = { .x = k + 0.5, .z = 1 }, .velocity = { .x = RATE } });
    }
}

/* Every crank but the last carries the left end of its own coupler, every crank but the first the right end of the one before. */
static void put_hinges(gen *g, int loops)
{
    char crank[24], coupler[24];
    int hinge = 0;
    for (int k = 0; k <= loops; k++) {
        snprintf(crank, sizeof crank, "crank%d", k + 1);
        gen_put_hinge(g, ++hinge, (const char *const[]){ "world", crank }, (double[]){ k, -0.5 });
        for (int side = 0; side < 2; side++) {
            const int number = k + side;
            snprintf(coupler, sizeof coupler, "coupler%d", number);
            if (number >= 1 && number <= loops) {
                gen_put_hinge(g, ++hinge, (const char *const[]){ crank, coupler }, (double[]){ 0.5, side ? -0.5 : 0.5 });
            }
        }
    }
}

static bool write_four_bar(gen *g, const gen_options *o)
{
    char title[64];
    snprintf(title, sizeof title, "four-bar mechanism of %d loops", o->loops);
    if (!gen_begin(g, title, 20, NAN, NULL)) {
        return false;
    }
    put_rods(g, o->loops);
    gen_section(g, "joints");
    put_hinges(g, o->loops);
    return gen_end(g);
}

const gen_kind gen_four_bar = {
    .name = "four_bar",
    .doc = "four-bar loops in a row that pass through positions in which all rods lie in one line",
    .takes = (const gen_default[]){ { "loops", 40 }, { "dimension", 2 }, { NULL, 0 } },
    .step = "1/500",
    .scheme = "galpha_ggl",
    .tol = 1e-10,
    .write = write_four_bar,
};
