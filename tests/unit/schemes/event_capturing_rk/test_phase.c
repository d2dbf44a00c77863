/* Accelerations while contacts hold as they do: textbook answers, what the equations lack elsewhere, the pivot of
 * Painleve's rod. */
#include "closed_scene.h"

static const double EPS = 1e-12; /* a linear system of a few unknowns of order 1 to 100 */

typedef struct motion {
    double a[N_MAX], multiplier[ROWS_MAX];
} motion;

static motion accelerate(closed_scene *x, double t)
{
    motion out = { 0 };
    bool regular = false;
    CHECK_OK(x->ctx, ss_phase_evaluate(x->phase, t, x->q, x->v));
    CHECK(ss_phase_rows(x->phase) <= ROWS_MAX);
    CHECK_OK(x->ctx, ss_phase_accelerate(x->phase, out.a, out.multiplier, &regular));
    CHECK(regular);
    return out;
}

/* sum of row i of every contact */
static double sum_of(const closed_scene *x, const motion *out, int i)
{
    const ss_problem *p = &x->phase->at->problem;
    double sum = 0;
    for (int k = 0; k < p->nc; k++) {
        sum += p->row[k] + i < p->row[k + 1] ? out->multiplier[x->m->nj + p->row[k] + i] : 0;
    }
    return sum;
}

static double residual_of(closed_scene *x, const motion *out)
{
    double R[N_MAX + ROWS_MAX];
    return ss_phase_residual(x->phase, out->a, out->multiplier, R);
}

#define FLAT "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'material':'m'}]}"

static const char block[] =
    HEAD(2, "[3,-10]") "'materials':[{'name':'m','mu':0.2}],'bodies':[{'name':'box','type':'rigid','mass':2,'position':[0,0.1],"
                       "'shapes':[{'type':'box','size':[1,0.2],'material':'m'}]}," FLAT "]}";

/* ---- textbook accelerations ------------------------------------------------------------------------ */

TEST(a_block_that_sticks_on_a_slope_stays_and_one_that_slips_is_braked_by_its_friction)
{
    closed_scene x;
    open_held(&x, block, 0, 0, NULL);
    CHECK(x.set.n == 2);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(0, 0, 0), 0);
    motion out = accelerate(&x, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(out.a[i], 0, EPS);
    }
    CHECK_NEAR(sum_of(&x, &out, 0), 20, EPS);
    CHECK_NEAR(sum_of(&x, &out, 1), -6, EPS); /* mu or not: that is the judgement of others */
    for (int sign = -1; sign <= 1; sign += 2) {
        close_all(&x, SS_MODE_SLIP, sign, ss_v3(0, 0, 0), 0);
        out = accelerate(&x, 0);
        CHECK_NEAR(out.a[0], 3 - sign * 2, EPS); /* mu g = 2 */
        CHECK_NEAR(out.a[1], 0, EPS);
        CHECK_NEAR(out.a[2], 0, EPS);
        CHECK_NEAR(sum_of(&x, &out, 1), -sign * 0.2 * sum_of(&x, &out, 0), EPS);
    }
    close_held(&x);
}

TEST(the_rod_of_a_pendulum_carries_weight_and_centrifugal_force)
{
    closed_scene x;
    open_held(&x,
              HEAD(2, "[0,-10]") "'bodies':[{'name':'p','type':'particle','mass':3,'position':['2*sin(0.5)','-2*cos(0.5)'],"
                                 "'velocity':['4*cos(0.5)','4*sin(0.5)']}],"
                                 "'joints':[{'type':'distance','bodies':['world','p'],'length':2}]}",
              0, 0, NULL);
    close_all(&x, SS_MODE_NONE, 1, ss_v3(0, 0, 0), 0);
    motion out = accelerate(&x, 0);
    double inward = 16.0 / 2, along = -10 * sin(0.5);
    CHECK_NEAR(out.a[0], along * cos(0.5) - inward * sin(0.5), EPS);
    CHECK_NEAR(out.a[1], along * sin(0.5) + inward * cos(0.5), EPS);
    CHECK_NEAR(fabs(out.multiplier[0]), 3 * (10 * cos(0.5) + inward), 100 * EPS);
    close_held(&x);
}

TEST(a_disc_rolls_down_with_two_thirds_of_the_slope)
{
    closed_scene x;
    open_held(&x,
              HEAD(2, "[3,-10]") "'materials':[{'name':'m','mu':0.2}],'bodies':[{'name':'disc','type':'rigid','mass':2,'inertia':"
                                 "'2*0.25/2','position':[0,0.5],'velocity':[1,0],'angular_velocity':-2,'shapes':[{'type':'disk',"
                                 "'radius':0.5,'material':'m'}]}," FLAT "]}",
              0, 0, NULL);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(0, 0, 0), 0);
    motion out = accelerate(&x, 0);
    CHECK_NEAR(out.a[0], 2, EPS);
    CHECK_NEAR(out.a[1], 0, EPS);
    CHECK_NEAR(out.a[2], -4, EPS);
    CHECK_NEAR(sum_of(&x, &out, 0), 20, EPS);
    CHECK_NEAR(sum_of(&x, &out, 1), -2, EPS); /* a third of m g_x */
    close_held(&x);
}

TEST(a_floor_that_accelerates_takes_what_sticks_to_it_along)
{
    closed_scene x;
    open_held(&x,
              HEAD(2, "[0,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'box','type':'rigid','mass':2,"
                                 "'position':[1,0.6],'velocity':[2,1],'shapes':[{'type':'box','size':[1,0.2],'material':'m'}]},"
                                 "{'name':'lift','type':'driven','position':['t^2','0.5*t^2'],'shapes':[{'type':'half_space',"
                                 "'normal':[0,1],'material':'m'}]}]}",
              1, 0, NULL);
    CHECK(x.set.n == 2);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(0, 0, 0), 1);
    motion out = accelerate(&x, 1);
    CHECK_NEAR(out.a[0], 2, EPS);
    CHECK_NEAR(out.a[1], 1, EPS);
    CHECK_NEAR(out.a[2], 0, EPS);
    CHECK_NEAR(sum_of(&x, &out, 0), 2 * 11, EPS);
    CHECK_NEAR(sum_of(&x, &out, 1), 2 * 2, EPS);
    close_held(&x);
}

/* r = 1 and angular velocity w = 3: the bead stays at rest on the turntable by the friction m w^2 r, and is pushed by m w' r */
TEST(a_bead_at_rest_on_a_turntable_is_held_by_the_centripetal_force)
{
    closed_scene x;
    open_held(&x,
              HEAD(3, "[0,0,-10]") "'materials':[{'name':'m','mu':2}],'bodies':[{'name':'bead','type':'particle','mass':2,"
                                   "'position':[1,0,0],'velocity':[0,3,0],'shapes':[{'type':'point','material':'m'}]},"
                                   "{'name':'table','type':'driven','position':[0,0,0],'angle':'3*t+2*t^2','axis':[0,0,1],"
                                   "'shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}]}",
              0, 0, NULL);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(0, 0, 0), 0);
    motion out = accelerate(&x, 0);
    CHECK_NEAR(out.a[0], -9, EPS);
    CHECK_NEAR(out.a[1], 4, EPS);
    CHECK_NEAR(out.a[2], 0, EPS);
    CHECK_NEAR(hypot(out.multiplier[1], out.multiplier[2]), 2 * hypot(9, 4), 10 * EPS);
    close_held(&x);
}

TEST(a_motor_tracks_its_speed_or_pushes_with_its_bound)
{
    closed_scene x;
    open_held(&x,
              HEAD(2, "[0,0]") "'bodies':[{'name':'wheel','type':'rigid','mass':1,'inertia':2,'position':[0,0]}],'joints':["
                               "{'name':'pin','type':'revolute','bodies':['world','wheel'],'at':[0,0],'motor':{'speed':'3*t',"
                               "'max':5}}]}",
              0, 0, NULL);
    CHECK(x.set.n == 1);
    close_all(&x, SS_MODE_TRACK, 1, ss_v3(0, 0, 0), 0);
    motion out = accelerate(&x, 0);
    CHECK_NEAR(out.a[2], 3, EPS);
    CHECK_NEAR(out.multiplier[x.m->nj], 6, EPS);
    for (int sign = -1; sign <= 1; sign += 2) {
        close_all(&x, SS_MODE_FULL, sign, ss_v3(0, 0, 0), 0);
        out = accelerate(&x, 0);
        CHECK_NEAR(out.a[2], -sign * 2.5, EPS); /* too fast: it brakes */
        CHECK_NEAR(out.multiplier[x.m->nj], -sign * 5, EPS);
    }
    close_held(&x);
}

static const char table[] = HEAD(
    3, "[1,0,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'box','type':'rigid','mass':2,'position':[0,0,0.1],"
                    "'shapes':[{'type':'box','size':[1,1,0.2],'material':'m'}]},{'name':'floor','type':'fixed',"
                    "'shapes':[{'type':'half_space','normal':[0,0,1],'material':'m'}]}]}";

TEST(four_corners_that_stick_have_a_force_although_statics_does_not_say_which)
{
    closed_scene x;
    int own = 0;
    open_held(&x, table, 0, 0, NULL);
    CHECK(x.set.n == 4);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(1, 0, 0), 0);
    motion out = accelerate(&x, 0);
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(out.a[i], 0, EPS);
    }
    CHECK_NEAR(sum_of(&x, &out, 0), 20, EPS);
    for (int k = 0; k < 4; k++) {
        own += x.phase->closed[k].own[0] + x.phase->closed[k].own[1] + x.phase->closed[k].own[2];
    }
    CHECK(own == 6); /* a body has as many degrees of freedom */
    CHECK(residual_of(&x, &out) <= 1e-14);
    close_held(&x);
}

TEST(rows_go_to_the_contacts_with_the_largest_loads)
{
    for (int light = 0; light < 4; light++) {
        closed_scene x;
        open_held(&x, table, 0, 0, NULL);
        for (int k = 0; k < 4; k++) {
            ss_closed_contact closed = { .contact = x.set.c[k], .mode = SS_MODE_NORMAL, .load = k == light ? 1 : 5 };
            CHECK_OK(x.ctx, ss_phase_add(x.phase, &closed));
        }
        CHECK_OK(x.ctx, ss_phase_close(x.phase, x.s->arena, 0, x.q, x.v));
        for (int k = 0; k < 4; k++) {
            CHECK(x.phase->closed[k].own[0] == (k != light));
        }
        close_held(&x);
    }
}

TEST(slip_in_space_is_braked_against_its_direction)
{
    closed_scene x;
    open_held(&x, table, 0, 0, NULL);
    x.v[0] = 0.3;
    x.v[1] = -0.4;
    close_all(&x, SS_MODE_SLIP, 1, ss_v3(0.6, -0.8, 0), 0);
    motion out = accelerate(&x, 0);
    CHECK_NEAR(out.a[0], 1 - 5 * 0.6, EPS); /* mu g = 5 */
    CHECK_NEAR(out.a[1], 5 * 0.8, EPS);
    CHECK_NEAR(out.a[2], 0, EPS);
    close_held(&x);
}

/* ---- residuals ------------------------------------------------------------------------------------- */

static void check_residual(closed_scene *x, double t)
{
    motion out = accelerate(x, t), off = out;
    CHECK(residual_of(x, &out) <= 1e-14);
    for (int i = 0; i < x->m->nv; i++) {
        off.a[i] += 1e-5;
        CHECK(residual_of(x, &off) > 1e-8);
        off = out;
    }
    for (int i = 0; i < ss_phase_rows(x->phase); i++) {
        off.multiplier[i] += 1e-5;
        CHECK(residual_of(x, &off) > 1e-8);
        off = out;
    }
}

TEST(equations_are_fulfilled_by_their_solution_and_by_nothing_else)
{
    closed_scene x;
    open_held(&x, block, 0, 0, NULL);
    close_all(&x, SS_MODE_SLIP, 1, ss_v3(0, 0, 0), 0);
    check_residual(&x, 0);
    close_held(&x);
    open_held(&x, table, 0, 0, NULL);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(1, 0, 0), 0);
    check_residual(&x, 0);
    close_all(&x, SS_MODE_SLIP, 1, ss_v3(1, 0, 0), 0);
    check_residual(&x, 0);
    close_held(&x);
}

/* Forces that keep the balance of momentum but oppose another direction than that of slip: the law is what they lack. */
TEST(friction_that_does_not_oppose_slip_is_no_solution)
{
    closed_scene x;
    open_held(&x,
              HEAD(3, "[0,0,-10]") "'materials':[{'name':'m','mu':0.5}],'bodies':[{'name':'p','type':'particle','mass':2,"
                                   "'position':[0,0,0],'velocity':[1,0,0],'shapes':[{'type':'point','material':'m'}]},"
                                   "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,0,1],"
                                   "'material':'m'}]}]}",
              0, 0, NULL);
    close_all(&x, SS_MODE_SLIP, 1, ss_v3(1, 0, 0), 0);
    motion out = accelerate(&x, 0);
    const ss_csr *H = &x.phase->at->problem.H;
    CHECK(residual_of(&x, &out) <= 1e-14);
    for (int row = 1; row < 3; row++) {
        motion off = out;
        off.multiplier[row] += 0.1;
        for (int k = H->p[row]; k < H->p[row + 1]; k++) {
            off.a[H->i[k]] += 0.1 * H->x[k] / 2; /* the mass */
        }
        CHECK(residual_of(&x, &off) > 1e-3);
    }
    close_held(&x);
}

TEST(what_is_not_a_number_is_no_solution)
{
    closed_scene x;
    open_held(&x, block, 0, 0, NULL);
    close_all(&x, SS_MODE_STICK, 1, ss_v3(0, 0, 0), 0);
    motion out = accelerate(&x, 0), off = out;
    off.a[0] = NAN;
    CHECK(!(residual_of(&x, &off) <= 1e-3));
    off = out;
    off.multiplier[0] = NAN;
    CHECK(!(residual_of(&x, &off) <= 1e-3));
    x.phase->point.k[0] = NAN; /* a force */
    CHECK(!(residual_of(&x, &out) <= 1e-3));
    close_held(&x);
}

/* ---- Painleve -------------------------------------------------------------------------------------- */

TEST(the_pivot_of_painleves_rod_vanishes_where_the_textbook_says)
{
    for (int k = 1; k < 8; k++) {
        double angle = 0.2 * k, t = tan(angle), mu = (4 + t * t) / (3 * t);
        char place[128], turn[64], friction[64];
        snprintf(place, sizeof place, "bodies.rod.position=[0,%.17g]", sin(angle));
        snprintf(turn, sizeof turn, "bodies.rod.angle=%.17g", angle);
        for (int side = 0; side < 3; side++) {
            double part = 0.5 * side; /* none, half, all of the critical friction */
            snprintf(friction, sizeof friction, "materials.m.mu=%.17g", part * mu);
            const char *set[] = { place, turn, friction };
            closed_scene x;
            double pivot = 0;
            open_held(&x,
                      HEAD(2, "[0,-10]") "'materials':[{'name':'m','mu':1}],'bodies':[{'name':'rod','type':'rigid','mass':3,"
                                         "'inertia':1,'position':[0,1],'shapes':[{'type':'point','position':[-1,0],"
                                         "'material':'m'}]}," FLAT "]}",
                      0, 3, set);
            CHECK(x.set.n == 1);
            close_all(&x, SS_MODE_SLIP, -1, ss_v3(0, 0, 0), 0);
            CHECK_NEAR(x.phase->closed[0].pivot, 1 - part, 1e-13);
            CHECK_OK(x.ctx, ss_phase_pivot(x.phase, x.s->arena, 0, &pivot));
            CHECK_NEAR(pivot, 1 - part, 1e-13);
            close_all(&x, SS_MODE_SLIP, 1, ss_v3(0, 0, 0), 0);
            CHECK_NEAR(x.phase->closed[0].pivot, 1 + part, 1e-13); /* pulled, not pushed */
            close_held(&x);
        }
    }
}

/* every corner slips along x by 1e-10 of the speeds that it is the difference of; in the phase it began at `speed`, along (3,
 * 4)/5 */
static void check_direction_of_slow_slip(double speed, double along_x, double along_y)
{
    closed_scene x;
    open_held(&x, table, 0, 0, NULL);
    x.v[0] = 1;
    x.v[4] = 10 * (1 - 1e-10); /* corners are 0.1 m below the centre */
    close_all(&x, SS_MODE_SLIP, 1, ss_v3(0.6, 0.8, 0), 0);
    for (int k = 0; k < x.phase->n; k++) {
        x.phase->closed[k].speed = speed;
    }
    accelerate(&x, 0);
    for (int k = 0; k < x.phase->n; k++) {
        const double *s = x.phase->point.direction + 3 * k;
        const ss_vec3 *tangent = x.phase->at->value[k]->tangent;
        CHECK_NEAR(s[0] * tangent[0].x + s[1] * tangent[1].x, along_x, 1e-5); /* round-off of 1e-16 over 1e-10 */
        CHECK_NEAR(s[0] * tangent[0].y + s[1] * tangent[1].y, along_y, 1e-5);
    }
    close_held(&x);
}

/* 1e-12 of the speeds would be round-off */
TEST(slip_has_a_direction_down_to_round_off_of_the_speeds_it_is_made_of) { check_direction_of_slow_slip(1e-10, 1, 0); }

TEST(what_is_left_of_a_slip_keeps_its_direction)
{
    check_direction_of_slow_slip(0.9e-7, 1, 0);
    check_direction_of_slow_slip(1.1e-7, 0.6, 0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_that_sticks_on_a_slope_stays_and_one_that_slips_is_braked_by_its_friction),
        cmocka_unit_test(the_rod_of_a_pendulum_carries_weight_and_centrifugal_force),
        cmocka_unit_test(a_disc_rolls_down_with_two_thirds_of_the_slope),
        cmocka_unit_test(a_floor_that_accelerates_takes_what_sticks_to_it_along),
        cmocka_unit_test(a_bead_at_rest_on_a_turntable_is_held_by_the_centripetal_force),
        cmocka_unit_test(a_motor_tracks_its_speed_or_pushes_with_its_bound),
        cmocka_unit_test(four_corners_that_stick_have_a_force_although_statics_does_not_say_which),
        cmocka_unit_test(rows_go_to_the_contacts_with_the_largest_loads),
        cmocka_unit_test(slip_in_space_is_braked_against_its_direction),
        cmocka_unit_test(equations_are_fulfilled_by_their_solution_and_by_nothing_else),
        cmocka_unit_test(friction_that_does_not_oppose_slip_is_no_solution),
        cmocka_unit_test(what_is_not_a_number_is_no_solution),
        cmocka_unit_test(the_pivot_of_painleves_rod_vanishes_where_the_textbook_says),
        cmocka_unit_test(slip_has_a_direction_down_to_round_off_of_the_speeds_it_is_made_of),
        cmocka_unit_test(what_is_left_of_a_slip_keeps_its_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
