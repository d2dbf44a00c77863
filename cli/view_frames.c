/* view_frames.c - a result for the viewer: its scene, the bodies that move, and which of its states become frames.
 *
 * All states, with poses and velocities as 32-bit numbers, if they fit into the bytes that a page may take. Else poses as
 * whole numbers of 16 bits, without velocities and without the turning of balls (compact); if that is still too much, every
 * second, third, .. state and the last one. The viewer interpolates between frames. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_BYTES = 64 }; /* of a frame: its time and the numbers that are plotted; stresses of solids come to them */

int view_no_memory(void)
{
    cli_say("out of memory");
    return CLI_FAILED;
}

/* A result that cannot be read is bad input, whatever the reason. */
int view_bad_result(const view_source *s, ss_status status)
{
    int code = cli_report(s->ctx, status, s->path);
    return status == SS_ERR_IO ? CLI_USAGE : code;
}

/* ---- what there is ----------------------------------------------------------------------------- */

static int open_result(view_source *s)
{
    if (cli_ends_with(s->path, ".csv")) {
        cli_say("%s: a .csv result does not hold its scene; write an .h5 one (slipstick run SCENE -o FILE.h5)", s->path);
        return CLI_USAGE;
    }
    ss_status status = ss_result_open(s->ctx, s->path, &s->result);
    if (status != SS_OK) {
        return view_bad_result(s, status);
    }
    s->states = ss_result_states(s->result);
    if (s->states == 0) {
        cli_say("%s: no states: there is nothing to show", s->path);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Parts of types that a program has added (slipstick/extend.h) are not known here: their bodies are shown without them. */
static void leave_out_unknown(const view_source *s, ss_registry registry)
{
    json_t *items = json_object_get(s->scene, ss_registry_name(registry));
    for (size_t k = json_array_size(items); k-- > 0;) {
        const char *type = json_string_value(json_object_get(json_array_get(items, k), "type"));
        if (type && !ss_registry_find(registry, type)) {
            cli_say("%s: %s.%zu is of type \"%s\", which is not known here; it is not shown", s->path, ss_registry_name(registry),
                    k, type);
            json_array_remove(items, k);
            json_object_del(s->scene, "outputs"); /* which may read such a joint */
        }
    }
}

static ss_status compile_scene(view_source *s)
{
    const char *given = ss_result_scene(s->result);
    s->scene = json_loads(given, 0, NULL);
    leave_out_unknown(s, SS_JOINTS);
    leave_out_unknown(s, SS_FORCES);
    char *text = json_dumps(s->scene, 0);
    const char *known = text ? text : given; /* what is no JSON is refused below */
    ss_status status = ss_scene_parse(s->ctx, known, strlen(known), s->path, 0, NULL, &s->parsed);
    free(text);
    return status == SS_OK ? ss_model_compile(s->ctx, s->parsed, &s->model) : status;
}

static int open_model(view_source *s)
{
    const ss_status status = compile_scene(s);
    if (status != SS_OK) {
        return view_bad_result(s, status);
    }
    if (ss_model_nq(s->model) != ss_result_nq(s->result) || ss_model_nv(s->model) != ss_result_nv(s->result)) {
        cli_say("%s: its scene has %d coordinates, its states %d: the file is damaged", s->path, ss_model_nq(s->model),
                ss_result_nq(s->result));
        return CLI_USAGE;
    }
    s->dimension = ss_model_dimension(s->model);
    return s->scene ? view_add_nodes(s->scene, s->model) : view_no_memory();
}

/* ---- bodies that move -------------------------------------------------------------------------- */

static bool is_at_origin(const json_t *position)
{
    size_t k;
    json_t *x;
    json_array_foreach(position, k, x)
    {
        if (json_number_value(x) != 0) {
            return false;
        }
    }
    return true;
}

/* a ball looks the same however it is turned */
static bool is_ball(const view_source *s, int body)
{
    const json_t *shapes = json_object_get(json_array_get(json_object_get(s->scene, "bodies"), (size_t)body), "shapes");
    const json_t *shape = json_array_get(shapes, 0);
    const char *type = json_string_value(json_object_get(shape, "type"));
    return json_array_size(shapes) == 1 && type && strcmp(type, "sphere") == 0 &&
           is_at_origin(json_object_get(shape, "position"));
}

static int list_movers(view_source *s)
{
    int n = ss_model_body_count(s->model);
    s->moving = calloc((size_t)n + 1, sizeof *s->moving);
    if (!s->moving) {
        return view_no_memory();
    }
    for (int b = 0; b < n; b++) {
        ss_body_type type = ss_model_body_type(s->model, b);
        if (type == SS_BODY_PARTICLE || type == SS_BODY_RIGID || type == SS_BODY_DRIVEN) {
            s->moving[s->movers++] = (view_body){ .body = b, .turns = type != SS_BODY_PARTICLE };
        }
    }
    return CLI_DONE;
}

int view_numbers(const view_source *s, const view_body *b) { return s->dimension + (!b->turns ? 0 : s->dimension == 2 ? 1 : 4); }

/* ---- frames ------------------------------------------------------------------------------------ */

static double count_numbers(const view_source *s)
{
    double numbers = 0;
    for (int k = 0; k < s->movers; k++) {
        numbers += view_numbers(s, &s->moving[k]);
    }
    return numbers;
}

static void choose_encoding(view_source *s)
{
    double budget = (double)VIEW_POSE_BYTES / s->share;
    double always = SERIES_BYTES + sizeof(float) * (double)ss_model_solid_node_count(s->model);
    double full = always + sizeof(float) * (count_numbers(s) + ss_model_nv(s->model));
    s->compact = full * (double)s->states > budget;
    for (int k = 0; s->compact && k < s->movers; k++) {
        s->moving[k].turns = s->moving[k].turns && (s->dimension == 2 || !is_ball(s, s->moving[k].body));
    }
    double row = s->compact ? always + sizeof(uint16_t) * count_numbers(s) : full;
    s->stride = (int64_t)fmax(1, ceil(row * (double)s->states / budget));
    s->frames = (s->states - 1 + s->stride - 1) / s->stride + 1;
}

int64_t view_state_of(const view_source *s, int64_t frame)
{
    return frame * s->stride < s->states ? frame * s->stride : s->states - 1;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* states that are read at once */
typedef struct piece {
    int64_t most;
    double *t, *q, *v;
} piece;

static bool take_piece(const view_source *s, piece *p)
{
    enum { NUMBERS = 1 << 20 };
    size_t nq = (size_t)ss_result_nq(s->result), nv = (size_t)ss_result_nv(s->result);
    p->most = (int64_t)(NUMBERS / (1 + nq + nv)) + 1;
    p->most = p->most < s->states ? p->most : s->states;
    p->t = calloc((size_t)p->most, sizeof(double));
    p->q = calloc((size_t)p->most * nq + 1, sizeof(double));
    p->v = calloc((size_t)p->most * nv + 1, sizeof(double));
    return p->t && p->q && p->v;
}

static void visit_piece(const view_source *s, const piece *p, int64_t first, int64_t n,
                        void (*visit)(void *user, const view_state *state), void *user)
{
    for (int64_t k = 0; k < n; k++) {
        if ((first + k) % s->stride == 0 || first + k == s->states - 1) {
            view_state state = { p->t[k], p->q + k * ss_result_nq(s->result), p->v + k * ss_result_nv(s->result) };
            visit(user, &state);
        }
    }
}

int view_each_frame(const view_source *s, void (*visit)(void *user, const view_state *state), void *user)
{
    piece p = { 0 };
    int code = take_piece(s, &p) ? CLI_DONE : view_no_memory();
    for (int64_t first = 0; first < s->states && code == CLI_DONE; first += p.most) {
        int64_t n = s->states - first < p.most ? s->states - first : p.most;
        ss_status status = ss_result_read(s->result, first, n, p.t, NULL, p.q, p.v);
        if (status == SS_OK) {
            visit_piece(s, &p, first, n, visit, user);
        } else {
            code = view_bad_result(s, status);
        }
    }
    free(p.t);
    free(p.q);
    free(p.v);
    return code;
}

/* ---- open and close ---------------------------------------------------------------------------- */

int view_open(view_source *s)
{
    int code = open_result(s);
    code = code == CLI_DONE ? open_model(s) : code;
    code = code == CLI_DONE ? list_movers(s) : code;
    if (code == CLI_DONE) {
        choose_encoding(s);
        code = s->compact ? view_find_box(s, &s->box) : CLI_DONE;
    }
    return code;
}

void view_close(view_source *s)
{
    ss_result_close(s->result);
    ss_model_destroy(s->model);
    ss_scene_destroy(s->parsed);
    json_decref(s->scene);
    free(s->moving);
}
