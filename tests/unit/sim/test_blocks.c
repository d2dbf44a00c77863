/* test_blocks.c - user blocks in a run: friction at their gaps against the same thing made of shapes, callbacks that fail, and
 * scenes in other units. */
#include "scene_run.h"

/* ---- a sled: x (y) along the ground and the height above it, in some units --------------------------- */

typedef struct sled {
    int dimension;
    double mass, length, time; /* units: all numbers are given in these */
    double until;              /* of the run, in that time              */
} sled;

static ss_status sled_mass(void *user, double t, const double *q, double *M)
{
    const sled *s = user;
    (void)t, (void)q;
    for (int i = 0; i < s->dimension; i++) {
        M[i * s->dimension + i] = 2 * s->mass;
    }
    return SS_OK;
}

static ss_status sled_force(void *user, double t, const double *q, const double *v, double *k)
{
    const sled *s = user;
    (void)t, (void)q, (void)v;
    k[s->dimension - 1] = -2 * s->mass * 9.81 * s->length / (s->time * s->time);
    return SS_OK;
}

static ss_status sled_gap(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    const sled *s = user;
    (void)t, (void)gap_t;
    gap[0] = q[s->dimension - 1];
    H[s->dimension - 1] = 1;
    return SS_OK;
}

static ss_status sled_tangent(void *user, double t, const double *q, double *T, double *T_t)
{
    const sled *s = user;
    (void)t, (void)q, (void)T_t;
    for (int i = 0; i < s->dimension - 1; i++) {
        T[i * s->dimension + i] = 1;
    }
    return SS_OK;
}

static ss_block sled_block(sled *s)
{
    ss_block block = ss_block_default();
    block.user = s;
    block.n = s->dimension;
    block.constant_mass = true;
    block.mass = sled_mass;
    block.force = sled_force;
    block.gaps = 1;
    block.gap = sled_gap;
    block.mu = 0.3;
    block.tangent = sled_tangent;
    return block;
}

static void open_sim(scene_run *r, ss_scene *scene, const ss_scheme_type *scheme)
{
    const ss_sim_options o = ss_sim_options_default();
    CHECK_OK(r->ctx, ss_model_compile(r->ctx, scene, &r->model));
    ss_status status = ss_sim_create_with(r->ctx, r->model, scheme, &o, &r->sim);
    if (status != SS_ERR_UNSUPPORTED) {
        CHECK_OK(r->ctx, status);
    }
    ss_scene_destroy(scene);
}

static ss_scene_settings settings_in(const sled *s)
{
    ss_scene_settings settings = ss_scene_settings_default();
    settings.dimension = s->dimension;
    settings.step = 0.01 * s->time;
    settings.until = s->until * s->time;
    settings.length_scale = s->length;
    return settings;
}

static scene_run open_sled(sled *s, const ss_block *block, const double *q, const double *v, const ss_scheme_type *scheme)
{
    scene_run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    const ss_scene_settings settings = settings_in(s);
    ss_body_desc body = ss_body_desc_default();
    body.name = "sled";
    body.type = SS_BODY_BLOCK;
    body.block = block;
    body.block_q = q;
    body.block_v = v;
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, &settings, &scene));
    CHECK_OK(r.ctx, ss_scene_add_body(scene, &body, NULL));
    open_sim(&r, scene, scheme);
    return r;
}

/* a particle with a point over a half space: what the sled is */
static scene_run open_particle(const sled *s, double e, const double *q, const double *v, const ss_scheme_type *scheme)
{
    scene_run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_scene_settings settings = settings_in(s);
    ss_body_desc body = ss_body_desc_default(), floor = ss_body_desc_default();
    ss_shape_desc point = ss_shape_desc_default(), plane = ss_shape_desc_default();
    ss_material_desc rough = ss_material_desc_default();
    settings.gravity[s->dimension - 1] = -9.81;
    rough.name = point.material = plane.material = "rough";
    rough.mu[0] = rough.mu[1] = 0.3;
    rough.e = e;
    body.name = "sled";
    body.mass = 2;
    memcpy(body.position, q, (size_t)s->dimension * sizeof *q);
    memcpy(body.velocity, v, (size_t)s->dimension * sizeof *v);
    floor.name = "floor";
    floor.type = SS_BODY_FIXED;
    point.type = "point";
    plane.type = "half_space";
    plane.normal[0] = plane.normal[1] = plane.normal[2] = 0;
    plane.normal[s->dimension - 1] = 1;
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, &settings, &scene));
    CHECK_OK(r.ctx, ss_scene_add_material(scene, &rough));
    CHECK_OK(r.ctx, ss_scene_add_body(scene, &body, NULL));
    CHECK_OK(r.ctx, ss_scene_add_body(scene, &floor, NULL));
    CHECK_OK(r.ctx, ss_scene_add_shape(scene, 0, &point));
    CHECK_OK(r.ctx, ss_scene_add_shape(scene, 1, &plane));
    open_sim(&r, scene, scheme);
    return r;
}

/* ---- friction ------------------------------------------------------------------------------------------ */

/* slides from rest on the ground, or falls on it first */
static void check_like_shapes(int dimension, double height, double e, const ss_scheme_type *scheme)
{
    sled s = { dimension, 1, 1, 1, 1 };
    ss_block block = sled_block(&s);
    const double q[3] = { 0, dimension == 2 ? height : 0, height };
    const double v[3] = { 0.8, dimension == 2 ? 0 : 0.6, 0 };
    block.e = e;
    scene_run a = open_sled(&s, &block, q, v, scheme), b = open_particle(&s, e, q, v, scheme);
    CHECK(!a.sim == !b.sim);
    for (int k = 1; a.sim && k <= 10; k++) {
        CHECK_OK(a.ctx, ss_sim_advance(a.sim, 0.05 * k));
        CHECK_OK(b.ctx, ss_sim_advance(b.sim, 0.05 * k));
        for (int i = 0; i < dimension; i++) {
            CHECK_NEAR(ss_sim_v(a.sim)[i], ss_sim_v(b.sim)[i], 1e-8); /* tolerance of the solver over the step */
            CHECK_NEAR(ss_sim_q(a.sim)[i], ss_sim_q(b.sim)[i], 1e-8);
        }
        CHECK(ss_sim_summary(a.sim)->unconverged_steps == 0);
    }
    close_scene(&a);
    close_scene(&b);
}

TEST(a_block_with_friction_slides_falls_and_stops_as_the_same_thing_made_of_shapes_in_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        for (int dimension = 2; dimension <= 3; dimension++) {
            check_like_shapes(dimension, 0, 0, ss_scheme_types[k]);
            check_like_shapes(dimension, 0.1, 0, ss_scheme_types[k]);
        }
    }
}

TEST(coulomb_friction_at_a_gap_of_a_block_brakes_by_mu_g_and_then_sticks)
{
    const ss_scheme_type *scheme = NULL;
    for (int k = 0; k < tested_schemes(); k++) {
        scheme = strcmp(ss_scheme_types[k]->info.name, "moreau") == 0 ? ss_scheme_types[k] : scheme;
    }
    sled s = { 2, 1, 1, 1, 1 };
    const ss_block block = sled_block(&s);
    const double q[2] = { 0, 0 }, v[2] = { 1, 0 };
    scene_run r = open_sled(&s, &block, q, v, scheme);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.2));
    CHECK_NEAR(ss_sim_v(r.sim)[0], 1 - 0.3 * 9.81 * 0.2, 1e-9);
    ss_contact_info contact;
    CHECK_OK(r.ctx, ss_sim_contact(r.sim, 0, &contact));
    CHECK_NEAR(contact.force[0], 2 * 9.81, 1e-8);
    CHECK_NEAR(contact.force[1], -0.3 * 2 * 9.81, 1e-8);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 1));
    CHECK_NEAR(ss_sim_v(r.sim)[0], 0, 1e-12);
    close_scene(&r);
}

/* ---- units ------------------------------------------------------------------------------------------------- */

/* a bead on the curve y = sin(3 x) / 3 over ground that is nowhere near, given as a constraint: its rate needs differences */
static ss_status wire(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    const sled *s = user;
    const double x = q[0] / s->length, w = 2 / s->time;
    g[0] = q[1] - s->length * (sin(3 * x) / 3 + 0.1 * (1 - cos(w * t)));
    G[0] = -cos(3 * x);
    G[1] = 1;
    g_t[0] = -0.1 * s->length * w * sin(w * t);
    return SS_OK;
}

/* q and v in metres after a second, in units of `length` and `time`; how it starts, and how long the run may be */
static void run_bead(double length, double time, double speed, double until, const ss_scheme_type *scheme, double out[4])
{
    sled s = { 2, 3, length, time, until };
    ss_block block = sled_block(&s);
    const double q[2] = { 0, 0 }, v[2] = { speed * length / time, speed * length / time };
    block.gaps = 0;
    block.mu = 0;
    block.constraints = 1;
    block.constraint = wire;
    scene_run r = open_sled(&s, &block, q, v, scheme);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, time));
    for (int i = 0; i < 2; i++) {
        out[i] = ss_sim_q(r.sim)[i] / length;
        out[2 + i] = ss_sim_v(r.sim)[i] / length * time;
    }
    close_scene(&r);
}

/* from rest in a short run, where only the time of the run tells how fast things change, and moving in a long one */
TEST(a_scene_with_a_block_in_other_units_gives_the_same_answer_in_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        for (int moving = 0; moving < 2; moving++) {
            double metres[4], other[4], until = moving ? 1000 : 1;
            run_bead(1, 1, moving, until, ss_scheme_types[k], metres);
            run_bead(1e-6, 1e-6, moving, until, ss_scheme_types[k], other);
            for (int i = 0; i < 4; i++) {
                CHECK_NEAR(other[i], metres[i], 1e-9); /* that of tests/conformance/test_invariance.c */
            }
        }
    }
}

/* ---- callbacks that fail ----------------------------------------------------------------------------------- */

enum { MASS, FORCE, POTENTIAL, JACOBIAN, CONSTRAINT, GAP, TANGENT, CALLBACKS };
static const char *const callback_names[] = { "mass", "force", "potential", "jacobian", "constraint", "gap", "tangent" };

typedef struct faulty {
    ss_context *ctx;
    int which;  /* fails after t = 0.1 */
    int failed; /* how often           */
    bool speaks;
} faulty;

static ss_status outcome(faulty *f, int callback, double t)
{
    if (f->which != callback || t <= 0.1) {
        return SS_OK;
    }
    f->failed++;
    return f->speaks ? ss_context_fail(f->ctx, SS_ERR_NUMERIC, "the rope is torn") : SS_ERR_NUMERIC;
}

static ss_status faulty_mass(void *user, double t, const double *q, double *M)
{
    (void)q;
    M[0] = M[4] = M[8] = 1;
    return outcome(user, MASS, t);
}

static ss_status faulty_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)v;
    k[0] = -q[0];
    k[1] = -1;
    return outcome(user, FORCE, t);
}

static ss_status faulty_potential(void *user, double t, const double *q, double *energy)
{
    *energy = 0.5 * q[0] * q[0] + q[1];
    return outcome(user, POTENTIAL, t);
}

static ss_status faulty_jacobian(void *user, double t, const double *q, const double *v, double *k_q, double *k_v)
{
    (void)q, (void)v, (void)k_v;
    k_q[0] = -1;
    return outcome(user, JACOBIAN, t);
}

static ss_status faulty_constraint(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    (void)g_t;
    g[0] = q[2] - q[0] * q[0];
    G[0] = -2 * q[0];
    G[2] = 1;
    return outcome(user, CONSTRAINT, t);
}

static ss_status faulty_gap(void *user, double t, const double *q, double *gap, double *H, double *gap_t)
{
    (void)gap_t;
    gap[0] = q[1];
    H[1] = 1;
    return outcome(user, GAP, t);
}

static ss_status faulty_tangent(void *user, double t, const double *q, double *T, double *T_t)
{
    (void)q, (void)T_t;
    T[0] = 1;
    return outcome(user, TANGENT, t);
}

static scene_run open_faulty(faulty *f, const ss_scheme_type *scheme)
{
    sled plane = { 2, 1, 1, 1, 1 };
    static ss_block block; /* kept by pointer */
    block = ss_block_default();
    block.user = f;
    block.n = 3;
    block.mass = faulty_mass;
    block.force = faulty_force;
    block.potential = faulty_potential;
    block.jacobian = faulty_jacobian;
    block.constraints = 1;
    block.constraint = faulty_constraint;
    block.gaps = 1;
    block.gap = faulty_gap;
    block.mu = 0.2;
    block.tangent = faulty_tangent;
    scene_run r = open_sled(&plane, &block, NULL, NULL, scheme);
    f->ctx = r.ctx;
    return r;
}

static void check_stops(int callback, const ss_scheme_type *scheme, bool speaks)
{
    faulty broken = { .which = callback, .speaks = speaks }, whole = { .which = -1 };
    char where[64];
    scene_run a = open_faulty(&whole, scheme);
    if (!a.sim) { /* a varying mass is not for everyone */
        close_scene(&a);
        return;
    }
    CHECK_OK(a.ctx, ss_sim_advance(a.sim, 0.5));
    close_scene(&a);
    scene_run b = open_faulty(&broken, scheme);
    ss_status status = ss_sim_advance(b.sim, 0.5);
    if (status == SS_OK) {
        CHECK(broken.failed == 0); /* the scheme never asks for it */
        close_scene(&b);
        return;
    }
    CHECK(status == SS_ERR_NUMERIC && broken.failed == 1);
    snprintf(where, sizeof where, "bodies.sled.block.%s: failed at t = ", callback_names[callback]);
    CHECK(strstr(ss_last_error(b.ctx), where));
    CHECK(!speaks || strstr(ss_last_error(b.ctx), "the rope is torn"));
    double reached = ss_sim_time(b.sim);
    /* a scheme may ask at the start of a step only, and differences in time look ahead */
    CHECK(reached > 0.1 - 0.035 && reached < 0.1 + 0.015);
    whole.which = -1; /* what was reached is what a run without the fault reaches */
    scene_run c = open_faulty(&whole, scheme);
    CHECK_OK(c.ctx, ss_sim_advance(c.sim, reached));
    CHECK(ss_sim_summary(b.sim)->steps == ss_sim_summary(c.sim)->steps);
    check_same_state(b.sim, c.sim);
    close_scene(&b);
    close_scene(&c);
}

TEST(a_callback_that_fails_ends_the_run_with_its_name_and_loses_nothing_in_every_scheme)
{
    for (int k = 0; k < tested_schemes(); k++) {
        for (int callback = 0; callback < CALLBACKS; callback++) {
            check_stops(callback, ss_scheme_types[k], callback % 2);
        }
    }
}

TEST(a_block_that_was_not_filled_from_its_default_is_refused_before_it_is_read)
{
    scene_run r = { .ctx = test_context() };
    ss_scene *scene = NULL;
    ss_body_desc body = ss_body_desc_default();
    ss_block older = ss_block_default();
    const struct {
        size_t size;
    } stub = { 16 };
    body.type = SS_BODY_BLOCK;
    body.block = &older;
    older.size -= 8;
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, NULL, &scene));
    CHECK_FAILS(r.ctx, ss_scene_add_body(scene, &body, NULL), SS_ERR_INPUT, "ss_block_default()");
    body.block = (const ss_block *)(const void *)&stub;
    CHECK_FAILS(r.ctx, ss_scene_add_body(scene, &body, NULL), SS_ERR_INPUT, "its size is 16");
    ss_scene_destroy(scene);
    close_scene(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_with_friction_slides_falls_and_stops_as_the_same_thing_made_of_shapes_in_every_scheme),
        cmocka_unit_test(coulomb_friction_at_a_gap_of_a_block_brakes_by_mu_g_and_then_sticks),
        cmocka_unit_test(a_scene_with_a_block_in_other_units_gives_the_same_answer_in_every_scheme),
        cmocka_unit_test(a_callback_that_fails_ends_the_run_with_its_name_and_loses_nothing_in_every_scheme),
        cmocka_unit_test(a_block_that_was_not_filled_from_its_default_is_refused_before_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
