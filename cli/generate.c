/* generate.c - scenes of any size.
 *
 * chain: N rigid rods of length L and 1 kg/m, joined end to end by revolute joints, the first hinged to the
 * world, released at rest from the horizontal. With --seed each rod is tilted by up to 0.05 rad, so that no
 * two chains are alike. Rods have no shapes: nothing touches. */
#include "cli.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct generate_options {
    int bodies, seed, dimension;
    double link;
    const char *file;
} generate_options;

static const cli_option options_table[] = {
    { .name = "bodies",
      .kind = CLI_COUNT,
      .offset = offsetof(generate_options, bodies),
      .argument = "N",
      .doc = "how many (100)" },
    { .name = "seed",
      .kind = CLI_SEED,
      .offset = offsetof(generate_options, seed),
      .argument = "K",
      .doc = "tilt the rods at random" },
    { .name = "dimension", .kind = CLI_COUNT, .offset = offsetof(generate_options, dimension), .argument = "2|3", .doc = "(2)" },
    { .name = "link",
      .kind = CLI_POSITIVE,
      .offset = offsetof(generate_options, link),
      .argument = "L",
      .doc = "length of a rod, m (0.1)" },
    { .name = "output",
      .letter = 'o',
      .kind = CLI_TEXT,
      .offset = offsetof(generate_options, file),
      .argument = "SCENE",
      .doc = "file to write (standard output)" },
    { .name = NULL },
};

/* ---- random numbers: splitmix64, uniform in [-1, 1) ---------------------------------------------- */

static double next_uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return 2 * ((double)(z >> 11) * 0x1p-53) - 1;
}

/* ---- chain ------------------------------------------------------------------------------------- */

typedef struct rod {
    char name[24];
    double x, y, angle; /* centre; y is the height, in 3D the coordinate z */
} rod;

static json_t *rod_json(const generate_options *o, const rod *r)
{
    double mass = o->link, moment = mass * o->link * o->link / 12, radius = o->link / 20, along = mass * radius * radius / 2;
    json_t *body = json_pack("{s:s, s:s, s:f}", "name", r->name, "type", "rigid", "mass", mass);
    if (o->dimension == 2) {
        json_object_set_new(body, "inertia", json_real(moment));
        json_object_set_new(body, "position", json_pack("[f,f]", r->x, r->y));
        json_object_set_new(body, "angle", json_real(r->angle));
    } else {
        json_object_set_new(body, "inertia", json_pack("[f,f,f]", along, moment, moment));
        json_object_set_new(body, "position", json_pack("[f,f,f]", r->x, 0.0, r->y));
        json_object_set_new(body, "orientation", json_pack("[f,f,f,f]", cos(r->angle / 2), 0.0, -sin(r->angle / 2), 0.0));
    }
    return body;
}

static json_t *point_json(const generate_options *o, double x)
{
    return o->dimension == 2 ? json_pack("[f,f]", x, 0.0) : json_pack("[f,f,f]", x, 0.0, 0.0);
}

/* rod k turns about the end of rod k-1, the first about the world's origin */
static json_t *hinge_json(const generate_options *o, int k, const char *before, const char *name)
{
    char joint[24];
    snprintf(joint, sizeof joint, "hinge%d", k + 1);
    json_t *item = json_pack("{s:s, s:s, s:[s,s], s:[o,o]}", "name", joint, "type", "revolute", "bodies", before, name, "anchors",
                             point_json(o, k > 0 ? o->link / 2 : 0), point_json(o, -o->link / 2));
    if (o->dimension == 3) {
        json_object_set_new(item, "axis", json_pack("[i,i,i]", 0, 1, 0));
    }
    return item;
}

static void add_rods(const generate_options *o, json_t *bodies, json_t *joints)
{
    uint64_t state = (uint64_t)(o->seed < 0 ? 0 : o->seed);
    double end_x = 0, end_y = 0;
    char before[24] = "world";
    for (int k = 0; k < o->bodies; k++) {
        rod r = { .angle = o->seed < 0 ? 0 : 0.05 * next_uniform(&state) };
        snprintf(r.name, sizeof r.name, "rod%d", k + 1);
        r.x = end_x + cos(r.angle) * o->link / 2;
        r.y = end_y + sin(r.angle) * o->link / 2;
        end_x += cos(r.angle) * o->link;
        end_y += sin(r.angle) * o->link;
        json_array_append_new(bodies, rod_json(o, &r));
        json_array_append_new(joints, hinge_json(o, k, before, r.name));
        snprintf(before, sizeof before, "%s", r.name);
    }
}

static json_t *chain_json(const generate_options *o)
{
    char name[64];
    json_t *bodies = json_array(), *joints = json_array();
    snprintf(name, sizeof name, "chain of %d rods", o->bodies);
    add_rods(o, bodies, joints);
    json_t *gravity = o->dimension == 2 ? json_pack("[i,f]", 0, -9.81) : json_pack("[i,i,f]", 0, 0, -9.81);
    return json_pack("{s:i, s:s, s:i, s:o, s:{s:i, s:s}, s:{s:s}, s:o, s:o}", "slipstick", 1, "name", name, "dimension",
                     o->dimension, "gravity", gravity, "time", "until", 10, "step", "1/960", "scheme", "name", "anitescu_potra",
                     "bodies", bodies, "joints", joints);
}

/* ---- the file: one part per line ---------------------------------------------------------------- */

static void put_value(FILE *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    fputs(text ? text : "null", out);
    free(text);
}

static void put_list(FILE *out, const json_t *list)
{
    size_t k;
    json_t *item;
    fputs("[", out);
    json_array_foreach(list, k, item)
    {
        fputs(k > 0 ? ",\n    " : "\n    ", out);
        put_value(out, item);
    }
    fputs("\n  ]", out);
}

static void put_scene(FILE *out, const json_t *scene)
{
    const char *key, *comma = "{";
    json_t *value;
    json_object_foreach((json_t *)scene, key, value)
    {
        fprintf(out, "%s\n  \"%s\": ", comma, key);
        if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
            put_list(out, value);
        } else {
            put_value(out, value);
        }
        comma = ",";
    }
    fputs("\n}\n", out);
}

static int write_scene(const char *path, const json_t *scene)
{
    FILE *out = path ? fopen(path, "w") : stdout;
    if (!out) {
        cli_say("%s: cannot be written: %s", path, strerror(errno));
        return CLI_FAILED;
    }
    put_scene(out, scene);
    bool bad = ferror(out) != 0;
    bad = (path && fclose(out) != 0) || bad;
    if (bad && path) {
        cli_say("%s: cannot be written: %s", path, strerror(errno));
    }
    return bad ? CLI_FAILED : CLI_DONE;
}

/* ---- command ----------------------------------------------------------------------------------- */

static bool known_kind(const char *kind)
{
    static const char *const later[] = { "pile", "silo", "drum", "column", "wall", "arch", "tower", NULL };
    static const char *const now[] = { "chain", NULL };
    for (int k = 0; kind && later[k]; k++) {
        if (strcmp(kind, later[k]) == 0) {
            cli_say("slipstick generate: %s is not available in this version; available: chain", kind);
            return false;
        }
    }
    if (!kind) {
        cli_say("slipstick generate: of which kind? usage: slipstick %s [options]", cli_generate.usage);
        return false;
    }
    if (strcmp(kind, now[0]) != 0) {
        cli_unknown("slipstick generate", "kind", kind, now);
        return false;
    }
    return true;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    generate_options o = { .bodies = 100, .seed = -1, .dimension = 2, .link = 0.1 };
    const char *kind[1] = { NULL };
    if (!cli_parse(ctx, &cli_generate, argc, argv, &o, 1, kind) || !known_kind(kind[0])) {
        return CLI_USAGE;
    }
    if (o.dimension != 2 && o.dimension != 3) {
        cli_say("--dimension: expected 2 or 3, got %d", o.dimension);
        return CLI_USAGE;
    }
    json_t *scene = chain_json(&o);
    int code = write_scene(o.file, scene);
    json_decref(scene);
    return code;
}

const cli_command cli_generate = {
    .name = "generate",
    .usage = "generate chain",
    .doc = "write a scene of any size",
    .options = options_table,
    .run = run,
};
