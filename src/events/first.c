/* first.c - the first event among several functions along a step.
 *
 * All armed functions are looked at where the step ends. One that is negative there has a root before;
 * it is bracketed and found. At that root all armed functions are looked at again: any that is already
 * negative has an earlier root, and the search goes on below. It ends when nothing is negative before
 * the root, after at most `count` rounds. Functions that vanish within `tie` after it come with it.
 *
 * A function that falls below zero and rises again between two evaluations is missed. */
#include "events/events.h"

typedef struct single {
    const ss_event_search *search;
    int which;
} single;

static ss_status eval_single(void *user, double s, double *f)
{
    const single *one = user;
    return one->search->eval(one->search->user, s, 1, &one->which, f);
}

/* armed functions, in increasing order */
static int list_armed(const ss_event_search *search, int *which)
{
    int n = 0;
    for (int k = 0; k < search->count; k++) {
        if (search->start[k] > search->armed[k]) {
            which[n++] = k;
        }
    }
    return n;
}

/* position in `which` of the function that seems to cross first, by the chord; -1: none is negative */
static int earliest(const ss_event_search *search, int n, const int *which, const double *g, int except)
{
    int best = -1;
    double best_s = 2;
    for (int j = 0; j < n; j++) {
        double start = search->start[which[j]];
        if (which[j] != except && g[j] < -search->accept && start / (start - g[j]) < best_s) {
            best = j;
            best_s = start / (start - g[j]);
        }
    }
    return best;
}

/* all armed functions that are zero at s or become so within `tie` */
static ss_status collect_ties(const ss_event_search *search, int n, const int *armed, const double *at_root, double *g, int first,
                              ss_event_found *out)
{
    double later = out->s + search->tie < search->length ? out->s + search->tie : search->length;
    SS_TRY(search->eval(search->user, later, n, armed, g));
    out->evaluations++;
    out->count = 0;
    for (int j = 0; j < n; j++) {
        if (armed[j] == first || at_root[j] <= search->accept || g[j] <= 0) {
            out->which[out->count++] = armed[j];
        }
    }
    return SS_OK;
}

ss_status ss_events_first(ss_arena *arena, const ss_event_search *search, ss_event_found *out)
{
    *out = (ss_event_found){ .found = false, .s = search->length };
    if (search->count == 0 || search->length <= search->floor) {
        return SS_OK;
    }
    int *armed;
    double *g, *later;
    SS_TRY(ss_arena_take(arena, (size_t)search->count, sizeof *armed, &armed));
    SS_TRY(ss_arena_take(arena, (size_t)search->count, sizeof *out->which, &out->which));
    SS_TRY(ss_arena_take(arena, (size_t)search->count, sizeof *g, &g));
    SS_TRY(ss_arena_take(arena, (size_t)search->count, sizeof *later, &later));
    int n = list_armed(search, armed), first = -1;
    if (n == 0) {
        return SS_OK;
    }
    SS_TRY(search->eval(search->user, search->length, n, armed, g));
    out->evaluations++;
    int j = earliest(search, n, armed, g, -1);
    for (int round = 0; j >= 0 && round < n; round++, j = earliest(search, n, armed, g, first)) {
        single one = { search, armed[j] };
        first = armed[j];
        SS_TRY(ss_root_bracketed(eval_single, &one, 0, search->start[first], out->s, g[j], search->tol, search->accept, &out->s,
                                 &out->evaluations));
        SS_TRY(search->eval(search->user, out->s, n, armed, g));
        out->evaluations++;
        out->found = true;
    }
    return out->found ? collect_ties(search, n, armed, g, later, first, out) : SS_OK;
}
