/* weighted.h - contacts between points that several bodies carry: u = sum of weights times the velocities of spots. Used inside
 * src/contact. */
#ifndef SS_WEIGHTED_H
#define SS_WEIGHTED_H

#include "contact/contact.h"

enum { SS_WEIGHTED_SPOTS = 4 };
typedef struct ss_weighted {
    int n;
    ss_spot spot[SS_WEIGHTED_SPOTS];
    double weight[SS_WEIGHTED_SPOTS]; /* positive: of the first side, negative: of the second */
} ss_weighted;

/* What ss_contact_rows and ss_contact_velocity do for such a contact. */
ss_status ss_weighted_rows(ss_context *ctx, const ss_model *m, const ss_config *c, const ss_contact *contact,
                           const ss_contact_value *value, const ss_weighted *w, bool friction, ss_csr *H, double drive[3],
                           int *rows);
double ss_weighted_velocity(const ss_model *m, const ss_config *c, const ss_contact_value *value, const ss_weighted *w, int k,
                            const double *v);
/* A row along a direction times the accelerations of driven bodies. */
double ss_weighted_drive_rate(const ss_config *c, const ss_weighted *w, ss_vec3 direction);

/* u = m/|m| and its first two derivatives, from those of m. */
typedef struct ss_unit_rates {
    ss_vec3 u, u1, u2;
} ss_unit_rates;
ss_unit_rates ss_unit_rates_of(ss_vec3 m, ss_vec3 m1, ss_vec3 m2);

#endif
