/* generate_arch.c - a semicircular arch of N equal voussoirs with dry joints, on a floor.
 *
 * Between the radii a = 1 - t/2 and b = 1 + t/2 and the angles k beta and (k+1) beta, beta = pi/N. The voussoir is a
 * sector of the ring, so that its mass and centre do not depend on how round edges are modelled; its shape is the quadrangle
 * (3D: the prism of the given depth) of its four corners, which has the faces of the joints; nothing else can touch. Per depth:
 *
 *     A    = beta (b^2 - a^2)/2                                 area
 *     c    = (2/3) (b^3 - a^3)/(b^2 - a^2) sin(beta/2)/(beta/2) distance of the centre of mass from the arch's centre
 *     I_r  = (b^4 - a^4)/8 (beta + sin beta) - A c^2            second moments along the radius and across it, about
 *     I_t  = (b^4 - a^4)/8 (beta - sin beta)                    the centre of mass
 *
 * Body frames: x along the radius of the middle, y along the depth, z across. */
#include "generate.h"

#include <math.h>

typedef struct voussoir {
    double mass, inertia[3], centre; /* distance of the centre of mass */
    gen_vec corner[8];
} voussoir;

static void set_corners(voussoir *s, int dimension, double a, double b, double half, double depth)
{
    const double r[] = { a, b, b, a }, side[] = { -1, -1, 1, 1 };
    for (int k = 0; k < (dimension == 2 ? 4 : 8); k++) {
        double y = dimension == 2 ? 0 : (k < 4 ? -depth / 2 : depth / 2), rho = r[k % 4];
        s->corner[k] = (gen_vec){ rho * cos(half) - s->centre, y, side[k % 4] * rho * sin(half) };
    }
}

static voussoir make_voussoir(const gen_options *o)
{
    double a = 1 - o->thickness / 2, b = 1 + o->thickness / 2, beta = acos(-1) / o->bodies;
    double depth = o->dimension == 2 ? 1 : o->depth, area = beta * (b * b - a * a) / 2, density = o->density * depth;
    double fourth = (pow(b, 4) - pow(a, 4)) / 8;
    voussoir s = { .mass = density * area };
    s.centre = 2.0 / 3 * (pow(b, 3) - pow(a, 3)) / (b * b - a * a) * sin(beta / 2) / (beta / 2);
    double along = density * (fourth * (beta + sin(beta)) - area * s.centre * s.centre);
    double across = density * fourth * (beta - sin(beta)), out = s.mass * depth * depth / 12;
    s.inertia[0] = across + out;
    s.inertia[1] = along + across;
    s.inertia[2] = along + out;
    set_corners(&s, o->dimension, a, b, beta / 2, depth);
    return s;
}

static void put_voussoirs(gen *g, const gen_options *o)
{
    voussoir s = make_voussoir(o);
    gen_shape shape = { .type = g->dimension == 2 ? "polygon" : "hull", .points = g->dimension == 2 ? 4 : 8, .point = s.corner };
    for (int k = 0; k < o->bodies; k++) {
        double angle = (k + 0.5) * acos(-1) / o->bodies;
        gen_put_body(g, &(gen_body){ .name = "voussoir",
                                     .number = k + 1,
                                     .type = "rigid",
                                     .mass = s.mass,
                                     .inertia = { s.inertia[0], s.inertia[1], s.inertia[2] },
                                     .position = { s.centre * cos(angle), 0, s.centre * sin(angle) },
                                     .angle = angle,
                                     .shapes = 1,
                                     .shape = &shape });
    }
}

static bool write_arch(gen *g, const gen_options *o)
{
    char title[80];
    gen_shape plane = { .type = "half_space", .normal = { 0, 0, 1 } };
    if (o->bodies < 3 || o->thickness >= 2) {
        cli_say("an arch needs 3 voussoirs and a thickness below 2, got %d and %g", o->bodies, o->thickness);
        return false;
    }
    snprintf(title, sizeof title, "semicircular arch of %d voussoirs, thickness %.6g", o->bodies, o->thickness);
    if (!gen_begin(g, title, 5, o->mu, NULL)) {
        return false;
    }
    gen_put_body(g, &(gen_body){ .name = "springers", .type = "fixed", .shapes = 1, .shape = &plane });
    put_voussoirs(g, o);
    return gen_end(g);
}

const gen_kind gen_arch = {
    .name = "arch",
    .doc = "a semicircular arch with dry joints",
    .takes = (const gen_default[]){ { "bodies", 9 },
                                    { "dimension", 2 },
                                    { "mu", 2 },
                                    { "density", 2500 },
                                    { "thickness", 0.12 },
                                    { "depth", 0.5 },
                                    { NULL, 0 } },
    .step = "1/240",
    .tol = 1e-8,
    .write = write_arch,
};
