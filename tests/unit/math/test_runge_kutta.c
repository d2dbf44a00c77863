/* The Runge-Kutta tables: every order condition of Butcher's rooted trees, generated here; stage orders, stiff accuracy. */
#include "test.h"

#include "math/runge_kutta.h"

/* ---- rooted trees --------------------------------------------------------------------------------- */

enum { MAX_ORDER = 7, MAX_TREES = 85, MAX_CHILDREN = MAX_ORDER - 1 }; /* 1 + 1 + 2 + 4 + 9 + 20 + 48 trees */

typedef struct tree {
    int order, children, child[MAX_CHILDREN]; /* a root and trees found before, in rising order of their index */
    double density;                           /* order times the densities of the children */
} tree;

typedef struct wood {
    tree trees[MAX_TREES];
    int count;
} wood;

/* Every tree that `started` with its last child's index, or a higher one, completes to `nodes` more nodes. */
static void grow(wood *w, const tree *started, int nodes)
{
    if (nodes == 0) {
        assert_true(w->count < MAX_TREES);
        w->trees[w->count++] = *started;
        return;
    }
    int first = started->children > 0 ? started->child[started->children - 1] : 0;
    for (int k = first; k < w->count && w->trees[k].order <= nodes; k++) { /* the trees lie by their order */
        tree next = *started;
        next.child[next.children++] = k;
        next.density *= w->trees[k].density;
        grow(w, &next, nodes - w->trees[k].order);
    }
}

static int plant(wood *w, int order)
{
    int before = w->count;
    tree root = { .order = order, .density = order };
    grow(w, &root, order - 1);
    return w->count - before;
}

/* Phi_i of a tree: the product over its children of sum_j a_ij Phi_j(child) */
static double stage_weight(const ss_runge_kutta *m, const wood *w, int t, int i)
{
    const tree *at = &w->trees[t];
    double product = 1;
    for (int k = 0; k < at->children; k++) {
        double sum = 0;
        for (int j = 0; j < m->stages; j++) {
            sum += m->a[i][j] == 0 ? 0 : m->a[i][j] * stage_weight(m, w, at->child[k], j);
        }
        product *= sum;
    }
    return product;
}

/* sum_i b_i Phi_i - 1 / density */
static double defect(const ss_runge_kutta *m, const wood *w, int t)
{
    double sum = 0;
    for (int i = 0; i < m->stages; i++) {
        sum += m->b[i] * stage_weight(m, w, t, i);
    }
    return sum - 1 / w->trees[t].density;
}

static double largest_defect(const ss_runge_kutta *m, const wood *w, int order)
{
    double largest = 0;
    for (int t = 0; t < w->count; t++) {
        largest = w->trees[t].order == order ? fmax(largest, fabs(defect(m, w, t))) : largest;
    }
    return largest;
}

/* ---- the tests ------------------------------------------------------------------------------------ */

/* coefficients are 11.6 at most (Dormand and Prince): a sum of six of them is off by 6 * 11.6 * 2^-53 = 8e-15 */
static const double rounding = 1e-14;

TEST(there_are_as_many_rooted_trees_as_cayley_counted)
{
    const int cayley[MAX_ORDER] = { 1, 1, 2, 4, 9, 20, 48 };
    wood w = { .count = 0 };
    for (int order = 1; order <= MAX_ORDER; order++) {
        assert_int_equal(plant(&w, order), cayley[order - 1]);
    }
    assert_int_equal(w.count, MAX_TREES);
}

/* ... and no condition of it may be missing one order higher, or the declared order would be too low */
TEST(every_method_has_the_order_it_declares_and_no_more)
{
    wood w = { .count = 0 };
    for (int order = 1; order <= MAX_ORDER; order++) {
        plant(&w, order);
    }
    for (int k = 0; ss_runge_kutta_methods[k] != NULL; k++) {
        const ss_runge_kutta *m = ss_runge_kutta_methods[k];
        assert_in_range(m->order, 1, MAX_ORDER - 1);
        for (int order = 1; order <= m->order; order++) {
            CHECK_NEAR(largest_defect(m, &w, order), 0, rounding);
        }
        CHECK(largest_defect(m, &w, m->order + 1) > 1e-4);
    }
}

TEST(abscissae_are_the_sums_of_their_rows)
{
    for (int k = 0; ss_runge_kutta_methods[k] != NULL; k++) {
        const ss_runge_kutta *m = ss_runge_kutta_methods[k];
        for (int i = 0; i < m->stages; i++) {
            double sum = 0;
            for (int j = 0; j < m->stages; j++) {
                sum += m->a[i][j];
            }
            CHECK_NEAR(sum, m->c[i], rounding);
            CHECK(m->c[i] >= 0 && m->c[i] <= 1); /* forces and driven bodies are not asked outside of the step */
        }
    }
}

/* C(k): sum_j a_ij c_j^(k-1) = c_i^k / k for every i */
static double stage_defect(const ss_runge_kutta *m, int k)
{
    double largest = 0;
    for (int i = 0; i < m->stages; i++) {
        double sum = 0;
        for (int j = 0; j < m->stages; j++) {
            sum += m->a[i][j] * pow(m->c[j], k - 1);
        }
        largest = fmax(largest, fabs(sum - pow(m->c[i], k) / k));
    }
    return largest;
}

TEST(the_stage_order_is_the_number_of_stages_of_an_implicit_method_and_one_of_an_explicit_one)
{
    for (int k = 0; ss_runge_kutta_methods[k] != NULL; k++) {
        const ss_runge_kutta *m = ss_runge_kutta_methods[k];
        int stage_order = m->half_explicit ? 1 : m->stages;
        for (int order = 1; order <= stage_order; order++) {
            CHECK_NEAR(stage_defect(m, order), 0, rounding);
        }
        CHECK(stage_defect(m, stage_order + 1) > 1e-4);
    }
}

TEST(implicit_methods_end_with_their_last_stage)
{
    for (int k = 0; ss_runge_kutta_methods[k] != NULL; k++) {
        const ss_runge_kutta *m = ss_runge_kutta_methods[k];
        int last = m->stages - 1;
        CHECK(m->half_explicit || m->c[last] == 1);
        for (int j = 0; j < m->stages && !m->half_explicit; j++) {
            CHECK(m->a[last][j] == m->b[j]); /* to the bit: the scheme may take the stage for the result */
        }
    }
}

TEST(half_explicit_is_said_of_the_strictly_lower_tables_alone)
{
    for (int k = 0; ss_runge_kutta_methods[k] != NULL; k++) {
        const ss_runge_kutta *m = ss_runge_kutta_methods[k];
        bool lower = true;
        for (int i = 0; i < m->stages; i++) {
            for (int j = i; j < m->stages; j++) {
                lower = lower && m->a[i][j] == 0;
            }
        }
        CHECK(m->half_explicit == lower);
        CHECK(m->half_explicit == (strncmp(m->name, "half_explicit_", 14) == 0));
    }
}

TEST(nothing_stands_beyond_the_stages)
{
    for (int k = 0; ss_runge_kutta_methods[k] != NULL; k++) {
        const ss_runge_kutta *m = ss_runge_kutta_methods[k];
        assert_in_range(m->stages, 1, SS_RK_STAGES);
        for (int i = 0; i < SS_RK_STAGES; i++) {
            CHECK(i < m->stages || (m->b[i] == 0 && m->c[i] == 0));
            for (int j = 0; j < SS_RK_STAGES; j++) {
                CHECK((i < m->stages && j < m->stages) || m->a[i][j] == 0);
            }
        }
    }
}

TEST(the_methods_lie_as_the_choices_of_the_option_do)
{
    char names[sizeof(SS_RUNGE_KUTTA_NAMES) + 1] = "";
    for (int k = 0; ss_runge_kutta_methods[k] != NULL; k++) {
        const ss_runge_kutta *m = ss_runge_kutta_methods[k];
        char digit = (char)('0' + m->order);
        assert_true(strlen(names) + strlen(m->name) + 2 <= sizeof names);
        strcat(strcat(names, k > 0 ? "|" : ""), m->name);
        CHECK(m->name[strlen(m->name) - 1] == digit && strchr(m->title, digit) != NULL); /* the name ends with the order */
    }
    assert_string_equal(names, SS_RUNGE_KUTTA_NAMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_as_many_rooted_trees_as_cayley_counted),
        cmocka_unit_test(every_method_has_the_order_it_declares_and_no_more),
        cmocka_unit_test(abscissae_are_the_sums_of_their_rows),
        cmocka_unit_test(the_stage_order_is_the_number_of_stages_of_an_implicit_method_and_one_of_an_explicit_one),
        cmocka_unit_test(implicit_methods_end_with_their_last_stage),
        cmocka_unit_test(half_explicit_is_said_of_the_strictly_lower_tables_alone),
        cmocka_unit_test(nothing_stands_beyond_the_stages),
        cmocka_unit_test(the_methods_lie_as_the_choices_of_the_option_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
