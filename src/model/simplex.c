/* simplex.c - triangles and tetrahedra with constant strain, linear or corotational.
 *
 *     gradient   F = sum over nodes of x_j b_j'            b_j slope of the shape function of node j, at rest; 2D: F_zz = 1
 *     rotation   F = R S, R a rotation, S symmetric;       strain `linear`: R = 1
 *     strain     e = sym(R'F) - 1
 *     energy     U = V (mu e:e + (lambda/2) tr(e)^2)
 *     stress     T = 2 mu e + lambda tr(e) 1,   P = R T    force on node i  -V P b_i,  which is exactly -dU/dx_i
 *
 * P is the derivative of U by F although R depends on F: R is the rotation nearest to F, so that its change does no work. So a
 * rigid motion leaves no strain, the work of the forces is the change of U, and the derivative below is exact and symmetric.
 *
 *     dP = R (2 mu A + lambda tr(A) 1 + [B a])     R'dF = A + [a], symmetric and skew;   [a] b = a x b
 *     B  = 2 mu 1 + 2 (lambda tr(e) - 2 mu) G^-1,  G = tr(S) 1 - S                     linear: 0
 *
 * because R turns by w = 2 G^-1 a. Symmetric and skew parts do not mix, and the first has a positive energy. So the definite part
 * of the derivative is the same with B without its negative eigenvalues: compressed elements buckle, and that is left out.
 *
 *     damping    P = b F C(sym(F' dF/dt)),  C(e) = 2 mu e + lambda tr(e) 1;    linear: 1 for the two F
 *
 * It is b K v for small strains, takes nothing from a rigid motion, and takes energy from any other. The damping of the mass is
 * -a m_j v_j at each node, m_j its part of the element's mass.
 *
 * Rotation   R <- (R + R^-T)/2 from R = F (Newton; Higham), which converges quadratically for every F that has an inverse; about
 *            five times for the strains of elastic bodies. An inverted element (det F <= 0) ends a run (simplices.c).
 * Reference  N. Higham, Computing the polar decomposition, SIAM J. Sci. Stat. Comput. 7 (1986) 1160-1174;
 *            E. Sifakis and J. Barbic, FEM simulation of 3D deformable solids, SIGGRAPH courses (2012), 3.3: corotated energy
 * Symbols    V volume (2D: area); lambda, mu Lame's constants, in plane stress lambda = E nu/(1 - nu^2)
 * Cost       some hundred operations for forces, two thousand for a derivative; definite ones of tetrahedra have an eigenvalue
 *            problem of 3 x 3 */
#include "model/simplex.h"
#include "math/dense.h"
#include "model/primitives.h"
#include <float.h>

/* ---- 3 x 3 matrices --------------------------------------------------------------------------------- */

static ss_mat3 sum(double a, ss_mat3 A, double b, ss_mat3 B)
{
    ss_mat3 C;
    for (int k = 0; k < 3; k++) {
        C.c[k] = ss_axpy(a, A.c[k], ss_scale(b, B.c[k]));
    }
    return C;
}

static double trace(ss_mat3 A) { return A.c[0].x + A.c[1].y + A.c[2].z; }
static ss_mat3 transpose(ss_mat3 A)
{
    return (ss_mat3){ { { A.c[0].x, A.c[1].x, A.c[2].x }, { A.c[0].y, A.c[1].y, A.c[2].y }, { A.c[0].z, A.c[1].z, A.c[2].z } } };
}
static ss_mat3 symmetric(ss_mat3 A) { return sum(0.5, A, 0.5, transpose(A)); }
static ss_mat3 left_product(ss_mat3 A, ss_mat3 B) { return ss_compose(transpose(A), B); } /* A'B */

/* a with [a] = the skew part of A */
static ss_vec3 axial(ss_mat3 A) { return ss_scale(0.5, ss_v3(A.c[1].z - A.c[2].y, A.c[2].x - A.c[0].z, A.c[0].y - A.c[1].x)); }

static double contraction(ss_mat3 A, ss_mat3 B)
{
    return ss_dot(A.c[0], B.c[0]) + ss_dot(A.c[1], B.c[1]) + ss_dot(A.c[2], B.c[2]);
}

/* det(A) A^-T */
static ss_mat3 cofactors(ss_mat3 A)
{
    return (ss_mat3){ { ss_cross(A.c[1], A.c[2]), ss_cross(A.c[2], A.c[0]), ss_cross(A.c[0], A.c[1]) } };
}

static double determinant(ss_mat3 A) { return ss_dot(A.c[0], ss_cross(A.c[1], A.c[2])); }

/* ---- strain ------------------------------------------------------------------------------------------ */

void ss_simplex_rest(const ss_vec3 *x, ss_simplex *e)
{
    const bool flat = e->nodes == 3;
    const ss_mat3 edges = { { ss_sub(x[1], x[0]), ss_sub(x[2], x[0]), flat ? ss_v3(0, 0, 1) : ss_sub(x[3], x[0]) } };
    const double det = determinant(edges);
    const ss_mat3 slopes = sum(1 / det, cofactors(edges), 0, edges);
    e->volume = det / (flat ? 2 : 6);
    e->slope[0] = ss_v3(0, 0, 0);
    for (int j = 1; j < e->nodes; j++) {
        e->slope[j] = slopes.c[j - 1];
        e->slope[0] = ss_sub(e->slope[0], slopes.c[j - 1]);
    }
}

/* sum of x_j b_j', by differences from node 0: far from the origin no digit is lost */
static ss_mat3 gradient(const ss_simplex *e, const ss_vec3 *x)
{
    ss_mat3 F = { { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } };
    for (int j = 1; j < e->nodes; j++) {
        F = sum(1, F, 1, ss_outer(ss_sub(x[j], x[0]), e->slope[j]));
    }
    return F;
}

/* the rotation nearest to F; the identity where F has no inverse */
static ss_mat3 rotation(ss_mat3 F)
{
    enum { MOST = 60 };
    const double enough = 16 * DBL_EPSILON * DBL_EPSILON; /* the error is the square of the change */
    ss_mat3 R = F;
    for (int k = 0; k < MOST; k++) {
        const double det = determinant(R);
        if (!(fabs(det) > 0)) {
            return ss_mat3_identity();
        }
        const ss_mat3 next = sum(0.5, R, 0.5 / det, cofactors(R)), change = sum(1, next, -1, R);
        R = next;
        if (contraction(change, change) <= enough) {
            break;
        }
    }
    return R;
}

static ss_mat3 strain_in(ss_mat3 R, ss_mat3 F) { return sum(1, symmetric(left_product(R, F)), -1, ss_mat3_identity()); }

ss_simplex_strain ss_simplex_strain_at(const ss_simplex *e, const ss_vec3 *x)
{
    ss_mat3 F = gradient(e, x);
    if (e->nodes == 3) {
        F.c[2] = ss_v3(0, 0, 1);
    }
    const ss_mat3 R = e->law->corotational ? rotation(F) : ss_mat3_identity();
    return (ss_simplex_strain){ .F = F, .R = R, .e = strain_in(R, F) };
}

ss_simplex_strain ss_simplex_strain_later(const ss_simplex *e, const ss_vec3 *x, const ss_vec3 *v, double h)
{
    ss_simplex_strain s = ss_simplex_strain_at(e, x);
    s.e = sum(1, s.e, h, symmetric(left_product(s.R, gradient(e, v))));
    s.F = ss_compose(s.R, sum(1, s.e, 1, ss_mat3_identity()));
    return s;
}

bool ss_simplex_is_inverted(const ss_simplex_strain *s) { return !(determinant(s->F) > 0); }

/* ---- stress and energy --------------------------------------------------------------------------------- */

static ss_mat3 hooke(const ss_simplex_law *law, ss_mat3 e)
{
    return sum(2 * law->mu, e, law->lambda * trace(e), ss_mat3_identity());
}

double ss_simplex_energy(const ss_simplex *e, const ss_simplex_strain *s)
{
    return 0.5 * e->volume * contraction(s->e, hooke(e->law, s->e));
}

ss_mat3 ss_simplex_stress(const ss_simplex *e, const ss_simplex_strain *s)
{
    ss_mat3 T = hooke(e->law, s->e);
    if (e->law->plane_stress) {
        T.c[2].z = 0;
    }
    return ss_compose(s->R, ss_compose(T, transpose(s->R)));
}

/* f_i -= V P b_i */
static void add_forces(const ss_simplex *e, ss_mat3 P, ss_vec3 *f)
{
    for (int i = 0; i < e->nodes; i++) {
        f[i] = ss_axpy(-e->volume, ss_rotate(P, e->slope[i]), f[i]);
    }
}

void ss_simplex_add_elastic(const ss_simplex *e, const ss_simplex_strain *s, ss_vec3 *f)
{
    add_forces(e, ss_compose(s->R, hooke(e->law, s->e)), f);
}

/* a times the mass of a node */
static double drag(const ss_simplex *e) { return e->law->mass_damping * e->law->density * e->volume / e->nodes; }

/* F, or the identity: what damping is measured in */
static ss_mat3 damping_frame(const ss_simplex *e, const ss_simplex_strain *s)
{
    return e->law->corotational ? s->F : ss_mat3_identity();
}

/* C of the strain rate where F has the rate dF */
static ss_mat3 damping_stress(const ss_simplex *e, ss_mat3 frame, ss_mat3 dF)
{
    return hooke(e->law, symmetric(left_product(frame, dF)));
}

void ss_simplex_add_damping(const ss_simplex *e, const ss_simplex_strain *s, const ss_vec3 *v, ss_vec3 *f)
{
    const double b = e->law->stiffness_damping;
    const ss_mat3 frame = damping_frame(e, s), P = ss_compose(frame, damping_stress(e, frame, gradient(e, v)));
    add_forces(e, sum(b, P, 0, P), f);
    for (int i = 0; i < e->nodes; i++) {
        f[i] = ss_axpy(-drag(e), v[i], f[i]);
    }
}

/* ---- derivatives ---------------------------------------------------------------------------------------- */

/* what dP depends on besides dF */
typedef struct slope {
    const ss_simplex *e;
    ss_mat3 F, R, B, rate, T; /* T: C of the strain rate */
} slope;
typedef ss_mat3 (*slope_fn)(const slope *y, ss_mat3 dF);

/* K += the derivative of forces whose P changes by dP(dF) */
static void add_slope(const slope *y, slope_fn dP, double *K)
{
    const ss_simplex *e = y->e;
    const int d = e->nodes - 1, n = ss_simplex_rows(e);
    const ss_mat3 axes = ss_mat3_identity();
    for (int column = 0; column < n; column++) {
        const ss_mat3 change = dP(y, ss_outer(axes.c[column % d], e->slope[column / d]));
        for (int i = 0; i < e->nodes; i++) {
            double f[3];
            ss_v3_to(ss_scale(-e->volume, ss_rotate(change, e->slope[i])), f);
            for (int k = 0; k < d; k++) {
                K[(i * d + k) * n + column] += f[k];
            }
        }
    }
}

/* B of a corotational element */
static ss_mat3 turning(const ss_simplex *e, const ss_simplex_strain *s)
{
    const ss_mat3 one = ss_mat3_identity(), S = sum(1, s->e, 1, one), G = sum(trace(S), one, -1, S);
    const double det = determinant(G), factor = 2 * (e->law->lambda * trace(s->e) - 2 * e->law->mu);
    return fabs(det) > 0 ? sum(2 * e->law->mu, one, factor / det, cofactors(G)) : sum(0, one, 0, one);
}

/* B without its negative eigenvalues; of a triangle only B_zz matters */
static ss_mat3 positive_part(const ss_simplex *e, ss_mat3 B)
{
    double vectors[9], values[3], work[3 * SS_DENSE_WORK];
    ss_mat3 P = { { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } };
    if (e->nodes == 3) {
        P.c[2].z = B.c[2].z > 0 ? B.c[2].z : 0;
        return P;
    }
    for (int k = 0; k < 3; k++) {
        ss_v3_to(B.c[k], vectors + 3 * k);
    }
    if (!ss_dense_eigen(3, vectors, 3, values, work)) {
        return B; /* not finite, and whoever factorises the matrix says so */
    }
    for (int k = 0; k < 3; k++) {
        const ss_vec3 z = ss_v3_from(vectors + 3 * k);
        P = sum(1, P, values[k] > 0 ? values[k] : 0, ss_outer(z, z));
    }
    return P;
}

static ss_mat3 elastic(const slope *y, ss_mat3 dF)
{
    const ss_mat3 D = left_product(y->R, dF), skew = ss_skew(ss_rotate(y->B, axial(D)));
    return ss_compose(y->R, sum(1, hooke(y->e->law, symmetric(D)), 1, skew));
}

void ss_simplex_elastic_slope(const ss_simplex *e, const ss_simplex_strain *s, bool definite, double *K)
{
    slope y = { .e = e, .R = s->R };
    if (e->law->corotational) {
        y.B = turning(e, s);
        y.B = definite ? positive_part(e, y.B) : y.B;
    }
    add_slope(&y, elastic, K);
}

/* b (dF T + F C(sym(dF' rate))) */
static ss_mat3 damping_by_place(const slope *y, ss_mat3 dF)
{
    const ss_mat3 turned = ss_compose(dF, y->T), strained = ss_compose(y->F, damping_stress(y->e, dF, y->rate));
    const double b = y->e->law->stiffness_damping;
    return sum(b, turned, b, strained);
}

void ss_simplex_damping_slope(const ss_simplex *e, const ss_simplex_strain *s, const ss_vec3 *v, double *K)
{
    slope y = { .e = e, .F = s->F, .rate = gradient(e, v) };
    if (e->law->corotational && e->law->stiffness_damping > 0) {
        y.T = damping_stress(e, y.F, y.rate);
        add_slope(&y, damping_by_place, K);
    }
}

/* b F C(sym(F' dF)) */
static ss_mat3 damping_by_rate(const slope *y, ss_mat3 dF)
{
    const ss_mat3 P = ss_compose(y->F, damping_stress(y->e, y->F, dF));
    return sum(y->e->law->stiffness_damping, P, 0, P);
}

void ss_simplex_damping_rate_slope(const ss_simplex *e, const ss_simplex_strain *s, double *K)
{
    const slope y = { .e = e, .F = damping_frame(e, s) };
    const int n = ss_simplex_rows(e);
    if (e->law->stiffness_damping > 0) {
        add_slope(&y, damping_by_rate, K);
    }
    for (int i = 0; i < n; i++) {
        K[i * (n + 1)] -= drag(e);
    }
}
