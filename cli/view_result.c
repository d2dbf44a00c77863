/* view_result.c - a result in a page: what it is, with its scene, as JSON; the numbers that are plotted; events. */
#include "view.h"

#include <math.h>
#include <stdlib.h>

/* ---- what a result is ---------------------------------------------------------------------------- */

static json_t *describe_movers(const view_source *s)
{
    json_t *list = json_array();
    for (int k = 0; k < s->movers; k++) {
        const view_body *b = &s->moving[k];
        json_array_append_new(list, json_pack("{s:i,s:b,s:i}", "body", b->body, "turns", (int)b->turns, "velocity",
                                              s->compact ? -1 : ss_model_body_v(s->model, b->body)));
    }
    return list;
}

static json_t *describe_kinds(void)
{
    json_t *list = json_array();
    for (int kind = 0; kind <= SS_EVENT_LIMIT; kind++) {
        json_array_append_new(list, json_string(ss_event_kind_name((ss_event_kind)kind)));
    }
    return list;
}

static json_t *describe(const view_source *s)
{
    const view_box *b = &s->box;
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:b, s:[fff], s:[fff], s:o, s:o, s:O}", "file", s->path, "scheme",
                     ss_result_scheme(s->result), "solver", ss_result_solver(s->result), "dimension", s->dimension, "states",
                     (json_int_t)s->states, "frames", (json_int_t)s->frames, "compact", (int)s->compact, "low", b->low[0],
                     b->low[1], b->low[2], "high", b->high[0], b->high[1], b->high[2], "moving", describe_movers(s), "kinds",
                     describe_kinds(), "scene", s->scene);
}

static int put_description(const view_source *s, view_page *page)
{
    json_t *value = describe(s);
    if (!value) {
        cli_say("%s: its name or its scene is not text in UTF-8", s->path);
        return CLI_USAGE;
    }
    view_put_json(page, value);
    json_decref(value);
    return CLI_DONE;
}

/* ---- numbers over time --------------------------------------------------------------------------- */

static int put_column(const view_source *s, view_page *page, const char *column, const char *name)
{
    double *number = malloc((size_t)s->states * sizeof *number);
    if (!number) {
        return view_no_memory();
    }
    int k = ss_result_find_column(s->result, column);
    ss_status status = ss_result_read_column(s->result, k, 0, s->states, number);
    for (int64_t f = 0; f < s->frames && status == SS_OK; f++) {
        number[f] = number[view_state_of(s, f)];
    }
    if (status == SS_OK) {
        view_put_array(page, name, VIEW_F64, number, (size_t)s->frames * sizeof *number);
    }
    free(number);
    return status == SS_OK ? CLI_DONE : view_bad_result(s, status);
}

static int put_columns(const view_source *s, view_page *page)
{
    static const char *const table[][2] = {
        { "t", "time" },
        { "kinetic", "kinetic" },
        { "potential", "potential" },
        { "residual", "residual" },
        { "penetration", "penetration" },
        { "joint_error", "joint_error" },
    };
    int code = CLI_DONE;
    for (size_t k = 0; k < sizeof table / sizeof table[0] && code == CLI_DONE; k++) {
        code = put_column(s, page, table[k][0], table[k][1]);
    }
    return code;
}

/* Events of one kind that follow each other within 1/MARKS of the time are one mark on the timeline; how many are kept. */
static size_t thin_events(int64_t n, double *t, ss_event_kind *kind, unsigned char *code)
{
    enum { MARKS = 4096 };
    double last[SS_EVENT_LIMIT + 1], width = n > 0 ? (t[n - 1] - t[0]) / MARKS : 0;
    size_t kept = 0;
    for (int k = 0; k <= SS_EVENT_LIMIT; k++) {
        last[k] = -HUGE_VAL;
    }
    for (int64_t k = 0; k < n; k++) {
        if (t[k] - last[kind[k]] >= width) {
            last[kind[k]] = t[k];
            t[kept] = t[k];
            code[kept++] = (unsigned char)kind[k];
        }
    }
    return kept;
}

static int put_events(const view_source *s, view_page *page)
{
    int64_t n = ss_result_events(s->result);
    double *t = calloc((size_t)n + 1, sizeof *t);
    ss_event_kind *kind = calloc((size_t)n + 1, sizeof *kind);
    unsigned char *number = calloc((size_t)n + 1, sizeof *number);
    int code = t && kind && number ? CLI_DONE : view_no_memory();
    ss_status status = code == CLI_DONE ? ss_result_read_events(s->result, 0, n, t, kind) : SS_OK;
    if (status != SS_OK) {
        code = view_bad_result(s, status);
    } else if (code == CLI_DONE) {
        size_t kept = thin_events(n, t, kind, number);
        view_put_array(page, "event_time", VIEW_F64, t, kept * sizeof *t);
        view_put_array(page, "event_kind", VIEW_U8, number, kept);
    }
    free(t);
    free(kind);
    free(number);
    return code;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

int view_put_result(const view_source *s, view_page *page)
{
    int code = put_description(s, page);
    code = code == CLI_DONE ? put_columns(s, page) : code;
    code = code == CLI_DONE ? put_events(s, page) : code;
    code = code == CLI_DONE ? view_put_poses(s, page) : code;
    code = code == CLI_DONE ? view_put_solids(s, page) : code;
    return code == CLI_DONE ? view_put_contacts(s, page) : code;
}
