/* Joint rows that say nothing new: two rods that hold one particle, at an angle that is known. */
#include "kernels/redundancy.h"
#include "unit/schemes/event_capturing_rk/closed_scene.h"

/* the particle hangs from two rods whose directions differ by the angle: their rows have the squared sine of it for a pivot */
static int redundant_rows(double angle)
{
    char anchor[80];
    snprintf(anchor, sizeof anchor, "joints.k.anchors=[[0,0],[%.17g,%.17g]]", sin(angle), cos(angle));
    const char *set[] = { anchor };
    closed_scene x;
    ss_redundancy *r;
    ss_config c;
    int count = 0;
    open_held(&x,
              HEAD(2, "[0,0]") "'bodies':[{'name':'a','type':'particle','mass':1,'position':[0,0]}],"
                               "'joints':[{'name':'j','type':'distance','bodies':['a','world'],'anchors':[[0,0],[0,1]]},"
                               "{'name':'k','type':'distance','bodies':['a','world'],'anchors':[[0,0],[0,1]]}]}",
              0, 1, set);
    CHECK_OK(x.ctx, ss_redundancy_create(x.ctx, x.m, &r));
    CHECK_OK(x.ctx, ss_config_take(x.s->arena, x.m, &c));
    ss_config_set(x.m, 0, x.q, &c);
    CHECK_OK(x.ctx, ss_redundancy_find(r, &c));
    for (int i = 0; i < x.m->nj; i++) {
        count += ss_redundancy_rows(r)[i];
    }
    ss_redundancy_destroy(r);
    close_held(&x);
    return count;
}

TEST(rows_are_redundant_up_to_the_angle_that_drift_makes)
{
    CHECK(redundant_rows(0) == 1);
    CHECK(redundant_rows(1e-5) == 1); /* 1e-10, of which 1e-9 is allowed */
    CHECK(redundant_rows(1e-4) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_redundant_up_to_the_angle_that_drift_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
