/* modes.h - which closed contacts stay, stick, slip or come off: the contact problem of accelerations.
 *
 *     M a - G' lam - H' r = k,   G a = what the joints ask for,   u = du/dt of the contacts = H a + rate
 *     0 <= u_N  _|_  r_N >= 0,   at rest: r_T and u_T by Coulomb's law;   slipping: r_T = -mu r_N s           [Aca09 eq. 72]
 * and so for moments, which follow the contacts.
 */
#ifndef SS_MODES_H
#define SS_MODES_H

#include "kernels/assembly.h"
#include "kernels/free_motion.h"

/* The friction polygons of the contacts, as the geometry has them. */
typedef struct ss_modes_polygons {
    int *first;        /* nc + 1: where the corners of each contact begin */
    double *direction; /* 2 for each corner                               */
    int first_cap, direction_cap;
} ss_modes_polygons;

typedef struct ss_modes_room {
    int contacts, rows; /* for which there is memory */
} ss_modes_room;

typedef struct ss_modes {
    ss_context *ctx;
    const ss_model *model;
    ss_friction friction;
    ss_assembly *a; /* the problem, its solution: accelerations and forces */
    ss_config c;
    ss_free_motion *free;
    double *speed; /* nc: of slip; moments: of turning; motors: by how much they are off their speed */
    double *slip;  /* nr: the same by rows; 0 for normals                        */
    double *rate;  /* nr: du/dt - H a, the part that does not depend on a        */
    double *root;  /* nc: sqrt(trace(H_i M^-1 H_i')/rows)                        */
    double *size;  /* nc: of the free acceleration, of its unit; motors: also of what their bound accelerates */
    ss_modes_polygons polygons;
    double scale; /* size of the accelerations, each divided by the unit of its contact */
    double noise; /* error of the accelerations that the certificate leaves, divided by root */
    ss_modes_room room;
} ss_modes;

ss_status ss_modes_create(ss_context *ctx, const ss_model *m, ss_friction friction, const bool *redundant, ss_modes **out);
void ss_modes_destroy(ss_modes *x);
/* A step begins: its arena gives the configuration. */
ss_status ss_modes_begin(ss_modes *x, ss_arena *arena);
/* Pose the problem of the contacts set->c[which[0..n-1]] at (t, q, v), and of their moments: it has nc contacts. */
ss_status ss_modes_pose(ss_modes *x, double t, const double *q, const double *v, const ss_contact_set *set, int n,
                        const int *which);
/* out[nc]: the largest free acceleration in the island of each contact of the problem that is posed, of its unit; those of joint
 * rows count as well: what presses a contact may act on another body of a mechanism. */
ss_status ss_modes_island_scales(const ss_modes *x, ss_arena *arena, double *out);
/* Contact i slips along its tangents as direction[] says, of unit length (a motor: its sign), not as its velocity does. */
void ss_modes_direct(ss_modes *x, int i, const double *direction);
/* Solve it; slides[nc]: contacts whose friction opposes their slip, not their acceleration. *solved false: there is nothing to go
 * on with. */
ss_status ss_modes_solve(ss_modes *x, ss_stepper *s, const bool *slides, bool *solved);
/* Take accelerations and multipliers (of joints, then of the rows) for its solution. false: they do not obey the laws. Where
 * there are several solutions this is how to keep one. */
bool ss_modes_adopt(ss_modes *x, const bool *slides, const double *a, const double *multiplier);
/* Which law contact i violates: it pulls (r_N < 0), it approaches (u_N < 0), or friction is not as Coulomb's law wants it. */
typedef enum ss_fault { SS_FAULT_NONE, SS_FAULT_PULLS, SS_FAULT_APPROACHES, SS_FAULT_FRICTION } ss_fault;
ss_fault ss_modes_fault(const ss_modes *x, const bool *slides, int i);
/* The slip of contact i with the accelerations of the solution: how fast it slows down, and its acceleration across itself. */
typedef struct ss_slip_course {
    double slows, across;
} ss_slip_course;
ss_slip_course ss_modes_course(const ss_modes *x, int i);
/* How fast contact i comes off, and how fast one that is at rest begins to slip, relative to the accelerations at hand. */
double ss_modes_lift(const ss_modes *x, int i);
double ss_modes_creep(const ss_modes *x, int i);

#endif
