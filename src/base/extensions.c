/* extensions.c - entries of registries that a program has added to a context.
 *
 * The registries of the library are constant; what is added lives in the context, so that two contexts never meet.
 * Cost   to find one: linear in their number */
#include "base/extensions.h"
#include "base/context.h"
#include "base/options.h"

ss_status ss_extension_add(ss_context *ctx, ss_registry registry, const ss_entry *entry, bool owned)
{
    const char *what = ss_registry_name(registry);
    if (!entry->name || !*entry->name) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: an entry that is added needs a name", what);
    }
    if (ss_registry_find(registry, entry->name) || ss_extension_find(ctx, registry, entry->name)) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: there is one called \"%.80s\" already", what, entry->name);
    }
    SS_TRY(ss_reserve(ctx, &ctx->extension, &ctx->extension_cap, ctx->extensions + 1, sizeof *ctx->extension));
    ctx->extension[ctx->extensions++] = (ss_extension){ registry, entry, owned };
    return SS_OK;
}

const ss_entry *ss_extension_find(const ss_context *ctx, ss_registry registry, const char *name)
{
    for (int k = 0; k < ctx->extensions; k++) {
        if (ctx->extension[k].registry == registry && ss_entry_answers(ctx->extension[k].entry, name)) {
            return ctx->extension[k].entry;
        }
    }
    return NULL;
}

const ss_entry *ss_entry_find(const ss_context *ctx, ss_registry registry, const char *name)
{
    const ss_entry *known = ss_registry_find(registry, name);
    return known ? known : ss_extension_find(ctx, registry, name);
}

const ss_entry *ss_entry_at(const ss_context *ctx, ss_registry registry, int index)
{
    int left = index - ss_registry_count(registry);
    if (left < 0) {
        return ss_registry_entry(registry, index);
    }
    for (int k = 0; k < ctx->extensions; k++) {
        if (ctx->extension[k].registry == registry && left-- == 0) {
            return ctx->extension[k].entry;
        }
    }
    return NULL;
}
