/* measure.c - what can be said of a state without knowing how it came about: overlaps, joint errors,
 * energies. These enter the certificate of every step, and the check of the initial state. Positions that are not finite or too
 * far away, and inverted elements, end the run. */
#include "base/parallel.h"
#include "base/tolerances.h"
#include "contact/known_gaps.h"
#include "math/worse.h"
#include "model/elements.h"
#include "model/round_off.h"
#include "sim/sim.h"
#include <math.h>
#include <stdlib.h>

enum { GRAIN = 512 }; /* contacts, or bodies, of a range */

/* Contacts that are evaluated at a configuration. Those of user blocks call what the user has given, which may fail: they are not
 * looked at on threads. */
typedef struct evaluation {
    ss_context *ctx;
    const ss_model *m;
    const ss_config *c;
    const ss_contact_set *set;
    const ss_known_gaps *known; /* NULL: none is known there             */
    ss_reacted *out;            /* NULL: only depths are asked for, and those of shapes are known */
    double *depth;              /* of every range, the deepest overlap   */
} evaluation;

static ss_status evaluate(const evaluation *x, int k, double *depth)
{
    ss_contact_value own, *out = x->out ? &x->out[k].value : &own;
    const ss_contact_value *value = out;
    const ss_contact *contact = &x->set->c[k];
    const bool shapes = contact->id.kind == SS_CONTACT_SHAPES;
    int guess = k;
    const ss_contact_value *known = shapes && x->known ? ss_known_gaps_find(x->known, contact, &guess) : NULL;
    if (shapes && x->set->value) {
        value = &x->set->value[k];
    } else if (known) {
        *out = *known;
        ss_contact_tangents(x->m, x->c, contact, out->normal, out->tangent);
    } else {
        SS_TRY(ss_contact_eval(x->ctx, x->m, x->c, contact, out));
    }
    *depth = value->outside <= 0 ? ss_worse(*depth, ss_contact_depth(value)) : *depth;
    return SS_OK;
}

static void evaluate_range(void *data, int begin, int end)
{
    const evaluation *x = data;
    double deepest = 0;
    for (int k = begin; k < end; k++) {
        if (x->set->c[k].id.kind != SS_CONTACT_BLOCK) {
            (void)evaluate(x, k, &deepest);
        }
    }
    x->depth[begin / GRAIN] = deepest;
}

/* *depth: the deepest overlap of contacts whose witness lies on the features */
static ss_status evaluate_all(ss_arena *arena, evaluation *x, double *depth)
{
    const int n = x->set->n, ranges = (n + GRAIN - 1) / GRAIN;
    const ss_arena_mark mark = ss_arena_save(arena);
    SS_TRY(ss_arena_take(arena, (size_t)ranges, sizeof *x->depth, &x->depth));
    ss_parallel_for(x->ctx, n, GRAIN, evaluate_range, x);
    *depth = 0;
    for (int k = 0; k < ranges; k++) {
        *depth = ss_worse(*depth, x->depth[k]);
    }
    for (int k = 0; k < n; k++) {
        SS_TRY(x->set->c[k].id.kind == SS_CONTACT_BLOCK ? evaluate(x, k, depth) : SS_OK);
    }
    ss_arena_release(arena, mark);
    return SS_OK;
}

static double distance_of(const ss_config *c, int body) { return sqrt(ss_dot(c->frame[body].p, c->frame[body].p)); }

typedef struct places {
    const ss_model *m;
    const ss_config *c;
} places;

/* Is the body where positions cannot be told apart, or nowhere? */
static bool is_lost(const void *data, int body)
{
    const places *x = data;
    return !(distance_of(x->c, body) <= SS_TOL_BEYOND * x->m->length && isfinite(x->c->frame[body].R.c[0].x));
}

/* says which one, and why */
static ss_status check_place(const ss_sim *sim, const ss_config *c, int body)
{
    const ss_model *m = sim->model;
    const double distance = distance_of(c, body);
    if (!isfinite(distance) || !isfinite(c->frame[body].R.c[0].x)) {
        return ss_fail(sim->ctx, SS_ERR_NUMERIC, "the position of %s is not finite at t = %.9g", m->body_name[body], c->t);
    }
    if (distance > SS_TOL_BEYOND * m->length) {
        return ss_fail(sim->ctx, SS_ERR_NUMERIC,
                       "diverged: at t = %.9g %s is %.3g m away from the origin, where round-off is more than a millionth of the "
                       "length of the scene (%.3g m)",
                       c->t, m->body_name[body], distance, m->length);
    }
    return SS_OK;
}

/* corners that facets were moved past, or that were moved past facets: contacts of facets are not followed along their paths */
static ss_status look_behind_facets(ss_sim *sim, const ss_config *c)
{
    ss_config before;
    ss_contact contact;
    bool passed = false;
    if (sim->model->facets == 0) {
        return SS_OK;
    }
    SS_TRY(ss_config_take(sim->arena, sim->model, &before));
    ss_config_set(sim->model, sim->now.t, sim->now.q, &before);
    SS_TRY(ss_finder_passed(sim->finder, &before, c, &passed, &contact));
    if (passed) {
        sim->pending->report.remark(&sim->pending->report, SS_REMARK_UNFOLLOWED, &contact);
    }
    return SS_OK;
}

ss_status ss_sim_measure(ss_sim *sim, const ss_state *state, ss_step_info *info)
{
    const ss_model *m = sim->model;
    ss_config c;
    SS_TRY(ss_config_take(sim->arena, m, &c));
    ss_config_set(m, state->t, state->q, &c);
    const bool lost = ss_parallel_any(sim->ctx, m->bodies, GRAIN, is_lost, &(places){ m, &c });
    for (int b = 0; b < m->bodies && lost; b++) {
        SS_TRY(check_place(sim, &c, b));
    }
    SS_TRY(ss_elements_check(sim->ctx, m, &c));
    evaluation found = { .ctx = sim->ctx, .m = m, .c = &c };
    SS_TRY(ss_finder_overlaps(sim->finder, &c, &found.set));
    SS_TRY(evaluate_all(sim->arena, &found, &info->penetration));
    SS_TRY(look_behind_facets(sim, &c));
    const ss_reactions *r = &sim->pending->reactions;
    evaluation acting = { .ctx = sim->ctx, .m = m, .c = &c, .set = r->full, .out = r->contact };
    acting.known = ss_finder_known(sim->finder, &c);
    double depth;
    SS_TRY(evaluate_all(sim->arena, &acting, &depth));
    double *g = sim->scratch.joint;
    SS_TRY(ss_model_joints(sim->ctx, m, &c, g, &sim->scratch.G, g + m->nj, g + 2 * m->nj));
    bool fit = true; /* rows that were left out as redundant although they contradict others show here */
    info->joint_error = 0;
    for (int i = 0; i < m->nj; i++) {
        double error = m->row_motor[i] ? 0 : fabs(g[i]);
        info->joint_error = ss_worse(info->joint_error, error);
        fit = fit && error <= SS_TOL_FITS * m->row_unit[i];
    }
    if (!fit) {
        sim->pending->report.remark(&sim->pending->report, SS_REMARK_JOINTS, NULL);
    }
    SS_TRY(ss_contradiction_find(sim, &c));
    SS_TRY(ss_definite_test(sim, &c, state->v, state->t - sim->now.t));
    SS_TRY(ss_model_kinetic(sim->ctx, m, state->t, state->q, state->v, &info->kinetic));
    SS_TRY(ss_model_potential(sim->ctx, m, &c, &info->potential));
    sim->pending->audit.noise += ss_model_energy_round_off(m, &c, info->potential);
    return SS_OK;
}

static int deeper_first(const void *x, const void *y)
{
    const ss_overlap *a = x, *b = y;
    return (a->depth < b->depth) - (a->depth > b->depth);
}

/* one entry per pair of bodies, with its deepest contact */
static ss_status collect_overlaps(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact_set *set,
                                  ss_overlap **list, int *count)
{
    int capacity = 0;
    for (int k = 0; k < set->n; k++) {
        ss_contact_value value;
        SS_TRY(ss_contact_eval(ctx, m, c, &set->c[k], &value));
        const bool touches = set->c[k].id.kind == SS_CONTACT_SHAPES || set->c[k].id.kind >= SS_CONTACT_FACET;
        if (!touches || value.outside > 0 || ss_contact_depth(&value) < SS_TOL_OVERLAP * m->length) {
            continue;
        }
        ss_overlap found = { { set->c[k].at[0].body, set->c[k].at[1].body }, ss_contact_depth(&value) };
        int i = 0;
        while (i < *count && ((*list)[i].bodies[0] != found.bodies[0] || (*list)[i].bodies[1] != found.bodies[1])) {
            i++;
        }
        if (i == *count) {
            SS_PUSH(ctx, *list, *count, capacity, found);
        }
        (*list)[i].depth = ss_worse((*list)[i].depth, found.depth);
    }
    return SS_OK;
}

static ss_status overlaps(ss_context *ctx, const ss_model *m, ss_arena *arena, ss_finder *finder, ss_contact_set *set,
                          ss_overlap **list, int *count)
{
    ss_config c;
    SS_TRY(ss_config_take(arena, m, &c));
    ss_config_set(m, 0, m->q0, &c);
    SS_TRY(ss_finder_find(finder, &c, 0, set));
    SS_TRY(collect_overlaps(ctx, m, &c, set, list, count));
    if (*count > 1) {
        qsort(*list, (size_t)*count, sizeof **list, deeper_first);
    }
    return SS_OK;
}

ss_status ss_model_overlaps(ss_context *ctx, const ss_model *m, int max, ss_overlap *out, int *count)
{
    ss_arena *arena = NULL;
    ss_finder *finder = NULL;
    ss_contact_set set = { 0 };
    ss_overlap *list = NULL;
    *count = 0;
    ss_status status = ss_arena_create(ctx, 4096, &arena);
    status = status != SS_OK ? status : ss_finder_create(ctx, m, &finder);
    status = status != SS_OK ? status : overlaps(ctx, m, arena, finder, &set, &list, count);
    for (int i = 0; status == SS_OK && i < *count && i < max; i++) {
        out[i] = list[i];
    }
    ss_free(ctx, list);
    ss_contacts_free(ctx, &set);
    ss_finder_destroy(finder);
    ss_arena_destroy(arena);
    return status;
}
