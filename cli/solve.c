/* solve.c - a contact problem on its own: read an FCLIB file, let one solver or all of them answer. */
#include "solve.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solve_options {
    const char *solver, *law;
    double tol, limit; /* 0: not given */
    int threads;
    bool json;
} solve_options;

static const cli_option options_table[] = {
    { .name = "solver",
      .kind = CLI_TEXT,
      .offset = offsetof(solve_options, solver),
      .argument = "S",
      .doc = "name of a solver (auto), or all: every solver that can take the problem" },
    { .name = "solver-tol",
      .kind = CLI_POSITIVE,
      .offset = offsetof(solve_options, tol),
      .argument = "R",
      .doc = "tolerance on the residuals (1e-10)" },
    { .name = "law",
      .kind = CLI_TEXT,
      .offset = offsetof(solve_options, law),
      .argument = "LAW",
      .doc = "friction law of every contact: coulomb or associated (default: as in the file, else coulomb)" },
    { .name = "time-limit",
      .kind = CLI_POSITIVE,
      .offset = offsetof(solve_options, limit),
      .argument = "S",
      .doc = "stop a solver after S seconds" },
    { .name = "threads",
      .kind = CLI_COUNT,
      .offset = offsetof(solve_options, threads),
      .argument = "N",
      .doc = "number of threads (1); the results do not depend on it" },
    { .name = "json", .kind = CLI_FLAG, .offset = offsetof(solve_options, json), .doc = "print the result as one JSON value" },
    { .name = NULL },
};

enum { MOST_SOLVERS = 64 };

/* what was asked and what came of it */
typedef struct session {
    ss_context *ctx;
    const char *path;
    const solve_options *options;
    ss_problem_file *file;
    const ss_problem *problem;
    solve_result result[MOST_SOLVERS];
    int results;
    const volatile int *interrupted; /* set by a signal */
} session;

/* ---- words ------------------------------------------------------------------------------------- */

static const char *outcome_of(const solve_result *r)
{
    static const char *const names[] = { [SOLVE_NOT_APPLICABLE] = "not applicable",
                                         [SOLVE_FAILED] = "failed",
                                         [SOLVE_TIMED_OUT] = "time limit",
                                         [SOLVE_INTERRUPTED] = "interrupted",
                                         [SOLVE_CRASHED] = "crashed" };
    return r->end == SOLVE_ANSWERED ? ss_outcome_name(r->info.outcome) : names[r->end];
}

static bool has_numbers(const solve_result *r) { return r->end == SOLVE_ANSWERED && r->u && r->r; }

static double residual_of(const solve_result *r)
{
    const ss_residual *x = &r->info.residual;
    return fmax(x->contact, fmax(x->momentum, x->joint));
}

static const char *form_of(const ss_problem *p) { return p->local ? "local" : "global"; }

static void laws_of(const ss_problem *p, char *text, size_t size)
{
    unsigned laws = 0;
    for (int k = 0; k < p->nc; k++) {
        laws |= p->law[k];
    }
    ss_law_names(laws, text, size);
}

/* those of the file: moments of rolling friction belong to one of them */
static int contacts_of(const ss_problem *p)
{
    int count = 0;
    for (int k = 0; k < p->nc; k++) {
        count += p->law[k] != SS_LAW_ROLLING;
    }
    return count;
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static json_t *number_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *numbers_json(const double *x, int n)
{
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        json_array_append_new(list, number_or_null(x[k]));
    }
    return list;
}

/* {"lemke": 1, ..}: a count for each solver that has one */
static json_t *by_solver(const int *count)
{
    json_t *object = json_object();
    for (int k = 0; k < SS_CHOICES && k < ss_registry_count(SS_SOLVERS); k++) {
        if (count[k] > 0) {
            json_object_set_new(object, ss_registry_entry(SS_SOLVERS, k)->name, json_integer(count[k]));
        }
    }
    return object;
}

static json_t *choices_json(const ss_solver_choice *c)
{
    return json_pack("{s:i, s:o, s:o}", "parts", c->parts, "first", by_solver(c->first), "left", by_solver(c->left));
}

static json_t *result_json(const solve_result *r, int rows)
{
    const ss_residual *x = &r->info.residual;
    bool numbers = has_numbers(r);
    json_t *item =
        json_pack("{s:s, s:s, s:o, s:o, s:i, s:f}", "solver", r->solver, "outcome", outcome_of(r), "residual",
                  numbers ? number_or_null(residual_of(r)) : json_null(), "classical_error",
                  numbers ? number_or_null(x->classical) : json_null(), "iterations", r->info.iterations, "wall_s", r->wall);
    if (numbers) {
        json_object_set_new(item, "certificate",
                            json_pack("{s:o, s:o, s:o}", "contact", number_or_null(x->contact), "momentum",
                                      number_or_null(x->momentum), "joint", number_or_null(x->joint)));
        json_object_set_new(item, "fallbacks", json_integer(r->info.fallbacks));
        json_object_set_new(item, "choices", choices_json(&r->info.choice));
        json_object_set_new(item, "answered_by", json_string(r->info.solver ? r->info.solver : r->solver));
    } else {
        json_object_set_new(item, "reason", json_string(*r->text ? r->text : outcome_of(r)));
    }
    json_object_set_new(item, "u", numbers ? numbers_json(r->u, rows) : json_array());
    json_object_set_new(item, "r", numbers ? numbers_json(r->r, rows) : json_array());
    return item;
}

static int print_json(const session *s, double tol)
{
    const ss_problem *p = s->problem;
    char laws[128];
    json_t *list = json_array();
    for (int k = 0; k < s->results; k++) {
        json_array_append_new(list, result_json(&s->result[k], solve_rows(p)));
    }
    laws_of(p, laws, sizeof laws);
    return cli_print_json(json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:f, s:o}", "problem", s->path, "form", form_of(p),
                                    "dim", p->dimension, "contacts", contacts_of(p), "velocities", p->nv, "joints", p->nj, "law",
                                    laws, "tol", tol, "results", list));
}

/* ---- text -------------------------------------------------------------------------------------- */

static void print_result(const solve_result *r)
{
    if (has_numbers(r)) {
        printf("%-10s %-14s %10.3g %10.3g %10d %10.3g\n", r->solver, outcome_of(r), residual_of(r), r->info.residual.classical,
               r->info.iterations, r->wall);
    } else {
        printf("%-10s %-14s %s\n", r->solver, outcome_of(r), r->text);
    }
}

static void print_text(const session *s, double tol)
{
    const ss_problem *p = s->problem;
    char laws[128];
    laws_of(p, laws, sizeof laws);
    printf("%s: %s, %dD, %d contacts (%s), %d velocities, %d joint rows; tol %g\n", s->path, form_of(p), p->dimension,
           contacts_of(p), *laws ? laws : "none", p->nv, p->nj, tol);
    printf("%-10s %-14s %10s %10s %10s %10s\n", "solver", "outcome", "residual", "classical", "iterations", "wall s");
    for (int k = 0; k < s->results; k++) {
        print_result(&s->result[k]);
    }
}

/* ---- solving ----------------------------------------------------------------------------------- */

static void solve_one(session *s, const char *solver, double tol)
{
    const solve_task task = { .ctx = s->ctx,
                              .file = s->file,
                              .problem = s->problem,
                              .solver = solver,
                              .tol = tol,
                              .limit = s->options->limit,
                              .interrupted = s->interrupted };
    if (s->results < MOST_SOLVERS && !*s->interrupted) {
        solve_run(&task, &s->result[s->results++]);
    }
}

static void solve_all(session *s, double tol)
{
    for (int k = 0; k < ss_registry_count(SS_SOLVERS); k++) {
        solve_one(s, ss_registry_entry(SS_SOLVERS, k)->name, tol);
    }
}

/* 0: some solver converged; 2: the only one asked does not take the problem */
static int status_of(const session *s)
{
    for (int k = 0; k < s->results; k++) {
        if (s->result[k].end == SOLVE_ANSWERED && s->result[k].info.outcome == SS_CONVERGED) {
            return CLI_DONE;
        }
    }
    return s->results == 1 && s->result[0].end == SOLVE_NOT_APPLICABLE ? CLI_USAGE : CLI_FAILED;
}

static int solve_and_print(session *s)
{
    const ss_entry *entry = NULL;
    const char *name = s->options->solver ? s->options->solver : "auto";
    double tol = s->options->tol > 0 ? s->options->tol : ss_solver_options_default().tol;
    if (strcmp(name, "all") == 0) {
        solve_all(s, tol);
    } else {
        entry = ss_registry_find(SS_SOLVERS, name);
        solve_one(s, entry ? entry->name : name, tol);
    }
    int code = status_of(s), printed = CLI_DONE;
    if (code == CLI_USAGE) {
        cli_say("%s: %s", s->path, s->result[0].text);
    } else if (s->options->json) {
        printed = print_json(s, tol);
    } else {
        print_text(s, tol);
    }
    if (*s->interrupted) {
        cli_say("%s: interrupted", s->path);
        code = CLI_INTERRUPTED;
    }
    return code != CLI_DONE ? code : printed;
}

/* ---- command ----------------------------------------------------------------------------------- */

static bool known_solver(const char *name)
{
    const char *names[MOST_SOLVERS + 2] = { "all" };
    int n = 1;
    if (!name || strcmp(name, "all") == 0 || ss_registry_find(SS_SOLVERS, name)) {
        return true;
    }
    for (int k = 0; k < ss_registry_count(SS_SOLVERS) && n <= MOST_SOLVERS; k++) {
        names[n++] = ss_registry_entry(SS_SOLVERS, k)->name;
    }
    names[n] = NULL;
    cli_unknown("--solver", "solver", name, names);
    return false;
}

/* the bit of a law; 0: not given, false: not known */
static bool take_law(const char *name, unsigned *law)
{
    static const char *const names[] = { "coulomb", "associated", NULL };
    *law = 0;
    if (name && strcmp(name, "coulomb") != 0 && strcmp(name, "associated") != 0) {
        cli_unknown("--law", "law", name, names);
        return false;
    }
    if (name) {
        *law = strcmp(name, "coulomb") == 0 ? SS_LAW_COULOMB : SS_LAW_ASSOCIATED;
    }
    return true;
}

static int solve_file(ss_context *ctx, const char *path, const solve_options *options)
{
    session s = { .ctx = ctx, .path = path, .options = options, .interrupted = cli_catch_signals() };
    unsigned law;
    if (!known_solver(options->solver) || !take_law(options->law, &law)) {
        return CLI_USAGE;
    }
    if (!solve_can_read(ctx, path)) {
        cli_say("%s: the file is damaged, the HDF5 library cannot read it", path);
        return CLI_USAGE;
    }
    ss_status status = ss_problem_read(ctx, path, &s.file);
    if (status == SS_OK && law) {
        status = ss_problem_file_set_law(s.file, law);
    }
    int code = CLI_USAGE;
    if (status == SS_OK) {
        s.problem = ss_problem_file_problem(s.file);
        code = solve_and_print(&s);
    } else {
        int reported = cli_report(ctx, status, path);
        code = status == SS_ERR_IO ? CLI_USAGE : reported;
    }
    for (int k = 0; k < s.results; k++) {
        free(s.result[k].u);
        free(s.result[k].r);
    }
    ss_problem_file_destroy(s.file);
    return code;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    solve_options options = { .threads = 1 };
    const char *path[1] = { NULL };
    bool ready = cli_parse(ctx, &cli_solve, argc, argv, &options, 1, path) && cli_given(&cli_solve, "problem", path[0]);
    if (!ready) {
        return CLI_USAGE;
    }
    ss_context_set_threads(ctx, options.threads);
    return solve_file(ctx, path[0], &options);
}

const cli_command cli_solve = {
    .name = "solve",
    .usage = "solve PROBLEM.hdf5",
    .doc = "solve a single contact problem from an FCLIB file",
    .options = options_table,
    .run = run,
};
