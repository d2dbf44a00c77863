/* test_claims.c - one writer per file: a second one is refused, in this process and in others, and the first goes on; and what
 * waits in memory is written when asked for. */
#include "base/claim.h"
#include "unit/schemes/text_run.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char scene_text[] = "{'slipstick':1,'dimension':2,'gravity':[0,-9.81],'time':{'until':1,'step':0.01},"
                                 "'bodies':[{'name':'ball','type':'particle','mass':1,'position':[0,1]}]}";
static const char taken[] = "cannot be written: it is already being written";

/* a ball that falls, and a path for its files */
typedef struct setting {
    run run;
    char path[64];
} setting;

static setting open_setting(const char *ending)
{
    setting s = { .run = begin(scene_text, 0, NULL) };
    snprintf(s.path, sizeof s.path, "/tmp/slipstick-claims-%ld.%s", (long)getpid(), ending);
    return s;
}

static void close_setting(setting *s)
{
    leave(&s->run);
    remove(s->path);
}

static void write_steps(setting *s, ss_writer *w, int steps)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(s->run.ctx, ss_sim_step(s->run.sim, 0.01));
        CHECK_OK(s->run.ctx, ss_writer_step(w, s->run.sim, ss_sim_last_step(s->run.sim)));
    }
}

static int64_t states_in(setting *s)
{
    ss_result *r;
    CHECK_OK(s->run.ctx, ss_result_open(s->run.ctx, s->path, &r));
    int64_t n = ss_result_states(r);
    ss_result_close(r);
    return n;
}

TEST(a_second_writer_is_refused_and_the_first_goes_on)
{
    const char *const ending[] = { "csv", "h5" };
    for (int k = 0; k < 2; k++) {
        setting s = open_setting(ending[k]);
        ss_writer *first, *second;
        CHECK_OK(s.run.ctx, ss_writer_create(s.run.ctx, s.path, s.run.scene, s.run.sim, 0, &first));
        write_steps(&s, first, 5);
        CHECK_FAILS(s.run.ctx, ss_writer_create(s.run.ctx, s.path, s.run.scene, s.run.sim, 0, &second), SS_ERR_IO, taken);
        CHECK(!second);
        write_steps(&s, first, 5);
        CHECK_OK(s.run.ctx, ss_writer_close(first));
        CHECK(states_in(&s) == 11);
        /* a result that nobody writes any more may be replaced */
        CHECK_OK(s.run.ctx, ss_writer_create(s.run.ctx, s.path, s.run.scene, s.run.sim, 0, &second));
        CHECK_OK(s.run.ctx, ss_writer_close(second));
        CHECK(states_in(&s) == 1);
        close_setting(&s);
    }
}

TEST(a_writer_that_is_closed_before_it_begins_leaves_everything_as_it_was)
{
    const char *const ending[] = { "csv", "h5" };
    for (int k = 0; k < 2; k++) {
        setting s = open_setting(ending[k]);
        ss_writer *w, *second;
        CHECK_OK(s.run.ctx, ss_writer_claim(s.run.ctx, s.path, 0, &w));
        CHECK_OK(s.run.ctx, ss_writer_close(w));
        CHECK(access(s.path, F_OK) != 0); /* there was no such file */
        CHECK_OK(s.run.ctx, ss_writer_create(s.run.ctx, s.path, s.run.scene, s.run.sim, 0, &w));
        write_steps(&s, w, 5);
        CHECK_OK(s.run.ctx, ss_writer_close(w));
        CHECK_OK(s.run.ctx, ss_writer_claim(s.run.ctx, s.path, 0, &w));
        CHECK_FAILS(s.run.ctx, ss_writer_claim(s.run.ctx, s.path, 0, &second), SS_ERR_IO, taken);
        CHECK(!second);
        CHECK_OK(s.run.ctx, ss_writer_close(w));
        CHECK(states_in(&s) == 6);
        close_setting(&s);
    }
}

TEST(what_waits_is_in_the_file_after_a_flush)
{
    const char *const ending[] = { "csv", "h5" };
    for (int k = 0; k < 2; k++) {
        setting s = open_setting(ending[k]);
        ss_writer *w;
        CHECK_OK(s.run.ctx, ss_writer_create(s.run.ctx, s.path, s.run.scene, s.run.sim, 0, &w));
        write_steps(&s, w, 3);
        CHECK_OK(s.run.ctx, ss_writer_flush(w, 0));
        CHECK(states_in(&s) == 4);
        CHECK_OK(s.run.ctx, ss_writer_flush(w, 0)); /* nothing waits */
        write_steps(&s, w, 1);
        CHECK_OK(s.run.ctx, ss_writer_close(w));
        CHECK(states_in(&s) == 5);
        close_setting(&s);
    }
}

/* another process that claims the path and says so; -1: it could not */
static pid_t claim_elsewhere(setting *s)
{
    int say[2];
    char done = 0;
    CHECK(pipe(say) == 0);
    pid_t child = fork();
    if (child == 0) {
        ss_claim claim;
        done = ss_claim_take(s->run.ctx, s->path, &claim) == SS_OK;
        _exit(write(say[1], &done, 1) == 1 && done ? pause() : 1);
    }
    close(say[1]);
    CHECK(child > 0 && read(say[0], &done, 1) == 1);
    close(say[0]);
    return done ? child : -1;
}

TEST(a_claim_of_another_process_ends_when_it_is_killed)
{
    setting s = open_setting("csv");
    ss_writer *w;
    pid_t other = claim_elsewhere(&s);
    CHECK(other > 0);
    CHECK_FAILS(s.run.ctx, ss_writer_create(s.run.ctx, s.path, s.run.scene, s.run.sim, 0, &w), SS_ERR_IO, taken);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    CHECK_OK(s.run.ctx, ss_writer_create(s.run.ctx, s.path, s.run.scene, s.run.sim, 0, &w));
    CHECK_OK(s.run.ctx, ss_writer_close(w));
    close_setting(&s);
}

/* while there is no checkpoint, when there is one, and when a save has replaced it */
TEST(a_checkpoint_has_one_writer_from_open_to_close)
{
    setting s = open_setting("ss");
    ss_checkpoint *first, *second;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(s.run.ctx, ss_checkpoint_open(s.run.ctx, s.path, &first));
        for (int saves = 0; saves < 3; saves++) {
            CHECK_FAILS(s.run.ctx, ss_checkpoint_open(s.run.ctx, s.path, &second), SS_ERR_IO, taken);
            CHECK_FAILS(s.run.ctx, ss_checkpoint_write(s.run.sim, s.run.ctx, s.path), SS_ERR_IO, taken);
            CHECK_OK(s.run.ctx, ss_checkpoint_save(first, s.run.sim));
            CHECK_OK(s.run.ctx, ss_checkpoint_read(s.run.sim, s.run.ctx, s.path));
        }
        ss_checkpoint_close(first);
    }
    char beside[80];
    snprintf(beside, sizeof beside, "%s.new", s.path);
    CHECK(access(beside, F_OK) != 0);
    close_setting(&s);
}

TEST(a_contact_problem_has_one_writer_and_leaves_no_empty_file)
{
    setting s = open_setting("hdf5");
    ss_dump *first, *second;
    CHECK_OK(s.run.ctx, ss_dump_open(s.run.ctx, s.path, &first));
    CHECK_FAILS(s.run.ctx, ss_dump_open(s.run.ctx, s.path, &second), SS_ERR_IO, taken);
    ss_dump_close(first);
    CHECK(access(s.path, F_OK) != 0);
    FILE *old = fopen(s.path, "w");
    CHECK(old && fputs("old", old) >= 0 && fclose(old) == 0);
    CHECK_OK(s.run.ctx, ss_dump_open(s.run.ctx, s.path, &first));
    ss_dump_close(first);
    struct stat about;
    CHECK(stat(s.path, &about) == 0 && about.st_size == 3); /* what was there is still there */
    close_setting(&s);
}

/* between opening and locking: the name belongs to another file by then */
TEST(a_claim_knows_its_file_from_a_new_one_of_that_name)
{
    setting s = open_setting("csv");
    ss_claim old, new;
    CHECK_OK(s.run.ctx, ss_claim_take(s.run.ctx, s.path, &old));
    CHECK(old.fresh && ss_claim_is_of(&old, s.path));
    remove(s.path);
    CHECK(!ss_claim_is_of(&old, s.path));
    CHECK_OK(s.run.ctx, ss_claim_take(s.run.ctx, s.path, &new));
    CHECK(ss_claim_is_of(&new, s.path) && !ss_claim_is_of(&old, s.path));
    CHECK(ss_claim_release(&old) == 0 && ss_claim_release(&new) == 0 && new.file == -1);
    close_setting(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_writer_is_refused_and_the_first_goes_on),
        cmocka_unit_test(a_writer_that_is_closed_before_it_begins_leaves_everything_as_it_was),
        cmocka_unit_test(what_waits_is_in_the_file_after_a_flush),
        cmocka_unit_test(a_claim_of_another_process_ends_when_it_is_killed),
        cmocka_unit_test(a_checkpoint_has_one_writer_from_open_to_close),
        cmocka_unit_test(a_contact_problem_has_one_writer_and_leaves_no_empty_file),
        cmocka_unit_test(a_claim_knows_its_file_from_a_new_one_of_that_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
