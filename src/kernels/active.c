/* active.c - which contacts of a survey a problem has. */
#include "kernels/vicinity.h"

ss_status ss_active_take(ss_active *x, ss_arena *arena, int count)
{
    *x = (ss_active){ .count = count };
    SS_TRY(ss_arena_take(arena, (size_t)count, sizeof *x->which, &x->which));
    return ss_arena_take(arena, (size_t)count, sizeof *x->has, &x->has);
}

int ss_active_list(ss_active *x)
{
    const int before = x->n;
    x->n = 0;
    for (int k = 0; k < x->count; k++) {
        if (x->has[k]) {
            x->which[x->n++] = k;
        }
    }
    return x->n - before;
}
