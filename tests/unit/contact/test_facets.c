/* test_facets.c - corners of shapes at facets of solids: gap, rows and accelerations against differences, momentum, what is
 * found. */
#include "contact/facet.h"
#include "solid_contacts.h"

/* a solid of 2 x 1 (x 1) cells, 1 m long, and a box, a ball and another solid near its upper side */
static scene begin(int dimension)
{
    const char *
        plane = "{'slipstick':1,'name':'x','dimension':2,'bodies':["
                "{'name':'box','type':'rigid','mass':1,'inertia':0.1,'position':[0.3,0.7],'angle':0.4,'angular_velocity':2,"
                "'velocity':[0.3,-0.5],'shapes':[{'type':'box','size':[0.3,0.2]}]},"
                "{'name':'ball','type':'rigid','mass':1,'inertia':0.1,'position':[0.8,0.65],'velocity':[0.1,-0.4],'shapes':"
                "[{'type':'sphere','radius':0.1}]}],"
                "'elements':[{'name':'p','type':'triangle','size':[1,0.5],'divisions':[2,1],'E':10,'density':1,"
                "'angular_velocity':1},{'name':'q','type':'triangle','size':[0.2,0.2],'position':[0.45,0.55],'divisions':[1,1],"
                "'E':10,'density':1,'velocity':[0.2,-1]}]}",
       *space =
           "{'slipstick':1,'name':'x','dimension':3,'bodies':["
           "{'name':'box','type':'rigid','mass':1,'inertia':[0.1,0.2,0.3],'position':[0.3,0.3,0.7],'orientation':[0.9,0.2,0.3,0],"
           "'angular_velocity':[2,1,0],'velocity':[0.3,0.1,-0.5],'shapes':[{'type':'box','size':[0.3,0.2,0.2]}]},"
           "{'name':'ball','type':'rigid','mass':1,'inertia':[1,1,1],'position':[0.8,-0.05,0.58],'velocity':[0.1,0.3,-0.4],'"
           "shapes':"
           "[{'type':'sphere','radius':0.1}]}],"
           "'elements':[{'name':'p','type':'tetrahedron','size':[1,0.5,0.5],'divisions':[2,1,1],'E':10,'density':1,"
           "'angular_velocity':[1,0.5,0.2]},{'name':'q','type':'tetrahedron','size':[0.2,0.2,0.2],'position':[0.45,0.1,0.55],"
           "'divisions':[1,1,1],'E':10,'density':1,'velocity':[0.2,0,-1]}]}";
    return begin_with(dimension == 2 ? plane : space);
}

static void for_every_facet(check_fn check)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        scene s = begin(dimension);
        bool of_solids = false, rounded = false, at_side = false;
        int count = 0;
        CHECK_OK(s.ctx, ss_finder_find(s.finder, &s.c, 0.2, &s.set));
        for (int k = 0; k < s.set.n; k++) {
            if (s.set.c[k].id.kind == SS_CONTACT_FACET) {
                const ss_probe *probe = &s.m->probe[s.set.c[k].id.a];
                check(&s, &s.set.c[k]);
                of_solids = of_solids || probe->solid >= 0;
                rounded = rounded || probe->radius > 0;
                at_side = at_side || s.set.c[k].id.feature > 0;
                count++;
            }
        }
        CHECK(count > 4 && of_solids && rounded && at_side == (dimension == 3));
        leave(&s);
    }
}

TEST(the_normal_velocity_at_a_facet_is_the_rate_of_its_gap) { for_every_facet(check_rate); }

TEST(accelerations_at_a_facet_agree_with_differences) { for_every_facet(check_acceleration); }

TEST(what_a_facet_gives_its_nodes_lose) { for_every_facet(check_momentum); }

/* ---- what is found --------------------------------------------------------------------------------------- */

TEST(facets_look_outwards_and_their_depth_is_the_height_of_their_element)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        scene s = begin(dimension);
        const ss_vec3 middle = ss_v3(0.5, 0.25, dimension == 3 ? 0.25 : 0);
        for (int k = 0; k < s.m->facets; k++) {
            const ss_contact contact = { .id = { .kind = SS_CONTACT_FACET, .a = 0, .b = k }, .grain_body = -1 };
            const ss_facet *facet = &s.m->facet[k];
            ss_contact_value value;
            CHECK_OK(s.ctx, ss_contact_eval(s.ctx, s.m, &s.c, &contact, &value));
            if (facet->solid == 0) {
                const ss_vec3 node = s.c.frame[facet->at[0].body].p;
                CHECK(ss_dot(value.normal, ss_sub(node, middle)) > 0.1);
                CHECK_NEAR(facet->depth, 0.5, dimension == 2 ? 1e-14 : 0.3);
            }
        }
        CHECK(s.m->facets == (dimension == 2 ? 6 + 4 : 20 + 12));
        leave(&s);
    }
}

/* the corner q.0 is put somewhere and the facets of p that it touches are counted */
static int touched(scene *s, double x, double y, double reach)
{
    double *q;
    int count = 0, body = 0;
    while (strcmp(s->m->body_name[body], "q.0") != 0) {
        body++;
    }
    CHECK_OK(s->ctx, ss_arena_take(s->arena, (size_t)s->m->nq, sizeof *q, &q));
    memcpy(q, s->m->q0, (size_t)s->m->nq * sizeof *q);
    q[s->m->body_q[body]] = x;
    q[s->m->body_q[body] + 1] = y;
    ss_config_set(s->m, 0, q, &s->c);
    CHECK_OK(s->ctx, ss_finder_find(s->finder, &s->c, reach, &s->set));
    for (int k = 0; k < s->set.n; k++) {
        const ss_contact_id *id = &s->set.c[k].id;
        count +=
            id->kind == SS_CONTACT_FACET && s->m->shape_body[s->m->probe[id->a].shape] == body && s->m->facet[id->b].solid == 0;
    }
    return count;
}

TEST(a_corner_touches_the_facet_that_it_has_come_through_and_no_other)
{
    scene s = begin(2);
    CHECK(touched(&s, 0.3, 0.49, 0) == 1);        /* through the upper side                                     */
    CHECK(touched(&s, 0.01, 0.48, 0) == 1);       /* nearer to the left side                                    */
    CHECK(touched(&s, 0.1, 0.5 + 1e-12, 0) == 0); /* behind the left side, but above the upper one: outside */
    CHECK(touched(&s, 0.1, 0.6, 0) == 0);
    CHECK(touched(&s, 0.1, 0.52, 0.05) == 1);
    leave(&s);
}

/* the corner q.0 goes from one place to another: has it passed a facet of p? */
static bool passes(double x0, double y0, double x1, double y1)
{
    scene s = begin(2);
    const double place[2][2] = { { x0, y0 }, { x1, y1 } };
    ss_config c[2];
    bool passed = false;
    int body = 0;
    while (strcmp(s.m->body_name[body], "q.0") != 0) {
        body++;
    }
    for (int k = 0; k < 2; k++) {
        double *q;
        CHECK_OK(s.ctx, ss_arena_take(s.arena, (size_t)s.m->nq, sizeof *q, &q));
        memcpy(q, s.m->q0, (size_t)s.m->nq * sizeof *q);
        memcpy(q + s.m->body_q[body], place[k], sizeof place[k]);
        CHECK_OK(s.ctx, ss_config_take(s.arena, s.m, &c[k]));
        ss_config_set(s.m, 0, q, &c[k]);
    }
    for (int k = 0; k < s.m->probes * s.m->facets && ss_facets_move_far(s.m, &c[0], &c[1]); k++) {
        const ss_contact contact = { .id = { .kind = SS_CONTACT_FACET, .a = k / s.m->facets, .b = k % s.m->facets } };
        const bool asked = s.m->shape_body[s.m->probe[contact.id.a].shape] == body && s.m->facet[contact.id.b].solid == 0;
        passed = passed || (asked && ss_facet_was_passed(s.m, &c[0], &c[1], &contact));
    }
    leave(&s);
    return passed;
}

/* p fills 0 <= x <= 1, 0 <= y <= 0.5 with one row of elements */
TEST(a_corner_that_goes_through_an_element_has_passed_its_facet)
{
    CHECK(passes(0.3, 0.6, 0.3, -0.1));  /* through the whole block                     */
    CHECK(!passes(0.3, 0.6, 0.3, 0.4));  /* inside: it is found there                   */
    CHECK(!passes(-0.1, 0.6, -0.1, -1)); /* beside it                                    */
    CHECK(!passes(0.3, 0.6, -3, -0.1));  /* it crosses the height of the top beside it */
    CHECK(!passes(0.3, -0.1, 0.3, -2));  /* away from it                                 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_velocity_at_a_facet_is_the_rate_of_its_gap),
        cmocka_unit_test(accelerations_at_a_facet_agree_with_differences),
        cmocka_unit_test(what_a_facet_gives_its_nodes_lose),
        cmocka_unit_test(facets_look_outwards_and_their_depth_is_the_height_of_their_element),
        cmocka_unit_test(a_corner_touches_the_facet_that_it_has_come_through_and_no_other),
        cmocka_unit_test(a_corner_that_goes_through_an_element_has_passed_its_facet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
