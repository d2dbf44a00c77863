/* sweep.c - contacts one after the other.
 *
 *   visit i:  u_i = q_i + H_i x;  r_i <- solution of contact i alone;  x += Y_i' dr_i,  Y_i = H_i K^-1     (velocity form)
 *   visit i:  u_i = W_i r + q_i;  r_i <- solution of contact i alone                                       (row form)
 *
 * x is v less the velocity without contacts, in units of sqrt(energy) (sweep_packed.c). K^-1 b is the v of (A v - G' lam = b, G v
 * = 0): joints, springs and dampers are eliminated, not swept. A row of Y fills the clusters (clusters.h) of its contact's bodies
 * and nothing more, so that between free bodies a visit touches two of them and with a chain all its links: what a contact does
 * to one end of the chain is felt at the other in the same visit. Sweeping over joint rows instead would send it link by link,
 * and need a number of sweeps that grows with the square of the length.
 *
 * Every island has a form of its own:
 *   velocity    as a rule
 *   rows        problems in local form; islands with couplings and few rows, whose W is smaller than their Y (DENSE_ROWS)
 *   none        not swept: coupled clusters larger than the caller allows, or Y needs more than MOST_NUMBERS: such clusters are
 *               factorised together with their active rows instead (alm)
 *
 * The bound of a moment of rolling friction is that of the moment of its visit, mu r_N with r_N of its host, which the visit
 * before has left (one_moment.c).
 *
 * What a moment takes from u_N of a host with an associated law is that of its last visit. A change of r_N moves it against
 * itself, by mu^2 d_moment/d_host of what it moves u_N by: it goes that much less of the way to its new value, so that visits do
 * not overshoot. Where they still go in circles, such a contact is visited with all its moments: a step of the projected
 * gradient, r <- P(r - D^-1 u) on the cone of all, with D a diagonal matrix above W. That always descends.
 *
 * Frozen: s_i of u^_i = u_i + s_i n is a number kept per contact and the law is u^_i in K*, which is convex.
 *
 * The order is that of sweep_order.c; contacts of one colour are visited at the same time, and the result does not depend
 * on the number of threads. Data of a contact lie together and in the order of the visits.
 * Cost        a pass: entries of H and Y (or of W); prepare: see sweep_pieces.c                       */
#include "base/parallel.h"
#include "math/matrix.h"
#include "problem/residual.h"
#include "problem/sweep_inside.h"

#include <math.h>

enum {
    DENSE_ROWS = 600,       /* of an island, up to which W may be a full matrix          */
    MOST_NUMBERS = 1 << 25, /* in Y of an island: 256 MB                                  */
    ROWS_GRAIN = 2048,      /* rows that a thread takes at a time                         */
};

ss_status ss_sweep_create(ss_context *ctx, ss_sweep **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_arena_create(ctx, 1 << 14, &(*out)->own);
    if (status == SS_OK) {
        status = ss_delassus_create(ctx, &(*out)->delassus);
    }
    if (status != SS_OK) {
        ss_sweep_destroy(*out);
        *out = NULL;
    }
    return status;
}

void ss_sweep_destroy(ss_sweep *s)
{
    if (!s) {
        return;
    }
    ss_arena_destroy(s->own);
    ss_delassus_destroy(s->delassus);
    ss_gram_free(s->ctx, &s->by_velocity.gram);
    ss_csr_free(s->ctx, &s->by_rows.dense);
    ss_free(s->ctx, s);
}

static ss_status take_ints(ss_sweep *s, int n, int **out) { return ss_arena_take(s->arena, (size_t)n, sizeof **out, out); }

static ss_status take_numbers(ss_sweep *s, int n, double **out) { return ss_arena_take(s->arena, (size_t)n, sizeof **out, out); }

/* ---- the order, and the form of each island ---------------------------------------------------- */

static ss_status take_contacts(ss_sweep *s)
{
    int nr = s->problem->row[s->problem->nc], n = s->problem->nc;
    SS_TRY(take_numbers(s, nr, &s->weight));
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)nr, sizeof *s->q, &s->q));
    return take_numbers(s, n, &s->contacts.slide);
}

static ss_status list_rows(ss_sweep *s)
{
    const int pieces = ss_sweep_piece(ss_sweep_class(&s->order, s->order.islands), s->order.positions) + 1;
    int at = 0;
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)pieces, sizeof *s->contacts.seen, &s->contacts.seen));
    SS_TRY(take_ints(s, s->order.positions, &s->contacts.row));
    SS_TRY(take_ints(s, s->order.positions, &s->contacts.at));
    SS_TRY(take_ints(s, s->problem->row[s->problem->nc], &s->islands.rows));
    SS_TRY(take_ints(s, s->order.islands + 1, &s->islands.first_row));
    SS_TRY(take_numbers(s, s->order.islands, &s->islands.size));
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
            s->contacts.row[k] = s->problem->row[s->order.contact[k]];
            for (int i = 0; i < ss_sweep_rows_at(s, k); i++) {
                s->islands.rows[at++] = s->contacts.row[k] + i;
            }
        }
        s->islands.first_row[island + 1] = at;
    }
    return SS_OK;
}

/* impulses of four contacts that are visited at once: those of the first row of each, then those of the second, .. */
static void interleave_rows(ss_sweep *s, int k, int *row)
{
    enum { LANES = SS_PACKED_LANES, ROWS = 3 };
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < ROWS; i++) {
            row[LANES * i + l] = s->contacts.row[k + l] + i;
        }
    }
}

/* where the impulses of each contact are; list_rows has listed them contact by contact */
static void place_impulses(ss_sweep *s)
{
    for (int island = 0; island < s->order.islands; island++) {
        const bool rows = s->islands.form[island] == SS_SWEEP_ROWS, packed = s->islands.form[island] == SS_SWEEP_VELOCITIES;
        int *row = s->islands.rows + s->islands.first_row[island], at = 0, four = 0;
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++, at += ss_sweep_rows_at(s, k - 1)) {
            ss_packed_place *place = packed ? &s->by_velocity.packed.place[k] : NULL;
            s->contacts.at[k] = rows ? s->contacts.row[k] : at;
            if (place && ss_packed_is_four(place)) {
                if (place->lane == 0) {
                    interleave_rows(s, k, row + at);
                    four = at;
                }
                s->contacts.at[k] = four + place->lane;
            }
            if (place) {
                place->r = s->contacts.at[k];
            }
        }
    }
}

/* what decides the form of an island */
typedef struct island_size {
    double numbers; /* of Y */
    double tied;    /* those of contacts that joints, springs or dampers pass on; others are packed, and have no Y */
    int coupled;    /* velocities of the largest coupled cluster that it touches */
} island_size;

static island_size size_of(const ss_sweep *s, const ss_clusters *clusters, int island)
{
    island_size sum = { 0 };
    for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
        const int contact = s->order.contact[k];
        for (int e = s->blocks.first[contact]; e < s->blocks.first[contact + 1]; e++) {
            const int cluster = clusters->of_block[s->blocks.block[e]];
            const double numbers = (double)ss_sweep_rows_at(s, k) * clusters->velocities[cluster];
            sum.numbers += numbers;
            sum.tied += clusters->coupled[cluster] || clusters->jointed[cluster] ? numbers : 0;
            bool larger = clusters->coupled[cluster] && clusters->velocities[cluster] > sum.coupled;
            sum.coupled = larger ? clusters->velocities[cluster] : sum.coupled;
        }
    }
    return sum;
}

/* do joints, springs or dampers tie any bodies? */
static bool ties_bodies(const ss_problem *p) { return p->nj > 0 || !ss_matrix_is_block_diagonal(&p->A); }

static ss_status choose_forms(ss_sweep *s, const ss_clusters *clusters, int largest_cluster)
{
    const bool local = s->problem->local, tied = !local && ties_bodies(s->problem);
    SS_TRY(ss_arena_take(s->arena, (size_t)s->order.islands, sizeof *s->islands.form, &s->islands.form));
    for (int island = 0; island < s->order.islands; island++) {
        const double rows = s->islands.first_row[island + 1] - s->islands.first_row[island];
        const island_size size = tied ? size_of(s, clusters, island) : (island_size){ 0 };
        bool full = local || (size.coupled > 0 && rows <= DENSE_ROWS && rows * rows < size.numbers);
        bool large = size.tied > MOST_NUMBERS || (largest_cluster > 0 && size.coupled > largest_cluster);
        s->islands.form[island] = full ? SS_SWEEP_ROWS : large ? SS_SWEEP_NONE : SS_SWEEP_VELOCITIES;
    }
    return SS_OK;
}

/* ---- velocity form ------------------------------------------------------------------------------ */

/* rows whose velocity without contacts is asked for */
typedef struct free_rows {
    const ss_sweep *s;
    const double *v;
} free_rows;

static void set_free_rows(void *data, int begin, int end)
{
    const free_rows *f = data;
    const ss_problem *p = f->s->problem;
    for (int i = begin; i < end; i++) {
        f->s->q[i] = p->w[i] + ss_csr_row_dot(&p->H, i, f->v);
    }
}

/* the velocity without contacts, and the blocks of each island */
static ss_status prepare_velocities(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    ss_sweep_velocities *f = &s->by_velocity;
    double *lam, *v_free;
    SS_TRY(ss_groups_make(s->arena, s->found.count, p->scale.blocks, s->found.of_block, &f->blocks));
    SS_TRY(take_numbers(s, p->nv, &f->x));
    SS_TRY(take_numbers(s, p->nv, &f->x_last));
    const ss_arena_mark mark = ss_arena_save(s->arena);
    SS_TRY(take_numbers(s, p->nv, &v_free));
    SS_TRY(take_numbers(s, p->nj, &lam));
    SS_TRY(ss_kkt_solve(s->kkt, p->b, p->c, v_free, lam));
    free_rows all = { .s = s, .v = v_free };
    ss_parallel_for(s->ctx, p->H.m, ROWS_GRAIN, set_free_rows, &all);
    ss_arena_release(s->arena, mark);
    return SS_OK;
}

static ss_status want_positions(ss_sweep *s, bool **wanted)
{
    SS_TRY(ss_arena_take(s->arena, (size_t)s->order.positions, sizeof **wanted, wanted));
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
            (*wanted)[k] = s->islands.form[island] == SS_SWEEP_VELOCITIES;
        }
    }
    return SS_OK;
}

static ss_status pack(ss_sweep *s, const ss_clusters *clusters, bool single, bool *wanted)
{
    const ss_packed_source from = { .ctx = s->ctx,
                                    .arena = s->arena,
                                    .problem = s->problem,
                                    .clusters = clusters,
                                    .blocks = &s->blocks,
                                    .L = ss_kkt_block_factor(s->kkt),
                                    .q = s->q,
                                    .apart = s->contacts.apart,
                                    .order = &s->order,
                                    .single = single };
    return ss_packed_make(&from, wanted, &s->by_velocity.packed);
}

/* Memory for all contacts whose records do not tell what they are on their own. */
static ss_status number_contacts(ss_sweep *s)
{
    const ss_packed_place *place = s->problem->local ? NULL : s->by_velocity.packed.place;
    int count = 0;
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)s->order.positions, sizeof *s->contacts.number, &s->contacts.number));
    for (int k = 0; k < s->order.positions; k++) {
        const bool told = place && place[k].kind != SS_PACKED_NOT && place[k].law != 0;
        s->contacts.number[k] = told ? -1 : count++;
    }
    return ss_arena_take_raw(s->arena, (size_t)count, sizeof *s->contacts.one, &s->contacts.one);
}

/* Packed contacts with W of their records; others have no impulse (islands that are not swept, or by rows), or are wanted: *some
 * of them are. */
static void open_unwanted(ss_sweep *s, const bool *wanted, bool *some)
{
    const double none[9] = { 0 };
    *some = false;
    for (int k = 0; k < s->order.positions; k++) {
        const ss_packed_place *at = &s->by_velocity.packed.place[k];
        if (at->kind != SS_PACKED_NOT && s->contacts.number[k] >= 0) {
            const ss_one_contact packed = ss_packed_one(at, s->by_velocity.packed.x);
            ss_sweep_open(s, k, packed.W);
        } else if (at->kind == SS_PACKED_NOT && !wanted[k]) {
            ss_sweep_open(s, k, none);
        }
        *some = *some || wanted[k];
    }
}

/* rows of H along the blocks, of the wanted positions */
static ss_status cut_rows(ss_sweep *s, const bool *wanted)
{
    const ss_problem *p = s->problem;
    bool *row;
    SS_TRY(ss_arena_take(s->arena, (size_t)p->row[p->nc], sizeof *row, &row));
    for (int k = 0; k < s->order.positions; k++) {
        memset(row + s->contacts.row[k], wanted[k], (size_t)ss_sweep_rows_at(s, k) * sizeof *row);
    }
    return ss_gram_build_some(s->ctx, &s->by_velocity.gram, &p->scale, ss_kkt_block_factor(s->kkt), &p->H, row);
}

static ss_status open_by_velocity(ss_sweep *s, const ss_clusters *clusters, const ss_sweep_links *links, bool single)
{
    bool *wanted, some;
    SS_TRY(want_positions(s, &wanted));
    SS_TRY(ss_sweep_set_apart(s));
    SS_TRY(pack(s, clusters, single, wanted));
    SS_TRY(number_contacts(s));
    open_unwanted(s, wanted, &some);
    if (!some) {
        return SS_OK;
    }
    SS_TRY(cut_rows(s, wanted));
    ss_piece_source from = { .arena = s->arena,
                             .problem = s->problem,
                             .kkt = s->kkt,
                             .clusters = clusters,
                             .gram = &s->by_velocity.gram,
                             .order = &s->order,
                             .links = links,
                             .wanted = wanted,
                             .number = s->contacts.number };
    return ss_pieces_cut(&from, &s->by_velocity.H, &s->by_velocity.Y, s->contacts.one);
}

/* ---- prepare ---------------------------------------------------------------------------------- */

typedef struct scales_job {
    ss_sweep *s;
    double *size; /* positions: the free velocity of a contact over the root of its d */
} scales_job;

/* d of every row */
static void find_weights(void *data, int begin, int end)
{
    const scales_job *x = data;
    ss_sweep *s = x->s;
    for (int k = begin; k < end; k++) {
        const double d = ss_sweep_mobility(s, k);
        double square = 0;
        for (int i = s->contacts.row[k]; i < s->contacts.row[k] + ss_sweep_rows_at(s, k); i++) {
            s->weight[i] = d;
            square += s->q[i] * s->q[i];
        }
        x->size[k] = d > 0 ? sqrt(square / d) : 0;
    }
}

/* d of every row, and the size of each island's free velocities */
static ss_status find_scales(ss_sweep *s)
{
    enum { GRAIN = 512 };
    const ss_arena_mark mark = ss_arena_save(s->arena);
    scales_job x = { .s = s };
    SS_TRY(ss_arena_take_raw(s->arena, (size_t)s->order.positions, sizeof *x.size, &x.size));
    ss_parallel_for(s->ctx, s->order.positions, GRAIN, find_weights, &x);
    for (int island = 0; island < s->order.islands; island++) {
        double *size = &s->islands.size[island];
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
            *size = x.size[k] > *size ? x.size[k] : *size;
        }
    }
    ss_arena_release(s->arena, mark);
    return SS_OK;
}

/* Islands are those of the certificate where it has looked at the problem. */
static ss_status find_islands(ss_sweep *s)
{
    const bool known = ss_residual_held_islands(s->ctx, s->problem, &s->found);
    return known ? SS_OK : ss_islands_find(s->arena, s->problem, &s->found);
}

static ss_status prepare_global(ss_sweep *s, const ss_sweep_options *options)
{
    const ss_problem *p = s->problem;
    const ss_clusters *clusters;
    ss_sweep_links links = { .contacts = &s->blocks };
    SS_TRY(ss_kkt_clusters(s->kkt, &clusters));
    links.clusters = clusters;
    links.alone = clusters->count == p->scale.blocks;
    SS_TRY(ss_contact_blocks_of(s->ctx, s->arena, p, &s->blocks));
    SS_TRY(take_ints(s, p->scale.blocks, &links.stamp));
    SS_TRY(take_ints(s, p->scale.blocks, &links.list));
    SS_TRY(prepare_velocities(s));
    SS_TRY(ss_sweep_order_make(s->arena, p, &s->found, &links, s->q, options->colour_above, &s->order));
    SS_TRY(list_rows(s));
    SS_TRY(choose_forms(s, clusters, options->largest_cluster));
    SS_TRY(open_by_velocity(s, clusters, &links, options->single));
    return ss_matrix_is_block_diagonal(&p->A) ? SS_OK : ss_sweep_open_rows(s);
}

static ss_status prepare_local(ss_sweep *s, const ss_sweep_options *options)
{
    const ss_sweep_links links = { 0 };
    SS_TRY(ss_sweep_order_make(s->arena, s->problem, &s->found, &links, NULL, options->colour_above, &s->order));
    SS_TRY(list_rows(s));
    SS_TRY(number_contacts(s));
    SS_TRY(choose_forms(s, NULL, 0));
    return ss_sweep_open_rows(s);
}

ss_status ss_sweep_prepare(ss_sweep *s, const ss_problem *problem, ss_kkt *kkt, const ss_sweep_options *options, ss_arena *arena)
{
    s->problem = problem;
    s->kkt = kkt;
    ss_arena_reset(s->own);
    s->arena = arena ? arena : s->own;
    SS_TRY(find_islands(s));
    SS_TRY(take_contacts(s));
    SS_TRY(problem->local ? prepare_local(s, options) : prepare_global(s, options));
    place_impulses(s);
    SS_TRY(find_scales(s));
    return ss_sweep_list_hosts(s);
}

int ss_sweep_islands(const ss_sweep *s) { return s->order.islands; }

bool ss_sweep_takes(const ss_sweep *s, int island) { return s->islands.form[island] != SS_SWEEP_NONE; }

int ss_sweep_rows(const ss_sweep *s, int island, const int **row)
{
    *row = s->islands.rows + s->islands.first_row[island];
    return s->islands.first_row[island + 1] - s->islands.first_row[island];
}

void ss_sweep_read(const ss_sweep *s, int island, const double *all, double *r)
{
    const int *row, rows = ss_sweep_rows(s, island, &row);
    for (int i = 0; i < rows; i++) {
        r[i] = all[row[i]];
    }
}

void ss_sweep_write(const ss_sweep *s, int island, const double *r, double *all)
{
    const int *row, rows = ss_sweep_rows(s, island, &row);
    for (int i = 0; i < rows; i++) {
        all[row[i]] = r[i];
    }
}

const double *ss_sweep_weights(const ss_sweep *s) { return s->weight; }
