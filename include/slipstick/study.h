/* study.h - studies of accuracy: exact solutions, convergence, comparison of schemes, experiments of papers. */
#ifndef SLIPSTICK_STUDY_H
#define SLIPSTICK_STUDY_H

#include <slipstick/base.h>
#include <slipstick/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- exact solutions: `exact` of a scene, registry SS_EXACT ------------------------------------------------------- */

typedef struct ss_exact ss_exact;
/* The exact solution that the model's scene names, for the data of this model. Refused if the scene names none, or one that
 * does not apply to this model. The model must outlive it. */
SS_API ss_status ss_exact_create(ss_context *ctx, const ss_model *model, ss_exact **out);
SS_API void ss_exact_destroy(ss_exact *exact); /* NULL is fine */
SS_API const char *ss_exact_name(const ss_exact *exact);
/* State at time t >= 0; where v jumps at t itself: before (side < 0) or after it. q[nq], v[nv] as in the model. Solutions
 * that are integrated numerically store what they have computed, so use one ss_exact per thread. */
SS_API ss_status ss_exact_at(const ss_exact *exact, double t, int side, double *q, double *v);
/* The first time > t at which v jumps by more than round-off; INFINITY: none, for some solutions none up to time.until.
 * Accumulating impacts end where their jumps are down to round-off. */
SS_API double ss_exact_next_jump(const ss_exact *exact, double t);
/* The first time > t at which the acceleration jumps and v does not (slip to stick ...), or at which impacts have
 * accumulated; INFINITY: none, for some solutions none up to time.until. */
SS_API double ss_exact_next_kink(const ss_exact *exact, double t);

/* ---- convergence ----------------------------------------------------------------------------------------------------- */

typedef enum ss_norm_kind { SS_NORM_FINAL, SS_NORM_L1, SS_NORM_L2, SS_NORM_MAX, SS_NORM_HAUSDORFF, SS_NORMS } ss_norm_kind;
typedef enum ss_quantity { SS_QUANTITY_Q, SS_QUANTITY_V, SS_QUANTITIES } ss_quantity;
SS_API const char *ss_norm_name(ss_norm_kind norm); /* final, l1, l2, max, hausdorff */
SS_API const char *ss_quantity_name(ss_quantity quantity);
SS_API ss_status ss_norm_parse(ss_context *ctx, const char *text, ss_norm_kind *out); /* an error lists the valid names */
SS_API ss_status ss_quantity_parse(ss_context *ctx, const char *text, ss_quantity *out);

/* "H1,H2,..", or "A:B", which halves from A to B inclusive (2^-5:2^-11). Positive numbers. Freed with ss_blob_free. */
SS_API ss_status ss_list_parse(ss_context *ctx, const char *text, int *n, double **out);

/* Progress and interruption of a study. */
typedef struct ss_watch {
    const volatile int *interrupt; /* a non-zero value ends it with SS_ERR_INTERRUPTED; NULL: never */
    /* called now and then with the fraction that is done, 0..1; NULL: not called */
    void (*progress)(void *user, const char *what, double part);
    void *user;
} ss_watch;

/* A scene with the changes that a study makes to it: the scheme, then the settings in their order, then step and end. */
typedef struct ss_study_case {
    const char *scene; /* path of the file, or the name of `text`, in messages and results */
    const char *text;  /* the scene itself, JSON, `size` bytes; NULL: the file is read      */
    size_t size;
    int sets;
    const char *const *set; /* "path=value"                         */
    const char *scheme;     /* NULL: the scene's                    */
    bool other_scheme;      /* leave out settings "scheme.KEY", which are meant for another scheme */
    double step, until;     /* NAN: the scene's                     */
    double tol;             /* NAN: fixed steps if `step` is given, else the scene's */
    ss_watch watch;
} ss_study_case;
SS_API ss_study_case ss_study_case_default(void);

typedef struct ss_converge_options {
    ss_study_case base; /* its scheme, step and tol are not used       */
    int schemes;
    const char *const *scheme; /* 0: the scene's own                          */
    int values;
    const double *value; /* steps or tolerances                         */
    bool tolerances;
    ss_norm_kind norm;
    ss_quantity quantity;
    const char *reference; /* "exact" (or NULL), a result file (.h5, .csv), or SCHEME@H */
} ss_converge_options;
SS_API ss_converge_options
ss_converge_options_default(void); /* the final error of q, exact reference; a scene and steps are missing */

typedef struct ss_converge_row {
    double value; /* step or tolerance                                          */
    double error;
    double ratio, order;      /* from the previous row to this one; NAN: the first row, or an error that is zero or round-off */
    bool round_off;           /* the error is round-off, at most 8 eps sqrt(steps) of the values: not used in the fit */
    int64_t multiplier_evals; /* as in ss_summary: contact problems solved, plus multipliers computed without one */
    int64_t newton, steps, unconverged_steps;
    double wall_s;
} ss_converge_row;

typedef struct ss_converge_scheme {
    char *scheme;
    int rows;
    ss_converge_row *row;
    double order; /* least squares over all rows with an error above round-off; NAN: fewer than two */
} ss_converge_scheme;

typedef struct ss_convergence {
    ss_context *ctx;
    char *scene, *reference;
    char *title;      /* of the scene; its path if it has none    */
    char *exact;      /* name of the exact solution; NULL: none   */
    const char *unit; /* of the errors: "m", "m s", "m/s", ...    */
    double until;     /* s                                        */
    ss_norm_kind norm;
    ss_quantity quantity;
    bool tolerances;
    int schemes;
    ss_converge_scheme *scheme;
} ss_convergence;

/* Bad input is found before the first run. If a run fails or is interrupted, *out holds what was finished before. */
SS_API ss_status ss_converge(ss_context *ctx, const ss_converge_options *options, ss_convergence **out);
SS_API void ss_convergence_destroy(ss_convergence *c);                         /* NULL is fine */
SS_API ss_status ss_convergence_to_json(const ss_convergence *c, char **text); /* freed with ss_blob_free */
SS_API ss_status ss_convergence_write_csv(const ss_convergence *c, const char *path);
SS_API ss_status ss_convergence_plot(const ss_convergence *c, const char *path); /* error over step, log-log, SVG */

/* ---- comparison: one scene by several schemes ---------------------------------------------------------------------------- */

typedef struct ss_compare_options {
    ss_study_case base; /* its scheme and tol are not used; its settings win over its step and end, as in `slipstick run` */
    int schemes;
    const char *const *scheme;
    int tols;           /* 0: steps as the scene says                 */
    const double *tol;  /* every scheme runs once with each   */
    const char *folder; /* gets LABEL.h5 and LABEL.csv of every run, and figures; made if it is not there; NULL: no files */
} ss_compare_options;
SS_API ss_compare_options ss_compare_options_default(void); /* a scene and schemes are missing */

typedef struct ss_comparison ss_comparison;
/* Bad input is found before the first run. A run that fails or is interrupted is part of the comparison, and says so in its
 * `outcome`; after an interrupt no other run is made. If figures cannot be written, *out has the runs all the same. */
SS_API ss_status ss_compare(ss_context *ctx, const ss_compare_options *options, ss_comparison **out);
SS_API void ss_comparison_destroy(ss_comparison *c);                       /* NULL is fine                            */
SS_API int ss_comparison_runs(const ss_comparison *c);                     /* those that were made                    */
SS_API const char *ss_comparison_label(const ss_comparison *c, int index); /* "moreau", "moreau@1e-06", "moreau-2"   */
/* {scene, runs: [RUN..]}, every run as `run --json` prints it with `difference`, and with tolerances `change` and
 * `all_steps_at_h_max` (docs/compare.md); freed with ss_blob_free. */
SS_API ss_status ss_comparison_to_json(const ss_comparison *c, char **text);

/* ---- experiments: papers/PAPER/experiments/NAME.json --------------------------------------------------------------------- */

typedef struct ss_experiment_options {
    const char *folder; /* where figures go, made if it is not there; NULL: none are drawn */
    ss_watch watch;
} ss_experiment_options;
SS_API ss_experiment_options ss_experiment_options_default(void); /* no figures, no progress */

/* {experiment, title, rows: [{label, ours, published, expected, at_least, at_most, ratio, tolerance, ok}], verdict, note,
 * files} as JSON text; freed with ss_blob_free. Everything `ours` comes from runs made by this call. */
SS_API ss_status ss_experiment_run(ss_context *ctx, const char *path, const ss_experiment_options *options, char **text);

#ifdef __cplusplus
}
#endif
#endif
