/* failing.h - an allocator that refuses its n-th request and knows what is still out.
 *
 *   failing_allocator memory = { .fail_at = n };          n = 0: never refuses
 *   ss_context *ctx = failing_context(&memory);           NULL if the context itself was refused */
#ifndef SS_TEST_FAILING_H
#define SS_TEST_FAILING_H

#include "test.h"

typedef struct failing_allocator {
    int fail_at;  /* the request to refuse, from 1; 0: none */
    int requests; /* so far                                 */
    int live;     /* pieces handed out and not given back   */
} failing_allocator;

static void *failing_resize(void *user, void *p, size_t size)
{
    failing_allocator *memory = user;
    if (size == 0) {
        memory->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (++memory->requests == memory->fail_at) {
        return NULL;
    }
    memory->live += p == NULL;
    return realloc(p, size);
}

static inline ss_context *failing_context(failing_allocator *memory)
{
    ss_context_options options = ss_context_options_default();
    options.allocator = (ss_allocator){ .resize = failing_resize, .user = memory };
    ss_context *ctx = NULL;
    ss_status status = ss_context_create(&options, &ctx);
    CHECK((status == SS_OK) == (ctx != NULL));
    return ctx;
}

/* Run `use` with the 1st, 2nd, ... request refused until it needs no more: every refusal must come out
 * as SS_ERR_MEMORY with a text, and every piece must be given back. Returns the number of requests. */
static inline int fail_at_every_request(ss_status (*use)(ss_context *ctx))
{
    for (int n = 1;; n++) {
        failing_allocator memory = { .fail_at = n };
        ss_context *ctx = failing_context(&memory);
        ss_status status = ctx ? use(ctx) : SS_ERR_MEMORY;
        bool refused = memory.requests >= n;
        CHECK(status == (refused ? SS_ERR_MEMORY : SS_OK));
        CHECK(!refused || !ctx || strstr(ss_last_error(ctx), "memory"));
        ss_context_destroy(ctx);
        CHECK(memory.live == 0);
        if (!refused) {
            return n - 1;
        }
    }
}

#endif
