/* extensions.h - entries of registries that a program has added to a context. */
#ifndef SS_EXTENSIONS_H
#define SS_EXTENSIONS_H

#include "base/base.h"
#include <slipstick/registry.h>

/* Add an entry, which is the first member of what is added. It is kept by pointer; `owned`: the context frees it. Refused if it
 * has no name, or one that another has, be it added or registered. */
ss_status ss_extension_add(ss_context *ctx, ss_registry registry, const ss_entry *entry, bool owned);
/* The entry of that name or alias; NULL: none has been added. */
const ss_entry *ss_extension_find(const ss_context *ctx, ss_registry registry, const char *name);
/* The same, and before it the entries of the library. */
const ss_entry *ss_entry_find(const ss_context *ctx, ss_registry registry, const char *name);
/* Those of the library by their numbers, then those that have been added; NULL: there are not so many. */
const ss_entry *ss_entry_at(const ss_context *ctx, ss_registry registry, int index);

#endif
