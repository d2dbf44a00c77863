/* contact.h - contacts with identity: found, named, re-evaluated anywhere nearby, remembered.
 *
 * A contact is (pair of shapes, feature pair), a limit of a joint, a bounded motor, or a gap of a user
 * block. It keeps its identity while its features do, so impulses and bases survive from step to step. */
#ifndef SS_CONTACT_H
#define SS_CONTACT_H

#include "model/model.h"
#include <slipstick/problem.h>

typedef enum ss_contact_kind { SS_CONTACT_SHAPES, SS_CONTACT_LIMIT, SS_CONTACT_MOTOR, SS_CONTACT_BLOCK } ss_contact_kind;

/* shapes: a < b, the shapes; limit: a the joint, b = 0 lower, 1 upper; motor: a the joint; block: a the body, b the gap */
typedef struct ss_contact_id {
    int32_t kind, a, b;
    uint32_t feature;
} ss_contact_id;

typedef struct ss_contact {
    ss_contact_id id;
    ss_attachment at[2]; /* what touches; the point is that of the evaluation */
    ss_gap gap;          /* SHAPES                              */
    double mu[2], e;     /* of the pair, or of the block        */
    ss_impact_law impact;
    ss_vec3 grain;  /* world direction at evaluation is taken from body `grain_body` */
    int grain_body; /* -1: isotropic                       */
} ss_contact;

typedef struct ss_contact_set {
    int n, cap;
    ss_contact *c;
} ss_contact_set;

/* Contact value and local frame at a configuration. */
typedef struct ss_contact_value {
    double gap;                        /* motors: 0                           */
    double outside;                    /* > 0: the witness is off the features by so much: no contact there */
    double excess;                     /* > 0: the gap is so much deeper than the shapes overlap            */
    ss_vec3 point, normal, tangent[2]; /* world; limits: zero; blocks: zero, but tangents of friction are y and z of their own */
} ss_contact_value;

/* What is remembered from step to step, by identity; impulses in the world frame. */
typedef struct ss_memory_entry {
    ss_contact_id id;
    ss_vec3 impulse;
    double scalar;
    double gap; /* up to which a scheme that closes contacts by their velocity holds this one; 0: does not */
    uint64_t basis;
} ss_memory_entry;
typedef struct ss_memory {
    int n, cap;
    ss_memory_entry *entry;
} ss_memory;                                                                             /* sorted by id */
const ss_memory_entry *ss_memory_find(const ss_memory *memory, const ss_contact_id *id); /* NULL: not there */
ss_status ss_memory_copy(ss_context *ctx, const ss_memory *from, ss_memory *to);
void ss_memory_free(ss_context *ctx, ss_memory *memory);

/* How deep the two shapes overlap at a contact, as far as the contact can tell; < 0: they do not. */
static inline double ss_contact_depth(const ss_contact_value *value) { return -value->gap - value->excess; }

/* Finds contacts: broad phase, narrow phase, limits, bounded motors, block gaps. Owns its scratch. */
typedef struct ss_finder ss_finder;
ss_status ss_finder_create(ss_context *ctx, const ss_model *m, ss_finder **out);
void ss_finder_destroy(ss_finder *f);
/* All contacts of shapes whose gap at c is below `reach`, and all limits, motors and block gaps. The set is reset; order:
 * by id. */
ss_status ss_finder_find(ss_finder *f, const ss_config *c, double reach, ss_contact_set *set);
/* Add to `set` those of `other` it does not have (by id); keeps the order by id. */
ss_status ss_contacts_merge(ss_context *ctx, ss_contact_set *set, const ss_contact_set *other);
void ss_contacts_free(ss_context *ctx, ss_contact_set *set);
/* Leave out contacts of a face that others of the same face carry (reduce.c), those that carried an impulse in `memory`
 * (NULL: none) last. Returns how many were left out. */
int ss_contacts_reduce(const ss_model *m, const ss_config *c, const ss_memory *memory, ss_contact_set *set);
int ss_contact_id_compare(const ss_contact_id *x, const ss_contact_id *y);

/* Fails where a callback of a user block does; ss_contact_eval_shapes, of a contact of two shapes, never. */
ss_status ss_contact_eval(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                          ss_contact_value *out);
void ss_contact_eval_shapes(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_contact_value *out);
/* Append the rows of a contact to H: normal, then (friction and mu > 0) 1 or 2 tangents, of blocks too; drive gets one
 * number per row: the part of the velocity that driven bodies and time contribute. Sets *rows. */
ss_status ss_contact_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                          const ss_contact_value *value, bool friction, ss_csr *H, double drive[3], int *rows);
/* du/dt = H dv/dt + out[rows] for the rows of ss_contact_rows at c, whose drive is that of its instant. Of the tangents only
 * the part that is left where the point does not slip (u_T = 0). */
ss_status ss_contact_acceleration(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                                  const ss_contact_value *value, const double *v, int rows, double *out);
/* K += d(H' r)/dq of the rows of ss_contact_rows at fixed r[rows], along a displacement of velocity kind: H'r at q (+) x less H'r
 * at q is K x. K has a pattern in which the contact's two bodies meet (ss_contacts_pattern). */
ss_status ss_contact_stiffness(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                               const ss_contact_value *value, int rows, const double *r, const ss_pattern *pattern, ss_csr *K);
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
/* What the first tangent in 3D is the projection of: the grain, which turns with *body, or an axis of the friction frame
 * (*body = -1). */
ss_vec3 ss_contact_tangent_axis(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 normal, int *body);
/* Tangents of a normal: 2D (n_y, -n_x); 3D from the friction frame's axis least aligned with n, or the grain. */
void ss_contact_tangents(const ss_model *m, const ss_config *c, const ss_contact *contact, ss_vec3 normal, ss_vec3 tangent[2]);

#endif
