/* test_damage.c - a bit that flips in a file is noticed when the file is read, or changes nothing of what is read: results and
 * contact problems as HDF5, checkpoints. */
#include "base/base.h"
#include "unit/schemes/text_run.h"

#include <math.h>
#include <unistd.h>

/* a ball that rolls and bounces on a plane: contacts, events, friction */
static const char scene_text[] =
    "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':1,'step':0.01},"
    "'materials':[{'name':'m','mu':0.3,'e':0.5}],"
    "'bodies':[{'name':'ball','type':'rigid','mass':1,'inertia':0.1,'position':[0,0.11],'velocity':[1,-1],"
    "'shapes':[{'type':'sphere','radius':0.1,'material':'m'}]},"
    "{'name':'floor','type':'fixed','shapes':[{'type':'half_space','normal':[0,1],'offset':0,'material':"
    "'m'}]}]}";

typedef struct world {
    run run;
    char path[64];
    const char *dump_to; /* problems are written there; NULL: not */
    ss_writer *writer;   /* NULL: none                            */
} world;

static ss_status on_step(void *user, const ss_sim *sim, const ss_step_info *info)
{
    world *w = user;
    return w->writer ? ss_writer_step(w->writer, sim, info) : SS_OK;
}

static ss_status on_event(void *user, const ss_sim *sim, const ss_event *event)
{
    world *w = user;
    return w->writer ? ss_writer_event(w->writer, sim, event) : SS_OK;
}

static ss_status on_problem(void *user, const ss_sim *sim, int64_t step, const ss_problem *problem, const ss_solution *solution)
{
    world *w = user;
    (void)sim;
    (void)step;
    return w->dump_to ? ss_problem_write(w->run.ctx, problem, solution, w->dump_to) : SS_OK;
}

static world make_world(const char *ending)
{
    world w = { .run = begin(scene_text, 0, NULL) };
    snprintf(w.path, sizeof w.path, "/tmp/slipstick-damage-%ld.%s", (long)getpid(), ending);
    return w;
}

static void write_run(world *w, double t)
{
    ss_observer observer = ss_observer_default();
    observer.user = w;
    observer.on_step = on_step;
    observer.on_event = on_event;
    observer.on_problem = on_problem;
    ss_sim_observe(w->run.sim, &observer);
    CHECK_OK(w->run.ctx, ss_sim_advance(w->run.sim, t));
}

static void end_world(world *w)
{
    leave(&w->run);
    remove(w->path);
}

/* HDF5 1.10 does not free a header whose check sum differs; the sanitizer has to see the function from outside */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

/* ---- what is read of a file, as one number ----------------------------------------------------- */

static uint64_t mix(uint64_t h, const void *bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        h = (h ^ ((const unsigned char *)bytes)[k]) * UINT64_C(0x100000001B3);
    }
    return h;
}

static uint64_t mix_text(uint64_t h, const char *text) { return mix(h, text, strlen(text) + 1); }

static ss_status read_columns(const ss_result *r, uint64_t *h)
{
    int64_t n = ss_result_states(r);
    double *x = calloc((size_t)n + 1, sizeof *x);
    ss_status status = SS_OK;
    for (int k = 0; k < ss_result_columns(r) && status == SS_OK; k++) {
        status = ss_result_read_column(r, k, 0, n, x);
        *h = mix(mix_text(*h, ss_result_column_name(r, k)), x, (size_t)n * sizeof *x);
    }
    free(x);
    return status;
}

static ss_status read_events(const ss_result *r, uint64_t *h)
{
    enum { MOST = 64 };
    double t[MOST] = { 0 };
    ss_event_kind kind[MOST] = { 0 };
    int64_t n = ss_result_events(r);
    *h = mix(*h, &n, sizeof n);
    if (n > MOST) {
        return SS_ERR_INPUT;
    }
    ss_status status = ss_result_read_events(r, 0, n, t, kind);
    *h = mix(mix(*h, t, sizeof t), kind, sizeof kind);
    return status;
}

/* the log has said something: rows were left out */
static bool warned;
static void note_warning(void *user, ss_log_level level, const char *message)
{
    (void)user;
    (void)message;
    warned = warned || level == SS_LOG_WARNING;
}

static ss_status read_result(ss_context *ctx, const char *path, uint64_t *h)
{
    ss_result *r;
    SS_TRY(ss_result_open(ctx, path, &r));
    *h = mix_text(mix_text(mix_text(0, ss_result_scene(r)), ss_result_scheme(r)), ss_result_solver(r));
    ss_status status = read_columns(r, h);
    status = status == SS_OK ? read_events(r, h) : status;
    ss_result_close(r);
    return status;
}

static ss_status read_problem(ss_context *ctx, const char *path, uint64_t *h)
{
    ss_problem_file *f;
    SS_TRY(ss_problem_read(ctx, path, &f));
    const ss_problem *p = ss_problem_file_problem(f);
    const ss_solution *s = ss_problem_file_solution(f);
    *h = mix(mix(0, &p->nc, sizeof p->nc), &p->nv, sizeof p->nv);
    *h = mix(mix(*h, p->b, (size_t)p->nv * sizeof *p->b), p->mu, (size_t)p->nc * sizeof *p->mu);
    *h = mix(mix(*h, p->w, (size_t)p->row[p->nc] * sizeof *p->w), p->law, (size_t)p->nc * sizeof *p->law);
    *h = s ? mix(*h, s->v, (size_t)p->nv * sizeof *s->v) : *h;
    ss_problem_file_destroy(f);
    return SS_OK;
}

/* ---- flips ------------------------------------------------------------------------------------- */

typedef struct flips {
    int noticed, harmless;
} flips;

static void flip(FILE *file, long at, int bit)
{
    fseek(file, at, SEEK_SET);
    int c = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(c ^ (1 << bit), file);
    fflush(file);
}

/* one bit of every `stride`-th byte; what is read must be what the good file says, or refused */
static flips flip_all(const char *path, long stride, ss_status (*read)(ss_context *ctx, const char *path, uint64_t *h))
{
    ss_context_options options = ss_context_options_default();
    ss_context *ctx;
    flips result = { 0, 0 };
    uint64_t good = 0, now;
    options.log = note_warning;
    CHECK(ss_context_create(&options, &ctx) == SS_OK);
    CHECK_OK(ctx, read(ctx, path, &good));
    FILE *file = fopen(path, "r+b");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    for (long at = 0; at < size; at += stride) {
        int bit = (int)(at * 5 % 8);
        flip(file, at, bit);
        warned = false;
        ss_status status = read(ctx, path, &now);
        bool refused = status != SS_OK && strstr(ss_last_error(ctx), path);
        if (!refused && !warned && now != good) {
            print_error("byte %ld of %ld, bit %d: other numbers are read\n", at, size, bit);
        }
        CHECK(refused || warned || (status == SS_OK && now == good));
        result.noticed += refused || warned;
        result.harmless += status == SS_OK && !warned;
        flip(file, at, bit);
    }
    fclose(file);
    CHECK_OK(ctx, read(ctx, path, &now));
    CHECK(now == good);
    ss_context_destroy(ctx);
    return result;
}

TEST(a_flipped_bit_of_a_result_is_noticed_or_changes_nothing)
{
    world w = make_world("h5");
    CHECK_OK(w.run.ctx, ss_writer_create(w.run.ctx, w.path, w.run.scene, w.run.sim, 0, &w.writer));
    write_run(&w, 0.2);
    CHECK_OK(w.run.ctx, ss_writer_close(w.writer));
    flips f = flip_all(w.path, test_repeats(37, 211, 1999), read_result);
    CHECK(f.noticed > f.harmless / 100 && f.noticed > 10);
    end_world(&w);
}

TEST(a_flipped_bit_of_a_contact_problem_is_noticed_or_changes_nothing)
{
    world w = make_world("hdf5");
    w.dump_to = w.path;
    write_run(&w, 0.1);
    flips f = flip_all(w.path, test_repeats(7, 31, 499), read_problem);
    CHECK(f.noticed > 10);
    end_world(&w);
}

TEST(a_flipped_bit_of_a_checkpoint_is_refused)
{
    world w = make_world("ss");
    write_run(&w, 0.1);
    CHECK_OK(w.run.ctx, ss_checkpoint_write(w.run.sim, w.run.ctx, w.path));
    FILE *file = fopen(w.path, "r+b");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    for (long at = 0; at < size; at++) {
        flip(file, at, (int)(at % 8));
        CHECK(ss_checkpoint_read(w.run.sim, w.run.ctx, w.path) == SS_ERR_INPUT && strstr(ss_last_error(w.run.ctx), w.path));
        flip(file, at, (int)(at % 8));
    }
    fclose(file);
    CHECK_OK(w.run.ctx, ss_checkpoint_read(w.run.sim, w.run.ctx, w.path));
    end_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_bit_of_a_result_is_noticed_or_changes_nothing),
        cmocka_unit_test(a_flipped_bit_of_a_contact_problem_is_noticed_or_changes_nothing),
        cmocka_unit_test(a_flipped_bit_of_a_checkpoint_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
