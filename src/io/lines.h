/* lines.h - tables of text: files that hold whole lines at any time. */
#ifndef SS_LINES_H
#define SS_LINES_H

#include "base/claim.h"

typedef struct ss_lines {
    ss_context *ctx;
    char *path;
    ss_claim claim;
    char *text; /* not yet in the file */
    int used, capacity;
} ss_lines;

/* Empty a file that was claimed; the claim is taken over, and *claim is none then. After a failure there is nothing to close. */
ss_status ss_lines_begin(ss_context *ctx, const char *path, ss_claim *claim, ss_lines *out);
/* Claim the file and empty it. After a failure there is nothing to close. */
ss_status ss_lines_open(ss_context *ctx, const char *path, ss_lines *out);
ss_status ss_lines_put(ss_lines *f, const char *text); /* any part of a line, or several lines */
ss_status ss_lines_print(ss_lines *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
ss_status ss_lines_put_quoted(ss_lines *f, const char *text); /* between quotes, those inside doubled */
/* Whole lines go to the file now; the start of a line that has no end yet waits. */
ss_status ss_lines_flush(ss_lines *f);
/* The same once there are many of them: to be called after a line. */
ss_status ss_lines_flush_when_full(ss_lines *f);
/* Flush (unless a write has failed before) and close. */
ss_status ss_lines_close(ss_lines *f, bool failed);

#endif
