/* vtu.c - solids for ParaView: their elements as cells, with the stress of each.
 *
 *   points     nodes, held ones too
 *   solid      number of the solid in the scene's list `elements`
 *   stress     sigma xx yy zz xy yz xz, N/m^2 (2D: N/m^2 of a slice 1 m deep)
 *   von_mises  sqrt(3/2 s:s), s = sigma - tr(sigma)/3
 *
 * Cost       linear in the number of elements */
#include "io/vtu.h"
#include "io/vtp.h"
#include "model/simplices.h"

enum { TRIANGLE = 5, TETRAHEDRON = 10 }; /* VTK's names of cells */

typedef struct grid {
    int corners;
    float (*point)[3], (*stress)[6], *von_mises;
    int32_t *corner, *end, *solid;
    uint8_t *type;
} grid;

static ss_status take(ss_arena *arena, const ss_model *m, grid *g)
{
    const size_t cells = (size_t)m->simplices;
    SS_TRY(ss_arena_take(arena, (size_t)m->solid_nodes, sizeof *g->point, &g->point));
    SS_TRY(ss_arena_take(arena, cells * SS_SIMPLEX_NODES, sizeof *g->corner, &g->corner));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->stress, &g->stress));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->von_mises, &g->von_mises));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->end, &g->end));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->solid, &g->solid));
    return ss_arena_take(arena, cells, sizeof *g->type, &g->type);
}

static void fill_points(const ss_model *m, const ss_config *c, grid *g)
{
    for (int k = 0; k < m->solid_nodes; k++) {
        const ss_attachment *at = &m->solid_node[k];
        const ss_vec3 x = ss_point_to_world(c->frame[at->body], at->point);
        g->point[k][0] = (float)x.x;
        g->point[k][1] = (float)x.y;
        g->point[k][2] = (float)x.z;
    }
}

static void fill_stress(const ss_config *c, const ss_simplex *e, float stress[6], float *von_mises)
{
    ss_vec3 x[SS_SIMPLEX_NODES];
    double sigma[6];
    for (int a = 0; a < e->nodes; a++) {
        x[a] = ss_point_to_world(c->frame[e->at[a].body], e->at[a].point);
    }
    ss_simplices_stress(e, x, sigma);
    for (int k = 0; k < 6; k++) {
        stress[k] = (float)sigma[k];
    }
    *von_mises = (float)ss_von_mises(sigma);
}

static void fill(const ss_model *m, const ss_config *c, grid *g)
{
    fill_points(m, c, g);
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        for (int a = 0; a < e->nodes; a++) {
            g->corner[g->corners++] = e->node[a];
        }
        fill_stress(c, e, g->stress[i], &g->von_mises[i]);
        g->end[i] = g->corners;
        g->solid[i] = ss_model_solid_of(m, i);
        g->type[i] = e->nodes == 3 ? TRIANGLE : TETRAHEDRON;
    }
}

static ss_status write_grid(ss_context *ctx, const ss_model *m, const ss_config *c, const grid *g, const char *path)
{
    const int cells = m->simplices, points = m->solid_nodes;
    const ss_vtp_array array[] = {
        { SS_VTP_FIELD, "TimeValue", SS_VTP_FLOAT64, 1, 1, &c->t, 0 },
        { SS_VTP_CELL, "solid", SS_VTP_INT32, 1, cells, g->solid, 0 },
        { SS_VTP_CELL, "stress", SS_VTP_FLOAT32, 6, cells, g->stress, 0 },
        { SS_VTP_CELL, "von_mises", SS_VTP_FLOAT32, 1, cells, g->von_mises, 0 },
        { SS_VTP_POINTS, "points", SS_VTP_FLOAT32, 3, points, g->point, 0 },
        { SS_VTP_CELLS, "connectivity", SS_VTP_INT32, 1, g->corners, g->corner, 0 },
        { SS_VTP_CELLS, "offsets", SS_VTP_INT32, 1, cells, g->end, 0 },
        { SS_VTP_CELLS, "types", SS_VTP_UINT8, 1, cells, g->type, 0 },
    };
    const ss_vtp vtp = { .points = points, .cells = cells, .array = array, .arrays = (int)(sizeof array / sizeof array[0]) };
    return ss_vtp_write(ctx, path, &vtp);
}

ss_status ss_vtu_write_solids(ss_context *ctx, ss_arena *arena, const ss_model *m, const ss_config *c, const char *path)
{
    const ss_arena_mark mark = ss_arena_save(arena);
    grid g = { 0 };
    ss_status status = take(arena, m, &g);
    if (status == SS_OK) {
        fill(m, c, &g);
        status = write_grid(ctx, m, c, &g, path);
    }
    ss_arena_release(arena, mark);
    return status;
}
