/* counts.c - the summary of a run: sums and extremes of its steps, each added when it is accepted. */
#include "math/worse.h"
#include "sim/sim.h"
#include <math.h>

static void count_remark(const ss_remarked *step, double t, ss_remarked *run)
{
    if (step->steps > 0 && run->steps++ == 0) {
        run->t = t;
        memcpy(run->contact, step->contact, sizeof run->contact);
    }
}

void ss_sim_count_work(ss_summary *sum, const ss_effort *step)
{
    sum->lcps += step->lcps;
    sum->multiplier_evals += step->lcps + step->evaluated;
    sum->fallbacks += step->fallbacks;
    sum->basis_tried += step->basis_tried;
    sum->basis_hits += step->basis_hits;
    sum->shared += step->shared;
    sum->chosen += step->chosen;
    sum->newton += step->newton;
    sum->solver_iterations += step->iterations;
    sum->max_step_lcps = step->lcps > sum->max_step_lcps ? step->lcps : sum->max_step_lcps;
    sum->max_step_iterations = step->iterations > sum->max_step_iterations ? step->iterations : sum->max_step_iterations;
    sum->contacts_found += step->contacts_found;
    sum->contacts_kept += step->contacts_kept;
    for (int k = 0; k < SS_SUMMARY_SOLVERS; k++) {
        sum->answered[k] += step->answered[k];
        sum->choices.first[k] += step->choices.first[k];
        sum->choices.left[k] += step->choices.left[k];
    }
    sum->choices.split += step->choices.split;
}

static void count_energy(ss_summary *sum, double energy)
{
    double gain = energy - sum->energy_final;
    sum->energy_max_gain = sum->steps == 1 ? gain : ss_worse(sum->energy_max_gain, gain);
    sum->energy_max = ss_worse(sum->energy_max, energy);
    sum->energy_final = energy;
}

void ss_sim_count(ss_sim *sim)
{
    ss_summary *sum = &sim->summary;
    const ss_account *a = sim->last;
    const ss_residual *r = &a->info.residual;
    sum->steps++;
    sum->shortest = sum->steps == 1 ? a->info.h : fmin(sum->shortest, a->info.h);
    sum->longest = fmax(sum->longest, a->info.h);
    ss_sim_count_work(sum, &a->effort);
    for (int k = 0; k < SS_REMARKS; k++) {
        count_remark(&a->remark[k], sim->now.t, &sum->remark[k]);
    }
    sum->unconverged_steps += !a->info.certified;
    sum->events += a->events.n;
    sum->max_contacts = a->info.contacts > sum->max_contacts ? a->info.contacts : sum->max_contacts;
    sum->max_penetration = ss_worse(sum->max_penetration, a->info.penetration);
    sum->max_joint_error = ss_worse(sum->max_joint_error, a->info.joint_error);
    sum->max_residual = ss_worse(sum->max_residual, ss_worse(r->contact, ss_worse(r->momentum, r->joint)));
    count_energy(sum, a->info.kinetic + a->info.potential);
}
