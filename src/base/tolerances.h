/* tolerances.h - every number that decides something: closed or open, at rest or not, redundant or not, converged or not.
 *
 * A tolerance is relative. The comment says to what:
 *   unit     of a contact or a joint row: the length of the model (ss_model.length), or 1 for angles
 *   length   the length of the model
 *   others   are named where they stand
 * Numbers that change only the way to an answer (lengths of attempts, when a matrix is factorised again, growth of a penalty)
 * have a name where they are used and are not listed here.
 *
 * tools/mutate.py makes each entry 100 times larger or smaller and names the test that turns red; tools/check_tolerances.py
 * checks that every entry is used and has such a test. */
#ifndef SS_TOLERANCES_H
#define SS_TOLERANCES_H

#include <float.h>

/* ---- closed or open: gaps and overlaps, of the unit --------------------------------------------------------- */

/* Time stepping. A gap below this is closed: that much is left by round-off (first) and by the solver (second, times the
 * solver's tolerance). The larger of the two counts. */
#define SS_TOL_CLOSED           5e-11
#define SS_TOL_CLOSED_BY_SOLVER 0.01
/* Schemes that locate events and put closed contacts back onto gap 0 to round-off. Ten times SS_TOL_ROOT, so that what was
 * located is closed. With SS_TOL_CLOSED, scenes/showcase.json loses two events and ends 1e-5 m away. */
#define SS_TOL_CLOSED_LOCATED 1e-12
/* Step control compares which contacts are closed in two solutions [Aca09 eq. 68]; for schemes that leave small gaps. With
 * SS_TOL_CLOSED instead, schatzman_paoli has a tenth more rejected trials in scenes/showcase.json (time.tol = 1e-5). */
#define SS_TOL_CLOSED_COMPARED 1e-8
/* Of the length: a contact whose nearest points are off the surfaces by less than this is on them. */
#define SS_TOL_ON_SURFACE 1e-9
/* Sine between the normal of two edges that cross and the face beside one of them: below this the face touches, not the edge. */
#define SS_TOL_RIDGE 1e-3
/* An overlap below this counts as none: for a contact that was not in the step's problem, and in the list of overlaps. */
#define SS_TOL_OVERLAP 1e-9
/* An overlap above this, of bodies that should be apart, is no round-off: something has passed through unseen. */
#define SS_TOL_UNSEEN 1e-6
/* Of the thickness of two shapes that move far in a step: below this distance they are about to meet, and an overlap over a
 * shorter way is not found. */
#define SS_TOL_AT_HAND 1e-3
/* Of the time after which a contact leaves its features: if its gap takes longer than all but this to close, it does not. */
#define SS_TOL_LEAVES 0.1
/* Of the thickness of a driven shape and the thinnest free one: how far a driven motion may be off its chord in a substep. */
#define SS_TOL_EVEN 0.1
/* Overlaps and joint errors that a step may leave without trying once more, being halved, or warning. */
#define SS_TOL_FITS 1e-6
/* Positions this many lengths away from the origin: their round-off is as large as SS_TOL_FITS. A motion that gets there has
 * diverged. */
#define SS_TOL_BEYOND (SS_TOL_FITS / DBL_EPSILON)
/* The deepest overlap that a step undoes; deeper ones take several. The audit names the work of no more. */
#define SS_TOL_PUSH 1e-3
/* An overlap above this is larger than any step leaves: it is kept as the scene gave it. */
#define SS_TOL_GROSS 1e-4

/* ---- at rest or moving: speeds ------------------------------------------------------------------------------ */

/* A normal speed below this part of the speeds whose difference it is (located events: of the fastest in the scene)
 * counts as zero. */
#define SS_TOL_STILL 1e-10
/* Located events: this part of the speed gained in two steps is added to that bound, from the free acceleration of the bodies and
 * from the largest one of their mechanism. */
#define SS_TOL_STILL_GAINED 1e-9
/* A speed below this part of those it is made of has no direction: slip is rest; and an impact has stopped an approach. */
#define SS_TOL_NO_SPEED 1e-12
/* Where rows of a contact turn within a substep, its speed of approach may become smaller than e times what it was by the first
 * part of it: more creates energy in an impact, and the substep is halved, until it is the second part. */
#define SS_TOL_STRIKE     0.1
#define SS_TOL_STRIKE_CUT 0.01
/* Of its gap: a contact that moves by less in a step, and whose gap others explain, hovers. */
#define SS_TOL_HOVERS 0.01
/* Of the step: contacts that close within so short a time of each other collide together. */
#define SS_TOL_TOGETHER 1e-3
/* Of the step: a flight after an impact that lasts less is left out by schemes that make shorter flights than two steps of free
 * acceleration. It is lower than 2e-3 of the way that this acceleration covers in the step. */
#define SS_TOL_FLIGHT 0.1
/* rad: bodies that turn by less in a substep have rows that are as good as fixed, and gyroscopic accelerations that keep their
 * direction. */
#define SS_TOL_WHIRL 0.1
/* A slip has stopped when the speed along its direction is below the first part of what it was, and the speed across, an error
 * of the method, below the second. More across means that slip has only turned. */
#define SS_TOL_STOPPED 1e-9
#define SS_TOL_TURNED  1e-3

/* ---- what is an event: accelerations of contacts, of the free acceleration ---------------------------------- */

/* A contact comes off or begins to slip during a phase. Larger than the next one, so that a phase does not end as it begins. */
#define SS_TOL_RELEASE 1e-8
/* A contact neither comes off nor slips when a phase begins. */
#define SS_TOL_SETTLED 1e-9
/* Forces and accelerations of a phase, and the limit of vanishing compliance, obey the contact laws. */
#define SS_TOL_OBEYS 1e-11
/* A root of an event function, of its own unit. It is also the least pivot of slip (of the pivot without friction) for which
 * accelerations say what happens, so that a paradox that was located is seen by the phase that follows. */
#define SS_TOL_ROOT 1e-13
/* Times and step lengths that differ by less than this part of the step (or the interval) are the same. */
#define SS_TOL_TIME 1e-9

/* (h omega)^2/4 of the vibrations that change velocities in a substep of the trapezoidal rule: above this the substep does not
 * resolve them, and a point within it is found by a substep that ends there. */
#define SS_TOL_RESOLVED 0.25
/* h c/(2 m) of a damper: above 1 the trapezoidal rule turns the velocity round that the damper stops, above this the derivative
 * of the damper's force by positions, c times that velocity, is more harm than use. At 5 a pendulum on a damper is off by 1e-3 of
 * its way with it and by 4e-2 without it; two masses at 50 make energy with it. */
#define SS_TOL_DAMPED 10
/* Of the energy of a body that turns freely: what a substep of the trapezoidal rule may change it by where it linearises the
 * gyroscopic torque. */
#define SS_TOL_WHIRLS 3e-3
/* Of the unit of a joint's row: a joint that is farther apart where a step of the trapezoidal rule starts is closed by that step.
 * The drift that the rule itself has at useful steps is less (3e-3 in Table 10.1 of PAGT06 with its longest step). */
#define SS_TOL_APART 1e-2

/* ---- redundant, singular, symmetric: matrices --------------------------------------------------------------- */

/* A pivot of G M^-1 G' or H K^-1 H' below this part of its diagonal, the squared sine of an angle: the row depends on others.
 * As large as this because joint errors reach about 1e-5 of the length in fast motion (a whip). */
#define SS_TOL_REDUNDANT 1e-9
/* Of the units: the way from a position in which joint rows depend on others to one in which those that do not depend on others
 * everywhere show it. Their sine is about this there, and joint errors are about its square: the geometric mean of both is the
 * sine of SS_TOL_REDUNDANT. */
#define SS_TOL_AHEAD 1e-3
/* What a redundant row demands differs from what the others demand of it by more than this part of its terms: they contradict
 * each other. Above the sine of SS_TOL_REDUNDANT. */
#define SS_TOL_CONTRADICTION 1e-4
/* SS_TOL_REDUNDANT where only round-off, a few 1e-16, is in the way: any linear system with joints; the rank of W; 2 x 2 and 3 x
 * 3 W. */
#define SS_TOL_RANK 1e-13
/* A pivot of L D L' below this part of the terms that it is made of is nothing but their rounding: the row depends on others. */
#define SS_TOL_PIVOT (4 * DBL_EPSILON)
/* Joints block a contact row: |y_i| below this part of |L^-1 h_i'|; its errors are a few 1e-16. */
#define SS_TOL_IMMOBILE 1e-12
/* |A_ij - A_ji| of a mean of the diagonal entries: A is symmetric. */
#define SS_TOL_SYMMETRIC 1e-12
/* Directions, made of sines and cosines: two are opposite, a point lies on a ray, a face lies in the plane of another. */
#define SS_TOL_DIRECTION 1e-12

/* ---- converged or not --------------------------------------------------------------------------------------- */

/* Round-off of positions (of the unit), velocities and residuals, after a few operations: nothing is solved better than this. */
#define SS_TOL_ROUND_OFF 1e-14
/* A projection that rounding stops above SS_TOL_ROUND_OFF has converged all the same below this. */
#define SS_TOL_STALLED 1e-10
/* Newton's method for the stages of a step: as far as round-off lets it. */
#define SS_TOL_STAGES 1e-15
/* The contact problem, of the scales of residual.c; the user's "tol" replaces it. */
#define SS_TOL_SOLVER 1e-10
/* Of the round-off that rounded positions leave in forces: a balance of forces that is off by less cannot be improved. */
#define SS_TOL_FORCE_NOISE 1.0
/* A residual below this part of the sum of its terms' sizes is 0. */
#define SS_TOL_CANCELLED (64 * DBL_EPSILON)
/* Errors of a body's velocity beside its own speed weigh this much in a residual: a body may be off by 100 tolerances of its
 * speed. Equal bodies in a wall of a hundred rows are then solved no better than the forces of the lowest row ask for. */
#define SS_TOL_OWN 0.01
/* Of the speed of a body: noise of its velocity that would be more than this is an error like any other. Where one of two bodies
 * that touch is 1e6 times heavier, rounding of the impulses, SS_TOL_CANCELLED of them, is 5e-8 of the velocity of the light one.
 */
#define SS_TOL_MOST_NOISE 1e-7
/* Along a row of a contact or a joint: a body slower than this part of another one is at rest beside it, and the certificate
 * takes the speed of the other for it. */
#define SS_TOL_BESIDE 1e-3
/* Contacts whose rows depend on each other ask for velocities that disagree by less than this part of the island's speeds:
 * round-off of their gaps, divided by the step. They are made to agree, so that round-off does not decide which of them bears a
 * load. */
#define SS_TOL_DISAGREE 1e-7
/* cone_ipm: impulses whose sum cancels to this part of their sizes, with -(w.r - c.lam) > 0, prove that there is no solution. */
#define SS_TOL_INFEASIBLE 3e-11
/* Of the kinetic energy: an impact has made energy. */
#define SS_TOL_ENERGY 1e-12

/* ---- energy from nowhere: the audit of the driver ------------------------------------------------------------ */

/* Of the energies at hand (kinetic, and of the impulses of the forces): what solvers and round-off may make in a segment. */
#define SS_TOL_GAIN 1e-7
/* Of the energy of the lighter body: what an impact may make because its rows turn within the substep. Of the energies at hand:
 * what all errors since the start may make. */
#define SS_TOL_BOUNCE 0.01
/* Of the energy exchanged since the start: errors of integration in time. */
#define SS_TOL_ENERGY_SHARE 0.05

/* ---- scenes and shapes -------------------------------------------------------------------------------------- */

/* Numbers of a scene agree: joints at the start (of the unit), their velocities (of the largest), centres of mass (of the
 * body's radius), moments of inertia (of their sum). */
#define SS_TOL_SCENE 1e-8
/* A matrix of a scene is a rotation: products of its columns may be off by what three digits leave. */
#define SS_TOL_ROTATION 1e-3
/* A scene is one that an exact solution is for: its positions, directions, moments of inertia. */
#define SS_TOL_EXACT 1e-12
/* Of the size of a shape: lengths below this are round-off; corners coincide. Sines of angles too: normals agree. */
#define SS_TOL_SHAPE 1e-9
/* Of the distance from the origin: round-off of a shape's position, added to SS_TOL_SHAPE. */
#define SS_TOL_PLACE 4e-15
/* Of its size: a hull thinner than this is flat. */
#define SS_TOL_FLAT 1e-7
/* Contacts of one face: the squared sine between their normals, the difference of their gaps (of the length), their distance from
 * the line or triangle of others (of its size). */
#define SS_TOL_ONE_FACE 1e-6
/* Of half a turn: a beam in space whose nodes are twisted against each other by more has lost its twist. With the sine of 45
 * degrees or less, every turn that passes half a turn is either seen here or points the beam's middle back. */
#define SS_TOL_TWIST 0.7

#endif
