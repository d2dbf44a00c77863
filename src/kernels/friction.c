/* friction.c - which laws of friction a model allows. */
#include "kernels/friction.h"

static bool has_grain(const ss_model *m)
{
    bool grain = false;
    for (int i = 0; i < m->materials * m->materials; i++) {
        grain = grain || m->pair[i].mu[0] != m->pair[i].mu[1];
    }
    return grain;
}

/* In 2D the polygon, two directions, is exact. */
static bool is_circular(const ss_stepper *s, ss_cone_options o, unsigned law)
{
    const bool chosen = s->model->dimension == 3 && !has_grain(s->model) && ss_solver_knows(s->solver, law);
    return o.kind == SS_CONE_CIRCULAR || (o.kind == SS_CONE_AUTO && chosen);
}

ss_friction ss_cone_coulomb(const ss_stepper *s, ss_cone_options o)
{
    return (ss_friction){ is_circular(s, o, SS_LAW_COULOMB) ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL, o.directions };
}

ss_friction ss_cone_associated(const ss_stepper *s, ss_cone_options o)
{
    return (ss_friction){ is_circular(s, o, SS_LAW_ASSOCIATED) ? SS_LAW_ASSOCIATED : SS_LAW_ASSOCIATED_POLYHEDRAL, o.directions };
}

ss_status ss_friction_check(const ss_stepper *s, ss_friction friction)
{
    const ss_model *m = s->model;
    for (int i = 0; i < m->materials * m->materials && !ss_friction_is_polygonal(friction); i++) {
        if (m->pair[i].mu[0] != m->pair[i].mu[1]) {
            return ss_fail(s->ctx, SS_ERR_UNSUPPORTED,
                           "scheme.cone: friction with a grain (mu %g along, %g across) needs the polyhedral cone",
                           m->pair[i].mu[0], m->pair[i].mu[1]);
        }
    }
    return friction.directions % 2 == 0
               ? SS_OK
               : ss_fail(s->ctx, SS_ERR_INPUT, "scheme.directions: expected an even number, got %d", friction.directions);
}
