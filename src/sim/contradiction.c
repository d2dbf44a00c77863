/* contradiction.c - joints and motors that demand velocities which no motion can have.
 *
 * Two motors on one hinge, a motor on a welded body, a loop whose driven bodies move apart: a scheme leaves the redundant rows
 * out and satisfies the others, so the residual of its problem says nothing. The driver compares the demands of all rows where
 * the step ends (kernels/redundancy.c) and names the joints.
 *
 * Cost   one factorisation per step, for mechanisms with loops only */
#include "kernels/redundancy.h"
#include "sim/sim.h"
#include <math.h>
#include <stdio.h>

/* "h (motor)", "gear" */
static int write_row(const ss_model *m, int row, const char *before, char *text, size_t size)
{
    const int joint = m->row_joint[row];
    const char *name = joint >= 0 ? m->joint_name[joint] : m->body_name[-1 - joint];
    return snprintf(text, size, "%s%s%s", before, name, m->row_motor[row] ? " (motor)" : "");
}

/* the redundant row, then those that it depends on; several rows of a joint are named once */
static void write_rows(const ss_model *m, int row, const double *share, char *text, size_t size)
{
    size_t used = (size_t)write_row(m, row, "", text, size);
    int last = -1;
    for (int j = 0; j < m->nj && used < size; j++) {
        const bool same = last >= 0 && m->row_joint[j] == m->row_joint[last] && m->row_motor[j] == m->row_motor[last];
        if (fabs(share[j]) > SS_TOL_RANK && j != row && !same) {
            used += (size_t)write_row(m, j, last < 0 ? " against " : ", ", text + used, size - used);
            last = j;
        }
    }
}

ss_status ss_contradiction_find(ss_sim *sim, ss_config *c)
{
    const ss_model *m = sim->model;
    char text[128];
    double *share;
    int row;
    if (!ss_redundancy_rows(sim->loops)) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(sim->arena, (size_t)m->nj, sizeof *share, &share));
    ss_config_drive(m, c->t, c->t, c);
    SS_TRY(ss_redundancy_find(sim->loops, c));
    SS_TRY(ss_redundancy_contradiction(sim->loops, share, &row));
    if (row >= 0) {
        write_rows(m, row, share, text, sizeof text);
        ss_account_remark(sim->pending, SS_REMARK_CONTRADICTION, text);
    }
    return SS_OK;
}
