/* contact.h - contacts with identity: found, named, re-evaluated anywhere nearby, remembered.
 *
 * A contact is (pair of shapes, feature pair), a limit of a joint, a bounded motor, a gap of a user
 * block, a corner of a shape at a facet of a solid, an edge of a solid that crosses another, or a moment of a contact of shapes.
 * It keeps its identity while its features do, so impulses and bases survive from step to step. */
#ifndef SS_CONTACT_H
#define SS_CONTACT_H

#include "model/model.h"
#include <slipstick/problem.h>

typedef enum ss_contact_kind {
    SS_CONTACT_SHAPES,
    SS_CONTACT_LIMIT,
    SS_CONTACT_MOTOR,
    SS_CONTACT_BLOCK,
    SS_CONTACT_FACET,
    SS_CONTACT_CROSSING,
    SS_CONTACT_ROLLING, /* behind all others: moments follow their hosts */
    SS_CONTACT_SPINNING
} ss_contact_kind;

/* shapes: a < b, the shapes; limit: a the joint, b = 0 lower, 1 upper; motor: a the joint, b an ss_bounded; block: a the body, b
 * the gap; facet: a the probe, b the facet, feature 0 or the number of a side of it; crossing: a < b, the edges, feature 1 where
 * the normal is minus their product; rolling, spinning: those of the contact of shapes whose moment it is */
typedef struct ss_contact_id {
    int32_t kind, a, b;
    uint32_t feature;
} ss_contact_id;

/* Rows whose force has a bound: of a motor that holds a speed, and of the dry friction of a joint, which holds the speed 0. */
typedef enum ss_bounded { SS_BOUNDED_MOTOR, SS_BOUNDED_FRICTION } ss_bounded;

/* What takes part in a contact; the point of it is known when the contact is evaluated. */
typedef struct ss_contact_end {
    int body;
} ss_contact_end;

typedef struct ss_contact {
    ss_contact_id id;
    ss_contact_end at[2];   /* the two bodies; of a facet one of its nodes that moves freely */
    int grain_body;         /* with which the grain of `law` turns; -1: isotropic            */
    const ss_pair_law *law; /* SHAPES, and their moments: of the pair; else NULL             */
    ss_gap gap;             /* SHAPES                              */
    double mu[2], e; /* of the pair, of the block, or of the joint's limits; motor: mu is the bound on its force; moment: mu
                      * is the length that bounds it, times the normal force of its host */
} ss_contact;

typedef struct ss_contact_set {
    int n, cap;
    ss_contact *c;
    const struct ss_contact_value *value; /* of contacts of shapes, where they are asked for; NULL unless set: unknown */
} ss_contact_set;

/* Contacts that lie elsewhere, one by one. */
typedef struct ss_contact_list {
    int n;
    const ss_contact **c;
} ss_contact_list;

/* Contact value and local frame at a configuration. The numbers of a gap are those of ss_gap_value, by which contacts of shapes
 * are measured. World; limits: zero; blocks: zero, but tangents of friction are y and z of their own. */
typedef struct ss_contact_value {
    union {
        ss_gap_value of_shapes;
        struct {
            double gap; /* motors: 0 */
            ss_vec3 normal, point;
            double outside; /* > 0: the witness is off the features by so much: no contact there */
            double excess;  /* > 0: -gap is larger than the overlap of the shapes by this        */
        };
    };
    ss_vec3 tangent[2];
} ss_contact_value;

/* The level at which a contact problem is posed; r is an impulse, an impulse that changes positions only, or a force. */
typedef enum ss_level { SS_LEVEL_VELOCITY, SS_LEVEL_POSITION, SS_LEVEL_ACCELERATION, SS_LEVELS } ss_level;

/* What is remembered of a contact at one level, from step to step. */
typedef struct ss_cached_contact {
    ss_contact_id id;
    double impulse[3]; /* contacts of shapes: a vector of the world; limits, motors, gaps of blocks: a number for each row */
    double normal;     /* its component along the contact normal of that problem */
    uint64_t basis;    /* of the pivoting solvers */
} ss_cached_contact;
typedef struct ss_contact_cache_list {
    int n, cap;
    ss_cached_contact *entry; /* sorted by id */
} ss_contact_cache_list;

/* Numbers that a scheme keeps with every contact that it remembers at one level. A contact that is new there has zeros; one
 * that stays keeps its numbers; one that is forgotten at that level loses them, whatever other levels know of it. */
typedef struct ss_contact_numbers {
    int count;
    const char *const *name; /* count names; a checkpoint is taken only by a scheme with the same names */
    ss_level level;
} ss_contact_numbers;

/* All that is remembered of contacts: one list for each level; the lists are independent. */
typedef struct ss_contact_cache {
    ss_contact_cache_list level[SS_LEVELS];
    const ss_contact_numbers *numbers; /* NULL: none */
    double *number;                    /* numbers->count for each entry of their level */
    int number_cap;
} ss_contact_cache;
const ss_cached_contact *ss_contact_cache_find(const ss_contact_cache *cache, ss_level level,
                                               const ss_contact_id *id); /* NULL: not there */
/* The numbers of a contact, to be read and written; NULL: it is not remembered at their level, or there are none. */
double *ss_contact_cache_numbers(const ss_contact_cache *cache, const ss_contact_id *id);
/* The largest normal impulse (or force) cached for a contact at any level; 0: it is cached at none. */
double ss_contact_cache_normal(const ss_contact_cache *cache, const ss_contact_id *id);
/* The same, looked for first at place guess >= 0: of contacts at rest, number k of the survey is number k of the cache. */
double ss_contact_cache_normal_near(const ss_contact_cache *cache, const ss_contact_id *id, int guess);
/* Replace the list of a level by these contacts, which are sorted by id: entry k belongs to contact k; its impulse is zero. */
ss_status ss_contact_cache_enter(ss_context *ctx, ss_contact_cache *cache, ss_level level, int n,
                                 const ss_contact *const *contact);
/* Nothing is remembered at this level. */
void ss_contact_cache_forget(ss_contact_cache *cache, ss_level level);
/* Move the list of level `from` to level `to`, where all contacts count as new: a first guess for problems of the other level. */
ss_status ss_contact_cache_hand_on(ss_context *ctx, ss_contact_cache *cache, ss_level from, ss_level to);
/* Room for n contacts at a level. */
ss_status ss_contact_cache_reserve(ss_context *ctx, ss_contact_cache *cache, ss_level level, int n);
ss_status ss_contact_cache_copy(ss_context *ctx, const ss_contact_cache *from, ss_contact_cache *to);
void ss_contact_cache_free(ss_context *ctx, ss_contact_cache *cache);

/* How deep the two shapes overlap at a contact, as far as the contact can tell; < 0: they do not. */
static inline double ss_contact_depth(const ss_contact_value *value) { return -value->gap - value->excess; }

/* Is it a moment of rolling or spinning friction? */
static inline bool ss_contact_is_moment(const ss_contact *contact) { return contact->id.kind >= SS_CONTACT_ROLLING; }
/* Has it a gap, and a normal impulse that is not negative? Motors, friction in joints and moments have not. */
static inline bool ss_contact_has_gap(const ss_contact *contact)
{
    return contact->id.kind != SS_CONTACT_MOTOR && !ss_contact_is_moment(contact);
}
/* Lengths of the rolling (0) and spinning (1) friction of a contact of shapes; 0: it has none. */
static inline double ss_contact_arm(const ss_contact *contact, int i) { return contact->law ? contact->law->arm[i] : 0; }
/* The moment of a contact of shapes, kind SS_CONTACT_ROLLING or _SPINNING; false: it has none, as its bodies do not turn, or
 * its pair of materials has no such friction. */
bool ss_contact_moment(const ss_model *m, const ss_contact *host, ss_contact_kind kind, ss_contact *out);

/* Is it the dry friction of a joint? */
static inline bool ss_contact_is_joint_friction(const ss_contact *contact)
{
    return contact->id.kind == SS_CONTACT_MOTOR && contact->id.b == SS_BOUNDED_FRICTION;
}

/* Finds contacts: broad phase, narrow phase, limits, bounded motors, block gaps. Owns its scratch. */
typedef struct ss_finder ss_finder;
ss_status ss_finder_create(ss_context *ctx, const ss_model *m, ss_finder **out);
void ss_finder_destroy(ss_finder *f);
/* All contacts of shapes whose gap at c is below `reach`, and all limits, motors and block gaps. The set is reset; order:
 * by id. */
ss_status ss_finder_find(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set);
/* The same with reach 0, and `value` of contacts of shapes; the finder's memory, until it searches again. */
ss_status ss_finder_overlaps(ss_finder *f, const ss_config *c, const ss_contact_set **set);
/* Gaps that are measured for the first time where others will ask for them (known_gaps.h); those that are known at c, NULL: none.
 */
struct ss_known_gaps *ss_finder_gaps(ss_finder *f);
const struct ss_known_gaps *ss_finder_known(const ss_finder *f, const ss_config *c);
/* As ss_finder_find where a step begins, with a reach above 0. Contacts of shapes have the sum of half[body] of their two bodies,
 * which is no more than that, for their reach; NULL: half of it for each. Searches with reach 0 that follow take pairs of solids
 * that rest on each other, and have not moved since, from it (kept_pairs.c). */
ss_status ss_finder_survey(ss_finder *f, const ss_config *c, double reach, const double *half, ss_contact_set *set);
/* Has a corner gone through a facet of a solid from one configuration to another, without being seen at the second? *first is one
 * that has. */
ss_status ss_finder_passed(ss_finder *finder, const ss_config *from, const ss_config *to, bool *passed, ss_contact *first);
/* The union of both, by id, in order: `set` takes those of `other` that it does not have, and takes those of `other` for its own
 * where both have one. */
ss_status ss_contacts_merge(ss_context *ctx, ss_contact_set *set, const ss_contact_set *other);
/* Room for n contacts, with those that it has, in memory of the arena that stays until that is reset. */
ss_status ss_contacts_keep(ss_arena *arena, ss_contact_set *set, int n);
/* `to` takes the contacts of `from` for its own, without their values. */
ss_status ss_contacts_copy(ss_context *ctx, const ss_contact_set *from, ss_contact_set *to);
void ss_contacts_free(ss_context *ctx, ss_contact_set *set);
/* Leave out contacts of a face whose load other contacts of that face can carry (reduce.c). Contacts with an impulse in
 * `cache` (NULL: none) are preferred when choosing which to keep. Returns how many were left out. */
int ss_contacts_reduce(const ss_model *m, const ss_config *c, const ss_contact_cache *cache, ss_contact_set *set);
int ss_contact_id_compare(const ss_contact_id *x, const ss_contact_id *y);
/* Is a body of contact a, one that moves freely, also one of b? */
bool ss_contacts_share_body(const ss_model *m, const ss_contact *a, const ss_contact *b);

/* Fails only if a callback of a user block fails; ss_contact_eval_shapes is for contacts of two shapes and cannot fail. */
ss_status ss_contact_eval(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                          ss_contact_value *out);
void ss_contact_eval_shapes(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out);
/* The same where gap and normal are all that is asked for: contacts of shapes have no tangents then. */
ss_status ss_contact_measure(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                             ss_contact_value *out);
void ss_contact_measure_shapes(const ss_config *c, const ss_contact *contact, ss_contact_value *out);
/* Append the rows of a contact to H: normal, then (friction and mu > 0) 1 or 2 tangents, of blocks too; drive gets one
 * number per row: the part of the velocity that driven bodies and time contribute. Sets *rows. */
ss_status ss_contact_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                          const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows);
/* The same for a contact of two shapes into memory of the caller, which knows beforehand how many rows there are (with friction
 * or without), and that all of them have so many entries: it cannot fail. */
int ss_contact_count_rows(const ss_model *m, const ss_contact *contact, bool friction);
int ss_contact_row_length(const ss_model *m, const ss_contact *contact);
void ss_contact_write_rows(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                           int rows, int *column, double *entry, double *drive);
/* One row of two spots of a contact, in its order; *drive: what driven bodies add. */
ss_status ss_contact_push_row(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_spot s[2], const ss_twist_row *row,
                              ss_csr *H, double *drive);
/* Velocity of a contact of shapes, or of a facet, along its normal (k = 0) or a tangent (1, in 3D also 2), with velocities v: row
 * k times v and the drive, to the last bit, without making the row. */
double ss_contact_velocity(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value, int k,
                           const double *v);
/* Those of all rows of a contact of shapes: u[rows]. */
void ss_contact_velocities(const ss_model *m, const ss_config *c, const ss_contact *contact, const ss_contact_value *value,
                           int rows, const double *v, double *u);
/* du/dt = H dv/dt + out[rows] for the rows of ss_contact_rows at c; the drive in c must be that of an instant (t0 == t1 in
 * ss_config_drive). For tangents of shapes the term t' . slip is left out: it is 0 where the contact does not slip. */
ss_status ss_contact_acceleration(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                                  const ss_contact_value *value, const double *v, int rows, double *out);
/* K += d(H' r)/dq of the rows of ss_contact_rows at fixed r[rows], along a displacement of velocity kind: H'r at q (+) x less H'r
 * at q is K x. K has a pattern in which the contact's two bodies meet (ss_contacts_pattern). */
ss_status ss_contact_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                               const ss_contact_value *value, int rows, const double *r, const ss_pattern *pattern, ss_csr *K);
/* Push the rows of d(H v)/dq of a contact at fixed v, along a displacement of velocity kind, without what the rates of driven
 * bodies change by. */
ss_status ss_contact_gradient(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const ss_contact *contact,
                              const ss_contact_value *value, int rows, const double *v, ss_csr *R);
/* The pattern of matrices of the velocities that contacts couple. `out` is zero, or of an earlier set: its memory is used again.
 */
ss_status ss_contacts_pattern(ss_context *ctx, const ss_model *m, const ss_contact_set *set, ss_pattern *out);
/* Row k of a contact of shapes, 0 the normal, then the tangents: velocity of body 0 against body 1 at the point. */
static inline ss_twist_row ss_contact_direction(const ss_contact_value *value, int k)
{
    const ss_vec3 d = k == 0 ? value->normal : value->tangent[k - 1];
    return (ss_twist_row){ .lin = { d, ss_scale(-1, d) } };
}
/* The points of its two bodies that meet at the contact's point. */
void ss_contact_spots(const ss_config *c, const ss_contact *contact, ss_vec3 point, ss_spot s[2]);
/* What its gap is measured against: the model's length, or a radian for the limit of an angle. */
double ss_contact_unit(const ss_model *m, const ss_contact *contact);
/* "rod.0-floor.0" style name: body.shape, with #feature when the pair has several features. */
void ss_contact_name(const ss_model *m, const ss_contact *contact, char *text, size_t size);
/* The axis whose projection is the first tangent in 3D: the grain, which turns with *body, or an axis of the friction frame
 * (*body = -1). */
ss_vec3 ss_contact_tangent_axis(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 normal, int *body);
/* Tangents of a normal: 2D (n_y, -n_x); 3D from the friction frame's axis least aligned with n, or the grain. */
void ss_contact_tangents(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 normal, ss_vec3 tangent[2]);

#endif
