/* defaults.c - "defaults": {"bodies": {"type": "rigid"}, "shapes": {"material": "steel"}}: values for items that do not give
 * them, by the list that the items are in.
 *
 * A default holds for every item whose type has such a key; the innermost group that has one decides. A key that no type of
 * that list has is an error. */
#include "io/authoring.h"

#include "base/extensions.h"

const char *const ss_part_kinds[] = { "materials", "pairs", "bodies", "shapes", "elements", "joints", "forces", "outputs", NULL };

/* ---- keys ------------------------------------------------------------------------------------------------- */

/* the registry whose entries are the types of a list; SS_REGISTRIES: none */
static ss_registry registry_of(const char *kind)
{
    const ss_registry with_types[] = { SS_JOINTS, SS_FORCES, SS_SHAPES, SS_ELEMENTS, SS_OUTPUTS };
    for (size_t k = 0; k < sizeof with_types / sizeof *with_types; k++) {
        if (strcmp(ss_registry_name(with_types[k]), kind) == 0) {
            return with_types[k];
        }
    }
    return SS_REGISTRIES;
}

/* the keys of the type with this number; NULL: there are not so many */
static const ss_field *fields_of(const ss_reader *r, const char *kind, int number)
{
    const ss_registry registry = registry_of(kind);
    if (registry != SS_REGISTRIES) {
        const ss_entry *entry = ss_entry_at(r->ctx, registry, number);
        return entry ? entry->fields : NULL;
    }
    if (strcmp(kind, "bodies") == 0) {
        return number < SS_BODY_BLOCK ? ss_body_fields((ss_body_type)number) : NULL;
    }
    return number > 0 ? NULL : strcmp(kind, "pairs") == 0 ? ss_pair_fields() : ss_material_fields();
}

/* of all types in this dimension, ended by NULL; some more than once */
static ss_status all_keys(ss_reader *r, const char *kind, const char *const **out)
{
    const char **name;
    size_t types = 0, n = 0;
    while (fields_of(r, kind, (int)types)) {
        types++;
    }
    SS_TRY(ss_arena_take(r->arena, types * SS_MAX_FIELDS + 2, sizeof *name, &name));
    for (size_t k = 0; k < types; k++) {
        for (const ss_field *f = fields_of(r, kind, (int)k); f->name; f++) {
            if (ss_field_applies(f, r->dimension)) {
                name[n++] = f->name;
            }
        }
    }
    name[n] = strcmp(kind, "bodies") == 0 ? "shapes" : NULL;
    *out = name;
    return SS_OK;
}

ss_status ss_defaults_check(ss_reader *r, const json_t *object)
{
    json_t *defaults = json_object_get(object, "defaults"), *values;
    const char *kind, *const *names;
    if (!defaults) {
        return SS_OK;
    }
    size_t mark = ss_path_key(r, "defaults");
    if (!json_is_object(defaults)) {
        return ss_reader_expected(r, "an object {\"bodies\": {..}, ..}", defaults);
    }
    SS_TRY(ss_reader_keys(r, defaults, ss_part_kinds));
    json_object_foreach(defaults, kind, values)
    {
        size_t inner = ss_path_key(r, kind);
        if (!json_is_object(values)) {
            return ss_reader_expected(r, "an object {\"key\": value, ..}", values);
        }
        SS_TRY(all_keys(r, kind, &names));
        SS_TRY(ss_reader_keys(r, values, names));
        ss_path_back(r, inner);
    }
    ss_path_back(r, mark);
    return SS_OK;
}

/* ---- values ------------------------------------------------------------------------------------------------ */

const json_t *ss_item_value(const ss_reader *r, const char *kind, const json_t *item, const char *key)
{
    const json_t *value = json_object_get(item, key);
    for (const ss_scope *s = kind ? r->scope : NULL; s && !value; s = s->outer) {
        value = json_object_get(json_object_get(s->defaults, kind), key);
    }
    return value;
}
