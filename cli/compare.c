/* compare.c - the same scene by several schemes, side by side: what each one gives, at which cost, and how far they are apart.
 *
 * With tolerances every scheme runs once for each: how far its end moves from one to the next is what halving it is worth.
 *
 * All runs are tried up to their first step before one starts, so that bad input ends the command before anything is computed
 * or written. A run that fails does not stop the others. */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct compare_options {
    const char *schemes, *tols, *folder;
    double step, until;
    cli_list set;
    bool json;
} compare_options;

#define OPTION(long_name, letter_, kind_, member, argument_, text)                                                               \
    {                                                                                                                            \
        .name = long_name, .letter = letter_, .kind = kind_, .offset = offsetof(compare_options, member), .argument = argument_, \
        .doc = text                                                                                                              \
    }

static const cli_option options_table[] = {
    OPTION("scheme", 0, CLI_TEXT, schemes, "S[,S..]", "schemes to compare; see slipstick list schemes"),
    OPTION("step", 0, CLI_POSITIVE, step, "H", "length of a step, s; with --tol: length of the first step"),
    OPTION("tol", 0, CLI_TEXT, tols, "R[,R..]",
           "tolerances that choose the step lengths; every scheme runs with each; A:B halves from A down to B"),
    OPTION("until", 0, CLI_POSITIVE, until, "T", "time at which the simulations end, s"),
    OPTION("set", 0, CLI_SET, set, "PATH=VALUE", "change a value of the scene; may be given again"),
    OPTION("output", 'o', CLI_TEXT, folder, "DIR",
           "folder for the results of every run, SCHEME.h5 and .csv (SCHEME@R with --tol), and figures"),
    OPTION("json", 0, CLI_FLAG, json, NULL, "print all runs as one JSON value"),
    { .name = NULL },
};

enum { LONGEST_FOLDER = 900, PATH_SIZE = 1024 };

/* One column of the table. */
typedef struct column {
    char *label; /* the scheme and its tolerance; the second run of these has "-2" behind it */
    const char *scheme;
    double tol; /* 0: as the scene says */
    char file[2][PATH_SIZE];
    run_options options;
    json_t *result; /* as `run --json` prints it */
} column;

typedef struct comparison {
    ss_context *ctx;
    const compare_options *options;
    const char *path;
    char *letters; /* the option --scheme, cut at its commas */
    cli_list schemes;
    double *tol;
    int tols; /* 0: as the scene says */
    column *column;
    int columns, made; /* made: those that have run; fewer after an interrupt */
} comparison;

/* ---- which runs -------------------------------------------------------------------------------- */

static bool is_same(const column *a, const column *b) { return strcmp(a->scheme, b->scheme) == 0 && a->tol == b->tol; }

static bool make_label(comparison *c, column *new)
{
    int before = 0;
    for (const column *k = c->column; k < new; k++) {
        before += is_same(k, new);
    }
    size_t size = strlen(new->scheme) + 48;
    new->label = malloc(size);
    if (!new->label) {
        return false;
    }
    int end = new->tol > 0 ? snprintf(new->label, size, "%s@%.9g", new->scheme, new->tol)
                           : snprintf(new->label, size, "%s", new->scheme);
    if (before > 0) {
        snprintf(new->label + end, size - (size_t)end, "-%d", before + 1);
    }
    return true;
}

static int read_lists(comparison *c)
{
    const compare_options *o = c->options;
    if (!o->schemes) {
        cli_say("slipstick compare: no schemes given; use --scheme S[,S..]; slipstick list schemes names them");
        return CLI_USAGE;
    }
    if (!cli_take_schemes(&cli_compare, o->schemes, &c->letters, &c->schemes)) {
        return CLI_USAGE;
    }
    ss_status status = o->tols ? ss_list_parse(c->ctx, o->tols, &c->tols, &c->tol) : SS_OK;
    return status == SS_OK ? CLI_DONE : cli_report(c->ctx, status, "--tol");
}

static int choose_columns(comparison *c)
{
    int code = read_lists(c);
    if (code != CLI_DONE) {
        return code;
    }
    int each = c->tols > 0 ? c->tols : 1, n = c->schemes.n * each;
    c->column = calloc((size_t)n, sizeof *c->column);
    for (; c->column && c->columns < n; c->columns++) {
        column *new = &c->column[c->columns];
        new->scheme = c->schemes.item[c->columns / each];
        new->tol = c->tols > 0 ? c->tol[c->columns % each] : 0;
        if (!make_label(c, new)) {
            return CLI_FAILED;
        }
    }
    return c->column ? CLI_DONE : CLI_FAILED;
}

/* ---- the runs ---------------------------------------------------------------------------------- */

static int make_folder(const char *folder)
{
    struct stat there;
    if (strlen(folder) > LONGEST_FOLDER) {
        cli_say("--output: a name of at most %d characters is expected", LONGEST_FOLDER);
        return CLI_USAGE;
    }
    if (mkdir(folder, 0777) != 0 && (errno != EEXIST || stat(folder, &there) != 0 || !S_ISDIR(there.st_mode))) {
        cli_say("%s: cannot be made a folder: %s", folder, strerror(errno));
        return CLI_FAILED;
    }
    return CLI_DONE;
}

static int try_column(comparison *c, column *k)
{
    const compare_options *o = c->options;
    k->options = (run_options){
        .scheme = k->scheme, .step = o->step, .tol = k->tol, .until = o->until, .set = o->set, .json = true, .threads = 1
    };
    run_state run = { .ctx = c->ctx, .options = &k->options, .path = c->path };
    int code = run_open(&run);
    run_close(&run);
    return code;
}

static void choose_files(comparison *c, column *k)
{
    static const char *const ending[2] = { "h5", "csv" };
    for (int f = 0; c->options->folder && f < 2; f++) {
        snprintf(k->file[f], sizeof k->file[f], "%s/%s.%s", c->options->folder, k->label, ending[f]);
        cli_list_add(&k->options.output, k->file[f]);
    }
}

/* ---- how far they are apart -------------------------------------------------------------------- */

static double number_at(const json_t *list, int k) { return json_number_value(json_array_get(list, (size_t)k)); }

/* -1 for the four numbers of a quaternion whose negative is nearer: q and -q are the same rotation; else 1 */
static void choose_signs(const ss_model *m, const json_t *a, const json_t *b, double *sign)
{
    for (int k = 0; k < ss_model_nq(m); k++) {
        sign[k] = 1;
    }
    for (int body = 0; ss_model_dimension(m) == 3 && body < ss_model_body_count(m); body++) {
        int first = ss_model_body_q(m, body) + 3;
        double dot = 0;
        if (ss_model_body_type(m, body) != SS_BODY_RIGID) {
            continue;
        }
        for (int k = first; k < first + 4; k++) {
            dot += number_at(a, k) * number_at(b, k);
        }
        for (int k = first; k < first + 4; k++) {
            sign[k] = dot < 0 ? -1 : 1;
        }
    }
}

/* the largest difference of n numbers; null: not all of them are numbers; sign NULL: all 1 */
static json_t *difference(int n, const json_t *a, const json_t *b, const double *sign)
{
    double most = 0;
    bool numbers = true;
    for (int k = 0; k < n; k++) {
        numbers = numbers && json_is_number(json_array_get(a, (size_t)k)) && json_is_number(json_array_get(b, (size_t)k));
        most = fmax(most, fabs(number_at(a, k) - (sign ? sign[k] : 1) * number_at(b, k)));
    }
    return numbers ? json_real(most) : json_null();
}

static bool is_done(const column *k)
{
    const char *outcome = json_string_value(json_object_get(k->result, "outcome"));
    return outcome && strcmp(outcome, "done") == 0;
}

/* how far its end is from that of another run; null: one of them has not come to the end */
static bool add_difference(const char *key, const column *from, column *k, const ss_model *m)
{
    const json_t *a = from->result, *b = k->result, *q[2], *v[2];
    double *sign = calloc((size_t)ss_model_nq(m) + 1, sizeof *sign);
    if (!sign) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        q[i] = json_object_get(i == 0 ? a : b, "q");
        v[i] = json_object_get(i == 0 ? a : b, "v");
    }
    choose_signs(m, q[0], q[1], sign);
    bool comparable = is_done(from) && is_done(k);
    json_object_set_new(k->result, key,
                        json_pack("{s:o, s:o}", "q", comparable ? difference(ss_model_nq(m), q[0], q[1], sign) : json_null(), "v",
                                  comparable ? difference(ss_model_nv(m), v[0], v[1], NULL) : json_null()));
    free(sign);
    return true;
}

/* from the first run; and with tolerances from the one before, if that is of the same scheme */
static bool add_differences(const comparison *c, column *k, const ss_model *m)
{
    bool first = (k - c->column) % (c->tols > 0 ? c->tols : 1) == 0;
    return add_difference("difference", c->column, k, m) && (first || add_difference("change", k - 1, k, m));
}

/* steps that only h_max bounds are the same for any tolerance */
static void add_bound(column *k, const ss_sim *sim)
{
    if (k->result && ss_sim_tol(sim) > 0) {
        json_object_set_new(k->result, "all_steps_at_h_max", json_boolean(!ss_sim_tol_binds(sim)));
    }
}

static int run_column(comparison *c, column *k)
{
    run_state run = { .ctx = c->ctx, .options = &k->options, .path = c->path };
    choose_files(c, k);
    int code = run_open(&run);
    if (code == CLI_DONE) {
        run_advance(&run);
        k->result = run_json(&run);
        add_bound(k, run.sim);
        code = k->result && add_differences(c, k, run.scene.model) ? CLI_DONE : CLI_FAILED;
    }
    if (*run.error) {
        cli_say("%s: %s: %s", c->path, k->label, run.error);
        code = CLI_FAILED;
    }
    run_close(&run);
    return code;
}

/* ---- the table --------------------------------------------------------------------------------- */

enum { LABELS = 24, WIDTH = 18 };

static const struct line {
    const char *label, *key, *inner;
} lines[] = {
    { "outcome", "outcome", NULL },
    { "time, s", "t", NULL },
    { "step, s", "step", NULL },
    { "tolerance", "tol", NULL },
    { "steps", "steps", NULL },
    { "steps rejected", "rejected", NULL },
    { "all steps at h_max", "all_steps_at_h_max", NULL },
    { "contact problems", "lcps", NULL },
    { "multiplier evaluations", "multiplier_evals", NULL },
    { "Newton iterations", "newton", NULL },
    { "wall time, s", "wall_s", NULL },
    { "events", "event_count", NULL },
    { "energy at the start, J", "energy", "initial" },
    { "energy at the end, J", "energy", "final" },
    { "largest gain in a step, J", "energy", "max_gain" },
    { "largest penetration, m", "max_penetration", NULL },
    { "largest joint error", "max_joint_error", NULL },
    { "largest residual", "max_residual", NULL },
    { "steps not certified", "unconverged_steps", NULL },
    { "|final q - first run's|", "difference", "q" },
    { "|final v - first run's|", "difference", "v" },
    { "|final q - run before's|", "change", "q" },
    { "|final v - run before's|", "change", "v" },
};

static void print_value(const json_t *value, int width)
{
    char text[64] = "-";
    if (json_is_string(value)) {
        snprintf(text, sizeof text, "%s", json_string_value(value));
    } else if (json_is_boolean(value)) {
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "yes" : "no");
    } else if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, sizeof text, "%.9g", json_real_value(value));
    }
    printf(" %*s", width, text);
}

static int width_of(const column *k)
{
    int length = (int)strlen(k->label);
    return length > WIDTH ? length : WIDTH;
}

static void print_table(const comparison *c)
{
    const char *name = json_string_value(json_object_get(c->column[0].result, "name"));
    printf("%s\n%-*s", name ? name : c->path, LABELS + 2, "");
    for (int k = 0; k < c->made; k++) {
        printf(" %*s", width_of(&c->column[k]), c->column[k].label);
    }
    printf("\n");
    for (size_t row = 0; row < sizeof lines / sizeof lines[0]; row++) {
        printf("%-*s", LABELS + 2, lines[row].label);
        for (int k = 0; k < c->made; k++) {
            const json_t *value = json_object_get(c->column[k].result, lines[row].key);
            print_value(lines[row].inner ? json_object_get(value, lines[row].inner) : value, width_of(&c->column[k]));
        }
        printf("\n");
    }
}

static void say_warnings(const comparison *c)
{
    for (int k = 0; k < c->made; k++) {
        size_t w;
        json_t *text;
        json_array_foreach(json_object_get(c->column[k].result, "warnings"), w, text)
        {
            cli_say("warning: %s: %s", c->column[k].label, json_string_value(text));
        }
    }
}

static json_t *compare_json(const comparison *c)
{
    json_t *runs = json_array();
    for (int k = 0; k < c->made; k++) {
        json_array_append(runs, c->column[k].result);
    }
    return json_pack("{s:s, s:o}", "scene", c->path, "runs", runs);
}

/* ---- figures ----------------------------------------------------------------------------------- */

enum { MOST_COORDINATES = 12 }; /* with a figure of their own */

static ss_status open_plot(const comparison *c, const char *label, const char *unit, ss_plot **plot)
{
    const char *name = json_string_value(json_object_get(c->column[0].result, "name"));
    ss_plot_options o = ss_plot_options_default();
    o.title = name;
    o.x = (ss_plot_axis){ .label = "time", .unit = "s" };
    o.y = (ss_plot_axis){ .label = label, .unit = unit };
    return ss_plot_create(c->ctx, &o, plot);
}

/* all states of a run, as its file has them */
typedef struct states {
    ss_result *result;
    int n, nq;
    double *t, *q, *energy;
} states;

static ss_status read_states(const comparison *c, const column *k, states *out)
{
    ss_status status = ss_result_open(c->ctx, k->file[0], &out->result);
    if (status != SS_OK) {
        return status;
    }
    int64_t n = ss_result_states(out->result);
    out->n = (int)n;
    out->nq = ss_result_nq(out->result);
    out->t = calloc((size_t)n, sizeof *out->t);
    out->q = calloc((size_t)n * (size_t)out->nq + 1, sizeof *out->q);
    out->energy = calloc((size_t)n, sizeof *out->energy);
    status = out->t && out->q && out->energy ? ss_result_read(out->result, 0, n, out->t, NULL, out->q, NULL) : SS_ERR_MEMORY;
    int energy = ss_result_find_column(out->result, "energy");
    return status == SS_OK ? ss_result_read_column(out->result, energy, 0, n, out->energy) : status;
}

static void forget_states(states *s)
{
    free(s->t);
    free(s->q);
    free(s->energy);
    ss_result_close(s->result);
}

/* by more than what rounding may leave of the largest coordinate */
static bool moves(const states *s, int coordinate)
{
    double largest = 0, moved = 0;
    for (size_t i = 0; i < (size_t)s->n * (size_t)s->nq; i++) {
        largest = fmax(largest, fabs(s->q[i]));
    }
    for (size_t i = (size_t)coordinate; i < (size_t)s->n * (size_t)s->nq; i += (size_t)s->nq) {
        moved = fmax(moved, fabs(s->q[i] - s->q[coordinate]));
    }
    return moved > 1e-12 * largest;
}

/* FOLDER/compare.svg */
static ss_status plot_energy(const comparison *c, const states *runs)
{
    char path[PATH_SIZE];
    ss_plot *plot = NULL;
    snprintf(path, sizeof path, "%s/compare.svg", c->options->folder);
    ss_status status = open_plot(c, "energy", "J", &plot);
    for (int k = 0; status == SS_OK && k < c->made; k++) {
        const states *s = &runs[k];
        status = ss_plot_add_series(plot, &(ss_plot_series){ .label = c->column[k].label, .n = s->n, .x = s->t, .y = s->energy });
    }
    status = status == SS_OK ? ss_plot_save(plot, path) : status;
    ss_plot_destroy(plot);
    return status;
}

/* FOLDER/compare-ball.y.svg */
static ss_status plot_coordinate(const comparison *c, const states *runs, int coordinate)
{
    const char *name = ss_result_q_name(runs[0].result, coordinate);
    const char *unit = ss_result_column_unit(runs[0].result, ss_result_find_column(runs[0].result, name));
    char path[PATH_SIZE + 256];
    ss_plot *plot = NULL;
    int start = snprintf(path, sizeof path, "%s/compare-", c->options->folder);
    snprintf(path + start, sizeof path - (size_t)start, "%s.svg", name);
    for (char *slash = path + start; (slash = strchr(slash, '/')); *slash = '_') {}
    ss_status status = open_plot(c, name, unit, &plot);
    for (int k = 0; status == SS_OK && k < c->made; k++) {
        status = ss_plot_add_series(plot, &(ss_plot_series){ .label = c->column[k].label,
                                                             .n = runs[k].n,
                                                             .x = runs[k].t,
                                                             .y = runs[k].q + coordinate,
                                                             .y_stride = runs[k].nq });
    }
    status = status == SS_OK ? ss_plot_save(plot, path) : status;
    ss_plot_destroy(plot);
    return status;
}

/* those that change in some run, unless there are many */
static ss_status plot_coordinates(const comparison *c, const states *runs)
{
    ss_status status = SS_OK;
    for (int i = 0; status == SS_OK && runs[0].nq <= MOST_COORDINATES && i < runs[0].nq; i++) {
        bool moved = false;
        for (int k = 0; k < c->made; k++) {
            moved = moved || moves(&runs[k], i);
        }
        status = moved ? plot_coordinate(c, runs, i) : SS_OK;
    }
    return status;
}

static int draw(const comparison *c)
{
    states *runs = calloc((size_t)c->made, sizeof *runs);
    ss_status status = runs ? SS_OK : SS_ERR_MEMORY;
    for (int k = 0; status == SS_OK && k < c->made; k++) {
        status = read_states(c, &c->column[k], &runs[k]);
    }
    status = status == SS_OK ? plot_energy(c, runs) : status;
    status = status == SS_OK ? plot_coordinates(c, runs) : status;
    for (int k = 0; runs && k < c->made; k++) {
        forget_states(&runs[k]);
    }
    free(runs);
    return status == SS_OK ? CLI_DONE : cli_report(c->ctx, status, c->options->folder);
}

/* ---- command ----------------------------------------------------------------------------------- */

static int compare(comparison *c)
{
    int code = choose_columns(c);
    for (int k = 0; code == CLI_DONE && k < c->columns; k++) {
        code = try_column(c, &c->column[k]);
    }
    code = code == CLI_DONE && c->options->folder ? make_folder(c->options->folder) : code;
    if (code != CLI_DONE) {
        return code;
    }
    do {
        column *next = &c->column[c->made];
        int own = run_column(c, next);
        if (!next->result) {
            return own;
        }
        code = own != CLI_DONE ? own : code;
        c->made++;
    } while (c->made < c->columns && !*cli_catch_signals());
    say_warnings(c);
    int drawn = c->options->folder ? draw(c) : CLI_DONE;
    if (c->options->json) {
        int printed = cli_print_json(compare_json(c));
        drawn = drawn != CLI_DONE ? drawn : printed;
    } else {
        print_table(c);
    }
    return code != CLI_DONE ? code : drawn;
}

static void close_comparison(comparison *c)
{
    for (int k = 0; k < c->columns; k++) {
        column *each = &c->column[k];
        cli_list_free(&each->options.output);
        json_decref(each->result);
        free(each->label);
    }
    free(c->column);
    cli_list_free(&c->schemes);
    ss_blob_free(c->ctx, c->tol);
    free(c->letters);
}

static int run(ss_context *ctx, int argc, char **argv)
{
    compare_options options = { 0 };
    comparison c = { .ctx = ctx, .options = &options };
    int code = CLI_USAGE;
    if (cli_parse(ctx, &cli_compare, argc, argv, &options, 1, &c.path)) {
        code = cli_given(&cli_compare, "scene", c.path) ? compare(&c) : CLI_USAGE;
    }
    close_comparison(&c);
    cli_list_free(&options.set);
    return code;
}

const cli_command cli_compare = {
    .name = "compare",
    .usage = "compare SCENE",
    .doc = "run a scene with several schemes and compare the results",
    .options = options_table,
    .run = run,
};
