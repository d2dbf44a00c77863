/* points.c - two points as functions of a program see them, and small displacements of them. */
#include "model/points.h"

ss_force_points ss_points_of(int dimension, double t, const ss_spot s[2], const double *number)
{
    ss_force_points p = { .t = t, .dimension = dimension, .number = number };
    for (int k = 0; k < 2; k++) {
        ss_v3_to(s[k].x, p.position[k]);
        ss_v3_to(s[k].v, p.velocity[k]);
        ss_v3_to(s[k].w, p.angular_velocity[k]);
        for (int j = 0; j < 3; j++) {
            double column[3];
            ss_v3_to(s[k].R.c[j], column);
            for (int i = 0; i < 3; i++) {
                p.rotation[k][3 * i + j] = column[i];
            }
        }
    }
    return p;
}

void ss_points_move(const ss_spot s[2], const double *x, const double *v, ss_spot out[2])
{
    for (int k = 0; k < 2; k++) {
        ss_spot *p = &out[k];
        *p = s[k];
        if (x) {
            p->x = ss_add(p->x, ss_v3_from(x + 6 * k));
            p->R = ss_compose(ss_quat_matrix(ss_quat_exp(ss_v3_from(x + 6 * k + 3))), p->R);
        }
        if (v) {
            p->v = ss_add(p->v, ss_v3_from(v + 6 * k));
            p->w = ss_add(p->w, ss_v3_from(v + 6 * k + 3));
        }
    }
}

/* in a plane: two displacements and a turn about z */
bool ss_points_have(int dimension, int j) { return dimension == 3 || j % 6 < 2 || j % 6 == 5; }

void ss_points_somewhere(int dimension, double length, double part, double x[SS_POINT_COORDINATES])
{
    static const double direction[SS_POINT_COORDINATES] = { 0.4, -0.7, 0.5, 0.6, 0.3, -0.8, -0.5, 0.2, 0.9, -0.3, 0.7, 0.4 };
    for (int j = 0; j < SS_POINT_COORDINATES; j++) {
        x[j] = ss_points_have(dimension, j) ? part * direction[j] * (ss_points_is_turn(j) ? 1 : length) : 0;
    }
}
