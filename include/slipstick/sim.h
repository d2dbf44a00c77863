/* sim.h - running a model: steps, certificates, the energy ledger, events, checkpoints. */
#ifndef SLIPSTICK_SIM_H
#define SLIPSTICK_SIM_H

#include <slipstick/base.h>
#include <slipstick/problem.h>
#include <slipstick/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_sim ss_sim;

/* The energy balance of a run, in joules. Each entry is the work of one kind of impulse: impulse times the mean of the
 * velocities before and after it. No entry is computed as the remainder of the others. */
#define SS_LEDGER_LIST(ENTRY)                                                                                                    \
    ENTRY(gravity, "work of gravity")                                                                                            \
    ENTRY(springs, "work of springs and other conservative forces")                                                              \
    ENTRY(dampers, "work of dampers")                                                                                            \
    ENTRY(applied, "work of applied forces and of motors")                                                                       \
    ENTRY(gyroscopic, "work of gyroscopic torques")                                                                              \
    ENTRY(joints, "work of joint reactions")                                                                                     \
    ENTRY(contact_normal, "work of normal contact impulses")                                                                     \
    ENTRY(contact_friction, "work of friction impulses")                                                                         \
    ENTRY(driven, "work done by driven bodies")                                                                                  \
    ENTRY(stabilisation, "work of the stabilisation that brings gaps back to zero")                                              \
    ENTRY(projection, "work of projecting velocities onto joints and closed contacts")                                           \
    ENTRY(inertia, "change of kinetic energy because the mass matrix changes")                                                   \
    ENTRY(scheme, "work within a step that impulse times mean velocity does not cover")

typedef struct ss_ledger {
#define SS_LEDGER_FIELD(name, doc) double name;
    SS_LEDGER_LIST(SS_LEDGER_FIELD)
#undef SS_LEDGER_FIELD
    double kinetic_change;      /* T(end) - T(start), from the velocities              */
    double closure;             /* largest |kinetic change - sum of entries| of a step, relative to the energy exchanged in it */
    double exchanged;           /* sum of the absolute values of the entries of all segments  */
    double integration_error;   /* change of potential energy plus the work of its forces, less the next two: the error in time */
    double position_correction; /* potential energy made where positions alone were moved, to close gaps and joints */
    double driven_springs;      /* work of driven bodies on springs: it becomes potential energy                   */
    double impact_gain;         /* sum of the kinetic energies gained in impacts (Poisson's law with friction can create some) */
    int impact_gains;           /* number of impacts that gained kinetic energy       */
    double state_set;           /* energy that came with states and functions of forces that the user has set; no step has it */
} ss_ledger;

/* Is an entry of the ledger an error of the scheme? The exact motion has none of it, and it vanishes as steps get shorter. */
SS_API bool ss_ledger_is_error(const char *entry);
/* Sum of these entries, of the integration error and of the position correction: all the energy that the scheme has made, or, if
 * negative, lost. */
SS_API double ss_ledger_errors(const ss_ledger *ledger);

typedef struct ss_step_info {
    int64_t step;              /* number of accepted steps so far                    */
    double t, h;               /* time at the end of the step; its length            */
    int contacts;              /* in the last contact problem of the step            */
    int problems;              /* contact problems in the step                       */
    ss_outcome outcome;        /* worst over the step's problems                     */
    ss_residual residual;      /* largest over the step's problems                   */
    double penetration;        /* deepest overlap at the end of the step, m (>= 0)   */
    double joint_error;        /* largest |g| at the end of the step, m or rad       */
    double kinetic, potential; /* J, at the end of the step                          */
    bool certified;            /* the residuals of all its contact problems are within the tolerance */
} ss_step_info;

typedef enum ss_event_kind {
    SS_EVENT_IMPACT,
    SS_EVENT_STICK,
    SS_EVENT_SLIP,
    SS_EVENT_TAKEOFF,
    SS_EVENT_ACCUMULATION,
    SS_EVENT_PAINLEVE,
    SS_EVENT_LIMIT
} ss_event_kind;

/* An event inside a step. Pointers are valid during the callback only. */
typedef struct ss_event {
    double t;
    ss_event_kind kind;
    const char *contact; /* name of the contact that caused it; NULL: none */
    int bodies[2];       /* -1: none or world                        */
    const double *q;     /* nq: the coordinates at this time; NULL: not known */
    /* impacts: */
    const double *v_minus, *v_compression, *v_plus; /* nv each; NULL for others */
    int impulses;                                   /* contacts with an impulse                 */
    const char *const *impulse_contact;
    const double *impulse;       /* compression impulse, 3 per contact: n, t1, t2 */
    const double *impulse_total; /* compression plus decompression           */
    double kinetic[3];           /* before, after compression, after         */
} ss_event;

typedef struct ss_contact_info {
    char name[128]; /* "rod.0-floor.0"                          */
    int bodies[2];
    double gap;
    double force[3];                           /* impulse of the last step over its length: n, t1, t2 */
    double point[3], normal[3], tangent[2][3]; /* world; normal points from bodies[1] to bodies[0] */
} ss_contact_info;

/* Callbacks of ss_sim_advance; any may be NULL. A status other than SS_OK stops the run and is returned. */
typedef struct ss_observer {
    void *user;
    ss_status (*on_step)(void *user, const ss_sim *sim, const ss_step_info *info);
    ss_status (*on_event)(void *user, const ss_sim *sim, const ss_event *event);
    /* Called with every contact problem that was solved; `step` is the number of the step it belongs to. If a step is repeated
     * its problems are reported again: the last ones are those of the accepted step. Steps that only estimate an error report
     * none. */
    ss_status (*on_problem)(void *user, const ss_sim *sim, int64_t step, const ss_problem *problem, const ss_solution *solution);
} ss_observer;
SS_API ss_observer ss_observer_default(void); /* without callbacks: fill in those you want */

typedef struct ss_sim_options {
    const char *scheme, *solver; /* NULL: as the scene says                    */
    double step;                 /* NAN: as the scene says; with a tolerance: the first step */
    double tol;                  /* on the local error, which chooses the steps; NAN: as the scene says */
    double solver_tol;           /* NAN: as the scene says                     */
    bool allow_overlap;          /* start even if bodies overlap (false)       */
    bool strict; /* stop at the first step that is not certified, or whose error is above tol at the smallest step length */
    const volatile int *interrupt; /* a non-zero value stops the run with SS_ERR_INTERRUPTED, also inside a step, which then
                                    * leaves no trace: the state is that of the last step; NULL: never */
} ss_sim_options;

/* Remarks on a step: conditions that the user should know of although the run continues. */
typedef enum ss_remark {
    SS_REMARK_INFEASIBLE,    /* its contact problem has no solution; it was solved without closing the gaps; not certified */
    SS_REMARK_JOINTS,        /* joints are violated at its end by more than a millionth of the length scale; not certified, unless
                                the scheme says that its joints drift                                               */
    SS_REMARK_UNSETTLED,     /* an iteration of the scheme did not converge; not certified                          */
    SS_REMARK_STARVED,       /* a solver ran out of memory and another one was used                                 */
    SS_REMARK_NOT_POINTED,   /* contact impulses are not unique and may grow without bound (a body is wedged)       */
    SS_REMARK_ENERGY,        /* more energy was made than its forces, impact laws and driven bodies explain; not certified */
    SS_REMARK_CONTRADICTION, /* joints or motors demand velocities that contradict each other; not certified           */
    SS_REMARK_HANDED,        /* Moreau's scheme was used for part of it: too many events, or stages without a solution */
    SS_REMARK_OVERLAP,       /* bodies that the scheme keeps apart overlap at its end: no positions without overlap were found */
    SS_REMARK_UNSOLVED,      /* a contact problem was not solved to the tolerance, or has no solution; not certified    */
    SS_REMARK_UNFOLLOWED, /* fast and thin bodies met something too often to be followed along all of their way; not certified */
    SS_REMARK_INDEFINITE, /* derivatives of forces leave a step matrix that is not positive definite                   */
    SS_REMARK_GRAZED, /* with step control: a contact was met so slowly, and is pulled open, that errors decide on it        */
    SS_REMARKS
} ss_remark;
typedef struct ss_remarked {
    int64_t steps;     /* number of steps with this remark                              */
    double t;          /* time at the end of the first of them                          */
    char contact[128]; /* the contact or the joints that caused it there; "": none      */
} ss_remarked;
SS_API const char *ss_remark_name(ss_remark remark); /* infeasible, joints, unsettled, .. */
SS_API const char *ss_remark_text(ss_remark remark); /* one sentence             */

enum { SS_SUMMARY_SOLVERS = SS_CHOICES };

/* What a solver that can choose (auto) has chosen, by places in the registry. */
typedef struct ss_choices {
    int64_t split;                     /* contact problems whose islands were given to different solvers     */
    int64_t first[SS_SUMMARY_SOLVERS]; /* how often a solver was asked first, for a group of islands         */
    int64_t left[SS_SUMMARY_SOLVERS];  /* how often a solver was asked in vain, and another one had to go on */
} ss_choices;

typedef struct ss_summary {
    int64_t steps, rejected, lcps, unconverged_steps, fallbacks;
    int64_t basis_tried, basis_hits; /* warm starts of pivoting solvers: tried, accepted */
    int64_t multiplier_evals;        /* contact problems solved, plus multipliers computed without one (Runge-Kutta stages) */
    int64_t newton;                  /* Newton iterations of the scheme itself */
    int64_t solver_iterations;       /* pivots, sweeps and iterations of the solvers, in all contact problems */
    int64_t max_step_lcps, max_step_iterations; /* the largest numbers of contact problems and of these iterations in one step */
    int64_t unmet_steps;      /* with step control: steps of the smallest length whose error is above the tolerance */
    double max_unmet_error;   /* the largest of their errors, divided by the tolerance                            */
    double accumulated_error; /* with step control: the sum of the local errors of all trials, relative to units, and of what
                                 touches at no speed may have made of them */
    double shortest, longest; /* accepted steps, s */
    ss_remarked remark[SS_REMARKS];
    double max_penetration, max_joint_error, max_residual;
    double energy_initial, energy_final, energy_max, energy_max_gain;
    double wall_s;
    int max_contacts;
    int64_t events;
    int64_t shared, chosen; /* contact problems in which statics leaves impulses open; of these: in which the motion is open too,
                             * so that it depends on contacts.share                                                       */
    int64_t contacts_found, contacts_kept; /* with contacts.reduce: contacts before and after it, summed over all searches */
    int64_t answered[SS_SUMMARY_SOLVERS];  /* contact problems solved by solver k of the registry              */
    ss_choices choices;
} ss_summary;

/* How far ss_scene_assemble has moved a body. */
typedef struct ss_moved {
    int body;        /* number in the scene                    */
    double distance; /* m                                      */
    double angle;    /* rad                                    */
    double speed;    /* m/s, by which its velocity has changed */
    double spin;     /* rad/s, the same of its angular velocity */
} ss_moved;
/* Close the joints of a scene that do not fit at t = 0 by moving its bodies as little as possible, measured by mass, and make the
 * velocities fit joints and motors. *count is the number of bodies that were moved; the first `most` of them are in moved[].
 * Refused, with the scene unchanged, if no positions are found. */
SS_API ss_status ss_scene_assemble(ss_context *ctx, ss_scene *scene, int most, ss_moved *moved, int *count);

SS_API ss_sim_options ss_sim_options_default(void);
SS_API ss_status ss_sim_create(ss_context *ctx, const ss_model *model, const ss_sim_options *options, ss_sim **out);
SS_API void ss_sim_destroy(ss_sim *sim);
SS_API ss_status ss_sim_observe(ss_sim *sim, const ss_observer *observer);
SS_API ss_status ss_sim_step(ss_sim *sim, double h); /* one step of length h                     */
/* Advance to the time `until`: in steps of options.step, the last of which may be shorter, or in steps chosen by options.tol. */
SS_API ss_status ss_sim_advance(ss_sim *sim, double until);

SS_API double ss_sim_time(const ss_sim *sim);
SS_API const double *ss_sim_q(const ss_sim *sim);
SS_API const double *ss_sim_v(const ss_sim *sim);
SS_API const ss_model *ss_sim_model(const ss_sim *sim);
SS_API const char *ss_sim_scheme(const ss_sim *sim);
SS_API const char *ss_sim_solver(const ss_sim *sim);
SS_API double ss_sim_step_size(const ss_sim *sim); /* the fixed step; with a tolerance: the first one */
SS_API double ss_sim_tol(const ss_sim *sim);       /* 0: steps are fixed */
SS_API bool ss_sim_tol_binds(const ss_sim *sim);   /* has the tolerance shortened a step? If not, time.h_max alone bounds them */
/* Dense output, during on_step: q[nq] and v[nv] at a time t within the step just made. Between its ends, those of its segments
 * and the impacts located in it, positions follow the cubic of Hermite (rotations along their geodesics), velocities a straight
 * line; at an impact the state is that after it. Positions are linear in a step that has an impact which was not located. Where
 * the scheme has accelerations (event_capturing_rk) positions follow quintics through them as well, velocities their slopes. */
SS_API ss_status ss_sim_at(const ss_sim *sim, double t, double *q, double *v);
SS_API const ss_step_info *ss_sim_last_step(const ss_sim *sim);
SS_API const ss_summary *ss_sim_summary(const ss_sim *sim);
SS_API const ss_ledger *ss_sim_ledger(const ss_sim *sim); /* since the start */
/* Warnings about the run so far, one line each; false: there is no warning `index`. */
SS_API bool ss_sim_warning(const ss_sim *sim, int index, char *text, size_t size);
SS_API int ss_sim_contact_count(const ss_sim *sim); /* contacts of the last step */
SS_API ss_status ss_sim_contact(const ss_sim *sim, int index, ss_contact_info *out);
/* Reaction of a joint over the last step, force per row; returns the number of rows. */
SS_API int ss_sim_joint_reaction(const ss_sim *sim, int joint, double reaction[6]);
SS_API const char *ss_event_kind_name(ss_event_kind kind);

/* Overlaps of bodies at the start, deepest first; *count: how many there are, of which at most `max` are written. */
typedef struct ss_overlap {
    int bodies[2];
    double depth;
} ss_overlap;
SS_API ss_status ss_model_overlaps(ss_context *ctx, const ss_model *model, int max, ss_overlap *out, int *count);

/* The whole state as one blob: time, q, v, the scheme's private state, contact cache, counters, ledger.
 * A run restored from it continues with the same bits. The blob is freed with ss_blob_free. */
SS_API ss_status ss_sim_save(const ss_sim *sim, void **blob, size_t *size);
SS_API ss_status ss_sim_restore(ss_sim *sim, const void *blob, size_t size);
SS_API void ss_blob_free(ss_context *ctx, void *blob);

#ifdef __cplusplus
}
#endif
#endif
