/* test_files.c - CSV results and checkpoints on disk: whole lines whatever happens, and places tried beforehand. */
#include "failing_allocator.h"
#include "unit/schemes/text_run.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signal.h>

static const char scene_text[] = "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':1,'step':0.01},"
                                 "'bodies':[{'name':'a, \\'b\\'','type':'particle','mass':1,'position':[0,1]}]}";

/* a ball that falls, and a folder of our own for its files */
typedef struct setting {
    run run;
    char folder[64], path[96];
} setting;

static setting open_setting(const char *file)
{
    setting s = { .run = begin(scene_text, 0, NULL), .folder = "/tmp/slipstick-files-XXXXXX" };
    CHECK(mkdtemp(s.folder));
    snprintf(s.path, sizeof s.path, "%s/%s", s.folder, file);
    return s;
}

static void close_setting(setting *s)
{
    leave(&s->run);
    remove(s->path);
    CHECK(rmdir(s->folder) == 0); /* nothing else was left there */
}

/* lines of the file; fails unless each has its end and as many commas as the columns have */
static int whole_lines(const char *path)
{
    /* t, 2 in q, 2 in v, 7 more; the name in each of the 4 columns has a comma of its own */
    enum { ROW = 11, HEADER = ROW + 4 };
    int lines = 0, commas = 0, last = '\n';
    FILE *file = fopen(path, "r");
    for (int c; file && (c = fgetc(file)) != EOF; last = c) {
        commas += c == ',';
        if (c == '\n') {
            CHECK(commas == (lines == 0 ? HEADER : ROW));
            commas = 0;
            lines++;
        }
    }
    CHECK(last == '\n');
    if (file) {
        fclose(file);
    }
    return lines;
}

/* the first state and `steps` more; stops at the first failure, which it returns */
static ss_status write_states(setting *s, ss_context *ctx, int steps)
{
    ss_writer *w = NULL;
    ss_status status = ss_writer_create(ctx, s->path, s->run.scene, s->run.sim, 0, &w);
    for (int k = 0; k < steps && status == SS_OK; k++) {
        CHECK_OK(s->run.ctx, ss_sim_step(s->run.sim, 0.01));
        status = ss_writer_step(w, s->run.sim, ss_sim_last_step(s->run.sim));
    }
    ss_status closed = ss_writer_close(w);
    return status != SS_OK ? status : closed;
}

TEST(a_csv_file_has_a_line_for_each_state)
{
    setting s = open_setting("a.csv");
    CHECK_OK(s.run.ctx, write_states(&s, s.run.ctx, 1000)); /* some 200 bytes each: more than waits in memory */
    CHECK(whole_lines(s.path) == 1 + 1 + 1000);
    close_setting(&s);
}

TEST(refused_memory_leaves_whole_lines_and_no_memory)
{
    setting s = open_setting("a.csv");
    ss_status status = SS_ERR_MEMORY;
    int n = 0;
    for (; status != SS_OK && n < 100; n++) {
        failing f;
        ss_context *ctx = failing_context(&f, n);
        status = ctx ? write_states(&s, ctx, 400) : SS_ERR_MEMORY;
        CHECK(status == SS_OK || status == SS_ERR_MEMORY);
        CHECK(access(s.path, F_OK) != 0 || whole_lines(s.path) >= 0);
        ss_context_destroy(ctx);
        CHECK(f.held == 0);
    }
    CHECK(status == SS_OK && n > 5); /* it did fail in several places before */
    close_setting(&s);
}

TEST(a_file_that_cannot_grow_keeps_its_whole_lines)
{
    struct rlimit old, low;
    setting s = open_setting("a.csv");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 70001; /* within the second write, within a line */
    setrlimit(RLIMIT_FSIZE, &low);
    ss_status status = write_states(&s, s.run.ctx, 1000);
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(status == SS_ERR_IO && strstr(ss_last_error(s.run.ctx), "a.csv: cannot be written: File too large"));
    struct stat info;
    CHECK(stat(s.path, &info) == 0 && info.st_size <= 70001 && info.st_size > 70001 - 400); /* a line is below 400 bytes */
    CHECK(whole_lines(s.path) > 100);
    close_setting(&s);
}

TEST(a_checkpoint_is_tried_without_a_trace)
{
    setting s = open_setting("state.ss");
    char inside[128];
    CHECK_OK(s.run.ctx, ss_checkpoint_try(s.run.ctx, s.path));
    CHECK(access(s.path, F_OK) != 0);
    CHECK_OK(s.run.ctx, ss_checkpoint_write(s.run.sim, s.run.ctx, s.path));
    CHECK_OK(s.run.ctx, ss_checkpoint_try(s.run.ctx, s.path));
    CHECK_OK(s.run.ctx, ss_checkpoint_read(s.run.sim, s.run.ctx, s.path)); /* what was there is still there */
    snprintf(inside, sizeof inside, "%s/x", s.path);
    CHECK_FAILS(s.run.ctx, ss_checkpoint_try(s.run.ctx, inside), SS_ERR_IO, "cannot be written: Not a directory");
    CHECK_FAILS(s.run.ctx, ss_checkpoint_try(s.run.ctx, s.folder), SS_ERR_IO, "cannot be written: Is a directory");
    close_setting(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_csv_file_has_a_line_for_each_state),
        cmocka_unit_test(refused_memory_leaves_whole_lines_and_no_memory),
        cmocka_unit_test(a_file_that_cannot_grow_keeps_its_whole_lines),
        cmocka_unit_test(a_checkpoint_is_tried_without_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
