/* view.h - what the files of the view command share: a result, the frames of it that are shown, the page that is written.
 *
 *   result -> frames (view_frames.c) -> poses (view_poses.c), contacts (view_contacts.c), solids (view_solids.c),
 *             all else (view_result.c)
 *          -> page (view_page.c) -> a file (view.c), a server (view_serve.c), pictures and films (view_film.c)
 *
 * The page is the built viewer (viewer_page.c) with the data of the results in its middle, as elements that a browser does not
 * run: one JSON text for each result, and arrays of numbers in base64. docs/view.md describes them. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "cli.h"

#include <jansson.h>
#include <stdio.h>

enum {
    VIEW_RESULTS = 8,
    VIEW_POSE_BYTES = 33000000,   /* of all results together, before base64 makes 4 bytes of 3 */
    VIEW_CONTACT_BYTES = 8000000, /* likewise */
};

/* ---- the page ---------------------------------------------------------------------------------- */

typedef enum view_type { VIEW_F32, VIEW_F64, VIEW_U16, VIEW_U32, VIEW_I32, VIEW_U8 } view_type;

/* A page that is being written; what fails is remembered in `file` (ferror). */
typedef struct view_page {
    FILE *file;
    int result;               /* number of the result whose data are written      */
    unsigned char waiting[3]; /* bytes of the array that make no whole letters yet */
    int wait;
} view_page;

extern const char view_template[]; /* the built viewer, ended by 0 */

void view_put_json(view_page *page, const json_t *value);
/* An array: its name and type, then its bytes in any pieces. */
void view_open_array(view_page *page, const char *name, view_type type);
void view_put_bytes(view_page *page, const void *bytes, size_t n);
void view_close_array(view_page *page);
void view_put_array(view_page *page, const char *name, view_type type, const void *bytes, size_t n); /* all three */

/* ---- a result ---------------------------------------------------------------------------------- */

/* A body that moves, and whether its poses say how it is turned. */
typedef struct view_body {
    int body;
    bool turns;
} view_body;

/* All positions of bodies that move, in compact results. */
typedef struct view_box {
    double low[3], high[3];
} view_box;

typedef struct view_source {
    ss_context *ctx;
    const char *path;
    ss_result *result;
    json_t *scene;
    ss_scene *parsed;
    ss_model *model;
    int dimension;
    int64_t states, stride, frames; /* frame k is state k * stride, the last frame the last state */
    int share;                      /* number of results that share the bytes of a page           */
    bool compact;                   /* poses as whole numbers of 16 bits within `box`         */
    view_box box;
    view_body *moving;
    int movers;
} view_source;

/* Open a result, its scene and its model, and choose frames and encoding; anything but CLI_DONE: said why. */
int view_open(view_source *s);
void view_close(view_source *s);
int view_no_memory(void);
int view_bad_result(const view_source *s, ss_status status);
/* Add what the scene of a result does not list by itself: nodes and elements of flexible bodies. */
int view_add_nodes(json_t *scene, const ss_model *model);

/* One frame: the state's time, q and v. */
typedef struct view_state {
    double t;
    const double *q, *v;
} view_state;
/* Call `visit` for every frame, in order. */
int view_each_frame(const view_source *s, void (*visit)(void *user, const view_state *state), void *user);
int64_t view_state_of(const view_source *s, int64_t frame);

int view_numbers(const view_source *s, const view_body *b); /* of one pose of a body */
int view_find_box(const view_source *s, view_box *box);
int view_put_poses(const view_source *s, view_page *page);
int view_put_contacts(const view_source *s, view_page *page);
int view_put_solids(const view_source *s, view_page *page);
int view_put_result(const view_source *s, view_page *page); /* all of it */

/* ---- a server ---------------------------------------------------------------------------------- */

/* A whole page in memory. */
typedef struct view_text {
    char *text;
    size_t length;
} view_text;
/* Serve the page on 127.0.0.1 until a signal comes. */
int view_serve(const view_text *page);

/* ---- pictures ---------------------------------------------------------------------------------- */

int view_cannot_write(const char *path); /* says so, with errno; CLI_USAGE */
int view_take_picture(const char *page, double at, const char *path);
int view_take_film(const char *page, const char *path);

#endif
