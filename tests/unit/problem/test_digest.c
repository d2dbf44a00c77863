/* test_digest.c - a problem is known by its numbers. */
#include "problem/digest.h"
#include "unit/problem/small_problem.h"

/* Two numbers for three particles: the same ones, shared by others. */
TEST(problems_whose_blocks_share_numbers_differently_are_told_apart)
{
    ss_context *ctx = test_context();
    small_problem y;
    const double one = 1, two = 2;
    sp_open(&y, ctx, 2);
    sp_block(&y, 1, &one, false);
    sp_block(&y, 1, &two, false);
    sp_block(&y, 1, &two, false);
    y.start[1] = y.start[2] = 1;
    const ss_digest last_two = ss_problem_digest(ctx, &y.p);
    y.start[1] = 0;
    const ss_digest first_two = ss_problem_digest(ctx, &y.p);
    CHECK(!ss_digest_is(&last_two, &first_two));
    y.M[1] = 3;
    const ss_digest changed = ss_problem_digest(ctx, &y.p);
    CHECK(!ss_digest_is(&changed, &first_two));
    sp_close(&y);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_whose_blocks_share_numbers_differently_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
