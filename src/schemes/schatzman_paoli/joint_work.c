/* joint_work.c - do the joints of a substep give or take energy because it is too long?
 *
 * Ideal joints do not work. Those of Schatzman and Paoli's scheme hold at both ends of each substep, so that its velocity w', a
 * chord, is not along the joints at its start: G w' = h k'/2, and for the substep before, which ends there, G w = -h- k/2, with
 * the curvature k = w . (dG/dq) w. The impulses lam act there and do the work
 *
 *     lam . (G w + G w')/2  =  lam . (h k' - h- k)/4
 *
 * In smooth motion this is an error of order 2 whose sum stays small. It is more than that in an impact, where lam is large and
 * k' is not k, and where a light link turns far in a substep: a mechanism may gain much of what it has. Both disappear with the
 * length of the substep. Work is compared with the kinetic energies and with p . M^-1 p/2 of the impulses p of
 * the forces, motors of limited force among them: what is at rest, or turns back, has no kinetic energy, and the load on it gives
 * the scale; without a load it is what the round-off of positions, over h, has as energy. The measure is taken for each cluster
 * of bodies that joints tie together, so that a fast body elsewhere hides nothing.
 *
 * Cost   linear in the entries of G and M */
#include "schemes/schatzman_paoli/joint_work.h"
#include "base/tolerances.h"
#include "kernels/free_motion.h"
#include "problem/bounded.h"
#include "problem/clusters.h"
#include <math.h>

/* cluster of the bodies that row i ties; -1: it ties none */
static int cluster_of(const ss_csr *G, const ss_clusters *clusters, const int *block_of, int i)
{
    return G->p[i] < G->p[i + 1] ? clusters->of_block[block_of[G->i[G->p[i]]]] : -1;
}

/* twice the work of each cluster's joints; motors and what is driven may work */
static void add_works(const ss_joint_motion *x, const ss_clusters *clusters, const int *block_of, double *twice)
{
    const ss_problem *p = &x->a->problem;
    for (int i = 0; i < p->nj; i++) {
        const int cluster = cluster_of(&p->G, clusters, block_of, i);
        if (cluster >= 0 && !x->model->row_motor[i] && x->a->c_drive[i] == 0) {
            const double moves = ss_csr_row_dot(&p->G, i, x->w) + ss_csr_row_dot(&p->G, i, x->a->solution.v);
            twice[cluster] += x->a->solution.lam[i] * moves;
        }
    }
}

/* y = |M^-1 p| of forces, and of bounded rows, made larger by the velocities of round-off */
static ss_status find_change(const ss_joint_motion *x, ss_arena *arena, double **y)
{
    double *bounded;
    SS_TRY(ss_arena_take(arena, (size_t)x->mass->n, sizeof **y, y));
    SS_TRY(ss_arena_take(arena, (size_t)x->mass->n, sizeof *bounded, &bounded));
    ss_forces_add(x->mass->n, 1, x->impulse, *y);
    ss_bounded_add(&x->a->problem, 1, x->a->solution.r, bounded);
    ss_blockdiag_solve(x->mass, x->factor, *y);
    ss_blockdiag_solve(x->mass, x->factor, bounded);
    for (int i = 0; i < x->mass->n; i++) {
        (*y)[i] = fabs((*y)[i]) + fabs(bounded[i]) + SS_TOL_ROUND_OFF * fmax(1, x->model->length) / x->h;
    }
    return SS_OK;
}

/* twice the energies at hand of a cluster whose velocities forces change by y */
static double twice_energy(const ss_joint_motion *x, const ss_clusters *clusters, int cluster, const double *y)
{
    double sum = 0;
    for (int i = clusters->list.first[cluster]; i < clusters->list.first[cluster + 1]; i++) {
        const int block = clusters->list.item[i];
        sum += ss_blockdiag_square(x->mass, block, x->w) + ss_blockdiag_square(x->mass, block, x->a->solution.v) +
               ss_blockdiag_square(x->mass, block, y);
    }
    return sum;
}

static ss_status find_blocks(const ss_blockdiag *M, ss_arena *arena, int **block_of)
{
    SS_TRY(ss_arena_take(arena, (size_t)M->n, sizeof **block_of, block_of));
    for (int b = 0; b < M->blocks; b++) {
        for (int i = 0; i < M->size[b]; i++) {
            (*block_of)[M->offset[b] + i] = b;
        }
    }
    return SS_OK;
}

ss_status ss_joint_work_look(const ss_joint_motion *x, ss_arena *arena, bool *found)
{
    ss_clusters clusters;
    int *block_of;
    double *twice, *y;
    *found = false;
    SS_TRY(find_blocks(x->mass, arena, &block_of));
    SS_TRY(ss_clusters_find(arena, &x->a->problem, &clusters));
    SS_TRY(ss_arena_take(arena, (size_t)clusters.count, sizeof *twice, &twice));
    SS_TRY(find_change(x, arena, &y));
    add_works(x, &clusters, block_of, twice);
    for (int k = 0; !*found && k < clusters.count; k++) {
        *found = !(fabs(twice[k]) <= SS_TOL_BOUNCE * twice_energy(x, &clusters, k, y));
    }
    return SS_OK;
}
