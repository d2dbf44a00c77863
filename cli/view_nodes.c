/* view_nodes.c - flexible bodies in a page: to the scene that it is given, nodes are added as bodies with a point, and elements
 * as rods between them, or between a node and the place of what holds the other end. Couplings of joints have no place and are
 * left out. */
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

static const char *name_of(const ss_model *model, int body) { return body < 0 ? "world" : ss_model_body_name(model, body); }

static bool add_rod(json_t *joints, const ss_model *model, int element)
{
    int body[2];
    double p[2][3];
    ss_model_element_ends(model, element, body, p);
    json_t *rod = json_pack("{s:s, s:[s,s], s:[[f,f,f],[f,f,f]]}", "type", "distance", "bodies", name_of(model, body[0]),
                            name_of(model, body[1]), "anchors", p[0][0], p[0][1], p[0][2], p[1][0], p[1][1], p[1][2]);
    return json_array_append_new(joints, rod) == 0;
}

/* joints without bodies: gears and racks */
static void drop_couplings(json_t *joints)
{
    for (size_t k = json_array_size(joints); k-- > 0;) {
        if (!json_object_get(json_array_get(joints, k), "bodies")) {
            json_array_remove(joints, k);
        }
    }
}

int view_add_nodes(json_t *scene, const ss_model *model)
{
    json_t *joints = json_object_get(scene, "joints");
    drop_couplings(joints);
    bool done = add_bodies(json_object_get(scene, "bodies"), model);
    for (int e = 0; e < ss_model_element_count(model) && done; e++) {
        done = add_rod(joints, model, e);
    }
    return done ? CLI_DONE : view_no_memory();
}
