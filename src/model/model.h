/* model.h - the compiled model: constant, in arrays, evaluated at a configuration.
 *
 *   q   positions: particle x y (z); rigid 2D x y angle; rigid 3D x y z, w x y z; block its own; at the end turn counters
 *   v   velocities: particle and rigid linear in the world frame; 2D rate; 3D angular in the body frame
 *   M   block diagonal, one block per dynamic body
 *   k   forces by class, so that the energy ledger can tell them apart
 *   g   joint constraints, G = dg/dv; (dg/dt at fixed q, from driven bodies, is "drive")
 *
 * Joints, forces and contacts hold attachments and speak of points and world twists; attachment.h turns that into the
 * velocities of whatever they are attached to. */
#ifndef SS_MODEL_H
#define SS_MODEL_H

#include "base/base.h"
#include "geom/geom.h"
#include "math/expr.h"
#include "math/matrix.h"
#include "math/vec.h"
#include <slipstick/scene.h>

/* ---- configuration ------------------------------------------------------------------------- */

/* All gaps of a user block: m values, their rows (m x n) and parts of time; rows and parts of time of the tangents, gap by gap.
 */
typedef struct ss_block_gaps {
    bool known;
    double *gap, *H, *gap_t, *T, *T_t;
} ss_block_gaps;

typedef struct ss_config {
    double t;
    const double *q;
    ss_frame *frame;     /* of every body, driven and fixed ones too; index `bodies` is the world */
    ss_vec3 *drive;      /* 2 per body: linear and angular world velocity of driven bodies, else 0 */
    ss_vec3 *drive_rate; /* 2 per body: their accelerations, of an instant or by ss_config_bend; else 0 */
    ss_block_gaps *gaps; /* of every body; those of blocks with gaps have room (blocks.h) */
} ss_config;

/* ---- parts --------------------------------------------------------------------------------- */

/* What a point is fixed to: a body and the point's place in that body's frame. A block has no frame: its attachment is all of its
 * velocities. The world, fixed and driven bodies have no velocities of their own. See attachment.h. */
typedef struct ss_attachment {
    int body;      /* index; model->bodies is the world */
    ss_vec3 point; /* in the body's frame               */
} ss_attachment;

/* An attachment at a configuration: all that joints, forces and contacts see of what they are attached to. */
typedef struct ss_spot {
    int body;
    ss_vec3 x;    /* the point, world                                               */
    ss_mat3 R;    /* from the body's frame to the world                             */
    ss_vec3 arm;  /* from the origin of that frame to the point, world              */
    ss_vec3 v, w; /* velocity of the point, angular velocity of the frame; world    */
    ss_vec3 a;    /* acceleration of the point while the body keeps its world twist */
} ss_spot;

/* lin . velocity of the point + ang . angular velocity, for each of two attachments */
typedef struct ss_twist_row {
    ss_vec3 lin[2], ang[2];
} ss_twist_row;

/* Which turn a hinge is in (turns.c). */
typedef struct ss_turns {
    int counter; /* 3D: where in q its turn counter is; -1: it has none */
    double zero; /* what is counted when the angle is zero */
} ss_turns;

/* What drives the coordinate of a joint. */
typedef struct ss_motor {
    bool row;                  /* a speed without a bound on the force: one more bilateral row */
    bool bounded;              /* a speed with a bound: a BOUNDED contact row                  */
    ss_expr *speed, *force;    /* NULL: none */
    ss_expr *position;         /* of a servo; NULL: none */
    double stiffness, damping; /* of a servo, which is a force (drives.c); both 0: it is none */
    double max;
} ss_motor;

/* What resists the motion of its coordinate. */
typedef struct ss_resistance {
    double stiffness, rest, damping; /* a spring and a damper (drives.c)           */
    double friction;                 /* the most that dry friction gives: a BOUNDED contact row; 0: none */
} ss_resistance;

/* A screw: displacement = offset + ratio angle. A coupling of two joints: second coordinate = offset + ratio first coordinate. */
typedef struct ss_gearing {
    int joint[2];
    double ratio, offset;
} ss_gearing;

typedef struct ss_joint_type ss_joint_type;
typedef struct ss_joint {
    const ss_joint_type *type;
    ss_attachment at[2]; /* of a coupling: of the second bodies of its two joints */
    ss_mat3 basis[2];    /* in each body's frame: column 0 is the axis; equal in the world at t = 0 */
    double length;
    double origin; /* subtracted from the coordinate, so that it has its start value at t = 0 */
    double limits[2];
    double e;            /* restitution of the limits */
    ss_turns turns;      /* of an angular coordinate */
    int rows, first_row; /* bilateral rows of the joint itself, then its motor row if `motor.row` */
    ss_motor motor;
    ss_resistance resistance;
    ss_gearing gearing;   /* of screws and couplings */
    const double *number; /* of a type that was added: of its keys */
} ss_joint;

struct ss_joint_type {
    ss_entry info;                      /* fields: offsets into ss_joint_desc */
    const struct ss_own_joint *outside; /* what a program has added (own_joint.c); NULL: it is one of the library */
    bool angular;                       /* its coordinate is an angle, not a length */
    bool winds;                         /* its last row has -ratio times its angle in it, in any turn */
    bool couples; /* it couples the coordinates of two other joints by one row (couplings.c): of what follows it has `row_name` */
    unsigned turns; /* bit 2, bit 3: needs bodies that turn, in 2D, in 3D (4 | 8) */
    /* set what the type keeps in the joint; bodies, anchors and a basis are there already; f: frames at t = 0; NULL: nothing */
    ss_status (*prepare)(ss_context *ctx, const char *path, const ss_joint_desc *desc, int dimension, const ss_frame f[2],
                         ss_joint *joint);
    int (*rows)(const ss_joint *joint, int dimension); /* bilateral rows                     */
    /* what the reactions of these rows are, in 2D and in 3D: "force.." or "torque..", on the second body */
    const char *row_name[2][6];
    /* g[rows] and the rows */
    void (*eval)(const ss_joint *joint, int dimension, const ss_spot s[2], double *g, ss_twist_row *row);
    /* (dG/dt) v: the second derivative of g while both bodies keep their world twists */
    void (*curvature)(const ss_joint *joint, int dimension, const ss_spot s[2], double *out);
    /* K[12*12] += d(G' lam)/dx, where x are displacements of the two points and world rotation vectors (lin0 ang0 lin1 ang1) and
     * the rows are forces at the points and moments about them; NULL: G does not depend on x */
    void (*stiffness)(const ss_joint *joint, int dimension, const ss_spot s[2], const double *lam, double *K);
    /* the coordinate that limits and motors act on (distance: the length); an angle in any turn; NULL: none */
    double (*coordinate)(const ss_joint *joint, int dimension, const ss_spot s[2], ss_twist_row *row);
    /* the same two for the coordinate and its row; NULL exactly when `coordinate` is */
    double (*coordinate_curvature)(const ss_joint *joint, int dimension, const ss_spot s[2]);
    void (*coordinate_stiffness)(const ss_joint *joint, int dimension, const ss_spot s[2], double lam, double *K);
};

/* What a piece of a flexible body between two nodes is made of (elements/). */
typedef struct ss_element {
    const char *owner;   /* name of its flexible body */
    int number;          /* in it, from 0 */
    double EA, GA;       /* N: stiffness against stretching and shearing                                      */
    ss_vec3 EI;          /* N m^2: against twisting (GJ) and bending about the second and the third axis      */
    double mass;         /* kg: half of it belongs to each node                                               */
    ss_vec3 inertia;     /* kg m^2, about the three axes: likewise                                            */
    double mass_damping; /* 1/s; force.damping is the other one of Rayleigh damping, s                        */
    ss_mat3 basis[2];    /* axes at rest: from node 0 to node 1, along the height, along the width; in the frame of each node
                          * if nodes turn, else in the world */
} ss_element;

/* Triangles and tetrahedra of a flexible body: what they are made of (simplex.c). */
typedef struct ss_simplex_law {
    const char *owner;                      /* name of the flexible body                       */
    double lambda, mu;                      /* Lame's constants, N/m^2; those of plane stress too */
    double density;                         /* kg/m^3 (2D kg/m^2)                              */
    double mass_damping, stiffness_damping; /* of Rayleigh, 1/s and s                          */
    bool corotational, plane_stress;
} ss_simplex_law;

/* One of them. */
enum { SS_SIMPLEX_NODES = 4 };
typedef struct ss_simplex {
    const ss_simplex_law *law;
    int number, nodes;                  /* in its flexible body, from 0; 3 or 4          */
    int node[SS_SIMPLEX_NODES];         /* numbers among the nodes of all solids         */
    ss_attachment at[SS_SIMPLEX_NODES]; /* particles, or points of what holds a node     */
    ss_vec3 slope[SS_SIMPLEX_NODES];    /* of the shape function of each node, at rest   */
    double volume;                      /* 2D: area                                      */
} ss_simplex;

/* A face of the boundary of a solid: an edge in 2D, a triangle in 3D (contact/facet.c). */
typedef struct ss_facet {
    ss_attachment at[3]; /* dimension of them, seen from outside counter-clockwise; in 2D the outside is on the right */
    int solid;           /* number of its solid                                          */
    int shape;           /* point of one of its nodes: whose material it has             */
    double depth;        /* height of its element: what is farther behind is not touched */
} ss_facet;

/* A corner of a shape, rounded by a radius: what may touch facets. */
typedef struct ss_probe {
    int shape, solid; /* solid: -1, or the number of the solid whose node it is */
    ss_vec3 point;    /* in the frame of the shape's body                       */
    double radius;
} ss_probe;

/* An edge in 3D that may cross that of a solid: of a shape, or of a solid between two of its facets (contact/crossing.c). */
typedef struct ss_edge {
    ss_attachment at[2];
    int shape, solid;     /* whose material it has; -1, or the number of its solid                               */
    int facet[2];         /* of a solid: on its left and on its right, seen from outside                         */
    ss_vec3 normal[2];    /* of a shape: those of the faces there, in the frame of the body; 0: it has none     */
    double radius, depth; /* depth: a greater overlap is not touched                                             */
} ss_edge;

typedef struct ss_force_type ss_force_type;
typedef struct ss_force {
    const ss_force_type *type;
    ss_attachment at[2];       /* one-body forces use at[0]; at[1] is the world */
    const ss_element *element; /* of elements, whose nodes are the two points; `length` is that at rest */
    double stiffness, damping, length, omega, phase;
    ss_vec3 force, torque;
    ss_expr *force_t[3], *torque_t[3];
    ss_table table;                             /* owned copy */
    const struct ss_force_functions *functions; /* what a program has given it, or its type if that was added; NULL: none */
    const double *number;                       /* of a type that was added: of its keys */
} ss_force;

/* Forces by class, for the ledger. */
typedef enum ss_force_class {
    SS_FORCE_GRAVITY,
    SS_FORCE_SPRING,
    SS_FORCE_DAMPER,
    SS_FORCE_APPLIED,
    SS_FORCE_GYROSCOPIC,
    SS_FORCE_CLASSES
} ss_force_class;

typedef struct ss_wrench {
    ss_vec3 force, torque;
} ss_wrench; /* world, torque about the point */

struct ss_force_type {
    ss_entry info; /* fields: offsets into ss_force_desc */
    bool two_bodies;
    bool by_program;                    /* it is what functions of a program say: force->functions */
    const struct ss_own_force *outside; /* what a program has added (own_force.c); NULL: it is one of the library */
    /* add to w[class][attachment 0 or 1] */
    void (*eval)(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2]);
    double (*potential)(const ss_force *force, const ss_spot s[2]); /* NULL: 0 */
    /* add d(wrench)/dx at fixed velocities of the points, and d(wrench)/d(velocities): 12 x 12 as in ss_joint_type.stiffness;
     * NULL: the wrench depends on neither. The second one may not depend on the velocities: eval is affine in them. */
    void (*jacobian)(const ss_force *force, double t, const ss_spot s[2], double *k_q, double *k_v);
    /* of an element: have its nodes passed each other? NULL: it is none */
    bool (*inverted)(const ss_force *force, const ss_spot s[2]);
    /* of an element: what it carries at rest in that place, as many numbers as there are names before NULL */
    const char *const *stress_name;
    void (*stress)(const ss_force *force, const ss_spot s[2], double *out);
};

/* An element of a flexible body: what its nodes are, and the force between two of them. */
typedef struct ss_element_type {
    ss_entry info;     /* fields: offsets into ss_elements_desc                               */
    ss_body_type node; /* SS_BODY_PARTICLE, or SS_BODY_RIGID if a node turns                  */
    int nodes;         /* 0: two, in a row; 3, 4: triangles and tetrahedra, which have no force type (simplices.c) */
    ss_force_type force;
    const ss_force_type *in_space; /* the force in 3D; NULL: the same as in 2D */
} ss_element_type;

/* What a simulation tells besides its state (outputs.h). */
typedef struct ss_outputs {
    struct ss_output *part;
    int parts, columns;
    int declared_columns; /* those of the scene come first  */
    char **name;          /* columns                        */
    const char **unit;    /* columns                        */
    int *part_of;         /* columns                        */
    bool of_step;         /* does any tell of a step?       */
    uint64_t hash;        /* of what the scene says of them */
} ss_outputs;

extern const ss_element_type *const ss_element_types[]; /* NULL-terminated, from elements/elements.def */
extern const ss_joint_type *const ss_joint_types[];     /* from joints/joints.def */
extern const ss_force_type *const ss_force_types[];

typedef struct ss_pair_law {
    double mu[2], e;
    double arm[2]; /* rolling and spinning friction, m */
    ss_vec3 grain; /* in the frame of the body with material `grain_of`; only if mu differ */
    int grain_of;  /* -1: isotropic */
    ss_impact_law impact;
} ss_pair_law;

/* Which dynamic bodies a body's rows of an nv x nv matrix touch, itself included; sorted. */
typedef struct ss_pattern {
    int *start;          /* bodies + 1 */
    int *neighbour;      /* bodies     */
    int *column;         /* where the neighbour's entries begin within the row */
    ss_index_pair *pair; /* of bodies and neighbours, sorted */
    int pairs, body_cap, pair_cap;
} ss_pattern;

/* ---- model --------------------------------------------------------------------------------- */

struct ss_model {
    ss_context *ctx;
    ss_scene_settings settings;                               /* strings owned */
    ss_setting *scheme_option, *solver_option, *exact_option; /* ended by key NULL; strings owned */
    int dimension, nv, bodies, joints, forces, elements, simplices, solid_nodes, facets, probes, edges, shapes, materials, nj;
    int nq;             /* numbers of q: coordinates of bodies, which are public, then a turn counter for each hinge in 3D */
    int counters;       /* of turns */
    int *counter_joint; /* counters: their joints */
    ss_vec3 gravity;
    ss_mat3 friction_axes; /* of the friction frame, world */
    double length;         /* characteristic length, m: tolerances scale with it                             */
    double time;           /* characteristic time, s: half a swing of a pendulum of that length, or the run            */
    double *v_unit;        /* nv: what a displacement along each velocity is measured against: the length, 1 for a rotation, or
                            * what a block says */
    bool has_gaps;         /* of blocks */
    bool constant_mass;
    ss_vec3 *still; /* 2 (bodies + 1) zeros: the drive of every configuration, where no body is driven; else NULL */

    /* bodies, `bodies` long */
    char **body_name;
    ss_body_type *body_type;
    int *body_q, *body_v; /* offsets, -1: none            */
    int *body_block;      /* block of M, -1: none         */
    double *body_mass;
    ss_mat3 *body_inertia;      /* body frame; 2D: c[2].z        */
    ss_frame *body_frame0;      /* at t = 0                     */
    ss_quat *body_quat0;        /* the same rotation            */
    double *body_angle0;        /* 2D: the same, unwrapped      */
    ss_expr *(*body_motion)[3]; /* driven; NULL: constant       */
    ss_expr **body_motion_angle;
    double *body_motion_zero; /* what that expression has at t = 0 */
    ss_vec3 *body_motion_axis;
    const ss_block **body_callbacks;

    /* shapes, sorted by body; body b has shapes shape_start[b] .. shape_start[b+1]-1 */
    ss_shape *shape;
    int *shape_body, *shape_material, *shape_start;
    double *shape_thickness; /* ss_shape_thickness */
    char **material_name;    /* of the scene's materials */
    ss_pair_law *pair;       /* materials x materials; the last material is the default one */
    ss_index_pair *excluded; /* body pairs that never touch (jointed), a < b, sorted */
    int excluded_count;

    ss_joint *joint;
    char **joint_name;
    ss_force *force;     /* those of the scene, then those of elements */
    char **force_name;   /* of the scene's forces */
    ss_element *element; /* `elements`: of these */
    ss_simplex *simplex; /* `simplices`: triangles and tetrahedra */
    ss_simplex_law *simplex_law;
    ss_attachment *solid_node; /* `solid_nodes`: of all solids, held ones too */
    ss_facet *facet;           /* `facets` */
    ss_probe *probe;           /* `probes`; none where there are no facets */
    ss_edge *edge;             /* `edges`; none where there are no facets, and in 2D */
    ss_outputs outputs;
    int *row_joint;   /* nj: joint of each bilateral row; block constraints: -1 - body */
    bool *row_motor;  /* nj: is it a motor row?       */
    double *row_unit; /* nj: what its g is measured against: the length, or 1 for an angle */

    ss_matrix mass;  /* diagonal.x holds the constant blocks (callback blocks at t = 0) */
    ss_csr massless; /* -D of massless.c: M is singular; without rows: every velocity has mass */
    double *q0, *v0;
    double *stiffness;    /* nv: sizes of the rows of dk/dq at the start (round_off.c); NULL: 0 */
    uint64_t fingerprint; /* of the scene it was compiled from */
    uint64_t structure;   /* of that scene without the numbers that may change while a simulation runs */

    ss_pattern force_pattern, joint_pattern; /* of k_q and k_v; of the joints' stiffness */
    double *scratch; /* for the differences of user blocks: models with blocks are not to be shared by threads */
    void **owned;    /* strings and tables */
    int owned_count, owned_cap;
};

/* Memory for a configuration from an arena. */
ss_status ss_config_take(ss_arena *arena, const ss_model *m, ss_config *out);
/* Frames of all bodies at (t, q); drive is set to zero. q is kept by pointer. */
void ss_config_set(const ss_model *m, double t, const double *q, ss_config *c);
/* Frame of one body, or of the world, at (t, q); of q only its own coordinates are read. */
ss_frame ss_model_frame(const ss_model *m, int body, double t, const double *q);
/* The angle by which a driven body has turned about its axis since t = 0. */
double ss_model_driven_angle(const ss_model *m, int body, double t);
/* driven_range.c: all places of a driven body in a time: position x, y, z and angle lie in [lo, hi]. Too wide rather than too
 * narrow, but shrinks with the time. */
enum { SS_DRIVEN_ANGLE = 3, SS_DRIVEN_NUMBERS = 4 };
typedef struct ss_driven_range {
    double lo[SS_DRIVEN_NUMBERS], hi[SS_DRIVEN_NUMBERS];
} ss_driven_range;
void ss_model_driven_range(const ss_model *m, int body, double from, double to, ss_driven_range *out);
/* even_time.c: h, halved until no driven body with shapes is farther off the chord of its motion over [t, t + h] than a part of
 * its thickness: its mean velocity then says where it goes. */
double ss_model_even_time(const ss_model *m, double t, double h);
/* Mean velocities of the driven bodies over [t0, t1]; t0 == t1: at that instant, and their accelerations. */
void ss_config_drive(const ss_model *m, double t0, double t1, ss_config *c);
/* After ss_config_drive over t0 < t1: accelerations that lead from these mean velocities, half a step later, to those of t1. */
void ss_config_bend(const ss_model *m, double t0, double t1, ss_config *c);

/* out = q (+) h v on the configuration manifold; geodesic for rotations, quaternions stay unit. */
void ss_model_retract(const ss_model *m, const double *q, const double *v, double h, double *out);
/* The same for one dynamic body; coordinates of others stay. */
void ss_model_retract_body(const ss_model *m, int body, const double *q, const double *v, double h, double *out);
/* dx/dt while the body moves with v and q = q0 (+) x: out = v where a coordinate is a number; for rotations the inverse of the
 * tangent map of exp at x. |x| of a rotation below pi. */
void ss_model_chart_rate(const ss_model *m, const double *x, const double *v, double *out);
/* the v with q0 (+) v = q1, shortest rotation; turn counters are neither read nor asked for */
void ss_model_difference(const ss_model *m, const double *q0, const double *q1, double *v);
void ss_model_difference_body(const ss_model *m, int body, const double *q0, const double *q1,
                              double *v); /* a dynamic one's part */
/* The same with the rotations nearest to those of guess[nv], which may be more than half a turn. */
void ss_model_difference_near(const ss_model *m, const double *q0, const double *q1, const double *guess, double *v);

/* ---- turns of hinges (turns.c): joints whose type is `angular` ---- */

/* The coordinate is `start` at q0; basis, bodies and counter of the joint are set. */
void ss_turns_start(const ss_model *m, double start, ss_joint *joint);
/* `angle`, known modulo a turn, in the turn that q is in. */
double ss_turns_angle(const ss_model *m, const ss_joint *joint, double t, const double *q, double angle);
/* The part of ss_model_retract for turn counters. */
void ss_turns_retract(const ss_model *m, const double *q, const double *v, double h, double *out);
/* Set the turn counters in q to what the frames at (t, q) say; the turn they are in stays. For the end of a step. */
void ss_turns_settle(const ss_model *m, double t, double *q);

/* What follows calls the callbacks of user blocks, and fails where one of them does. */
ss_status ss_model_mass(ss_context *ctx, const ss_model *m, double t, const double *q,
                        double *x); /* blocks of M(t,q), layout of m->mass */
/* M becomes M(t,q): the model's own blocks and factors where they are constant, else written to `room`, which is for
 * ss_model_mass_room numbers and may be NULL where that is 0. */
ss_status ss_model_mass_at(ss_context *ctx, const ss_model *m, double t, const double *q, double *room, ss_blockdiag *M);
size_t ss_model_mass_room(const ss_model *m);
size_t ss_model_mass_size(const ss_model *m);        /* numbers in all blocks */
bool ss_model_is_massless(const ss_model *m, int i); /* velocity i */
/* Blocks of M become those of B = M + D, which is positive definite (massless.c). */
void ss_model_mass_scale(const ss_model *m, double *x);
ss_status ss_model_kinetic(ss_context *ctx, const ss_model *m, double t, const double *q, const double *v, double *energy);
/* gravity, springs, blocks */
ss_status ss_model_potential(ss_context *ctx, const ss_model *m, const ss_config *c, double *energy);
/* k[class * nv + i], overwritten */
ss_status ss_model_forces(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *k);
/* k[nv] of gravity, overwritten, where no user block has forces */
void ss_model_weights(const ss_context *ctx, const ss_model *m, double *k);
/* The same as ss_model_forces without the stiff forces of model/stiff.h. */
ss_status ss_model_other_forces(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *k);
/* May classes besides gravity and the gyroscopic one be other than zero? */
bool ss_model_has_other_classes(const ss_model *m);
/* Impulse of the gyroscopic force over h, by a rule that keeps energy and the size of the angular momentum. p[nv], overwritten.
 */
void ss_model_gyroscopic_impulse(const ss_context *ctx, const ss_model *m, const double *v, double h, double *p);
/* dk/dq (in velocity coordinates: k(q (+) x) - k(q) ~ k_q x) and dk/dv, all classes summed; nv x nv */
ss_status ss_model_force_jacobian(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, ss_csr *k_q,
                                  ss_csr *k_v);

/* All bilateral rows at c: g[nj], G (reset first), drive[nj] = the part of dg/dt that does not come
 * from v (driven bodies, explicit time), target[nj] = motor speed or 0. Holds G v + drive = target. */
ss_status ss_model_joints(ss_context *ctx, const ss_model *m, const ss_config *c, double *g, ss_csr *G, double *drive,
                          double *target);
/* (dG/dt) v, nj */
ss_status ss_model_joint_curvature(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *out);
/* What the joints ask of accelerations: G dv/dt = out[nj] where G v + drive = target holds all the time. c has the drive of its
 * instant: driven bodies, motors whose speed changes, constraints of blocks with time in them are all in it. */
ss_status ss_model_joint_acceleration(ss_context *ctx, const ss_model *m, const ss_config *c, const double *v, double *out);
ss_status ss_model_joint_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, const double *lam,
                                   ss_csr *K); /* d(G'lam)/dq, nv x nv */
/* d(G v)/dq at fixed v along a displacement of velocity kind, nj x nv, without what the rates of driven bodies change by. */
ss_status ss_model_joint_gradient(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const double *v,
                                  ss_csr *R);
/* Joint coordinate and its rate row (for limits and motors). Angles are counted over any number of turns. */
double ss_model_joint_coordinate(const ss_model *m, const ss_config *c, int joint, ss_twist_row *row);
/* The rate of that coordinate with velocities v; c has the drive of its instant. */
double ss_model_joint_rate(const ss_model *m, const ss_config *c, const double *v, int joint);
/* What rows of a joint with multipliers lam do to its second body at its anchor, without the row of its motor; not of couplings.
 */
ss_wrench ss_model_joint_wrench(const ss_model *m, const ss_config *c, int joint, const double *lam);

/* How many velocities of a body from number `first` of its own on are the components of one vector: its linear velocity, its
 * angular velocity; coordinates of a block stand alone. */
int ss_model_vector_size(const ss_model *m, int body, int first);
/* World twist of a body with velocities v (driven: its drive). */
void ss_model_twist(const ss_model *m, const ss_config *c, const double *v, int body, ss_vec3 out[2]);
static inline bool ss_model_is_dynamic(const ss_model *m, int body) { return body < m->bodies && m->body_v[body] >= 0; }
/* The first time after t, at most `until`, at which a force, a motor or a driven motion may jump or bend (ss_expr_next_kink;
 * tables at their times); INFINITY: there is none. */
double ss_model_next_kink(const ss_model *m, double t, double until);
/* timed.c: are there forces, motors or driven motions that depend on time? */
bool ss_model_is_timed(const ss_model *m);
/* Could one of them have moved a body by its unit between 0 and t? */
bool ss_model_time_reaches(const ss_model *m, double t);
/* What a step that follows them may miss, in units: by what they do at times that nobody looks at; by taking each by its mean. */
typedef struct ss_following {
    double tol, finest;
} ss_following;
/* The longest step from t, at most h, that follows them; what they do after t + room is not looked at. */
double ss_model_follow_time(const ss_model *m, double t, double h, double room, ss_following limit);
/* Refuses a driven motion that jumps after `from`, until `until`: names the body, the time and the jump. */
ss_status ss_model_check_driven(ss_context *ctx, const ss_model *m, double from, double until);
const ss_pair_law *ss_model_pair_law(const ss_model *m, int shape_a, int shape_b);
bool ss_model_may_touch(const ss_model *m, int shape_a, int shape_b);
/* Two bodies, one of which moves freely at least, that no joint keeps from touching. */
bool ss_model_bodies_may_touch(const ss_model *m, int a, int b);

/* As ss_model_compile, of a scene whose joints need not fit at t = 0: to be assembled, not to be run. */
ss_status ss_model_compile_loose(ss_context *ctx, const ss_scene *scene, ss_model **out);

#endif
