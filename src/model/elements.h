/* elements.h - what elements share: the half of Rayleigh damping that belongs to the mass. */
#ifndef SS_ELEMENTS_H
#define SS_ELEMENTS_H

#include "model/model.h"

/* w -= a m/2 v and a J/2 w at each node: forces and moments */
void ss_element_drag(const ss_element *e, const ss_spot s[2], ss_wrench w[2]);
void ss_element_drag_jacobian(const ss_element *e, double *k_v);

#endif
