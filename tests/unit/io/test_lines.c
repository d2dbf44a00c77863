/* test_lines.c - tables of text that hold whole lines whatever happens to a write. The program's write() is the one below, which
 * can be cut short, be interrupted and find the disk full. */
#include "io/lines.h"
#include "test.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, CALLS = 4096 };

/* what write() is to do, and what it was asked for */
static struct {
    long room;        /* bytes until the disk is full; negative: no end */
    size_t most;      /* bytes of one call; 0: any number   */
    bool interrupted; /* every second call                  */
    int calls;
    struct {
        long at;
        size_t size;
        int lines; /* ends of lines in it  */
        char last;
    } call[CALLS];
} disk;

static void note_call(long at, const char *text, size_t size)
{
    if (disk.calls < CALLS) {
        disk.call[disk.calls].at = at;
        disk.call[disk.calls].size = size;
        disk.call[disk.calls].last = text[size - 1];
        disk.call[disk.calls].lines = 0;
        for (size_t k = 0; k < size; k++) {
            disk.call[disk.calls].lines += text[k] == '\n';
        }
    }
    disk.calls++;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    note_call(lseek(file, 0, SEEK_CUR), bytes, size);
    if (disk.interrupted && disk.calls % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    size = disk.most > 0 && size > disk.most ? disk.most : size;
    size = disk.room >= 0 && (long)size > disk.room ? (size_t)disk.room : size;
    if (size == 0) {
        errno = ENOSPC;
        return -1;
    }
    disk.room -= disk.room >= 0 ? (long)size : 0;
    struct iovec part = { (void *)(uintptr_t)bytes, size };
    return writev(file, &part, 1);
}

/* ---- a table ----------------------------------------------------------------------------------- */

static char path[64];

/* lines of 1, 38, 75, .. letters, up to more than two pages, again and again; flushed now and then */
static ss_status write_table(ss_context *ctx, int lines)
{
    static char letters[3 * PAGE];
    ss_lines f;
    SS_TRY(ss_lines_open(ctx, path, &f));
    ss_status status = SS_OK;
    for (int k = 0; k < lines && status == SS_OK; k++) {
        size_t length = 1 + 37 * (size_t)k % (2 * PAGE + 100);
        memset(letters, 'a' + k % 26, length);
        letters[length] = '\0';
        status = ss_lines_put(&f, letters);
        status = status == SS_OK ? ss_lines_print(&f, ",%d\n", k) : status;
        status = status == SS_OK && k % 50 == 49 ? ss_lines_flush(&f) : status;
        status = status == SS_OK ? ss_lines_flush_when_full(&f) : status;
    }
    ss_status closed = ss_lines_close(&f, status != SS_OK);
    return status != SS_OK ? status : closed;
}

static char *load(long *size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    *size = ftell(file);
    char *bytes = calloc(1, (size_t)*size + 1);
    rewind(file);
    CHECK(bytes && fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
    fclose(file);
    return bytes;
}

/* the table as it should be */
static char *good_table(ss_context *ctx, int lines, long *size)
{
    snprintf(path, sizeof path, "/tmp/slipstick-lines-%ld.csv", (long)getpid());
    memset(&disk, 0, sizeof disk);
    disk.room = -1;
    CHECK_OK(ctx, write_table(ctx, lines));
    return load(size);
}

TEST(a_write_ends_with_a_line_and_stays_in_its_page_unless_it_is_one_line)
{
    ss_context *ctx = test_context();
    long size, across = 0;
    free(good_table(ctx, 400, &size));
    CHECK(size > 1000000 && disk.calls < CALLS);
    for (int k = 0; k < disk.calls; k++) {
        long last = disk.call[k].at + (long)disk.call[k].size - 1;
        bool inside = disk.call[k].at / PAGE == last / PAGE;
        CHECK(disk.call[k].last == '\n' && (inside || disk.call[k].lines == 1));
        across += !inside;
    }
    CHECK(across > 100 && disk.calls > across); /* both kinds occur */
    remove(path);
    ss_context_destroy(ctx);
}

TEST(writes_that_are_cut_short_or_interrupted_lose_nothing)
{
    ss_context *ctx = test_context();
    long size, again;
    char *good = good_table(ctx, 60, &size);
    disk.most = 7;
    disk.interrupted = true;
    CHECK_OK(ctx, write_table(ctx, 60));
    char *text = load(&again);
    CHECK(again == size && memcmp(good, text, (size_t)size) == 0);
    free(good);
    free(text);
    remove(path);
    ss_context_destroy(ctx);
}

TEST(a_disk_that_is_full_after_any_number_of_bytes_keeps_all_whole_lines)
{
    ss_context *ctx = test_context();
    long size, left;
    char *good = good_table(ctx, 60, &size);
    for (long room = 0; room < size; room += 1 + room / 7) {
        disk.room = room;
        CHECK_FAILS(ctx, write_table(ctx, 60), SS_ERR_IO, "cannot be written: No space left");
        char *text = load(&left);
        CHECK(left <= room && memcmp(good, text, (size_t)left) == 0 && (left == 0 || text[left - 1] == '\n'));
        CHECK(!memchr(good + left, '\n', (size_t)(room - left))); /* not a line more would have fitted */
        free(text);
    }
    free(good);
    remove(path);
    ss_context_destroy(ctx);
}

TEST(a_line_without_its_end_waits)
{
    ss_context *ctx = test_context();
    ss_lines f;
    long size;
    free(good_table(ctx, 1, &size));
    CHECK_OK(ctx, ss_lines_open(ctx, path, &f));
    CHECK_OK(ctx, ss_lines_put(&f, "one\ntwo"));
    CHECK_OK(ctx, ss_lines_flush(&f));
    char *text = load(&size);
    assert_string_equal(text, "one\n");
    free(text);
    CHECK_OK(ctx, ss_lines_put_quoted(&f, " \"2\""));
    CHECK_OK(ctx, ss_lines_put(&f, "\n"));
    CHECK_OK(ctx, ss_lines_close(&f, false));
    text = load(&size);
    assert_string_equal(text, "one\ntwo\" \"\"2\"\"\"\n");
    free(text);
    remove(path);
    ss_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_ends_with_a_line_and_stays_in_its_page_unless_it_is_one_line),
        cmocka_unit_test(writes_that_are_cut_short_or_interrupted_lose_nothing),
        cmocka_unit_test(a_disk_that_is_full_after_any_number_of_bytes_keeps_all_whole_lines),
        cmocka_unit_test(a_line_without_its_end_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
