/* generate_scene.c - the scene as strict JSON, one part per line, written as it is made: no tree in memory.
 *
 * A number has as many digits as it takes to read the same number back, or `digits` of them where no digit matters
 * (grains that lie loosely). */
#include "generate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers ------------------------------------------------------------------------------ */

double gen_uniform(gen *g)
{
    uint64_t z = (g->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return 2 * ((double)(z >> 11) * 0x1p-53) - 1;
}

/* Box and Muller */
double gen_normal(gen *g)
{
    double a = (1 - gen_uniform(g)) / 2, b = gen_uniform(g);
    return sqrt(-2 * log(a)) * cos(acos(-1) * b);
}

/* ---- values -------------------------------------------------------------------------------------- */

static void put_number(gen *g, double x)
{
    char text[40];
    int digits = g->digits ? g->digits : 15;
    do {
        snprintf(text, sizeof text, "%.*g", digits, x + 0.0); /* no -0 */
    } while (!g->digits && digits++ < 17 && strtod(text, NULL) != x);
    fputs(text, g->file);
}

static void put_key(gen *g, const char *key) { fprintf(g->file, ", \"%s\": ", key); }

static void put_field(gen *g, const char *key, double x)
{
    put_key(g, key);
    put_number(g, x);
}

static void put_positive(gen *g, const char *key, double x)
{
    if (x > 0) {
        put_field(g, key, x);
    }
}

static void put_text(gen *g, const char *key, const char *text)
{
    put_key(g, key);
    fprintf(g->file, "\"%s\"", text);
}

/* n numbers */
static void put_numbers(gen *g, const double *x, int n)
{
    for (int k = 0; k < n; k++) {
        fputs(k > 0 ? ", " : "[", g->file);
        put_number(g, x[k]);
    }
    fputs("]", g->file);
}

static void put_vec(gen *g, gen_vec v)
{
    double flat[] = { v.x, v.z }, solid[] = { v.x, v.y, v.z };
    put_numbers(g, g->dimension == 2 ? flat : solid, g->dimension);
}

static bool is_zero(gen_vec v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static void put_vec_field(gen *g, const char *key, gen_vec v)
{
    if (!is_zero(v)) {
        put_key(g, key);
        put_vec(g, v);
    }
}

/* turned from x towards up: in 3D about -y */
static void put_turn(gen *g, double angle, const double *orientation)
{
    double q[] = { cos(angle / 2), 0, -sin(angle / 2), 0 };
    if (g->dimension == 2 && angle != 0) {
        put_field(g, "angle", angle);
    } else if (g->dimension == 3 && (orientation || angle != 0)) {
        put_key(g, "orientation");
        put_numbers(g, orientation ? orientation : q, 4);
    }
}

/* ---- shapes and bodies --------------------------------------------------------------------------- */

static void put_points(gen *g, const gen_shape *s)
{
    put_key(g, "points");
    for (int k = 0; k < s->points; k++) {
        fputs(k > 0 ? ", " : "[", g->file);
        put_vec(g, s->point[k]);
    }
    fputs("]", g->file);
}

static void put_shape(gen *g, const gen_shape *s)
{
    fprintf(g->file, "{\"type\": \"%s\"", s->type);
    put_positive(g, "radius", s->radius);
    put_positive(g, "length", s->length);
    put_vec_field(g, "size", s->size);
    put_vec_field(g, "normal", s->normal);
    if (s->offset != 0) {
        put_field(g, "offset", s->offset);
    }
    if (s->points > 0) {
        put_points(g, s);
    }
    put_vec_field(g, "position", s->position);
    put_turn(g, s->angle, NULL);
    put_text(g, "material", s->material ? s->material : g->kind->name);
    fputs("}", g->file);
}

static void put_mass(gen *g, const gen_body *b)
{
    if (b->density > 0) {
        put_field(g, "density", b->density);
    } else if (b->mass > 0) {
        put_field(g, "mass", b->mass);
        put_key(g, "inertia");
        if (g->dimension == 2) {
            put_number(g, b->inertia[1]);
        } else {
            put_numbers(g, b->inertia, 3);
        }
    }
}

static void put_velocity(gen *g, const gen_body *b)
{
    put_vec_field(g, "velocity", b->velocity);
    if (b->rate != 0) {
        put_key(g, "angular_velocity");
        g->dimension == 2 ? put_number(g, b->rate) : put_vec(g, (gen_vec){ .y = -b->rate });
    }
}

/* expressions in t instead of numbers */
static void put_motion(gen *g, const gen_body *b)
{
    put_key(g, "position");
    fprintf(g->file, "[\"%s\", ", b->motion[0]);
    if (g->dimension == 3) {
        fprintf(g->file, "\"%s\", ", b->motion[1]);
    }
    fprintf(g->file, "\"%s\"]", b->motion[2]);
    if (b->motion_angle) {
        put_text(g, "angle", b->motion_angle);
        fputs(g->dimension == 3 ? ", \"axis\": [0, -1, 0]" : "", g->file);
    }
}

static void next_item(gen *g)
{
    fputs(g->first ? "\n    " : ",\n    ", g->file);
    g->first = false;
}

void gen_put_body(gen *g, const gen_body *b)
{
    next_item(g);
    g->bodies++;
    fprintf(g->file, "{\"name\": \"%s", b->name);
    if (b->number > 0) {
        fprintf(g->file, "%d", b->number);
    }
    fprintf(g->file, "\", \"type\": \"%s\"", b->type);
    put_mass(g, b);
    if (b->motion[0]) {
        put_motion(g, b);
    } else {
        put_key(g, "position");
        put_vec(g, b->position);
        put_turn(g, b->angle, b->orientation);
        put_velocity(g, b);
    }
    for (int k = 0; k < b->shapes; k++) {
        fputs(k > 0 ? ", " : ", \"shapes\": [", g->file);
        put_shape(g, &b->shape[k]);
    }
    fputs(b->shapes > 0 ? "]}" : "}", g->file);
}

void gen_put_floor(gen *g)
{
    gen_shape plane = { .type = "half_space", .normal = { 0, 0, 1 } };
    gen_put_body(g, &(gen_body){ .name = "floor", .type = "fixed", .shapes = 1, .shape = &plane });
}

/* ---- joints and forces --------------------------------------------------------------------------- */

void gen_put_hinge(gen *g, int number, const char *const bodies[2], const double anchors[2])
{
    next_item(g);
    fprintf(g->file, "{\"name\": \"hinge%d\", \"type\": \"revolute\", \"bodies\": [\"%s\", \"%s\"], \"anchors\": [", number,
            bodies[0], bodies[1]);
    put_vec(g, (gen_vec){ .x = anchors[0] });
    fputs(", ", g->file);
    put_vec(g, (gen_vec){ .x = anchors[1] });
    fputs(g->dimension == 3 ? "], \"axis\": [0, 1, 0]}" : "]}", g->file);
}

void gen_put_spring(gen *g, const gen_spring *s)
{
    next_item(g);
    fprintf(g->file, "{\"name\": \"%s%d\", \"type\": \"%s\", \"bodies\": [\"%s\", \"%s\"], \"anchors\": [", s->type, s->number,
            s->type, s->bodies[0], s->bodies[1]);
    put_vec(g, s->anchors[0]);
    fputs(", ", g->file);
    put_vec(g, s->anchors[1]);
    fputs("]", g->file);
    put_positive(g, "stiffness", s->stiffness);
    put_positive(g, "damping", s->damping);
    put_positive(g, "length", s->length);
    fputs("}", g->file);
}

/* ---- the file ------------------------------------------------------------------------------------ */

void gen_section(gen *g, const char *key)
{
    fprintf(g->file, "\n  ],\n  \"%s\": [", key);
    g->first = true;
}

/* `circular` in 3D: the circular cone, which suits Gauss-Seidel; grains: all collisions of a step in one problem, not located */
static void put_scheme(gen *g)
{
    const gen_kind *kind = g->kind;
    const char *cone = kind->circular && g->dimension == 3 ? ", \"cone\": \"circular\"" : "";
    const char *locate = kind->granular && !kind->scheme ? ", \"locate\": false" : "";
    fprintf(g->file, "  \"scheme\": {\"name\": \"%s\"%s%s},\n", kind->scheme ? kind->scheme : "anitescu_potra", cone, locate);
}

static void put_head(gen *g, const char *title, double until)
{
    fprintf(g->file, "{\n  \"slipstick\": 1,\n  \"name\": \"%s\",\n  \"description\": \"%s\",\n", title, g->kind->doc);
    fprintf(g->file, "  \"dimension\": %d,\n", g->dimension);
    fprintf(g->file, "  \"gravity\": [%s-9.81],\n", g->dimension == 2 ? "0, " : "0, 0, ");
    fprintf(g->file, "  \"time\": {\"until\": %.4g, \"step\": \"%s\"},\n", until, g->kind->step);
    put_scheme(g);
    fprintf(g->file, "  \"solver\": {\"name\": \"auto\", \"tol\": %g},\n", g->kind->tol);
}

bool gen_begin(gen *g, const char *title, double until, double mu, const char *slippery)
{
    g->file = g->path ? fopen(g->path, "w") : stdout;
    if (!g->file) {
        cli_say("%s: cannot be written: %s", g->path, strerror(errno));
        g->failure = CLI_USAGE;
        return false;
    }
    put_head(g, title, until);
    if (!isnan(mu)) {
        fprintf(g->file, "  \"materials\": [{\"name\": \"%s\", \"mu\": %.15g, \"e\": 0}", g->kind->name, mu);
        if (slippery) {
            fprintf(g->file, ", {\"name\": \"%s\", \"mu\": 0, \"e\": 0}", slippery);
        }
        fputs("],\n", g->file);
    }
    fputs("  \"bodies\": [", g->file);
    g->first = true;
    return true;
}

bool gen_end(gen *g)
{
    fputs("\n  ]\n}\n", g->file);
    bool bad = ferror(g->file) != 0;
    bad = (g->path && fclose(g->file) != 0) || bad;
    if (bad) {
        cli_say("%s: cannot be written: %s", g->path ? g->path : "standard output", strerror(errno));
        g->failure = CLI_FAILED;
    } else if (g->path) {
        printf("%s: a scene of %d bodies; slipstick run %s\n", g->path, g->bodies, g->path);
    }
    return !bad;
}
