/* friction.c - which laws of friction a model allows. */
#include "kernels/friction.h"

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
