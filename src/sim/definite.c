/* definite.c - springs of negative stiffness that push harder than a step resolves.
 *
 * Such a spring drives its ends apart like exp(t sqrt(-k/m)). A step over h that takes it implicitly has the matrix
 * M - h/2 k_v - h^2/4 k_q; where that is no longer positive definite, h is longer than twice the time in which the motion grows
 * by e, and no scheme's step of that length means anything, whatever its residual. The driver tests the matrix where each step
 * ends and remarks on it.
 *
 * Cost   one factorisation per step, for models with such springs only */
#include "kernels/tangent.h"
#include "sim/sim.h"

struct ss_definite {
    ss_tangent *tangent;
    ss_assembly *a; /* its mass, and the matrix */
};

static bool has_negative(const ss_model *m)
{
    bool any = false;
    for (int i = 0; i < m->forces; i++) {
        any = any || m->force[i].stiffness < 0;
    }
    return any;
}

ss_status ss_definite_create(ss_context *ctx, const ss_model *m, ss_definite **out)
{
    *out = NULL;
    if (!has_negative(m)) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    SS_TRY(ss_tangent_create(ctx, m, &(*out)->tangent));
    return ss_assembly_create(ctx, m, &(*out)->a);
}

void ss_definite_destroy(ss_context *ctx, ss_definite *x)
{
    if (x) {
        ss_tangent_destroy(x->tangent);
        ss_assembly_destroy(ctx, x->a);
        ss_free(ctx, x);
    }
}

ss_status ss_definite_test(ss_sim *sim, ss_config *c, const double *v, double h)
{
    ss_definite *x = sim->definite;
    bool positive;
    if (!x || !(h > 0)) {
        return SS_OK;
    }
    ss_config_drive(sim->model, c->t, c->t, c);
    SS_TRY(ss_assembly_mass(x->a, c->t, c->q));
    SS_TRY(ss_tangent_take(x->tangent, c, v));
    SS_TRY(ss_tangent_put(x->tangent, sim->arena, 0.5 * h, 0.25 * h * h, x->a));
    SS_TRY(ss_tangent_is_positive(x->tangent, sim->arena, x->a, &positive));
    if (!positive) {
        ss_account_remark(sim->pending, SS_REMARK_INDEFINITE, "");
    }
    return SS_OK;
}
