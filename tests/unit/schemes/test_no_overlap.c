/* test_no_overlap.c - schemes that promise it end every step without overlap, on random scenes: `moreau_projected` with any
 * restitution, `schatzman_paoli` with e = 0. Where no position without overlap exists, they say so.
 *
 * A scene: 3 to 6 bodies of all convex shapes fall on each other and on a floor that is fixed or moves, two of them may be joined
 * by a rod. Some have lever arms and spins for which Newton's method on positions converges slowly, corners slide over edges, and
 * rims of cylinders roll. */
#include "base/tolerances.h"
#include "text_run.h"

/* twice what counts as closed: what was closed to that is left by the round-off of the step after it */
static const double ALLOWED = 2 * SS_TOL_CLOSED;

typedef struct writer {
    char text[8192];
    size_t n;
    uint64_t seed;
    bool rims; /* cylinders are allowed, and contacts without friction */
} writer;

static double between(writer *w, double lo, double hi) { return lo + (hi - lo) * ss_random_uniform(&w->seed); }

static int choice(writer *w, int n) { return (int)(n * ss_random_uniform(&w->seed)); }

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
    va_end(args);
    CHECK(n > 0 && w->n + (size_t)n < sizeof w->text);
    w->n += (size_t)n;
}

static void put_shape(writer *w, int dimension)
{
    switch (choice(w, dimension == 3 && w->rims ? 5 : 4)) {
    case 0:
        put(w, "{'type':'sphere','material':'any','radius':%.17g}", between(w, 0.2, 0.45));
        break;
    case 1:
        put(w, "{'type':'capsule','material':'any','radius':%.17g,'length':%.17g}", between(w, 0.1, 0.2), between(w, 0.2, 0.6));
        break;
    case 2: /* thin */
        put(w, dimension == 2 ? "{'type':'box','material':'any','size':[0.9,0.1]}"
                              : "{'type':'box','material':'any','size':[0.9,0.5,0.1]}");
        break;
    case 3:
        put(w, "{'type':'box','material':'any','size':[%.17g,%.17g", between(w, 0.35, 1), between(w, 0.35, 1));
        put(w, dimension == 2 ? "]}" : ",0.5]}");
        break;
    default:
        put(w, "{'type':'cylinder','material':'any','radius':%.17g,'length':%.17g}", between(w, 0.15, 0.35),
            between(w, 0.1, 0.6));
    }
}

/* joined bodies begin with one velocity and do not turn */
static void put_body(writer *w, int dimension, int i, double spin)
{
    const double x = between(w, -0.1, 0.1), y = between(w, -0.1, 0.1), up = 1 + 1.4 * i;
    put(w, "{'name':'b%d','type':'rigid','density':%d,", i, choice(w, 3) == 0 ? 100 : 1000);
    if (dimension == 2) {
        put(w, "'position':[%.17g,%.17g],'angle':%.17g,'velocity':[1,-1],'angular_velocity':%.17g,", x, up, between(w, 0, 6),
            spin * between(w, -1, 1));
    } else {
        const double angle = between(w, 0, 3); /* about an axis of the plane y = 0 */
        put(w, "'position':[%.17g,%.17g,%.17g],'orientation':[%.17g,%.17g,0,%.17g],'velocity':[1,0.2,-1],", x, y, up, cos(angle),
            0.6 * sin(angle), 0.8 * sin(angle));
        put(w, "'angular_velocity':[%.17g,%.17g,%.17g],", spin * between(w, -1, 1), spin * between(w, -1, 1),
            spin * between(w, -1, 1));
    }
    put(w, "'shapes':[");
    put_shape(w, dimension);
    put(w, "]},");
}

static void put_floor(writer *w, int dimension)
{
    const char *across = dimension == 2 ? "" : "'0',", *normal = dimension == 2 ? "0,1" : "0,0,1";
    if (choice(w, 2)) {
        put(w, "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','material':'any','normal':[%s]}]}]", normal);
    } else {
        put(w, "{'name':'floor','type':'driven','position':['0.1*sin(8*t)',%s'0.05*cos(9*t)-0.55'],", across);
        put(w, "'shapes':[{'type':'box','material':'any','size':[8,%s1]}]}]", dimension == 2 ? "" : "8,");
    }
}

static void write_scene(writer *w, double e)
{
    static const double mu[] = { 0, 0.3, 1 };
    const int dimension = 2 + choice(w, 2), n = 3 + choice(w, 4);
    const bool joined = choice(w, 3) == 0;
    put(w, "{'slipstick':1,'dimension':%d,'gravity':[%s-9.81],'time':{'until':0.6,'step':%g},", dimension,
        dimension == 2 ? "0," : "0,0,", choice(w, 2) ? 0.01 : 0.005);
    put(w, "'materials':[{'name':'any','mu':%g,'e':%g}],'bodies':[", mu[w->rims ? choice(w, 3) : 1 + choice(w, 2)], e);
    for (int i = 0; i < n; i++) {
        put_body(w, dimension, i, joined ? 0 : 4);
    }
    put_floor(w, dimension);
    if (joined) {
        put(w, ",'joints':[{'type':'distance','bodies':['b0','b1'],'collide':true}]");
    }
    put(w, "}");
}

/* the deepest overlap at the end of any step that does not own up to it, of the length; *said counts those that do */
static double deepest(const char *text, const char *scheme, int64_t *said)
{
    char set[64];
    snprintf(set, sizeof set, "scheme.name=%s", scheme);
    run r = begin(text, 1, &(const char *){ set });
    double worst = 0;
    while (ss_sim_time(r.sim) < 0.6 - 1e-9) {
        const int64_t before = summary(&r)->remark[SS_REMARK_OVERLAP].steps;
        CHECK_OK(r.ctx, ss_sim_step(r.sim, ss_sim_step_size(r.sim)));
        const int64_t owned = summary(&r)->remark[SS_REMARK_OVERLAP].steps - before;
        *said += owned;
        worst = owned ? worst : fmax(worst, ss_sim_last_step(r.sim)->penetration / r.model->length);
    }
    leave(&r);
    return worst;
}

static void check_scenes(const char *scheme, bool bounces, int scenes)
{
    int64_t said = 0;
    for (int k = 0; k < scenes; k++) {
        writer w = { .seed = (uint64_t)(1000 + k), .rims = true };
        write_scene(&w, bounces ? 0.25 * choice(&w, 4) : 0);
        double depth = deepest(w.text, scheme, &said);
        if (!(depth <= ALLOWED)) {
            fail_msg("%s, scene %d overlaps by %.3g of the length", scheme, k, depth);
        }
    }
    CHECK(said == 0); /* nothing is wedged in these scenes */
}

TEST(moreau_projected_ends_every_step_of_random_scenes_without_overlap)
{
    check_scenes("moreau_projected", true, test_repeats(200, 40, 6));
}

TEST(schatzman_paoli_without_restitution_ends_every_step_of_random_scenes_without_overlap)
{
    check_scenes("schatzman_paoli", false, test_repeats(200, 40, 6));
}

/* a problem of displacements has no friction */
static ss_status count_displacements(void *user, const ss_sim *sim, int64_t step, const ss_problem *p,
                                     const ss_solution *solution)
{
    (void)sim, (void)step, (void)solution;
    *(int *)user += p->nc > 0 && p->law[0] == SS_LAW_UNILATERAL;
    return SS_OK;
}

/* One of 600 such scenes has a step in which a feature that lay behind another one comes into play. */
TEST(schatzman_paoli_closes_gaps_of_polytopes_by_its_steps_alone)
{
    int displacements = 0;
    for (int k = 0; k < test_repeats(80, 80, 6); k++) {
        writer w = { .seed = (uint64_t)(5100 + k) };
        ss_observer observer = ss_observer_default();
        observer.user = &displacements;
        observer.on_problem = count_displacements;
        write_scene(&w, 0);
        run r = begin(w.text, 1, &(const char *){ "scheme.name=schatzman_paoli" });
        CHECK_OK(r.ctx, ss_sim_observe(r.sim, &observer));
        advance(&r, 0.6);
        leave(&r);
    }
    CHECK(displacements <= 1);
}

/* A link whose hinge is at half its height above the floor falls flat, and its far corners come through. The corners beside the
 * hinge touch the floor when it lies flat; linearised where it has gone too far, they seem to forbid that it is turned back. */
TEST(a_link_that_lies_flat_on_its_hinge_can_be_turned_back)
{
    for (int k = 3; k < 8; k++) {
        char text[1024];
        const double angle = 0.1 * k;
        int64_t said = 0;
        snprintf(
            text, sizeof text,
            "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':0.6,'step':0.01},'materials':[{'name':'m','mu':"
            "0.3,'e':0.5}],'bodies':[{'name':'floor','type':'fixed','shapes':[{'type':'half_space','material':'m','normal':"
            "[0,1]}]},{'name':'link','type':'rigid','density':1000,'position':[%.17g,%.17g],'angle':%.17g,'shapes':[{'type':"
            "'box','material':'m','size':[0.8,0.06]}]}],'joints':[{'type':'revolute','bodies':['world','link'],'at':"
            "[0,0.03]}]}",
            0.4 * cos(angle), 0.03 + 0.4 * sin(angle), angle);
        CHECK(deepest(text, "moreau_projected", &said) <= ALLOWED);
        CHECK(said == 0);
    }
}

/* a disk of 1 m between walls that are 0.98 m apart */
TEST(a_body_that_no_displacement_frees_is_said_to_overlap)
{
    static const char text[] =
        "{'slipstick':1,'dimension':2,'time':{'until':0.1,'step':0.01},'materials':[{'name':'m','mu':0,'e':0}],'bodies':["
        "{'name':'disk','type':'rigid','mass':1,'position':[0,0],'shapes':[{'type':'disk','radius':0.5}]},"
        "{'name':'left','type':'fixed','position':[-0.49,0],'shapes':[{'type':'half_space','normal':[1,0]}]},"
        "{'name':'right','type':'fixed','position':[0.49,0],'shapes':[{'type':'half_space','normal':[-1,0]}]}]}";
    static const char *const scheme[] = { "scheme.name=moreau_projected", "scheme.name=schatzman_paoli" };
    for (int k = 0; k < 2; k++) {
        run r = { .ctx = test_context() };
        ss_sim_options options = ss_sim_options_default();
        options.allow_overlap = true;
        CHECK_OK(r.ctx, parse(&r, text, 1, &scheme[k]));
        CHECK_OK(r.ctx, ss_model_compile(r.ctx, r.scene, &r.model));
        CHECK_OK(r.ctx, ss_sim_create(r.ctx, r.model, &options, &r.sim));
        advance(&r, 0.1);
        const ss_remarked *overlap = &summary(&r)->remark[SS_REMARK_OVERLAP];
        CHECK(overlap->steps == 10 && strcmp(overlap->contact, "disk.0-left.0") == 0);
        CHECK(strcmp(ss_remark_name(SS_REMARK_OVERLAP), "overlap") == 0);
        CHECK_NEAR(summary(&r)->max_penetration, 0.01, 1e-12);
        CHECK(summary(&r)->unconverged_steps == 0); /* what was solved was solved */
        leave(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moreau_projected_ends_every_step_of_random_scenes_without_overlap),
        cmocka_unit_test(schatzman_paoli_without_restitution_ends_every_step_of_random_scenes_without_overlap),
        cmocka_unit_test(schatzman_paoli_closes_gaps_of_polytopes_by_its_steps_alone),
        cmocka_unit_test(a_link_that_lies_flat_on_its_hinge_can_be_turned_back),
        cmocka_unit_test(a_body_that_no_displacement_frees_is_said_to_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
