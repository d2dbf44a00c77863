/* scene.h - the editable description of a mechanical system, and the model compiled from it.
 *
 * A scene holds what a scene file says: names, numbers, expressions. It can be edited. ss_model_compile checks it as a
 * whole and builds the model, which is constant: numbered bodies, arrays of masses, joints and forces.
 *
 * Units are SI, angles radians. Particles have a position; rigid bodies have position and
 * orientation, linear velocity in the world frame, angular velocity in the body frame (3D).
 * Descriptions are filled from ss_..._desc_default(), then edited; strings are copied. */
#ifndef SLIPSTICK_SCENE_H
#define SLIPSTICK_SCENE_H

#include <slipstick/base.h>
#include <slipstick/registry.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_scene ss_scene;
typedef struct ss_model ss_model;

typedef enum ss_body_type { SS_BODY_PARTICLE, SS_BODY_RIGID, SS_BODY_FIXED, SS_BODY_DRIVEN, SS_BODY_BLOCK } ss_body_type;
typedef enum ss_impact_law { SS_IMPACT_UNSET, SS_IMPACT_NEWTON, SS_IMPACT_POISSON } ss_impact_law;

/* Generalized coordinates given by callbacks: q and v have n entries each, qdot = v. Filled from ss_block_default(), then
 * edited. Every callback may be NULL when its count is 0 or the default given here is right. Matrices are row-major; what a
 * callback does not write is 0. A callback returns SS_OK, or else ends the step: ss_last_error then names the body, the callback
 * and the time, and repeats what the callback said by ss_context_fail. */
typedef struct ss_block {
    size_t size; /* of this struct, set by ss_block_default(); any other is refused */
    void *user;
    int n;              /* degrees of freedom          */
    bool constant_mass; /* M does not depend on t or q */
    ss_status (*mass)(void *user, double t, const double *q,
                      double *M); /* M[n*n], symmetric positive definite, or with rows of zeros (docs/galpha_ggl.md) */
    ss_status (*force)(void *user, double t, const double *q, const double *v, double *k); /* k[n]; NULL: 0 */
    /* energy of the conservative part of k; NULL: 0 */
    ss_status (*potential)(void *user, double t, const double *q, double *energy);
    /* dk/dq and dk/dv, n*n each; NULL: differences */
    ss_status (*jacobian)(void *user, double t, const double *q, const double *v, double *k_q, double *k_v);
    int constraints; /* rows of g(t,q) = 0          */
    /* g[m], G[m*n], g_t[m] = dg/dt at fixed q */
    ss_status (*constraint)(void *user, double t, const double *q, double *g, double *G, double *g_t);
    int gaps; /* rows of gap(t,q) >= 0       */
    /* gap[m], H[m*n], gap_t[m] */
    ss_status (*gap)(void *user, double t, const double *q, double *gap, double *H, double *gap_t);
    double e;  /* restitution of its gaps (0) */
    double mu; /* friction at its gaps (0)    */
    /* velocities T v + T_t along the tangents of the gaps, d of each (1 in 2D, 2 in 3D): T[m*d*n], T_t[m*d]; needed if mu > 0 */
    ss_status (*tangent)(void *user, double t, const double *q, double *T, double *T_t);
    /* K[n*n] = d(G' lam + rows' r)/dq, where r has the normal and (with friction) the tangents of every gap; NULL: differences */
    ss_status (*stiffness)(void *user, double t, const double *q, const double *lam, const double *r, double *K);
    const double *unit; /* n: what changes of q are measured against; NULL: the model's length */
    double time;        /* s: time scale on which its callbacks change at fixed q, v; 0: that of the model, see docs/scene.md */
} ss_block;

typedef struct ss_body_desc {
    const char *name;
    ss_body_type type;
    double mass;                     /* kg; NAN: computed from density; 0: none                    */
    double inertia[6];               /* body frame: 2D [2]; 3D xx yy zz xy xz yz; NAN: from density or shapes */
    double density;                  /* kg/m^3 (2D kg/m^2); NAN: none                              */
    double position[3];              /* m, world                                                   */
    double angle;                    /* 2D, rad                                                    */
    double orientation[4];           /* 3D, w x y z                                                */
    double velocity[3];              /* m/s, world                                                 */
    double angular_velocity[3];      /* rad/s; 2D [2]; 3D body frame                               */
    const char *motion[3];           /* driven: position as expressions in t; NULL: constant       */
    const char *motion_angle;        /* driven: rotation angle about `motion_axis` after the initial orientation */
    double motion_axis[3];           /* driven, 3D: world axis (0,0,1)                             */
    const ss_block *block;           /* block: callbacks, kept by pointer until the model is gone  */
    const double *block_q, *block_v; /* block: initial values, n each; NULL: zero                  */
} ss_body_desc;

/* Points of a polygon or a hull, `dimension` coordinates each are used. */
typedef struct ss_points {
    int n;
    const double *x; /* n x 3; in 2D x[2] is 0 */
} ss_points;

/* Heights of a height field: rows x columns, row by row; 2D: one row. */
typedef struct ss_heights {
    int rows, columns;
    const double *z;
} ss_heights;

/* Numbers of a part whose type a program has added (extend.h): those of its keys, in their order; NAN: the default of the key. */
enum { SS_OWN_NUMBERS = 8 };

typedef struct ss_shape_desc {
    const char *type;      /* registered name: point, sphere, capsule, box, cylinder, polygon, hull, half_space, height_field */
    const char *material;  /* NULL: the default material                                 */
    double position[3];    /* in the body frame                                          */
    double angle;          /* 2D                                                         */
    double orientation[4]; /* 3D                                                         */
    double radius;         /* sphere, capsule, cylinder                                  */
    double length;         /* capsule: between the centres of its ends; cylinder: its height; along the shape's last axis */
    double size[3];        /* box: full side lengths                                     */
    double normal[3];      /* half_space: out of the solid, body frame                   */
    double offset;         /* half_space: the free side is normal . x >= offset          */
    ss_points points;      /* polygon, hull: corners, shape frame                        */
    ss_heights heights;    /* height_field: along the last axis, centred on the origin; solid below */
    double spacing;        /* height_field: between neighbouring heights, m              */
    double number[SS_OWN_NUMBERS];
} ss_shape_desc;

/* A pair of materials without an entry of its own has mu = sqrt(mu_a mu_b) and e = min(e_a, e_b). Where one material has
 * NAN, the value of the other one is used; where both have NAN, it is 0. */
typedef struct ss_material_desc {
    const char *name;
    double mu[2];    /* along and across the grain; equal: isotropic               */
    double e;        /* restitution, 0..1                                          */
    double grain[3]; /* direction of mu[0] in the body frame (1,0,0), 3D only      */
    /* m: a moment against rolling, and in 3D one against spinning, is at most this times the normal force. A pair has the
     * geometric mean, as of mu */
    double rolling_friction, spinning_friction;
} ss_material_desc;

typedef struct ss_pair_desc {
    const char *materials[2];
    double mu[2];
    double e;
    double grain[3]; /* in the frame of the body that carries materials[0]         */
    int impact;      /* ss_impact_law                                              */
    double rolling_friction, spinning_friction;
} ss_pair_desc;

typedef struct ss_motor_desc {
    const char *speed;    /* target rate, expression in t; NULL: none                   */
    const char *force;    /* force or torque, expression in t; NULL: none               */
    double max;           /* bound on the force that holds the speed (INFINITY)         */
    const char *position; /* target of the coordinate, expression in t; NULL: none      */
    double stiffness;     /* of a servo that holds the position: force per distance (0) */
    double damping;       /* of a servo that holds a position or a speed: force per speed (0) */
} ss_motor_desc;

/* What resists the motion of a joint's coordinate: f = -stiffness (x - rest) - damping x', and dry friction. */
typedef struct ss_resistance_desc {
    double stiffness; /* N/m or N m/rad (0)                                             */
    double rest;      /* the coordinate at which the spring is at rest; NAN: that of t = 0 */
    double damping;   /* N s/m or N m s/rad (0)                                         */
    double friction;  /* N or N m: the most that dry friction gives (0)                 */
} ss_resistance_desc;

/* How a joint turns one motion into another. */
typedef struct ss_gearing_desc {
    const char *joints[2]; /* gear, rack: the two joints whose coordinates it couples           */
    double ratio;          /* gear: turn of the second joint over that of the first             */
    double radius;         /* rack, m: displacement of the second joint over the angle of the first */
    double pitch;          /* screw, m: way along the axis in one turn                          */
} ss_gearing_desc;

typedef struct ss_joint_desc {
    const char *name;
    const char *type;      /* registered name or alias                                   */
    const char *bodies[2]; /* "world" is the fixed frame                                 */
    double anchors[2][3];  /* in each body's frame                                       */
    double at[3];          /* instead of anchors: a world point at t = 0; NAN: unused    */
    double axis[3];        /* all but distance, spherical, fixed: in the frame of bodies[0]; revolute in 2D has none */
    double second_axis[3]; /* universal: the axis that turns with bodies[1], in the frame of bodies[0] at t = 0 */
    double length;         /* distance: NAN: the initial distance                        */
    double limits[2];      /* on the joint coordinate; distance: on the length; -inf, inf: none */
    ss_motor_desc motor;
    bool collide;       /* whether the two bodies can touch (false)                   */
    double restitution; /* of the limits (0)                                          */
    double start;       /* the joint coordinate at t = 0 (0); distance has none       */
    ss_gearing_desc gearing;
    ss_resistance_desc resistance;
    double number[SS_OWN_NUMBERS];
} ss_joint_desc;

typedef struct ss_table {
    int rows;             /* times are increasing; linear in between, constant outside  */
    const double *t;      /* rows                                                       */
    const double *force;  /* rows x 3                                                   */
    const double *torque; /* rows x 3 (2D: [2])                                         */
} ss_table;

typedef struct ss_force_desc {
    const char *name;
    const char *type;      /* spring, damper, spring_damper, constant, sinusoid, table, expression */
    const char *body;      /* constant, sinusoid, table, expression                      */
    const char *bodies[2]; /* spring, damper, spring_damper                              */
    double anchors[2][3];
    double point[3];                      /* where the force acts, body frame (0: centre of mass)       */
    double stiffness, damping, length;    /* N/m, N s/m, rest length m (NAN: the initial distance)  */
    double force[3], torque[3];           /* constant: N, N m; sinusoid: amplitudes; torque in 3D is in the world frame */
    double omega, phase;                  /* sinusoid: force sin(omega t + phase)                       */
    const char *force_t[3], *torque_t[3]; /* expression                                          */
    ss_table table;
    double number[SS_OWN_NUMBERS];
} ss_force_desc;

/* Which nodes of a flexible body touch shapes of other bodies. */
typedef enum ss_node_contact { SS_CONTACT_NONE, SS_CONTACT_ENDS, SS_CONTACT_NODES } ss_node_contact;

/* Nodes and cells of a solid that was read from a file. */
typedef struct ss_mesh_data {
    int nodes, cells, held_nodes; /* nodes 0: none                                              */
    const double *x;              /* nodes x 3, m                                               */
    const int *cell;              /* cells x (dimension + 1): numbers of nodes, from 0          */
    const int *held;              /* held_nodes: the nodes of the group `held`, ascending       */
} ss_mesh_data;

enum { SS_PLANE_STRAIN, SS_PLANE_STRESS };
enum { SS_STRAIN_LINEAR, SS_STRAIN_COROTATIONAL };
enum { SS_LEFT, SS_RIGHT, SS_FRONT, SS_BACK, SS_BOTTOM, SS_TOP, SS_SIDES };

/* A solid: triangles that fill a rectangle, tetrahedra that fill a box, or a mesh from a file. */
typedef struct ss_solid_desc {
    double divisions[3];        /* cells along each side, of two triangles or five tetrahedra each     */
    const char *side[SS_SIDES]; /* what holds the nodes of a side: "world", a fixed or a driven body; NULL: nothing */
    const char *mesh;           /* a Gmsh file, in place of size, divisions and sides; NULL: none      */
    ss_mesh_data data;          /* what it says                                                        */
    const char *held, *holder;  /* a physical group of the file, and what holds it                     */
    double angular_velocity[3]; /* rad/s, in its frame, about its centre of mass; 2D: [2]              */
    int plane;                  /* 2D: SS_PLANE_..                                                     */
    int strain;                 /* SS_STRAIN_..                                                        */
    int contact;                /* whether the nodes of its boundary touch shapes of bodies (1)        */
} ss_solid_desc;

/* A flexible body: elements of one type in a row along the first axis of its frame, or a solid. Its nodes are bodies called
 * NAME.0, NAME.1, .. */
typedef struct ss_elements_desc {
    const char *name;
    const char *type;           /* bar, beam, triangle, tetrahedron                                       */
    double size[3];             /* m: length, height, width (3D; in 2D the width is 1)                    */
    int divisions;              /* number of elements                                                     */
    double E, nu, density;      /* N/m^2; Poisson's ratio (0); kg/m^3                                     */
    double position[3];         /* m, world: the first node                                               */
    double angle;               /* 2D, rad                                                                */
    double orientation[4];      /* 3D, w x y z                                                            */
    double velocity[3];         /* m/s, world: of the middle                                              */
    double angular_velocity[3]; /* rad/s about the middle; 2D [2]; 3D in its own frame                    */
    const char *first, *last;   /* what holds the first and the last node: "world", a fixed or driven body; NULL: nothing */
    double mass_damping;        /* 1/s: Rayleigh damping, a M v + b K v (0)                               */
    double stiffness_damping;   /* s                                                                      */
    int contact;                /* an ss_node_contact: which nodes touch shapes of bodies (all)           */
    const char *material;       /* of its nodes; NULL: the default material                               */
    ss_solid_desc solid;        /* triangle, tetrahedron                                                  */
} ss_elements_desc;

/* What a simulation tells besides its state: a number, or several, under a name. */
typedef struct ss_output_desc {
    const char *name;      /* of its column; columns of several numbers add to it: NAME.x            */
    const char *type;      /* registered name: coordinate, rate, motor, reaction, position, velocity, distance, .. */
    const char *joint;     /* coordinate, rate, motor, reaction                                       */
    const char *body;      /* position, velocity, accelerometer, force_plate                          */
    double point[3];       /* position, velocity, accelerometer: in the frame of the body (0)         */
    const char *bodies[2]; /* distance                                                                */
    double anchors[2][3];  /* distance: a point of each body, in its frame                            */
} ss_output_desc;

typedef enum ss_precision { SS_PRECISION_DOUBLE, SS_PRECISION_SINGLE } ss_precision;

/* How results are kept in HDF5 files. Other formats and checkpoints do not look at it. */
typedef struct ss_result_settings {
    int precision; /* an ss_precision, of the numbers of bodies, contacts, joints and elements (SS_PRECISION_DOUBLE) */
    int compress;  /* 1, quick, to 9, small; 0: not compressed (0) */
    bool contacts; /* write the contacts of every state (true) */
} ss_result_settings;

typedef struct ss_scene_settings {
    const char *name;
    int dimension; /* 2 or 3                                                     */
    double gravity[3];
    double until, step, tol;     /* s, s, -; NAN: not given                                    */
    double h_min, h_max;         /* s; bounds of steps chosen by tol; NAN: from tol and the motion */
    bool variable_order;         /* with tol: estimate the order of the local error in every step (true); false: take it as 0 */
    const char *scheme, *solver; /* NULL: anitescu_potra, auto                                 */
    double solver_tol;           /* (1e-10)                                                    */
    const char *exact;           /* name of the exact solution; NULL: none                     */
    double friction_frame[4];    /* turns the axes from which friction directions are measured */
    double length_scale;         /* m; NAN: from the scene                                     */
    bool reduce_contacts;        /* leave out contacts of a face that others make redundant (false) */
    int share;                   /* an ss_share: how contacts share a load that statics leaves open (SS_SHARE_LIMIT) */
    ss_result_settings results;
} ss_scene_settings;

SS_API ss_scene_settings ss_scene_settings_default(void);
SS_API ss_body_desc ss_body_desc_default(void);
SS_API ss_block ss_block_default(void);
SS_API ss_shape_desc ss_shape_desc_default(void);
SS_API ss_material_desc ss_material_desc_default(void);
SS_API ss_pair_desc ss_pair_desc_default(void);
SS_API ss_joint_desc ss_joint_desc_default(void);
SS_API ss_force_desc ss_force_desc_default(void);
SS_API ss_elements_desc ss_elements_desc_default(void);
SS_API ss_output_desc ss_output_desc_default(void);

SS_API ss_status ss_scene_create(ss_context *ctx, const ss_scene_settings *settings, ss_scene **out);
SS_API void ss_scene_destroy(ss_scene *scene);
SS_API const ss_scene_settings *ss_scene_get_settings(const ss_scene *scene);
SS_API ss_status ss_scene_set_settings(ss_scene *scene, const ss_scene_settings *settings);

/* Add a part; *index (may be NULL) is its number in scene order. */
SS_API ss_status ss_scene_add_body(ss_scene *scene, const ss_body_desc *body, int *index);
SS_API ss_status ss_scene_add_shape(ss_scene *scene, int body, const ss_shape_desc *shape);
SS_API ss_status ss_scene_add_material(ss_scene *scene, const ss_material_desc *material);
SS_API ss_status ss_scene_add_pair(ss_scene *scene, const ss_pair_desc *pair);
SS_API ss_status ss_scene_add_joint(ss_scene *scene, const ss_joint_desc *joint, int *index);
SS_API ss_status ss_scene_add_force(ss_scene *scene, const ss_force_desc *force, int *index);
SS_API ss_status ss_scene_add_elements(ss_scene *scene, const ss_elements_desc *elements);
SS_API ss_status ss_scene_add_output(ss_scene *scene, const ss_output_desc *output);
/* section "scheme", "solver" or "exact"; a later setting of the same key replaces the earlier one */
SS_API ss_status ss_scene_set_option(ss_scene *scene, const char *section, const ss_setting *setting);

/* Fields of the parts, for readers and writers of scenes. "bodies" depends on the body's type. */
SS_API const ss_field *ss_body_fields(ss_body_type type);
SS_API const char *ss_body_type_name(ss_body_type type);
SS_API const ss_field *ss_material_fields(void);
SS_API const ss_field *ss_pair_fields(void);

/* ---- the compiled model ------------------------------------------------------------------- */

SS_API ss_status ss_model_compile(ss_context *ctx, const ss_scene *scene, ss_model **out);
SS_API void ss_model_destroy(ss_model *model);

/* Bodies and joints are numbered from 0 in scene order. For a number that no part has, names are NULL, rows 0, places in q and v
 * -1, and poses NAN. */
SS_API int ss_model_dimension(const ss_model *model);
SS_API int ss_model_nq(const ss_model *model);
SS_API int ss_model_nv(const ss_model *model);
SS_API int ss_model_body_count(const ss_model *model);
SS_API int ss_model_joint_count(const ss_model *model);
SS_API const char *ss_model_body_name(const ss_model *model, int body);
SS_API ss_body_type ss_model_body_type(const ss_model *model, int body); /* of a body that is there */
SS_API const char *ss_model_joint_name(const ss_model *model, int joint);
/* Rows of a joint, as ss_sim_joint_reaction gives their reactions: those of its type, then that of a motor with a speed or a
 * position. A name says what the reaction on the second body is: "force_x", "torque_1", "motor.torque"; NULL: there is no such
 * row. */
SS_API int ss_model_joint_rows(const ss_model *model, int joint);
SS_API const char *ss_model_joint_row_name(const ss_model *model, int joint, int row);
/* Where a body's coordinates start in q and v; -1 for fixed and driven bodies. */
SS_API int ss_model_body_q(const ss_model *model, int body);
SS_API int ss_model_body_v(const ss_model *model, int body);
SS_API const double *ss_model_initial_q(const ss_model *model);
SS_API const double *ss_model_initial_v(const ss_model *model);
SS_API double ss_model_length_scale(const ss_model *model);
SS_API const ss_scene_settings *ss_model_settings(const ss_model *model);
/* Number of pairs of shapes that can touch: those that the broad phase considers. */
SS_API int64_t ss_model_potential_pairs(const ss_model *model);
/* Pose of any body at time t (orientation w x y z; 2D: angle about z in *angle). */
SS_API void ss_model_body_pose(const ss_model *model, int body, double t, const double *q, double position[3],
                               double orientation[4], double *angle);
/* Elements of flexible bodies, and the two nodes of one that is there: bodies (-1: the world), and the places of the nodes in
 * their frames. */
SS_API int ss_model_element_count(const ss_model *model);
SS_API void ss_model_element_ends(const ss_model *model, int element, int bodies[2], double points[2][3]);
/* Solids, all together: nodes, which are places of bodies (-1: the world) in their frames; elements between three or four of
 * them, whose number is returned; the place of an element's solid in the scene's list `elements`; von Mises' stress of every
 * element at (t, q), N/m^2. */
SS_API int ss_model_solid_node_count(const ss_model *model);
SS_API void ss_model_solid_node(const ss_model *model, int node, int *body, double point[3]);
SS_API int ss_model_solid_element_count(const ss_model *model);
SS_API int ss_model_solid_element(const ss_model *model, int element, int nodes[4]);
SS_API int ss_model_solid_of(const ss_model *model, int element);
SS_API void ss_model_von_mises(const ss_model *model, double t, const double *q, double *out);
/* What all elements of flexible bodies carry at (t, q), in the order of the columns "beam.3.moment" of results. */
SS_API int ss_model_stress_count(const ss_model *model);
SS_API void ss_model_stresses(const ss_model *model, double t, const double *q, double *out);

/* Columns of outputs: those that the scene declares, then those that every joint has by itself, "crank.angle", "crank.rate".
 * A name or unit that no column has is NULL. */
SS_API int ss_model_output_count(const ss_model *model);
SS_API int ss_model_declared_outputs(const ss_model *model); /* how many of these columns the scene declares */
SS_API const char *ss_model_output_name(const ss_model *model, int output);
SS_API const char *ss_model_output_unit(const ss_model *model, int output);

#ifdef __cplusplus
}
#endif
#endif
