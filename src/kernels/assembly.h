/* assembly.h - from contacts and joints at a configuration to a one-step problem, and its solution.
 *
 * An assembly owns the arrays of one ss_problem and reuses them: geometry first (rows G and H, laws,
 * polygon directions, what driven bodies contribute), then the scheme writes b, c, w, then solve. */
#ifndef SS_ASSEMBLY_H
#define SS_ASSEMBLY_H

#include "kernels/friction.h"

/* Contacts and values that an assembly has of its own: all of them but the first `lent`, which are those of the set. */
typedef struct ss_assembly_contacts {
    ss_contact *c;
    int lent, cap;
} ss_assembly_contacts;
typedef struct ss_assembly_values {
    ss_contact_value *value;
    int lent, cap;
} ss_assembly_values;

/* Contacts that a thread takes at a time, in their order: how many of them are of shapes, before any others, what those have, and
 * moments of all of them. Then: of all such contacts before. */
typedef struct ss_assembly_range {
    int shapes, rows, directions, entries, moments;
} ss_assembly_range;

/* How many contacts, rows and polygon directions there is room for, and arrays that not all scenes need. */
typedef struct ss_assembly_room {
    int contacts, rows, directions;
    bool vectors;         /* of the sizes of the model: they are taken with the first problem   */
    int *host;            /* contacts: problem.host, where there are moments                    */
    double *mass, *scale; /* blocks of M where it varies, and of B where something has no mass */
    ss_assembly_contacts own;
    ss_assembly_values values;
    ss_assembly_range *range;
    int ranges;
    bool borrows; /* sets and their values stay as they are as long as their problem is used: they are not copied; false unless
                     set */
} ss_assembly_room;

typedef struct ss_assembly {
    ss_context *ctx;
    const ss_model *model;
    ss_problem problem;
    ss_solution solution;
    ss_solver_info info;
    const bool *redundant;          /* nj: joint rows to leave out; NULL: none */
    ss_contact_list contacts;       /* contact k of the problem; the last ones are moments (contact/moment.h) */
    const ss_contact_value **value; /* nc: gap and frame at the geometry's configuration */
    double *g;                      /* nj: joint errors there              */
    double *target;                 /* nj: motor speeds                    */
    double *w_drive, *w_stabilise;  /* nr                                  */
    double *c_drive;                /* nj                                  */
    ss_matrix mass;                 /* M at the geometry's configuration   */
    ss_assembly_room room;
} ss_assembly;

ss_status ss_assembly_create(ss_context *ctx, const ss_model *m, ss_assembly **out);
void ss_assembly_destroy(ss_context *ctx, ss_assembly *a);

/* a->mass at (t, q), for those who want no rows. */
ss_status ss_assembly_mass(ss_assembly *a, double t, const double *q);

/* Rows of all joints and of the contacts set->c[which[0..n-1]] at c (which NULL: all). A = M(t, q). Values of contacts of shapes
 * are taken from the set if it has them.
 * h scales the bound of motors. With friction, the contacts are followed by their moments. Joint rows marked in a->redundant are
 * emptied. Afterwards w = w_drive, c = target + c_drive, stabilisation is 0, b is 0, the solution is cold. */
ss_status ss_assembly_geometry(ss_assembly *a, const ss_config *c, const ss_contact_set *set, int n, const int *which,
                               ss_friction friction, double h);
/* The value of contact k where the assembly has one of its own, to be changed. */
ss_contact_value *ss_assembly_value(ss_assembly *a, int k);
/* The contacts of an assembly that does not borrow them, as a set. */
ss_contact_set ss_assembly_set(const ss_assembly *a);
/* Empty the joint rows that have been marked in a->redundant since. */
void ss_assembly_leave_out(ss_assembly *a);
/* Start from what is remembered of these contacts at a level: impulses and bases. */
void ss_assembly_recall(ss_assembly *a, const ss_contact_cache *cache, ss_level level);
/* Remember this solution at a level; what is remembered at others stays. */
ss_status ss_assembly_remember(const ss_assembly *a, ss_contact_cache *cache, ss_level level);
/* Solve; the outcome is in a->info. v_old scales the residual; fallbacks: how many other ways the caller
 * has tried before, for the count. */
ss_status ss_assembly_solve(ss_assembly *a, ss_stepper *s, const double *v_old, int fallbacks);
/* The same where the caller has something else to solve if this problem has no solution: solvers need not do their utmost. */
ss_status ss_assembly_try(ss_assembly *a, ss_stepper *s, const double *v_old);
/* Try an auxiliary problem of a step whose main problem is counted: without contacts it is a linear system and is not
 * counted. */
ss_status ss_assembly_try_auxiliary(ss_assembly *a, ss_stepper *s, const double *v_old);
/* Try a problem of which any solution will do, however its impulses are shared; without contacts it is not counted. */
ss_status ss_assembly_try_unshared(ss_assembly *a, ss_stepper *s, const double *v_old);
/* Is the outcome a ray or infeasible: has the problem, as it stands, no solution? */
bool ss_assembly_is_unsolvable(const ss_assembly *a);
/* What makes a problem unsolvable is left out: offsets below those of driven bodies; what joints have to make up for. Without
 * both, no self-balanced impulses work against the right sides, and there is a solution [AP97 Theorem 2.1]. Round-off must not
 * bring such impulses back: contacts may approach by what counts as closed, within h. */
void ss_assembly_relax_contacts(ss_assembly *a, const ss_stepper *s, double h);
void ss_assembly_relax_joints(ss_assembly *a);
/* Try a problem of a substep over h. Once one of them had no solution (*relaxed), those that follow are posed without what made
 * it so: nothing is pushed back, nothing bounces. */
ss_status ss_assembly_try_relaxed(ss_assembly *a, ss_stepper *s, const double *v_old, double h, bool *relaxed);
/* False if the outcome is a ray, a breakdown or infeasible: there is no solution to go on with. */
bool ss_assembly_has_solution(const ss_assembly *a);
/* SS_ERR_NUMERIC if there is no solution to go on with (a ray, a breakdown). */
ss_status ss_assembly_require_solution(const ss_assembly *a, double t);
/* The segment that this problem and its solution are, at velocity level, with the parts of its offsets. The caller adds what else
 * it knows: impulses, given contact impulses, the residual of its own iteration. */
ss_segment ss_assembly_segment(const ss_assembly *a, ss_segment_end from, ss_segment_end to);
/* b = M v (+ k if not NULL) */
void ss_assembly_momentum(ss_assembly *a, const double *v, const double *k);
/* Of the bodies of contact k: the least sum of their kinetic energies before, with v, and after, with the solution. */
double ss_assembly_lighter_energy(const ss_assembly *a, int k, const double *v);
/* Normal velocity of contact k for velocities v, driven bodies included. */
double ss_assembly_normal_velocity(const ss_assembly *a, int k, const double *v);

#endif
