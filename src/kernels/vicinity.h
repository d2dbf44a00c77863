/* vicinity.h - the contacts that may matter within a substep of time, and how fast they come. */
#ifndef SS_VICINITY_H
#define SS_VICINITY_H

#include "kernels/assembly.h"

/* Results of the last survey; one number per contact of `near`. */
typedef struct ss_vicinity {
    ss_contact_set near;
    double *gap, *outside; /* at the start; outside > 0: the witness is off the features */
    double *approach;      /* -u_N, m/s or rad/s                                        */
    double *gain;          /* speed that the free acceleration of either body gives in two nominal steps */
    double *slow;          /* speed below which the contact is inelastic                */
    const double *rates;   /* nv: free accelerations of all bodies to go by; NULL unless set: M^-1 F    */
    double at_least;       /* contacts with gaps up to this are always near; 0 unless set       */
    double ignored; /* overlaps of contacts not near, at the end of a substep, count from this on, of the unit; SS_TOL_OVERLAP
                       unless set */
    double safe;    /* time in which no pair can pass through each other unseen, s       */
    double overlap; /* deepest at the end that was looked at last, of the unit           */
    const bool *redundant;      /* joint rows to leave out; NULL: none                       */
    struct ss_passing *passing; /* what shapes that move far would pass through: passing.h */
    struct ss_vicinity_work *work;
    /* the deepest overlap, above SS_TOL_FITS, of contacts that the joints keep from opening; NULL: none */
    const ss_contact *wedged;
} ss_vicinity;

/* Which contacts of a survey a problem has. */
typedef struct ss_active {
    int count;  /* contacts of the survey              */
    bool *has;  /* count                               */
    int n;      /* contacts of the problem             */
    int *which; /* n: their numbers, increasing       */
} ss_active;

/* None of `count` contacts; memory of the arena. */
ss_status ss_active_take(ss_active *x, ss_arena *arena, int count);
/* n and which[] from has[]; returned is by how many there are more than before. */
int ss_active_list(ss_active *x);

ss_status ss_vicinity_create(ss_context *ctx, const ss_model *m, ss_vicinity **out);
void ss_vicinity_destroy(ss_context *ctx, ss_vicinity *v);
/* From now on contacts whose points move along their features are taken anew where the end of a substep shows them. */
void ss_vicinity_follow(ss_vicinity *v);
/* From now on an impact is slow if it would be followed by a flight that is shorter than this part of a nominal step. */
void ss_vicinity_skip_flights(ss_vicinity *v, double part);
/* Until the next survey: contacts of this one that are closed and keep their points; the caller's memory. */
void ss_vicinity_hold(ss_vicinity *v, const bool *held);
/* A new start: contacts that ss_vicinity_look_again has added are forgotten. */
void ss_vicinity_forget(ss_vicinity *v);
/* Everything that may close within h from `here` (its drive set) with velocities `velocity`. A contact is slow below
 * `threshold`, below the speed that the free acceleration of either body gives in two nominal steps (with
 * ss_vicinity_skip_flights: if, by that acceleration, it would be back that soon), and whenever it carried an impulse in the
 * substep before. */
ss_status ss_vicinity_survey(ss_vicinity *v, ss_stepper *s, const ss_config *here, const double *velocity, double h,
                             double threshold);
/* Speeds of the fastest points of the two bodies of contact k of the last survey, added up, m/s; that of the approach if it is
 * not a contact of shapes. */
double ss_vicinity_speed(const ss_vicinity *v, int k);
/* Surveys from now on: contacts of shapes have no tangents, as rows are asked for elsewhere only. */
void ss_vicinity_leave_tangents(ss_vicinity *v, bool left);
/* Values of the contacts of the last survey where it was made. */
const ss_contact_value *ss_vicinity_values(const ss_vicinity *v);
/* Overlaps at `end` that the survey did not have. Those whose features were apart at `here` are kept for the next survey,
 * and *found says whether there are any. With ss_vicinity_follow, so are those of contacts that it had at other points: the
 * lowest point of a cylinder's rim is a point of the body in a survey, and another one where the body has rolled on. *hidden:
 * some were already behind each other's features at `here`, so that nothing tells when they met, or contacts that are held have
 * moved on: a shorter substep has to show it. */
ss_status ss_vicinity_look_again(ss_vicinity *v, ss_stepper *s, const ss_config *here, const ss_config *end, bool *found,
                                 bool *hidden);
/* Has contact k, on its features at the start, gone through their surface before it left them sideways, so that its witness is
 * off them at the end? Below a valley a corner is off the faces on both sides of it. */
bool ss_vicinity_has_passed(const ss_vicinity *v, int k, const ss_contact_value *end);
/* Do the shapes of contact k, whose value at `end` this is, stay apart beside its normal from the start to `end`? So a box slides
 * along a row of tiles. At `end` they may overlap there by a part of what the contact would be closed by, and at both by
 * `overlap`. */
bool ss_vicinity_slides_past(const ss_vicinity *v, const ss_model *m, const ss_config *end, int k, const ss_contact_value *value,
                             double overlap);
/* Gap of contact k at `end`, or by how much its witness is off the features where that is more. It is the gap alone if the
 * contact has passed, and if it is on its features at both ends: a witness on their very border, as where links of a plane
 * mechanism lie flush, is off them by round-off, which says nothing about the gap. */
double ss_vicinity_gap(const ss_vicinity *v, const ss_model *m, int k, const ss_contact_value *end);
/* That of the contacts which[0..n-1]; open where they slide past. */
ss_status ss_vicinity_gaps(const ss_vicinity *v, const ss_model *m, const ss_config *end, int n, const int *which, double *gap);
/* The same, and how deep each of them overlaps, relative to its unit; either may be NULL. */
ss_status ss_vicinity_look_at(const ss_vicinity *v, const ss_model *m, const ss_config *end, int n, const int *which, double *gap,
                              double *depth);
/* How many of these contacts (which NULL: of all) are of shapes and before any others. */
int ss_vicinity_count_shapes(const ss_vicinity *v, int n, const int *which);
/* Deepest overlap of the contacts which[0..n-1], all different, at `end`, and at the start, relative to their units. */
ss_status ss_vicinity_overlap(const ss_vicinity *v, const ss_model *m, const ss_config *end, int n, const int *which,
                              double *deepest);
double ss_vicinity_overlap_before(const ss_vicinity *v, const ss_model *m, int n, const int *which);

#endif
