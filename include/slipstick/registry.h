/* registry.h - the registries. Every scheme, solver, joint, force, shape, element, exact solution and output is one entry;
 * the command line, the scene's keys, its schema, the tables of the docs and the conformance tests all expand from these
 * entries. */
#ifndef SLIPSTICK_REGISTRY_H
#define SLIPSTICK_REGISTRY_H

#include <slipstick/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a field of an options or description struct is written in JSON and stored in C.
 * "expression": a number, or a string such as "sin(pi/3)"; with _T it may depend on time t. */
typedef enum ss_field_type {
    SS_FIELD_NUMBER,     /* double                 number or constant expression             */
    SS_FIELD_INT,        /* int                                                              */
    SS_FIELD_BOOL,       /* bool                   true | false                              */
    SS_FIELD_CHOICE,     /* int                    one of `choices`, stored as its index     */
    SS_FIELD_NAME,       /* const char *           a string                                  */
    SS_FIELD_VECTOR,     /* double[3]              `dimension` numbers                       */
    SS_FIELD_DIRECTION,  /* double[3]              `dimension` numbers, not all zero; stored normalised */
    SS_FIELD_SIZES,      /* double[3]              `dimension` numbers > 0                   */
    SS_FIELD_QUATERNION, /* double[4]              w, x, y, z, normalised                    */
    SS_FIELD_SPIN,       /* double[3]              2D: a number (stored in [2]); 3D: 3 numbers */
    SS_FIELD_INERTIA,    /* double[6]              2D: a number (stored in [2]); 3D: 3 or 6 numbers xx yy zz xy xz yz */
    SS_FIELD_RANGE,      /* double[2]              [lo, hi], null for no bound (-inf, inf)   */
    SS_FIELD_MU,         /* double[2]              a number (both), or [along, across] the grain */
    SS_FIELD_EXPR_T,     /* const char *           expression in t, kept as text             */
    SS_FIELD_VECTOR_T,   /* const char *[3]        `dimension` expressions in t              */
    SS_FIELD_SPIN_T,     /* const char *[3]        2D: one expression ([2]); 3D: three       */
    SS_FIELD_BODY,       /* const char *           name of a body, or "world"                */
    SS_FIELD_BODIES,     /* const char *[2]        two of these                              */
    SS_FIELD_ANCHORS,    /* double[2][3]           two points, each in its body's frame      */
    SS_FIELD_TABLE,      /* ss_table               { "t": [..], "force": [[..]..], "torque": [..] } */
    SS_FIELD_MOTOR,      /* ss_motor_desc          { "speed": expr | "force": expr, "max": number } */
    SS_FIELD_NAMES,      /* const char *[2]        two strings                               */
    SS_FIELD_POINTS,     /* ss_points              array of points, `dimension` numbers each */
    SS_FIELD_HEIGHTS,    /* ss_heights             2D: array of numbers; 3D: array of rows of numbers, all of one length */
} ss_field_type;

enum { SS_FIELD_REQUIRED = 1, SS_FIELD_ONLY_2D = 2, SS_FIELD_ONLY_3D = 4, SS_FIELD_OPEN_MIN = 8 /* value > min */ };

typedef struct ss_field {
    const char *name;
    ss_field_type type;
    size_t offset;        /* in the struct it describes              */
    double def, min, max; /* numbers; def NAN: no default, left NAN  */
    const char *choices;  /* "poisson|simplified|newton"             */
    unsigned flags;       /* SS_FIELD_...                            */
    const char *doc;      /* one line, with units                    */
} ss_field;

/* A named option of a scheme or a solver: its value is the text, or the number if the text is NULL. */
typedef struct ss_setting {
    const char *key;
    double number;
    const char *text;
} ss_setting;

#define SS_FIELD_END                                                                                                             \
    {                                                                                                                            \
        .name = NULL                                                                                                             \
    }

typedef enum ss_registry {
    SS_SCHEMES,
    SS_SOLVERS,
    SS_JOINTS,
    SS_FORCES,
    SS_SHAPES,
    SS_ELEMENTS,
    SS_EXACT,
    SS_OUTPUTS,
    SS_REGISTRIES
} ss_registry;

/* Contact and impact laws that a scheme or solver supports, as bits; names by ss_law_names. */
enum {
    SS_LAW_UNILATERAL = 1, /* 0 <= u_N  _|_  r_N >= 0                                  */
    SS_LAW_COULOMB = 2,    /* circular cone, friction opposes slip                     */
    SS_LAW_POLYHEDRAL = 4, /* polygonal cone, maximal dissipation over the directions  */
    SS_LAW_ASSOCIATED = 8, /* u in the dual cone, circular                             */
    SS_LAW_BOUNDED = 16,   /* one row, |r| <= bound, u = 0 inside (a motor of limited force) */
    SS_LAW_ASSOCIATED_POLYHEDRAL = 32,
    SS_LAW_ROLLING = 64,     /* 1 or 2 rows, |r| <= mu r_N of another contact, its host; against u (rolling, spinning friction).
                              * An associated host makes one cone with its moments: u of all of them is in the dual cone */
    SS_LAW_NEWTON = 256,     /* impact: u_N+ = -e u_N-       */
    SS_LAW_POISSON = 512,    /* impact: r_N,decompression = e r_N,compression */
    SS_LAW_INELASTIC = 1024, /* e = 0 only                   */
};

/* What a solver requires of a problem, as bits; names by ss_need_names. */
enum { SS_NEEDS_SYMMETRIC_A = 1 };

typedef struct ss_order {
    double smooth;     /* order without contact changes        */
    double impacts;    /* order through impacts                */
    const char *norm;  /* in which norm: final, l1, hausdorff  */
    double overlap;    /* order in h of the overlap that a step may leave; 0: only round-off and tolerance */
    int impact_steps;  /* steps that an impact takes; 0 means 1 */
    bool joints_drift; /* errors of joints grow from step to step; false: only round-off and tolerance */
    double turning;    /* order where contacts act whose rows turn; 0: that of smooth motion */
} ss_order;

typedef struct ss_entry {
    const char *name, *title, *reference;
    const char *aliases;    /* "ball" or "a|b"; NULL: none                 */
    const char *kind;       /* solvers: pivoting, splitting, ... ; else NULL */
    ss_order order;         /* schemes                                     */
    unsigned laws;          /* schemes, solvers                            */
    unsigned needs;         /* solvers                                     */
    unsigned dimensions;    /* bit 2: in 2D, bit 3: in 3D  (4 | 8)         */
    bool massless;          /* schemes: bodies may have no mass or inertia where joints hold them */
    bool demonstration;     /* schemes: a negative example of a paper, for comparison; it keeps no promise */
    const ss_field *fields; /* its options, ended by SS_FIELD_END          */
    size_t params_size;     /* schemes, solvers, exact solutions: size of the options struct */
} ss_entry;

SS_API int ss_registry_count(ss_registry registry);
SS_API const ss_entry *ss_registry_entry(ss_registry registry, int index);
SS_API const ss_entry *ss_registry_find(ss_registry registry, const char *name); /* name or alias; NULL if unknown */
SS_API const char *ss_registry_name(ss_registry registry);                       /* "schemes", ... */
/* Names of the bits in a mask, joined by commas. */
SS_API size_t ss_law_names(unsigned mask, char *text, size_t size);
SS_API size_t ss_need_names(unsigned mask, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
