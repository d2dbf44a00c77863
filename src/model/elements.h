/* elements.h - what elements share: the half of Rayleigh damping that belongs to the mass, the search for inverted ones. */
#ifndef SS_ELEMENTS_H
#define SS_ELEMENTS_H

#include "model/model.h"

/* w -= a m/2 v and a J/2 w at each node: forces and moments */
void ss_element_drag(const ss_element *e, const ss_spot s[2], ss_wrench w[2]);
void ss_element_drag_jacobian(const ss_element *e, const ss_spot s[2], double *k_q, double *k_v);
/* GA*, which gives an element with strains in its middle alone the deflections of Timoshenko: 1/GA* = 1/GA + L^2/(12 EI) */
double ss_element_shear(const ss_element *e, double L, double EI);
/* Numbers that say what an element carries, and their names (stresses.c). */
int ss_element_stresses(const ss_model *m, int element);
void ss_element_stress_name(const ss_model *m, int element, int k, char *name, size_t size);
/* What an element of the flexible body is made of, without its axes (section.c). */
ss_element ss_section_element(const ss_elements_desc *d, int dimension);

extern const ss_force_type ss_beam_in_space; /* beam_in_space.c */

/* Fails with the number of an element that is inverted at c. */
ss_status ss_elements_check(ss_context *ctx, const ss_model *m, const ss_config *c);

#endif
