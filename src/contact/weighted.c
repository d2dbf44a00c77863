/* weighted.c - rows, velocities and rates of normals of contacts whose points are carried by several bodies: nodes of facets and
 * edges (facet.c, crossing.c).
 *
 *     u = sum of w_j v_j,    H' r gives w_j r to spot j
 *
 * so that nothing is given that is not taken where the weights add up to 0. Cost: constant; nothing is allocated. */
#include "contact/weighted.h"
#include "model/attachment.h"

static const ss_vec3 none = { 0, 0, 0 };

ss_status ss_weighted_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                           const ss_contact_value *value, const ss_weighted *w, bool friction, ss_csr *H, double drive[3],
                           int *rows)
{
    *rows = friction && fmax(contact->mu[0], contact->mu[1]) > 0 ? m->dimension : 1;
    for (int k = 0; k < *rows; k++) {
        const ss_vec3 direction = ss_contact_direction(value, k).lin[0];
        drive[k] = 0;
        for (int j = 0; j < w->n; j++) {
            SS_TRY(ss_spot_push(ctx, m, c, &w->spot[j], ss_scale(w->weight[j], direction), none, H, &drive[k]));
        }
        SS_TRY(ss_csr_end_row(ctx, H));
    }
    return SS_OK;
}

double ss_weighted_velocity(const ss_model *m, const ss_config *c, const ss_contact_value *value, const ss_weighted *w, int k,
                            const double *v)
{
    const ss_vec3 direction = ss_contact_direction(value, k).lin[0];
    double sum = 0, drive = 0;
    for (int j = 0; j < w->n; j++) {
        ss_spot_times(m, c, &w->spot[j], ss_scale(w->weight[j], direction), none, v, &sum, &drive);
    }
    return sum + drive;
}

double ss_weighted_drive_rate(const ss_config *c, const ss_weighted *w, ss_vec3 direction)
{
    double sum = 0;
    for (int j = 0; j < w->n; j++) {
        const ss_vec3 *rate = &c->drive_rate[2 * w->spot[j].body], lin = ss_scale(w->weight[j], direction);
        sum += ss_dot(lin, rate[0]) + ss_dot(ss_cross(w->spot[j].arm, lin), rate[1]);
    }
    return sum;
}

ss_unit_rates ss_unit_rates_of(ss_vec3 m, ss_vec3 m1, ss_vec3 m2)
{
    ss_unit_rates r = { .u = ss_unit(m) };
    const double size = ss_norm(m), a = ss_dot(r.u, m1);
    r.u1 = ss_scale(1 / size, ss_axpy(-a, r.u, m1));
    const double b = ss_dot(r.u1, m1) + ss_dot(r.u, m2);
    r.u2 = ss_scale(1 / size, ss_axpy(-b, r.u, ss_axpy(-2 * a, r.u1, m2)));
    return r;
}
