/* base.h - context, status, error text, allocator and log of slipstick.
 *
 * Two words are kept apart everywhere: a *status* says whether a call was legal and could be
 * carried out; an *outcome* says whether the mathematics worked (see problem.h). */
#ifndef SLIPSTICK_BASE_H
#define SLIPSTICK_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SS_API __attribute__((visibility("default")))
#else
#define SS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SS_VERSION_MAJOR 0
#define SS_VERSION_MINOR 1
#define SS_VERSION_PATCH 0

/* Every fallible function returns one of these. */
#define SS_STATUS_LIST(ENTRY)                                                                                                    \
    ENTRY(SS_OK, "ok")                                                                                                           \
    ENTRY(SS_ERR_MEMORY, "out of memory")                                                                                        \
    ENTRY(SS_ERR_INPUT, "bad input")                                                                                             \
    ENTRY(SS_ERR_UNSUPPORTED, "not supported")                                                                                   \
    ENTRY(SS_ERR_IO, "input or output failed")                                                                                   \
    ENTRY(SS_ERR_NUMERIC, "the simulation cannot go on")                                                                         \
    ENTRY(SS_ERR_INTERRUPTED, "interrupted")                                                                                     \
    ENTRY(SS_ERR_BUSY, "the simulation is busy: another call on it has not returned yet")

typedef enum ss_status {
#define SS_STATUS_ENTRY(code, text) code,
    SS_STATUS_LIST(SS_STATUS_ENTRY)
#undef SS_STATUS_ENTRY
} ss_status;

typedef struct ss_context ss_context;

/* Memory comes from one function: size 0 frees p and returns NULL; p NULL allocates. */
typedef struct ss_allocator {
    void *(*resize)(void *user, void *p, size_t size);
    void *user;
} ss_allocator;

typedef enum ss_log_level { SS_LOG_DEBUG, SS_LOG_INFO, SS_LOG_WARNING } ss_log_level;

typedef struct ss_context_options {
    ss_allocator allocator;                                           /* malloc and free   */
    void (*log)(void *user, ss_log_level level, const char *message); /* NULL: silent      */
    void *log_user;
    uint64_t seed; /* (1)               */
    int threads;   /* (1); results do not depend on it */
} ss_context_options;

SS_API ss_context_options ss_context_options_default(void);
SS_API ss_status ss_context_create(const ss_context_options *options, ss_context **out); /* options NULL: defaults */
SS_API void ss_context_destroy(ss_context *ctx);                                         /* NULL is fine           */
SS_API void ss_context_set_threads(ss_context *ctx, int threads);                        /* 0 or 1: one            */

SS_API const char *ss_last_error(const ss_context *ctx); /* one line that names the cause, the value and the limit; "" if none */
/* For callbacks: say why they fail, and return the status:  return ss_context_fail(ctx, SS_ERR_NUMERIC, "the rope is torn"). */
SS_API ss_status ss_context_fail(ss_context *ctx, ss_status status, const char *text);
SS_API const char *ss_status_text(ss_status status);
SS_API uint64_t ss_context_allocations(const ss_context *ctx); /* number of allocations since creation */
SS_API const char *ss_version(void);
/* The name in the NULL-terminated list with the smallest edit distance to `word`; NULL if none is similar. */
SS_API const char *ss_nearest_name(const char *word, const char *const *list);

#ifdef __cplusplus
}
#endif
#endif
