/* collide.c - the narrow phase: which function knows which pair of shapes.
 *
 * The table is drawn for kinds in increasing order; a pair in the other order is handed over exchanged
 * and its gaps are turned round. A point is a sphere of radius zero. Empty cells never meet.
 * Feature codes: gap kind << 28 | feature of a << 14 | feature of b. */
#include "geom/pairs.h"

// clang-format off
static const ss_pair_function pair_table[SS_SHAPE_KINDS][SS_SHAPE_KINDS] = {
    /*                          point  sphere                 box                 half_space                */
    [SS_SHAPE_point]      = {   NULL,  ss_pair_sphere_sphere, ss_pair_sphere_box, ss_pair_sphere_half_space },
    [SS_SHAPE_sphere]     = {   NULL,  ss_pair_sphere_sphere, ss_pair_sphere_box, ss_pair_sphere_half_space },
    [SS_SHAPE_box]        = {   NULL,  NULL,                  ss_pair_box_box,    ss_pair_box_half_space    },
    [SS_SHAPE_half_space] = {   NULL,  NULL,                  NULL,               NULL                      },
};
// clang-format on

bool ss_can_collide(ss_shape_kind a, ss_shape_kind b) { return a <= b ? pair_table[a][b] != NULL : pair_table[b][a] != NULL; }

void ss_manifold_add(ss_manifold *out, const ss_gap *gap, int feature_a, int feature_b)
{
    if (out->n < SS_MANIFOLD_MAX) {
        out->gap[out->n] = *gap;
        out->feature[out->n] = (uint32_t)gap->kind << 28 | (uint32_t)feature_a << 14 | (uint32_t)feature_b;
        out->n++;
    }
}

/* the manifold of (b, a) as that of (a, b) */
static void exchange(ss_manifold *m)
{
    const uint32_t low = (1u << 14) - 1;
    for (int k = 0; k < m->n; k++) {
        const uint32_t code = m->feature[k];
        m->gap[k].swap = !m->gap[k].swap;
        m->feature[k] = (code & ~(low << 14 | low)) | (code & low) << 14 | (code >> 14 & low);
    }
}

void ss_collide(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb, double margin, ss_manifold *out)
{
    out->n = 0;
    if (a->kind <= b->kind && pair_table[a->kind][b->kind]) {
        pair_table[a->kind][b->kind](a, fa, b, fb, margin, out);
    } else if (a->kind > b->kind && pair_table[b->kind][a->kind]) {
        pair_table[b->kind][a->kind](b, fb, a, fa, margin, out);
        exchange(out);
    }
}
