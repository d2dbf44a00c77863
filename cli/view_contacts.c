/* view_contacts.c - points and forces of the contacts of every frame, and the smallest gap.
 *
 * Contact k of the page has a point and a force (world, on the first body) and its two bodies; frame f has the contacts
 * offset[f] .. offset[f+1]-1. A frame keeps at most as many contacts as fit into the bytes of the page, those with the
 * largest forces. The smallest gap is that of all contacts of the state; NaN: it has none. */
#include "view.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 16 }; /* contacts that a frame may keep in any case */

typedef struct kept_contact {
    float point[3], force[3];
    int32_t bodies[2];
} kept_contact;

/* what all frames keep */
typedef struct contact_list {
    int64_t cap; /* of a frame */
    uint32_t *offset;
    double *gap;
    kept_contact *kept;
    size_t n, room;
    ss_result_contact *read; /* those of one state */
    int64_t read_room;
} contact_list;

static double size_squared(const double f[3]) { return f[0] * f[0] + f[1] * f[1] + f[2] * f[2]; }

/* the larger force first */
static int by_force(const void *left, const void *right)
{
    double a = size_squared(((const ss_result_contact *)left)->force),
           b = size_squared(((const ss_result_contact *)right)->force);
    return a > b ? -1 : a < b;
}

static bool make_room(contact_list *c, int64_t contacts)
{
    if (contacts > c->read_room) {
        ss_result_contact *read = realloc(c->read, (size_t)contacts * sizeof *read);
        c->read = read ? read : c->read;
        c->read_room = read ? contacts : c->read_room;
    }
    size_t wanted = c->n + (size_t)(contacts < c->cap ? contacts : c->cap);
    if (wanted > c->room) {
        kept_contact *kept = realloc(c->kept, 2 * wanted * sizeof *kept);
        c->kept = kept ? kept : c->kept;
        c->room = kept ? 2 * wanted : c->room;
    }
    return contacts <= c->read_room && wanted <= c->room;
}

static kept_contact keep(const ss_result_contact *from)
{
    kept_contact k = { .bodies = { from->bodies[0], from->bodies[1] } };
    for (int i = 0; i < 3; i++) {
        k.point[i] = (float)from->point[i];
        k.force[i] = (float)from->force[i];
    }
    return k;
}

/* Limits and motors of joints are listed among the contacts, but have no place: leave them out. How many remain. */
static int64_t drop_joints(ss_result_contact *contact, int64_t n)
{
    int64_t left = 0;
    for (int64_t k = 0; k < n; k++) {
        if (size_squared(contact[k].normal) > 0) {
            contact[left++] = contact[k];
        }
    }
    return left;
}

static double smallest_gap(const ss_result_contact *contact, int64_t n)
{
    double least = NAN;
    for (int64_t k = 0; k < n; k++) {
        least = contact[k].gap >= least ? least : contact[k].gap;
    }
    return least;
}

static int read_frame(const view_source *s, contact_list *c, int64_t frame)
{
    int64_t offset[2];
    ss_status status = ss_result_read_offsets(s->result, view_state_of(s, frame), 1, offset);
    int64_t n = status == SS_OK ? offset[1] - offset[0] : 0;
    if (!make_room(c, n)) {
        return view_no_memory();
    }
    status = status == SS_OK ? ss_result_read_contacts(s->result, offset[0], n, c->read) : status;
    if (status != SS_OK) {
        return view_bad_result(s, status);
    }
    n = drop_joints(c->read, n);
    c->gap[frame] = smallest_gap(c->read, n);
    if (n > c->cap) {
        qsort(c->read, (size_t)n, sizeof *c->read, by_force);
    }
    for (int64_t k = 0; k < n && k < c->cap; k++) {
        c->kept[c->n++] = keep(&c->read[k]);
    }
    c->offset[frame + 1] = (uint32_t)c->n;
    return CLI_DONE;
}

static void put_contacts(const view_source *s, view_page *page, const contact_list *c)
{
    view_put_array(page, "gap", VIEW_F64, c->gap, (size_t)s->frames * sizeof *c->gap);
    view_put_array(page, "contact_offset", VIEW_U32, c->offset, ((size_t)s->frames + 1) * sizeof *c->offset);
    view_open_array(page, "contact_vectors", VIEW_F32);
    for (size_t k = 0; k < c->n; k++) {
        view_put_bytes(page, c->kept[k].point, sizeof c->kept[k].point);
        view_put_bytes(page, c->kept[k].force, sizeof c->kept[k].force);
    }
    view_close_array(page);
    view_open_array(page, "contact_bodies", VIEW_I32);
    for (size_t k = 0; k < c->n; k++) {
        view_put_bytes(page, c->kept[k].bodies, sizeof c->kept[k].bodies);
    }
    view_close_array(page);
}

int view_put_contacts(const view_source *s, view_page *page)
{
    contact_list c = { .cap = VIEW_CONTACT_BYTES / s->share / (int64_t)sizeof(kept_contact) / s->frames };
    c.cap = c.cap > LEAST ? c.cap : LEAST;
    c.offset = calloc((size_t)s->frames + 1, sizeof *c.offset);
    c.gap = calloc((size_t)s->frames, sizeof *c.gap);
    int code = c.offset && c.gap ? CLI_DONE : view_no_memory();
    for (int64_t f = 0; f < s->frames && code == CLI_DONE; f++) {
        code = read_frame(s, &c, f);
    }
    if (code == CLI_DONE) {
        put_contacts(s, page, &c);
    }
    free(c.offset);
    free(c.gap);
    free(c.kept);
    free(c.read);
    return code;
}
