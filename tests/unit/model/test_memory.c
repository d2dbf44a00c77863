/* test_memory.c - memory that is refused at any moment ends in an error and no leak; random scenes compile. */
#include "rich.h"

/* an allocator that refuses call number `left` and counts what is out */
typedef struct miser {
    long left, out;
} miser;

static void *miserly(void *user, void *p, size_t size)
{
    miser *m = user;
    if (size == 0) {
        m->out -= p != NULL;
        free(p);
        return NULL;
    }
    if (m->left-- <= 0) {
        return NULL;
    }
    m->out += p == NULL;
    return realloc(p, size);
}

static ss_context *miserly_context(miser *m)
{
    ss_context_options options = ss_context_options_default();
    ss_context *ctx = NULL;
    options.allocator.resize = miserly;
    options.allocator.user = m;
    if (ss_context_create(&options, &ctx) != SS_OK) {
        fail_msg("no context");
    }
    return ctx;
}

/* a bar beside the rich scene, held at one end */
static void add_bar(ss_context *ctx, ss_scene *scene)
{
    ss_elements_desc d = ss_elements_desc_default();
    d.name = "bar";
    d.type = "bar";
    d.size[0] = d.size[1] = 0.1;
    d.size[2] = ss_scene_get_settings(scene)->dimension == 3 ? 0.1 : 0;
    d.divisions = 3;
    d.E = d.density = 1;
    d.first = "world";
    CHECK_OK(ctx, ss_scene_add_elements(scene, &d));
}

/* and a solid of a few elements */
static void add_solid(ss_context *ctx, ss_scene *scene)
{
    ss_elements_desc d = ss_elements_desc_default();
    d.name = "solid";
    d.type = ss_scene_get_settings(scene)->dimension == 3 ? "tetrahedron" : "triangle";
    for (int axis = 0; axis < ss_scene_get_settings(scene)->dimension; axis++) {
        d.size[axis] = d.solid.divisions[axis] = 1;
    }
    d.E = d.density = 1;
    d.solid.side[SS_LEFT] = "world";
    CHECK_OK(ctx, ss_scene_add_elements(scene, &d));
}

TEST(compiling_survives_a_refusal_of_memory_at_every_call)
{
    miser m = { 1000000, 0 };
    ss_context *ctx = miserly_context(&m);
    for (int dimension = 2; dimension <= 3; dimension++) {
        ss_scene *scene = rich_scene(ctx, dimension);
        add_bar(ctx, scene);
        add_solid(ctx, scene);
        long before = m.out, refused = 0;
        ss_status status = SS_ERR_MEMORY;
        for (long n = 0; status != SS_OK; n++) {
            ss_model *model = NULL;
            m.left = n;
            status = ss_model_compile(ctx, scene, &model);
            m.left = 1000000;
            CHECK(status == SS_OK || status == SS_ERR_MEMORY);
            CHECK((model != NULL) == (status == SS_OK));
            refused += status != SS_OK;
            ss_model_destroy(model);
            CHECK(m.out == before);
        }
        CHECK(refused > 100); /* the scene has more parts than that */
        ss_scene_destroy(scene);
    }
    ss_context_destroy(ctx);
    CHECK(m.out == 0);
}

/* everything a scene copies, so that every copy is refused once */
static ss_status edit(ss_context *ctx, ss_scene *scene)
{
    static const double t[1] = { 0 }, value[3] = { 1, 0, 0 };
    ss_body_desc body = standing("arm", SS_BODY_DRIVEN);
    ss_force_desc force = force_between("f", "table", "arm", NULL);
    ss_joint_desc joint = joint_between("j", "revolute", "arm", "world");
    ss_pair_desc pair = ss_pair_desc_default();
    const ss_setting option = { "key", 0, "text" };
    (void)ctx;
    body.motion[0] = "t";
    body.motion_angle = "t";
    force.table = (ss_table){ 1, t, value, value };
    joint.motor.speed = "t";
    pair.materials[0] = pair.materials[1] = "a";
    SS_TRY(ss_scene_add_body(scene, &body, NULL));
    SS_TRY(ss_scene_add_force(scene, &force, NULL));
    SS_TRY(ss_scene_add_joint(scene, &joint, NULL));
    SS_TRY(ss_scene_add_pair(scene, &pair));
    return ss_scene_set_option(scene, "scheme", &option);
}

TEST(a_scene_survives_a_refusal_of_memory_at_every_call)
{
    miser m = { 1000000, 0 };
    ss_context *ctx = miserly_context(&m);
    long before = m.out;
    ss_status status = SS_ERR_MEMORY;
    for (long n = 0; status != SS_OK; n++) {
        ss_scene_settings settings = ss_scene_settings_default();
        ss_scene *scene = NULL;
        settings.name = "name";
        m.left = n;
        status = ss_scene_create(ctx, &settings, &scene);
        status = status == SS_OK ? edit(ctx, scene) : status;
        m.left = 1000000;
        CHECK(status == SS_OK || status == SS_ERR_MEMORY);
        ss_scene_destroy(scene);
        CHECK(m.out == before);
    }
    ss_context_destroy(ctx);
    CHECK(m.out == 0);
}

/* ---- random scenes ------------------------------------------------------------------------------------------- */

static ss_body_desc random_body(uint64_t *seed, int dimension)
{
    ss_body_desc d = ss_random_uniform(seed) < 0.5 ? rigid(NULL, 0, 0) : particle(NULL, 0, 0);
    for (int k = 0; k < dimension; k++) {
        d.position[k] = 10 * uniform(seed);
    }
    for (int k = 0; k < 4 && dimension == 3; k++) {
        d.orientation[k] = uniform(seed);
    }
    d.angle = dimension == 2 ? 3 * uniform(seed) : 0;
    return d;
}

TEST(random_scenes_at_rest_compile_and_are_consistent)
{
    ss_context *ctx = test_context();
    uint64_t seed = 12;
    for (int trial = 0; trial < 60; trial++) {
        int dimension = 2 + trial % 2;
        char name[12][16];
        ss_scene *scene = new_scene(ctx, dimension);
        ss_body_type type[12];
        for (int b = 0; b < 12; b++) {
            ss_body_desc d = random_body(&seed, dimension);
            snprintf(name[b], sizeof name[b], "n%d", b);
            d.name = name[b];
            type[b] = d.type;
            add_sphere(scene, ctx, add_body(scene, ctx, d), 0.1 + ss_random_uniform(&seed), NULL);
        }
        for (int j = 0; j < 12; j++) { /* loops and redundant joints among them */
            int a = (int)(12 * ss_random_uniform(&seed)), b = (a + 1 + (int)(11 * ss_random_uniform(&seed))) % 12;
            bool turn = type[a] == SS_BODY_RIGID && type[b] == SS_BODY_RIGID;
            static const char *const kinds[] = { "distance", "fixed", "revolute", "spherical", "distance" };
            ss_joint_desc d = joint_between(NULL, turn ? kinds[j % 5] : "distance", name[a], name[b]);
            d.axis[0] = uniform(&seed);
            d.axis[1] = uniform(&seed);
            d.axis[2] = dimension == 3 ? uniform(&seed) : 0;
            for (int k = 0; k < dimension && turn && j % 5 >= 2 && j % 5 <= 3; k++) {
                d.at[k] = 10 * uniform(&seed);
            }
            add_joint(scene, ctx, d);
            add_force(scene, ctx, force_between(NULL, j % 2 ? "spring" : "spring_damper", name[a], j % 3 ? name[b] : "world"));
        }
        ss_model_destroy(compiled(ctx, scene));
    }
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling_survives_a_refusal_of_memory_at_every_call),
        cmocka_unit_test(a_scene_survives_a_refusal_of_memory_at_every_call),
        cmocka_unit_test(random_scenes_at_rest_compile_and_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
