/* gmsh.c - the reader of Gmsh's .msh files, version 4.1, text.
 *
 *     $PhysicalNames   count, then  dimension tag "name"
 *     $Entities        four counts, then for each point, curve, surface and volume its tag, place or box, and physical tags
 *     $Nodes           blocks count least greatest; per block  dimension entity parametric n,  n tags,  n places x y z
 *     $Elements        blocks count least greatest; per block  dimension entity type n,  n times  tag and nodes
 *
 * Of the elements, triangles are read in 2D scenes, tetrahedra in 3D ones; those of points, lines and, in 3D, triangles only say
 * which nodes belong to a physical group. Other kinds are refused where they would be part of the body. Nodes are to be numbered
 * 1, 2, .. without a hole; node k of the file is number k - 1. Other sections are skipped.
 *
 * Reference   Gmsh reference manual, section "MSH file format"
 * Cost        linear in the length of the text */
#include "io/gmsh.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOKEN = 128, NAMES = 256, MOST_NODES = 1000000 };

/* the physical group whose nodes are held */
typedef struct group {
    const char *name;   /* NULL: none                                             */
    bool found;         /* the file has it                                        */
    int dimension, tag; /* of it                                                  */
    int *entity;        /* tags of the entities of its dimension that are in it   */
    int entities;
    bool *node; /* nodes: are they in it?                                 */
} group;

typedef struct reader {
    ss_context *ctx;
    ss_arena *arena;
    const char *label, *at, *end; /* the file, what is not yet read, its end */
    int line, dimension;
    group held;
    bool *seen; /* nodes */
    double *x;
    int *cell;
    ss_mesh_data *out;
} reader;

/* ---- words and numbers ------------------------------------------------------------------------------------- */

static ss_status fail(const reader *r, const char *expected, const char *got)
{
    return ss_fail(r->ctx, SS_ERR_INPUT, "%s: line %d: expected %s, got \"%.40s\"", r->label, r->line, expected, got);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* the next word, or what is between quotes; empty at the end of the file */
static void next_word(reader *r, char word[TOKEN])
{
    int n = 0;
    while (r->at < r->end && is_space(*r->at)) {
        r->line += *r->at++ == '\n';
    }
    const bool quoted = r->at < r->end && *r->at == '"';
    r->at += quoted;
    while (r->at < r->end && *r->at != '\n' && (quoted ? *r->at != '"' : !is_space(*r->at))) {
        if (n < TOKEN - 1) {
            word[n++] = *r->at;
        }
        r->at++;
    }
    r->at += quoted && r->at < r->end && *r->at == '"';
    word[n] = 0;
}

static ss_status next_number(reader *r, double *out)
{
    char word[TOKEN], *rest;
    next_word(r, word);
    *out = strtod(word, &rest);
    return rest != word && !*rest && isfinite(*out) ? SS_OK : fail(r, "a number", word);
}

/* a whole number from `least` to `most` */
static ss_status next_count(reader *r, int least, int most, int *out)
{
    char word[TOKEN], expected[64], *rest;
    next_word(r, word);
    const long value = strtol(word, &rest, 10);
    if (rest == word || *rest || value < least || value > most) {
        snprintf(expected, sizeof expected, "a whole number from %d to %d", least, most);
        return fail(r, expected, word);
    }
    *out = (int)value;
    return SS_OK;
}

static ss_status skip_numbers(reader *r, int count)
{
    double unused;
    for (int k = 0; k < count; k++) {
        SS_TRY(next_number(r, &unused));
    }
    return SS_OK;
}

static ss_status expect_word(reader *r, const char *expected)
{
    char word[TOKEN];
    next_word(r, word);
    return strcmp(word, expected) == 0 ? SS_OK : fail(r, expected, word);
}

/* how many entries of the file, of at least two characters each, may still come */
static int left(const reader *r)
{
    const ptrdiff_t most = (r->end - r->at) / 2;
    return most < MOST_NODES ? (int)most : MOST_NODES;
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

static ss_status read_names(reader *r)
{
    int count;
    SS_TRY(next_count(r, 0, NAMES, &count));
    for (int k = 0; k < count; k++) {
        int dimension, tag;
        char name[TOKEN];
        SS_TRY(next_count(r, 0, 3, &dimension));
        SS_TRY(next_count(r, 0, INT_MAX, &tag));
        next_word(r, name);
        if (r->held.name && strcmp(name, r->held.name) == 0) {
            r->held.dimension = dimension;
            r->held.tag = tag;
            r->held.found = true;
        }
    }
    return SS_OK;
}

/* the physical tags of an entity, and what bounds it */
static ss_status read_tags(reader *r, int dimension, int tag)
{
    int count, physical, bounds = 0;
    SS_TRY(next_count(r, 0, left(r), &count));
    for (int k = 0; k < count; k++) {
        SS_TRY(next_count(r, -INT_MAX, INT_MAX, &physical));
        if (r->held.found && dimension == r->held.dimension && abs(physical) == r->held.tag) {
            r->held.entity[r->held.entities++] = tag;
        }
    }
    SS_TRY(dimension > 0 ? next_count(r, 0, left(r), &bounds) : SS_OK);
    return skip_numbers(r, bounds);
}

static ss_status read_entities(reader *r)
{
    int count[4];
    for (int d = 0; d < 4; d++) {
        SS_TRY(next_count(r, 0, left(r), &count[d]));
    }
    const size_t most = r->held.found ? (size_t)(r->end - r->at) / 2 + 1 : 0;
    SS_TRY(ss_arena_take(r->arena, most, sizeof *r->held.entity, &r->held.entity));
    r->held.entities = 0;
    for (int d = 0; d < 4; d++) {
        for (int k = 0; k < count[d]; k++) {
            int tag;
            SS_TRY(next_count(r, 0, INT_MAX, &tag));
            SS_TRY(skip_numbers(r, d == 0 ? 3 : 6));
            SS_TRY(read_tags(r, d, tag));
        }
    }
    return SS_OK;
}

static bool is_held(const reader *r, int dimension, int tag)
{
    bool any = false;
    for (int k = 0; r->held.found && dimension == r->held.dimension && k < r->held.entities; k++) {
        any = any || r->held.entity[k] == tag;
    }
    return any;
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

static ss_status read_place(reader *r, int node)
{
    double *x = r->x + 3 * node;
    for (int k = 0; k < 3; k++) {
        SS_TRY(next_number(r, &x[k]));
    }
    if (r->dimension == 2 && x[2] != 0) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: line %d: node %d has z = %g, expected 0 in a 2D scene", r->label, r->line,
                       node + 1, x[2]);
    }
    return SS_OK;
}

static ss_status read_node_block(reader *r)
{
    int dimension, entity, parametric, count, *node;
    SS_TRY(next_count(r, 0, 3, &dimension));
    SS_TRY(next_count(r, 0, INT_MAX, &entity));
    SS_TRY(next_count(r, 0, 1, &parametric));
    SS_TRY(next_count(r, 0, left(r), &count));
    SS_TRY(ss_arena_take(r->arena, (size_t)count + 1, sizeof *node, &node));
    for (int k = 0; k < count; k++) {
        SS_TRY(next_count(r, 1, INT_MAX, &node[k]));
        if (node[k] > r->out->nodes || r->seen[node[k] - 1]) {
            return ss_fail(r->ctx, SS_ERR_INPUT,
                           "%s: line %d: node %d: expected the numbers 1 to %d, each once and without a hole", r->label, r->line,
                           node[k], r->out->nodes);
        }
        r->seen[node[k] - 1] = true;
    }
    for (int k = 0; k < count; k++) {
        SS_TRY(read_place(r, node[k] - 1));
        SS_TRY(skip_numbers(r, parametric ? dimension : 0));
    }
    return SS_OK;
}

static ss_status read_nodes(reader *r)
{
    int blocks;
    SS_TRY(next_count(r, 0, left(r), &blocks));
    SS_TRY(next_count(r, 1, left(r), &r->out->nodes));
    SS_TRY(skip_numbers(r, 2));
    SS_TRY(ss_arena_take(r->arena, (size_t)r->out->nodes, 3 * sizeof *r->x, &r->x));
    SS_TRY(ss_arena_take(r->arena, (size_t)r->out->nodes, sizeof *r->seen, &r->seen));
    SS_TRY(ss_arena_take(r->arena, (size_t)r->out->nodes, sizeof *r->held.node, &r->held.node));
    for (int k = 0; k < blocks; k++) {
        SS_TRY(read_node_block(r));
    }
    for (int k = 0; k < r->out->nodes; k++) {
        if (!r->seen[k]) {
            return ss_fail(r->ctx, SS_ERR_INPUT,
                           "%s: node %d is missing: expected the numbers 1 to %d, each once and without a hole", r->label, k + 1,
                           r->out->nodes);
        }
    }
    return SS_OK;
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* nodes of a kind of element; 0: a kind that is not read */
static int nodes_of(int type)
{
    switch (type) {
    case 1:
        return 2; /* line */
    case 2:
        return 3; /* triangle */
    case 4:
        return 4; /* tetrahedron */
    case 15:
        return 1; /* point */
    default:
        return 0;
    }
}

static ss_status read_element(reader *r, int corners, bool own, bool held)
{
    int node[4];
    SS_TRY(skip_numbers(r, 1));
    for (int k = 0; k < corners; k++) {
        SS_TRY(next_count(r, 1, r->out->nodes, &node[k]));
        r->held.node[node[k] - 1] = r->held.node[node[k] - 1] || held;
        if (own) {
            r->cell[r->out->cells * corners + k] = node[k] - 1;
        }
    }
    r->out->cells += own;
    return SS_OK;
}

static ss_status read_element_block(reader *r, int room)
{
    int dimension, entity, type, count;
    SS_TRY(next_count(r, 0, 3, &dimension));
    SS_TRY(next_count(r, 0, INT_MAX, &entity));
    SS_TRY(next_count(r, 1, INT_MAX, &type));
    SS_TRY(next_count(r, 0, left(r), &count));
    const int corners = nodes_of(type);
    const bool own = dimension == r->dimension;
    if (own && r->out->cells + count > room) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: line %d: more elements than the %d that the section says", r->label, r->line,
                       room);
    }
    if (corners == 0 || (own && corners != dimension + 1)) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: line %d: elements of type %d are not read, expected %s", r->label, r->line,
                       type, r->dimension == 2 ? "triangles with three nodes" : "tetrahedra with four nodes");
    }
    const bool held = is_held(r, dimension, entity);
    for (int k = 0; k < count; k++) {
        SS_TRY(read_element(r, corners, own, held));
    }
    return SS_OK;
}

static ss_status read_elements(reader *r)
{
    int blocks, room;
    if (!r->x) {
        return ss_fail(r->ctx, SS_ERR_INPUT, "%s: line %d: elements come before nodes", r->label, r->line);
    }
    SS_TRY(next_count(r, 0, left(r), &blocks));
    SS_TRY(next_count(r, 1, left(r), &room));
    SS_TRY(skip_numbers(r, 2));
    SS_TRY(ss_arena_take(r->arena, (size_t)room * (size_t)(r->dimension + 1), sizeof *r->cell, &r->cell));
    r->out->cells = 0;
    for (int k = 0; k < blocks; k++) {
        SS_TRY(read_element_block(r, room));
    }
    return SS_OK;
}

/* ---- the file ----------------------------------------------------------------------------------------------------- */

static ss_status read_format(reader *r)
{
    char version[TOKEN];
    int binary;
    next_word(r, version);
    if (strcmp(version, "4.1") != 0) {
        return fail(r, "version 4.1 of the format", version);
    }
    SS_TRY(next_count(r, 0, INT_MAX, &binary));
    return binary == 0 ? skip_numbers(r, 1) : fail(r, "text (0)", "a binary file");
}

static ss_status read_section(reader *r, const char *name, bool *known)
{
    *known = true;
    if (strcmp(name, "$PhysicalNames") == 0) {
        return read_names(r);
    }
    if (strcmp(name, "$Entities") == 0) {
        return read_entities(r);
    }
    if (strcmp(name, "$Nodes") == 0) {
        return read_nodes(r);
    }
    if (strcmp(name, "$Elements") == 0) {
        return read_elements(r);
    }
    *known = false;
    return SS_OK;
}

static ss_status read_all(reader *r)
{
    char name[TOKEN], end[TOKEN + 4], word[TOKEN];
    SS_TRY(expect_word(r, "$MeshFormat"));
    SS_TRY(read_format(r));
    SS_TRY(expect_word(r, "$EndMeshFormat"));
    for (next_word(r, name); name[0]; next_word(r, name)) {
        bool known;
        if (name[0] != '$') {
            return fail(r, "a section ($..)", name);
        }
        snprintf(end, sizeof end, "$End%s", name + 1);
        SS_TRY(read_section(r, name, &known));
        for (next_word(r, word); !known && word[0] && strcmp(word, end) != 0; next_word(r, word)) {}
        if (strcmp(word, end) != 0) {
            return fail(r, end, word);
        }
    }
    return SS_OK;
}

static ss_status list_held(reader *r)
{
    int *held;
    SS_TRY(ss_arena_take(r->arena, (size_t)r->out->nodes, sizeof *held, &held));
    for (int k = 0; k < r->out->nodes; k++) {
        if (r->held.node[k]) {
            held[r->out->held_nodes++] = k;
        }
    }
    r->out->held = held;
    return SS_OK;
}

ss_status ss_gmsh_parse(ss_context *ctx, ss_arena *arena, const char *text, size_t length, const char *label, int dimension,
                        const char *held, ss_mesh_data *out)
{
    reader r = {
        .ctx = ctx, .arena = arena, .label = label, .at = text, .end = text + length, .line = 1, .dimension = dimension
    };
    *out = (ss_mesh_data){ 0 };
    r.held.name = held;
    r.out = out;
    SS_TRY(read_all(&r));
    if (out->cells == 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "%s: no %s in it", label, dimension == 2 ? "triangles" : "tetrahedra");
    }
    out->x = r.x;
    out->cell = r.cell;
    return list_held(&r);
}
