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
#include "math/matrix.h"
#include "problem/sweep_inside.h"

#include <math.h>

enum {
    DENSE_ROWS = 600,       /* of an island, up to which W may be a full matrix          */
    MOST_NUMBERS = 1 << 25, /* in Y of an island: 256 MB                                  */
};

ss_status ss_sweep_create(ss_context *ctx, ss_sweep **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    ss_status status = ss_arena_create(ctx, 1 << 14, &(*out)->arena);
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
    ss_arena_destroy(s->arena);
    ss_delassus_destroy(s->delassus);
    ss_gram_free(s->ctx, &s->gram);
    ss_csr_free(s->ctx, &s->by_rows.dense);
    ss_free(s->ctx, s);
}

static ss_status take_ints(ss_sweep *s, int n, int **out) { return ss_arena_take(s->arena, (size_t)n, sizeof **out, out); }

static ss_status take_numbers(ss_sweep *s, int n, double **out) { return ss_arena_take(s->arena, (size_t)n, sizeof **out, out); }

static int rows_of(const ss_sweep *s, int k) { return s->problem->row[s->order.contact[k] + 1] - s->contacts.row[k]; }

/* ---- the order, and the form of each island ---------------------------------------------------- */

static ss_status take_contacts(ss_sweep *s)
{
    int nr = s->problem->row[s->problem->nc], n = s->problem->nc;
    SS_TRY(take_numbers(s, nr, &s->weight));
    SS_TRY(take_numbers(s, nr, &s->q));
    SS_TRY(take_numbers(s, n, &s->islands.size)); /* an island with contacts has at least one */
    SS_TRY(take_numbers(s, n, &s->contacts.change));
    SS_TRY(take_numbers(s, n, &s->contacts.load));
    SS_TRY(take_numbers(s, n, &s->contacts.slide));
    return ss_arena_take_raw(s->arena, (size_t)n, sizeof *s->contacts.one, &s->contacts.one);
}

/* the positions of hosts that moments lift */
static ss_status list_lifted(ss_sweep *s, const int *position)
{
    const ss_problem *p = s->problem;
    SS_TRY(take_ints(s, s->order.positions, &s->contacts.lifted));
    SS_TRY(take_numbers(s, s->order.positions, &s->contacts.lift));
    SS_TRY(take_ints(s, s->order.positions, &s->contacts.next));
    SS_TRY(ss_arena_take(s->arena, (size_t)s->order.positions, sizeof *s->contacts.together, &s->contacts.together));
    for (int k = 0; k < s->order.positions; k++) {
        s->contacts.next[k] = -1;
    }
    for (int k = 0; k < s->order.positions; k++) {
        const int contact = s->order.contact[k], host = s->contacts.host[k] >= 0 ? p->host[contact] : contact;
        const bool associated = p->law[host] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL);
        s->contacts.lifted[k] = host != contact && associated ? position[host] : -1;
        if (s->contacts.lifted[k] >= 0) {
            s->contacts.next[k] = s->contacts.next[position[host]];
            s->contacts.next[position[host]] = k;
        }
    }
    return SS_OK;
}

static ss_status list_hosts(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    int *position;
    s->contacts.host = NULL;
    if (!p->host) {
        return SS_OK;
    }
    SS_TRY(take_ints(s, p->nc, &position));
    for (int k = 0; k < s->order.positions; k++) {
        position[s->order.contact[k]] = k;
    }
    SS_TRY(take_ints(s, s->order.positions, &s->contacts.host));
    for (int k = 0; k < s->order.positions; k++) {
        const int contact = s->order.contact[k];
        s->contacts.host[k] = p->law[contact] == SS_LAW_ROLLING ? s->contacts.at[position[p->host[contact]]] : -1;
    }
    return list_lifted(s, position);
}

static ss_status list_rows(ss_sweep *s)
{
    int at = 0;
    SS_TRY(take_ints(s, s->order.positions, &s->contacts.row));
    SS_TRY(take_ints(s, s->order.positions, &s->contacts.at));
    SS_TRY(take_ints(s, s->problem->row[s->problem->nc], &s->islands.rows));
    SS_TRY(take_ints(s, s->order.islands + 1, &s->islands.first_row));
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
            s->contacts.row[k] = s->problem->row[s->order.contact[k]];
            for (int i = 0; i < rows_of(s, k); i++) {
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
        int *row = s->islands.rows + s->islands.first_row[island], at = 0, four = 0, lane = 0;
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++, at += rows_of(s, k - 1)) {
            ss_packed_place *place = packed ? &s->by_velocity.packed.place[k] : NULL;
            s->contacts.at[k] = rows ? s->contacts.row[k] : at;
            if (place && place->kind == SS_PACKED_FOUR) {
                if (lane == 0) {
                    interleave_rows(s, k, row + at);
                    four = at;
                }
                s->contacts.at[k] = four + lane;
                lane = (lane + 1) % SS_PACKED_LANES;
            }
            if (place) {
                place->r = s->contacts.at[k];
            }
        }
    }
}

/* numbers of Y in an island, and the velocities of the largest coupled cluster that it touches */
static double numbers_of(const ss_sweep *s, const ss_clusters *clusters, int island, int *coupled)
{
    double sum = 0;
    *coupled = 0;
    for (int i = s->islands.first_row[island]; i < s->islands.first_row[island + 1]; i++) {
        int row = s->islands.rows[i];
        for (int e = s->gram.first[row]; e < s->gram.first[row + 1]; e++) {
            int cluster = clusters->of_block[s->gram.block[e]];
            sum += clusters->velocities[cluster];
            bool larger = clusters->coupled[cluster] && clusters->velocities[cluster] > *coupled;
            *coupled = larger ? clusters->velocities[cluster] : *coupled;
        }
    }
    return sum;
}

static ss_status choose_forms(ss_sweep *s, const ss_clusters *clusters, int largest_cluster)
{
    SS_TRY(ss_arena_take(s->arena, (size_t)s->order.islands, sizeof *s->islands.form, &s->islands.form));
    for (int island = 0; island < s->order.islands; island++) {
        int coupled = 0;
        double rows = s->islands.first_row[island + 1] - s->islands.first_row[island];
        double numbers = s->problem->local ? 0 : numbers_of(s, clusters, island, &coupled);
        bool full = s->problem->local || (coupled > 0 && rows <= DENSE_ROWS && rows * rows < numbers);
        bool large = numbers > MOST_NUMBERS || (largest_cluster > 0 && coupled > largest_cluster);
        s->islands.form[island] = full ? SS_SWEEP_ROWS : large ? SS_SWEEP_NONE : SS_SWEEP_VELOCITIES;
    }
    return SS_OK;
}

/* ---- velocity form ------------------------------------------------------------------------------ */

/* the velocity without contacts, and the blocks of each island */
static ss_status prepare_velocities(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    ss_sweep_velocities *f = &s->by_velocity;
    double *lam, *v_free;
    SS_TRY(ss_groups_make(s->arena, s->found.count, p->scale.blocks, s->found.of_block, &f->blocks));
    SS_TRY(take_numbers(s, p->nv, &f->x));
    SS_TRY(take_numbers(s, p->nv, &f->x_last));
    SS_TRY(take_numbers(s, p->nv, &v_free));
    SS_TRY(take_numbers(s, p->nj, &lam));
    SS_TRY(ss_kkt_solve(s->kkt, p->b, p->c, v_free, lam));
    for (int i = 0; i < p->H.m; i++) {
        s->q[i] = p->w[i] + ss_csr_row_dot(&p->H, i, v_free);
    }
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

static ss_status pack(ss_sweep *s, const ss_clusters *clusters, const ss_sweep_links *links, bool *wanted)
{
    const ss_packed_source from = { .arena = s->arena,
                                    .problem = s->problem,
                                    .clusters = clusters,
                                    .gram = &s->gram,
                                    .L = ss_kkt_block_factor(s->kkt),
                                    .q = s->q,
                                    .apart = s->apart,
                                    .order = &s->order,
                                    .links = links };
    return ss_packed_make(&from, wanted, s->contacts.one, &s->by_velocity.packed);
}

/* which contacts are visited in the general way, because of moments */
static ss_status set_apart(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    s->apart = NULL;
    if (!p->host) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(s->arena, (size_t)p->nc, sizeof *s->apart, &s->apart));
    for (int k = 0; k < p->nc; k++) {
        s->apart[k] = s->apart[k] || p->law[k] == SS_LAW_ROLLING;
        if (p->law[k] == SS_LAW_ROLLING && p->law[p->host[k]] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL)) {
            s->apart[p->host[k]] = true;
        }
    }
    return SS_OK;
}

static ss_status open_by_velocity(ss_sweep *s, const ss_clusters *clusters, const ss_sweep_links *links)
{
    double *W;
    bool *wanted;
    SS_TRY(want_positions(s, &wanted));
    SS_TRY(set_apart(s));
    SS_TRY(pack(s, clusters, links, wanted));
    SS_TRY(ss_arena_take_raw(s->arena, 9 * (size_t)s->order.positions, sizeof *W, &W));
    for (int k = 0; k < s->order.positions; k++) {
        if (s->by_velocity.packed.place[k].kind == SS_PACKED_NOT) { /* the others have theirs in their record */
            memset(W + 9 * k, 0, 9 * sizeof *W);
        }
    }
    ss_piece_source from = { .arena = s->arena,
                             .problem = s->problem,
                             .kkt = s->kkt,
                             .clusters = clusters,
                             .gram = &s->gram,
                             .order = &s->order,
                             .links = links,
                             .wanted = wanted };
    SS_TRY(ss_pieces_cut(&from, &s->by_velocity.H, &s->by_velocity.Y, W));
    for (int k = 0; k < s->order.positions; k++) {
        if (s->by_velocity.packed.place[k].kind == SS_PACKED_NOT) {
            ss_one_contact_open(&s->contacts.one[k], s->problem, s->order.contact[k], W + 9 * k);
        }
    }
    return SS_OK;
}

/* ---- row form --------------------------------------------------------------------------------- */

/* the rows of W of one island, dense, in the order of visits */
static ss_status append_island(ss_sweep *s, int rows, const int *row)
{
    double *W, *q;
    SS_TRY(ss_arena_take(s->arena, (size_t)rows * (size_t)rows, sizeof *W, &W));
    SS_TRY(take_numbers(s, rows, &q));
    SS_TRY(ss_delassus_submatrix(s->delassus, s->arena, rows, row, W, q));
    for (int i = 0; i < rows; i++) {
        s->q[row[i]] = q[i];
        for (int j = 0; j < rows; j++) {
            SS_TRY(ss_csr_push(s->ctx, &s->by_rows.dense, row[j], W[(size_t)i + (size_t)rows * (size_t)j]));
        }
        SS_TRY(ss_csr_end_row(s->ctx, &s->by_rows.dense));
    }
    return SS_OK;
}

/* W of the islands that have couplings and few rows */
static ss_status make_dense(ss_sweep *s)
{
    bool prepared = false;
    ss_csr_reset(&s->by_rows.dense, s->problem->H.m);
    for (int island = 0; island < s->order.islands; island++) {
        const int *row;
        int rows = ss_sweep_rows(s, island, &row), at = s->by_rows.dense.m;
        if (s->islands.form[island] != SS_SWEEP_ROWS) {
            continue;
        }
        SS_TRY(prepared ? SS_OK : ss_delassus_prepare(s->delassus, s->problem, s->kkt));
        prepared = true;
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
            s->by_rows.first[k] = at;
            at += rows_of(s, k);
        }
        ss_arena_mark mark = ss_arena_save(s->arena);
        ss_status status = append_island(s, rows, row);
        ss_arena_release(s->arena, mark);
        SS_TRY(status);
    }
    s->by_rows.W = &s->by_rows.dense;
    return SS_OK;
}

static void own_block(const ss_sweep *s, int k, double *W)
{
    int rows = rows_of(s, k), first = s->by_rows.first[k];
    for (int i = 0; i < rows; i++) {
        for (int e = s->by_rows.W->p[first + i]; e < s->by_rows.W->p[first + i + 1]; e++) {
            int j = s->by_rows.W->i[e] - s->contacts.row[k];
            if (j >= 0 && j < rows) {
                W[rows * i + j] += s->by_rows.W->x[e];
            }
        }
    }
}

static ss_status open_by_rows(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    SS_TRY(take_ints(s, s->order.positions, &s->by_rows.first));
    SS_TRY(take_numbers(s, p->row[p->nc], &s->by_rows.r));
    if (p->local) {
        memcpy(s->by_rows.first, s->contacts.row, (size_t)s->order.positions * sizeof *s->by_rows.first);
        memcpy(s->q, p->w, (size_t)p->W.m * sizeof *s->q);
        s->by_rows.W = &p->W;
    } else {
        SS_TRY(make_dense(s));
    }
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = ss_sweep_position(s, island);
             s->islands.form[island] == SS_SWEEP_ROWS && k < ss_sweep_position(s, island + 1); k++) {
            double W[9] = { 0 };
            own_block(s, k, W);
            ss_one_contact_open(&s->contacts.one[k], p, s->order.contact[k], W);
        }
    }
    return SS_OK;
}

/* ---- prepare ---------------------------------------------------------------------------------- */

/* d of every row, and the size of each island's free velocities */
static void find_scales(ss_sweep *s)
{
    for (int island = 0; island < s->order.islands; island++) {
        for (int k = ss_sweep_position(s, island); k < ss_sweep_position(s, island + 1); k++) {
            const ss_one_contact *one = &s->contacts.one[k];
            double square = 0, d = fmax(0, one->d), *size = &s->islands.size[island];
            for (int i = s->contacts.row[k]; i < s->contacts.row[k] + one->rows; i++) {
                s->weight[i] = d;
                square += s->q[i] * s->q[i];
            }
            *size = d > 0 ? fmax(*size, sqrt(square / d)) : *size;
        }
    }
}

static ss_status prepare_global(ss_sweep *s, const ss_sweep_options *options)
{
    const ss_problem *p = s->problem;
    const ss_clusters *clusters;
    ss_sweep_links links = { .contacts = &s->gram };
    SS_TRY(ss_kkt_clusters(s->kkt, &clusters));
    links.clusters = clusters;
    SS_TRY(ss_gram_build(s->ctx, &s->gram, &p->scale, ss_kkt_block_factor(s->kkt), &p->H));
    SS_TRY(take_ints(s, p->scale.blocks, &links.stamp));
    SS_TRY(take_ints(s, p->scale.blocks, &links.list));
    SS_TRY(prepare_velocities(s));
    SS_TRY(ss_sweep_order_make(s->arena, p, &s->found, &links, s->q, options->colour_above, &s->order));
    SS_TRY(list_rows(s));
    SS_TRY(choose_forms(s, clusters, options->largest_cluster));
    SS_TRY(open_by_velocity(s, clusters, &links));
    return ss_matrix_is_block_diagonal(&p->A) ? SS_OK : open_by_rows(s);
}

static ss_status prepare_local(ss_sweep *s, const ss_sweep_options *options)
{
    const ss_sweep_links links = { 0 };
    SS_TRY(ss_sweep_order_make(s->arena, s->problem, &s->found, &links, NULL, options->colour_above, &s->order));
    SS_TRY(list_rows(s));
    SS_TRY(choose_forms(s, NULL, 0));
    return open_by_rows(s);
}

ss_status ss_sweep_prepare(ss_sweep *s, const ss_problem *problem, ss_kkt *kkt, const ss_sweep_options *options)
{
    s->problem = problem;
    s->kkt = kkt;
    ss_arena_reset(s->arena);
    SS_TRY(ss_islands_find(s->arena, problem, &s->found));
    SS_TRY(take_contacts(s));
    SS_TRY(problem->local ? prepare_local(s, options) : prepare_global(s, options));
    place_impulses(s);
    find_scales(s);
    return list_hosts(s);
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
