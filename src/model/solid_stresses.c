/* solid_stresses.c - solids as results hold them: nodes, elements between them, the stress of each element.
 *
 *     columns    NAME.von_mises for every solid: the largest of its elements
 *                NAME.NUMBER.stress_xx .. stress_xz, NAME.NUMBER.von_mises for every element
 *     von Mises  sqrt(3/2 s:s), s = sigma - tr(sigma)/3
 *
 * Stresses are those of the world's axes, N/m^2 (2D: of a slice 1 m deep). They follow from the positions at (t, q) alone: what
 * Rayleigh damping adds is left out. In 2D sigma_zz is what plane strain needs to keep the depth, and 0 in plane stress.
 *
 * Cost       linear in the number of elements; nothing is allocated */
#include "model/elements.h"
#include "model/simplices.h"
#include <stdio.h>

/* sigma in the order of simplices.h; what 2D leaves out are zeros there */
static const char *const names[] = { "stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_yz", "stress_xz" };
static int components(const ss_model *m) { return m->dimension == 2 ? 4 : 6; }

/* ---- nodes and elements ------------------------------------------------------------------------------------ */

int ss_model_solid_node_count(const ss_model *m) { return m->solid_nodes; }

void ss_model_solid_node(const ss_model *m, int node, int *body, double point[3])
{
    const ss_attachment *at = &m->solid_node[node];
    *body = at->body < m->bodies ? at->body : -1;
    ss_v3_to(at->point, point);
}

int ss_model_solid_element_count(const ss_model *m) { return m->simplices; }

int ss_model_solid_element(const ss_model *m, int element, int nodes[4])
{
    const ss_simplex *e = &m->simplex[element];
    memcpy(nodes, e->node, (size_t)e->nodes * sizeof *nodes);
    return e->nodes;
}

int ss_model_solid_of(const ss_model *m, int element) { return (int)(m->simplex[element].law - m->simplex_law); }

/* ---- stresses ----------------------------------------------------------------------------------------------- */

static void stress_at(const ss_model *m, double t, const double *q, const ss_simplex *e, double sigma[6])
{
    ss_vec3 x[SS_SIMPLEX_NODES];
    for (int j = 0; j < e->nodes; j++) {
        x[j] = ss_point_to_world(ss_model_frame(m, e->at[j].body, t, q), e->at[j].point);
    }
    ss_simplices_stress(e, x, sigma);
}

void ss_model_von_mises(const ss_model *m, double t, const double *q, double *out)
{
    for (int i = 0; i < m->simplices; i++) {
        double sigma[6];
        stress_at(m, t, q, &m->simplex[i], sigma);
        out[i] = ss_von_mises(sigma);
    }
}

/* Is it the first element of its solid? */
static bool begins(const ss_model *m, int element)
{
    return element == 0 || m->simplex[element].law != m->simplex[element - 1].law;
}

int ss_solid_count(const ss_model *m)
{
    int n = 0;
    for (int i = 0; i < m->simplices; i++) {
        n += begins(m, i);
    }
    return n;
}

int ss_solid_stress_count(const ss_model *m) { return ss_solid_count(m) + m->simplices * (components(m) + 1); }

void ss_solid_stresses(const ss_model *m, double t, const double *q, double *out)
{
    const int n = components(m);
    double *at = out + ss_solid_count(m);
    int solid = -1;
    for (int i = 0; i < m->simplices; i++, at += n + 1) {
        double sigma[6];
        stress_at(m, t, q, &m->simplex[i], sigma);
        memcpy(at, sigma, (size_t)n * sizeof *at);
        at[n] = ss_von_mises(sigma);
        if (begins(m, i)) {
            out[++solid] = at[n];
        }
        out[solid] = at[n] <= out[solid] ? out[solid] : at[n]; /* a NaN stays */
    }
}

ss_status ss_solid_stress_names(const ss_model *m, ss_stress_name_fn put, void *user)
{
    char name[256];
    for (int i = 0; i < m->simplices; i++) {
        snprintf(name, sizeof name, "%s.von_mises", m->simplex[i].law->owner);
        SS_TRY(begins(m, i) ? put(user, name) : SS_OK);
    }
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        for (int k = 0; k <= components(m); k++) {
            snprintf(name, sizeof name, "%s.%d.%s", e->law->owner, e->number, k < components(m) ? names[k] : "von_mises");
            SS_TRY(put(user, name));
        }
    }
    return SS_OK;
}
