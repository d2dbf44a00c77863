/* test_many_contacts.c - a floor full of balls that touch each other: what is found of their contacts on several threads at once
 * is what is found on one, and what each contact says for itself. */
#include "kernels/assembly.h"
#include "schemes/anitescu_convex/slack.h"
#include "sim/sim.h"
#include "test.h"
#include <slipstick/io.h>
#include <stdlib.h>

enum { SIDE = 24, SIZE = 1 << 18 }; /* SIDE^2 balls, with the floor and their neighbours 1680 contacts; the text of the scene */

/* h of a step that is asked about, s */
static const double h = 0.01;

typedef struct crowd {
    ss_context *ctx;
    ss_scene *scene;
    ss_model *m;
    ss_sim *sim;
    ss_stepper *s;
    ss_vicinity *v;
    ss_assembly *a;
    ss_config here, there;
    double *velocity, *ahead; /* nv: random; the latter leads to `there` */
    int *all;                 /* 0, 1, 2, ..                             */
} crowd;

/* balls of radius 1/2, 1 apart, and a slider with two limits */
static void write_scene(char *text)
{
    char *end = text;
    end += sprintf(end, "{\"slipstick\":1,\"dimension\":3,\"gravity\":[0,0,-10],\"time\":{\"until\":1,\"step\":0.01},\"scheme\":{"
                        "\"name\":\"anitescu_convex\"},\"materials\":[{\"name\":\"m\",\"mu\":0.5,\"rolling_friction\":0.02,"
                        "\"spinning_friction\":0.01}],\"joints\":[{\"name\":\"slider\",\"type\":\"prismatic\",\"bodies\":["
                        "\"block\",\"floor\"],\"axis\":[1,0,0],\"limits\":[-1,1]}],\"bodies\":[{\"name\":\"floor\",\"type\":"
                        "\"fixed\",\"shapes\":[{\"type\":\"half_space\",\"normal\":[0,0,1],\"material\":\"m\"}]},{\"name\":"
                        "\"block\",\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,1,1],\"position\":[0,0,0]}");
    for (int i = 0; i < SIDE * SIDE; i++) {
        end +=
            sprintf(end,
                    ",{\"name\":\"b%d\",\"type\":\"rigid\",\"mass\":1,\"position\":[%d,%d,0.5],\"shapes\":[{\"type\":\"sphere\","
                    "\"radius\":0.5,\"material\":\"m\"}]}",
                    i, i % SIDE, i / SIDE);
    }
    strcpy(end, "]}");
}

static void open_crowd(crowd *x)
{
    char *text = malloc(SIZE);
    ss_sim_options options = ss_sim_options_default();
    uint64_t seed = 1;
    write_scene(text);
    CHECK(strlen(text) < SIZE);
    options.allow_overlap = true;
    *x = (crowd){ .ctx = test_context() };
    CHECK_OK(x->ctx, ss_scene_parse(x->ctx, text, strlen(text), "scene", 0, NULL, &x->scene));
    CHECK_OK(x->ctx, ss_model_compile(x->ctx, x->scene, &x->m));
    CHECK_OK(x->ctx, ss_sim_create(x->ctx, x->m, &options, &x->sim));
    x->s = &x->sim->stepper;
    CHECK_OK(x->ctx, ss_vicinity_create(x->ctx, x->m, &x->v));
    CHECK_OK(x->ctx, ss_assembly_create(x->ctx, x->m, &x->a));
    CHECK_OK(x->ctx, ss_config_take(x->s->arena, x->m, &x->here));
    CHECK_OK(x->ctx, ss_config_take(x->s->arena, x->m, &x->there));
    CHECK_OK(x->ctx, ss_arena_take(x->s->arena, (size_t)x->m->nv, sizeof(double), &x->velocity));
    CHECK_OK(x->ctx, ss_arena_take(x->s->arena, (size_t)x->m->nv, sizeof(double), &x->ahead));
    for (int i = 0; i < x->m->nv; i++) {
        x->velocity[i] = ss_random_uniform(&seed) - 0.5;
        x->ahead[i] = ss_random_uniform(&seed) - 0.5;
    }
    double *q;
    CHECK_OK(x->ctx, ss_arena_take(x->s->arena, (size_t)x->m->nq, sizeof(double), &q));
    ss_model_retract(x->m, x->m->q0, x->ahead, h, q);
    ss_config_set(x->m, 0, x->m->q0, &x->here);
    ss_config_drive(x->m, 0, h, &x->here);
    ss_config_set(x->m, h, q, &x->there);
    ss_config_drive(x->m, 0, h, &x->there);
    CHECK_OK(x->ctx, ss_vicinity_survey(x->v, x->s, &x->here, x->velocity, h, 0));
    CHECK_OK(x->ctx, ss_arena_take(x->s->arena, (size_t)x->v->near.n, sizeof *x->all, &x->all));
    for (int k = 0; k < x->v->near.n; k++) {
        x->all[k] = k;
    }
    CHECK(x->v->near.n >= 2 * SIDE * (SIDE - 1) + SIDE * SIDE + 2); /* two limits are behind them */
    CHECK(x->v->near.c[x->v->near.n - 1].id.kind == SS_CONTACT_LIMIT);
    free(text);
}

static void close_crowd(crowd *x)
{
    ss_assembly_destroy(x->ctx, x->a);
    ss_vicinity_destroy(x->ctx, x->v);
    ss_sim_destroy(x->sim);
    ss_model_destroy(x->m);
    ss_scene_destroy(x->scene);
    ss_context_destroy(x->ctx);
}

static double *take(crowd *x, int n)
{
    double *out;
    CHECK_OK(x->ctx, ss_arena_take(x->s->arena, (size_t)n, sizeof *out, &out));
    return out;
}

static bool same(int n, const double *x, const double *y) { return memcmp(x, y, (size_t)n * sizeof *x) == 0; }

static void put_rows(crowd *x, const ss_config *c, ss_friction friction)
{
    CHECK_OK(x->ctx, ss_assembly_geometry(x->a, c, &x->v->near, x->v->near.n, NULL, friction, h));
}

TEST(a_survey_and_the_gaps_after_it_do_not_depend_on_the_number_of_threads)
{
    crowd x;
    open_crowd(&x);
    const int n = x.v->near.n;
    double *gap[3], *depth[3], *approach = take(&x, n), *slow = take(&x, n);
    const double safe = x.v->safe;
    ss_contact_set first = { 0 };
    CHECK_OK(x.ctx, ss_contacts_merge(x.ctx, &first, &x.v->near));
    memcpy(approach, x.v->approach, (size_t)n * sizeof *approach);
    memcpy(slow, x.v->slow, (size_t)n * sizeof *slow);
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(x.ctx, threads);
        CHECK_OK(x.ctx, ss_vicinity_survey(x.v, x.s, &x.here, x.velocity, h, 0));
        CHECK(x.v->near.n == n && x.v->safe == safe && same(n, x.v->approach, approach) && same(n, x.v->slow, slow));
        for (int k = 0; k < n; k++) {
            CHECK(ss_contact_id_compare(&x.v->near.c[k].id, &first.c[k].id) == 0);
        }
        gap[threads - 1] = take(&x, n);
        depth[threads - 1] = take(&x, n);
        CHECK_OK(x.ctx, ss_vicinity_look_at(x.v, x.m, &x.there, n, x.all, gap[threads - 1], depth[threads - 1]));
        CHECK(same(n, gap[threads - 1], gap[0]) && same(n, depth[threads - 1], depth[0]));
    }
    for (int k = 0; k < n; k++) {
        ss_contact_value value;
        CHECK_OK(x.ctx, ss_contact_eval(x.ctx, x.m, &x.there, &x.v->near.c[k], &value));
        CHECK(gap[0][k] == ss_vicinity_gap(x.v, x.m, k, &value));
        CHECK(depth[0][k] == ss_contact_depth(&value) / ss_contact_unit(x.m, &x.v->near.c[k]));
    }
    ss_contacts_free(x.ctx, &first);
    close_crowd(&x);
}

/* rows of one contact after the other, with a polygon, on any number of threads */
TEST(rows_that_are_written_at_once_are_those_of_each_contact)
{
    crowd x;
    open_crowd(&x);
    ss_csr row = { 0 };
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(x.ctx, threads);
        put_rows(&x, &x.there, (ss_friction){ SS_LAW_POLYHEDRAL, 6 });
        const ss_problem *p = &x.a->problem;
        CHECK(p->nc > 2 * x.v->near.n && p->H.m == p->row[p->nc] && p->host[p->nc - 1] < x.v->near.n);
        for (int k = 0; k < p->nc; k++) {
            double drive[3];
            int rows;
            ss_csr_reset(&row, x.m->nv);
            CHECK_OK(x.ctx, ss_contact_rows(x.ctx, x.m, &x.there, x.a->contacts.c[k], x.a->value[k], true, &row, drive, &rows));
            CHECK(rows == p->row[k + 1] - p->row[k] && same(rows, x.a->w_drive + p->row[k], drive));
            const int first = p->H.p[p->row[k]], length = row.p[rows];
            CHECK(p->H.p[p->row[k + 1]] - first == length && same(length, p->H.x + first, row.x));
            CHECK(memcmp(p->H.i + first, row.i, (size_t)length * sizeof *row.i) == 0);
            CHECK(p->dir[k + 1] - p->dir[k] == (p->law[k] == SS_LAW_POLYHEDRAL ? 6 : 0));
        }
    }
    ss_csr_free(x.ctx, &row);
    close_crowd(&x);
}

TEST(values_that_are_known_are_not_found_again)
{
    crowd x;
    open_crowd(&x);
    const int which[] = { 3, 5 };
    ss_contact_value value[6];
    ss_contact_set near = x.v->near;
    memcpy(value, ss_vicinity_values(x.v), sizeof value);
    value[5].gap = 7;
    near.value = value;
    CHECK_OK(x.ctx, ss_assembly_geometry(x.a, &x.here, &near, 2, which, (ss_friction){ SS_LAW_COULOMB, 4 }, h));
    CHECK(x.a->value[1]->gap == 7 && x.a->value[0]->gap == x.v->gap[3]);
    close_crowd(&x);
}

/* with the two limits, and moments behind them; no value is known of these */
TEST(a_problem_that_borrows_its_contacts_is_that_of_their_copies)
{
    crowd x;
    open_crowd(&x);
    const ss_friction friction = { SS_LAW_COULOMB, 4 };
    ss_contact_set *near = &x.v->near;
    const ss_problem *p = &x.a->problem;
    for (int known = 0; known <= 1; known++) {
        near->value = known ? ss_vicinity_values(x.v) : NULL;
        x.a->room.borrows = false;
        put_rows(&x, &x.here, friction);
        const int nc = p->nc, entries = p->H.p[p->H.m];
        double *rows = take(&x, entries);
        memcpy(rows, p->H.x, (size_t)entries * sizeof *rows);
        x.a->room.borrows = true;
        put_rows(&x, &x.here, friction);
        CHECK(p->nc == nc && nc > near->n && p->H.p[p->H.m] == entries && same(entries, p->H.x, rows));
        for (int k = 0; k < nc; k++) {
            ss_contact_value value;
            const bool shapes = k < near->n && near->c[k].id.kind == SS_CONTACT_SHAPES;
            CHECK_OK(x.ctx, ss_contact_eval(x.ctx, x.m, &x.here, x.a->contacts.c[k], &value));
            CHECK(x.a->value[k]->gap == value.gap);
            CHECK((x.a->contacts.c[k] == &near->c[k]) == (k < near->n));
            CHECK((near->value && x.a->value[k] == &near->value[k]) == (known && shapes));
        }
    }
    near->value = NULL;
    close_crowd(&x);
}

/* |u_T| of contact k of the problem */
static double slip(const ss_problem *p, int k, const double *u)
{
    const int first = p->dir[k], directions = p->dir[k + 1] - first;
    double most = 0;
    for (int j = first; j < first + directions; j++) {
        most = fmax(most, -(p->direction[2 * j] * u[1] + p->direction[2 * j + 1] * u[2]));
    }
    return directions > 0 ? most : hypot(u[1], u[2]);
}

/* by the rows of the assembly, moments included */
static double slack_by_rows(const crowd *x, int k, const double *v_there)
{
    const ss_problem *p = &x->a->problem;
    double u[3] = { 0 }, moments = 0;
    for (int i = 0; i < p->row[k + 1] - p->row[k]; i++) {
        u[i] = ss_csr_row_dot(&p->H, p->row[k] + i, x->velocity) + x->a->w_drive[p->row[k] + i];
    }
    for (int j = x->v->near.n; j < p->nc; j++) {
        double sum = 0;
        for (int i = p->row[j]; p->host[j] == k && i < p->row[j + 1]; i++) {
            sum += pow(ss_csr_row_dot(&p->H, i, x->velocity) + x->a->w_drive[i], 2);
        }
        moments += p->mu[j] * sqrt(sum);
    }
    const double lift = p->row[k + 1] - p->row[k] > 1 ? p->mu[k] * slip(p, k, u) : 0;
    return x->a->value[k]->gap + h * (u[0] - moments - lift - (v_there ? ss_assembly_normal_velocity(x->a, k, v_there) : 0));
}

TEST(the_slack_of_a_contact_is_that_of_its_rows)
{
    crowd x;
    ss_csr rows = { 0 };
    open_crowd(&x);
    const ss_friction cone[] = { { SS_LAW_ASSOCIATED, 4 }, { SS_LAW_ASSOCIATED_POLYHEDRAL, 6 } };
    const int n = x.v->near.n;
    for (int trial = 0; trial < 4; trial++) {
        const bool ahead = trial / 2;
        double *slack[3];
        const ss_config *at = ahead ? &x.there : &x.here;
        const ss_slack_step step = { x.v, cone[trial % 2], at, ahead ? x.ahead : NULL, x.velocity, h, &rows };
        for (int threads = 1; threads <= 3; threads++) {
            ss_context_set_threads(x.ctx, threads);
            slack[threads - 1] = take(&x, n);
            CHECK_OK(x.ctx, ss_slack_find(x.s, &step, n, x.all, slack[threads - 1]));
            CHECK(same(n, slack[threads - 1], slack[0]));
        }
        put_rows(&x, at, cone[trial % 2]);
        for (int k = 0; k < n; k += k < n - 10 ? 7 : 1) {
            CHECK_NEAR(slack[0][k], slack_by_rows(&x, k, ahead ? x.ahead : NULL), 1e-15); /* speeds below 1 m/s, times h */
        }
    }
    ss_csr_free(x.ctx, &rows);
    close_crowd(&x);
}

/* Every third contact is new: it has nothing; the others find what is theirs, on any number of threads. */
TEST(many_contacts_recall_what_is_theirs)
{
    crowd x;
    open_crowd(&x);
    const ss_friction friction = { SS_LAW_COULOMB, 4 };
    ss_contact_cache cache = { 0 };
    ss_assembly *some;
    int *which, n = 0;
    CHECK_OK(x.ctx, ss_arena_take(x.s->arena, (size_t)x.v->near.n, sizeof *which, &which));
    for (int k = 0; k < x.v->near.n; k++) {
        which[n] = k;
        n += k % 3 != 0;
    }
    CHECK_OK(x.ctx, ss_assembly_create(x.ctx, x.m, &some));
    CHECK_OK(x.ctx, ss_assembly_geometry(some, &x.here, &x.v->near, n, which, friction, h));
    for (int k = 0; k < some->problem.nc; k++) {
        some->solution.basis[k] = (uint64_t)k + 1;
    }
    CHECK_OK(x.ctx, ss_assembly_remember(some, &cache, SS_LEVEL_VELOCITY));
    for (int threads = 1; threads <= 3; threads++) {
        ss_context_set_threads(x.ctx, threads);
        put_rows(&x, &x.here, friction);
        CHECK(!x.a->solution.warm);
        ss_assembly_recall(x.a, &cache, SS_LEVEL_VELOCITY);
        CHECK(x.a->solution.warm);
        for (int k = 0; k < x.a->problem.nc; k++) {
            const ss_cached_contact *entry = ss_contact_cache_find(&cache, SS_LEVEL_VELOCITY, &x.a->contacts.c[k]->id);
            CHECK(x.a->solution.basis[k] == (entry ? entry->basis : 0));
            CHECK(k >= x.v->near.n || !entry == (k % 3 == 0));
        }
    }
    ss_contact_cache_free(x.ctx, &cache);
    ss_assembly_destroy(x.ctx, some);
    close_crowd(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_contacts_recall_what_is_theirs),
        cmocka_unit_test(a_survey_and_the_gaps_after_it_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(rows_that_are_written_at_once_are_those_of_each_contact),
        cmocka_unit_test(values_that_are_known_are_not_found_again),
        cmocka_unit_test(a_problem_that_borrows_its_contacts_is_that_of_their_copies),
        cmocka_unit_test(the_slack_of_a_contact_is_that_of_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
