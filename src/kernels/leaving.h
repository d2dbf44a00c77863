/* leaving.h - contacts that leave their features before they close, and shapes that slide past each other. */
#ifndef SS_LEAVING_H
#define SS_LEAVING_H

#include "contact/passage.h"
#include "kernels/vicinity.h"

/* Bar those contacts of the survey that the motion foreseen takes off their features before their gaps close, or past each other.
 */
ss_status ss_leaving_bar(ss_stepper *s, const ss_vicinity *around, const ss_path *path, bool *barred);
/* Such contacts that touch already count as off their features, if they leave them within a time `soon` from this state on. */
ss_status ss_leaving_let_go(ss_stepper *s, ss_vicinity *around, const ss_path *soon);

#endif
