/* collide.c - the narrow phase: which function knows which pair of shapes.
 *
 * The table is drawn for kinds in increasing order; a pair in the other order is handed over exchanged
 * and its gaps are turned round. A point is a sphere of radius zero. Empty cells never meet.
 * Feature codes: gap kind << 28 | feature of a << 14 | feature of b. */
#include "geom/cylinder.h"
#include "geom/pairs.h"
#include "geom/terrain.h"

// clang-format off
#define SPHERES  ss_pair_sphere_sphere
#define SOLIDS   ss_pair_polytopes
#define PLANE    ss_pair_polytope_half_space
#define TERRAIN  ss_pair_polytope_height_field
#define CYLINDER ss_pair_convex_cylinder
static const ss_pair_function pair_table[SS_SHAPE_KINDS][SS_SHAPE_KINDS] = {
    /*                         point sphere   capsule  box      cylinder                   polygon  hull                   half_space                   height_field */
    [SS_SHAPE_point]        = { NULL, SPHERES, SOLIDS,  SOLIDS,  CYLINDER,                  SOLIDS,  SOLIDS,                PLANE,                       TERRAIN },
    [SS_SHAPE_sphere]       = { NULL, SPHERES, SOLIDS,  SOLIDS,  CYLINDER,                  SOLIDS,  SOLIDS,                PLANE,                       TERRAIN },
    [SS_SHAPE_capsule]      = { NULL, NULL,    SOLIDS,  SOLIDS,  CYLINDER,                  SOLIDS,  SOLIDS,                PLANE,                       TERRAIN },
    [SS_SHAPE_box]          = { NULL, NULL,    NULL,    SOLIDS,  CYLINDER,                  SOLIDS,  SOLIDS,                PLANE,                       TERRAIN },
    [SS_SHAPE_cylinder]     = { NULL, NULL,    NULL,    NULL,    ss_pair_cylinder_cylinder, NULL,    ss_pair_cylinder_hull, ss_pair_cylinder_half_space, ss_pair_cylinder_height_field },
    [SS_SHAPE_polygon]      = { NULL, NULL,    NULL,    NULL,    NULL,                      SOLIDS,  NULL,                  PLANE,                       TERRAIN },
    [SS_SHAPE_hull]         = { NULL, NULL,    NULL,    NULL,    NULL,                      NULL,    SOLIDS,                PLANE,                       TERRAIN },
    [SS_SHAPE_half_space]   = { NULL, NULL,    NULL,    NULL,    NULL,                      NULL,    NULL,                  NULL,                        NULL    },
    [SS_SHAPE_height_field] = { NULL, NULL,    NULL,    NULL,    NULL,                      NULL,    NULL,                  NULL,                        NULL    },
};
#undef SPHERES
#undef SOLIDS
#undef PLANE
#undef TERRAIN
#undef CYLINDER
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

/* point of gap i of a full manifold; i = SS_MANIFOLD_MAX: of the new gap */
static ss_vec3 place_of(const ss_collector *c, ss_vec3 coming, int i) { return i == SS_MANIFOLD_MAX ? coming : c->at[i]; }

/* distance of place i from the nearest one other than `but` */
static double room(const ss_collector *c, ss_vec3 coming, int i, int but)
{
    double least = INFINITY;
    for (int k = 0; k <= SS_MANIFOLD_MAX; k++) {
        if (k != i && k != but) {
            least = fmin(least, ss_norm(ss_sub(place_of(c, coming, i), place_of(c, coming, k))));
        }
    }
    return least;
}

/* Which one goes: of the two places nearest to each other the one with less room on its other side, but not the deepest. */
static int crowded(const ss_collector *c, ss_vec3 coming, double gap)
{
    int a = 0, b = SS_MANIFOLD_MAX, deepest = SS_MANIFOLD_MAX;
    double least = INFINITY;
    for (int i = 0; i < SS_MANIFOLD_MAX; i++) {
        deepest = c->gap[i] <= (deepest == SS_MANIFOLD_MAX ? gap : c->gap[deepest]) ? i : deepest;
        for (int j = i + 1; j <= SS_MANIFOLD_MAX; j++) {
            const double apart = ss_norm(ss_sub(place_of(c, coming, i), place_of(c, coming, j)));
            if (apart < least) {
                least = apart;
                a = i;
                b = j;
            }
        }
    }
    const int goes = room(c, coming, a, b) < room(c, coming, b, a) ? a : b;
    return goes == deepest ? a + b - goes : goes;
}

void ss_collect(ss_collector *c, const ss_gap *gap, const ss_gap_value *value, const int feature[2])
{
    int place = c->out->n;
    if (place == SS_MANIFOLD_MAX) {
        place = crowded(c, value->point, value->gap);
        if (place == SS_MANIFOLD_MAX) {
            return;
        }
        const int count = c->out->n;
        c->out->n = place;
        ss_manifold_add(c->out, gap, feature[0], feature[1]);
        c->out->n = count;
    } else {
        ss_manifold_add(c->out, gap, feature[0], feature[1]);
    }
    c->at[place] = value->point;
    c->gap[place] = value->gap;
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
    out->scope = (ss_manifold_scope){ 0 };
    if (a->kind <= b->kind && pair_table[a->kind][b->kind]) {
        pair_table[a->kind][b->kind](a, fa, b, fb, margin, out);
    } else if (a->kind > b->kind && pair_table[b->kind][a->kind]) {
        pair_table[b->kind][a->kind](b, fb, a, fa, margin, out);
        exchange(out);
    }
}

double ss_collide_rim(const ss_shape *a, const ss_frame *fa, const ss_shape *b, const ss_frame *fb)
{
    const ss_solid sa = ss_solid_of(a, fa), sb = ss_solid_of(b, fb);
    return a->kind <= b->kind ? ss_solids_rounding(&sa, &sb) : ss_solids_rounding(&sb, &sa);
}
