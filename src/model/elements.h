/* elements.h - what elements share: the half of Rayleigh damping that belongs to the mass, the search for inverted ones. */
#ifndef SS_ELEMENTS_H
#define SS_ELEMENTS_H

#include "model/model.h"

/* w -= a m/2 v and a J/2 w at each node: forces and moments */
void ss_element_drag(const ss_element *e, const ss_spot s[2], ss_wrench w[2]);
void ss_element_drag_jacobian(const ss_element *e, const ss_spot s[2], double *k_q, double *k_v);
/* GA*, which gives an element with strains in its middle alone the deflections of Timoshenko: 1/GA* = 1/GA + L^2/(12 EI) */
double ss_element_shear(const ss_element *e, double L, double EI);
/* Names of all numbers of ss_model_stresses, in their order (stresses.c); the last ones are those of solids
 * (solid_stresses.c): the largest stress of each solid, then those of elements. */
typedef ss_status (*ss_stress_name_fn)(void *user, const char *name);
ss_status ss_stress_names(const ss_model *m, ss_stress_name_fn put, void *user);
int ss_solid_count(const ss_model *m);
int ss_solid_stress_count(const ss_model *m);
ss_status ss_solid_stress_names(const ss_model *m, ss_stress_name_fn put, void *user);
void ss_solid_stresses(const ss_model *m, double t, const double *q, double *out);
/* What an element of the flexible body is made of, without its axes (section.c). */
ss_element ss_section_element(const ss_elements_desc *d, int dimension);

extern const ss_force_type ss_beam_in_space; /* beam_in_space.c */

/* Fails with the number of an element that is inverted at c. */
ss_status ss_elements_check(ss_context *ctx, const ss_model *m, const ss_config *c);

#endif
