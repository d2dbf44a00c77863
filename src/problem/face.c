/* face.c - faces of the contact laws, read from the derivative of their maps.
 *
 * Where r = map(y) is smooth, r = D y for the laws that are cones: the range of D is the space of impulses of the face. With
 * g = (1, D_TN) (Coulomb: the normal impulse drives friction) or g = r/r_N (associated laws), what remains of D is kappa f f', f
 * along an edge of a polygon (kappa = 1) or across the slip on a disc (kappa = mu r_N/|y_T|); two such f where the contact
 * sticks. On f the fixed point r = D (r - rho u) says  u_f + (1/kappa - 1)/rho r_f = 0: the bend of the disc.
 *
 * Reference   P. Alart, A. Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353 (the maps) */
#include "problem/face.h"

#include "base/tolerances.h"
#include "problem/law_map.h"

#include <math.h>

static void add_part(ss_face *face, const double *P, const double *S)
{
    for (int i = 0; i < face->rows; i++) {
        face->P[3 * face->count + i] = P[i];
        face->S[3 * face->count + i] = S[i];
    }
    face->count++;
}

static void add_all_parts(ss_face *face)
{
    for (int i = 0; i < face->rows; i++) {
        double axis[3] = { i == 0, i == 1, i == 2 };
        add_part(face, axis, axis);
    }
}

/* R <- D - first part of its range; returns the trace of what remains */
static double remove_first(const ss_face *face, const double *D, bool associated, double *R)
{
    const int n = face->rows;
    const double *g = face->P;
    double size2 = 0, trace = 0;
    for (int i = 0; i < n; i++) {
        size2 += g[i] * g[i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double own = associated ? g[i] * g[j] / size2 : j == 0 ? g[i] : 0;
            R[n * i + j] = D[n * i + j] - own;
        }
        trace += R[n * i + i];
    }
    return trace;
}

/* f: the direction of R = kappa f f' */
static void direction_of(int n, const double *R, double *f)
{
    int widest = 0;
    for (int i = 1; i < n; i++) {
        widest = R[n * i + i] > R[n * widest + widest] ? i : widest;
    }
    double size2 = 0;
    for (int i = 0; i < n; i++) {
        f[i] = R[n * i + widest];
        size2 += f[i] * f[i];
    }
    for (int i = 0; i < n; i++) {
        f[i] /= sqrt(size2);
    }
}

static bool is_identity(int n, const double *D)
{
    bool same = true;
    for (int i = 0; i < n * n; i++) {
        same = same && D[i] == (i % (n + 1) == 0 ? 1 : 0);
    }
    return same;
}

/* faces of a cone that are neither its apex nor its inside */
static void find_boundary(const ss_problem *p, int k, double rho, const double *r, const double *D, ss_face *face)
{
    const int n = face->rows;
    const bool associated = p->law[k] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL);
    double g[3] = { 1, 0, 0 }, R[9], f[3];
    const double normal[3] = { 1, 0, 0 };
    for (int i = 1; i < n; i++) {
        g[i] = associated ? r[i] / r[0] : D[n * i];
    }
    add_part(face, g, associated ? g : normal);
    double kappa = remove_first(face, D, associated, R);
    if (n < 3 || kappa <= SS_TOL_DIRECTION) {
        return;
    }
    direction_of(n, R, f);
    add_part(face, f, f);
    face->turns = p->law[k] & (SS_LAW_COULOMB | SS_LAW_ASSOCIATED);
    face->bend = face->turns ? fmax(0, 1 / kappa - 1) / rho : 0;
}

void ss_face_find(const ss_problem *p, int k, double rho, const double *y, ss_face *face)
{
    double r[3] = { 0, 0, 0 }, D[9] = { 0 };
    *face = (ss_face){ .rows = p->row[k + 1] - p->row[k] };
    ss_law_map(p, k, y, r, D);
    const bool frictionless = face->rows > 1 && p->mu[k] == 0;
    if (p->law[k] == SS_LAW_BOUNDED && D[0] == 0) {
        face->c = r[0];
    } else if (face->rows > 1 && is_identity(face->rows, D) && !frictionless) {
        add_all_parts(face);
    } else if (r[0] > 0 && face->rows > 1 && !frictionless) {
        find_boundary(p, k, rho, r, D, face);
    } else if (D[0] != 0) {
        const double normal[3] = { 1, 0, 0 };
        add_part(face, normal, normal);
    }
}

void ss_face_turn(const ss_problem *p, int k, const double *r, ss_face *face)
{
    const double size = hypot(r[1], r[2]), mu = p->mu[k], t[2] = { r[1] / size, r[2] / size };
    const bool associated = p->law[k] == SS_LAW_ASSOCIATED;
    const double *before = face->P + 4; /* of the direction across, which keeps its sense */
    const double sense = face->count == 2 && before[1] * t[0] < before[0] * t[1] ? -1 : 1;
    face->count = 2;
    for (int i = 0; i < 2; i++) {
        face->P[1 + i] = mu * t[i];
        face->S[1 + i] = associated ? mu * t[i] : 0;
        face->P[4 + i] = face->S[4 + i] = sense * (i == 0 ? -t[1] : t[0]);
    }
}
