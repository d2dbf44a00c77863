/* view_nodes.c - flexible bodies in a page: to the scene that it is given, nodes are added as bodies with a point. Its list
 * `elements` says how they are joined. */
#include "view.h"

int view_add_nodes(json_t *scene, const ss_model *model)
{
    json_t *bodies = json_object_get(scene, "bodies");
    bool done = true;
    for (int b = (int)json_array_size(bodies); b < ss_model_body_count(model); b++) {
        json_t *node = json_pack("{s:s, s:s, s:[{s:s}]}", "name", ss_model_body_name(model, b), "type",
                                 ss_body_type_name(ss_model_body_type(model, b)), "shapes", "type", "point");
        done = done && json_array_append_new(bodies, node) == 0;
    }
    return done ? CLI_DONE : view_no_memory();
}
