/* chains.h - which solvers `auto` asks, one after the other. */
#ifndef SS_AUTO_CHAINS_H
#define SS_AUTO_CHAINS_H

#include <slipstick/problem.h>

enum { SS_AUTO_CHAIN = 8 }; /* most links of a chain; one without a solver ends it before */

typedef struct ss_auto_link {
    const char *solver;
    int (*limit)(const ss_problem *p, double tol);   /* iterations; 0: it is left out; NULL: the solver's own */
    int (*in_step)(const ss_problem *p, double tol); /* the same where the problem is one of many steps; NULL: no other */
    int unknowns;                                    /* not for a larger LCP; 0: for any   */
    double tighter;                                  /* tolerance over tol; 0: 1 */
    bool spared;                                     /* out of memory: try the next        */
    bool factorises;                                 /* a matrix as large as the velocities: only where that is affordable */
    bool afresh;                                     /* starts from zero; only where a guess was given, which may be far off */
    bool slow;                                       /* not where an answer is wanted soon (SS_EFFORT_BRIEF) */
    bool last_resort;                                /* slow, where others failed: first, whether there is a solution */
    bool hopeless;                                   /* an exact solver is among those: hardly worth its time */
    bool knows_gap;                                  /* it judges velocities by the duality gap, too: its `inaccurate` is final */
} ss_auto_link;

/* What the choice for an island depends on. */
typedef struct ss_auto_case {
    unsigned laws;                /* SS_LAW_ bits of its contacts  */
    int rows, velocities;         /* of the island                 */
    int all_rows, all_velocities; /* of the problem that it is an island of */
    double tol;                   /* that is asked for             */
    int unknowns;                 /* of its LCP                    */
    bool basis_remembered;        /* for all contacts              */
    bool clustered;               /* a coupled cluster is too large to be swept */
    bool lcp, convex;             /* lemke takes it; cone_ipm does */
} ss_auto_case;

const ss_auto_link *ss_auto_choose(const ss_auto_case *c);
int ss_auto_unknowns_of(const ss_problem *p,
                        int contact);      /* of the LCP of a contact (lcp.c): c_n, a beta per direction, lambda */
int ss_auto_unknowns(const ss_problem *p); /* of all contacts */

#endif
