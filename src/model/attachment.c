/* attachment.c - points on rigid bodies, particles, driven and fixed bodies: how they move, and what pulls at them.
 *
 * A body's generalized velocities y are its linear velocity (world) and its rates about the columns of B:
 *
 *     particle   B has no columns        rigid 2D   B = z        rigid 3D   B = R        world, fixed, driven   no y at all
 *
 * A point at the end of an arm, r = arm, moves with
 *
 *     (v, w) = J y,   J = [ 1  -S(r) B ]        v_p = v_o + w x r,   w = B rates
 *                         [ 0      B   ]
 *
 * so a row (lin, ang) becomes J' (lin, ang) = (lin, B' (r x lin + ang)), and a wrench (F, T) likewise. A displacement x of
 * velocity kind moves the point by J x and turns the body by th = B x_ang; with body rates kept
 *
 *     d(J' (F, T)) = (0, B' [(th x r) x F - th x (T + r x F)])            the wrench stays, arm and body turn
 *     d(v_p, w)    = (th x (v_p - v_o), th x w)                           since w turns with the body
 *
 * With w = w(x_p, v_p), K_q and K_v its derivatives:
 *
 *     k_q = J' (K_q J + K_v E) + d(J' w),   E = [ 0  -S(v_p - v_o) B; 0  -S(w) B ],     k_v = J' K_v J
 *
 * Symbols   S(a) b = a x b;  v_o velocity of the body's origin
 * Cost      a row: a dozen multiplications; a derivative: about 2000. Nothing is allocated. */
#include "model/attachment.h"
#include "model/primitives.h"

int ss_attachment_dofs(const ss_model *m, int body)
{
    return ss_model_is_dynamic(m, body) ? m->mass.diagonal.size[m->body_block[body]] : 0;
}

/* ---- spots ---------------------------------------------------------------------------------------- */

static void set_moving(ss_spot *s, const ss_vec3 twist[2])
{
    const ss_vec3 spin = ss_cross(twist[1], s->arm);
    s->v = ss_add(twist[0], spin);
    s->w = twist[1];
    s->a = ss_cross(twist[1], spin);
}

ss_spot ss_spot_in_frame(ss_frame f, ss_vec3 point, const ss_vec3 twist[2])
{
    ss_spot s = { .body = -1, .R = f.R, .arm = ss_rotate(f.R, point) };
    s.x = ss_add(f.p, s.arm);
    if (twist) {
        set_moving(&s, twist);
    }
    return s;
}

ss_spot ss_spot_at(const ss_config *c, const ss_attachment *a)
{
    ss_spot s = ss_spot_in_frame(c->frame[a->body], a->point, NULL);
    s.body = a->body;
    return s;
}

void ss_spots_at(const ss_config *c, const ss_attachment at[2], ss_spot out[2])
{
    out[0] = ss_spot_at(c, &at[0]);
    out[1] = ss_spot_at(c, &at[1]);
}

void ss_spots_moving(const ss_model *m, const ss_config *c, const double *v, const ss_attachment at[2], ss_spot out[2])
{
    ss_spots_at(c, at, out);
    for (int k = 0; k < 2; k++) {
        ss_vec3 twist[2];
        ss_model_twist(m, c, v, at[k].body, twist);
        set_moving(&out[k], twist);
    }
}

ss_spot ss_spot_touching(const ss_config *c, int body, ss_vec3 x)
{
    const ss_frame *f = &c->frame[body];
    return (ss_spot){ .body = body, .x = x, .R = f->R, .arm = ss_sub(x, f->p) };
}

/* ---- rows and forces -------------------------------------------------------------------------------- */

/* (lin, ang) at the point -> the moment about the body's origin */
static ss_vec3 about_origin(const ss_spot *s, ss_vec3 lin, ss_vec3 ang) { return ss_add(ss_cross(s->arm, lin), ang); }

/* J' (lin, ang); what is beyond the body's velocities is not to be read */
static void to_velocities(const ss_model *m, const ss_spot *s, ss_vec3 lin, ss_vec3 ang, double x[SS_SPOT_DOFS])
{
    const ss_vec3 moment = about_origin(s, lin, ang);
    ss_v3_to(lin, x);
    if (m->dimension == 2) {
        x[2] = moment.z;
    } else {
        ss_v3_to(ss_unrotate(s->R, moment), x + 3);
    }
}

int ss_spot_entries(const ss_model *m, const ss_config *c, const ss_spot *s, ss_vec3 lin, ss_vec3 ang, double x[SS_SPOT_DOFS],
                    double *drive)
{
    const int n = ss_attachment_dofs(m, s->body);
    if (n == 0) {
        *drive += ss_dot(lin, c->drive[2 * s->body]) + ss_dot(about_origin(s, lin, ang), c->drive[2 * s->body + 1]);
    } else {
        to_velocities(m, s, lin, ang, x);
    }
    return n;
}

int ss_touching_entries(const ss_model *m, const ss_config *c, int body, ss_vec3 x, int rows, const ss_vec3 *direction,
                        int stride, double *entry, double *drive)
{
    const ss_frame *f = &c->frame[body];
    const ss_vec3 arm = ss_sub(x, f->p);
    const int n = ss_attachment_dofs(m, body);
    for (int k = 0; k < rows; k++, entry += stride) {
        const ss_vec3 lin = direction[k], moment = ss_cross(arm, lin);
        if (n == 0) {
            drive[k] += ss_dot(lin, c->drive[2 * body]) + ss_dot(moment, c->drive[2 * body + 1]);
        } else if (n == 6) {
            ss_v3_to(lin, entry);
            ss_v3_to(ss_unrotate(f->R, moment), entry + 3);
        } else { /* in a plane, or without turns */
            const double own[3] = { lin.x, lin.y, m->dimension == 2 ? moment.z : lin.z };
            memcpy(entry, own, (size_t)n * sizeof *entry);
        }
    }
    return n;
}

void ss_spot_times(const ss_model *m, const ss_config *c, const ss_spot *s, ss_vec3 lin, ss_vec3 ang, const double *v,
                   double *sum, double *drive)
{
    double x[SS_SPOT_DOFS];
    const int n = ss_spot_entries(m, c, s, lin, ang, x, drive);
    for (int k = 0; k < n; k++) {
        *sum += x[k] * v[m->body_v[s->body] + k];
    }
}

ss_status ss_spot_push(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_spot *s, ss_vec3 lin, ss_vec3 ang,
                       ss_csr *A, double *drive)
{
    double x[SS_SPOT_DOFS];
    const int n = ss_spot_entries(m, c, s, lin, ang, x, drive);
    return n > 0 ? ss_csr_push_run(ctx, A, m->body_v[s->body], n, x) : SS_OK;
}

ss_status ss_spots_push(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_spot s[2], const ss_twist_row *row,
                        ss_csr *A, double *drive)
{
    const int first = s[0].body < s[1].body ? 0 : 1;
    *drive = 0;
    for (int k = 0; k < 2; k++) {
        const int b = k == 0 ? first : 1 - first;
        SS_TRY(ss_spot_push(ctx, m, c, &s[b], row->lin[b], row->ang[b], A, drive));
    }
    return ss_csr_end_row(ctx, A);
}

ss_status ss_block_row_push(ss_context *ctx, const ss_model *m, int body, const double *x, ss_csr *A)
{
    for (int k = 0; k < ss_attachment_dofs(m, body); k++) {
        if (x[k] != 0) {
            SS_TRY(ss_csr_push(ctx, A, m->body_v[body] + k, x[k]));
        }
    }
    return ss_csr_end_row(ctx, A);
}

double ss_spots_drive_rate(const ss_config *c, const ss_spot s[2], const ss_twist_row *row)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const ss_vec3 *rate = &c->drive_rate[2 * s[k].body];
        sum += ss_dot(row->lin[k], rate[0]) + ss_dot(about_origin(&s[k], row->lin[k], row->ang[k]), rate[1]);
    }
    return sum;
}

void ss_spot_add_wrench(const ss_model *m, const ss_spot *s, const ss_wrench *w, double *k)
{
    double x[SS_SPOT_DOFS];
    const int n = ss_attachment_dofs(m, s->body);
    to_velocities(m, s, w->force, w->torque, x);
    for (int i = 0; i < n; i++) {
        k[m->body_v[s->body] + i] += x[i];
    }
}

/* ---- derivatives ------------------------------------------------------------------------------------- */

/* A linear map from a body's velocities to 6 numbers at the point; column j in x[j]. */
typedef struct map {
    int n;
    double x[SS_SPOT_DOFS][6];
} map;

/* axis j of the rates of a body, world */
static ss_vec3 rate_axis(const ss_model *m, const ss_spot *s, int j) { return m->dimension == 2 ? ss_v3(0, 0, 1) : s->R.c[j]; }

/* J: displacements of the point and turns */
static map motion(const ss_model *m, const ss_spot *s)
{
    map J = { .n = ss_attachment_dofs(m, s->body) };
    for (int j = 0; j < J.n; j++) {
        if (j < m->dimension) {
            J.x[j][j] = 1;
        } else {
            const ss_vec3 axis = rate_axis(m, s, j - m->dimension);
            ss_v3_to(ss_cross(axis, s->arm), J.x[j]);
            ss_v3_to(axis, J.x[j] + 3);
        }
    }
    return J;
}

/* E: what a turn does to the velocities of the point while the body's own velocities stay */
static map turned_velocity(const ss_model *m, const ss_spot *s)
{
    map E = { .n = ss_attachment_dofs(m, s->body) };
    for (int j = m->dimension; j < E.n; j++) {
        const ss_vec3 axis = rate_axis(m, s, j - m->dimension);
        ss_v3_to(ss_cross(axis, ss_cross(s->w, s->arm)), E.x[j]);
        ss_v3_to(ss_cross(axis, s->w), E.x[j] + 3);
    }
    return E;
}

/* A' K B, block (a, b) of a 12 x 12 matrix K, added to out, whose rows are n long */
static void add_product(const map *A, const double *K, const map *B, int n, double *out)
{
    for (int j = 0; j < B->n; j++) {
        double KB[6];
        for (int i = 0; i < 6; i++) {
            KB[i] = 0;
            for (int k = 0; k < 6; k++) {
                KB[i] += K[12 * i + k] * B->x[j][k];
            }
        }
        for (int i = 0; i < A->n; i++) {
            for (int k = 0; k < 6; k++) {
                out[i * n + j] += A->x[i][k] * KB[k];
            }
        }
    }
}

/* d(J' w): B' [lever(r, F) + S(T + r x F)] B, the wrench kept */
static void add_turned_wrench(const ss_model *m, const ss_spot *s, const ss_wrench *w, int n, double *out)
{
    const ss_mat3 arm = ss_lever(s->arm, w->force), body = ss_skew(about_origin(s, w->force, w->torque));
    for (int j = m->dimension; j < ss_attachment_dofs(m, s->body); j++) {
        const ss_vec3 axis = rate_axis(m, s, j - m->dimension), turned = ss_add(ss_rotate(arm, axis), ss_rotate(body, axis));
        for (int i = m->dimension; i < ss_attachment_dofs(m, s->body); i++) {
            out[i * n + j] += ss_dot(rate_axis(m, s, i - m->dimension), turned);
        }
    }
}

void ss_spots_derivative(const ss_model *m, const ss_spot s[2], const ss_wrench w[2], const double *K_q, const double *K_v,
                         double *k_q, double *k_v)
{
    const map J[2] = { motion(m, &s[0]), motion(m, &s[1]) };
    const int n = J[0].n + J[1].n, first[2] = { 0, J[0].n };
    memset(k_q, 0, (size_t)(n * n) * sizeof *k_q);
    if (K_v) {
        memset(k_v, 0, (size_t)(n * n) * sizeof *k_v);
    }
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            const int corner = first[a] * n + first[b], from = 12 * 6 * a + 6 * b;
            add_product(&J[a], K_q + from, &J[b], n, k_q + corner);
            if (K_v) {
                const map E = turned_velocity(m, &s[b]);
                add_product(&J[a], K_v + from, &E, n, k_q + corner);
                add_product(&J[a], K_v + from, &J[b], n, k_v + corner);
            }
        }
        add_turned_wrench(m, &s[a], &w[a], n, k_q + first[a] * n + first[a]);
    }
}
