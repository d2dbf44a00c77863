/* test_forces.c - every registered force, knowing nothing but its entry: derivatives agree with differences, wrenches
 * come from the potential, forces between two bodies are opposite and turn with the scene, dampers do not give energy. */
#include "model/attachment.h"
#include "model/primitives.h"
#include "test.h"

enum { TRIALS = 40 };

/* central differences with step 1e-5: h^2/6 times third derivatives of order 100 (short spans), plus round-off */
static const double step = 1e-5, accuracy = 1e-6;

static double uniform(uint64_t *seed) { return 2 * ss_random_uniform(seed) - 1; }

static ss_vec3 random_vector(uint64_t *seed)
{
    double x = uniform(seed), y = uniform(seed), z = uniform(seed);
    return ss_v3(x, y, z);
}

/* where the two points are, how their frames are turned, and how both move */
typedef struct situation {
    ss_spot s[2];
} situation;

static situation random_situation(uint64_t *seed)
{
    situation s;
    for (int b = 0; b < 2; b++) {
        ss_vec3 p = ss_add(random_vector(seed), ss_v3(b ? 3 : 0, 0, 0)); /* apart, so that no direction is undefined */
        ss_frame f = { p, ss_quat_matrix(ss_quat_exp(ss_scale(3, random_vector(seed)))) };
        const ss_vec3 twist[2] = { random_vector(seed), random_vector(seed) };
        s.s[b] = ss_spot_in_frame(f, ss_scale(0.5, random_vector(seed)), twist);
    }
    return s;
}

/* with everything that any type may look at */
static ss_force random_force(ss_context *ctx, const ss_force_type *type, uint64_t *seed, const ss_table *table)
{
    static const char *const text[3] = { "1 + sin(3*t)", "t^2", "cos(t)" };
    ss_force force = { .type = type, .stiffness = 2, .damping = 0.7, .length = 0.8, .omega = 3, .phase = 0.4, .table = *table };
    for (int k = 0; k < 3; k++) {
        CHECK_OK(ctx, ss_expr_compile(ctx, text[k], &force.force_t[k]));
        CHECK_OK(ctx, ss_expr_compile(ctx, text[2 - k], &force.torque_t[k]));
    }
    force.force = random_vector(seed);
    force.torque = random_vector(seed);
    return force;
}

static void free_force(ss_context *ctx, ss_force *force)
{
    for (int k = 0; k < 3; k++) {
        ss_expr_destroy(ctx, force->force_t[k]);
        ss_expr_destroy(ctx, force->torque_t[k]);
    }
}

/* every type at random situations */
typedef void (*check_fn)(const ss_force *force, double t, const situation *s, uint64_t *seed);

static void for_every_force(check_fn check)
{
    const double times[] = { 0, 1, 2.5 };
    const double column[] = { 1, 2, 3, -1, 0, 2, 0.5, 0.5, 0.5 };
    const ss_table table = { 3, times, column, column };
    ss_context *ctx = test_context();
    uint64_t seed = 3;
    for (int k = 0; ss_force_types[k]; k++) {
        for (int trial = 0; trial < TRIALS; trial++) {
            ss_force force = random_force(ctx, ss_force_types[k], &seed, &table);
            situation s = random_situation(&seed);
            check(&force, 4 * ss_random_uniform(&seed) - 0.5, &s, &seed);
            free_force(ctx, &force);
        }
    }
    ss_context_destroy(ctx);
}

static void wrenches(const ss_force *force, double t, const situation *s, ss_wrench w[SS_FORCE_CLASSES][2])
{
    memset(w, 0, SS_FORCE_CLASSES * sizeof *w);
    force->type->eval(force, t, s->s, w);
}

/* all classes, as 12 numbers */
static void total(const ss_force *force, double t, const situation *s, double out[12])
{
    ss_wrench w[SS_FORCE_CLASSES][2];
    wrenches(force, t, s, w);
    memset(out, 0, 12 * sizeof *out);
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        for (int b = 0; b < 2; b++) {
            double x[6];
            ss_v3_to(w[kind][b].force, x);
            ss_v3_to(w[kind][b].torque, x + 3);
            for (int i = 0; i < 6; i++) {
                out[6 * b + i] += x[i];
            }
        }
    }
}

/* displacement or change of twist along unit direction j of 12 */
static situation shifted(const situation *s, int j, double h, bool twist)
{
    situation out = *s;
    int b = j / 6, part = j % 6 / 3;
    ss_vec3 d = ss_scale(h, ss_v3(j % 3 == 0, j % 3 == 1, j % 3 == 2));
    ss_spot *spot = &out.s[b];
    ss_vec3 *moved = twist ? (part == 0 ? &spot->v : &spot->w) : &spot->x;
    if (!twist && part == 1) {
        spot->R = ss_compose(ss_quat_matrix(ss_quat_exp(d)), spot->R);
    } else {
        *moved = ss_add(*moved, d);
    }
    return out;
}

static void check_jacobians(const ss_force *force, double t, const situation *s, uint64_t *seed)
{
    double K[2][144] = { { 0 } };
    (void)seed;
    if (force->type->jacobian) {
        force->type->jacobian(force, t, s->s, K[0], K[1]);
    }
    for (int which = 0; which < 2; which++) {
        for (int j = 0; j < 12; j++) {
            double plus[12], minus[12];
            situation p = shifted(s, j, step, which == 1), m = shifted(s, j, -step, which == 1);
            total(force, t, &p, plus);
            total(force, t, &m, minus);
            for (int i = 0; i < 12; i++) {
                CHECK_NEAR(K[which][12 * i + j], (plus[i] - minus[i]) / (2 * step), accuracy * (1 + fabs(K[which][12 * i + j])));
            }
        }
    }
}

TEST(jacobians_of_every_force_agree_with_differences) { for_every_force(check_jacobians); }

/* the wrench at rest plus the derivative by the velocities times these, which does not depend on them */
static void check_affine(const ss_force *force, double t, const situation *s, uint64_t *seed)
{
    double by_x[144] = { 0 }, K[2][144] = { { 0 } }, moving[12], rest[12], twist[12];
    situation still = *s;
    (void)seed;
    for (int b = 0; b < 2; b++) {
        ss_v3_to(s->s[b].v, twist + 6 * b);
        ss_v3_to(s->s[b].w, twist + 6 * b + 3);
        still.s[b].v = still.s[b].w = still.s[b].a = ss_v3(0, 0, 0);
    }
    total(force, t, s, moving);
    total(force, t, &still, rest);
    if (force->type->jacobian) {
        force->type->jacobian(force, t, s->s, by_x, K[0]);
        force->type->jacobian(force, t, still.s, by_x, K[1]);
    }
    for (int i = 0; i < 12; i++) {
        double sum = rest[i];
        for (int j = 0; j < 12; j++) {
            CHECK(K[0][12 * i + j] == K[1][12 * i + j]);
            sum += K[1][12 * i + j] * twist[j];
        }
        CHECK_NEAR(moving[i], sum, 1e-14); /* roundings of numbers of order 10 */
    }
}

TEST(every_force_is_affine_in_the_velocities_of_its_points) { for_every_force(check_affine); }

static void check_potential(const ss_force *force, double t, const situation *s, uint64_t *seed)
{
    ss_wrench w[SS_FORCE_CLASSES][2];
    (void)seed;
    wrenches(force, t, s, w);
    for (int j = 0; j < 12; j++) {
        situation p = shifted(s, j, step, false), m = shifted(s, j, -step, false);
        const ss_wrench *own = &w[SS_FORCE_SPRING][j / 6];
        double x[6], slope = 0;
        if (force->type->potential) {
            slope = (force->type->potential(force, p.s) - force->type->potential(force, m.s)) / (2 * step);
        }
        ss_v3_to(own->force, x);
        ss_v3_to(own->torque, x + 3);
        CHECK_NEAR(x[j % 6], -slope, accuracy);
    }
}

TEST(spring_forces_are_the_slope_of_the_potential) { for_every_force(check_potential); }

static void check_balance(const ss_force *force, double t, const situation *s, uint64_t *seed)
{
    ss_wrench w[SS_FORCE_CLASSES][2];
    (void)seed;
    wrenches(force, t, s, w);
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        ss_vec3 sum = ss_add(w[kind][0].force, w[kind][1].force), moment = { 0, 0, 0 };
        for (int b = 0; b < 2; b++) {
            moment = ss_add(moment, ss_add(w[kind][b].torque, ss_cross(s->s[b].x, w[kind][b].force)));
        }
        if (force->type->two_bodies) { /* roundings of numbers of order 10 */
            CHECK_NEAR(ss_norm(sum), 0, 1e-14);
            CHECK_NEAR(ss_norm(moment), 0, 1e-13);
        } else {
            CHECK(ss_norm(w[kind][1].force) == 0 && ss_norm(w[kind][1].torque) == 0);
        }
    }
    double power = 0;
    for (int b = 0; b < 2; b++) {
        power += ss_dot(w[SS_FORCE_DAMPER][b].force, s->s[b].v) + ss_dot(w[SS_FORCE_DAMPER][b].torque, s->s[b].w);
    }
    CHECK(power <= 1e-14);
}

TEST(forces_between_two_bodies_balance_and_dampers_only_take_energy) { for_every_force(check_balance); }

static void check_rotation(const ss_force *force, double t, const situation *s, uint64_t *seed)
{
    ss_mat3 Q = ss_quat_matrix(ss_quat_exp(ss_scale(3, random_vector(seed))));
    situation turned = *s;
    ss_wrench here[SS_FORCE_CLASSES][2], there[SS_FORCE_CLASSES][2];
    for (int b = 0; b < 2; b++) {
        turned.s[b].x = ss_rotate(Q, s->s[b].x);
        turned.s[b].R = ss_compose(Q, s->s[b].R);
        turned.s[b].v = ss_rotate(Q, s->s[b].v);
        turned.s[b].w = ss_rotate(Q, s->s[b].w);
    }
    wrenches(force, t, s, here);
    wrenches(force, t, &turned, there);
    for (int kind = 0; kind < SS_FORCE_CLASSES && force->type->two_bodies; kind++) {
        for (int b = 0; b < 2; b++) {
            CHECK_NEAR(ss_norm(ss_sub(ss_rotate(Q, here[kind][b].force), there[kind][b].force)), 0, 1e-13);
            CHECK_NEAR(ss_norm(ss_sub(ss_rotate(Q, here[kind][b].torque), there[kind][b].torque)), 0, 1e-13);
        }
    }
}

TEST(forces_between_two_bodies_turn_with_them) { for_every_force(check_rotation); }

TEST(no_force_makes_a_nan_where_two_anchors_coincide)
{
    ss_context *ctx = test_context();
    const ss_table none = { 0 };
    uint64_t seed = 5;
    for (int k = 0; ss_force_types[k]; k++) {
        for (int rest = 0; rest < 2 && ss_force_types[k]->two_bodies; rest++) {
            ss_force force = random_force(ctx, ss_force_types[k], &seed, &none);
            situation s = random_situation(&seed);
            double w[12], by_q[144] = { 0 }, by_v[144] = { 0 };
            force.length = rest;

            s.s[1].x = s.s[0].x;
            total(&force, 1, &s, w);
            force.type->jacobian(&force, 1, s.s, by_q, by_v);
            for (int i = 0; i < 144; i++) {
                CHECK(w[i % 12] == 0 && isfinite(by_q[i]) && isfinite(by_v[i]));
            }
            free_force(ctx, &force);
        }
    }
    ss_context_destroy(ctx);
}

TEST(every_force_entry_is_complete)
{
    for (int k = 0; ss_force_types[k]; k++) {
        const ss_force_type *type = ss_force_types[k];
        bool one = false, two = false;
        CHECK(type->info.name && type->info.title && type->info.reference && type->info.fields && type->eval);
        CHECK(type->jacobian || !type->two_bodies);
        for (const ss_field *f = type->info.fields; f->name; f++) {
            one = one || f->type == SS_FIELD_BODY;
            two = two || f->type == SS_FIELD_BODIES;
            CHECK(f->doc && *f->doc);
            CHECK(f->offset < sizeof(ss_force_desc));
        }
        CHECK(two == type->two_bodies && one == !two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_of_every_force_agree_with_differences),
        cmocka_unit_test(every_force_is_affine_in_the_velocities_of_its_points),
        cmocka_unit_test(spring_forces_are_the_slope_of_the_potential),
        cmocka_unit_test(forces_between_two_bodies_balance_and_dampers_only_take_energy),
        cmocka_unit_test(forces_between_two_bodies_turn_with_them),
        cmocka_unit_test(no_force_makes_a_nan_where_two_anchors_coincide),
        cmocka_unit_test(every_force_entry_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
