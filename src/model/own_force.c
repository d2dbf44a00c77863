/* own_force.c - forces from outside the library: a type is a name, keys, and the functions that a force of type "callback" has
 * (force_functions.c). Whether these fit each other is looked at near the start, with velocities of a length in a time:
 *
 *   jacobian     beside the differences that stand in for it where there is none
 *   potential    w = -dV/dx, central differences */
#include "model/attachment.h"
#include "model/force_functions.h"
#include "model/own.h"
#include "model/points.h"
#include <float.h>
#include <math.h>

extern const ss_force_type ss_force_callback;

enum { X = SS_POINT_COORDINATES };

typedef struct own_force {
    ss_force_type type;
    ss_field fields[SS_OWN_FIELDS];
} own_force;

ss_status ss_context_add_force(ss_context *ctx, const ss_own_force *own)
{
    own_force *x = NULL;
    const char *name = own->info.name ? own->info.name : "";
    if (!own->functions.wrench) {
        return ss_fail(ctx, SS_ERR_INPUT, "force %.80s: it needs a function `wrench`", name);
    }
    if (!(own->info.dimensions & (4 | 8))) {
        return ss_fail(ctx, SS_ERR_INPUT, "force %.80s: info.dimensions says neither 2D (4) nor 3D (8)", name);
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof *x, &x));
    x->type = ss_force_callback;
    x->type.info = own->info;
    x->type.info.fields = x->fields;
    x->type.outside = own;
    const ss_status status =
        ss_own_fields(ctx, "force", &own->info, ss_force_callback.info.fields, offsetof(ss_force_desc, number), x->fields);
    if (status != SS_OK) {
        ss_free(ctx, x);
        return status;
    }
    return ss_own_add(ctx, SS_FORCES, &x->type.info);
}

/* ---- do its functions fit each other? ---------------------------------------------------------------------------------- */

typedef struct trial {
    ss_compiler *x;
    ss_force *force;
    const char *path;
    ss_spot s[2];
} trial;

/* what wrench i is measured in, as a force */
static double lever(const trial *t, int i) { return ss_points_is_turn(i) ? 1 / t->x->m->length : 1; }

static double unit(const trial *t, int j, bool velocity)
{
    return (ss_points_is_turn(j) ? 1 : t->x->m->length) / (velocity ? t->x->m->time : 1);
}

static ss_status misfit(const trial *t, const char *function, double off, double size)
{
    return ss_fail(t->x->ctx, SS_ERR_INPUT, "%s: `%s` of force type %.80s does not fit: differences are %g N off, of %g N",
                   t->path, function, t->force->type->info.name, off, size);
}

static ss_status compare(const trial *t, bool velocity, double size, const double *given, const double *found)
{
    double off = 0;
    for (int i = 0; i < X * X; i++) {
        const double scale = lever(t, i / X) * unit(t, i % X, velocity);
        if (ss_points_have(t->x->m->dimension, i / X) && ss_points_have(t->x->m->dimension, i % X)) {
            size = fmax(size, scale * fmax(fabs(given[i]), fabs(found[i])));
            off = fmax(off, scale * fabs(given[i] - found[i]));
        }
    }
    return off <= SS_OWN_MISFIT * size ? SS_OK : misfit(t, "jacobian", off, size);
}

static ss_status verify_jacobian(const trial *t, double size)
{
    const ss_force_functions *functions = t->force->functions;
    ss_force_functions plain = *functions;
    double given[2][X * X], found[2][X * X];
    plain.jacobian = NULL;
    SS_TRY(ss_functions_jacobian(t->x->ctx, t->x->m, t->force, 0, t->s, given[0], given[1]));
    t->force->functions = &plain;
    const ss_status status = ss_functions_jacobian(t->x->ctx, t->x->m, t->force, 0, t->s, found[0], found[1]);
    t->force->functions = functions;
    SS_TRY(status);
    SS_TRY(compare(t, false, size, given[0], found[0]));
    return compare(t, true, size, given[1], found[1]);
}

static ss_status verify_potential(const trial *t, double size, const double w[X])
{
    double off = 0;
    for (int j = 0; j < X; j++) {
        const double d = cbrt(DBL_EPSILON) * unit(t, j, false);
        double energy[2], by[X] = { 0 };
        for (int side = 0; side < 2 && ss_points_have(t->x->m->dimension, j); side++) {
            ss_spot moved[2];
            by[j] = side ? d : -d;
            ss_points_move(t->s, by, NULL, moved);
            SS_TRY(ss_functions_potential(t->x->ctx, t->x->m, t->force, 0, moved, &energy[side]));
        }
        if (ss_points_have(t->x->m->dimension, j)) {
            const double slope = (energy[1] - energy[0]) / (2 * d);
            size = fmax(size, lever(t, j) * fabs(slope));
            off = fmax(off, lever(t, j) * fabs(w[j] + slope));
        }
    }
    return off <= SS_OWN_MISFIT * size ? SS_OK : misfit(t, "potential", off, size);
}

/* where no symmetry of the start hides anything */
static void go_somewhere(trial *t)
{
    const ss_model *m = t->x->m;
    double away[X], rate[X];
    ss_spot start[2];
    for (int k = 0; k < 2; k++) {
        const int b = t->force->at[k].body;
        start[k] = ss_spot_in_frame(b < m->bodies ? m->body_frame0[b] : ss_frame_identity(), t->force->at[k].point, NULL);
    }
    ss_points_somewhere(m->dimension, m->length, 0.01, away);
    ss_points_somewhere(m->dimension, m->length, 1 / m->time, rate);
    ss_points_move(start, away, rate, t->s);
}

ss_status ss_own_force_verify(ss_compiler *x, int i, const char *path)
{
    trial t = { .x = x, .force = &x->m->force[i], .path = path };
    const ss_force_functions *functions = t.force->functions;
    ss_wrench w[2] = { { { 0, 0, 0 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 0, 0, 0 } } };
    double flat[X], size = 0;
    go_somewhere(&t);
    SS_TRY(ss_functions_wrench(x->ctx, x->m, t.force, 0, t.s, w));
    for (int j = 0; j < X; j++) {
        const ss_vec3 part = ss_points_is_turn(j) ? w[j / 6].torque : w[j / 6].force;
        flat[j] = j % 3 == 0 ? part.x : j % 3 == 1 ? part.y : part.z;
        size = fmax(size, lever(&t, j) * fabs(flat[j]));
    }
    SS_TRY(functions->jacobian ? verify_jacobian(&t, size) : SS_OK);
    return functions->potential ? verify_potential(&t, size, flat) : SS_OK;
}
