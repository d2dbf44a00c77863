/* stresses.c - what the elements of bars and beams carry: axial force, shear, moments; what these numbers are called, and
 * between which nodes an element lies. Those of solids follow (solid_stresses.c).
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

static int numbers_of(const ss_force *force)
{
    int n = 0;
    while (force->type->stress_name[n]) {
        n++;
    }
    return n;
}

ss_status ss_stress_names(const ss_model *m, ss_stress_name_fn put, void *user)
{
    for (int e = 0; e < m->elements; e++) {
        const ss_force *force = element_force(m, e);
        for (int k = 0; k < numbers_of(force); k++) {
            char name[256];
            snprintf(name, sizeof name, "%s.%d.%s", force->element->owner, force->element->number, force->type->stress_name[k]);
            SS_TRY(put(user, name));
        }
    }
    return ss_solid_stress_names(m, put, user);
}

int ss_model_stress_count(const ss_model *m)
{
    int sum = ss_solid_stress_count(m);
    for (int e = 0; e < m->elements; e++) {
        sum += numbers_of(element_force(m, e));
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
        out += numbers_of(force);
    }
    ss_solid_stresses(m, t, q, out);
}
