/* test_outside.c - joints, forces and shapes that a program has added move like those of the library that they copy, by every
 * scheme; they are saved, restored and written like these; what does not fit, fails or is not finite is refused with its name. */
#include "conformance/outside.h"
#include "model/scene.h"

static double farthest(const scene_run *a, const scene_run *b)
{
    double most = 0;
    for (int i = 0; i < ss_model_nq(a->model); i++) {
        most = fmax(most, fabs(ss_sim_q(a->sim)[i] - ss_sim_q(b->sim)[i]));
    }
    for (int i = 0; i < ss_model_nv(a->model); i++) {
        most = fmax(most, fabs(ss_sim_v(a->sim)[i] - ss_sim_v(b->sim)[i]));
    }
    return most;
}

/* Both runs are certified, and end in the same place. Without closed forms of the second derivatives, which differences have to
 * 1e-12, they part by that, and by the solver's tolerance 1e-10 times what the motion makes of it. */
static void compare(const char *format, const char *known, const char *own, double until)
{
    for (int k = 0; k < tested_schemes(); k++) {
        outside x[2] = { 0 };
        scene_run a = open_with(&x[0], format, known, ss_scheme_types[k]), b = open_with(&x[1], format, own, ss_scheme_types[k]);
        CHECK_OK(a.ctx, ss_sim_advance(a.sim, until));
        CHECK_OK(b.ctx, ss_sim_advance(b.sim, until));
        if (!(farthest(&a, &b) < 1e-9)) {
            print_message("%s: %s and %s are %g apart\n", ss_scheme_types[k]->info.name, known, own, farthest(&a, &b));
        }
        CHECK(farthest(&a, &b) < 1e-9);
        CHECK(ss_sim_summary(a.sim)->unconverged_steps == ss_sim_summary(b.sim)->unconverged_steps);
        CHECK_NEAR(ss_sim_ledger(a.sim)->closure, ss_sim_ledger(b.sim)->closure, 1e-9);
        close_scene(&a);
        close_scene(&b);
    }
}

#define HEAD(dimension, gravity)                                                                                                 \
    "{\"slipstick\": 1, \"dimension\": " #dimension ", \"gravity\": " gravity ", \"time\": {\"until\": 1, \"step\": 0.005},"

/* an arm with a motor, and one on it that strikes a limit; they leave their plane in 3D */
static const char *const ARMS = HEAD(3, "[1, 0, -9.81]") "\"bodies\": [{\"name\": \"upper\", \"type\": \"rigid\", \"mass\": 1, "
                                                         "\"inertia\": [0.03, 0.02, 0.01], \"position\": [0.2, 0, 0]},"
                                                         "{\"name\": \"lower\", \"type\": \"rigid\", \"mass\": 0.5, \"inertia\": "
                                                         "[0.01, 0.02, 0.03], \"position\": [0.6, 0, 0]}],"
                                                         "\"joints\": [{\"name\": \"shoulder\", \"type\": \"%1$s\", \"bodies\": "
                                                         "[\"world\", \"upper\"], \"at\": [0, 0, 0],"
                                                         " \"axis\": [0, 0.2, 1], \"motor\": {\"speed\": \"t\"}},"
                                                         "{\"name\": \"elbow\", \"type\": \"%1$s\", \"bodies\": [\"upper\", "
                                                         "\"lower\"], \"at\": [0.4, 0, 0], \"axis\": [0, 1, 0.3],"
                                                         " \"limits\": [-1, 0.4], \"restitution\": 0, \"damping\": 0.1}]}";

static const char *const ARMS_2D = HEAD(
    2,
    "[0, -9.81]") "\"bodies\": [{\"name\": \"upper\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.03, \"position\": [0.2, "
                  "0]},"
                  "{\"name\": \"lower\", \"type\": \"rigid\", \"mass\": 0.5, \"inertia\": 0.01, \"position\": [0.6, 0]}],"
                  "\"joints\": [{\"name\": \"shoulder\", \"type\": \"%1$s\", \"bodies\": [\"world\", \"upper\"], \"at\": [0, 0]},"
                  "{\"name\": \"elbow\", \"type\": \"%1$s\", \"bodies\": [\"upper\", \"lower\"], \"at\": [0.4, 0], "
                  "\"stiffness\": 2}]}";

TEST(a_hinge_from_outside_moves_like_the_hinge_of_the_library_by_every_scheme)
{
    compare(ARMS, "revolute", "own_hinge", 0.3);
    compare(ARMS, "revolute", "exact_hinge", 0.3);
    compare(ARMS_2D, "revolute", "own_hinge", 0.3);
}

/* a block on a slope that a servo drives against a stop, with a pendulum on it */
static const char *const SLOPE = HEAD(
    2, "[0, -9.81]") "\"bodies\": [{\"name\": \"block\", \"type\": \"rigid\", \"mass\": 1, \"inertia\": 0.03, \"position\": "
                     "[0.2, 0.1]},"
                     "{\"name\": \"bob\", \"type\": \"rigid\", \"mass\": 0.5, \"inertia\": 0.01, \"position\": [0.6, 0.1]}],"
                     "\"joints\": [{\"name\": \"rail\", \"type\": \"%s\", \"bodies\": [\"world\", \"block\"], \"at\": [0.2, 0.1],"
                     " \"axis\": [2, 1], \"start\": 0.1, \"limits\": [0, 0.3], \"friction\": 0.4,"
                     " \"motor\": {\"position\": \"0.5\", \"stiffness\": 300, \"damping\": 5}},"
                     "{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"block\", \"bob\"], \"at\": [0.2, 0.1]}]}";

TEST(a_slider_from_outside_moves_like_the_slider_of_the_library_by_every_scheme)
{
    compare(SLOPE, "prismatic", "own_slider", 0.3);
}

/* a pendulum of 1 cm beside a ball of 50 m: its differences are those of its own size */
static const char *const WATCH = HEAD(
    3,
    "[0, 0, -9.81]") "\"bodies\": [{\"name\": \"bob\", \"type\": \"particle\", \"mass\": 0.001, \"position\": [0.006, 0, -0.008],"
                     " \"velocity\": [0, 0.1, 0]},"
                     "{\"name\": \"hill\", \"type\": \"rigid\", \"density\": 1, \"position\": [0, 200, 0], \"shapes\": "
                     "[{\"type\": \"sphere\","
                     " \"radius\": 50}]}],"
                     "\"joints\": [{\"name\": \"rod\", \"bodies\": [\"world\", \"bob\"], %s}]}";

TEST(a_small_joint_from_outside_moves_like_that_of_the_library_in_a_large_scene)
{
    compare(WATCH, "\"type\": \"distance\", \"length\": 0.01", "\"type\": \"own_strut\", \"reach\": 0.01", 0.03);
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* rates and stiffness of all rows at a random place, where the hinges do not fit */
static void second_derivatives(const scene_run *r, unsigned seed, double *rate, ss_csr *K)
{
    const ss_model *m = r->model;
    double moved[12], q[16], v[12], lam[12];
    ss_arena *arena = NULL;
    ss_config c;
    CHECK(m->nv == 12 && m->nq <= 16 && m->nj <= 12);
    for (int i = 0; i < 12; i++) {
        moved[i] = 0.3 * uniform(&seed);
        v[i] = uniform(&seed);
        lam[i] = uniform(&seed);
    }
    CHECK_OK(r->ctx, ss_arena_create(r->ctx, 4096, &arena));
    CHECK_OK(r->ctx, ss_config_take(arena, m, &c));
    ss_model_retract(m, m->q0, moved, 1, q);
    ss_config_set(m, 0, q, &c);
    CHECK_OK(r->ctx, ss_model_joint_curvature(r->ctx, m, &c, v, rate));
    CHECK_OK(r->ctx, ss_model_joint_stiffness(r->ctx, m, &c, lam, K));
    ss_arena_destroy(arena);
}

/* numbers of size 1: differences of fourth order have them to 1e-12, those of second order to 1e-7 */
TEST(its_second_derivatives_are_those_of_the_hinge_in_closed_form_or_by_differences)
{
    static const char *const own[] = { "own_hinge", "exact_hinge" };
    for (int k = 0; k < 20; k++) {
        outside x[2] = { 0 };
        scene_run a = open_with(&x[0], ARMS, "revolute", NULL), b = open_with(&x[1], ARMS, own[k % 2], NULL);
        double rate[2][12];
        ss_csr K[2] = { 0 };
        second_derivatives(&a, (unsigned)k, rate[0], &K[0]);
        second_derivatives(&b, (unsigned)k, rate[1], &K[1]);
        for (int i = 0; i < a.model->nj; i++) {
            CHECK_NEAR(rate[1][i], rate[0][i], k % 2 ? 1e-14 : 1e-11);
        }
        for (int i = 0; i < K[0].p[K[0].m]; i++) {
            CHECK_NEAR(K[1].x[i], K[0].x[i], k % 2 ? 1e-14 : 1e-11);
        }
        ss_csr_free(a.ctx, &K[0]);
        ss_csr_free(b.ctx, &K[1]);
        close_scene(&a);
        close_scene(&b);
    }
}

static const char *const PENDULUM = HEAD(3, "[0, 0, -9.81]") "\"bodies\": [{\"name\": \"bob\", \"type\": \"rigid\", \"mass\": 1, "
                                                             "\"inertia\": [0.03, 0.02, 0.01], \"position\": [0.3, 0, 0],"
                                                             " \"velocity\": [0, 1, 0]}],"
                                                             "\"forces\": [{\"name\": \"wire\", \"bodies\": [\"world\", "
                                                             "\"bob\"], \"anchors\": [[0, 0, 0], [0, 0, 0.05]], %s}]}";

TEST(a_spring_from_outside_moves_like_that_of_the_library_by_every_scheme)
{
    const char *known = "\"type\": \"spring\", \"stiffness\": 300, \"length\": 0.3";
    compare(PENDULUM, known, "\"type\": \"own_spring\", \"k\": 300, \"rest_length\": 0.3", 0.3);
    compare(PENDULUM, known, "\"type\": \"exact_spring\", \"k\": 300", 0.3); /* 0.3 is the default of its key */
}

/* one tumbles on a floor beside a hill, a ball falls on it */
static const char *const STACK = HEAD(
    3,
    "[0.5, 0, -9.81]") "\"materials\": [{\"name\": \"wood\", \"mu\": 0.4}], \"defaults\": {\"shapes\": {\"material\": \"wood\"}},"
                       "\"bodies\": [{\"name\": \"floor\", \"type\": \"fixed\", \"shapes\": [{\"type\": \"half_space\", "
                       "\"normal\": [0, 0, 1], \"offset\": -0.02},"
                       " {\"type\": \"height_field\", \"heights\": [[0, 0], [0, 0.1]], \"spacing\": 0.4, \"position\": [0.3, 0, "
                       "0]}]},"
                       "{\"name\": \"first\", \"type\": \"rigid\", \"position\": [0, 0, 0.35], "
                       "\"angular_velocity\": [1, 2, 3],"
                       " %s]},"
                       "{\"name\": \"top\", \"type\": \"rigid\", \"density\": 500, \"position\": [0.02, 0, 0.75], \"velocity\": "
                       "[0, 0, -1],"
                       " \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}]}";

#define CUBE                                                                                                                     \
    "\"type\": \"hull\", \"points\": [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [0.1, 0.1, -0.1],"               \
    " [-0.1, -0.1, 0.1], [0.1, -0.1, 0.1], [-0.1, 0.1, 0.1], [0.1, 0.1, 0.1]]"
#define LIGHT  "\"density\": 500, \"shapes\": ["
#define HEAVY  "\"mass\": 4, \"inertia\": [0.05, 0.06, 0.07], \"shapes\": ["
#define TURNED "\"orientation\": [0.955336489125606, 0, 0, 0.2955202066613396]"

TEST(shapes_from_outside_touch_weigh_and_move_like_those_they_are_made_of)
{
    compare(STACK, LIGHT "{\"type\": \"sphere\", \"radius\": 0.1}", LIGHT "{\"type\": \"ball\", \"diameter\": 0.2}", 0.3);
    compare(STACK, LIGHT "{" CUBE "}", LIGHT "{\"type\": \"slab\", \"side\": 0.2}", 0.3);
}

/* turned by 0.6 rad about z and put 0.05 m aside: two cubes whose centres are 0.1 (cos 0.6, sin 0.6) from there */
TEST(parts_of_a_shape_from_outside_are_where_the_shape_is)
{
    outside x[2] = { 0 };
    scene_run a = open_with(&x[0], STACK,
                            HEAVY "{" CUBE ", \"position\": [-0.03253356149096783, -0.05646424733950354, 0], " TURNED "},"
                                  "{" CUBE ", \"position\": [0.13253356149096783, 0.05646424733950354, 0], " TURNED "}",
                            NULL),
              b = open_with(&x[1], STACK,
                            HEAVY "{\"type\": \"slab\", \"side\": 0.2, \"copies\": 2, \"position\": [0.05, 0, 0], " TURNED "}",
                            NULL);
    CHECK(a.model->shapes == b.model->shapes);
    for (int k = 0; k < a.model->shapes; k++) {
        const ss_shape *known = &a.model->shape[k], *own = &b.model->shape[k];
        CHECK(known->kind == own->kind && a.model->shape_material[k] == b.model->shape_material[k]);
        CHECK(ss_norm(ss_sub(known->local.p, own->local.p)) < 1e-15);
        for (int c = 0; c < 3; c++) {
            CHECK(ss_norm(ss_sub(known->local.R.c[c], own->local.R.c[c])) < 1e-15);
        }
    }
    close_scene(&a);
    close_scene(&b);
}

/* keys of types from outside have defaults for all items, as others have, and parameters in them */
TEST(keys_from_outside_are_keys_of_scenes)
{
    static const char *const plain = "\"type\": \"own_spring\", \"k\": 300",
                             *const short_form = "\"type\": \"own_spring\"}], \"parameters\": {\"soft\": 100},"
                                                 " \"defaults\": {\"forces\": {\"k\": \"3*soft\"}}, \"outputs\": [";
    char text[2048];
    outside x[2] = { 0 };
    snprintf(text, sizeof text, "%.*s%%s]}", (int)(strstr(PENDULUM, "%s") - PENDULUM), PENDULUM);
    scene_run a = open_with(&x[0], PENDULUM, plain, NULL), b = open_with(&x[1], text, short_form, NULL);
    CHECK(a.model->fingerprint == b.model->fingerprint);
    close_scene(&a);
    close_scene(&b);
}

/* ---- checkpoints, files, memory
 * ------------------------------------------------------------------------------------------------ */

TEST(runs_with_them_restart_with_the_same_bits_and_take_no_memory)
{
    outside x[3] = { 0 };
    scene_run r = open_with(&x[0], ARMS, "own_hinge", NULL), other = open_with(&x[1], ARMS, "own_hinge", NULL),
              strange = open_with(&x[2], ARMS, "exact_hinge", NULL);
    void *blob = NULL;
    size_t size = 0;
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.6));
    CHECK_OK(r.ctx, ss_sim_save(r.sim, &blob, &size));
    const uint64_t before = ss_context_allocations(r.ctx);
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.7));
    CHECK(ss_context_allocations(r.ctx) == before);
    CHECK_OK(other.ctx, ss_sim_restore(other.sim, blob, size));
    CHECK_OK(other.ctx, ss_sim_advance(other.sim, 0.7));
    check_same_state(r.sim, other.sim);
    CHECK_FAILS(strange.ctx, ss_sim_restore(strange.sim, blob, size), SS_ERR_INPUT, "scene"); /* another fingerprint */
    ss_blob_free(r.ctx, blob);
    close_scene(&strange);
    close_scene(&other);
    close_scene(&r);
}

/* numbers of a force may change while it runs, and do then what they do in a scene */
TEST(numbers_of_a_force_from_outside_can_be_set_while_it_runs)
{
    static const char *const stiff = "\"type\": \"own_spring\", \"k\": 300", *const soft = "\"type\": \"own_spring\", \"k\": 50";
    outside x[2] = { 0 };
    scene_run r = open_with(&x[0], PENDULUM, stiff, NULL), twin = open_with(&x[1], PENDULUM, soft, NULL);
    ss_scene *scene = NULL;
    ss_model *next = NULL;
    char text[2048];
    snprintf(text, sizeof text, PENDULUM, soft);
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "scene", 0, NULL, &scene));
    CHECK_OK(r.ctx, ss_model_compile(r.ctx, scene, &next));
    CHECK_OK(r.ctx, ss_sim_set_numbers(r.sim, next));
    CHECK_OK(r.ctx, ss_sim_advance(r.sim, 0.1));
    CHECK_OK(twin.ctx, ss_sim_advance(twin.sim, 0.1));
    CHECK(farthest(&r, &twin) == 0);
    ss_sim_destroy(r.sim);
    r.sim = NULL;
    ss_model_destroy(next);
    ss_scene_destroy(scene);
    close_scene(&twin);
    close_scene(&r);
}

/* a scene in C with a type of its own is the same as the one that is read, and is written as it can be read again */
TEST(scenes_of_them_are_written_and_read_again)
{
    outside x = { 0 };
    scene_run r = open_with(&x, PENDULUM, "\"type\": \"own_spring\", \"k\": 300", NULL);
    ss_scene *scene = NULL, *again = NULL;
    ss_scene_settings settings = ss_scene_settings_default();
    ss_body_desc body = ss_body_desc_default();
    ss_force_desc force = ss_force_desc_default();
    ss_shape_desc shape = ss_shape_desc_default();
    char *text = NULL;
    settings.dimension = 3;
    body.name = "bob";
    body.type = SS_BODY_RIGID;
    body.density = 1000;
    force.type = "own_spring";
    force.bodies[0] = "world";
    force.bodies[1] = "bob";
    force.number[0] = 300;
    shape.type = "ball";
    shape.number[0] = 0.2;
    CHECK_OK(r.ctx, ss_scene_create(r.ctx, &settings, &scene));
    CHECK_OK(r.ctx, ss_scene_add_body(scene, &body, NULL));
    CHECK_OK(r.ctx, ss_scene_add_shape(scene, 0, &shape));
    CHECK_OK(r.ctx, ss_scene_add_force(scene, &force, NULL));
    CHECK_OK(r.ctx, ss_scene_to_json(r.ctx, scene, &text));
    CHECK(strstr(text, "own_spring") && strstr(text, "rest_length") && strstr(text, "\"sphere\"") && !strstr(text, "ball"));
    CHECK_OK(r.ctx, ss_scene_parse(r.ctx, text, strlen(text), "again", 0, NULL, &again));
    CHECK(ss_scene_fingerprint(scene) == ss_scene_fingerprint(again));
    ss_blob_free(r.ctx, text);
    ss_scene_destroy(again);
    ss_scene_destroy(scene);
    close_scene(&r);
}

/* ---- what is wrong
 * ------------------------------------------------------------------------------------------------------------- */

static void refuse(const char *format, const char *part, faults wrong, ss_status status, const char *words)
{
    ss_context *ctx = test_context();
    outside x = { 0 };
    ss_scene *scene = NULL;
    ss_model *model = NULL;
    char text[4096];
    snprintf(text, sizeof text, format, part);
    add_all(ctx, &x);
    wrong.ctx = ctx;
    x.wrong = wrong;
    const ss_status read = ss_scene_parse(ctx, text, strlen(text), "scene", 0, NULL, &scene);
    CHECK_FAILS(ctx, read == SS_OK ? ss_model_compile(ctx, scene, &model) : read, status, words);
    ss_scene_destroy(scene);
    ss_context_destroy(ctx);
}

TEST(functions_that_do_not_fit_fail_or_are_not_finite_are_refused_with_the_part_that_has_them)
{
    const char *own = "\"type\": \"own_spring\", \"k\": 300", *exact = "\"type\": \"exact_spring\", \"k\": 300";
    refuse(ARMS, "own_hinge", (faults){ .row = 0.01 }, SS_ERR_INPUT,
           "joints.shoulder: `eval` of joint type own_hinge does not fit: row 0 changes with x of the first point by -1.01");
    refuse(ARMS, "exact_hinge", (faults){ .slope = 0.01 }, SS_ERR_INPUT,
           "joints.shoulder: `stiffness` of joint type exact_hinge does not fit");
    refuse(ARMS, "own_hinge", (faults){ .nan = true }, SS_ERR_NUMERIC, "joint shoulder: a function of its type own_hinge");
    refuse(ARMS, "own_hinge", (faults){ .fails = true }, SS_ERR_NUMERIC, "the pin is broken");
    refuse(PENDULUM, exact, (faults){ .slope = 0.01 }, SS_ERR_INPUT,
           "forces.wire: `jacobian` of force type exact_spring does not fit");
    refuse(PENDULUM, own, (faults){ .energy = 0.01 }, SS_ERR_INPUT, "forces.wire: `potential` of force type own_spring does not");
    refuse(PENDULUM, own, (faults){ .fails = true }, SS_ERR_INPUT, "the wire is broken");
    refuse(PENDULUM, "\"type\": \"own_spring\"", (faults){ 0 }, SS_ERR_INPUT, "k");
    refuse(PENDULUM, "\"type\": \"own_sprink\", \"k\": 1", (faults){ 0 }, SS_ERR_INPUT, "did you mean \"own_spring\"");
    refuse(PENDULUM, "\"type\": \"own_spring\", \"k\": -1", (faults){ 0 }, SS_ERR_INPUT, "k: expected a number >= 0, got -1");
    refuse(STACK, LIGHT "{\"type\": \"ball\", \"diameter\": -1}", (faults){ 0 }, SS_ERR_INPUT, "diameter");
    refuse(STACK, LIGHT "{\"type\": \"slab\", \"side\": 1, \"copies\": 0}", (faults){ 0 }, SS_ERR_INPUT,
           "shape slab: it describes no part");
    refuse(STACK, LIGHT "{\"type\": \"slab\", \"side\": 1, \"copies\": 1e9}", (faults){ 0 }, SS_ERR_INPUT,
           "more than 4096 parts");
}

/* a step that fails leaves the state, and the next one goes on where it was */
TEST(a_function_that_fails_in_a_step_ends_it_and_the_simulation_goes_on)
{
    outside x[2] = { 0 };
    scene_run r = open_with(&x[0], ARMS, "own_hinge", NULL), other = open_with(&x[1], ARMS, "own_hinge", NULL);
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.005));
    x[0].wrong.fails = true;
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.005), SS_ERR_NUMERIC, "joint shoulder");
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.005), SS_ERR_NUMERIC, "the pin is broken");
    x[0].wrong = (faults){ .nan = true, .ctx = r.ctx };
    CHECK_FAILS(r.ctx, ss_sim_step(r.sim, 0.005), SS_ERR_NUMERIC, "not finite");
    CHECK_NEAR(ss_sim_time(r.sim), 0.005, 1e-15);
    x[0].wrong.nan = false;
    CHECK_OK(r.ctx, ss_sim_step(r.sim, 0.005));
    CHECK_OK(other.ctx, ss_sim_step(other.sim, 0.005));
    CHECK_OK(other.ctx, ss_sim_step(other.sim, 0.005));
    check_same_state(r.sim, other.sim);
    close_scene(&other);
    close_scene(&r);
}

TEST(types_that_cannot_be_added_are_refused)
{
    static const ss_field taken[] = { { .name = "axis" }, SS_FIELD_END },
                          text[] = { { .name = "a", .type = SS_FIELD_NAME }, SS_FIELD_END },
                          nine[] = { { .name = "1" }, { .name = "2" }, { .name = "3" }, { .name = "4" }, { .name = "5" },
                                     { .name = "6" }, { .name = "7" }, { .name = "8" }, { .name = "9" }, SS_FIELD_END };
    outside x = { 0 };
    ss_context *ctx = test_context();
    add_all(ctx, &x);
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &x.hinge), SS_ERR_INPUT, "joints: there is one called \"own_hinge\" already");
    CHECK_FAILS(ctx, ss_context_add_force(ctx, &x.spring), SS_ERR_INPUT, "forces: there is one called \"own_spring\" already");
    CHECK_FAILS(ctx, ss_context_add_shape(ctx, &x.ball), SS_ERR_INPUT, "shapes: there is one called \"ball\" already");
    ss_own_joint joint = hinge_type("hinge", &x.wrong); /* an alias of revolute */
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &joint), SS_ERR_INPUT, "already");
    joint.info.name = "new";
    joint.info.fields = taken;
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &joint), SS_ERR_INPUT, "joint new: its key \"axis\" is taken");
    joint.info.fields = text;
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &joint), SS_ERR_INPUT, "its key \"a\" is no number");
    joint.info.fields = nine;
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &joint), SS_ERR_INPUT, "more than 8 keys");
    joint.info.fields = NULL;
    joint.rows[1] = 7;
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &joint), SS_ERR_INPUT, "7 rows in 3D, expected 1 to 6");
    joint.rows[1] = 6;
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &joint), SS_ERR_INPUT, "row 5 has no name in 3D");
    joint.eval = NULL;
    CHECK_FAILS(ctx, ss_context_add_joint(ctx, &joint), SS_ERR_INPUT, "needs a function `eval`");
    ss_own_force force = { .info = { .name = "new", .dimensions = 4 } };
    CHECK_FAILS(ctx, ss_context_add_force(ctx, &force), SS_ERR_INPUT, "force new: it needs a function `wrench`");
    ss_own_shape shape = { .info = { .name = "new" } };
    CHECK_FAILS(ctx, ss_context_add_shape(ctx, &shape), SS_ERR_INPUT, "shape new: it needs a function `describe`");
    shape.describe = ball;
    CHECK_FAILS(ctx, ss_context_add_shape(ctx, &shape), SS_ERR_INPUT, "neither 2D (4) nor 3D (8)");
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinge_from_outside_moves_like_the_hinge_of_the_library_by_every_scheme),
        cmocka_unit_test(a_slider_from_outside_moves_like_the_slider_of_the_library_by_every_scheme),
        cmocka_unit_test(a_small_joint_from_outside_moves_like_that_of_the_library_in_a_large_scene),
        cmocka_unit_test(its_second_derivatives_are_those_of_the_hinge_in_closed_form_or_by_differences),
        cmocka_unit_test(a_spring_from_outside_moves_like_that_of_the_library_by_every_scheme),
        cmocka_unit_test(shapes_from_outside_touch_weigh_and_move_like_those_they_are_made_of),
        cmocka_unit_test(parts_of_a_shape_from_outside_are_where_the_shape_is),
        cmocka_unit_test(keys_from_outside_are_keys_of_scenes),
        cmocka_unit_test(runs_with_them_restart_with_the_same_bits_and_take_no_memory),
        cmocka_unit_test(numbers_of_a_force_from_outside_can_be_set_while_it_runs),
        cmocka_unit_test(scenes_of_them_are_written_and_read_again),
        cmocka_unit_test(functions_that_do_not_fit_fail_or_are_not_finite_are_refused_with_the_part_that_has_them),
        cmocka_unit_test(a_function_that_fails_in_a_step_ends_it_and_the_simulation_goes_on),
        cmocka_unit_test(types_that_cannot_be_added_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
