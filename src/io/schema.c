/* schema.c - the JSON Schema (draft 2020-12) of scenes, generated from the same tables that read them.
 *
 * A number may also be a text with an expression. A part is one of several objects told apart by "type".
 * The schema does not know the scene's dimension inside a part: lists of coordinates may have 2 or 3 entries
 * there; the reader is stricter. It does not know defaults either: a key that an item takes from them is
 * required here. */
#include "io/authoring.h"

#include "base/options.h"
#include <math.h>
#include <slipstick/io.h>
#include <stdio.h>

#define NUMBER           "{\"type\":[\"number\",\"string\"]}"
#define GAIN             "{\"type\":[\"number\",\"string\"],\"minimum\":0}"
#define VECTOR           "{\"type\":\"array\",\"items\":" NUMBER ",\"minItems\":2,\"maxItems\":3}"
#define REFERENCE(place) "{\"$ref\":\"#/" place "\"}"
#define VECTOR_3         "{\"type\":\"array\",\"items\":" NUMBER ",\"minItems\":3,\"maxItems\":3}"

/* by kind of field; NUMBER, INT, BOOL and CHOICE are built below */
static const char *const pattern[] = {
    [SS_FIELD_NUMBER] = NUMBER,
    [SS_FIELD_INT] = "{\"type\":[\"integer\",\"string\"]}",
    [SS_FIELD_BOOL] = "{\"type\":\"boolean\"}",
    [SS_FIELD_CHOICE] = "{}",
    [SS_FIELD_NAME] = "{\"type\":\"string\",\"minLength\":1}",
    [SS_FIELD_VECTOR] = VECTOR,
    [SS_FIELD_DIRECTION] = VECTOR,
    [SS_FIELD_SIZES] =
        "{\"type\":\"array\",\"items\":{\"type\":[\"number\",\"string\"],\"exclusiveMinimum\":0},\"minItems\":2,\"maxItems\":3}",
    [SS_FIELD_QUATERNION] = "{\"$ref\":\"#/$defs/orientation\"}",
    [SS_FIELD_SPIN] = "{\"anyOf\":[" NUMBER "," VECTOR_3 "]}",
    [SS_FIELD_INERTIA] = "{\"anyOf\":[{\"type\":[\"number\",\"string\"],\"minimum\":0},{\"type\":\"array\",\"items\":" NUMBER
                         ",\"minItems\":3,\"maxItems\":6}]}",
    [SS_FIELD_RANGE] = "{\"type\":\"array\",\"items\":{\"type\":[\"number\",\"string\",\"null\"]},\"minItems\":2,\"maxItems\":2}",
    [SS_FIELD_MU] =
        "{\"anyOf\":[{\"type\":[\"number\",\"string\"],\"minimum\":0},{\"type\":\"array\",\"items\":{\"type\":[\"number\","
        "\"string\"],\"minimum\":0},\"minItems\":2,\"maxItems\":2}]}",
    [SS_FIELD_EXPR_T] = NUMBER,
    [SS_FIELD_VECTOR_T] = VECTOR,
    [SS_FIELD_SPIN_T] = "{\"anyOf\":[" NUMBER "," VECTOR_3 "]}",
    [SS_FIELD_BODY] = "{\"type\":\"string\",\"minLength\":1}",
    [SS_FIELD_BODIES] = "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1},\"minItems\":2,\"maxItems\":2}",
    [SS_FIELD_NAMES] = "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1},\"minItems\":2,\"maxItems\":2}",
    [SS_FIELD_ANCHORS] = "{\"type\":\"array\",\"items\":" VECTOR ",\"minItems\":2,\"maxItems\":2}",
    [SS_FIELD_TABLE] = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"t\"],\"properties\":{\"t\":{\"type\":"
                       "\"array\",\"items\":" NUMBER ",\"minItems\":1},\"force\":{\"type\":\"array\",\"items\":" VECTOR
                       "},\"torque\":{\"type\":\"array\",\"items\":{\"anyOf\":[" NUMBER "," VECTOR_3 "]}}}}",
    [SS_FIELD_MOTOR] =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"speed\":" NUMBER ",\"force\":" NUMBER
        ",\"position\":" NUMBER ",\"stiffness\":" GAIN ",\"damping\":" GAIN
        ",\"max\":{\"type\":[\"number\",\"string\"],\"exclusiveMinimum\":0}},\"oneOf\":[{\"required\":[\"speed\"]},"
        "{\"required\":[\"force\"]},{\"required\":[\"position\"]}]}",
    [SS_FIELD_POINTS] = "{\"type\":\"array\",\"items\":" VECTOR ",\"minItems\":1}",
    [SS_FIELD_HEIGHTS] = "{\"type\":\"array\",\"items\":{\"anyOf\":[" NUMBER ",{\"type\":\"array\",\"items\":" NUMBER
                         ",\"minItems\":1}]},\"minItems\":1}",
};

/* what scenes that are short to write have besides, see docs/authoring.md */
static const char orientation_pattern[] =
    "{\"anyOf\":[{\"type\":\"array\",\"items\":" NUMBER ",\"minItems\":4,\"maxItems\":4},"
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"axis\",\"angle\"],\"properties\":{"
    "\"axis\":" VECTOR_3 ",\"angle\":" NUMBER "}},"
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"euler\"],\"properties\":{\"euler\":" VECTOR_3
    ",\"order\":{\"type\":\"string\",\"pattern\":\"^[xyz]{3}$\",\"default\":\"xyz\"}}},"
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"matrix\"],\"properties\":{\"matrix\":"
    "{\"type\":\"array\",\"items\":" VECTOR_3 ",\"minItems\":3,\"maxItems\":3}}}]}";
static const char replicate_pattern[] =
    "{\"type\":\"object\",\"description\":\"copies: an index and how often, or a list of labels\",\"minProperties\":1,"
    "\"maxProperties\":8,\"additionalProperties\":{\"anyOf\":[" NUMBER
    ",{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1},\"minItems\":1}]}}";
static const char parameters_pattern[] =
    "{\"type\":\"object\",\"description\":\"names for numbers, to be used in expressions\",\"additionalProperties\":" NUMBER "}";
static const char include_pattern[] =
    "{\"type\":\"string\",\"description\":\"a file whose parts, parameters and defaults are taken\",\"minLength\":1}";

/* ---- one field --------------------------------------------------------------------------------- */

static json_t *choice_list(const ss_field *f)
{
    json_t *list = json_array();
    char word[64] = "";
    for (int k = 0; ss_choice_text(f->choices, k, word, sizeof word), *word; k++) {
        json_array_append_new(list, json_string(word));
    }
    return list;
}

static void add_bounds(json_t *schema, const ss_field *f)
{
    bool open = f->flags & SS_FIELD_OPEN_MIN;
    if (f->min < f->max && isfinite(f->min)) {
        json_object_set_new(schema, open ? "exclusiveMinimum" : "minimum", json_real(f->min));
    }
    if (f->min < f->max && isfinite(f->max)) {
        json_object_set_new(schema, "maximum", json_real(f->max));
    }
}

static void add_default(json_t *schema, const ss_field *f)
{
    char word[64];
    if (!isfinite(f->def) || (f->flags & SS_FIELD_REQUIRED)) {
        return;
    }
    if (f->type == SS_FIELD_NUMBER) {
        json_object_set_new(schema, "default", json_real(f->def));
    } else if (f->type == SS_FIELD_INT) {
        json_object_set_new(schema, "default", json_integer((json_int_t)f->def));
    } else if (f->type == SS_FIELD_BOOL) {
        json_object_set_new(schema, "default", json_boolean(f->def != 0));
    } else if (f->type == SS_FIELD_CHOICE) {
        ss_choice_text(f->choices, (int)f->def, word, sizeof word);
        json_object_set_new(schema, "default", json_string(word));
    }
}

static json_t *field_schema(const ss_field *f)
{
    json_t *schema = json_loads(pattern[f->type], 0, NULL);
    char doc[256];
    const char *only = f->flags & SS_FIELD_ONLY_2D ? " (2D)" : f->flags & SS_FIELD_ONLY_3D ? " (3D)" : "";
    snprintf(doc, sizeof doc, "%s%s", f->doc ? f->doc : "", only);
    json_object_set_new(schema, "description", json_string(doc));
    if (f->type == SS_FIELD_NUMBER || f->type == SS_FIELD_INT) {
        add_bounds(schema, f);
    } else if (f->type == SS_FIELD_CHOICE) {
        json_object_set_new(schema, "enum", choice_list(f));
    }
    add_default(schema, f);
    return schema;
}

/* ---- objects ----------------------------------------------------------------------------------- */

static json_t *object_schema(void)
{
    return json_pack("{s:s, s:b, s:[], s:{}}", "type", "object", "additionalProperties", 0, "required", "properties");
}

static void add_property(json_t *object, const char *name, json_t *schema, bool required)
{
    json_object_set_new(json_object_get(object, "properties"), name, schema);
    if (required) {
        json_array_append_new(json_object_get(object, "required"), json_string(name));
    }
}

/* a part that exists in one dimension only has no keys of the other */
static bool can_apply(const ss_field *f, unsigned dimensions)
{
    return !dimensions || (dimensions & 4 && ss_field_applies(f, 2)) || (dimensions & 8 && ss_field_applies(f, 3));
}

/* dimensions: bits as in ss_entry; 0: any */
static void add_fields(json_t *object, const ss_field *fields, unsigned dimensions)
{
    for (const ss_field *f = fields; f && f->name; f++) {
        if (json_object_get(json_object_get(object, "properties"), f->name) || !can_apply(f, dimensions)) {
            continue;
        }
        bool everywhere = !(f->flags & (SS_FIELD_ONLY_2D | SS_FIELD_ONLY_3D));
        add_property(object, f->name, field_schema(f), everywhere && (f->flags & SS_FIELD_REQUIRED));
    }
}

static json_t *list_of(json_t *items, const char *doc)
{
    return json_pack("{s:s, s:s, s:o}", "type", "array", "description", doc, "items", items);
}

/* the names an entry goes by, for "type" and "name" */
static json_t *names_schema(const ss_entry *entry)
{
    json_t *list = json_pack("[s]", entry->name);
    char word[64] = "";
    for (int k = 0; entry->aliases && (ss_choice_text(entry->aliases, k, word, sizeof word), *word); k++) {
        json_array_append_new(list, json_string(word));
    }
    return json_pack("{s:o}", "enum", list);
}

/* every item of a list of parts may be copied */
static json_t *replicated(json_t *object)
{
    add_property(object, "replicate", json_loads(REFERENCE("$defs/replicate"), 0, NULL), false);
    return object;
}

static json_t *entry_schema(const ss_entry *entry, const char *key, bool required)
{
    json_t *object = object_schema(), *names = names_schema(entry);
    if (!required) {
        json_object_set_new(names, "default", json_string(entry->name));
    }
    json_object_set_new(object, "description", json_string(entry->title ? entry->title : entry->name));
    add_property(object, key, names, required);
    add_fields(object, entry->fields, entry->dimensions);
    return object;
}

/* one of the entries of a registry, told apart by `key`; without the key it is the one called `fallback` (NULL: an error) */
static json_t *registry_schema(ss_registry registry, const char *key, const char *fallback, const ss_field *common)
{
    json_t *list = json_array();
    for (int k = 0; k < ss_registry_count(registry); k++) {
        const ss_entry *entry = ss_registry_entry(registry, k);
        json_t *object = entry_schema(entry, key, !fallback || strcmp(entry->name, fallback) != 0);
        add_fields(object, common, 0);
        json_array_append_new(list, strcmp(key, "type") == 0 ? replicated(object) : object);
    }
    return json_pack("{s:o}", "oneOf", list);
}

/* ---- sections ---------------------------------------------------------------------------------- */

static json_t *body_schema(ss_body_type type)
{
    json_t *object = object_schema();
    add_property(object, "type", json_pack("{s:s}", "const", ss_body_type_name(type)), type != SS_BODY_RIGID);
    add_fields(object, ss_body_fields(type), 0);
    add_property(object, "shapes",
                 list_of(json_pack("{s:s}", "$ref", "#/$defs/shape"), "shapes with which the body makes contact"), false);
    return replicated(object);
}

static json_t *bodies_schema(void)
{
    json_t *list = json_array();
    for (int type = 0; type < SS_BODY_BLOCK; type++) {
        json_array_append_new(list, body_schema((ss_body_type)type));
    }
    return list_of(json_pack("{s:o}", "oneOf", list), "bodies, in the order of q and v");
}

/* a list that is there and holds something */
static json_t *not_empty(const char *key)
{
    return json_pack("{s:[s], s:{s:{s:i}}}", "required", key, "properties", key, "minItems", 1);
}

static json_t *table_schema(const ss_field *fields, const char *doc)
{
    json_t *object = object_schema();
    json_object_set_new(object, "description", json_string(doc));
    add_fields(object, fields, 0);
    return object;
}

/* {"name": .., "params": {..}}, one variant per solution that has parameters, and one for all the others and "none" */
static json_t *exact_schema(void)
{
    json_t *list = json_array(), *plain = json_pack("[s]", "none"), *object = object_schema();
    for (int k = 0; k < ss_registry_count(SS_EXACT); k++) {
        const ss_entry *entry = ss_registry_entry(SS_EXACT, k);
        if (!entry->fields) {
            json_array_append_new(plain, json_string(entry->name));
            continue;
        }
        json_t *variant = object_schema();
        add_property(variant, "name", json_pack("{s:s}", "const", entry->name), true);
        add_property(variant, "params", table_schema(entry->fields, entry->title), false);
        json_array_append_new(list, variant);
    }
    add_property(object, "name", json_pack("{s:o, s:s}", "enum", plain, "description", "exact solution to compare with"), true);
    add_property(object, "params", object_schema(), false);
    json_array_append_new(list, object);
    return json_pack("{s:o}", "oneOf", list);
}

/* ---- groups and defaults ------------------------------------------------------------------------- */

/* the same list as at the top */
static void add_list_of_scene(json_t *object, const char *key)
{
    char place[64];
    snprintf(place, sizeof place, "#/properties/%s", key);
    add_property(object, key, json_pack("{s:s}", "$ref", place), false);
}

static json_t *defaults_schema(void)
{
    json_t *object = object_schema();
    json_object_set_new(object, "description", json_string("values of items that do not give them, by list"));
    for (int k = 0; ss_part_kinds[k]; k++) {
        add_property(object, ss_part_kinds[k], json_pack("{s:s}", "type", "object"), false);
    }
    return object;
}

static json_t *group_schema(void)
{
    static const char *const lists[] = { "materials", "pairs",  "bodies",     "elements", "joints", "forces",
                                         "outputs",   "groups", "parameters", "defaults", "include" };
    static const ss_field place[] = {
        { .name = "name", .type = SS_FIELD_NAME, .def = NAN, .doc = "comes before the names of its parts, with a dot" },
        { .name = "position", .type = SS_FIELD_VECTOR, .def = NAN, .doc = "m: its origin in what it is in" },
        { .name = "angle", .type = SS_FIELD_NUMBER, .def = NAN, .flags = SS_FIELD_ONLY_2D, .doc = "rad" },
        { .name = "orientation", .type = SS_FIELD_QUATERNION, .def = NAN, .flags = SS_FIELD_ONLY_3D, .doc = "of its frame" },
        SS_FIELD_END,
    };
    json_t *object = table_schema(place, "parts with a name and a frame of their own");
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        add_list_of_scene(object, lists[k]);
    }
    return replicated(object);
}

static json_t *definitions(void)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "shape", registry_schema(SS_SHAPES, "type", NULL, NULL), "group", group_schema(),
                     "orientation", json_loads(orientation_pattern, 0, NULL), "replicate",
                     json_loads(replicate_pattern, 0, NULL));
}

/* ---- the scene ----------------------------------------------------------------------------------- */

static void add_parts(json_t *root)
{
    add_property(root, "materials", list_of(replicated(table_schema(ss_material_fields(), "a material")), "surfaces"), false);
    add_property(
        root, "pairs",
        list_of(replicated(table_schema(ss_pair_fields(), "law of contact between two materials")), "laws of pairs of materials"),
        false);
    add_property(root, "bodies", bodies_schema(), false);
    add_property(root, "elements", list_of(registry_schema(SS_ELEMENTS, "type", NULL, NULL), "flexible bodies"), false);
    add_property(root, "joints", list_of(registry_schema(SS_JOINTS, "type", NULL, NULL), "joints"), false);
    add_property(root, "forces", list_of(registry_schema(SS_FORCES, "type", NULL, NULL), "forces besides gravity"), false);
    add_property(root, "outputs",
                 list_of(registry_schema(SS_OUTPUTS, "type", NULL, NULL), "numbers that results have besides the state"), false);
    add_property(root, "groups", list_of(json_loads(REFERENCE("$defs/group"), 0, NULL), "groups of parts"), false);
    add_property(root, "include", json_loads(include_pattern, 0, NULL), false);
    add_property(root, "defaults", defaults_schema(), false);
    json_object_set_new(
        root, "anyOf",
        json_pack("[o, o, o, {s:[s]}]", not_empty("bodies"), not_empty("elements"), not_empty("groups"), "required", "include"));
}

static json_t *scene_schema(void)
{
    json_t *root = object_schema();
    json_object_set_new(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    json_object_set_new(root, "title", json_string("slipstick scene, version 1"));
    json_object_set_new(root, "$defs", definitions());
    add_property(root, "slipstick", json_pack("{s:i, s:s}", "const", 1, "description", "version of the format"), true);
    add_property(root, "dimension", json_pack("{s:[i,i], s:s}", "enum", 2, 3, "description", "2 or 3"), true);
    add_property(root, "description", json_pack("{s:s, s:s}", "type", "string", "description", "free text"), false);
    add_property(root, "parameters", json_loads(parameters_pattern, 0, NULL), false);
    add_fields(root, ss_settings_fields, 0);
    add_property(root, "time", table_schema(ss_time_fields, "duration and step length"), false);
    add_property(root, "contacts", table_schema(ss_contacts_fields, "selection of contacts"), false);
    add_property(root, "results", table_schema(ss_results_fields, "how HDF5 results are kept"), false);
    add_property(root, "scheme", registry_schema(SS_SCHEMES, "name", SS_DEFAULT_SCHEME, NULL), false);
    add_property(root, "solver", registry_schema(SS_SOLVERS, "name", SS_DEFAULT_SOLVER, ss_solver_section_fields), false);
    add_parts(root);
    add_property(root, "exact", exact_schema(), false);
    return root;
}

ss_status ss_scene_schema(ss_context *ctx, char **text)
{
    *text = NULL;
    return ss_json_text(ctx, scene_schema(), JSON_INDENT(1), text);
}
