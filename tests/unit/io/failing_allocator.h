/* failing_allocator.h - an allocator that counts what is held and refuses the n-th request. */
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include "test.h"

typedef struct failing {
    int until; /* requests that still succeed; negative: all */
    int held;  /* blocks not yet freed                       */
} failing;

static void *failing_resize(void *user, void *p, size_t size)
{
    failing *f = user;
    if (size == 0) {
        f->held -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->until == 0) {
        return NULL;
    }
    f->until -= f->until > 0;
    f->held += p == NULL;
    return realloc(p, size);
}

/* A context whose requests fail from the n-th on; NULL if not even the context could be made. */
static inline ss_context *failing_context(failing *f, int until)
{
    ss_context_options options = ss_context_options_default();
    ss_context *ctx = NULL;
    *f = (failing){ .until = until };
    options.allocator = (ss_allocator){ .resize = failing_resize, .user = f };
    return ss_context_create(&options, &ctx) == SS_OK ? ctx : NULL;
}

#endif
