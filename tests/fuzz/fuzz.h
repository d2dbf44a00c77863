/* fuzz.h - what the fuzz targets share: a context that counts on nothing, and bytes as a file. */
#ifndef FUZZ_H
#define FUZZ_H

#include <slipstick/slipstick.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline ss_context *fuzz_context(void)
{
    ss_context *ctx = NULL;
    if (ss_context_create(NULL, &ctx) != SS_OK) {
        abort();
    }
    return ctx;
}

/* The bytes as a file of this process, the same place every time. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/slipstick-fuzz-%ld", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        abort();
    }
    return path;
}

/* A failure must say what is wrong, in one line. */
static inline void fuzz_expect_reason(const ss_context *ctx)
{
    if (!*ss_last_error(ctx) || strchr(ss_last_error(ctx), '\n')) {
        abort();
    }
}

#endif
