/* test_assembly.c - what an assembly remembers of its solution it recalls, in whatever frame the contact has by then, and at the
 * level at which it was remembered. */
#include "unit/schemes/event_capturing_rk/closed_scene.h"

#include "kernels/assembly.h"

/* two balls on a rough floor */
static const char balls[] = HEAD(3, "[0,0,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':["
                                                 "{'name':'a','type':'rigid','mass':1,'position':[0,0,1],"
                                                 "'shapes':[{'type':'sphere','radius':1,'material':'m'}]},"
                                                 "{'name':'b','type':'rigid','mass':1,'position':[5,0,1],"
                                                 "'shapes':[{'type':'sphere','radius':1,'material':'m'}]},"
                                                 "{'name':'floor','type':'fixed',"
                                                 "'shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}]}";
enum { BALLS = 2, ROWS = 3 * BALLS };

typedef struct assembled {
    closed_scene scene;
    ss_assembly *a;
    ss_config c;
    ss_contact_cache cache;
} assembled;

static void pose(assembled *x)
{
    CHECK_OK(x->scene.ctx, ss_assembly_geometry(x->a, &x->c, &x->scene.set, BALLS, NULL, (ss_friction){ SS_LAW_COULOMB, 4 }, 1));
    CHECK(x->a->problem.row[BALLS] == ROWS && !x->a->solution.warm);
}

static void open_balls(assembled *x)
{
    open_held(&x->scene, balls, 0, 0, NULL);
    x->cache = (ss_contact_cache){ 0 };
    CHECK(x->scene.set.n == BALLS);
    CHECK_OK(x->scene.ctx, ss_assembly_create(x->scene.ctx, x->scene.m, &x->a));
    CHECK_OK(x->scene.ctx, ss_config_take(x->scene.s->arena, x->scene.m, &x->c));
    ss_config_set(x->scene.m, 0, x->scene.q, &x->c);
    pose(x);
}

static void close_balls(assembled *x)
{
    ss_contact_cache_free(x->scene.ctx, &x->cache);
    ss_assembly_destroy(x->scene.ctx, x->a);
    close_held(&x->scene);
}

/* a solution that has other numbers everywhere, `scale` times */
static void put_solution(assembled *x, double scale)
{
    for (int i = 0; i < ROWS; i++) {
        x->a->solution.r[i] = scale * (1 + i * i);
    }
    for (int k = 0; k < BALLS; k++) {
        x->a->solution.basis[k] = (uint64_t)(7 + k) * (uint64_t)scale;
    }
}

static void remember(assembled *x, ss_level level) { CHECK_OK(x->scene.ctx, ss_assembly_remember(x->a, &x->cache, level)); }

static void check_recalled(assembled *x, ss_level level, double scale)
{
    pose(x);
    ss_assembly_recall(x->a, &x->cache, level);
    CHECK(x->a->solution.warm);
    for (int i = 0; i < ROWS; i++) {
        CHECK_NEAR(x->a->solution.r[i], scale * (1 + i * i), 1e-14 * scale * ROWS * ROWS); /* round-off of a change of frame */
    }
    for (int k = 0; k < BALLS; k++) {
        CHECK(x->a->solution.basis[k] == (uint64_t)(7 + k) * (uint64_t)scale);
        CHECK_NEAR(x->cache.level[level].entry[k].normal, scale * (1 + 9 * k * k), 0);
    }
}

TEST(a_solution_comes_back_at_its_own_level_and_at_no_other)
{
    assembled x;
    open_balls(&x);
    put_solution(&x, 1);
    remember(&x, SS_LEVEL_VELOCITY);
    ss_assembly_recall(x.a, &x.cache, SS_LEVEL_POSITION);
    CHECK(!x.a->solution.warm); /* there is none */
    put_solution(&x, 2);
    remember(&x, SS_LEVEL_POSITION);
    check_recalled(&x, SS_LEVEL_VELOCITY, 1);
    check_recalled(&x, SS_LEVEL_POSITION, 2);
    close_balls(&x);
}

/* turned by 90 degrees about the normal */
static void turn_tangents(assembled *x, int k)
{
    ss_contact_value *value = ss_assembly_value(x->a, k);
    const ss_vec3 first = value->tangent[0];
    value->tangent[0] = value->tangent[1];
    value->tangent[1] = ss_scale(-1, first);
}

TEST(impulses_of_shapes_are_vectors_of_the_world)
{
    assembled x;
    open_balls(&x);
    put_solution(&x, 1); /* 1, 2, 5 */
    remember(&x, SS_LEVEL_VELOCITY);
    turn_tangents(&x, 0);
    ss_assembly_recall(x.a, &x.cache, SS_LEVEL_VELOCITY);
    const double *r = x.a->solution.r, turned[3] = { 1, 5, -2 };
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(r[i], turned[i], 1e-14);
    }
    close_balls(&x);
}

/* as a gap of a user block has them, whose rows have no directions in the world */
TEST(impulses_of_other_contacts_are_numbers_of_their_rows)
{
    assembled x;
    open_balls(&x);
    x.scene.set.c[1].id.kind = ss_assembly_set(x.a).c[1].id.kind = SS_CONTACT_BLOCK;
    put_solution(&x, 1); /* 10, 17, 26 */
    remember(&x, SS_LEVEL_VELOCITY);
    turn_tangents(&x, 1);
    ss_assembly_recall(x.a, &x.cache, SS_LEVEL_VELOCITY);
    for (int i = 3; i < ROWS; i++) {
        CHECK(x.a->solution.r[i] == 1 + i * i);
    }
    close_balls(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solution_comes_back_at_its_own_level_and_at_no_other),
        cmocka_unit_test(impulses_of_shapes_are_vectors_of_the_world),
        cmocka_unit_test(impulses_of_other_contacts_are_numbers_of_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
