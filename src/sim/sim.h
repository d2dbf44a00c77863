/* sim.h - inside of ss_sim: the driver of a scheme, the accountant of its steps. */
#ifndef SS_SIM_H
#define SS_SIM_H

#include "kernels/stepper.h"
#include "problem/residual.h"
#include <slipstick/sim.h>

/* What the step under way has reported; taken over when the step is accepted. */
typedef struct ss_account {
    ss_report report; /* first: the scheme sees only this            */
    struct ss_sim *sim;
    ss_ledger ledger; /* this step's entries                          */
    ss_step_info info;
    int64_t lcps, fallbacks, basis_tried, basis_hits, contacts_found, contacts_kept, newton;
    int64_t answered[SS_SUMMARY_SOLVERS];
    ss_event *event; /* copies, in the `keep` arena                  */
    int events, event_cap;
    double driven; /* work of driven bodies in the jumps since the last event: not created by an impact law */
    /* impulses of contacts and joints, added up over the stretches of the step */
    ss_contact_set contacts;
    ss_contact_value *value; /* at the end of the step                       */
    double *impulse;         /* 3 per contact                                */
    double *reaction;        /* nj                                           */
    int impulse_cap, value_cap;
} ss_account;

struct ss_sim {
    ss_context *ctx;
    const ss_model *model;
    const ss_scheme_type *scheme;
    void *params;
    ss_solver *solver;
    char solver_name[64];
    double solver_tol, step;
    bool strict;
    const volatile int *interrupt;
    ss_arena *arena; /* scratch of the step          */
    ss_arena *keep;  /* events of the step           */
    ss_finder *finder;
    ss_residual_work *certifier;
    ss_contact_set overlap; /* contacts at the end of a step */
    ss_csr G;
    double *joint_scratch; /* 3 nj                         */
    ss_stepper stepper;
    ss_state now, next;
    int block_size;
    ss_account accounts[2];
    ss_account *last, *pending; /* of the last accepted step, of the one under way */
    ss_observer observer;
    ss_summary summary;
    ss_ledger ledger;
    double kinetic, potential, potential_initial;
    double t_anchor; /* t = t_anchor + steps_since * step while steps are whole: no rounding piles up */
    int64_t steps_since;
};

/* Like ss_sim_create, with a scheme that need not be registered. */
ss_status ss_sim_create_with(ss_context *ctx, const ss_model *model, const ss_scheme_type *scheme, const ss_sim_options *options,
                             ss_sim **out);

/* account.c */
ss_status ss_account_create(ss_sim *sim, ss_account *account);
void ss_account_destroy(ss_context *ctx, ss_account *account);
void ss_account_begin(ss_account *account);

/* ledger.c: enter one segment */
ss_status ss_ledger_enter(const ss_model *m, ss_arena *arena, const ss_segment *segment, ss_ledger *ledger);
/* add the entries of a step to those of the run */
void ss_ledger_add(ss_ledger *sum, const ss_ledger *step);
/* sum of all entries */
double ss_ledger_sum(const ss_ledger *ledger);

/* sim.c: the account of a state that no step of this run has led to: the first, or a restored one */
ss_status ss_sim_describe(ss_sim *sim);

/* measure.c: penetration, joint error and energies at a state */
ss_status ss_sim_measure(ss_sim *sim, const ss_state *state, ss_step_info *info);

ss_status ss_state_create(ss_context *ctx, const ss_model *m, int block_size, ss_state *state);
void ss_state_destroy(ss_context *ctx, ss_state *state);
ss_status ss_state_copy(ss_context *ctx, const ss_model *m, int block_size, const ss_state *from, ss_state *to);

#endif
