/* broad_phase.c - pairs of boxes that overlap, by sweep and prune.
 *
 * Finite boxes are sorted by their lower ends along the axis on which their centres vary most, and each is
 * compared with those that begin before it ends. Boxes with an infinite side are compared with all others
 * apart, so one floor does not spoil the sweep. Touching counts as overlap.
 * The pairs are put in order (a, then b) by two counting sorts. Nothing depends on earlier calls.
 *
 * Cost   n log n + n k (k: boxes that overlap along the axis) + pairs + n; memory is kept between calls. */
#include "geom/geom.h"

typedef struct item {
    double lo;
    int index;
} item;

struct ss_broad_phase {
    ss_context *ctx;
    item *item, *scratch;          /* finite boxes; a buffer for sorting */
    int *wide;                     /* boxes with an infinite side        */
    ss_index_pair *pair, *ordered; /* as found; a buffer for sorting     */
    int *count;                    /* of pairs per box                   */
    int item_cap, scratch_cap, wide_cap, pair_cap, ordered_cap, count_cap;
    int items, wides, pairs;
};

ss_status ss_broad_phase_create(ss_context *ctx, ss_broad_phase **out)
{
    SS_TRY(ss_calloc(ctx, 1, sizeof **out, out));
    (*out)->ctx = ctx;
    return SS_OK;
}

void ss_broad_phase_destroy(ss_broad_phase *bp)
{
    if (bp) {
        ss_free(bp->ctx, bp->item);
        ss_free(bp->ctx, bp->scratch);
        ss_free(bp->ctx, bp->wide);
        ss_free(bp->ctx, bp->pair);
        ss_free(bp->ctx, bp->ordered);
        ss_free(bp->ctx, bp->count);
        ss_free(bp->ctx, bp);
    }
}

static double component(ss_vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

static bool finite_box(const ss_box3 *box)
{
    const ss_vec3 side = ss_sub(box->hi, box->lo);
    return isfinite(side.x) && isfinite(side.y) && isfinite(side.z);
}

static bool overlap(const ss_box3 *a, const ss_box3 *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z &&
           b->lo.z <= a->hi.z;
}

static ss_status push_pair(ss_broad_phase *bp, int i, int j)
{
    const ss_index_pair pair = i < j ? (ss_index_pair){ i, j } : (ss_index_pair){ j, i };
    SS_PUSH(bp->ctx, bp->pair, bp->pairs, bp->pair_cap, pair);
    return SS_OK;
}

/* split the boxes into finite and wide ones */
static ss_status classify(ss_broad_phase *bp, int n, const ss_box3 *boxes)
{
    bp->items = bp->wides = bp->pairs = 0;
    SS_TRY(ss_reserve(bp->ctx, &bp->item, &bp->item_cap, n, sizeof *bp->item));
    SS_TRY(ss_reserve(bp->ctx, &bp->scratch, &bp->scratch_cap, n, sizeof *bp->scratch));
    SS_TRY(ss_reserve(bp->ctx, &bp->wide, &bp->wide_cap, n, sizeof *bp->wide));
    for (int i = 0; i < n; i++) {
        if (finite_box(&boxes[i])) {
            bp->item[bp->items++] = (item){ 0, i };
        } else {
            bp->wide[bp->wides++] = i;
        }
    }
    return SS_OK;
}

/* the axis on which the centres of the finite boxes vary most */
static int longest_axis(const ss_broad_phase *bp, const ss_box3 *boxes)
{
    double best = -1;
    int longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        double mean = 0, variance = 0;
        for (int k = 0; k < bp->items; k++) {
            const ss_box3 *box = &boxes[bp->item[k].index];
            const double x = 0.5 * (component(box->lo, axis) + component(box->hi, axis)), step = x - mean;
            mean += step / (k + 1);
            variance += step * (x - mean);
        }
        if (variance > best) {
            best = variance;
            longest = axis;
        }
    }
    return longest;
}

static bool before(item x, item y) { return x.lo < y.lo || (x.lo == y.lo && x.index < y.index); }

static void merge(const item *from, int lo, int mid, int hi, item *to)
{
    int i = lo, j = mid;
    for (int k = lo; k < hi; k++) {
        to[k] = i < mid && (j >= hi || !before(from[j], from[i])) ? from[i++] : from[j++];
    }
}

/* merge sort, from runs of one upwards */
static void sort_items(ss_broad_phase *bp)
{
    const int n = bp->items;
    for (int run = 1; run < n; run *= 2) {
        for (int lo = 0; lo < n; lo += 2 * run) {
            merge(bp->item, lo, lo + run < n ? lo + run : n, lo + 2 * run < n ? lo + 2 * run : n, bp->scratch);
        }
        item *sorted = bp->scratch;
        bp->scratch = bp->item;
        bp->item = sorted;
        const int cap = bp->scratch_cap;
        bp->scratch_cap = bp->item_cap;
        bp->item_cap = cap;
    }
}

static ss_status sweep(ss_broad_phase *bp, const ss_box3 *boxes)
{
    const int axis = longest_axis(bp, boxes);
    for (int k = 0; k < bp->items; k++) {
        bp->item[k].lo = component(boxes[bp->item[k].index].lo, axis);
    }
    sort_items(bp);
    for (int i = 0; i < bp->items; i++) {
        const ss_box3 *box = &boxes[bp->item[i].index];
        const double end = component(box->hi, axis);
        for (int j = i + 1; j < bp->items && bp->item[j].lo <= end; j++) {
            if (overlap(box, &boxes[bp->item[j].index])) {
                SS_TRY(push_pair(bp, bp->item[i].index, bp->item[j].index));
            }
        }
    }
    return SS_OK;
}

/* each wide box with all finite ones and with the wide ones after it */
static ss_status pair_wide(ss_broad_phase *bp, const ss_box3 *boxes)
{
    for (int w = 0; w < bp->wides; w++) {
        const int i = bp->wide[w];
        for (int k = 0; k < bp->items; k++) {
            if (overlap(&boxes[i], &boxes[bp->item[k].index])) {
                SS_TRY(push_pair(bp, i, bp->item[k].index));
            }
        }
        for (int k = w + 1; k < bp->wides; k++) {
            if (overlap(&boxes[i], &boxes[bp->wide[k]])) {
                SS_TRY(push_pair(bp, i, bp->wide[k]));
            }
        }
    }
    return SS_OK;
}

/* stable counting sort of the pairs by one of their ends */
static void sort_by(const ss_index_pair *from, int pairs, bool by_b, int n, int *count, ss_index_pair *to)
{
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
    for (int k = 0; k < pairs; k++) {
        count[(by_b ? from[k].b : from[k].a) + 1]++;
    }
    for (int i = 0; i < n; i++) {
        count[i + 1] += count[i];
    }
    for (int k = 0; k < pairs; k++) {
        to[count[by_b ? from[k].b : from[k].a]++] = from[k];
    }
}

ss_status ss_broad_phase_pairs(ss_broad_phase *bp, int n, const ss_box3 *boxes, const ss_index_pair **pairs, int *count)
{
    SS_TRY(classify(bp, n, boxes));
    SS_TRY(sweep(bp, boxes));
    SS_TRY(pair_wide(bp, boxes));
    SS_TRY(ss_reserve(bp->ctx, &bp->ordered, &bp->ordered_cap, bp->pairs, sizeof *bp->ordered));
    SS_TRY(ss_reserve(bp->ctx, &bp->count, &bp->count_cap, n + 1, sizeof *bp->count));
    sort_by(bp->pair, bp->pairs, true, n, bp->count, bp->ordered);
    sort_by(bp->ordered, bp->pairs, false, n, bp->count, bp->pair);
    *pairs = bp->pair;
    *count = bp->pairs;
    return SS_OK;
}
