/* friction.c - which laws of friction a model allows, and the polygons of friction.
 *
 * A friction polygon of a contact with coefficients mu_1 (along t1) and mu_2 (along t2) has the vertices
 * mu (a_1 cos phi, a_2 sin phi), mu = max(mu_1, mu_2), a_i = mu_i/mu, phi = 2 pi k / n: the columns of D
 * in [AP97 eq. 2.5]; an ellipse where the coefficients differ [AP97 section 2.1]. In 2D D = (1, -1). */
#include "kernels/friction.h"

#define PI 3.14159265358979323846

void ss_friction_polygon(int dimension, const double mu[2], int directions, double *d)
{
    const double largest = fmax(mu[0], mu[1]);
    for (int j = 0; j < directions; j++) {
        const double phi = 2 * PI * j / directions;
        const bool opposite = j >= directions / 2; /* exactly minus the first half: d and -d are both there */
        d[2 * j] = opposite ? -d[2 * (j - directions / 2)] : mu[0] / largest * cos(phi);
        d[2 * j + 1] = opposite ? -d[2 * (j - directions / 2) + 1] : dimension == 2 ? 0 : mu[1] / largest * sin(phi);
    }
}

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
