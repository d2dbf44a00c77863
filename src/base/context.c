/* context.c - the context: error text, log, allocator and seed, all that a call may need to reach.
 *
 * The error text lives in a fixed buffer inside the context, so that failing never needs memory: a
 * longer text is cut at a character boundary and ends in "...". Control characters become spaces, so
 * that a message is always one line. A text is formatted before the old one is overwritten: the old
 * one may be among the arguments.
 *
 * The context itself comes from its allocator hook. Nothing here is global: two contexts never meet. */
#include "base/context.h"
#include "base/parallel.h"
#include "base/team.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *resize_default(void *user, void *p, size_t size)
{
    (void)user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

ss_context_options ss_context_options_default(void)
{
    return (ss_context_options){ .allocator = { .resize = resize_default }, .seed = 1, .threads = 1 };
}

ss_status ss_context_create(const ss_context_options *options, ss_context **out)
{
    ss_context_options chosen = options ? *options : ss_context_options_default();
    if (!chosen.allocator.resize) {
        chosen.allocator.resize = resize_default;
    }
    ss_context *ctx = chosen.allocator.resize(chosen.allocator.user, NULL, sizeof *ctx + ss_team_size());
    *out = ctx;
    if (!ctx) {
        return SS_ERR_MEMORY;
    }
    memset(ctx, 0, sizeof *ctx);
    ctx->options = chosen;
    ctx->plain = chosen.allocator.resize == resize_default;
    ctx->team = (ss_team *)(ctx + 1);
    ss_team_open(ctx->team);
    return SS_OK;
}

void ss_context_destroy(ss_context *ctx)
{
    if (ctx) {
        for (int k = 0; k < ctx->extensions; k++) {
            ss_free(ctx, ctx->extension[k].owned ? (void *)(uintptr_t)ctx->extension[k].entry : NULL);
        }
        ss_free(ctx, ctx->extension);
        ss_allocator allocator = ctx->options.allocator;
        ss_team_close(ctx->team);
        allocator.resize(allocator.user, ctx, 0);
    }
}

void **ss_context_shared(ss_context *ctx) { return &ctx->shared; }

ss_arena *ss_context_lend(ss_context *ctx, ss_arena *arena)
{
    ss_arena *before = ctx->lent;
    ctx->lent = arena;
    return before;
}

ss_arena *ss_context_lent(const ss_context *ctx) { return ctx->lent; }

/* ---- texts --------------------------------------------------------------------------------- */

const char *ss_last_error(const ss_context *ctx) { return ctx ? ctx->error : ""; }

const char *ss_status_text(ss_status status)
{
    switch (status) {
#define SS_STATUS_CASE(code, text)                                                                                               \
    case code:                                                                                                                   \
        return text;
        SS_STATUS_LIST(SS_STATUS_CASE)
#undef SS_STATUS_CASE
    }
    return "unknown status";
}

/* In a text cut after `length` bytes, end with "..." and leave no part of a UTF-8 character before it. */
static void mark_cut(char *text, size_t length)
{
    size_t end = length - 3;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) {
        end--;
    }
    memcpy(text + end, "...", 4);
}

/* Format into text[SS_ERROR_SIZE]: one line, cut if too long. */
static void format_line(char *text, const char *format, va_list arguments)
{
    int length = vsnprintf(text, SS_ERROR_SIZE, format, arguments);
    if (length < 0) {
        text[0] = '\0';
    } else if (length >= SS_ERROR_SIZE) {
        mark_cut(text, SS_ERROR_SIZE - 1);
    }
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            *c = ' ';
        }
    }
}

ss_status ss_fail(ss_context *ctx, ss_status status, const char *format, ...)
{
    if (ctx) {
        char text[SS_ERROR_SIZE];
        va_list arguments;
        va_start(arguments, format);
        format_line(text, format, arguments);
        va_end(arguments);
        memcpy(ctx->error, text, sizeof text);
    }
    return status;
}

ss_status ss_fail_within(ss_context *ctx, ss_status status, const char *format, ...)
{
    if (ctx) {
        char prefix[SS_ERROR_SIZE];
        va_list arguments;
        va_start(arguments, format);
        format_line(prefix, format, arguments);
        va_end(arguments);
        ss_fail(ctx, status, "%s: %s", prefix, ctx->error);
    }
    return status;
}

ss_status ss_context_fail(ss_context *ctx, ss_status status, const char *text) { return ss_fail(ctx, status, "%s", text); }

void ss_error_clear(ss_context *ctx)
{
    if (ctx) {
        ctx->error[0] = '\0';
    }
}

void ss_log(const ss_context *ctx, ss_log_level level, const char *format, ...)
{
    if (ctx && ctx->options.log) {
        char text[SS_ERROR_SIZE];
        va_list arguments;
        va_start(arguments, format);
        format_line(text, format, arguments);
        va_end(arguments);
        ctx->options.log(ctx->options.log_user, level, text);
    }
}

/* ---- interrupts ------------------------------------------------------------------------------- */

const volatile int *ss_context_watch(ss_context *ctx, const volatile int *flag)
{
    const volatile int *before = ctx->interrupt;
    ctx->interrupt = flag;
    return before;
}

bool ss_is_interrupted(const ss_context *ctx) { return ctx->interrupt && *ctx->interrupt; }

ss_status ss_check_interrupt(ss_context *ctx)
{
    return ss_is_interrupted(ctx) ? ss_fail(ctx, SS_ERR_INTERRUPTED, "interrupted") : SS_OK;
}

/* ---- what a context knows ------------------------------------------------------------------- */

uint64_t ss_context_seed(const ss_context *ctx) { return ctx->options.seed; }

int ss_context_threads(const ss_context *ctx)
{
    enum { MOST = 256 }; /* more than any machine gains from; asking the system for more may end the process */
    int threads = ctx->options.threads;
    return threads < 1 ? 1 : threads > MOST ? MOST : threads;
}

void ss_context_set_threads(ss_context *ctx, int threads) { ctx->options.threads = threads; }

uint64_t ss_context_allocations(const ss_context *ctx) { return ctx->allocations; }

#define TEXT_OF(x)  TEXT_OF_(x)
#define TEXT_OF_(x) #x

const char *ss_version(void) { return TEXT_OF(SS_VERSION_MAJOR) "." TEXT_OF(SS_VERSION_MINOR) "." TEXT_OF(SS_VERSION_PATCH); }

double ss_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
