/* sharing.h - how contacts share a load that statics leaves open: the limit of vanishing compliance, island by island. */
#ifndef SS_SHARING_H
#define SS_SHARING_H

#include "base/base.h"
#include "problem/kkt.h"
#include "problem/residual.h"

typedef struct ss_sharing ss_sharing;

/* what was done */
typedef struct ss_sharing_info {
    int islands;   /* whose impulses were replaced                            */
    int dependent; /* of these: rows that are active depend on each other      */
    int followed;  /* of these: by following the solution from a large compliance */
    int left;      /* for which no limit was found: the solver's answer stays  */
    double chosen; /* largest change of a contact's velocity, of the speeds at hand */
} ss_sharing_info;

/* kkt and residual are the caller's, and are used. */
ss_status ss_sharing_create(ss_context *ctx, ss_kkt *kkt, ss_residual_work *residual, ss_sharing **out);
void ss_sharing_destroy(ss_sharing *sharing);
/* Before a solver replaces them: remember the impulses of the last step, if the solution holds them. */
ss_status ss_sharing_note(ss_sharing *sharing, const ss_problem *p, const ss_solution *s);
/* Replace the impulses of every island that a direct method can take (SS_SHARING_ROWS) by their limit, and v, lam, u with them,
 * provided that the certificate stays within tol, or becomes no worse; *residual is that of the solution before and after. Where
 * offsets p->w disagree by round-off, they are changed. */
ss_status ss_sharing_apply(ss_sharing *sharing, const ss_problem *p, double tol, ss_solution *s, ss_residual *residual,
                           ss_sharing_info *info);

enum { SS_SHARING_ROWS = 96 }; /* most contact rows of such an island: 32 contacts in space */

#endif
