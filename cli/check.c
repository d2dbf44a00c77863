/* check.c - validate scenes and show what was understood: of one scene all of it, of several a line each. */
#include "cli.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct check_options {
    cli_list set;
    bool json, expand, schema, assemble;
} check_options;

static const cli_option options_table[] = {
    { .name = "json",
      .kind = CLI_FLAG,
      .offset = offsetof(check_options, json),
      .doc = "print the scene with all defaults filled in, and counts, as JSON; of several scenes an array" },
    { .name = "set",
      .kind = CLI_SET,
      .offset = offsetof(check_options, set),
      .argument = "PATH=VALUE",
      .doc = "change a value of the scene first; may be given again" },
    { .name = "expand",
      .kind = CLI_FLAG,
      .offset = offsetof(check_options, expand),
      .doc = "print the plain scene instead: parameters replaced by their values, defaults filled in" },
    { .name = "assemble",
      .kind = CLI_FLAG,
      .offset = offsetof(check_options, assemble),
      .doc = "first close joints that do not fit by the least motion, and say what has moved" },
    { .name = "schema",
      .kind = CLI_FLAG,
      .offset = offsetof(check_options, schema),
      .doc = "print the JSON Schema of scene files instead" },
    { .name = NULL },
};

enum { SHOWN_OVERLAPS = 100 };

typedef struct overlaps {
    ss_overlap item[SHOWN_OVERLAPS];
    int count; /* may be more than are shown */
} overlaps;

static const char *body_name(const ss_model *m, int body)
{
    return body >= 0 && body < ss_model_body_count(m) ? ss_model_body_name(m, body) : "world";
}

/* what a run of this scene would say; "" if nothing */
static const char *warning_of(const overlaps *o)
{
    return o->count > 0 ? "bodies overlap at the start: slipstick run refuses this scene unless --allow-overlap is given" : "";
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static json_t *overlaps_json(const ss_model *m, const overlaps *o)
{
    json_t *list = json_array();
    for (int k = 0; k < o->count && k < SHOWN_OVERLAPS; k++) {
        const ss_overlap *x = &o->item[k];
        json_array_append_new(list, json_pack("{s:[s,s], s:f}", "bodies", body_name(m, x->bodies[0]), body_name(m, x->bodies[1]),
                                              "depth", x->depth));
    }
    return list;
}

/* the scene as understood, and counts; NULL: said why */
static json_t *scene_json(ss_context *ctx, const cli_scene *s, const overlaps *o)
{
    char *text = NULL;
    ss_status status = ss_scene_to_json(ctx, s->scene, &text);
    if (status != SS_OK) {
        cli_report(ctx, status, NULL);
        return NULL;
    }
    json_t *scene = json_loads(text, 0, NULL);
    ss_blob_free(ctx, text);
    const ss_model *m = s->model;
    json_t *warnings = *warning_of(o) ? json_pack("[s]", warning_of(o)) : json_array();
    json_t *all = json_pack("{s:o, s:i, s:i, s:i, s:I, s:o, s:o}", "scene", scene, "dofs", ss_model_nv(m), "bodies",
                            ss_model_body_count(m), "joints", ss_model_joint_count(m), "potential_pairs",
                            (json_int_t)ss_model_potential_pairs(m), "overlaps", overlaps_json(m, o), "warnings", warnings);
    if (!all) {
        cli_say("out of memory while writing JSON");
    }
    return all;
}

/* ---- text -------------------------------------------------------------------------------------- */

static void print_bodies(const ss_model *m)
{
    int count[SS_BODY_BLOCK + 1] = { 0 };
    for (int b = 0; b < ss_model_body_count(m); b++) {
        count[ss_model_body_type(m, b)]++;
    }
    printf("bodies           %d (", ss_model_body_count(m));
    const char *comma = "";
    for (int t = 0; t <= SS_BODY_BLOCK; t++) {
        if (count[t] > 0) {
            printf("%s%d %s", comma, count[t], ss_body_type_name((ss_body_type)t));
            comma = ", ";
        }
    }
    printf(")\n");
}

static void print_number(const char *label, double x, const char *unit)
{
    if (isnan(x)) {
        printf("%-16s not given\n", label);
    } else {
        printf("%-16s %.10g%s\n", label, x, unit);
    }
}

static void print_verdict(const char *path, const overlaps *o)
{
    printf("%s: valid%s%s\n", path, o->count > 0 ? ", but " : "", warning_of(o));
}

static void print_details(const cli_scene *s, const overlaps *o)
{
    const ss_model *m = s->model;
    const ss_scene_settings *set = ss_scene_get_settings(s->scene);
    printf("name             %s\ndimension        %d\n", set->name ? set->name : "-", set->dimension);
    print_bodies(m);
    printf("unknowns         %d velocities, %d coordinates\njoints           %d\n", ss_model_nv(m), ss_model_nq(m),
           ss_model_joint_count(m));
    printf("potential pairs  %lld\n", (long long)ss_model_potential_pairs(m));
    printf("scheme           %s\nsolver           %s, tol %g\n", set->scheme ? set->scheme : "anitescu_potra",
           set->solver ? set->solver : "auto", set->solver_tol);
    print_number("step", set->step, " s");
    print_number("until", set->until, " s");
    print_number("length scale", ss_model_length_scale(m), " m");
    printf("overlaps         %d\n", o->count);
    for (int k = 0; k < o->count && k < SHOWN_OVERLAPS; k++) {
        const ss_overlap *x = &o->item[k];
        printf("                 %s and %s by %.6g m\n", body_name(m, x->bodies[0]), body_name(m, x->bodies[1]), x->depth);
    }
}

/* ---- command ----------------------------------------------------------------------------------- */

static int print_schema(ss_context *ctx)
{
    char *text = NULL;
    ss_status status = ss_scene_schema(ctx, &text);
    if (status != SS_OK) {
        return cli_report(ctx, status, NULL);
    }
    puts(text);
    ss_blob_free(ctx, text);
    return CLI_DONE;
}

/* what one call is about */
typedef struct call {
    ss_context *ctx;
    const check_options *options;
    bool alone;   /* a single scene is given                      */
    json_t *list; /* of the valid scenes; NULL: text on stdout    */
} call;

static int keep_json(const call *c, const char *path, const cli_scene *s, const overlaps *o)
{
    json_t *all = scene_json(c->ctx, s, o);
    if (!all) {
        return CLI_FAILED;
    }
    if (!c->alone) {
        json_object_set_new(all, "file", json_string(path));
    }
    json_array_append_new(c->list, all);
    return CLI_DONE;
}

static int print_text(const call *c, const char *path, const cli_scene *s, const overlaps *o)
{
    print_verdict(path, o);
    if (c->alone) {
        print_details(s, o);
    }
    return CLI_DONE;
}

/* a scene file that says the same without parameters */
static int print_plain(const call *c, const cli_scene *s)
{
    char *text = NULL;
    ss_status status = ss_scene_to_json(c->ctx, s->scene, &text);
    if (status != SS_OK) {
        return cli_report(c->ctx, status, NULL);
    }
    puts(text);
    ss_blob_free(c->ctx, text);
    return CLI_DONE;
}

static int check_scene(const call *c, const char *path)
{
    cli_scene s;
    overlaps o = { .count = 0 };
    int code = c->options->assemble ? cli_scene_assemble(c->ctx, path, &c->options->set, false, &s)
                                    : cli_scene_open(c->ctx, path, &c->options->set, &s);
    if (code != CLI_DONE) {
        return code;
    }
    if (c->options->expand) {
        code = print_plain(c, &s);
        cli_scene_close(&s);
        return code;
    }
    ss_status status = ss_model_overlaps(c->ctx, s.model, SHOWN_OVERLAPS, o.item, &o.count);
    if (status != SS_OK) {
        code = cli_report(c->ctx, status, path);
    } else {
        code = c->list ? keep_json(c, path, &s, &o) : print_text(c, path, &s, &o);
    }
    cli_scene_close(&s);
    return code;
}

/* the array of all valid scenes, or the single one */
static int print_list(const call *c)
{
    if (!c->alone) {
        return cli_print_json(json_incref(c->list));
    }
    json_t *only = json_array_get(c->list, 0);
    return only ? cli_print_json(json_incref(only)) : CLI_DONE;
}

/* every scene, whatever is wrong with those before it; path: ended by NULL */
static int check_scenes(ss_context *ctx, const char *const *path, const check_options *options)
{
    call c = { .ctx = ctx, .options = options, .alone = !path[1], .list = options->json ? json_array() : NULL };
    int worst = CLI_DONE;
    for (; *path; path++) {
        int code = check_scene(&c, *path);
        worst = code > worst ? code : worst;
    }
    if (c.list) {
        int code = print_list(&c);
        worst = code > worst ? code : worst;
        json_decref(c.list);
    }
    return worst;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    check_options options = { .json = false };
    const char **path = calloc((size_t)argc + 1, sizeof *path); /* as many as there are words, and NULL */
    int code = CLI_USAGE;
    if (!path) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    if (cli_parse(ctx, &cli_check, argc, argv, &options, argc, path)) {
        if (options.schema) {
            code = print_schema(ctx);
        } else if (options.expand && path[0] && path[1]) {
            cli_say("check --expand: expected one scene, got several");
        } else if (cli_given(&cli_check, "scene", path[0])) {
            code = check_scenes(ctx, path, &options);
        }
    }
    cli_list_free(&options.set);
    free(path);
    return code;
}

const cli_command cli_check = {
    .name = "check",
    .usage = "check SCENE...",
    .doc = "check scene files and print what they describe",
    .options = options_table,
    .run = run,
};
