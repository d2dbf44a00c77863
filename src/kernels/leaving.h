/* leaving.h - contacts that leave their features before they close. */
#ifndef SS_LEAVING_H
#define SS_LEAVING_H

#include "contact/passage.h"
#include "kernels/vicinity.h"

/* Bar those contacts of the survey that the motion foreseen takes off their features before their gaps close. */
ss_status ss_leaving_bar(ss_stepper *s, const ss_vicinity *around, const ss_path *path, bool *barred);
/* Does contact k, which touches at the border of its features, leave them faster than it approaches? */
ss_status ss_leaving_now(ss_stepper *s, const ss_vicinity *around, const ss_path *path, int k, bool *leaves);

#endif
