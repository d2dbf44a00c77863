/* forces.h - forces of a linearly implicit trapezoidal substep: what they add to A and b of its problem. */
#ifndef SS_TRAPEZOIDAL_FORCES_H
#define SS_TRAPEZOIDAL_FORCES_H

#include "kernels/assembly.h"

/* Which derivatives of the forces stand in A: `jacobian` of the options. */
typedef enum ss_trap_jacobian { SS_TRAP_EXACT, SS_TRAP_POSITIVE, SS_TRAP_AUTO } ss_trap_jacobian;

/* A substep of length h from (t, q, v). */
typedef struct ss_trap_interval {
    double t, h;
    const double *q, *v;
} ss_trap_interval;

typedef struct ss_trap_forces ss_trap_forces;

ss_status ss_trap_forces_create(ss_context *ctx, const ss_model *m, ss_trap_jacobian jacobian, ss_trap_forces **out);
void ss_trap_forces_destroy(ss_trap_forces *x);
/* At the start of a step of the scheme: scratch comes from its arena. */
ss_status ss_trap_forces_begin(ss_trap_forces *x, ss_stepper *s);
/* Write A, scale and b of a substep. The mass of `a` is that of its geometry. */
ss_status ss_trap_forces_put(ss_trap_forces *x, const ss_trap_interval *substep, ss_assembly *a);
/* Was v'A v not positive for all v with the exact derivatives? `auto` has put the positive ones then. */
bool ss_trap_forces_is_indefinite(const ss_trap_forces *x);
/* Does a body turn by so much that its gyroscopic torque is not linearised? Then its velocity turns, and does not change evenly.
 */
bool ss_trap_forces_whirls(const ss_trap_forces *x);
/* How stiff the motion of that substep is, which changes v by dv, by the problem that was put into `a`: (h/2)^2 times the mean
 * square of the frequencies in dv, -(h^2/4 dv'k_q dv)/(dv'M dv). */
double ss_trap_forces_stiffness(ss_trap_forces *x, const double *dv, const ss_assembly *a);
/* Impulses of that substep, which ends at (q_end, v_end): by class, and by how much those of its problem, which are
 * linearised, differ from their sum. Both times `part`. */
ss_status ss_trap_forces_end(ss_trap_forces *x, const double *q_end, const double *v_end, double part);
const double *ss_trap_forces_by_class(const ss_trap_forces *x);
const double *ss_trap_forces_remainder(const ss_trap_forces *x);
/* Mean accelerations of all bodies over a substep without joints and contacts; valid until the next call. NULL where no
 * force is stiff: M^-1 k at the start says the same. */
ss_status ss_trap_forces_accelerations(ss_trap_forces *x, const ss_trap_interval *substep, const double **out);

#endif
