/* result_vtk.c - results for ParaView: a list of frames, and for each of them the bodies and the contacts as polygons.
 *
 *   run.pvd                        the list: time and files of every frame
 *   run_vtk/bodies_000000.vtp      shapes at that time; which body, velocities; names of the bodies
 *   run_vtk/solids_000000.vtu      elements of solids with their stresses, if the scene has any
 *   run_vtk/contacts_000000.vtp    contact points with gap, normal, force on the first body; names of the contacts
 *
 * The files of a frame are complete before the list names them, and the list is written beside its place and renamed: whatever
 * ends a run, a full disk or kill -9, the list can be read and names finished frames only. It is written with every
 * flush (writer.c) and whenever there are twice as many frames as it has; that takes about 150 bytes for each frame so far.
 * Limits and motors of joints have no place in space and are no points. Coordinates, velocities and forces are 32-bit numbers,
 * since they are there to be looked at. */
#include "io/surface.h"
#include "io/vtp.h"
#include "io/vtu.h"
#include "io/writer.h"

#include "sim/sim.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

typedef float vector[3]; /* as the files hold it */

/* text that grows */
typedef struct text {
    char *at;
    int n, capacity;
} text;

/* bodies: what stays and what a frame fills in */
typedef struct body_arrays {
    ss_surface surface;
    int32_t *cell_body; /* of all cells, in the order of their kinds */
    int cells;
    text names; /* with their zeros */
    vector *point, *velocity;
    vector *cell_velocity, *cell_turning;
    ss_vec3 *twist; /* 2 per body: linear, angular; world */
} body_arrays;

/* contacts of a frame */
typedef struct contact_arrays {
    int n, room; /* all arrays have room for so many */
    vector *point, *normal, *force;
    double *gap;
    int32_t (*bodies)[2];
    int32_t *corner, *end;
    text names;
} contact_arrays;

typedef struct vtk_file {
    ss_context *ctx;
    char *path, *beside, *folder;
    ss_claim held;
    text list; /* a line for each file of each finished frame */
    int frames, listed;
    ss_arena *arena;
    ss_config config;
    body_arrays body;
    contact_arrays contact;
} vtk_file;

static void put_vector(ss_vec3 x, vector out)
{
    out[0] = (float)x.x;
    out[1] = (float)x.y;
    out[2] = (float)x.z;
}

/* ---- text -------------------------------------------------------------------------------------- */

static ss_status put_bytes(ss_context *ctx, text *to, const char *bytes, size_t n)
{
    SS_TRY(ss_reserve(ctx, &to->at, &to->capacity, to->n + (int)n, 1));
    memcpy(to->at + to->n, bytes, n);
    to->n += (int)n;
    return SS_OK;
}

static ss_status put_text(ss_context *ctx, text *to, const char *words) { return put_bytes(ctx, to, words, strlen(words)); }

/* inside the quotes of an attribute */
static ss_status put_escaped(ss_context *ctx, text *to, const char *words)
{
    for (; *words; words++) {
        const char *escaped = *words == '&'   ? "&amp;"
                              : *words == '<' ? "&lt;"
                              : *words == '>' ? "&gt;"
                              : *words == '"' ? "&quot;"
                                              : NULL;
        SS_TRY(escaped ? put_text(ctx, to, escaped) : put_bytes(ctx, to, words, 1));
    }
    return SS_OK;
}

/* ---- the list ---------------------------------------------------------------------------------- */

static const char list_head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
static const char list_foot[] = "</Collection>\n</VTKFile>\n";

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *ending_of(const char *part) { return strcmp(part, "solids") == 0 ? "vtu" : "vtp"; }

static ss_status list_part(vtk_file *f, double t, int part, const char *name)
{
    char words[96];
    snprintf(words, sizeof words, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"", t, part, name);
    SS_TRY(put_text(f->ctx, &f->list, words));
    SS_TRY(put_escaped(f->ctx, &f->list, last_part(f->folder)));
    snprintf(words, sizeof words, "/%s_%06d.%s\"/>\n", name, f->frames, ending_of(name));
    return put_text(f->ctx, &f->list, words);
}

static ss_status save_list(vtk_file *f)
{
    ss_claim next;
    SS_TRY(ss_claim_take(f->ctx, f->beside, &next));
    bool good = ftruncate(next.file, 0) == 0 && ss_claim_write(&next, list_head, sizeof list_head - 1) &&
                ss_claim_write(&next, f->list.at, (size_t)f->list.n) && ss_claim_write(&next, list_foot, sizeof list_foot - 1) &&
                ss_claim_replace(&next, f->beside, &f->held, f->path);
    if (!good) {
        int error = errno;
        remove(f->beside);
        ss_claim_release(&next);
        return ss_fail(f->ctx, SS_ERR_IO, "%s: cannot be written: %s", f->path, strerror(error));
    }
    f->listed = f->frames;
    return SS_OK;
}

/* ---- bodies ------------------------------------------------------------------------------------ */

static void move_points(vtk_file *f)
{
    body_arrays *b = &f->body;
    for (int k = 0; k < b->surface.points; k++) {
        const int body = b->surface.point_body[k];
        const ss_vec3 arm = ss_rotate(f->config.frame[body].R, b->surface.point[k]);
        put_vector(ss_add(f->config.frame[body].p, arm), b->point[k]);
        put_vector(ss_add(b->twist[2 * body], ss_cross(b->twist[2 * body + 1], arm)), b->velocity[k]);
    }
    for (int k = 0; k < b->cells; k++) {
        put_vector(b->twist[2 * b->cell_body[k]], b->cell_velocity[k]);
        put_vector(b->twist[2 * b->cell_body[k] + 1], b->cell_turning[k]);
    }
}

static void move_bodies(vtk_file *f, const ss_sim *sim)
{
    const ss_model *m = sim->model; /* with the motions that the user has set */
    const double t = ss_sim_time(sim);
    ss_config_set(m, t, ss_sim_q(sim), &f->config);
    ss_config_drive(m, t, t, &f->config);
    for (int b = 0; b < m->bodies; b++) {
        ss_model_twist(m, &f->config, ss_sim_v(sim), b, &f->body.twist[2 * b]);
    }
    move_points(f);
}

static ss_status write_bodies(vtk_file *f, const ss_sim *sim, const char *path)
{
    const double t = ss_sim_time(sim);
    const body_arrays *b = &f->body;
    const ss_cell_list *list = b->surface.list, *dots = &list[SS_CELL_POINTS], *lines = &list[SS_CELL_LINES],
                       *faces = &list[SS_CELL_POLYGONS];
    const int points = b->surface.points;
    move_bodies(f, sim);
    const ss_vtp_array array[] = {
        { SS_VTP_FIELD, "TimeValue", SS_VTP_FLOAT64, 1, 1, &t, 0 },
        { SS_VTP_FIELD, "names", SS_VTP_STRING, 1, ss_sim_model(sim)->bodies, b->names.at, (size_t)b->names.n },
        { SS_VTP_POINT, "velocity", SS_VTP_FLOAT32, 3, points, b->velocity, 0 },
        { SS_VTP_CELL, "body", SS_VTP_INT32, 1, b->cells, b->cell_body, 0 },
        { SS_VTP_CELL, "body_velocity", SS_VTP_FLOAT32, 3, b->cells, b->cell_velocity, 0 },
        { SS_VTP_CELL, "body_angular_velocity", SS_VTP_FLOAT32, 3, b->cells, b->cell_turning, 0 },
        { SS_VTP_POINTS, "points", SS_VTP_FLOAT32, 3, points, b->point, 0 },
        { SS_VTP_VERTS, "connectivity", SS_VTP_INT32, 1, dots->corners, dots->corner, 0 },
        { SS_VTP_VERTS, "offsets", SS_VTP_INT32, 1, dots->cells, dots->end, 0 },
        { SS_VTP_LINES, "connectivity", SS_VTP_INT32, 1, lines->corners, lines->corner, 0 },
        { SS_VTP_LINES, "offsets", SS_VTP_INT32, 1, lines->cells, lines->end, 0 },
        { SS_VTP_POLYS, "connectivity", SS_VTP_INT32, 1, faces->corners, faces->corner, 0 },
        { SS_VTP_POLYS, "offsets", SS_VTP_INT32, 1, faces->cells, faces->end, 0 },
    };
    const ss_vtp vtp = { .points = points,
                         .verts = dots->cells,
                         .lines = lines->cells,
                         .polys = faces->cells,
                         .array = array,
                         .arrays = (int)(sizeof array / sizeof array[0]) };
    return ss_vtp_write(f->ctx, path, &vtp);
}

/* ---- contacts ---------------------------------------------------------------------------------- */

/* one of the arrays of contacts, which all have the same room */
static ss_status grow(ss_context *ctx, void *array, int room, int need, size_t size)
{
    return ss_reserve(ctx, array, &room, need, size);
}

static ss_status reserve_contacts(ss_context *ctx, contact_arrays *c, int need)
{
    if (need <= c->room) {
        return SS_OK;
    }
    const int more = 2 * need;
    SS_TRY(grow(ctx, &c->point, c->room, more, sizeof *c->point));
    SS_TRY(grow(ctx, &c->normal, c->room, more, sizeof *c->normal));
    SS_TRY(grow(ctx, &c->force, c->room, more, sizeof *c->force));
    SS_TRY(grow(ctx, &c->gap, c->room, more, sizeof *c->gap));
    SS_TRY(grow(ctx, &c->bodies, c->room, more, sizeof *c->bodies));
    SS_TRY(grow(ctx, &c->corner, c->room, more, sizeof *c->corner));
    SS_TRY(grow(ctx, &c->end, c->room, more, sizeof *c->end));
    c->room = more;
    return SS_OK;
}

static ss_status add_contact(ss_context *ctx, contact_arrays *c, const ss_contact_info *info)
{
    const ss_vec3 n = ss_v3_from(info->normal), t1 = ss_v3_from(info->tangent[0]), t2 = ss_v3_from(info->tangent[1]);
    const int k = c->n;
    put_vector(ss_v3_from(info->point), c->point[k]);
    put_vector(n, c->normal[k]);
    put_vector(ss_axpy(info->force[2], t2, ss_axpy(info->force[1], t1, ss_scale(info->force[0], n))), c->force[k]);
    c->gap[k] = info->gap;
    c->bodies[k][0] = info->bodies[0];
    c->bodies[k][1] = info->bodies[1];
    c->corner[k] = k;
    c->end[k] = k + 1;
    SS_TRY(put_bytes(ctx, &c->names, info->name, strlen(info->name) + 1));
    c->n++;
    return SS_OK;
}

/* limits, motors and gaps of user blocks have no normal */
static ss_status take_contacts(vtk_file *f, const ss_sim *sim)
{
    contact_arrays *c = &f->contact;
    const int n = ss_sim_contact_count(sim);
    c->n = c->names.n = 0;
    SS_TRY(reserve_contacts(f->ctx, c, n));
    for (int k = 0; k < n; k++) {
        ss_contact_info info;
        SS_TRY(ss_sim_contact(sim, k, &info));
        if (ss_norm(ss_v3_from(info.normal)) > 0) {
            SS_TRY(add_contact(f->ctx, c, &info));
        }
    }
    return SS_OK;
}

static ss_status write_contacts(vtk_file *f, const ss_sim *sim, const char *path)
{
    const double t = ss_sim_time(sim);
    const contact_arrays *c = &f->contact;
    SS_TRY(take_contacts(f, sim));
    const ss_vtp_array array[] = {
        { SS_VTP_FIELD, "TimeValue", SS_VTP_FLOAT64, 1, 1, &t, 0 },
        { SS_VTP_FIELD, "names", SS_VTP_STRING, 1, c->n, c->names.at, (size_t)c->names.n },
        { SS_VTP_POINT, "force", SS_VTP_FLOAT32, 3, c->n, c->force, 0 },
        { SS_VTP_POINT, "normal", SS_VTP_FLOAT32, 3, c->n, c->normal, 0 },
        { SS_VTP_POINT, "gap", SS_VTP_FLOAT64, 1, c->n, c->gap, 0 },
        { SS_VTP_POINT, "bodies", SS_VTP_INT32, 2, c->n, c->bodies, 0 },
        { SS_VTP_POINTS, "points", SS_VTP_FLOAT32, 3, c->n, c->point, 0 },
        { SS_VTP_VERTS, "connectivity", SS_VTP_INT32, 1, c->n, c->corner, 0 },
        { SS_VTP_VERTS, "offsets", SS_VTP_INT32, 1, c->n, c->end, 0 },
    };
    const ss_vtp vtp = { .points = c->n, .verts = c->n, .array = array, .arrays = (int)(sizeof array / sizeof array[0]) };
    return ss_vtp_write(f->ctx, path, &vtp);
}

/* the configuration is that of the bodies, which are written first */
static ss_status write_solids(vtk_file *f, const ss_sim *sim, const char *path)
{
    return ss_vtu_write_solids(f->ctx, f->arena, ss_sim_model(sim), &f->config, path);
}

/* ---- frames ------------------------------------------------------------------------------------ */

/* "run_vtk/bodies_000000.vtp"; freed by the caller */
static ss_status name_frame(const vtk_file *f, const char *what, int frame, char **out)
{
    const size_t size = strlen(f->folder) + 40;
    SS_TRY(ss_calloc(f->ctx, size, 1, out));
    snprintf(*out, size, "%s/%s_%06d.%s", f->folder, what, frame, ending_of(what));
    return SS_OK;
}

static ss_status write_part(vtk_file *f, const ss_sim *sim, const char *what,
                            ss_status (*write)(vtk_file *, const ss_sim *, const char *))
{
    char *path;
    SS_TRY(name_frame(f, what, f->frames, &path));
    ss_status status = write(f, sim, path);
    ss_free(f->ctx, path);
    return status;
}

/* all files, then their lines in the list */
static ss_status write_frame(vtk_file *f, const ss_sim *sim)
{
    const int before = f->list.n;
    const bool solids = ss_sim_model(sim)->simplices > 0;
    ss_status status = write_part(f, sim, "bodies", write_bodies);
    status = status == SS_OK ? write_part(f, sim, "contacts", write_contacts) : status;
    status = status == SS_OK && solids ? write_part(f, sim, "solids", write_solids) : status;
    status = status == SS_OK ? list_part(f, ss_sim_time(sim), 0, "bodies") : status;
    status = status == SS_OK ? list_part(f, ss_sim_time(sim), 1, "contacts") : status;
    status = status == SS_OK && solids ? list_part(f, ss_sim_time(sim), 2, "solids") : status;
    f->list.n = status == SS_OK ? f->list.n : before;
    f->frames += status == SS_OK;
    return status;
}

static bool drop_part(const vtk_file *f, const char *what, int frame)
{
    char *path = NULL;
    bool dropped = name_frame(f, what, frame, &path) == SS_OK && remove(path) == 0;
    ss_free(f->ctx, path);
    return dropped;
}

/* frames of an earlier run, up to the first number that has none */
static void drop_frames(const vtk_file *f, int from)
{
    bool found = true;
    for (int k = from; found; k++) {
        const bool bodies = drop_part(f, "bodies", k), contacts = drop_part(f, "contacts", k), solids = drop_part(f, "solids", k);
        found = bodies || contacts || solids;
    }
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* "run.pvd", "run.pvd.new", "run_vtk" */
static ss_status name_places(vtk_file *f, const char *path)
{
    const size_t stem = (size_t)(strrchr(path, '.') - path), size = strlen(path) + 8;
    SS_TRY(ss_strdup(f->ctx, path, &f->path));
    SS_TRY(ss_calloc(f->ctx, size, 1, &f->beside));
    SS_TRY(ss_calloc(f->ctx, size, 1, &f->folder));
    snprintf(f->beside, size, "%s.new", path);
    snprintf(f->folder, size, "%.*s_vtk", (int)stem, path);
    return SS_OK;
}

/* bodies of cells, points before lines before polygons */
static ss_status gather_cells(vtk_file *f)
{
    body_arrays *b = &f->body;
    for (int kind = 0; kind < SS_CELL_KINDS; kind++) {
        b->cells += b->surface.list[kind].cells;
    }
    SS_TRY(ss_calloc(f->ctx, (size_t)b->cells, sizeof *b->cell_body, &b->cell_body));
    int32_t *to = b->cell_body;
    for (int kind = 0; kind < SS_CELL_KINDS; kind++) {
        for (int k = 0; k < b->surface.list[kind].cells; k++) {
            *to++ = b->surface.list[kind].body[k];
        }
    }
    return SS_OK;
}

static ss_status make_bodies(vtk_file *f, const ss_model *m)
{
    body_arrays *b = &f->body;
    SS_TRY(ss_surface_make(f->ctx, m, &b->surface));
    SS_TRY(gather_cells(f));
    SS_TRY(ss_calloc(f->ctx, (size_t)b->surface.points, sizeof *b->point, &b->point));
    SS_TRY(ss_calloc(f->ctx, (size_t)b->surface.points, sizeof *b->velocity, &b->velocity));
    SS_TRY(ss_calloc(f->ctx, (size_t)b->cells, sizeof *b->cell_velocity, &b->cell_velocity));
    SS_TRY(ss_calloc(f->ctx, (size_t)b->cells, sizeof *b->cell_turning, &b->cell_turning));
    SS_TRY(ss_calloc(f->ctx, 2 * (size_t)m->bodies, sizeof *b->twist, &b->twist));
    for (int k = 0; k < m->bodies; k++) {
        SS_TRY(put_bytes(f->ctx, &b->names, m->body_name[k], strlen(m->body_name[k]) + 1));
    }
    SS_TRY(ss_arena_create(f->ctx, 1 << 12, &f->arena));
    return ss_config_take(f->arena, m, &f->config);
}

static void release_arrays(vtk_file *f)
{
    body_arrays *b = &f->body;
    contact_arrays *c = &f->contact;
    void *const all[] = { b->cell_body, b->names.at, b->point,  b->velocity, b->cell_velocity, b->cell_turning, b->twist,
                          c->point,     c->normal,   c->force,  c->gap,      c->bodies,        c->corner,       c->end,
                          c->names.at,  f->list.at,  f->folder, f->beside,   f->path };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        ss_free(f->ctx, all[k]);
    }
    b->surface.ctx = f->ctx;
    ss_surface_clear(&b->surface);
    ss_arena_destroy(f->arena);
}

/* ---- the format -------------------------------------------------------------------------------- */

static ss_status vtk_flush(void *file)
{
    vtk_file *f = file;
    return f->listed < f->frames ? save_list(f) : SS_OK;
}

static ss_status vtk_close(void *file, bool failed)
{
    vtk_file *f = file;
    ss_status status = failed ? SS_OK : vtk_flush(f);
    ss_claim_release(&f->held);
    release_arrays(f);
    ss_free(f->ctx, f);
    return status;
}

/* a frame that failed leaves no files behind, so that there may be room for the list of those before it */
static ss_status give_up_frame(vtk_file *f, ss_status status)
{
    char why[512];
    snprintf(why, sizeof why, "%s", ss_last_error(f->ctx));
    drop_part(f, "bodies", f->frames);
    drop_part(f, "contacts", f->frames);
    drop_part(f, "solids", f->frames);
    vtk_flush(f);
    return ss_fail(f->ctx, status, "%s", why);
}

/* the list has at least every second frame, however quickly they come */
static ss_status vtk_row(void *file, const ss_sim *sim, const ss_step_info *info)
{
    vtk_file *f = file;
    (void)info;
    ss_status status = write_frame(f, sim);
    if (status != SS_OK) {
        return give_up_frame(f, status);
    }
    return f->frames < 2 * f->listed ? SS_OK : vtk_flush(f);
}

static ss_status vtk_open(ss_context *ctx, const char *path, ss_claim *claim, const ss_scene *scene, const ss_sim *sim,
                          void **file)
{
    vtk_file *f;
    (void)scene;
    SS_TRY(ss_calloc(ctx, 1, sizeof *f, &f));
    f->ctx = ctx;
    f->held = *claim;
    *claim = (ss_claim){ .file = -1 };
    ss_status status = name_places(f, path);
    status = status == SS_OK ? make_bodies(f, ss_sim_model(sim)) : status;
    status = status == SS_OK ? ss_folder_make(ctx, f->folder) : status;
    status = status == SS_OK ? save_list(f) : status;
    if (status != SS_OK) {
        vtk_close(f, true);
        return status;
    }
    drop_frames(f, 0);
    *file = f;
    return SS_OK;
}

const ss_format ss_format_vtk = { .open = vtk_open, .row = vtk_row, .flush = vtk_flush, .close = vtk_close };
