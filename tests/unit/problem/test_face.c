/* test_face.c - faces of a contact's law and how they turn. */
#include "problem/face.h"

#include "test.h"

#include <math.h>

static const double MU = 0.5;

/* a contact with Coulomb's law on a disc */
static ss_problem one_contact(unsigned *law)
{
    static int row[2] = { 0, 3 }, directions[2] = { 0, 0 };
    static double mu[1];
    mu[0] = MU;
    return (ss_problem){ .dimension = 3, .nc = 1, .row = row, .dir = directions, .law = law, .mu = mu };
}

/* The face of a slip whose friction has the angle `from` is turned to the angle `to`. */
static ss_face turned(unsigned law, double from, double to, ss_face *before)
{
    const ss_problem p = one_contact(&law);
    const double y[3] = { 1, cos(from), sin(from) }, r[3] = { 1, MU * cos(to), MU * sin(to) };
    ss_face face;
    ss_face_find(&p, 0, 1, y, &face);
    *before = face;
    ss_face_turn(&p, 0, r, &face);
    return face;
}

/* the direction across has two senses: the one of before stays, so that its part of the solution keeps its sign */
TEST(a_slip_that_turns_keeps_the_sense_of_the_direction_across)
{
    enum { ANGLES = 24 };
    for (int k = 0; k < ANGLES; k++) {
        for (double by = -1.5; by <= 1.5; by += 0.25) {
            const double from = 2 * acos(-1) * k / ANGLES, to = from + by;
            ss_face before;
            const ss_face after = turned(SS_LAW_COULOMB, from, to, &before);
            const double *was = before.P + 4, *is = after.P + 4;
            CHECK(before.turns && before.count == 2 && after.count == 2);
            CHECK_NEAR(was[0] * is[0] + was[1] * is[1], cos(by), 1e-12);
            CHECK_NEAR(is[0] * cos(to) + is[1] * sin(to), 0, 1e-12);
            CHECK_NEAR(after.P[1], MU * cos(to), 1e-12);
            CHECK_NEAR(after.P[2], MU * sin(to), 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_slip_that_turns_keeps_the_sense_of_the_direction_across) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
