/* Every scheme of the registry has the order it declares, on every scene whose exact solution is known and whose laws it
 * honours. Nothing is known here of any scheme but its entry {order: smooth, impacts, norm; laws}, and nothing of any scene
 * but its file: a motion is smooth up to the first jump or kink of the solution.
 *
 * On every scene the fitted order is at least the declared one, less SLACK; on some scene of its kind it is no more than
 * that, plus SLACK: so neither is it declared too high nor too low. */
#include "test.h"

#include "model/scene.h"
#include "study/error.h"
#include <dirent.h>

enum { LEVELS = 5, SPREAD = 3, ROWS = LEVELS * SPREAD, MOST_SCENES = 64, MOST_SCHEMES = 32 };
/* of a fit over LEVELS halvings: terms of higher order at the coarse end, and where on the grid the impacts fall */
static const double SLACK = 0.25;
/* an error this small against the size of the motion is round-off: the scheme is exact on this scene */
static const double ROUND_OFF = 1e-11;

typedef struct known {
    char path[600];
    double until, step, size; /* size: of the motion, to compare errors with */
    bool smooth;
    const ss_entry *solution;
    int materials, pairs;
} known;

/* "pairs.0.e=0" ..: the same scene for a scheme without restitution */
typedef struct settings {
    char text[16][32];
    const char *set[16];
    int n;
} settings;

typedef struct catalogue {
    known scene[MOST_SCENES];
    int n;
} catalogue;

/* ---- scenes with an exact solution ---------------------------------------------------------------- */

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static double size_of_motion(ss_context *ctx, const ss_model *model, const ss_exact *exact, double until)
{
    int nq = ss_model_nq(model), nv = ss_model_nv(model);
    double *q = calloc((size_t)nq + 1, sizeof *q), *v = calloc((size_t)nv + 1, sizeof *v), size = 0;
    for (int k = 0; k <= 10; k++) {
        CHECK_OK(ctx, ss_exact_at(exact, until * k / 10, 1, q, v));
        size = fmax(size, fmax(largest(q, nq), until * largest(v, nv)));
    }
    free(q);
    free(v);
    return size;
}

static void add(catalogue *all, const known *scene)
{
    assert_true(all->n < MOST_SCENES);
    all->scene[all->n++] = *scene;
}

/* The whole motion, and the smooth part before its first event. */
static void add_known(catalogue *all, const char *path, ss_context *ctx, const ss_scene *scene, const ss_model *model,
                      const ss_exact *exact)
{
    const ss_scene_settings *s = ss_model_settings(model);
    double first = fmin(ss_exact_next_jump(exact, 0), ss_exact_next_kink(exact, 0));
    known k = { .until = s->until,
                .step = s->step,
                .smooth = first >= s->until,
                .size = size_of_motion(ctx, model, exact, s->until),
                .solution = ss_registry_find(SS_EXACT, ss_exact_name(exact)),
                .materials = scene->materials,
                .pairs = scene->pairs };
    snprintf(k.path, sizeof k.path, "%s", path);
    add(all, &k);
    if (!k.smooth && first > 0.01 * s->until) {
        k.smooth = true;
        k.until = 0.9 * first;
        add(all, &k);
    }
}

static void add_if_known(catalogue *all, const char *path)
{
    ss_context *ctx = test_context();
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    ss_exact *exact = NULL;
    if (ss_scene_read(ctx, path, 0, NULL, &scene) == SS_OK && ss_scene_get_settings(scene)->exact) {
        CHECK_OK(ctx, ss_model_compile(ctx, scene, &model));
        CHECK_OK(ctx, ss_exact_create(ctx, model, &exact));
        add_known(all, path, ctx, scene, model, exact);
    }
    ss_exact_destroy(exact);
    ss_model_destroy(model);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

static void look_in(catalogue *all, const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int k = 0; k < n; k++) {
        char path[600];
        const char *dot = strrchr(entry[k]->d_name, '.');
        if (dot && strcmp(dot, ".json") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry[k]->d_name);
            add_if_known(all, path);
        }
        free(entry[k]);
    }
    if (n >= 0) {
        free(entry);
    }
}

static catalogue find_all(void)
{
    static const char *const folders[] = { "scenes",       "papers/ap97",   "papers/ani06",
                                           "papers/aca09", "papers/pagt06", "papers/bac14" };
    catalogue all = { .n = 0 };
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        look_in(&all, folders[k]);
    }
    return all;
}

/* ---- measuring ------------------------------------------------------------------------------------ */

/* From the scene's own step, doubled p times for a scheme of order p, down by halving; at each level SPREAD grids of about that
 * step, because where between two grid points an impact falls changes the error by a factor, and the fit is over all. The
 * coarsest has 400 steps at most: much fewer do not show the order through an accumulation of impacts. Where motion is smooth and
 * the order high the coarse end is coarser: round-off is near. */
static void choose_steps(const known *scene, double order, double *step)
{
    bool steep = scene->smooth && order > 2;
    int coarse = (int)round(scene->until / (scene->step * pow(2, ceil(order) + (steep ? 2 : 0)))), least = steep ? 8 : 25;
    coarse = coarse < least ? least : coarse > 400 ? 400 : coarse;
    for (int k = 0; k < LEVELS; k++) {
        for (int j = 0; j < SPREAD; j++) {
            double n = round(coarse * pow(2, k + (double)j / SPREAD));
            step[k * SPREAD + j] = scene->until / n;
        }
    }
}

static void set_inelastic(settings *s, const char *list, int count)
{
    for (int k = 0; k < count; k++) {
        assert_true(s->n < 16);
        snprintf(s->text[s->n], sizeof s->text[0], "%s.%d.e=0", list, k);
        s->set[s->n] = s->text[s->n];
        s->n++;
    }
}

static void adapt(const ss_entry *scheme, const known *scene, settings *s)
{
    if (!(scheme->laws & (SS_LAW_NEWTON | SS_LAW_POISSON))) {
        set_inelastic(s, "materials", scene->materials);
        set_inelastic(s, "pairs", scene->pairs);
    }
}

typedef struct measured {
    bool refused; /* the scheme does not take the scene */
    struct {
        ss_slope slope; /* of the errors above round-off */
        bool exact;     /* to round-off                  */
    } of[SS_QUANTITIES];
} measured;

/* what all runs of one scheme on one scene share */
typedef struct study {
    ss_context *ctx;
    ss_study_case base;
    ss_norm_kind norm;
    ss_reference *reference[SS_QUANTITIES];
    double round_off;
} study;

static void add_errors(const study *s, const ss_trajectory *run, double step, measured *m)
{
    for (int k = 0; k < SS_QUANTITIES; k++) {
        const ss_error_options o = { .quantity = (ss_quantity)k, .norm = s->norm, .reference = s->reference[k] };
        ss_error error;
        CHECK_OK(s->ctx, ss_error_of(s->ctx, &o, run, &error));
        CHECK(isfinite(error.value));
        if (error.value > s->round_off) {
            ss_slope_add(&m->of[k].slope, step, error.value);
        }
    }
}

/* One run for each step gives the errors of positions and of velocities. */
static void run_all(study *s, const double *step, measured *m)
{
    for (int k = 0; k < SS_QUANTITIES; k++) {
        CHECK_OK(s->ctx, ss_reference_create(s->ctx, &s->base, NULL, (ss_quantity)k, &s->reference[k]));
    }
    for (int k = 0; k < ROWS; k++) {
        ss_study_case c = s->base;
        ss_trajectory *run = NULL;
        c.step = step[k];
        CHECK_OK(s->ctx, ss_trajectory_run(s->ctx, &c, &run, NULL));
        add_errors(s, run, step[k], m);
        ss_trajectory_destroy(run);
    }
    for (int k = 0; k < SS_QUANTITIES; k++) {
        m->of[k].exact = m->of[k].slope.n < 3 * SPREAD; /* fewer than three halvings show no order */
        ss_reference_destroy(s->reference[k]);
    }
}

static measured measure(const ss_entry *scheme, const known *scene)
{
    study s = { .ctx = test_context(), .base = ss_study_case_default(), .round_off = ROUND_OFF * scene->size };
    double step[ROWS];
    measured m = { .refused = false };
    settings inelastic = { .n = 0 };
    adapt(scheme, scene, &inelastic);
    choose_steps(scene, scene->smooth ? scheme->order.smooth : scheme->order.impacts, step);
    s.base.scene = scene->path;
    s.base.until = scene->until;
    s.base.set = inelastic.set;
    s.base.sets = inelastic.n;
    s.base.scheme = scheme->name;
    CHECK_OK(s.ctx, ss_norm_parse(s.ctx, scene->smooth ? "final" : scheme->order.norm, &s.norm));
    ss_status status = ss_study_case_try(s.ctx, &s.base);
    m.refused = status == SS_ERR_UNSUPPORTED;
    if (!m.refused) {
        CHECK_OK(s.ctx, status);
        run_all(&s, step, &m);
    }
    ss_context_destroy(s.ctx);
    return m;
}

/* of one kind, smooth or not */
typedef struct tally {
    int scenes;
    double least, declared;
} tally;

static void enter(tally *t, const ss_entry *scheme, const known *scene)
{
    measured m = measure(scheme, scene);
    for (int k = 0; k < SS_QUANTITIES && !m.refused; k++) {
        double order = ss_slope_of(&m.of[k].slope);
        t->scenes++;
        if (m.of[k].exact) {
            continue;
        }
        if (!(order >= t->declared - SLACK)) {
            fail_msg("%s on %s, %s: order %.3f, declared %g", scheme->name, scene->path, ss_quantity_name((ss_quantity)k), order,
                     t->declared);
        }
        t->least = fmin(t->least, order);
    }
}

/* laws of a solution: those it is the solution of; 0: any (no friction) */
static bool honours(const ss_entry *scheme, const known *scene)
{
    return !scene->solution->laws || (scene->solution->laws & scheme->laws);
}

static void check_scheme(const ss_entry *scheme, const catalogue *all)
{
    tally kind[2] = { { .least = INFINITY, .declared = scheme->order.impacts },
                      { .least = INFINITY, .declared = scheme->order.smooth } };
    for (int k = 0; k < all->n; k++) {
        if (honours(scheme, &all->scene[k])) {
            enter(&kind[all->scene[k].smooth], scheme, &all->scene[k]);
        }
    }
    for (int smooth = 0; smooth < 2; smooth++) {
        if (kind[smooth].scenes < 4 || kind[smooth].least > kind[smooth].declared + SLACK) {
            fail_msg("%s: %d %s studies, the lowest order is %.3f, declared %g", scheme->name, kind[smooth].scenes,
                     smooth ? "smooth" : "nonsmooth", kind[smooth].least, kind[smooth].declared);
        }
    }
}

/* a test for each scheme, NAME_has_the_order_it_declares; its state is the entry */
static void has_the_order_it_declares(void **state)
{
    catalogue all = find_all();
    check_scheme(*state, &all);
}

TEST(ten_scenes_or_more_have_an_exact_solution)
{
    catalogue all = find_all();
    int whole = 0;
    for (int k = 0; k < all.n; k++) {
        whole += k == 0 || strcmp(all.scene[k].path, all.scene[k - 1].path) != 0;
    }
    assert_true(whole >= 10);
}

TEST(every_exact_solution_has_a_scene)
{
    catalogue all = find_all();
    for (int e = 0; e < ss_registry_count(SS_EXACT); e++) {
        const ss_entry *entry = ss_registry_entry(SS_EXACT, e);
        int k = 0;
        while (k < all.n && all.scene[k].solution != entry) {
            k++;
        }
        if (k == all.n) {
            fail_msg("no scene has the exact solution %s", entry->name);
        }
    }
}

int main(void)
{
    static char name[MOST_SCHEMES][80];
    struct CMUnitTest tests[MOST_SCHEMES + 2] = {
        cmocka_unit_test(ten_scenes_or_more_have_an_exact_solution),
        cmocka_unit_test(every_exact_solution_has_a_scene),
    };
    int schemes = tested_schemes();
    if (schemes > MOST_SCHEMES) {
        return 1;
    }
    for (int k = 0; k < schemes; k++) {
        const ss_entry *scheme = ss_registry_entry(SS_SCHEMES, k);
        snprintf(name[k], sizeof name[k], "%s_has_the_order_it_declares", scheme->name);
        tests[2 + k] = (struct CMUnitTest){ name[k], has_the_order_it_declares, NULL, NULL, (void *)scheme };
    }
    return _cmocka_run_group_tests("order", tests, (size_t)schemes + 2, NULL, NULL);
}
