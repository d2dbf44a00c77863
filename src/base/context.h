/* context.h - inside of ss_context; only src/base looks in here. */
#ifndef SS_CONTEXT_H
#define SS_CONTEXT_H

#include "base/base.h"

enum { SS_ERROR_SIZE = 1024 }; /* bytes of a message, end included */

struct ss_context {
    ss_context_options options;    /* allocator.resize is never NULL   */
    uint64_t allocations;          /* calls that took memory           */
    const volatile int *interrupt; /* not 0: end what takes long; NULL: never */
    char error[SS_ERROR_SIZE];
};

#endif
