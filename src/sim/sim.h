/* sim.h - the inside of ss_sim: what drives a scheme and keeps the account of its steps. */
#ifndef SS_SIM_H
#define SS_SIM_H

#include "kernels/stepper.h"
#include "problem/residual.h"
#include "sim/audit.h"
#include "sim/inputs.h"
#include "sim/pace.h"
#include "sim/usage.h"
#include <slipstick/sim.h>

/* A segment that takes time, kept for dense output; [0]: its start, [1]: its end. */
typedef struct ss_kept_segment {
    const struct ss_kept_segment *before;
    double t[2];
    const double *q[2], *v[2], *a[2]; /* a[k] NULL: the acceleration is not known                        */
    bool mean;                        /* v[1] is a mean over steps; the next segment's v[0] is the velocity there */
} ss_kept_segment;

/* Work that a step took; it counts even where the step is not kept. */
typedef struct ss_effort {
    int64_t lcps, iterations, evaluated, fallbacks, basis_tried, basis_hits, newton, shared, chosen;
    int64_t contacts_found, contacts_kept;
    int64_t answered[SS_SUMMARY_SOLVERS];
    ss_choices choices;
} ss_effort;

/* Events of a step. */
typedef struct ss_event_list {
    ss_event *event; /* copies, in the `trial_arena`                   */
    int n, cap;
    unsigned kinds; /* a bit each                                    */
    double fed;     /* work of driven bodies and motors in the jumps since the last event: not created by an impact law */
} ss_event_list;

/* A contact that has acted in a step. */
typedef struct ss_reacted {
    ss_contact_id id;
    int bodies[2];
    double impulse[3];
    ss_contact_value value; /* at the end of the step */
} ss_reacted;

/* A contact of which no more is known than who it is: for its name, its kind and the axes of moments. */
static inline ss_contact ss_reacted_who(const ss_reacted *r) { return (ss_contact){ .id = r->id }; }

/* Impulses of contacts and joints, added up over the segments of a step. */
typedef struct ss_reactions {
    int n;
    int cap;              /* of `contact`; 0: it lies in the arena of the step, or in `accepted` (ss_sim_scratch) */
    ss_reacted *contact;  /* sorted by id                                 */
    ss_contact_set *full; /* of the step under way: the same contacts with all that evaluates them; shared by all accounts */
    double *joint;        /* nj                                           */
    double *displacing;   /* nj: of problems at position level, kg m      */
} ss_reactions;

/* What the step under way has reported; taken over when the step is accepted. */
typedef struct ss_account {
    ss_report report; /* first: the scheme sees only this            */
    struct ss_sim *sim;
    int64_t number;   /* of the step; 0: it is made only to estimate an error, and only its work is counted */
    ss_ledger ledger; /* this step's entries                          */
    ss_step_audit audit;
    ss_step_info info;
    ss_effort effort;
    ss_remarked remark[SS_REMARKS]; /* of this step                  */
    ss_event_list events;
    const ss_kept_segment *last_segment; /* the last one, in the `trial_arena`             */
    bool nonsmooth;                      /* a contact closed in the step                  */
    ss_reactions reactions;              /* of segments that take time          */
    ss_reactions whole;                  /* of all segments, jumps too; empty if no output tells of steps */
    double *output;                      /* columns of the outputs that tell of the step; others are 0  */
} ss_account;

enum { SS_ACCOUNTS = 3 }; /* of the last step, and of the two halves of the one under way */

/* Contacts that are closed in a state [Aca09 eq. 68]; sorted by id. */
typedef struct ss_closed {
    ss_contact_id *id;
    int n, cap;
} ss_closed;

/* Where a run stands in a step that control has accepted. */
enum { SS_WHOLE, SS_HALFWAY, SS_HALFWAY_NONSMOOTH /* a contact closes in it */ };

/* Local error of a trial. */
typedef struct ss_estimate {
    double error; /* divided by the tolerance; times (T/h)^(order + 1 - power): that of a unit of time, if power = order */
    double local; /* of the trial alone, relative to units    */
    double order; /* local order, guessed [Aca09 eq. 70]      */
    double power; /* of the length that the error goes with: from order, of a unit of time, to order + 1, of a step */
    bool smooth;  /* no event, no contact closed or opened    */
    bool speeds;  /* velocities are compared, too             */
    int body;     /* whose error it is; -1: no body moves     */
} ss_estimate;

/* What is seen in the three steps of a trial. */
typedef struct ss_trial_record {
    double *whole;         /* nq: where one step of the whole length leads             */
    double *whole_v;       /* nv: its velocities                                       */
    double time;           /* remembered: s, of the motion; errors of velocities are multiplied by it */
    double *struck;        /* nq + nv: behind the last impact of the whole step        */
    double struck_t;       /* when that was; INFINITY: there was none                  */
    bool blurred;          /* velocities of a half are means over it                   */
    double *difference;    /* 3 nv: scratch                                            */
    ss_closed closed[3];   /* at the start of the trial, after its halves             */
    ss_estimate overshoot; /* of contacts that closed in its halves; not divided by the tolerance */
    double grown;          /* what contacts that were grazed may have made of the errors before it  */
    ss_contact grazed;     /* the last of these                                          */
    unsigned kinds[3];     /* of the events of the whole step and of its halves        */
} ss_trial_record;

/* Step control: what was asked for, what is remembered between steps, and the trial under way. */
typedef struct ss_control {
    double tol;          /* 0: steps are fixed                                       */
    double h_min, h_max; /* s, at the start; h_max INFINITY: trials follow the motion (pace.c) */
    double start, time;  /* s, of the motion at the start; at `now`                   */
    double order;        /* of the scheme where motion is smooth                     */
    double impacts;      /* through impacts; above 1: it locates what happens in a step */
    double h;            /* remembered: length to try next; 0: none yet              */
    double second;       /* remembered: when the second half of a trial ends         */
    int64_t halfway;     /* remembered: SS_WHOLE, SS_HALFWAY ..                      */
    double *first;       /* the scheme's private state at the start of a run          */
    ss_trial_record trial;
    ss_pace pace;
    double longest; /* of trials from `now`                                            */
    bool binds;     /* the tolerance has limited the length of a step since the run was opened */
} ss_control;

/* What the user asked for, from options and scene. */
typedef struct ss_asked {
    char solver[64];
    double solver_tol;
    double step; /* with a tolerance: the first one */
    bool strict, allow_overlap;
    const volatile int *interrupt;
} ss_asked;

/* Scratch of measurements that outlives a step. */
typedef struct ss_sim_scratch {
    ss_contact_set overlap;    /* contacts at the end of a step */
    ss_contact_set touched[2]; /* those of the pending account: `reactions`, `whole`; in the arena of the step */
    ss_reacted *accepted;      /* without step control: the list of the last step */
    int accepted_cap;
    ss_csr G;
    double *joint; /* 3 nj              */
} ss_sim_scratch;

/* t = anchor + whole * step while steps are whole: no rounding piles up. */
typedef struct ss_time_count {
    double anchor;
    int64_t whole;
} ss_time_count;

/* Contacts as arrays. */
typedef struct ss_contact_table {
    int *bodies;    /* 2 for each contact                                              */
    double *number; /* gaps, points, normals, tangents, forces: one array after the other */
    int body_cap, number_cap;
} ss_contact_table;

/* What the user reads, at places that stay the same. */
typedef struct ss_shown {
    ss_contact_set found;        /* by ss_sim_gaps                                      */
    ss_contact_table last, near; /* of ss_sim_contacts, of ss_sim_gaps                  */
    ss_csr G;                    /* scratch of ss_sim_joint_jacobian                    */
} ss_shown;

struct ss_sim {
    /* constant in a step */
    ss_context *ctx;
    const ss_model *model; /* that of `inputs` */
    ss_inputs *inputs;
    ss_usage *usage;
    ss_shown *shown;
    const ss_scheme_type *scheme;
    void *params;
    int scheme_state_size;
    ss_solver *solver;
    ss_asked asked;
    ss_observer observer;
    ss_arena *arena;       /* scratch of the step          */
    ss_arena *trial_arena; /* events and segments of the steps of a trial */
    ss_finder *finder;
    ss_residual_work *certifier;
    struct ss_redundancy *loops;  /* of the joints */
    struct ss_definite *definite; /* NULL: no spring has a negative stiffness */
    /* changes in a step */
    ss_sim_scratch scratch;
    ss_stepper stepper;
    ss_state now, next;
    ss_state middle;       /* with step control: between the halves of a step */
    bool next_is_previous; /* `next` is where the last step began             */
    ss_account accounts[SS_ACCOUNTS];
    ss_account *last, *pending; /* of the last accepted step, of the one under way */
    ss_account *other;          /* of its first half                               */
    ss_control control;
    ss_summary summary;
    ss_audit audit;
    ss_ledger ledger; /* of the run */
    ss_time_count clock;
};

/* Like ss_sim_create, with a scheme that need not be registered. */
ss_status ss_sim_create_with(ss_context *ctx, const ss_model *model, const ss_scheme_type *scheme, const ss_sim_options *options,
                             ss_sim **out);

/* driver.c: what ss_sim_step and ss_sim_advance do, without the controller's samples */
ss_status ss_driver_step(ss_sim *sim, double h);
ss_status ss_driver_advance(ss_sim *sim, double until);
/* advance.c: call the controller, if a sample is due */
ss_status ss_controller_ask(ss_sim *sim);
/* outputs.c: what the step between two states, reported to the pending account, has to tell */
ss_status ss_outputs_note(ss_sim *sim, const ss_state *from, const ss_state *to);
/* queries.c: a contact of the last step, all but its name */
void ss_sim_read_contact(const ss_sim *sim, int index, ss_contact_info *out);
/* readings.c */
void ss_contact_table_free(ss_context *ctx, ss_contact_table *table);
/* equations.c: frames and drive of the instant of `now` at q, of which the public part is given; NULL: at `now`. In the arena. */
ss_status ss_sim_place(const ss_sim *sim, const double *q, ss_config *c);
/* drive.c: "body 7: expected a number from 0 to 3" */
ss_status ss_sim_check_index(const ss_sim *sim, const char *what, int index, int count);
/* Is there such a body, and is it a particle or a rigid body? */
ss_status ss_sim_check_free_body(const ss_sim *sim, int body);
/* What acts jumps between two steps: with a tolerance the scheme starts anew. */
void ss_sim_note_jump(ss_sim *sim);
/* Set an input, if it is not what the model has already: a jump between two steps. */
ss_status ss_sim_put_input(ss_sim *sim, const ss_input *input);
/* drive.c: are three numbers finite? x NULL: there are none. "body crate: force[1] is nan, expected a finite number" */
ss_status ss_sim_check_numbers(const ss_sim *sim, const char *what, const char *name, const char *key, const double *x);
/* functions.c: the energy of forces has been set from outside: what `now` has of it is no error of a step */
ss_status ss_sim_renew_potential(ss_sim *sim);
/* functions.c: does every force of type "callback" have its functions? */
ss_status ss_sim_check_functions(const ss_sim *sim);
/* The scheme starts anew from `now`, and so does the step under way of step control */
void ss_sim_forget_scheme(ss_sim *sim);

/* account.c */
ss_status ss_account_create(ss_sim *sim, ss_account *account);
void ss_account_destroy(ss_context *ctx, ss_account *account);
void ss_account_begin(ss_account *account, int64_t number);
/* reactions.c: impulses of a segment, added to those of the step */
ss_status ss_reactions_add(ss_sim *sim, ss_reactions *x, const ss_segment *segment);
/* The account is that of the last step from now on: its contacts move out of the arena. */
void ss_account_keep(ss_account *account);
void ss_reactions_free(ss_context *ctx, ss_reactions *x);
/* A remark on the step; about: a contact or joints, "": nothing */
void ss_account_remark(ss_account *account, ss_remark kind, const char *about);
/* normal impulse of a contact over the step; 0: the step did not have it */
double ss_account_normal_impulse(const ss_account *account, const ss_contact_id *id);

/* Have contacts acted in the step? */
bool ss_account_has_impulses(const ss_account *account);

/* control.c: tolerance, bounds and first step, from options and scene */
ss_status ss_control_choose(ss_sim *sim, const ss_sim_options *options, double tol);
ss_status ss_control_create(ss_sim *sim);
void ss_control_destroy(ss_context *ctx, ss_control *control);
/* the smallest step that may be chosen at time t; by default a part of the time of the motion */
double ss_control_floor(const ss_control *control, double t);
/* largest rounding error of the time of a jump, and of the end of a step, which a scheme computes as t + h */
double ss_control_rounding(double t);
/* a remainder of an advance below this is not worth a step */
double ss_control_negligible(const ss_control *control, double t);
/* Where a trial of h from `now` has to end at the latest: at `until`, or where a force jumps or bends in time. */
double ss_control_stop(const ss_sim *sim, double h, double until);
/* Length of a step between two times: to just before a jump that is at its end. */
double ss_control_length(const ss_sim *sim, double from, double end);
/* If a force jumps or bends at the time of this state, its private state is reset to that of the start of the run. */
void ss_control_restart(const ss_sim *sim, ss_state *state);
/* Trials begin at `now`, the first of the length wanted, to end at `stop` at the latest: how long may they be, which contacts are
 * closed? */
ss_status ss_control_begin(ss_sim *sim, double wanted, double stop);
/* Another trial from `now`: what was seen in the last one is cleared. */
void ss_control_forget(ss_control *control);
/* A step of the trial has been made, its account is the pending one. half: 0 the whole step; 1, 2 its halves */
ss_status ss_control_note(ss_sim *sim, int half, const ss_state *from, const ss_state *to);
/* The whole step of the trial has met an impact. */
void ss_control_note_impact(ss_sim *sim, const ss_event *event);
/* The whole step, over h, has been made: is it too long for vibrations that impacts of it have started? */
ss_status ss_control_outruns(ss_sim *sim, double h, bool *too_long);
/* Error of the trial of length h that ends in `end` by two half steps, in control.trial.whole by one. */
ss_status ss_control_estimate(ss_sim *sim, const ss_state *end, double h, ss_estimate *out);
/* Raise *worst to this error of a body, if that is larger; a NaN stays. */
void ss_estimate_raise(ss_estimate *worst, double error, int body);
/* what to multiply the length by [Aca09 eq. 66] */
double ss_control_factor(const ss_estimate *estimate);
/* After a trial of length h: is the next length limited by the tolerance, and not by h_max or the largest growth? */
bool ss_control_is_bound(const ss_control *control, const ss_estimate *estimate, double h);

/* The error of a trial of the smallest length, h, is above the tolerance, and the run is strict. */
ss_status ss_control_refuse(const ss_sim *sim, double h, const ss_estimate *unmet);

/* closing.c: contacts closed in a state; those looked at are in sim->scratch.overlap */
ss_status ss_closed_find(ss_sim *sim, const ss_state *state, ss_closed *out);
/* Is there one in `set` that is not in `other`? */
bool ss_closed_has_more(const ss_closed *set, const ss_closed *other);
/* Raise `worst` to the largest distance by which a contact went too far in the step just made. ss_closed_find has been called
 * at its end. */
ss_status ss_closed_overshoot(ss_sim *sim, const ss_state *from, const ss_state *to, const ss_closed *before,
                              const ss_closed *after, ss_estimate *worst);

/* dense_output.c: the state where the first segment of a half step ends, by the quintic from its start to the end of the first
 * segment of the other half; q without turn counters. false: the first half has an event, or accelerations are not known */
bool ss_dense_foretell(const ss_model *m, const ss_account *first, const ss_account *second, double *q, double *v);
/* energies at a state inside the last step */
ss_status ss_sim_energies_at(const ss_sim *sim, double t, const double *q, const double *v, double *kinetic, double *potential);

/* row_motion.c: what the velocities at both ends of a segment do along the rows of its contacts, if it has rows that act; in the
 * arena */
typedef struct ss_row_motion {
    double *before, *after; /* rows: H v of the start, of the end; NULL: there are none */
    double *absolute;       /* rows: |H||v| of the mean of both                        */
} ss_row_motion;
ss_status ss_row_motion_find(ss_context *ctx, ss_arena *arena, const ss_segment *segment, ss_row_motion *out);

/* audit.c: energy from nowhere */
ss_status ss_audit_create(ss_sim *sim);
void ss_audit_destroy(ss_sim *sim);
/* Functions of forces have been set: which of its questions make sense? */
void ss_audit_follow(ss_sim *sim);
/* A step begins at q; paid: of the step before. */
void ss_audit_begin(ss_account *account, const double *q, double paid);
/* A segment of it, its motion along its rows, and what it has entered in the ledger. */
ss_status ss_audit_segment(ss_account *account, const ss_segment *segment, const ss_row_motion *rows, const ss_ledger *entries);
/* The step ends here. */
ss_status ss_audit_end(ss_account *account, const ss_state *end);
/* It is accepted, and its ledger is complete: add it to the sums, and remark on it if there is reason to. */
void ss_audit_accept(ss_sim *sim, ss_account *account);
/* audit_impulses.c: the part of ss_audit_segment that is about contacts and joints */
ss_status ss_audit_impulses(ss_account *account, const ss_segment *segment, const ss_row_motion *rows, const ss_ledger *entries);
/* audit_energies.c: blocks of the mass matrix of a segment; energy[blocks], those at hand in each (the factors of the audit's
 * mass are up to date) */
const ss_blockdiag *ss_audit_mass(const ss_sim *sim, const ss_segment *segment);
ss_status ss_audit_energies(ss_account *account, const ss_segment *segment, double *energy);
/* audit_motors.c: excess[nc], the work of motors of limited force besides what is named, 0 of other contacts; NULL: none */
ss_status ss_audit_motors(ss_sim *sim, const ss_segment *segment, double **excess);

/* counts.c: the step that was accepted last goes into the summary; work that was done, whether or not its step is accepted */
void ss_sim_count(ss_sim *sim);
void ss_sim_count_work(ss_summary *sum, const ss_effort *step);

/* ledger.c: the entries of one segment, whose motion along its rows is known */
ss_status ss_ledger_enter(ss_context *ctx, const ss_model *m, ss_arena *arena, const ss_segment *segment,
                          const ss_row_motion *rows, ss_ledger *entries);
/* add the entries of a step to those of the run */
void ss_ledger_add(ss_ledger *sum, const ss_ledger *step);
/* sum of all entries */
double ss_ledger_sum(const ss_ledger *ledger);

/* sim.c: the account of a state that no step of this run has led to: the first, or a restored one */
ss_status ss_sim_describe(ss_sim *sim);
/* Does the scheme support the laws of the model's contacts? */
ss_status ss_sim_check_laws(const ss_sim *sim);

/* contradiction.c: at a configuration where the joints are satisfied; remarked on in the pending account */
ss_status ss_contradiction_find(ss_sim *sim, ss_config *c);

/* definite.c: at the end of a step of length h, with velocities v; remarked on in the pending account */
typedef struct ss_definite ss_definite;
ss_status ss_definite_create(ss_context *ctx, const ss_model *m, ss_definite **out);
void ss_definite_destroy(ss_context *ctx, ss_definite *x);
ss_status ss_definite_test(ss_sim *sim, ss_config *c, const double *v, double h);

/* massless.c: does the scheme take velocities without mass, and do joints hold them? */
ss_status ss_sim_check_massless(ss_sim *sim);

/* warnings.c: the last step is not certified, and the run is strict */
ss_status ss_sim_refuse(const ss_sim *sim);

/* measure.c: penetration, joint error and energies at a state */
ss_status ss_sim_measure(ss_sim *sim, const ss_state *state, ss_step_info *info);

/* state.c: with the private state and the numbers kept with each contact that the scheme declares */
ss_status ss_state_create(const ss_sim *sim, ss_state *state);
void ss_state_destroy(ss_context *ctx, ss_state *state);
ss_status ss_state_copy(const ss_sim *sim, const ss_state *from, ss_state *to);
/* Two states change places, but q and v of each keep theirs in memory: programs read those of `now`. */
void ss_state_exchange(const ss_sim *sim, ss_state *a, ss_state *b);
/* A step is over: its arena is emptied, and what the pending account had there is gone. */
void ss_state_empty_arena(ss_sim *sim);

#endif
