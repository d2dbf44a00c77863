/* test_crossings.c - edges of solids that cross those of shapes and of other solids: gap, rows and accelerations against
 * differences, momentum, what is found. */
#include "solid_contacts.h"

/* The upper rim of the block p along x at y = 0, z = 0.5; over it, leaning outwards by 0.4 rad, the lowest edge of a rigid box,
 * 20 mm above it, and that of a bar q of tetrahedra, 10 mm above it. */
static const char words[] =
    "{'slipstick':1,'name':'x','dimension':3,'bodies':["
    "{'name':'box','type':'rigid','mass':1,'inertia':[0.1,0.2,0.3],'position':[0.3,-0.0275360351,0.585128847],'orientation':[0."
    "905463452,0.183546528,0.375055242,0.0760274614],"
    "'angular_velocity':[0.2,0.1,0.3],'velocity':[0.3,0.1,-0.5],'shapes':[{'type':'box','size':[0.1,1,0.1]}]}],"
    "'elements':[{'name':'p','type':'tetrahedron','size':[1,0.5,0.5],'divisions':[2,1,1],'E':10,'density':1,"
    "'angular_velocity':[1,0.5,0.2]},{'name':'q','type':'tetrahedron','size':[0.1,1,0.1],'position':[0.8,-0.460530497,0."
    "315290829],"
    "'orientation':[0.905463452,0.183546528,-0.375055242,-0.0760274614],'divisions':[1,1,1],'E':10,'density':1,'velocity':[0.2,0,"
    "-1],'angular_velocity':[0.3,0.2,1]}]}";

static int count_crossings(scene *s, double reach, check_fn check)
{
    int count = 0;
    CHECK_OK(s->ctx, ss_finder_find(s->finder, &s->c, reach, &s->set));
    for (int k = 0; k < s->set.n; k++) {
        if (s->set.c[k].id.kind == SS_CONTACT_CROSSING) {
            check(s, &s->set.c[k]);
            count++;
        }
    }
    return count;
}

static void for_both_crossings(check_fn check)
{
    scene s = begin_with(words);
    CHECK(count_crossings(&s, 0.03, check) == 2);
    leave(&s);
}

TEST(the_normal_velocity_at_a_crossing_is_the_rate_of_its_gap) { for_both_crossings(check_rate); }

TEST(accelerations_at_a_crossing_agree_with_differences) { for_both_crossings(check_acceleration); }

TEST(what_an_edge_gives_the_nodes_of_the_other_lose) { for_both_crossings(check_momentum); }

/* n = (0, -sin a, cos a) looks out of the rim and into the edge above it; the gap is the height above the rim, times cos a */
static void check_place(scene *s, const ss_contact *contact)
{
    const bool rigid = s->m->edge[contact->id.a].solid < 0;
    ss_contact_value value;
    CHECK_OK(s->ctx, ss_contact_eval(s->ctx, s->m, &s->c, contact, &value));
    CHECK_NEAR(value.gap, (rigid ? 0.02 : 0.01) * cos(0.4), 1e-8);
    CHECK_NEAR(fabs(value.normal.z), cos(0.4), 1e-8);
    CHECK_NEAR(value.normal.y * value.normal.z, -sin(0.4) * cos(0.4), 1e-8);
    CHECK(value.outside < 0);
    CHECK(!rigid || value.normal.z > 0); /* the box is the first side */
}

TEST(edges_that_cross_are_found_with_the_normal_that_looks_out_of_both) { for_both_crossings(check_place); }

static void ignore(scene *s, const ss_contact *contact)
{
    (void)s;
    (void)contact;
}

TEST(edges_that_are_farther_apart_than_the_reach_do_not_cross)
{
    scene s = begin_with(words);
    CHECK(count_crossings(&s, 0.012, ignore) == 1);
    CHECK(count_crossings(&s, 0, ignore) == 0);
    leave(&s);
}

/* how many crossings there are if the edge of the box leans outwards by another angle */
static int leaning(double angle)
{
    scene s = begin_with(words);
    double *q;
    const double half = 0.1 / sqrt(2), way = 0.5 + 0.01 + half * cos(angle), c = cos(angle / 2), t = sin(angle / 2),
                 d = cos(acos(-1) / 8), e = sin(acos(-1) / 8);
    const double pose[7] = { 0.3, -half * sin(angle), way, c * d, t * d, c * e, t * e };
    CHECK_OK(s.ctx, ss_arena_take(s.arena, (size_t)s.m->nq, sizeof *q, &q));
    memcpy(q, s.m->q0, (size_t)s.m->nq * sizeof *q);
    memcpy(q, pose, sizeof pose);
    ss_config_set(s.m, 0, q, &s.c);
    CHECK_OK(s.ctx, ss_finder_find(s.finder, &s.c, 0.012, &s.set));
    int count = 0;
    for (int k = 0; k < s.set.n; k++) {
        const ss_contact_id *id = &s.set.c[k].id;
        count += id->kind == SS_CONTACT_CROSSING && s.m->edge[id->a].solid < 0;
    }
    leave(&s);
    return count;
}

/* parallel to the top, the nodes of the rim touch the box, or its corners the top: no edge does */
TEST(an_edge_touches_from_where_its_normal_is_no_longer_that_of_a_face)
{
    CHECK(leaning(0.4) == 1);
    CHECK(leaning(0.05) == 1);
    CHECK(leaning(0.0005) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_velocity_at_a_crossing_is_the_rate_of_its_gap),
        cmocka_unit_test(accelerations_at_a_crossing_agree_with_differences),
        cmocka_unit_test(what_an_edge_gives_the_nodes_of_the_other_lose),
        cmocka_unit_test(edges_that_cross_are_found_with_the_normal_that_looks_out_of_both),
        cmocka_unit_test(edges_that_are_farther_apart_than_the_reach_do_not_cross),
        cmocka_unit_test(an_edge_touches_from_where_its_normal_is_no_longer_that_of_a_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
