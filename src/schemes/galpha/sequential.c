/* sequential.c - one iteration of the sequential solution: smooth motion, positions, velocities [BAC14 Algorithm 1].
 *
 * The matrix of the whole (monolithic.c) is block lower triangular but for terms that are small with h: how U and W change the
 * forces and the rates of the joints. Without these terms the three parts are solved one after the other. The second and third
 * are contact problems with the cones as they are (Josephy's method), given to the solver that the user chose: contacts and
 * joints that depend on each other are its business (the limit of vanishing compliance, docs/indeterminacy.md), and so is the
 * cone of friction.
 *
 * The problem of velocities has its rows where the first two parts have led to.
 * Converges   linearly, by a factor of O(h); in one iteration where forces and rows are constant
 * Cost        one linear system and two contact problems per iteration */
#include "schemes/galpha/galpha_inside.h"

/* The displacement that the smooth motion adds where v~ changes [BAC14 eq. 41c]. */
static void find_shift(const galpha *x, const galpha_unknowns *from, const galpha_unknowns *to, double *shift)
{
    for (int i = 0; i < x->s->model->nv; i++) {
        shift[i] = x->h * x->rule.beta / x->rule.gamma * (to->v_free[i] - from->v_free[i]);
    }
}

static ss_status improve(galpha *x, const galpha_unknowns *from, galpha_unknowns *to, bool *found)
{
    double *shift;
    SS_TRY(ss_arena_take(x->s->arena, (size_t)x->s->model->nv, sizeof *shift, &shift));
    SS_TRY(galpha_smooth_improve(x, from, to, found));
    if (!*found) {
        return SS_OK;
    }
    find_shift(x, from, to, shift);
    SS_TRY(galpha_pose_position(x, from, shift));
    SS_TRY(galpha_solve_position(x, to));
    if (!x->kind->velocities) {
        galpha_follow_positions(x, to);
        galpha_clear(GALPHA_ROWS * x->around->near.n, to->agreed);
        return SS_OK;
    }
    SS_TRY(galpha_place(x, to));
    SS_TRY(galpha_rows_velocity(x));
    SS_TRY(galpha_pose_velocity(x, to));
    ss_assembly_recall(x->velocity, &x->found, SS_LEVEL_VELOCITY);
    SS_TRY(galpha_solve_velocity(x, to));
    *found = ss_assembly_has_solution(x->velocity);
    return SS_OK;
}

ss_status galpha_improve_sequential(void *user, const double *point, double *target, bool *found)
{
    return galpha_improve_by(user, improve, point, target, found);
}
