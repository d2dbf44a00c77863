/* stresses.c - what the elements of flexible bodies carry: axial force, shear, moments; what these numbers are called, and
 * between which nodes an element lies.
 *
 * Stresses follow from the strains at (t, q) alone. What Rayleigh damping adds is left out: it is no stress of the material's
 * shape.
 *
 * Name      FLEXIBLE.NUMBER.WHAT, "beam.3.moment": element 3 lies between the nodes 3 and 4
 * Cost      that of an evaluation of the elements' forces; nothing is allocated */
#include "model/attachment.h"
#include "model/elements.h"
#include <stdio.h>

static const ss_force *element_force(const ss_model *m, int element) { return &m->force[m->forces - m->elements + element]; }

int ss_model_element_count(const ss_model *m) { return m->elements; }

void ss_model_element_ends(const ss_model *m, int element, int bodies[2], double points[2][3])
{
    for (int k = 0; k < 2; k++) {
        const ss_attachment *at = &element_force(m, element)->at[k];
        bodies[k] = at->body < m->bodies ? at->body : -1;
        ss_v3_to(at->point, points[k]);
    }
}

int ss_element_stresses(const ss_model *m, int element)
{
    const char *const *name = element_force(m, element)->type->stress_name;
    int n = 0;
    while (name[n]) {
        n++;
    }
    return n;
}

void ss_element_stress_name(const ss_model *m, int element, int k, char *name, size_t size)
{
    const ss_force *force = element_force(m, element);
    snprintf(name, size, "%s.%d.%s", force->element->owner, force->element->number, force->type->stress_name[k]);
}

int ss_model_stress_count(const ss_model *m)
{
    int sum = 0;
    for (int e = 0; e < m->elements; e++) {
        sum += ss_element_stresses(m, e);
    }
    return sum;
}

void ss_model_stresses(const ss_model *m, double t, const double *q, double *out)
{
    for (int e = 0; e < m->elements; e++) {
        const ss_force *force = element_force(m, e);
        ss_spot s[2];
        for (int k = 0; k < 2; k++) {
            s[k] = ss_spot_in_frame(ss_model_frame(m, force->at[k].body, t, q), force->at[k].point, NULL);
        }
        force->type->stress(force, s, out);
        out += ss_element_stresses(m, e);
    }
}
