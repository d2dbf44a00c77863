/* view_solids.c - solids in a page: nodes, the elements between them, and von Mises' stress at the nodes of every frame.
 *
 *   solid_body, solid_point    nodes: the body that has it, -1: the world; its place in the frame of that body
 *   solid_element              elements: three nodes in 2D, four in 3D
 *   solid_stress               frames x nodes, N/m^2: the mean of the elements that a node belongs to
 *
 * The stress of an element is the same everywhere in it; means at the nodes make pictures that are easier to read. A scene
 * without solids has none of these arrays. */
#include "view.h"

#include <stdlib.h>

typedef struct stress_frame {
    const ss_model *model;
    view_page *page;
    double *element; /* stress of each           */
    float *node;     /* mean of its elements     */
    int *elements;   /* how many a node has      */
} stress_frame;

static void put_nodes(const ss_model *model, view_page *page)
{
    const int n = ss_model_solid_node_count(model);
    view_open_array(page, "solid_body", VIEW_I32);
    for (int k = 0; k < n; k++) {
        int32_t body;
        double point[3];
        ss_model_solid_node(model, k, &body, point);
        view_put_bytes(page, &body, sizeof body);
    }
    view_close_array(page);
    view_open_array(page, "solid_point", VIEW_F32);
    for (int k = 0; k < n; k++) {
        int body;
        double point[3];
        ss_model_solid_node(model, k, &body, point);
        const float place[3] = { (float)point[0], (float)point[1], (float)point[2] };
        view_put_bytes(page, place, sizeof place);
    }
    view_close_array(page);
}

static void put_elements(const ss_model *model, view_page *page)
{
    view_open_array(page, "solid_element", VIEW_I32);
    for (int e = 0; e < ss_model_solid_element_count(model); e++) {
        int32_t node[4];
        const int n = ss_model_solid_element(model, e, node);
        view_put_bytes(page, node, (size_t)n * sizeof *node);
    }
    view_close_array(page);
}

static void count_elements(stress_frame *f)
{
    for (int e = 0; e < ss_model_solid_element_count(f->model); e++) {
        int node[4];
        for (int k = ss_model_solid_element(f->model, e, node) - 1; k >= 0; k--) {
            f->elements[node[k]]++;
        }
    }
}

static void put_stress(void *user, const view_state *state)
{
    stress_frame *f = user;
    const int n = ss_model_solid_node_count(f->model);
    ss_model_von_mises(f->model, state->t, state->q, f->element);
    for (int k = 0; k < n; k++) {
        f->node[k] = 0;
    }
    for (int e = 0; e < ss_model_solid_element_count(f->model); e++) {
        int node[4];
        for (int k = ss_model_solid_element(f->model, e, node) - 1; k >= 0; k--) {
            f->node[node[k]] += (float)(f->element[e] / f->elements[node[k]]);
        }
    }
    view_put_bytes(f->page, f->node, (size_t)n * sizeof *f->node);
}

int view_put_solids(const view_source *s, view_page *page)
{
    const size_t nodes = (size_t)ss_model_solid_node_count(s->model), elements = (size_t)ss_model_solid_element_count(s->model);
    if (elements == 0) {
        return CLI_DONE;
    }
    stress_frame f = { .model = s->model,
                       .page = page,
                       .element = calloc(elements, sizeof *f.element),
                       .node = calloc(nodes, sizeof *f.node),
                       .elements = calloc(nodes, sizeof *f.elements) };
    int code = f.element && f.node && f.elements ? CLI_DONE : view_no_memory();
    if (code == CLI_DONE) {
        put_nodes(s->model, page);
        put_elements(s->model, page);
        count_elements(&f);
        view_open_array(page, "solid_stress", VIEW_F32);
        code = view_each_frame(s, put_stress, &f);
        view_close_array(page);
    }
    free(f.element);
    free(f.node);
    free(f.elements);
    return code;
}
