/* couplings.c - the row of a gear or a rack, which couples the coordinates x_1 and x_2 of two other joints.
 *
 *     g = x_2 - ratio x_1 - offset,   g' = x_2' - ratio x_1'              offset: so that g = 0 at t = 0
 *
 * Row         -ratio times the row of x_1 plus the row of x_2: it touches up to four bodies, fewer where the joints share one.
 *             Entries of a body that both joints have are added, and bodies are in order, so that columns are sorted.
 * Derivatives those of the two coordinates with the same factors. The two parts do not mix, so the stiffness has the pattern of
 *             the two joints, and a coupling adds no pair of bodies to it.
 * Reaction    lam on x_2, -ratio lam on x_1: the power of both together is 0 where g' = 0.
 * Turns       x_1 and x_2 are counted over any number of turns (turns.c).
 * Cost        that of two coordinates; nothing is allocated once the matrices have their size */
#include "model/couplings.h"
#include "model/assemble.h"
#include "model/attachment.h"

enum { PARTS = 2, ENDS = 4 }; /* joints that are coupled; ends of both */

static double factor_of(const ss_joint *joint, int part) { return part == 0 ? -joint->gearing.ratio : 1; }

static const ss_joint *part_of(const ss_model *m, const ss_joint *joint, int part)
{
    return &m->joint[joint->gearing.joint[part]];
}

/* the row of one of the two coordinates, times its factor */
static void scaled_row(const ss_model *m, const ss_joint *joint, int part, const ss_spot s[2], ss_twist_row *row)
{
    const ss_joint *of = part_of(m, joint, part);
    const double factor = factor_of(joint, part);
    of->type->coordinate(of, m->dimension, s, row);
    for (int k = 0; k < 2; k++) {
        row->lin[k] = ss_scale(factor, row->lin[k]);
        row->ang[k] = ss_scale(factor, row->ang[k]);
    }
}

/* ---- a row of up to four bodies ------------------------------------------------------------------------ */

/* Bodies in ascending order, each once, and the entries of their velocities. */
typedef struct line {
    int n, body[ENDS];
    double x[ENDS][SS_SPOT_DOFS];
} line;

/* the entries of a body, which are zero when it is new */
static double *line_at(line *l, int body)
{
    int at = 0;
    while (at < l->n && l->body[at] < body) {
        at++;
    }
    if (at == l->n || l->body[at] != body) {
        for (int k = l->n++; k > at; k--) {
            l->body[k] = l->body[k - 1];
            memcpy(l->x[k], l->x[k - 1], sizeof l->x[k]);
        }
        l->body[at] = body;
        memset(l->x[at], 0, sizeof l->x[at]);
    }
    return l->x[at];
}

static ss_status line_push(ss_context *ctx, const ss_model *m, const line *l, ss_csr *A)
{
    for (int k = 0; k < l->n; k++) {
        for (int i = 0; i < ss_attachment_dofs(m, l->body[k]); i++) {
            SS_TRY(ss_csr_push(ctx, A, m->body_v[l->body[k]] + i, l->x[k][i]));
        }
    }
    return ss_csr_end_row(ctx, A);
}

/* ---- value and row --------------------------------------------------------------------------------------- */

ss_status ss_coupling_eval(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint, double *g, ss_csr *G,
                           double *drive)
{
    line l = { .n = 0 };
    *g = -joint->gearing.offset;
    *drive = 0;
    for (int part = 0; part < PARTS; part++) {
        ss_twist_row row;
        ss_spot s[2];
        *g += factor_of(joint, part) * ss_model_joint_coordinate(m, c, joint->gearing.joint[part], &row);
        ss_spots_at(c, part_of(m, joint, part)->at, s);
        scaled_row(m, joint, part, s, &row);
        for (int k = 0; k < 2; k++) {
            double x[SS_SPOT_DOFS];
            const int n = ss_spot_entries(m, c, &s[k], row.lin[k], row.ang[k], x, drive);
            double *sum = n > 0 ? line_at(&l, s[k].body) : NULL;
            for (int i = 0; i < n; i++) {
                sum[i] += x[i];
            }
        }
    }
    return line_push(ctx, m, &l, G);
}

double ss_coupling_curvature(const ss_model *m, const ss_config *c, const double *v, const ss_joint *joint)
{
    double sum = 0;
    for (int part = 0; part < PARTS; part++) {
        const ss_joint *of = part_of(m, joint, part);
        ss_spot s[2];
        ss_spots_moving(m, c, v, of->at, s);
        sum += factor_of(joint, part) * of->type->coordinate_curvature(of, m->dimension, s);
    }
    return sum;
}

double ss_coupling_drive_rate(const ss_model *m, const ss_config *c, const ss_joint *joint)
{
    double sum = 0;
    for (int part = 0; part < PARTS; part++) {
        ss_twist_row row;
        ss_spot s[2];
        ss_spots_at(c, part_of(m, joint, part)->at, s);
        scaled_row(m, joint, part, s, &row);
        sum += ss_spots_drive_rate(c, s, &row);
    }
    return sum;
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

/* lam d(row)/dq of one of the two coordinates, of the velocities of its two bodies */
static void part_stiffness(const ss_model *m, const ss_config *c, const ss_joint *joint, int part, double lam, double own[144])
{
    const ss_joint *of = part_of(m, joint, part);
    double K[144] = { 0 };
    ss_twist_row row;
    ss_wrench w[2];
    ss_spot s[2];
    ss_spots_at(c, of->at, s);
    scaled_row(m, joint, part, s, &row);
    for (int b = 0; b < 2; b++) {
        w[b] = (ss_wrench){ ss_scale(lam, row.lin[b]), ss_scale(lam, row.ang[b]) };
    }
    of->type->coordinate_stiffness(of, m->dimension, s, factor_of(joint, part) * lam, K);
    ss_spots_derivative(m, s, w, K, NULL, own, NULL);
}

void ss_coupling_stiffness(const ss_model *m, const ss_config *c, const ss_joint *joint, double lam, ss_csr *K)
{
    for (int part = 0; part < PARTS; part++) {
        const ss_attachment *at = part_of(m, joint, part)->at;
        const int body[2] = { at[0].body, at[1].body };
        double own[144];
        part_stiffness(m, c, joint, part, lam, own);
        ss_pattern_add(m, &m->joint_pattern, body, own, K);
    }
}

/* l += v' K of the n x n matrix K of two bodies */
static void add_product(const ss_model *m, const ss_attachment at[2], const double *K, const double *v, line *l)
{
    const int size[2] = { ss_attachment_dofs(m, at[0].body), ss_attachment_dofs(m, at[1].body) }, n = size[0] + size[1];
    for (int b = 0, column = 0; b < 2; b++) {
        double *out = size[b] > 0 ? line_at(l, at[b].body) : NULL;
        for (int j = 0; j < size[b]; j++, column++) {
            for (int i = 0; i < n; i++) {
                const int k = i < size[0] ? m->body_v[at[0].body] + i : m->body_v[at[1].body] + i - size[0];
                out[j] += K[i * n + column] * v[k];
            }
        }
    }
}

ss_status ss_coupling_gradient(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_joint *joint, const double *v,
                               ss_csr *R)
{
    line l = { .n = 0 };
    for (int part = 0; part < PARTS; part++) {
        double own[144];
        part_stiffness(m, c, joint, part, 1, own);
        add_product(m, part_of(m, joint, part)->at, own, v, &l);
    }
    return line_push(ctx, m, &l, R);
}
