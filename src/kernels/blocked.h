/* blocked.h - contacts whose normal motion the joints determine: no impulse of theirs can change it. */
#ifndef SS_BLOCKED_H
#define SS_BLOCKED_H

#include "kernels/assembly.h"

typedef struct ss_blocked ss_blocked;

ss_status ss_blocked_create(ss_context *ctx, const ss_model *m, ss_blocked **out);
void ss_blocked_destroy(ss_blocked *x);
/* Take the contacts out of the set that the joints block at c, where the joints are satisfied. */
ss_status ss_blocked_leave_out(ss_blocked *x, const ss_config *c, ss_contact_set *set);
/* Those taken out by the last call, sorted by identity. */
const ss_contact_set *ss_blocked_contacts(const ss_blocked *x);
/* Normal velocity that the joints prescribe to contact k of them; 0 where nothing is driven, or it is round-off. */
double ss_blocked_velocity(const ss_blocked *x, int k);

#endif
