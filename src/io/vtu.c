/* vtu.c - solids for ParaView: their elements as cells, with the stress of each.
 *
 *   points     nodes; those that are held are there once for each element
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
    int points, corners;
    float (*point)[3], (*stress)[6], *von_mises;
    int32_t *corner, *end, *solid, *of_body; /* of_body: the point of a body, or -1 */
    uint8_t *type;
} grid;

static ss_status take(ss_arena *arena, const ss_model *m, grid *g)
{
    const size_t cells = (size_t)m->simplices, corners = cells * SS_SIMPLEX_NODES;
    SS_TRY(ss_arena_take(arena, corners, sizeof *g->point, &g->point));
    SS_TRY(ss_arena_take(arena, corners, sizeof *g->corner, &g->corner));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->stress, &g->stress));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->von_mises, &g->von_mises));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->end, &g->end));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->solid, &g->solid));
    SS_TRY(ss_arena_take(arena, cells, sizeof *g->type, &g->type));
    return ss_arena_take(arena, (size_t)m->bodies, sizeof *g->of_body, &g->of_body);
}

static void add_corner(const ss_model *m, const ss_config *c, const ss_attachment *at, grid *g)
{
    const bool own = ss_model_is_dynamic(m, at->body);
    int32_t point = own ? g->of_body[at->body] : -1;
    if (point < 0) {
        const ss_vec3 x = ss_point_to_world(c->frame[at->body], at->point);
        point = g->points++;
        g->point[point][0] = (float)x.x;
        g->point[point][1] = (float)x.y;
        g->point[point][2] = (float)x.z;
    }
    if (own) {
        g->of_body[at->body] = point;
    }
    g->corner[g->corners++] = point;
}

static double von_mises(const double s[6])
{
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

static void fill(const ss_model *m, const ss_config *c, grid *g)
{
    static const int order[6] = { 0, 1, 2, 5, 3, 4 }; /* of xx yy zz yz xz xy */
    for (int b = 0; b < m->bodies; b++) {
        g->of_body[b] = -1;
    }
    for (int i = 0; i < m->simplices; i++) {
        const ss_simplex *e = &m->simplex[i];
        double sigma[6];
        for (int a = 0; a < e->nodes; a++) {
            add_corner(m, c, &e->at[a], g);
        }
        ss_simplices_stress(m, c, i, sigma);
        for (int k = 0; k < 6; k++) {
            g->stress[i][k] = (float)sigma[order[k]];
        }
        g->von_mises[i] = (float)von_mises(sigma);
        g->end[i] = g->corners;
        g->solid[i] = (int32_t)(e->law - m->simplex_law);
        g->type[i] = e->nodes == 3 ? TRIANGLE : TETRAHEDRON;
    }
}

static ss_status write_grid(ss_context *ctx, const ss_model *m, const ss_config *c, const grid *g, const char *path)
{
    const int cells = m->simplices;
    const ss_vtp_array array[] = {
        { SS_VTP_FIELD, "TimeValue", SS_VTP_FLOAT64, 1, 1, &c->t, 0 },
        { SS_VTP_CELL, "solid", SS_VTP_INT32, 1, cells, g->solid, 0 },
        { SS_VTP_CELL, "stress", SS_VTP_FLOAT32, 6, cells, g->stress, 0 },
        { SS_VTP_CELL, "von_mises", SS_VTP_FLOAT32, 1, cells, g->von_mises, 0 },
        { SS_VTP_POINTS, "points", SS_VTP_FLOAT32, 3, g->points, g->point, 0 },
        { SS_VTP_CELLS, "connectivity", SS_VTP_INT32, 1, g->corners, g->corner, 0 },
        { SS_VTP_CELLS, "offsets", SS_VTP_INT32, 1, cells, g->end, 0 },
        { SS_VTP_CELLS, "types", SS_VTP_UINT8, 1, cells, g->type, 0 },
    };
    const ss_vtp vtp = { .points = g->points, .cells = cells, .array = array, .arrays = (int)(sizeof array / sizeof array[0]) };
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
