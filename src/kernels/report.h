/* report.h - what a scheme tells the driver about a step: its segments and its events.
 *
 * A segment is one solved substep (t0 < t1) or jump (t0 == t1) of the step, with the contact problem it
 * solved. The driver certifies every segment and enters it in the energy ledger; a scheme does neither.
 * A step that is rejected takes its segments and events with it. */
#ifndef SS_REPORT_H
#define SS_REPORT_H

#include "contact/contact.h"
#include <slipstick/sim.h>

/* Impulses that a segment applied beside joints and contacts, one vector of nv each, NULL: none.
 * Names are those of the ledger. */
typedef enum ss_impulse {
    SS_IMPULSE_GRAVITY = SS_FORCE_GRAVITY,
    SS_IMPULSE_SPRING = SS_FORCE_SPRING,
    SS_IMPULSE_DAMPER = SS_FORCE_DAMPER,
    SS_IMPULSE_APPLIED = SS_FORCE_APPLIED,
    SS_IMPULSE_GYROSCOPIC = SS_FORCE_GYROSCOPIC,
    SS_IMPULSE_JOINTS, /* of a scheme that solves joints or contacts without a problem */
    SS_IMPULSE_CONTACT_NORMAL,
    SS_IMPULSE_CONTACT_FRICTION,
    SS_IMPULSE_PROJECTION,
    SS_IMPULSE_SCHEME, /* errors of the method, which add up to nothing; forces that only the scheme knows are APPLIED */
    SS_IMPULSES
} ss_impulse;

/* Where a segment begins or ends. */
typedef struct ss_segment_end {
    double t;
    const double *q, *v;
    const double *a;     /* nv: acceleration there, where the scheme has it: dense output is as good as they are; NULL */
    const double *state; /* nv: of `from`: velocity of the state there, where v is a mean over steps; NULL: v is that velocity */
} ss_segment_end;

/* How right-hand sides of a problem came about; NULL: zero.  w = drive + stabilisation + the law's own part, c likewise. */
typedef struct ss_segment_parts {
    const double *w_drive, *w_stabilise; /* nr */
    const double *c_drive;               /* nj */
    const double *r_given;               /* nr: contact impulses applied besides r (restitution), part of b */
    const double *v_before;              /* nv: where r is that of an impact which an earlier segment has begun, and r_given takes
                                            the part of that segment back: the velocity before the impact */
} ss_segment_parts;

/* Further data of schemes whose impulses are sums over stages. */
typedef struct ss_segment_stages {
    const double *work; /* SS_IMPULSES: of the impulses where they acted; NULL: impulse times mean velocity */
    double driven[3];   /* work of driven bodies within the impulses JOINTS, CONTACT_NORMAL, CONTACT_FRICTION: its own entry */
    bool shown;         /* acceleration level: r and lam are forces to show, over the segment; their impulses are in `impulse` */
} ss_segment_stages;

typedef struct ss_segment {
    ss_segment_end from, to;
    ss_level level;
    double weight;         /* acceleration level: the time for which r and lam act; position level: they are no impulses */
    const ss_matrix *mass; /* the M this segment's momentum balance used              */
    const double *impulse[SS_IMPULSES];
    ss_segment_stages stages;
    /* The contact problem and its solution; contacts->c[k] is contact k of the problem. */
    const ss_problem *problem;
    const ss_solution *solution;
    const ss_solver_info *info; /* outcome as the solver saw it                            */
    const ss_contact_list *contacts;
    ss_segment_parts parts;
    double nonlinear;  /* residual of the scheme's own iteration, relative; 0: none */
    bool own_residual; /* no problem was solved: `nonlinear` is the residual of everything */
} ss_segment;

/* Enter impulses by class of force, SS_FORCE_CLASSES x nv. */
static inline void ss_segment_put_forces(ss_segment *s, int nv, const double *by_class)
{
    for (int kind = 0; kind < SS_FORCE_CLASSES; kind++) {
        s->impulse[kind] = by_class + kind * nv;
    }
}

/* Impulse per unit of r and lam. */
static inline double ss_segment_weight(const ss_segment *s)
{
    return s->level == SS_LEVEL_VELOCITY ? 1 : s->level == SS_LEVEL_ACCELERATION ? s->weight : 0;
}

typedef struct ss_report ss_report;
struct ss_report {
    ss_status (*segment)(ss_report *self, const ss_segment *segment);
    ss_status (*event)(ss_report *self, const ss_event *event);
    void (*count)(ss_report *self, const ss_solver_info *info); /* a problem that was solved on the way (root search) */
    void (*reduced)(ss_report *self, int found, int kept);      /* redundant contacts were left out */
    void (*blocked)(ss_report *self, int closed);               /* closed contacts that joints block were left out */
    void (*newton)(ss_report *self, int iterations);            /* of the scheme itself, not of a solver */
    void (*evaluated)(ss_report *self, int times);              /* multipliers found without a contact problem (stages) */
    /* something that makes the step worth a remark; the contact it is about, NULL: none */
    void (*remark)(ss_report *self, ss_remark kind, const ss_contact *contact);
};

#endif
