/* massless.c - may a scene have velocities without mass?
 *
 * The scheme has to take them (ss_entry.massless), and the joints have to hold them: no motion of what has no mass alone may
 * satisfy all joints, so that the matrix of [BAC14 eq. 9],
 *
 *     ( M  G' )
 *     ( G  0  )
 *
 * is regular but for joint rows that depend on others. That is so where the columns of G that belong to velocities without mass
 * are independent of each other. Dependent ones are found as dependent rows of joints are, with the transposed matrix.
 *
 * Cost   one factorisation when a simulation is made, for scenes without some masses only */
#include "kernels/assembly.h"
#include "problem/kkt.h"
#include "sim/sim.h"
#include <stdio.h>

/* the body of velocity i, and what of it is 0 */
static int body_of(const ss_model *m, int i, const char **key)
{
    int body = 0;
    for (int b = 0; b < m->bodies; b++) {
        body = m->body_v[b] >= 0 && m->body_v[b] <= i ? b : body;
    }
    *key = m->body_type[body] == SS_BODY_BLOCK ? "block.mass" : i - m->body_v[body] < m->dimension ? "mass" : "inertia";
    return body;
}

static ss_status refuse(const ss_sim *sim, int i, const char *why)
{
    const char *key;
    const int body = body_of(sim->model, i, &key);
    return ss_fail(sim->ctx, SS_ERR_UNSUPPORTED, "bodies.%s.%s: 0, but %s", sim->model->body_name[body], key, why);
}

/* rows of G at the start, transposed; those of velocities without mass alone */
static ss_status take_columns(ss_sim *sim, ss_assembly *a, ss_csr *out, int *which)
{
    const ss_model *m = sim->model;
    ss_csr T = { 0 };
    ss_config c;
    SS_TRY(ss_config_take(sim->arena, m, &c));
    ss_config_set(m, 0, m->q0, &c);
    SS_TRY(ss_assembly_geometry(a, &c, &(ss_contact_set){ 0 }, 0, NULL, (ss_friction){ .law = SS_LAW_UNILATERAL }, 0));
    ss_status status = ss_csr_transpose(sim->ctx, &a->problem.G, &T);
    ss_csr_reset(out, m->nj);
    for (int i = 0; status == SS_OK && i < m->nv; i++) {
        for (int e = T.p[i]; status == SS_OK && ss_model_is_massless(m, i) && e < T.p[i + 1]; e++) {
            status = ss_csr_push(sim->ctx, out, T.i[e], T.x[e]);
        }
        if (status == SS_OK && ss_model_is_massless(m, i)) {
            which[out->m] = i;
            status = ss_csr_end_row(sim->ctx, out);
        }
    }
    ss_csr_free(sim->ctx, &T);
    return status;
}

/* squares of the units of joint rows, a block each */
static ss_status take_units(const ss_sim *sim, ss_blockdiag *out)
{
    const ss_model *m = sim->model;
    int *place, *size;
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nj, sizeof *place, &place));
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nj, sizeof *size, &size));
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nj, sizeof *out->x, &out->x));
    for (int i = 0; i < m->nj; i++) {
        place[i] = i;
        size[i] = 1;
        out->x[i] = m->row_unit[i] * m->row_unit[i];
    }
    out->blocks = out->n = m->nj;
    out->offset = out->start = place;
    out->size = size;
    return SS_OK;
}

/* *loose: a velocity without mass that no joint holds beside those before it; -1: there is none */
static ss_status find_loose(ss_sim *sim, ss_assembly *a, ss_kkt *kkt, ss_csr *columns, int *loose)
{
    ss_problem p = ss_problem_make(sim->model->dimension);
    int *which;
    ss_blockdiag units = { 0 };
    SS_TRY(ss_arena_take(sim->arena, (size_t)sim->model->nv, sizeof *which, &which));
    SS_TRY(take_columns(sim, a, columns, which));
    SS_TRY(take_units(sim, &units));
    ss_problem_set_blocks(&p, &units);
    p.nj = columns->m;
    p.G = *columns;
    SS_TRY(ss_kkt_factor(kkt, &p));
    *loose = -1;
    for (int k = columns->m - 1; k >= 0; k--) {
        *loose = ss_kkt_is_redundant(kkt, k) ? which[k] : *loose;
    }
    return SS_OK;
}

static ss_status check_held(ss_sim *sim)
{
    ss_assembly *a = NULL;
    ss_kkt *kkt = NULL;
    ss_csr columns = { 0 };
    int loose = -1;
    ss_status status = ss_assembly_create(sim->ctx, sim->model, &a);
    status = status != SS_OK ? status : ss_kkt_create(sim->ctx, &kkt);
    status = status != SS_OK ? status : find_loose(sim, a, kkt, &columns, &loose);
    ss_csr_free(sim->ctx, &columns);
    ss_kkt_destroy(kkt);
    ss_assembly_destroy(sim->ctx, a);
    SS_TRY(status);
    return loose < 0 ? SS_OK : refuse(sim, loose, "its joints leave it free to move, and nothing says how");
}

/* a scheme that takes velocities without mass */
static const char *name_of_taker(void)
{
    const char *name = "none";
    for (int k = ss_registry_count(SS_SCHEMES) - 1; k >= 0; k--) {
        const ss_entry *scheme = ss_registry_entry(SS_SCHEMES, k);
        name = scheme->massless ? scheme->name : name;
    }
    return name;
}

ss_status ss_sim_check_massless(ss_sim *sim)
{
    const ss_model *m = sim->model;
    char why[128];
    int first = 0;
    if (m->massless.m == 0) {
        return SS_OK;
    }
    while (!ss_model_is_massless(m, first)) {
        first++;
    }
    if (!sim->scheme->info.massless) {
        snprintf(why, sizeof why, "scheme %s divides by masses; %s does not", sim->scheme->info.name, name_of_taker());
        return refuse(sim, first, why);
    }
    return check_held(sim);
}
