/* theta.c - Moreau's time stepping with a theta method.
 *
 *     M (v' - v) = h F(t_th, q_th, v_th) + G' lam + H' P,    v_th = (1 - theta) v + theta v'     [Aca09 eq. 16a]
 *     q' = q (+) h v_th                                                                          [Aca09 eq. 16b]
 *     contact i is active if  g_i(q) + gamma h U_i <= 0,  U = H(q) v  its velocity at the start  [Aca09 eq. 16e]
 *     active:  0 <= U'_N + e U_N  _|_  P_N >= 0,  U' = H v',  P_T by Coulomb's law with U'_T     [Aca09 eq. 18]
 *     joints:  G v_th = 0, for theta < 1/2 with 1/2 in its place
 *     M, G, H at q (+) theta h v, or at q (+) h v (`at` = end)
 *
 * The energy of an impact is that of Newton's law; joints do no work for theta = 1/2.
 *
 * Deviations   Rows and M are taken at a prediction, not at q_th itself: the difference is O(h^2) where motion is smooth, and
 *              the problem of a step is one, with the geometry that its certificate is about. Forces are implicit
 *              (impulses.c).
 *              The paper has no joints. With G v' = 0 at q_th a pendulum's velocity would be off by O(h); the mean
 *              velocity is not. What is left is projected at the end: positions onto the joints, then velocities onto
 *              their tangents, both nearest by mass, so that kinetic energy can only fall. It is a ledger entry of its own.
 *              Where the projection does not fit or Newton's method does not end, the step is cut in halves.
 * Symbols      paper: G -> H', P -> r, U_k -> -approach
 * Order        2 while motion is smooth and contacts are flat (theta = 1/2), 1 otherwise; through impacts 1 in l1 */
#include "kernels/theta.h"
#include "problem/kkt.h"
#include <math.h>

enum { AT_THETA, AT_END };
enum { CONE_POLYHEDRAL, CONE_CIRCULAR };

const ss_field ss_theta_fields[] = {
    SS_OPTION_NUMBER(ss_theta_params, theta, 0.5, 0, 1, "where in the step forces are taken; 0.5: of order 2, 1: implicit Euler"),
    SS_OPTION_NUMBER(ss_theta_params, gamma, 1, 0, 1,
                     "part of the step over which gaps are forecast, to tell which contacts are active"),
    SS_OPTION_CHOICE(ss_theta_params, at, AT_THETA, "theta|end", "where rows of contacts and joints are taken"),
    SS_OPTION_CHOICE(ss_theta_params, cone, CONE_POLYHEDRAL, "polyhedral|circular", "friction cone"),
    SS_OPTION_INT(ss_theta_params, directions, 8, 4, 60, "edges of the friction polygon in 3D, even (2D: always 2)"),
    SS_OPTION_INT(ss_theta_params, iterations, 20, 1, 1000, "Newton iterations on the forces before the step is cut in halves"),
    SS_FIELD_END,
};

struct ss_theta {
    ss_context *ctx;
    const ss_theta_params *p;
    ss_stepper *s; /* of the step under way */
    ss_vicinity *around;
    ss_assembly *a;   /* the problem of the stretch               */
    ss_assembly *end; /* joints where it ends                     */
    ss_impulses *forces;
    ss_projection *joints;
    ss_kkt *tangents;
    double t, *q, *v; /* where the stretch starts: the state being built */
    double *q_end, *v_end, *q_rows, *v_mean;
    ss_config here, there;
    int *active, active_count;
    double residual; /* of Newton's method */
    bool fits;       /* the joints do      */
};

/* ---- life ---------------------------------------------------------------------------------------- */

static ss_friction friction_of(const ss_theta_params *p)
{
    return (ss_friction){ p->cone == CONE_CIRCULAR ? SS_LAW_COULOMB : SS_LAW_POLYHEDRAL, p->directions };
}

static ss_status check_laws(const ss_stepper *s, const ss_theta_params *p)
{
    const ss_model *m = s->model;
    for (int i = 0; i < m->materials * m->materials; i++) {
        if (m->pair[i].impact == SS_IMPACT_POISSON) {
            return ss_fail(s->ctx, SS_ERR_UNSUPPORTED, "scheme: a pair asks for Poisson's impact law, this scheme has Newton's");
        }
    }
    return ss_friction_check(s, friction_of(p));
}

static ss_status make_parts(ss_theta *x, const ss_model *m)
{
    SS_TRY(ss_vicinity_create(x->ctx, m, &x->around));
    SS_TRY(ss_assembly_create(x->ctx, m, &x->a));
    SS_TRY(ss_assembly_create(x->ctx, m, &x->end));
    SS_TRY(ss_impulses_create(x->ctx, m, &x->forces));
    SS_TRY(ss_projection_create(x->ctx, m, &x->joints));
    SS_TRY(ss_kkt_create(x->ctx, &x->tangents));
    ss_kkt_set_redundant(x->tangents, 1e-9); /* as in redundancy.c */
    x->a->redundant = x->end->redundant = x->around->redundant;
    return SS_OK;
}

ss_status ss_theta_create(ss_stepper *s, const ss_theta_params *params, ss_theta **out)
{
    SS_TRY(check_laws(s, params));
    SS_TRY(ss_calloc(s->ctx, 1, sizeof **out, out));
    (*out)->ctx = s->ctx;
    (*out)->p = params;
    ss_status status = make_parts(*out, s->model);
    if (status != SS_OK) {
        ss_theta_destroy(s->ctx, *out);
        *out = NULL;
    }
    return status;
}

void ss_theta_destroy(ss_context *ctx, ss_theta *x)
{
    if (x) {
        ss_vicinity_destroy(ctx, x->around);
        ss_assembly_destroy(ctx, x->a);
        ss_assembly_destroy(ctx, x->end);
        ss_impulses_destroy(x->forces);
        ss_projection_destroy(x->joints);
        ss_kkt_destroy(x->tangents);
        ss_free(ctx, x);
    }
}

static ss_status begin(ss_theta *x, ss_stepper *s)
{
    size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
    x->s = s;
    x->t = s->now->t;
    x->q = s->next->q;
    x->v = s->next->v;
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->q_end));
    SS_TRY(ss_arena_take(s->arena, nq, sizeof(double), &x->q_rows));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), &x->v_end));
    SS_TRY(ss_arena_take(s->arena, nv, sizeof(double), &x->v_mean));
    SS_TRY(ss_config_take(s->arena, s->model, &x->here));
    return ss_config_take(s->arena, s->model, &x->there);
}

/* ---- which contacts ------------------------------------------------------------------------------ */

double ss_theta_touch(const ss_stepper *s) { return fmax(5e-11, 0.01 * s->tol); }

/* What is near at the start of a stretch of length h at most. */
static ss_status survey(ss_theta *x, double h)
{
    const ss_model *m = x->s->model;
    ss_config_set(m, x->t, x->q, &x->here);
    ss_config_drive(m, x->t, x->t + h, &x->here);
    ss_vicinity_forget(x->around);
    SS_TRY(ss_vicinity_survey(x->around, x->s, &x->here, x->v, h, 0));
    return ss_arena_take(x->s->arena, (size_t)x->around->near.n, sizeof *x->active, &x->active);
}

/* the forecast [Aca09 eq. 16e]; a contact whose witness is off the features has to come as far as that, too */
static bool is_active(const ss_theta *x, int k, double h)
{
    const ss_vicinity *n = x->around;
    double comes = x->p->gamma * h * n->approach[k];
    return n->near.c[k].id.kind == SS_CONTACT_MOTOR ||
           (n->gap[k] - comes <= ss_theta_touch(x->s) * ss_contact_unit(x->s->model, &n->near.c[k]) &&
            n->outside[k] <= fmax(comes, 1e-9 * x->s->model->length));
}

static void forecast(ss_theta *x, double h)
{
    x->active_count = 0;
    for (int k = 0; k < x->around->near.n; k++) {
        if (is_active(x, k, h)) {
            x->active[x->active_count++] = k;
        }
    }
}

/* ---- the problem --------------------------------------------------------------------------------- */

/* G v' so that G v_th is what the joints ask for */
static void put_joints(ss_theta *x)
{
    ss_problem *p = &x->a->problem;
    double theta = fmax(x->p->theta, 0.5);
    for (int i = 0; i < p->nj; i++) {
        p->c[i] = (p->c[i] - (1 - theta) * ss_csr_row_dot(&p->G, i, x->v)) / theta;
    }
}

/* offsets e U_N of Newton's law */
static void put_restitution(ss_theta *x)
{
    const ss_assembly *a = x->a;
    for (int k = 0; k < a->problem.nc; k++) {
        if (a->contacts.c[k].id.kind != SS_CONTACT_MOTOR) {
            a->problem.w[a->problem.row[k]] -= a->contacts.c[k].e * x->around->approach[x->active[k]];
        }
    }
}

static ss_status pose(ss_theta *x, double h)
{
    const ss_model *m = x->s->model;
    double ahead = h * (x->p->at == AT_END ? 1 : x->p->theta);
    ss_model_retract(m, x->q, x->v, ahead, x->q_rows);
    ss_config_set(m, x->t + ahead, x->q_rows, &x->there);
    ss_config_drive(m, x->t, x->t + h, &x->there);
    SS_TRY(ss_assembly_geometry(x->a, &x->there, &x->around->near, x->active_count, x->active, friction_of(x->p), h));
    put_joints(x);
    put_restitution(x);
    ss_assembly_recall(x->a, &x->s->next->memory);
    return SS_OK;
}

/* Newton's method on the forces; every iteration is a contact problem, started from the last one. */
static ss_status solve(ss_theta *x, double h)
{
    ss_assembly *a = x->a;
    ss_interval step = { .t = x->t, .h = h, .theta = x->p->theta, .q = x->q, .v = x->v };
    int n = 0;
    SS_TRY(ss_impulses_begin(x->forces, x->s, &step));
    do {
        SS_TRY(ss_impulses_linearise(x->forces, a));
        SS_TRY(ss_assembly_solve(a, x->s, x->v, 0));
        SS_TRY(ss_assembly_demand(a, x->t));
        SS_TRY(ss_impulses_update(x->forces, a, a->solution.v, &x->residual));
        a->solution.warm = true;
        n++;
    } while (!(x->residual <= x->s->tol) && isfinite(x->residual) && n < x->p->iterations);
    x->s->report->newton(x->s->report, n);
    return SS_OK;
}

/* ---- the end of a stretch ------------------------------------------------------------------------ */

static ss_status move(ss_theta *x, double h)
{
    const ss_model *m = x->s->model;
    const double theta = x->p->theta;
    for (int i = 0; i < m->nv; i++) {
        x->v_end[i] = x->a->solution.v[i];
        x->v_mean[i] = (1 - theta) * x->v[i] + theta * x->v_end[i];
    }
    ss_model_retract(m, x->q, x->v_mean, h, x->q_end);
    return ss_projection_apply(x->joints, x->s, x->t + h, x->q_end, &x->fits);
}

static ss_status report_step(ss_theta *x, double h)
{
    const ss_model *m = x->s->model;
    const ss_assembly *a = x->a;
    ss_blockdiag mass = m->mass;
    mass.x = a->mass;
    ss_segment segment = { .t0 = x->t,
                           .t1 = x->t + h,
                           .level = SS_LEVEL_VELOCITY,
                           .q0 = x->q,
                           .v0 = x->v,
                           .q1 = x->q_end,
                           .v1 = x->v_end,
                           .mass = &mass,
                           .problem = &a->problem,
                           .solution = &a->solution,
                           .info = &a->info,
                           .contacts = &a->contacts,
                           .nonlinear = x->residual,
                           .w_drive = a->w_drive,
                           .c_drive = a->c_drive };
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        segment.impulse[kind] = ss_impulses_by_class(x->forces) + kind * m->nv;
    }
    segment.impulse[SS_IMPULSE_SCHEME] = ss_impulses_rest(x->forces);
    return x->s->report->segment(x->s->report, &segment);
}

/* M (v'' - v') = G' mu,  G v'' = 0  where the stretch ends */
static ss_status project_velocities(ss_theta *x, double t)
{
    ss_assembly *e = x->end;
    ss_problem *p = &e->problem;
    if (p->nj == 0) {
        return SS_OK;
    }
    ss_config_set(x->s->model, t, x->q_end, &x->there);
    ss_config_drive(x->s->model, t, t, &x->there);
    SS_TRY(ss_assembly_geometry(e, &x->there, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    ss_assembly_momentum(e, x->v_end, NULL);
    SS_TRY(ss_kkt_factor(x->tangents, p));
    SS_TRY(ss_kkt_solve(x->tangents, p->b, p->c, e->solution.v, e->solution.lam));
    ss_csr_transpose_times(&p->G, 1, e->solution.lam, 0, p->b);
    ss_segment jump = { .t0 = t,
                        .t1 = t,
                        .level = SS_LEVEL_VELOCITY,
                        .q0 = x->q_end,
                        .v0 = x->v_end,
                        .q1 = x->q_end,
                        .v1 = e->solution.v,
                        .mass = &p->M,
                        .impulse[SS_IMPULSE_PROJECTION] = p->b };
    SS_TRY(x->s->report->segment(x->s->report, &jump));
    memcpy(x->v_end, e->solution.v, (size_t)p->nv * sizeof(double));
    return SS_OK;
}

/* ---- the step ------------------------------------------------------------------------------------ */

/* The longest stretch, h halved as often as need be, that Newton's method and the joints are content with. */
static ss_status fit_stretch(ss_theta *x, double *h)
{
    const double shortest = x->s->h_nominal / 64;
    for (;; *h *= 0.5) {
        forecast(x, *h);
        SS_TRY(pose(x, *h));
        SS_TRY(solve(x, *h));
        SS_TRY(move(x, *h));
        if ((x->fits && x->residual <= x->s->tol) || *h < 2 * shortest) {
            return SS_OK;
        }
    }
}

static ss_status accept(ss_theta *x, double h, ss_theta_correct *correct, void *user)
{
    const ss_model *m = x->s->model;
    SS_TRY(report_step(x, h));
    SS_TRY(ss_assembly_remember(x->a, &x->s->next->memory));
    if (correct) {
        SS_TRY(correct(user, x->s, x->t + h, x->q_end, x->v_end));
        SS_TRY(ss_projection_apply(x->joints, x->s, x->t + h, x->q_end, &x->fits));
    }
    SS_TRY(project_velocities(x, x->t + h));
    memcpy(x->q, x->q_end, (size_t)m->nq * sizeof(double));
    memcpy(x->v, x->v_end, (size_t)m->nv * sizeof(double));
    x->t += h;
    return SS_OK;
}

ss_status ss_theta_step(ss_theta *x, ss_stepper *s, double h, ss_theta_correct *correct, void *user)
{
    SS_TRY(begin(x, s));
    for (double left = h, taken = 0; left > 0; left = taken < left ? left - taken : 0) {
        taken = left;
        SS_TRY(survey(x, left));
        SS_TRY(fit_stretch(x, &taken));
        SS_TRY(accept(x, taken, correct, user));
    }
    s->next->t = s->now->t + h;
    return SS_OK;
}
