/* mujoco_tree.c - mass matrix, bias and the Jacobian of a point by MuJoCo: of the model in a file, at coordinates and rates that
 * are read from standard input, in the order of the joints j0, j1, ..; numbers go to standard output. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

static int dof(const mjModel *m, int k)
{
    char name[16];
    snprintf(name, sizeof name, "j%d", k);
    return m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, name)];
}

static int read_state(const mjModel *m, mjData *d)
{
    int good = 1;
    for (int k = 0; k < m->nv; k++) { /* one coordinate for each joint: both have the same places */
        good = good && scanf("%lf %lf", &d->qpos[dof(m, k)], &d->qvel[dof(m, k)]) == 2;
    }
    return good;
}

static void print_all(const mjModel *m, mjData *d, const char *body, const mjtNum point[3])
{
    mjtNum *M = calloc((size_t)(m->nv * m->nv), sizeof *M), *J = calloc((size_t)(6 * m->nv), sizeof *J), x[3];
    const int b = mj_name2id(m, mjOBJ_BODY, body);
    mj_fullM(m, M, d->qM);
    mju_rotVecMat(x, point, d->xmat + 9 * b);
    mju_addTo3(x, d->xpos + 3 * b);
    mj_jac(m, d, J, J + 3 * m->nv, x, b);
    for (int i = 0; i < m->nv; i++) {
        for (int j = 0; j < m->nv; j++) {
            printf("%.17g ", M[dof(m, i) * m->nv + dof(m, j)]);
        }
    }
    for (int i = 0; i < m->nv; i++) {
        printf("%.17g ", d->qfrc_bias[dof(m, i)]);
    }
    for (int i = 0; i < 6 * m->nv; i++) {
        printf("%.17g ", J[i / m->nv * m->nv + dof(m, i % m->nv)]);
    }
    free(M);
    free(J);
}

int main(int argc, char **argv)
{
    char error[500] = "";
    mjModel *m = argc == 6 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
    if (!m) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData *d = mj_makeData(m);
    const mjtNum point[3] = { atof(argv[3]), atof(argv[4]), atof(argv[5]) };
    const int good = read_state(m, d);
    mj_forward(m, d);
    print_all(m, d, argv[2], point);
    mj_deleteData(d);
    mj_deleteModel(m);
    return !good;
}
