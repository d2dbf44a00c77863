/* view_nodes.c - flexible bodies in a page: to the scene that it is given, nodes are added as bodies with a point, and elements
 * as rods between them. The element at a node that is held has no rod: that node is no body. */
#include "view.h"

/* bodies of the model that the scene does not list, which are nodes */
static bool add_bodies(json_t *bodies, const ss_model *model)
{
    bool done = true;
    for (int b = (int)json_array_size(bodies); b < ss_model_body_count(model); b++) {
        json_t *node = json_pack("{s:s, s:s, s:[{s:s}]}", "name", ss_model_body_name(model, b), "type",
                                 ss_body_type_name(ss_model_body_type(model, b)), "shapes", "type", "point");
        done = done && json_array_append_new(bodies, node) == 0;
    }
    return done;
}

/* rods between neighbours NAME.i and NAME.i+1, i from `first` to before `last` */
static bool add_rods(json_t *joints, const char *name, int first, int last)
{
    bool done = true;
    for (int i = first; i < last; i++) {
        char node[2][256];
        snprintf(node[0], sizeof node[0], "%s.%d", name, i);
        snprintf(node[1], sizeof node[1], "%s.%d", name, i + 1);
        done = done &&
               json_array_append_new(joints, json_pack("{s:s, s:[s,s]}", "type", "distance", "bodies", node[0], node[1])) == 0;
    }
    return done;
}

static bool is_held(const json_t *elements, const char *end) { return json_is_string(json_object_get(elements, end)); }

int view_add_nodes(json_t *scene, const ss_model *model)
{
    json_t *joints = json_object_get(scene, "joints"), *elements;
    size_t k;
    bool done = add_bodies(json_object_get(scene, "bodies"), model);
    json_array_foreach(json_object_get(scene, "elements"), k, elements)
    {
        const char *name = json_string_value(json_object_get(elements, "name"));
        const int divisions = (int)json_integer_value(json_object_get(elements, "divisions"));
        done = done && add_rods(joints, name, is_held(elements, "first"), divisions - is_held(elements, "last"));
    }
    return done ? CLI_DONE : view_no_memory();
}
