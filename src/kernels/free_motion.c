/* free_motion.c - M^-1 F h, without joints and contacts.
 *
 * Cost   forces once; a factorisation of those blocks of M that have changed */
#include "kernels/free_motion.h"
#include "base/parallel.h"

void ss_forces_add(int nv, double c, const double *by_class, double *sum)
{
    for (int k = 0; k < SS_FORCE_CLASSES; k++) {
        const double *force = by_class + (size_t)k * (size_t)nv;
        for (int i = 0; i < nv; i++) {
            sum[i] += c * force[i];
        }
    }
}

ss_status ss_free_motion_create(ss_context *ctx, const ss_model *m, ss_free_motion **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    ss_free_motion *x = *out;
    const size_t nv = (size_t)m->nv;
    x->ctx = ctx;
    x->model = m;
    x->mass = m->mass;
    ss_status status =
        ss_calloc(ctx, m->massless.m > 0 ? ss_model_mass_size(m) : ss_model_mass_room(m), sizeof(double), &x->room);
    status = status != SS_OK ? status : ss_matrix_factor_create(ctx, &x->factor);
    status = status != SS_OK ? status : ss_calloc(ctx, nv, sizeof(double), &x->impulse);
    status = status != SS_OK ? status : ss_calloc(ctx, nv, sizeof(double), &x->change);
    if (status != SS_OK) {
        ss_free_motion_destroy(x);
        *out = NULL;
    }
    return status;
}

void ss_free_motion_destroy(ss_free_motion *x)
{
    if (x) {
        ss_matrix_factor_destroy(x->factor);
        ss_free(x->ctx, x->room);
        ss_free(x->ctx, x->own);
        ss_free(x->ctx, x->impulse);
        ss_free(x->ctx, x->change);
        ss_free(x->ctx, x);
    }
}

ss_status ss_free_motion_divide(const ss_free_motion *x, double *y) { return ss_matrix_factor_solve(x->factor, y); }

/* what has no mass and is held by nothing goes anywhere: it gets one */
static ss_status find_mass(ss_free_motion *x, const ss_config *c)
{
    const ss_model *m = x->model;
    ss_blockdiag *M = &x->mass.diagonal;
    if (m->massless.m == 0) {
        return ss_model_mass_at(x->ctx, m, c->t, c->q, x->room, M);
    }
    M->x = x->room;
    SS_TRY(ss_model_mass(x->ctx, m, c->t, c->q, M->x));
    ss_model_mass_scale(m, M->x);
    return SS_OK;
}

typedef struct sum_job {
    ss_free_motion *x;
    double h;
} sum_job;

/* impulses of all classes */
static void sum_range(void *data, int begin, int end)
{
    const sum_job *job = data;
    ss_free_motion *x = job->x;
    const size_t nv = (size_t)x->model->nv;
    for (int i = begin; i < end; i++) {
        double sum = 0;
        for (size_t kind = 0; kind < SS_FORCE_CLASSES; kind++) {
            sum += job->h * x->by_class[kind * nv + (size_t)i];
        }
        x->impulse[i] = x->change[i] = sum;
    }
}

static ss_status find(ss_free_motion *x, const ss_config *c, const double *v, double h)
{
    enum { GRAIN = 2048 };
    const ss_model *m = x->model;
    SS_TRY(find_mass(x, c));
    SS_TRY(ss_matrix_factor_update(x->factor, &x->mass));
    SS_TRY(ss_model_forces(x->ctx, m, c, v, x->by_class));
    ss_parallel_for(x->ctx, m->nv, GRAIN, sum_range, &(sum_job){ x, h });
    return ss_free_motion_divide(x, x->change);
}

ss_status ss_free_motion_find(ss_free_motion *x, const ss_config *c, const double *v, double h)
{
    SS_TRY(x->own ? SS_OK : ss_calloc(x->ctx, (size_t)x->model->nv * SS_FORCE_CLASSES, sizeof(double), &x->own));
    x->by_class = x->own;
    return find(x, c, v, h);
}

ss_status ss_free_motion_find_in(ss_free_motion *x, ss_arena *arena, const ss_config *c, const double *v, double h)
{
    SS_TRY(ss_arena_take_raw(arena, (size_t)x->model->nv * SS_FORCE_CLASSES, sizeof(double), &x->by_class));
    return find(x, c, v, h);
}
