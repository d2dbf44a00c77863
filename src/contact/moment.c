/* moment.c - rolling and spinning friction of a contact of two shapes, a and b, with normal n and tangents t1, t2.
 *
 *     w = w_a - w_b                                       relative angular velocity
 *     rolling   u = (t1 . w, t2 . w),  in 2D u = w_z      |m| <= rolling_friction  r_N
 *     spinning  u = n . w              (3D)               |m| <= spinning_friction r_N
 *
 * The moment m acts on a, its opposite on b, against u, and so that it dissipates the most: it holds u = 0 as long as it is
 * within its bound, and is as large as that and opposite to u otherwise. Both coefficients are lengths; r_N is the normal
 * impulse of the contact, its host. A particle does not turn and has no moments.
 * Cost      constant */
#include "contact/moment.h"
#include "math/array.h"
#include "model/attachment.h"

static bool turns(const ss_model *m, int body) { return ss_model_is_dynamic(m, body) && m->body_type[body] == SS_BODY_RIGID; }

bool ss_contact_moment(const ss_model *m, const ss_contact *host, ss_contact_kind kind, ss_contact *out)
{
    const bool spins = kind == SS_CONTACT_SPINNING;
    const double arm = spins && m->dimension == 2 ? 0 : ss_contact_arm(host, spins);
    if (host->id.kind != SS_CONTACT_SHAPES || !(arm > 0) || !(turns(m, host->at[0].body) || turns(m, host->at[1].body))) {
        return false;
    }
    *out = *host;
    out->id.kind = (int32_t)kind;
    out->mu[0] = out->mu[1] = arm;
    out->e = 0;
    return true;
}

int ss_moment_rows_of(const ss_model *m, const ss_contact *moment)
{
    return moment->id.kind == SS_CONTACT_ROLLING ? m->dimension - 1 : 1;
}

ss_vec3 ss_moment_axis(const ss_model *m, const ss_contact *moment, const ss_contact_value *value, int k)
{
    if (m->dimension == 2) {
        return ss_v3(0, 0, 1);
    }
    return moment->id.kind == SS_CONTACT_ROLLING ? value->tangent[k] : value->normal;
}

static ss_twist_row row_along(ss_vec3 axis) { return (ss_twist_row){ .ang = { axis, ss_scale(-1, axis) } }; }

double ss_moment_speed(const ss_model *m, const ss_config *c, const ss_contact *moment, const ss_contact_value *value,
                       const double *v)
{
    double u[2];
    ss_spot s[2];
    const int rows = ss_moment_rows_of(m, moment);
    ss_contact_spots(c, moment, value->point, s);
    for (int k = 0; k < rows; k++) {
        const ss_twist_row row = row_along(ss_moment_axis(m, moment, value, k));
        double sum = 0, drive = 0;
        for (int i = 0; i < 2; i++) {
            ss_spot_times(m, c, &s[i], row.lin[i], row.ang[i], v, &sum, &drive);
        }
        u[k] = sum + drive;
    }
    return ss_array_length(rows, u);
}

ss_status ss_moment_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *moment,
                         const ss_contact_value *value, ss_csr *H, double drive[3], int *rows)
{
    ss_spot s[2];
    ss_contact_spots(c, moment, value->point, s);
    *rows = ss_moment_rows_of(m, moment);
    for (int k = 0; k < *rows; k++) {
        const ss_twist_row row = row_along(ss_moment_axis(m, moment, value, k));
        SS_TRY(ss_contact_push_row(ctx, m, c, s, &row, H, &drive[k]));
    }
    return SS_OK;
}
