/* dump.c - a file for contact problems that nobody else can write while it is open. */
#include "io/fclib.h"

#include <stdio.h>

struct ss_dump {
    ss_context *ctx;
    char *path;
    ss_claim claim;
    bool written;
};

ss_status ss_dump_open(ss_context *ctx, const char *path, ss_dump **out)
{
    ss_dump *d;
    *out = NULL;
    SS_TRY(ss_calloc(ctx, 1, sizeof *d, &d));
    *d = (ss_dump){ .ctx = ctx, .claim = { .file = -1 } };
    ss_status status = ss_strdup(ctx, path, &d->path);
    status = status == SS_OK ? ss_claim_take(ctx, path, &d->claim) : status;
    if (status != SS_OK) {
        ss_dump_close(d);
        return status;
    }
    *out = d;
    return SS_OK;
}

ss_status ss_dump_write(ss_dump *d, const ss_problem *problem, const ss_solution *solution)
{
    ss_status status = ss_fclib_write(d->ctx, d->path, &d->claim, problem, solution);
    d->written = d->written || status == SS_OK;
    return status;
}

void ss_dump_close(ss_dump *d)
{
    if (!d) {
        return;
    }
    if (d->claim.fresh && !d->written) {
        remove(d->path);
    }
    ss_claim_release(&d->claim);
    ss_free(d->ctx, d->path);
    ss_free(d->ctx, d);
}

ss_status ss_problem_write(ss_context *ctx, const ss_problem *problem, const ss_solution *solution, const char *path)
{
    ss_dump *d;
    SS_TRY(ss_dump_open(ctx, path, &d));
    ss_status status = ss_dump_write(d, problem, solution);
    ss_dump_close(d);
    return status;
}
