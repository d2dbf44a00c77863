/* Every scheme, with fixed steps and by tolerance: a run saved after any step continues with the same bits, and trials that are
 * not accepted leave nothing behind. */
#include "unit/sim/scene_run.h"

/* ---- a scheme that is nothing without its memory ------------------------------------------------------ */

/* Its velocity depends on the steps it has made before, on what it remembers of contacts at two levels, and on how old each is:
 * if the block or one of these is lost, so is the way. */
static const ss_contact_numbers age = { 1, (const char *const[]){ "age" }, SS_LEVEL_POSITION };

typedef struct remembering_work {
    ss_contact_set near;
} remembering_work;

/* Contact k goes on with half of what it has at a level, and a new part. */
static double go_on(const ss_contact_cache *before, ss_contact_cache *cache, ss_level level, int k, double part)
{
    ss_cached_contact *entry = &cache->level[level].entry[k];
    const ss_cached_contact *old = ss_contact_cache_find(before, level, &entry->id);
    entry->normal = entry->impulse[2] = part + (old ? 0.5 * old->impulse[2] : 0);
    return entry->normal;
}

/* All contacts that are near at one level, the first half of them at the other; what they come to. */
static ss_status remember_contacts(ss_stepper *s, double h, double *sum)
{
    ss_contact_set *near = &((remembering_work *)s->work)->near;
    ss_contact_cache *cache = &s->next->cache;
    ss_config c;
    SS_TRY(ss_config_take(s->arena, s->model, &c));
    ss_config_set(s->model, s->now->t, s->now->q, &c);
    SS_TRY(ss_finder_find(s->finder, &c, s->model->length, near));
    const int half = (near->n + 1) / 2;
    const ss_contact **each;
    SS_TRY(ss_arena_take(s->arena, (size_t)near->n, sizeof *each, &each));
    for (int k = 0; k < near->n; k++) {
        each[k] = &near->c[k];
    }
    SS_TRY(ss_contact_cache_enter(s->ctx, cache, SS_LEVEL_VELOCITY, near->n, each));
    SS_TRY(ss_contact_cache_enter(s->ctx, cache, SS_LEVEL_POSITION, half, each));
    for (int k = 0; k < near->n; k++) {
        *sum += go_on(&s->now->cache, cache, SS_LEVEL_VELOCITY, k, h);
    }
    for (int k = 0; k < half; k++) {
        double *steps = ss_contact_cache_numbers(cache, &near->c[k].id);
        *steps += 1;
        *sum += go_on(&s->now->cache, cache, SS_LEVEL_POSITION, k, 2 * h) + 0.1 * *steps;
    }
    return SS_OK;
}

static ss_status remembering_step(ss_stepper *s, double h)
{
    const ss_state *now = s->now;
    double sum = 0;
    SS_TRY(remember_contacts(s, h, &sum));
    s->next->scheme_state[0] = 0.9 * now->scheme_state[0] + h;
    s->next->scheme_state[1] = now->scheme_state[1] + 1;
    for (int i = 0; i < s->model->nv; i++) {
        s->next->v[i] = now->v[i] + h * (now->scheme_state[0] + sin(now->scheme_state[1] + sum + i));
    }
    ss_model_retract(s->model, now->q, s->next->v, h, s->next->q);
    s->next->t = now->t + h;
    return SS_OK;
}

static int remembering_size(const ss_model *m, const void *params)
{
    (void)m, (void)params;
    return 2;
}

static ss_status remembering_create(ss_stepper *s, void **work, double *scheme_state)
{
    remembering_work *w;
    SS_TRY(ss_calloc(s->ctx, 1, sizeof *w, &w));
    *work = w;
    scheme_state[0] = 1;
    return SS_OK;
}

static void remembering_destroy(ss_context *ctx, void *work)
{
    remembering_work *w = work;
    if (w) {
        ss_contacts_free(ctx, &w->near);
        ss_free(ctx, w);
    }
}

static const ss_scheme_type remembering = {
    .info = { .name = "remembering",
              .laws = SS_LAW_COULOMB | SS_LAW_NEWTON | SS_LAW_POISSON,
              .order = { .smooth = 0.5, .impacts = 1, .norm = "final" } }, /* it converges to nothing */
    .scheme_state_size = remembering_size,
    .contact_numbers = &age,
    .create = remembering_create,
    .destroy = remembering_destroy,
    .step = remembering_step
};

static const ss_scheme_type *scheme_number(int k)
{
    int registered = tested_schemes();
    return k < registered ? ss_scheme_types[k] : k == registered ? &remembering : NULL;
}

/* ---- where ---------------------------------------------------------------------------------------------- */

static const struct place {
    const char *scene;
    double tol, until;
} places[] = {
    { "papers/aca09/ball.json", 1e-3, 2.2 },
    { "papers/aca09/oscillator.json", 1e-4, 1 },
    { "papers/aca09/pendulum_stop.json", 1e-3, 0.5 },
    { "papers/aca09/sliding_block.json", 1e-3, 1 },
    { "scenes/arm.json", 1e-3, 0.05 },
    { "scenes/cradle.json", 1e-3, 0.2 },
    { "papers/ani06/particle_drop.json", 1e-3, 1 },
    { "papers/pagt06/double_pendulum.json", 1e-4, 2 },
};
enum { PLACES = sizeof places / sizeof *places };

/* ---- saved and continued -------------------------------------------------------------------------------- */

enum { SAVED = 12, LONGEST = 40 };
typedef struct saver {
    void *blob[SAVED];
    size_t size[SAVED];
    int n;
    int halfway; /* how many of them were taken between two halves */
} saver;

/* the first states, then ever fewer */
static ss_status save(void *user, const ss_sim *sim, const ss_step_info *info)
{
    saver *s = user;
    if (s->n == SAVED || info->step < (s->n < 6 ? s->n : (s->n - 4) * (s->n - 4))) {
        return SS_OK;
    }
    s->halfway += sim->control.halfway != SS_WHOLE;
    s->n++;
    return ss_sim_save(sim, &s->blob[s->n - 1], &s->size[s->n - 1]);
}

/* false: the scheme does not take the scene */
static bool restarts(const struct place *p, const ss_scheme_type *scheme, double tol, double until)
{
    scene_run straight = open_scene(p->scene, scheme, tol);
    saver s = { .n = 0 };
    if (straight.sim) {
        CHECK_OK(straight.ctx, ss_sim_observe(straight.sim, &(ss_observer){ .user = &s, .on_step = save }));
        CHECK_OK(straight.ctx, ss_sim_advance(straight.sim, until));
        CHECK(isnan(tol) ? s.halfway == 0 && s.n > 0 : s.halfway > 0 && s.halfway < s.n);
    }
    for (int k = 0; k < s.n; k++) {
        scene_run part = open_scene(p->scene, scheme, tol);
        CHECK_OK(part.ctx, ss_sim_restore(part.sim, s.blob[k], s.size[k]));
        CHECK_OK(part.ctx, ss_sim_advance(part.sim, until));
        check_same(straight.sim, part.sim);
        close_scene(&part);
        ss_blob_free(straight.ctx, s.blob[k]);
    }
    close_scene(&straight);
    return s.n > 0;
}

TEST(a_run_saved_after_any_step_or_half_of_one_continues_with_the_same_bits)
{
    for (int k = 0; scheme_number(k); k++) {
        int taken = 0;
        for (int i = 0; i < PLACES; i++) {
            taken += restarts(&places[i], scheme_number(k), places[i].tol, places[i].until);
        }
        CHECK(taken > 0);
    }
}

TEST(the_same_with_fixed_steps)
{
    for (int k = 0; scheme_number(k); k++) {
        int taken = 0;
        for (int i = 0; i < PLACES; i++) {
            taken += restarts(&places[i], scheme_number(k), NAN, LONGEST * 1e-3);
        }
        CHECK(taken > 0);
    }
}

/* ---- rejected trials leave no trace --------------------------------------------------------------------- */

enum { MOST = 4000 };
typedef struct log {
    double h[MOST];
    int n, events;
} log_of_steps;

static ss_status log_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    log_of_steps *l = user;
    (void)sim;
    CHECK(l->n < MOST && info->step == l->n + 1);
    l->h[l->n++] = info->h;
    return SS_OK;
}

static ss_status log_event(void *user, const ss_sim *sim, const ss_event *event)
{
    (void)sim, (void)event;
    ((log_of_steps *)user)->events++;
    return SS_OK;
}

static void check_replay(const scene_run *a, const log_of_steps *l, scene_run *b)
{
    static log_of_steps again;
    memset(&again, 0, sizeof again);
    CHECK_OK(b->ctx, ss_sim_observe(b->sim, &(ss_observer){ .user = &again, .on_step = log_step, .on_event = log_event }));
    for (int k = 0; k < l->n; k++) {
        CHECK_OK(b->ctx, ss_sim_step(b->sim, l->h[k]));
    }
    const ss_summary *x = ss_sim_summary(a->sim), *y = ss_sim_summary(b->sim);
    check_same_state(a->sim, b->sim);
    CHECK(l->events == again.events && x->events == y->events && x->energy_max == y->energy_max);
    CHECK(x->unconverged_steps == y->unconverged_steps && x->max_residual == y->max_residual);
    CHECK(memcmp(x->remark, y->remark, sizeof x->remark) == 0);
    CHECK(x->multiplier_evals >= y->multiplier_evals); /* the work of the trials is counted */
    CHECK(x->multiplier_evals > y->multiplier_evals || y->multiplier_evals == 0);
}

/* how many trials were rejected; -1: the scheme does not take the scene */
static int64_t replays(const struct place *p, const ss_scheme_type *scheme)
{
    static log_of_steps l;
    scene_run a = open_scene(p->scene, scheme, p->tol), b = open_scene(p->scene, scheme, p->tol);
    int64_t rejected = -1;
    memset(&l, 0, sizeof l);
    if (a.sim) {
        a.sim->asked.step = p->until; /* the first trial: too long for most */
        CHECK_OK(a.ctx, ss_sim_observe(a.sim, &(ss_observer){ .user = &l, .on_step = log_step, .on_event = log_event }));
        CHECK_OK(a.ctx, ss_sim_advance(a.sim, p->until));
        check_replay(&a, &l, &b);
        rejected = ss_sim_summary(a.sim)->rejected;
    }
    close_scene(&a);
    close_scene(&b);
    return rejected;
}

/* The accepted steps taken one by one, without trials, lead to the same bits, ledger and events. */
TEST(trials_leave_no_trace_but_their_work)
{
    for (int k = 0; scheme_number(k); k++) {
        int taken = 0;
        int64_t rejected = 0;
        for (int i = 0; i < PLACES; i++) {
            int64_t n = replays(&places[i], scheme_number(k));
            taken += n >= 0;
            rejected += n > 0 ? n : 0;
        }
        print_message("%s: %d scenes, %lld trials rejected\n", scheme_number(k)->info.name, taken, (long long)rejected);
        CHECK(taken > 0 && rejected > 0);
    }
}

/* ---- failed steps leave no trace ------------------------------------------------------------------------ */

/* a mass on a spring above a stop, whose force is no number while it is broken */
static ss_status unit_mass(void *user, double t, const double *q, double *M)
{
    (void)user, (void)t, (void)q;
    M[0] = 1;
    return SS_OK;
}

static ss_status spring(void *user, double t, const double *q, const double *v, double *k)
{
    (void)t, (void)v;
    k[0] = *(bool *)user ? NAN : 1 - 10 * q[0];
    return SS_OK;
}

static ss_status stop_below(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)user, (void)t;
    gap[0] = q[0];
    H[0] = 1;
    gap_t[0] = 0;
    return SS_OK;
}

static const char disc[] =
    "{\"slipstick\":1,\"dimension\":2,\"gravity\":[0,-9.81],\"length_scale\":1,"
    "\"time\":{\"until\":1,\"step\":0.01},\"materials\":[{\"name\":\"m\",\"mu\":0.3,\"e\":0}],\"bodies\":["
    "{\"name\":\"d\",\"type\":\"rigid\",\"mass\":1,\"inertia\":0.02,\"position\":[0,0.25],\"velocity\":[1,0],"
    "\"shapes\":[{\"type\":\"sphere\",\"radius\":0.2,\"material\":\"m\"}]},"
    "{\"name\":\"floor\",\"type\":\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,1],\"material\":"
    "\"m\"}]}]}";

static scene_run open_breakable(const ss_block *block, const ss_scheme_type *scheme, double tol)
{
    scene_run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_sim_options o = with_tol(tol);
    ss_body_desc body = ss_body_desc_default();
    int index = 0;
    body.name = "mass";
    body.type = SS_BODY_BLOCK;
    body.block = block;
    body.block_q = (const double[]){ 0.3 };
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, disc, strlen(disc), "scene", 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_scene_add_body(scene, &body, &index));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &r.model));
    CHECK_OK(r.ctx, ss_sim_create_with(r.ctx, r.model, scheme, &o, &r.sim));
    ss_scene_destroy(scene);
    return r;
}

/* Two runs, one of which fails on the way, again and again. */
static void check_failures(const ss_scheme_type *scheme, double tol)
{
    bool broken = false, whole = false;
    const ss_block block = { .size = sizeof(ss_block),
                             .user = &broken,
                             .n = 1,
                             .constant_mass = true,
                             .mass = unit_mass,
                             .force = spring,
                             .gaps = 1,
                             .gap = stop_below };
    ss_block other = block;
    other.user = &whole;
    scene_run a = open_breakable(&block, scheme, tol), b = open_breakable(&other, scheme, tol);
    for (int k = 1; k <= 6; k++) {
        CHECK_OK(a.ctx, ss_sim_advance(a.sim, 0.07 * k));
        CHECK_OK(b.ctx, ss_sim_advance(b.sim, 0.07 * k));
        check_same_state(a.sim, b.sim);
        CHECK(a.sim->control.h == b.sim->control.h && ss_sim_summary(a.sim)->events == ss_sim_summary(b.sim)->events);
        broken = true;
        CHECK_FAILS(a.ctx, ss_sim_advance(a.sim, 1), SS_ERR_NUMERIC, "step from t = ");
        CHECK_FAILS(a.ctx, ss_sim_step(a.sim, 0.02), SS_ERR_NUMERIC, "step from t = ");
        broken = false;
        check_same_state(a.sim, b.sim);
    }
    close_scene(&a);
    close_scene(&b);
}

TEST(a_step_that_fails_leaves_nothing_behind)
{
    for (int k = 0; k < tested_schemes(); k++) {
        check_failures(ss_scheme_types[k], NAN);
        check_failures(ss_scheme_types[k], 1e-3);
    }
}

/* ---- stopped from outside ---------------------------------------------------------------------------------- */

static ss_status stop(void *user, const ss_sim *sim, const ss_step_info *info)
{
    (void)sim;
    return info->step == *(int *)user ? SS_ERR_INTERRUPTED : SS_OK;
}

TEST(an_observer_that_stops_the_run_between_two_halves_does_not_change_it)
{
    const struct place *p = &places[0];
    for (int k = 0; scheme_number(k); k++) {
        scene_run a = open_scene(p->scene, scheme_number(k), p->tol);
        if (a.sim) {
            CHECK_OK(a.ctx, ss_sim_advance(a.sim, 1.2));
        }
        for (int at = 1; a.sim && at < 12 && at <= ss_sim_summary(a.sim)->steps; at++) {
            scene_run b = open_scene(p->scene, scheme_number(k), p->tol);
            CHECK_OK(b.ctx, ss_sim_observe(b.sim, &(ss_observer){ .user = &at, .on_step = stop }));
            CHECK(ss_sim_advance(b.sim, 1.2) == SS_ERR_INTERRUPTED && ss_sim_summary(b.sim)->steps == at);
            CHECK_OK(b.ctx, ss_sim_advance(b.sim, 1.2));
            check_same(a.sim, b.sim);
            close_scene(&b);
        }
        close_scene(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_saved_after_any_step_or_half_of_one_continues_with_the_same_bits),
        cmocka_unit_test(the_same_with_fixed_steps),
        cmocka_unit_test(trials_leave_no_trace_but_their_work),
        cmocka_unit_test(a_step_that_fails_leaves_nothing_behind),
        cmocka_unit_test(an_observer_that_stops_the_run_between_two_halves_does_not_change_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
