/* path_pieces.c - the smooth pieces of law_map.c's maps, for a method that knows which piece each contact is on.
 *
 *   law          pieces and their sides
 *   unilateral   free: y; open: -y
 *   Coulomb      open: -y_N; slip: y_N and |y_T| - mu y_N; free (it sticks): mu y_N - |y_T|
 *   bounded      free: y + mu and mu - y; low: -mu - y; high: y - mu
 *   joint row    free, without sides
 *
 * A contact with friction that closes slips first: at y_N = 0 the disc is a point. */
#include "solvers/alm/path_pieces.h"

#include <math.h>

static int rows_of(const ss_problem *p, int k) { return k < 0 ? 1 : p->row[k + 1] - p->row[k]; }

static double tangential(int rows, const double *y) { return rows == 3 ? hypot(y[1], y[2]) : rows == 2 ? fabs(y[1]) : 0; }

static bool has_friction(const ss_problem *p, int k) { return k >= 0 && p->law[k] == SS_LAW_COULOMB; }

static bool is_bounded(const ss_problem *p, int k) { return k >= 0 && p->law[k] == SS_LAW_BOUNDED; }

ss_law_piece ss_piece_of(const ss_problem *p, int k, const double *y)
{
    if (k < 0) {
        return SS_PIECE_FREE;
    }
    if (is_bounded(p, k)) {
        return y[0] < -p->mu[k] ? SS_PIECE_LOW : y[0] > p->mu[k] ? SS_PIECE_HIGH : SS_PIECE_FREE;
    }
    if (!(y[0] > 0)) {
        return SS_PIECE_OPEN;
    }
    return has_friction(p, k) && tangential(rows_of(p, k), y) > p->mu[k] * y[0] ? SS_PIECE_SLIP : SS_PIECE_FREE;
}

/* ---- impulses ------------------------------------------------------------------------------------- */

static void map_slip(int rows, double mu, const double *y, double *r, double *D)
{
    const double size = tangential(rows, y), radius = mu * y[0], bend = size > 0 ? radius / size : 0;
    r[0] = y[0];
    D[0] = 1;
    for (int i = 1; i < rows; i++) {
        const double e = size > 0 ? y[i] / size : 0;
        r[i] = radius * e;
        D[rows * i] = mu * e;
        for (int j = 1; j < rows; j++) {
            D[rows * i + j] = bend * ((i == j) - (size > 0 ? e * y[j] / size : 0));
        }
    }
}

void ss_piece_map(const ss_problem *p, int k, ss_law_piece piece, const double *y, double *r, double *D)
{
    const int rows = rows_of(p, k);
    const double held = piece == SS_PIECE_LOW ? -p->mu[k] : piece == SS_PIECE_HIGH ? p->mu[k] : 0;
    memset(D, 0, (size_t)(rows * rows) * sizeof *D);
    if (piece == SS_PIECE_SLIP) {
        map_slip(rows, p->mu[k], y, r, D);
        return;
    }
    for (int i = 0; i < rows; i++) {
        r[i] = piece == SS_PIECE_FREE ? y[i] : held;
        D[i * (rows + 1)] = piece == SS_PIECE_FREE;
    }
}

/* ---- sides ---------------------------------------------------------------------------------------- */

/* Each side is sign (level + slope . y), or sign (mu y_N - |y_T|). */
typedef struct piece_side {
    double sign, level;
    bool cone;
} piece_side;

static bool find_side(const ss_problem *p, int k, ss_law_piece piece, int which, piece_side *side)
{
    const bool bounded = is_bounded(p, k), friction = has_friction(p, k);
    *side = (piece_side){ .sign = 1 };
    switch (piece) {
    case SS_PIECE_OPEN:
        side->sign = -1;
        return which == 0;
    case SS_PIECE_SLIP:
        *side = which == 0 ? (piece_side){ .sign = 1 } : (piece_side){ .sign = -1, .cone = true };
        return true;
    case SS_PIECE_LOW:
        *side = (piece_side){ .sign = -1, .level = p->mu[k] };
        return which == 0;
    case SS_PIECE_HIGH:
        side->level = -p->mu[k];
        return which == 0;
    default:
        if (bounded) {
            *side = (piece_side){ .sign = which == 0 ? 1 : -1, .level = which == 0 ? p->mu[k] : -p->mu[k] };
            return true;
        }
        side->cone = friction;
        return k >= 0 && which == 0;
    }
}

bool ss_piece_side(const ss_problem *p, int k, ss_law_piece piece, int which, const double *y, double *value, double *slope)
{
    const int rows = rows_of(p, k);
    piece_side side;
    if (!find_side(p, k, piece, which, &side)) {
        return false;
    }
    const double size = side.cone ? tangential(rows, y) : 0, mu = side.cone ? p->mu[k] : 1;
    *value = side.sign * (side.level + mu * y[0] - size);
    slope[0] = side.sign * mu;
    for (int i = 1; i < rows; i++) {
        slope[i] = size > 0 ? -side.sign * y[i] / size : 0;
    }
    return true;
}

/* The smallest root s > 0 of a s^2 + 2 b s + c = 0, c >= 0. */
static double first_root(double a, double b, double c)
{
    const double square = b * b - a * c;
    if (b < 0) {
        return square >= 0 ? c / (-b + sqrt(square)) : INFINITY;
    }
    return a < 0 ? -(b + sqrt(square)) / a : INFINITY;
}

/* where |y_T|^2 - mu^2 y_N^2 changes its sign: to positive if it sticks, to negative if it slips */
static double leave_cone(int rows, double mu, double sign, const double *y, const double *dy)
{
    double a = -mu * mu * dy[0] * dy[0], b = -mu * mu * y[0] * dy[0], c = -mu * mu * y[0] * y[0];
    for (int i = 1; i < rows; i++) {
        a += dy[i] * dy[i];
        b += y[i] * dy[i];
        c += y[i] * y[i];
    }
    return first_root(-sign * a, -sign * b, fmax(0, -sign * c));
}

double ss_piece_leave(const ss_problem *p, int k, ss_law_piece piece, int which, const double *y, const double *dy)
{
    piece_side side;
    if (!find_side(p, k, piece, which, &side)) {
        return INFINITY;
    }
    if (side.cone) {
        return leave_cone(rows_of(p, k), p->mu[k], side.sign, y, dy);
    }
    const double value = side.sign * (side.level + y[0]), slope = side.sign * dy[0];
    return slope < 0 ? fmax(0, value / -slope) : INFINITY;
}

ss_law_piece ss_piece_beyond(const ss_problem *p, int k, ss_law_piece piece, int which)
{
    switch (piece) {
    case SS_PIECE_OPEN:
        return has_friction(p, k) ? SS_PIECE_SLIP : SS_PIECE_FREE;
    case SS_PIECE_SLIP:
        return which == 0 ? SS_PIECE_OPEN : SS_PIECE_FREE;
    case SS_PIECE_FREE:
        if (is_bounded(p, k)) {
            return which == 0 ? SS_PIECE_LOW : SS_PIECE_HIGH;
        }
        return has_friction(p, k) ? SS_PIECE_SLIP : SS_PIECE_OPEN;
    default: /* a bounded row that comes back from its bound */
        return SS_PIECE_FREE;
    }
}
