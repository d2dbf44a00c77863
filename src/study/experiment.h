/* experiment.h - inside of an experiment: its recipe, its sweep, the runs it has made, what is measured of them.
 *
 *   experiment.c            rows against their goals, the verdict, the JSON value
 *   experiment_recipe.c     reading the recipe: keys, texts, the sweep
 *   experiment_runs.c       runs by name, each made once, when it is first asked for
 *   experiment_measure.c    a number out of runs
 *   experiment_error.c      the one that compares runs
 *   experiment_local.c      the one that makes a single step
 *   experiment_figure.c     curves as SVG and CSV */
#ifndef SS_EXPERIMENT_H
#define SS_EXPERIMENT_H

#include "io/json.h"
#include "study/trajectory.h"

typedef struct ss_made {
    json_t *recipe;           /* of the run, filled in                 */
    const char *name;         /* in the recipe                         */
    ss_study_case study_case; /* what follows is NULL until somebody asks */
    char *scene, **set;
    ss_trajectory *trajectory;
    json_t *result; /* as `run --json` prints it */
} ss_made;

typedef struct ss_experiment {
    ss_context *ctx;
    const ss_experiment_options *options;
    ss_reader place; /* the file and where we are in it, for messages   */
    char *name;      /* "ap97/chatter"                                  */
    char *folder;    /* of the paper: scenes are found from there       */
    json_t *recipe;
    const char *variable; /* of the sweep; NULL: there is none          */
    const json_t *values; /* what it runs through                       */
    ss_made *run;
    int runs, run_capacity;
    json_t *files; /* written                                           */
} ss_experiment;

/* What a row is held against. A number to come near to is printed in the paper, or it is from theory or from a computation
 * that was checked; the others are bounds. A row without a goal, or with null for one, is for information. */
typedef enum ss_goal { SS_GOAL_PUBLISHED, SS_GOAL_EXPECTED, SS_GOAL_AT_LEAST, SS_GOAL_AT_MOST, SS_GOALS } ss_goal;

/* ---- experiment_recipe.c ----------------------------------------------------------------------- */

const char *ss_goal_key(ss_goal goal);
/* The goal of a row; SS_GOALS: it has none. */
ss_goal ss_row_goal(const json_t *row);

/* Read and check the recipe at `path`; runs get their names, nothing is computed. */
ss_status ss_recipe_read(ss_experiment *e, const char *path);
int ss_sweep_length(const ss_experiment *e); /* 1 without a sweep */
/* Does a text of the tree have the variable of the sweep in it? What is below an "order" or a "number_of" has a
 * sweep of its own. */
bool ss_sweep_in(const ss_experiment *e, const json_t *tree);
/* The tree with the k-th value for {variable}: a new reference; NULL: out of memory. */
json_t *ss_sweep_fill(const ss_experiment *e, const json_t *tree, int k);
/* Call `each` with the items of a list of the recipe filled in: those with the variable in them for every value. */
typedef ss_status (*ss_recipe_item)(ss_experiment *e, const json_t *item, int k, void *user);
ss_status ss_recipe_each(ss_experiment *e, const char *list, ss_recipe_item each, void *user);
/* An object with these keys only (ended by NULL), the first `required` of which must be there. */
ss_status ss_recipe_keys(ss_experiment *e, const json_t *object, int required, const char *const *keys);
/* Put the file and the place before the error text, unless the file is there already. */
ss_status ss_recipe_blame(ss_experiment *e, ss_status status);
/* A text at `key` of the object; NULL if it is not there. */
ss_status ss_recipe_text(ss_experiment *e, const json_t *object, const char *key, const char **out);
/* A number or an expression; left as it is if it is not there. */
ss_status ss_recipe_number(ss_experiment *e, const json_t *object, const char *key, double *out);

/* ---- experiment_runs.c ------------------------------------------------------------------------- */

ss_status ss_runs_add(ss_experiment *e, const json_t *recipe); /* one, filled in */
void ss_runs_destroy(ss_experiment *e);
bool ss_runs_has(const ss_experiment *e, const char *name);
/* Is there one? Unknown: names the nearest. */
ss_status ss_runs_check(ss_experiment *e, const char *name);
/* The run with this name, made now if it has not been. The pointer is valid until a run is added. */
ss_status ss_runs_get(ss_experiment *e, const char *name, const ss_made **out);
/* The same, with its scene and settings only: it need not have been made. */
ss_status ss_runs_case(ss_experiment *e, const char *name, const ss_made **out);
/* The same scene by SCHEME@H: its name among the runs. */
ss_status ss_runs_refine(ss_experiment *e, const char *name, const char *scheme_at_step, const char **out);

/* ---- experiment_measure.c ---------------------------------------------------------------------- */

ss_status ss_measure_check(ss_experiment *e, const json_t *measure); /* filled in */
/* NAN: the run has no such thing, for instance fewer events than it should. */
ss_status ss_measure_value(ss_experiment *e, const json_t *measure, double *out);

/* A measure, a number or an expression. */
ss_status ss_operand_check(ss_experiment *e, const json_t *operand);
ss_status ss_operand_value(ss_experiment *e, const json_t *operand, double *out);

/* experiment_local.c: the measure "local_error" */
ss_status ss_measure_local_check(ss_experiment *e, const json_t *measure);
ss_status ss_measure_local_value(ss_experiment *e, const json_t *measure, const ss_made *run, double *out);
/* experiment_error.c: the measure "error" */
ss_status ss_measure_error_check(ss_experiment *e, const json_t *measure);
ss_status ss_measure_error_value(ss_experiment *e, const json_t *measure, const ss_made *run, double *out);

/* ---- experiment_figure.c ----------------------------------------------------------------------- */

ss_status ss_figures_check(ss_experiment *e);
ss_status ss_figures_draw(ss_experiment *e); /* into options->folder; adds to files */

#endif
