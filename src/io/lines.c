/* lines.c - tables of text that hold whole lines at any time, also after a full disk or kill -9.
 *
 * Lines wait in memory and go to the file whole. A call of write() is cut short by kill -9 only where one page of the file
 * ends and the next begins (Linux looks for the signal before each page). Therefore no write goes beyond the page in which it
 * begins, and each ends with a line; a line that lies across the boundary of pages is written by a call of its own. Only a kill
 * between the two pages of such a line, a fraction of a microsecond, leaves it without its end. What a full disk leaves of a
 * line is cut off again.
 * Cost: two calls per 4096 bytes.  */
#include "io/lines.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum {
    FULL = 1 << 16, /* bytes that wait at most, but for the last line        */
    PAGE = 4096,    /* larger pages are made of these */
};

static ss_status failure(const ss_lines *f, int error)
{
    return ss_fail(f->ctx, SS_ERR_IO, "%s: cannot be written: %s", f->path, strerror(error));
}

/* ---- to the file ------------------------------------------------------------------------------- */

/* length of the text up to its last end of a line, that included */
static int whole_lines(const char *text, int n)
{
    while (n > 0 && text[n - 1] != '\n') {
        n--;
    }
    return n;
}

/* how much of n bytes of whole lines the next write takes if it begins at `at` in the file */
static int next_piece(const char *text, int n, off_t at)
{
    int left = PAGE - (int)(at % PAGE);
    if (n <= left) {
        return n;
    }
    int whole = whole_lines(text, left);
    return whole > 0 ? whole : left + (int)((const char *)memchr(text + left, '\n', (size_t)(n - left)) - (text + left)) + 1;
}

/* take back what lies behind `end` in the file; a pipe or a device cannot */
static void cut_off(const ss_lines *f, off_t end)
{
    if (end >= 0 && ftruncate(f->claim.file, end) == 0) {
        lseek(f->claim.file, end, SEEK_SET);
    }
}

/* n bytes, at `at` in the file (negative: a pipe); 0, or the error, after which the file ends with a line */
static int write_piece(const ss_lines *f, const char *text, int n, off_t at)
{
    int done = 0;
    while (done < n) {
        ssize_t now = write(f->claim.file, text + done, (size_t)(n - done));
        if (now < 0 && errno != EINTR) {
            int error = errno;
            cut_off(f, at < 0 ? at : at + whole_lines(text, done));
            return error;
        }
        done += now > 0 ? (int)now : 0;
    }
    return 0;
}

/* what is not written yet moves to the front */
static void forget_written(ss_lines *f, int written)
{
    f->used -= written;
    memmove(f->text, f->text + written, (size_t)f->used);
}

ss_status ss_lines_flush(ss_lines *f)
{
    int whole = whole_lines(f->text, f->used), written = 0, error = 0;
    off_t start = whole > 0 ? lseek(f->claim.file, 0, SEEK_CUR) : 0;
    while (written < whole && !error) {
        off_t at = start < 0 ? start : start + written;
        int n = next_piece(f->text + written, whole - written, at < 0 ? 0 : at);
        error = write_piece(f, f->text + written, n, at);
        written += n;
    }
    if (whole > 0) {
        forget_written(f, written);
    }
    return error ? failure(f, error) : SS_OK;
}

ss_status ss_lines_flush_when_full(ss_lines *f) { return f->used >= FULL ? ss_lines_flush(f) : SS_OK; }

/* ---- to the text that waits -------------------------------------------------------------------- */

ss_status ss_lines_put(ss_lines *f, const char *text)
{
    size_t n = strlen(text);
    SS_TRY(ss_reserve(f->ctx, &f->text, &f->capacity, f->used + (int)n, 1));
    memcpy(f->text + f->used, text, n);
    f->used += (int)n;
    return SS_OK;
}

ss_status ss_lines_print(ss_lines *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    SS_TRY(ss_reserve(f->ctx, &f->text, &f->capacity, f->used + n + 1, 1)); /* and the zero, which is not kept */
    va_start(args, format);
    vsnprintf(f->text + f->used, (size_t)n + 1, format, args);
    va_end(args);
    f->used += n;
    return SS_OK;
}

ss_status ss_lines_put_quoted(ss_lines *f, const char *text)
{
    SS_TRY(ss_lines_put(f, "\""));
    for (; *text; text++) {
        SS_TRY(ss_lines_put(f, *text == '"' ? "\"\"" : (char[]){ *text, '\0' }));
    }
    return ss_lines_put(f, "\"");
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* a device cannot be cut, and need not be */
static ss_status empty_file(const ss_lines *f)
{
    return ftruncate(f->claim.file, 0) == 0 || errno == EINVAL ? SS_OK : failure(f, errno);
}

ss_status ss_lines_begin(ss_context *ctx, const char *path, ss_claim *claim, ss_lines *out)
{
    *out = (ss_lines){ .ctx = ctx, .claim = *claim };
    *claim = (ss_claim){ .file = -1 };
    ss_status status = ss_strdup(ctx, path, &out->path);
    status = status == SS_OK ? empty_file(out) : status;
    if (status != SS_OK) {
        ss_lines_close(out, true);
    }
    return status;
}

ss_status ss_lines_open(ss_context *ctx, const char *path, ss_lines *out)
{
    ss_claim claim;
    *out = (ss_lines){ .claim = { .file = -1 } };
    SS_TRY(ss_claim_take(ctx, path, &claim));
    return ss_lines_begin(ctx, path, &claim, out);
}

ss_status ss_lines_close(ss_lines *f, bool failed)
{
    ss_status status = failed ? SS_OK : ss_lines_flush(f);
    if (ss_claim_release(&f->claim) != 0 && !failed && status == SS_OK) {
        status = failure(f, errno);
    }
    ss_free(f->ctx, f->text);
    ss_free(f->ctx, f->path);
    *f = (ss_lines){ .claim = { .file = -1 } };
    return status;
}
