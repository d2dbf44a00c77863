/* context.h - inside of ss_context; only src/base looks in here. */
#ifndef SS_CONTEXT_H
#define SS_CONTEXT_H

#include "base/base.h"
#include <slipstick/registry.h>

enum { SS_ERROR_SIZE = 1024 }; /* bytes of a message, end included */

/* An entry that a program has added to a registry. */
typedef struct ss_extension {
    ss_registry registry;
    const ss_entry *entry;
    bool owned; /* the context frees it */
} ss_extension;

struct ss_context {
    ss_context_options options;    /* allocator.resize is never NULL   */
    bool plain;                    /* it is that of the library: malloc and free */
    uint64_t allocations;          /* calls that took memory           */
    const volatile int *interrupt; /* not 0: end what takes long; NULL: never */
    ss_extension *extension;
    int extensions, extension_cap;
    void *shared;         /* ss_context_shared */
    ss_arena *lent;       /* ss_context_lend; NULL: none */
    struct ss_team *team; /* its threads; behind it in the same memory */
    char error[SS_ERROR_SIZE];
};

#endif
