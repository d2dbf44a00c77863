/* test_facets.c - corners of shapes at facets of solids: gap, rows and accelerations against differences, momentum, what is
 * found. */
#include "contact/contact.h"
#include "math/csr.h"
#include "test.h"

typedef struct scene {
    ss_context *ctx;
    ss_model *m;
    ss_finder *finder;
    ss_arena *arena;
    ss_config c;
    ss_contact_set set;
} scene;

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
    char text[4096];
    scene s = { .ctx = test_context() };
    ss_scene *parsed = NULL;
    strcpy(text, dimension == 2 ? plane : space);
    for (char *at = text; (at = strchr(at, '\''));) {
        *at = '"';
    }
    CHECK_OK(s.ctx, ss_scene_parse(s.ctx, text, strlen(text), "scene", 0, NULL, &parsed));
    CHECK_OK(s.ctx, ss_model_compile(s.ctx, parsed, &s.m));
    ss_scene_destroy(parsed);
    CHECK_OK(s.ctx, ss_finder_create(s.ctx, s.m, &s.finder));
    CHECK_OK(s.ctx, ss_arena_create(s.ctx, 4096, &s.arena));
    CHECK_OK(s.ctx, ss_config_take(s.arena, s.m, &s.c));
    ss_config_set(s.m, 0, s.m->q0, &s.c);
    return s;
}

static void leave(scene *s)
{
    ss_contacts_free(s->ctx, &s->set);
    ss_arena_destroy(s->arena);
    ss_finder_destroy(s->finder);
    ss_model_destroy(s->m);
    ss_context_destroy(s->ctx);
}

typedef void (*check_fn)(scene *s, const ss_contact *contact);

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

static const double step = 1e-6;

/* value, and rows times v0, where all bodies have moved for h with their velocities */
static void after(scene *s, const ss_contact *contact, double h, ss_contact_value *value, double u[3])
{
    double *q, drive[3];
    ss_csr H = { 0 };
    ss_config c;
    int rows;
    CHECK_OK(s->ctx, ss_arena_take(s->arena, (size_t)s->m->nq, sizeof *q, &q));
    CHECK_OK(s->ctx, ss_config_take(s->arena, s->m, &c));
    ss_model_retract(s->m, s->m->q0, s->m->v0, h, q);
    ss_config_set(s->m, h, q, &c);
    CHECK_OK(s->ctx, ss_contact_eval(s->ctx, s->m, &c, contact, value));
    ss_csr_reset(&H, s->m->nv);
    CHECK_OK(s->ctx, ss_contact_rows(s->ctx, s->m, &c, contact, value, true, &H, drive, &rows));
    for (int k = 0; k < rows; k++) {
        u[k] = ss_csr_row_dot(&H, k, s->m->v0) + drive[k];
        CHECK_NEAR(u[k], ss_contact_velocity(s->m, &c, contact, value, k, s->m->v0), 1e-14);
    }
    ss_csr_free(s->ctx, &H);
}

static void check_rate(scene *s, const ss_contact *contact)
{
    ss_contact_value value[3];
    double u[3][3];
    for (int k = 0; k < 3; k++) {
        after(s, contact, (k - 1) * step, &value[k], u[k]);
    }
    CHECK_NEAR(u[1][0], (value[2].gap - value[0].gap) / (2 * step), 1e-8);
    CHECK_NEAR(ss_norm(value[1].normal), 1, 1e-14);
}

TEST(the_normal_velocity_at_a_facet_is_the_rate_of_its_gap) { for_every_facet(check_rate); }

/* of the tangents without what they turn: that is t' . slip */
static void check_acceleration(scene *s, const ss_contact *contact)
{
    ss_contact rough = *contact;
    ss_contact_value value[3];
    double u[3][3], out[3];
    rough.mu[0] = rough.mu[1] = 1;
    for (int k = 0; k < 3; k++) {
        after(s, &rough, (k - 1) * step, &value[k], u[k]);
    }
    CHECK_OK(s->ctx, ss_contact_acceleration(s->ctx, s->m, &s->c, &rough, &value[1], s->m->v0, s->m->dimension, out));
    ss_vec3 slip = ss_scale(u[1][0], value[1].normal);
    for (int k = 1; k < s->m->dimension; k++) {
        slip = ss_axpy(u[1][k], value[1].tangent[k - 1], slip);
    }
    for (int k = 0; k < s->m->dimension; k++) {
        const ss_vec3 turned = k == 0 ? ss_v3(0, 0, 0) : ss_sub(value[2].tangent[k - 1], value[0].tangent[k - 1]);
        CHECK_NEAR(out[k], (u[2][k] - u[0][k] - ss_dot(turned, slip)) / (2 * step), 1e-7);
    }
}

TEST(accelerations_at_a_facet_agree_with_differences) { for_every_facet(check_acceleration); }

/* H' r of a row moves the bodies of one side as it moves those of the other back: no momentum, no moment about the origin */
static void check_momentum(scene *s, const ss_contact *contact)
{
    const ss_model *m = s->m;
    ss_contact rough = *contact;
    ss_contact_value value;
    ss_csr H = { 0 };
    double drive[3];
    int rows;
    rough.mu[0] = rough.mu[1] = 1;
    CHECK_OK(s->ctx, ss_contact_eval(s->ctx, m, &s->c, &rough, &value));
    ss_csr_reset(&H, m->nv);
    CHECK_OK(s->ctx, ss_contact_rows(s->ctx, m, &s->c, &rough, &value, true, &H, drive, &rows));
    for (int turn = 0; turn < 2; turn++) { /* rigid velocities of the whole scene: a row does not see them */
        double v[256];
        for (int b = 0; b < m->bodies; b++) {
            const bool rigid = m->body_type[b] == SS_BODY_RIGID, space = m->dimension == 3;
            const ss_vec3 w = ss_v3(space ? 0.3 : 0, space ? -0.5 : 0, 1),
                          lin = turn ? ss_cross(w, s->c.frame[b].p) : ss_v3(1, 2, space ? 3 : 0);
            double x[3];
            ss_v3_to(lin, x);
            memcpy(v + m->body_v[b], x, (size_t)m->dimension * sizeof *v);
            if (rigid) {
                ss_v3_to(space ? ss_unrotate(s->c.frame[b].R, w) : w, x);
                memcpy(v + m->body_v[b] + m->dimension, space ? x : x + 2, (space ? 3 : 1) * sizeof *v);
                for (int i = 0; !turn && i < (space ? 3 : 1); i++) {
                    v[m->body_v[b] + m->dimension + i] = 0;
                }
            }
        }
        for (int k = 0; k < (turn ? 1 : rows);
             k++) { /* the point is half a gap away from each side: moments of tangents are off */
            CHECK_NEAR(ss_csr_row_dot(&H, k, v), 0, 1e-13);
        }
    }
    ss_csr_free(s->ctx, &H);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_velocity_at_a_facet_is_the_rate_of_its_gap),
        cmocka_unit_test(accelerations_at_a_facet_agree_with_differences),
        cmocka_unit_test(what_a_facet_gives_its_nodes_lose),
        cmocka_unit_test(facets_look_outwards_and_their_depth_is_the_height_of_their_element),
        cmocka_unit_test(a_corner_touches_the_facet_that_it_has_come_through_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
