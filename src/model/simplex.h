/* simplex.h - one triangle or tetrahedron: strain, forces on its nodes, energy, derivatives.
 *
 * Vectors of nodes have `nodes` entries. Matrices are n x n with n = ss_simplex_rows: the displacements of node 0, of node 1, ..,
 * two numbers each for a triangle, three for a tetrahedron. */
#ifndef SS_SIMPLEX_H
#define SS_SIMPLEX_H

#include "model/model.h"

enum { SS_SIMPLEX_ROWS = 12 };

/* What its nodes do to the element; see ss_simplex_strain. */
typedef struct ss_simplex_strain {
    ss_mat3 F; /* deformation gradient                            */
    ss_mat3 R; /* its rotation; strain `linear`: the identity     */
    ss_mat3 e; /* strain in the frame that has turned with R      */
} ss_simplex_strain;

static inline int ss_simplex_rows(const ss_simplex *e) { return e->nodes * (e->nodes - 1); }

/* Set slopes and volume from the places of the nodes at rest; volume <= 0: they are in the wrong order, or in one plane. */
void ss_simplex_rest(const ss_vec3 *x, ss_simplex *e);
ss_simplex_strain ss_simplex_strain_at(const ss_simplex *e, const ss_vec3 *x);
/* The strain after h where the nodes have velocities v and the element keeps its rotation. */
ss_simplex_strain ss_simplex_strain_later(const ss_simplex *e, const ss_vec3 *x, const ss_vec3 *v, double h);
bool ss_simplex_is_inverted(const ss_simplex_strain *s);
double ss_simplex_energy(const ss_simplex *e, const ss_simplex_strain *s);
/* sigma, world */
ss_mat3 ss_simplex_stress(const ss_simplex *e, const ss_simplex_strain *s);

/* f += forces on the nodes: elastic; of Rayleigh damping, at velocities v */
void ss_simplex_add_elastic(const ss_simplex *e, const ss_simplex_strain *s, ss_vec3 *f);
void ss_simplex_add_damping(const ss_simplex *e, const ss_simplex_strain *s, const ss_vec3 *v, ss_vec3 *f);
/* K += their derivatives: of the elastic ones by places, exact or its negative semidefinite part; of damping by places, at
 * velocities v, and by velocities */
void ss_simplex_elastic_slope(const ss_simplex *e, const ss_simplex_strain *s, bool definite, double *K);
void ss_simplex_damping_slope(const ss_simplex *e, const ss_simplex_strain *s, const ss_vec3 *v, double *K);
void ss_simplex_damping_rate_slope(const ss_simplex *e, const ss_simplex_strain *s, double *K);

#endif
