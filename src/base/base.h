/* base.h - what every layer uses: failing with a text, taking memory, scratch arenas. */
#ifndef SS_BASE_H
#define SS_BASE_H

#include <slipstick/base.h>
#include <stdarg.h>
#include <string.h>

/* Set the context's error text and return the status:  return ss_fail(ctx, SS_ERR_INPUT, "..."). */
ss_status ss_fail(ss_context *ctx, ss_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Put "prefix: " before the error text that is already there. */
ss_status ss_fail_within(ss_context *ctx, ss_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ss_error_clear(ss_context *ctx); /* the error text is "" */
void ss_log(const ss_context *ctx, ss_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
uint64_t ss_context_seed(const ss_context *ctx);
void **ss_context_shared(ss_context *ctx); /* where the store of problem/residual_scales.h is kept; NULL there: none */

/* From here on calls on this context that take long end with SS_ERR_INTERRUPTED once *flag is not 0; NULL: never. Returns the
 * flag that was watched before, to be put back. */
const volatile int *ss_context_watch(ss_context *ctx, const volatile int *flag);
/* Asked once in every iteration of whatever may take long. Where no status can be returned, the loop ends on the first, and who
 * called it asks the second. */
bool ss_is_interrupted(const ss_context *ctx);
ss_status ss_check_interrupt(ss_context *ctx);

/* Leave the function on the first status that is not SS_OK. */
#define SS_TRY(call)                                                                                                             \
    do {                                                                                                                         \
        ss_status ss_try_ = (call);                                                                                              \
        if (ss_try_ != SS_OK) {                                                                                                  \
            return ss_try_;                                                                                                      \
        }                                                                                                                        \
    } while (0)

/* ---- memory ------------------------------------------------------------------------------- */

/* Zeroed array of count elements; count 0 gives NULL. On failure *out is NULL and the text is set. */
ss_status ss_calloc(ss_context *ctx, size_t count, size_t size, void *out /* a T** */);
/* Make room for `need` elements in *array (a T**); keeps what is there, grows by half. What is new is not zeroed. */
ss_status ss_reserve(ss_context *ctx, void *array /* a T** */, int *capacity, int need, size_t size);
ss_status ss_strdup(ss_context *ctx, const char *text, char **out); /* NULL stays NULL */
void ss_free(ss_context *ctx, void *p);

/* Append one element to an array of the context: SS_PUSH(ctx, list, count, capacity, value). */
#define SS_PUSH(ctx, list, count, capacity, value)                                                                               \
    do {                                                                                                                         \
        SS_TRY(ss_reserve((ctx), &(list), &(capacity), (count) + 1, sizeof *(list)));                                            \
        (list)[(count)++] = (value);                                                                                             \
    } while (0)

/* ---- arena -------------------------------------------------------------------------------- */

/* Scratch memory in stack order. After a reset that followed an overflow the arena holds one block
 * large enough for all that was asked, so a steady state takes no memory. */
typedef struct ss_arena ss_arena;
typedef struct ss_arena_mark {
    int block;
    size_t used;
} ss_arena_mark;

ss_status ss_arena_create(ss_context *ctx, size_t bytes, ss_arena **out);
void ss_arena_destroy(ss_arena *arena);
ss_status ss_arena_take(ss_arena *arena, size_t count, size_t size,
                        void *out /* a T** */); /* zeroed, 64-byte aligned; count 0 gives a place, never NULL */
ss_status ss_arena_take_raw(ss_arena *arena, size_t count, size_t size,
                            void *out /* a T** */); /* the same, not zeroed: for what is overwritten as a whole */
/* A piece that stays until the next reset, whatever is released before; not zeroed. It lies at the other end of the arena. */
ss_status ss_arena_keep(ss_arena *arena, size_t count, size_t size, void *out /* a T** */);
ss_arena_mark ss_arena_save(const ss_arena *arena);
void ss_arena_release(ss_arena *arena, ss_arena_mark mark);
void ss_arena_reset(ss_arena *arena);
/* The same at the end of a use, so that another one that is no larger takes no memory; says if memory is refused. */
ss_status ss_arena_settle(ss_arena *arena);
bool ss_arena_is_whole(const ss_arena *arena); /* one block: nothing has overflowed since the last reset */

/* A caller that has an arena in use lends it to all who work for it on this context, until it lends what was lent before, which
 * is returned, again: so they use one memory in turn. NULL: none. Who takes from it saves a mark first and releases it. */
ss_arena *ss_context_lend(ss_context *ctx, ss_arena *arena);
ss_arena *ss_context_lent(const ss_context *ctx);

/* ---- small things ------------------------------------------------------------------------- */

double ss_clock_seconds(void); /* monotonic */
uint64_t ss_hash(uint64_t seed, const void *bytes, size_t size);
/* splitmix64: a small generator whose state is the caller's. uniform in [0,1). */
uint64_t ss_random_u64(uint64_t *state);
double ss_random_uniform(uint64_t *state);

#endif
