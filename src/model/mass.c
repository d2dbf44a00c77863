/* mass.c - the mass matrix and the kinetic energy.
 *
 *   particle m 1;  rigid 2D diag(m, m, J);  rigid 3D diag(m 1, I) with I in the body frame;  blocks: callbacks
 *
 * M is block diagonal, one block per dynamic body, and constant except for user blocks that say otherwise,
 * because angular velocities are in the body frame. The constant blocks are written once, by ss_mass_fill, and those that are
 * alike are kept once. */
#include "model/mass.h"
#include "base/parallel.h"
#include "model/blocks.h"

static void fill_body(const ss_model *m, int body, double *x)
{
    int n = m->mass.diagonal.size[m->body_block[body]];
    for (int k = 0; k < n && k < m->dimension; k++) {
        x[k * n + k] = m->body_mass[body];
    }
    if (m->body_type[body] != SS_BODY_RIGID) {
        return;
    }
    const ss_mat3 *I = &m->body_inertia[body];
    if (m->dimension == 2) {
        x[8] = I->c[2].z;
        return;
    }
    for (int j = 0; j < 3; j++) {
        x[21 + j] = I->c[j].x;
        x[27 + j] = I->c[j].y;
        x[33 + j] = I->c[j].z;
    }
}

ss_status ss_mass_fill(ss_context *ctx, const ss_model *m)
{
    for (int b = 0; b < m->bodies; b++) {
        if (!ss_model_is_dynamic(m, b)) {
            continue;
        }
        double *x = m->mass.diagonal.x + m->mass.diagonal.start[m->body_block[b]];
        if (m->body_type[b] == SS_BODY_BLOCK) {
            SS_TRY(ss_block_mass(ctx, m, b, 0, m->q0 + m->body_q[b], x));
        } else {
            fill_body(m, b, x);
        }
    }
    return SS_OK;
}

/* ---- sharing ---------------------------------------------------------------------------------- */

/* The last blocks that were found to be different from those before them, the oldest one to be replaced. */
enum { KINDS = 8 };
typedef struct kinds {
    int block[KINDS];
    int count;
} kinds;

/* a block among them with the same numbers as block b; -1: none */
static int find_kind(const kinds *known, const ss_blockdiag *M, const int *start, int b)
{
    const size_t bytes = (size_t)(M->size[b] * M->size[b]) * sizeof *M->x;
    for (int k = 0; k < known->count && k < KINDS; k++) {
        const int other = known->block[k];
        if (M->size[other] == M->size[b] && memcmp(M->x + start[other], M->x + M->start[b], bytes) == 0) {
            return other;
        }
    }
    return -1;
}

/* Every block of numbers that are new moves to the end of those before it. start[]: where blocks are from then on; returned is
 * how many numbers are left. */
static int gather_kinds(const ss_blockdiag *M, int *start)
{
    kinds known = { .count = 0 };
    int used = 0;
    for (int b = 0; b < M->blocks; b++) {
        const int n = M->size[b] * M->size[b], same = find_kind(&known, M, start, b);
        if (same < 0) {
            memmove(M->x + used, M->x + M->start[b], (size_t)n * sizeof *M->x);
            known.block[known.count++ % KINDS] = b;
        }
        start[b] = same < 0 ? used : start[same];
        used += same < 0 ? n : 0;
    }
    return used;
}

/* Grains of a pile are of a few kinds: what reads their blocks finds them in the cache, and most of a kilobyte for each of them
 * is saved. */
ss_status ss_mass_share(ss_context *ctx, ss_model *m)
{
    ss_blockdiag *M = &m->mass.diagonal;
    double *fewer;
    int *start;
    if (!m->constant_mass || m->massless.m > 0) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(ctx, (size_t)M->blocks, sizeof *start, &start));
    const size_t used = (size_t)gather_kinds(M, start);
    ss_free(ctx, (void *)M->start);
    M->start = start;
    SS_TRY(ss_calloc(ctx, used, sizeof *fewer, &fewer));
    if (used > 0) {
        memcpy(fewer, M->x, used * sizeof *fewer);
    }
    ss_free(ctx, M->x);
    M->x = fewer;
    return SS_OK;
}

/* A mass matrix with zeros on its diagonal has none, and one that varies has others at other places. */
ss_status ss_mass_factor(ss_context *ctx, ss_model *m)
{
    double *L;
    if (!m->constant_mass || m->massless.m > 0) {
        return SS_OK;
    }
    SS_TRY(ss_calloc(ctx, ss_model_mass_size(m), sizeof *L, &L));
    if (ss_blockdiag_factor(ctx, &m->mass.diagonal, L) == SS_OK) {
        m->mass.diagonal.factor = L;
    } else { /* who needs them says so */
        ss_free(ctx, L);
    }
    return SS_OK;
}

static bool varies(const ss_model *m, int body)
{
    return m->body_type[body] == SS_BODY_BLOCK && !m->body_callbacks[body]->constant_mass;
}

size_t ss_model_mass_size(const ss_model *m) { return (size_t)ss_blockdiag_numbers(&m->mass.diagonal); }

ss_status ss_model_mass(ss_context *ctx, const ss_model *m, double t, const double *q, double *x)
{
    memcpy(x, m->mass.diagonal.x, ss_model_mass_size(m) * sizeof *x);
    for (int b = 0; b < m->bodies && !m->constant_mass; b++) {
        if (varies(m, b)) {
            SS_TRY(ss_block_mass(ctx, m, b, t, q + m->body_q[b], x + m->mass.diagonal.start[m->body_block[b]]));
        }
    }
    return SS_OK;
}

size_t ss_model_mass_room(const ss_model *m) { return m->constant_mass ? 0 : ss_model_mass_size(m); }

ss_status ss_model_mass_at(ss_context *ctx, const ss_model *m, double t, const double *q, double *room, ss_blockdiag *M)
{
    *M = m->mass.diagonal;
    if (m->constant_mass) {
        return SS_OK;
    }
    M->x = room;
    M->factor = NULL;
    return ss_model_mass(ctx, m, t, q, room);
}

static double quadratic(int n, const double *A, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum += v[i] * A[i * n + j] * v[j];
        }
    }
    return sum;
}

/* Kinetic energies that are added up by ranges of bodies: so many at most, whatever the number of bodies. */
enum { RANGES = 64, FEWEST = 256 };

typedef struct kinetic_job {
    const ss_model *m;
    const double *v;
    int grain;
    double twice[RANGES];
} kinetic_job;

/* of bodies whose mass is constant */
static void add_range(void *data, int begin, int end)
{
    kinetic_job *x = data;
    const ss_blockdiag *M = &x->m->mass.diagonal;
    double sum = 0;
    for (int b = begin; b < end; b++) {
        if (ss_model_is_dynamic(x->m, b) && !varies(x->m, b)) {
            const int block = x->m->body_block[b];
            sum += quadratic(M->size[block], M->x + M->start[block], x->v + x->m->body_v[b]);
        }
    }
    x->twice[begin / x->grain] = sum;
}

ss_status ss_model_kinetic(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, double *energy)
{
    const int least = (m->bodies + RANGES - 1) / RANGES;
    kinetic_job x = { .m = m, .v = v, .grain = least > FEWEST ? least : FEWEST };
    double twice = 0;
    if (m->bodies > x.grain) {
        ss_parallel_for(ctx, m->bodies, x.grain, add_range, &x);
    } else {
        add_range(&x, 0, m->bodies);
    }
    for (int k = 0; k < RANGES; k++) {
        twice += x.twice[k];
    }
    for (int b = 0; b < m->bodies && !m->constant_mass; b++) {
        if (varies(m, b)) {
            SS_TRY(ss_block_mass(ctx, m, b, t, q + m->body_q[b], m->scratch));
            twice += quadratic(m->mass.diagonal.size[m->body_block[b]], m->scratch, v + m->body_v[b]);
        }
    }
    *energy = 0.5 * twice;
    return SS_OK;
}
